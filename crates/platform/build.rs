//! The migrations are embedded at compile time: a new file must make a new build.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
