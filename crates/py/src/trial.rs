//! The trial: whether what is made and read by hand is what the interpreter makes and reads.
//!
//! Python leads it on import (`oxwire._trial`): it makes the cases, compares memory and behaviour, and says what may be trusted. What
//! it cannot do itself is one function here, which gives what is made by hand, what is read by hand, or the bytes at an address.
//!
//! BE ADVISED: that function believes what it is told. Only the trial gets it, and keeps it no longer than it runs.

use crate::object::Ref;
use crate::raised::Result;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use alloc::boxed::Box;
    use alloc::vec::Vec;
    use core::ptr::null_mut;

    use super::{Ref, Result};
    use crate::int::Int;
    use crate::object::Own;
    use crate::sys as ffi;
    use crate::sys::{PyObject, PyTypeObject};
    use crate::{direct, direct_dict, direct_object, guard, instance, layout, table};

    /// `ask(what, of, n)`: the questions are numbered as in `oxwire._trial`.
    unsafe extern "C" fn ask(
        _: *mut PyObject,
        args: *const *mut PyObject,
        _: isize,
        _: *mut PyObject,
    ) -> *mut PyObject {
        // SAFETY: the trial gives three arguments, each of the type that the question wants, and they live as long as the
        // call. What is made by hand is whole when it is handed out.
        guard::object(|| unsafe {
            let [what, of, n] = *args.cast::<[Ref<'_>; 3]>();
            let (o, n) = (of.ptr(), number(n));
            match number(what) {
                0 => Ok(crate::scalar::bool(table::agrees(o))),
                1 => attributes(of),
                2 => Own::take(ffi::PyBytes_FromStringAndSize(number(of) as *const _, n as isize)),
                3 => {
                    let text = Own::take(direct::known::ascii(n as usize, None))?;
                    layout::new_ascii_data(text.ptr()).write_bytes(b'x', n as usize);
                    Ok(text)
                }
                4 => Own::take(direct::known::int(n)),
                5 => {
                    let mut items = items(of);
                    let list = Own::take(direct::known::list(items.len()))?;
                    let to = (*list.ptr().cast::<ffi::PyListObject>()).ob_item;
                    to.copy_from_nonoverlapping(items.as_ptr().cast(), items.len());
                    items.set_len(0);
                    Ok(list)
                }
                6 => {
                    let mut pairs = items(of);
                    let dict = direct_dict::untried(&mut pairs, 0);
                    Ok(dict.filter(|_| pairs.is_empty()).unwrap_or_else(crate::scalar::none))
                }
                7 => empty(o.cast(), direct_object::untried),
                8 => empty(o.cast(), |class| ffi::_PyObject_GC_New(class)),
                _ => {
                    ffi::PyObject_GC_Track(o.cast());
                    Ok(of.own())
                }
            }
        })
    }

    /// The attributes that stand in an instance, name before value; nothing if they do not.
    fn attributes(of: Ref<'_>) -> Result<Own> {
        let Some(found) = of.untried() else { return Ok(crate::scalar::none()) };
        let n = found.len();
        let mut all: Vec<Own> = found.flat_map(|(key, value)| [key.own(), value.own()]).collect();
        if all.len() == 2 * n { crate::list_cold(&mut all, 0) } else { Ok(crate::scalar::none()) }
    }

    fn items(tuple: Ref<'_>) -> Vec<Own> {
        let tuple = tuple.as_any_tuple().map(|t| t.hold());
        tuple.iter().flat_map(|t| (0..t.len()).filter_map(|i| t.get(i))).map(Ref::own).collect()
    }

    /// An instance that nobody tracks, with nothing in its slots.
    unsafe fn empty(
        class: *mut PyTypeObject,
        make: unsafe fn(*mut PyTypeObject) -> *mut PyObject,
    ) -> Result<Own> {
        // SAFETY: the trial's own class has its slots behind the head.
        unsafe {
            let o = Own::take(make(class))?;
            let size = (*class).tp_basicsize as usize - size_of::<PyObject>();
            o.ptr().add(1).cast::<u8>().write_bytes(0, size);
            Ok(o)
        }
    }

    fn number(o: Ref<'_>) -> i64 {
        match o.as_any_int().map(|i| i.get_cold()) {
            Some(Int::I64(v)) => v,
            _ => 0,
        }
    }

    pub(super) fn trust(trial: Option<Ref<'_>>) -> Result<u8> {
        let mut bits = 0;
        if let Some(trial) = trial {
            // The interpreter keeps a pointer to the definition for as long as the function lives.
            let def = Box::leak(Box::new(ffi::PyMethodDef {
                ml_name: c"ask".as_ptr(),
                ml_meth: Some(ask),
                ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
                ml_doc: core::ptr::null(),
            }));
            // SAFETY: the definition lives for ever; the function asks for no self.
            let ask = unsafe { Own::take(ffi::PyCFunction_NewEx(def, null_mut(), null_mut()))? };
            bits = number(crate::call1(trial, ask.as_ref())?.as_ref()) as u8;
        }
        let trust = [table::trust, instance::trust, direct::trust, direct_dict::trust, direct_object::trust];
        for (bit, trust) in trust.into_iter().enumerate() {
            trust(bits >> bit & 1 != 0);
        }
        Ok(bits)
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::*;

    /// Nothing is done by hand here, so there is nothing to try.
    pub(super) fn trust(_: Option<Ref<'_>>) -> Result<u8> {
        Ok(0)
    }
}

/// Lets `trial(ask)` say which ways are as the interpreter's, a bit for each, and goes them from now on. Without a trial,
/// the interpreter's way is taken in any case.
pub fn trust(trial: Option<Ref<'_>>) -> Result<u8> {
    known::trust(trial)
}
