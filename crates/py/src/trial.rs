//! The trial: whether what is made and read by hand is what the interpreter makes and reads.
//!
//! Python leads it on import (`oxwire._struct`): it makes the cases, compares memory and behaviour, and says what may be trusted. What
//! it cannot do itself is one function here, which gives what is made by hand, what is read by hand, or the bytes at an address.
//!
//! BE ADVISED: that function believes what it is told. Only the trial gets it, and keeps it no longer than it runs.

use crate::object::Own;
use crate::raised::Result;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use alloc::boxed::Box;
    use core::ptr::null_mut;

    use super::{Own, Result};
    use crate::int::number;
    use crate::object::Ref;
    use crate::sys as ffi;
    use crate::sys::{PyObject, PyTypeObject};
    use crate::{direct, direct_dict, direct_object, guard, instance, layout, table};

    /// `ask(what, of, n)`: the questions are numbered as in `oxwire._struct`.
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
                1 => match of.untried(n as usize).and_then(|mut found| found.next()) {
                    Some((key, value)) => crate::tuple2(key.own(), value.own()),
                    None => Ok(crate::scalar::none()),
                },
                2 => Own::take(ffi::PyBytes_FromStringAndSize(number(of) as *const _, n as isize)),
                3 => {
                    let text = Own::take(direct::known::ascii(n as usize, None))?;
                    layout::new_ascii_data(text.ptr()).write_bytes(b'x', n as usize);
                    Ok(text)
                }
                4 => Own::take(direct::known::int(n)),
                5 => {
                    let list = Own::take(direct::known::list(n as usize))?;
                    let items = (*list.ptr().cast::<ffi::PyListObject>()).ob_item;
                    (0..n as usize).for_each(|i| *items.add(i) = of.own().into_ptr());
                    Ok(list)
                }
                6 => {
                    // A tuple of keys and values: an `Own` is one pointer.
                    let first = (&raw const (*o.cast::<ffi::PyTupleObject>()).ob_item).cast::<Own>();
                    let mut pairs = core::slice::from_raw_parts(first, ffi::Py_SIZE(o) as usize).to_vec();
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

    pub(super) fn asking() -> Result<Own> {
        // The interpreter keeps a pointer to the definition for as long as the function lives.
        let def = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: c"ask".as_ptr(),
            ml_meth: Some(ask),
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: core::ptr::null(),
        }));
        // SAFETY: the definition lives for ever; the function asks for no self.
        unsafe { Own::take(ffi::PyCFunction_NewEx(def, null_mut(), null_mut())) }
    }

    pub(super) fn trust(ways: i64) {
        table::trust(ways & 1 != 0);
        instance::trust(ways & 2 != 0);
        direct::trust(ways & 4 != 0);
        direct_dict::trust(ways & 8 != 0);
        direct_object::trust(ways & 16 != 0);
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::*;

    /// Nothing is done by hand here, so there is nothing to try.
    pub(super) fn asking() -> Result<Own> {
        Ok(crate::scalar::none())
    }
    pub(super) fn trust(_: i64) {}
}

/// What the trial asks with; None if there is nothing to ask.
pub(crate) fn asking() -> Result<Own> {
    known::asking()
}

/// Goes the ways that the trial says from now on, a bit for each, and no others.
pub fn trust(ways: i64) {
    known::trust(ways);
}
