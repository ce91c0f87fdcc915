//! Brings in the `Py_3_x` cfgs of the interpreter that is built for. No other crate can see them.
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
