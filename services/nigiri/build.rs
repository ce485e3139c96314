//! Puts the page that people play on into the binary, if it was built (`make web`): `web/dist/page`, with the compressed copies that lie
//! beside its files.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    // As it is when the script runs: whoever shares a folder of built things between two clones has two pages.
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let folder = package.join("../../web/dist");
    println!("cargo:rerun-if-changed={}", folder.display());
    let root = folder.join("page");
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, &mut files)?;
    }
    files.sort();
    let lines: String = files.iter().filter(|file| !is_copy(file)).map(|file| entry(&root, file)).collect();
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    fs::write(out.join("page_files.rs"), format!("const FILES: &[File] = &[\n{lines}];\n"))
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        if path.is_dir() { collect(&path, into)? } else { into.push(path) }
    }
    Ok(())
}

/// Whether a file is the compressed copy of another.
fn is_copy(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "br" || ending == "gz")
}

/// A file as a line of the table.
fn entry(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let bytes = |file: &Path| format!("include_bytes!({:?})", file.display().to_string());
    let copy = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        let copy = PathBuf::from(name);
        if copy.is_file() { format!("Some({})", bytes(&copy)) } else { "None".to_owned() }
    };
    format!(
        "    File {{ path: \"/{path}\", plain: {}, gzip: {}, brotli: {} }},\n",
        bytes(file),
        copy(".gz"),
        copy(".br")
    )
}
