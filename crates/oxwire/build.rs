//! Tells the linker to leave out what unwinding would need, and the start files of C: docs/decisions/0011-unwinding.md.

fn main() {
    println!("cargo:rerun-if-changed=no-unwinding.ld");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    // The script is in the words of the linkers of Linux.
    if var("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-T,{}/no-unwinding.ld", var("CARGO_MANIFEST_DIR"));
        println!("cargo:rustc-cdylib-link-arg=-nostartfiles");
    }
}
