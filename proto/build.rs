//! Compiles the protos without protoc: once for the types, once as a descriptor set for reflection and the docs.

use std::{env, fs, path::Path, path::PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=nigiri");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut files = Vec::new();
    collect(Path::new("nigiri"), &mut files)?;
    files.sort();
    let mut compiler = protox::Compiler::new(["."])?;
    compiler.include_source_info(true).include_imports(true).open_files(&files)?;
    fs::write(out.join("descriptor.bin"), compiler.encode_file_descriptor_set())?;
    tonic_prost_build::configure()
        .bytes(".")
        .codec_path("crate::codec::SmallCodec")
        .generate_default_stubs(true)
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
