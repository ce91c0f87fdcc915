//! The trial: whether what is made and read by hand is what the interpreter makes and reads.
//!
//! On import Python gives objects of every kind, each made by the interpreter (`_cases` of `oxwire._struct`). Each is made a
//! second time here, by hand, and both are compared byte by byte, but for what differs by its nature or has no
//! meaning; or it is read both ways. If all of a kind are the same, that kind is trusted.
//!
//! BE ADVISED: the cases are held by their tuple alone, as what is made here has one owner: counts of references are compared, too.

use crate::object::Own;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use alloc::vec::Vec;
    use core::mem::offset_of;

    use crate::int::Int;
    use crate::layout::{Long, new_ascii_data};
    use crate::object::{Own, Ref, Seen};
    use crate::raised::clear;
    use crate::sys as ffi;
    use crate::table::{Dict, Keys};
    use crate::young::{self, Young};
    use crate::{direct, direct_dict, direct_object, instance, pause_gc, table};

    pub(crate) const KNOWN: bool = true;

    /// The items of a tuple.
    fn items<'a>(o: Ref<'a>) -> &'a [Ref<'a>] {
        // SAFETY: the flag says that it is one, whose items stand in it and are its own as long as it lives.
        unsafe {
            if ffi::PyTuple_Check(o.ptr()) == 0 {
                return &[];
            }
            let first = &raw const (*o.ptr().cast::<ffi::PyTupleObject>()).ob_item;
            core::slice::from_raw_parts(first.cast(), ffi::Py_SIZE(o.ptr()) as usize)
        }
    }

    /// Whether both have the same memory, but for what stands between two places in it.
    ///
    /// # Safety
    /// Both must have so many bytes, of which those beside the gap are filled.
    #[inline(never)]
    unsafe fn same(a: *const u8, b: *const u8, size: usize, gap: (usize, usize)) -> bool {
        // SAFETY: by contract.
        let part = |of: *const u8, from: usize, to: usize| unsafe {
            core::slice::from_raw_parts(of.add(from), to - from)
        };
        part(a, 0, gap.0) == part(b, 0, gap.0) && part(a, gap.1, size) == part(b, gap.1, size)
    }

    /// An instance, and the names and values of its attributes; None at the end if they may stand elsewhere.
    fn attributes(case: Ref<'_>) -> bool {
        let mut wanted = items(case).iter();
        let Some(of) = wanted.next() else { return false };
        let Some(found) = of.untried() else { return wanted.len() % 2 == 1 };
        let mut agree = found.len() == wanted.len() / 2;
        for (key, value) in found {
            for one in [key, value] {
                agree &= wanted.next().is_some_and(|o| o.is(one));
            }
        }
        agree && wanted.len() < 2
    }

    /// A string of ASCII, a number, or a list, which is never one that the interpreter is asked for: a set takes its turn. Nothing if
    /// there is no memory for it.
    #[inline(never)]
    fn value(theirs: Ref<'_>, young: Young) -> Option<bool> {
        let p = theirs.ptr();
        // SAFETY: each has so many bytes, and those of ours are filled before it is looked at; a list's items stand elsewhere.
        unsafe {
            let (ours, size, gap) = match theirs.see_cold() {
                Seen::Str(text) => {
                    let (text, head) = (text.ascii()?, size_of::<ffi::PyASCIIObject>());
                    let o = Own::take(direct::known::ascii(text.len(), None)).ok()?;
                    new_ascii_data(o.ptr()).copy_from_nonoverlapping(text.as_ptr(), text.len());
                    // Of the state the first byte has a meaning; what stands between it and the next word has none.
                    let state = offset_of!(ffi::PyASCIIObject, state) + 1;
                    (o, head + text.len() + 1, (state, state.next_multiple_of(8)))
                }
                Seen::Int(v) => {
                    let Int::I64(v) = v.get_cold() else { return None };
                    let digits = if v.unsigned_abs() >> 30 == 0 { 4 } else { 8 };
                    (Own::take(direct::known::int(v)).ok()?, offset_of!(Long, digits) + digits, (0, 0))
                }
                Seen::Float(v) => {
                    (Own::take(direct::known::float(v)).ok()?, size_of::<direct::known::Float>(), (0, 0))
                }
                Seen::List(_) => {
                    let n = ffi::Py_SIZE(p) as usize;
                    let _counted = young.asks().then(crate::list::new_set);
                    let o = Own::take(direct::known::list(n, young)).ok()?;
                    let to = (*o.ptr().cast::<ffi::PyListObject>()).ob_item;
                    for i in 0..n {
                        *to.add(i) = Ref::new(ffi::PyList_GET_ITEM(p, i as isize)).own().into_ptr();
                    }
                    young.track(o.ptr());
                    let at = offset_of!(ffi::PyListObject, ob_item);
                    (o, size_of::<ffi::PyListObject>(), (at, at + size_of::<usize>()))
                }
                _ => return None,
            };
            // An empty gap leaves nothing out; and what cannot be hashed says so of both.
            Some(
                same(ours.ptr().cast(), p.cast(), size, gap)
                    && ffi::PyObject_GC_IsTracked(ours.ptr()) == ffi::PyObject_GC_IsTracked(p)
                    && ffi::PyObject_Hash(ours.ptr()) == ffi::PyObject_Hash(p),
            )
        }
    }

    /// A dict of text that has a table of its own.
    #[inline(never)]
    fn dict(theirs: Ref<'_>, young: Young) -> bool {
        let (p, mut place, mut pairs) = (theirs.ptr(), 0, Vec::new());
        // SAFETY: it is a dict, which nothing changes meanwhile. Both have a table of the size that its fields say: the
        // places that are compared first are those by which ours was given its size.
        unsafe {
            while let Some((key, value)) = table::asked(p, &mut place) {
                [key, value].into_iter().for_each(|o| pairs.push(Ref::new(o).own()));
            }
            let _counted = young.asks().then(crate::list::new_set);
            let Some(ours) = direct_dict::untried(&mut pairs, 0, young) else { return false };
            let (a, b) = (ours.ptr().cast::<Dict>(), p.cast::<Dict>());
            let keys = &*(*b).keys;
            let room = (keys.usable + keys.entries) as usize;
            let size = size_of::<Keys>() + (1 << keys.log2_index_bytes) + 16 * room;
            // The version is a dict's own, and its table stands elsewhere. Between the small fields of a table one byte has no value.
            let small = offset_of!(Keys, kind) + 1;
            pairs.is_empty()
                && (*b).values.is_null()
                && same(
                    a.cast(),
                    b.cast(),
                    size_of::<Dict>(),
                    (offset_of!(Dict, used) + 8, offset_of!(Dict, values)),
                )
                && same((*a).keys.cast(), (*b).keys.cast(), size, (small, small + 1))
                && ffi::PyObject_GC_IsTracked(ours.ptr()) == ffi::PyObject_GC_IsTracked(p)
        }
    }

    /// A list made both ways: what stands before an object and at its beginning is the same for every class. Nothing if there
    /// is no memory for it.
    #[inline(never)]
    fn object() -> Option<bool> {
        let class = &raw mut ffi::PyList_Type;
        // SAFETY: both are emptied before they go, which makes them empty lists. (One more reference to the class,
        // which lives for ever, does no harm.)
        unsafe {
            let ours = Own::take(direct_object::untried(class)).ok()?;
            let theirs = Own::take(ffi::_PyObject_GC_New(class)).ok()?;
            let size = (*class).tp_basicsize as usize;
            for o in [&ours, &theirs] {
                o.ptr().add(1).cast::<u8>().write_bytes(0, size - size_of::<ffi::PyObject>());
            }
            let before = |o: &Own| o.ptr().cast::<[usize; 2]>().sub(1);
            let alone = same(before(&ours).cast(), before(&theirs).cast(), 16 + size, (0, 0))
                && *before(&ours) == [0, 0]
                && ffi::PyObject_GC_IsTracked(ours.ptr()) == 0;
            if alone {
                ffi::PyObject_GC_Track(ours.ptr().cast());
            }
            Some(alone && ffi::PyObject_GC_IsTracked(ours.ptr()) == 1 && (*before(&ours))[0] != 0)
        }
    }

    #[inline(never)]
    pub(super) fn ways(cases: &Own) -> i64 {
        let mut ways = 0;
        let pause = pause_gc();
        let young = young::tried();
        drop(pause);
        for (kind, cases) in items(cases.as_ref()).iter().enumerate() {
            let agrees = |&case: &Ref<'_>| match kind {
                // SAFETY: it is a dict, and nothing changes it meanwhile.
                0 => unsafe { table::agrees(case.ptr()) },
                1 => attributes(case),
                2 => young.and_then(|young| value(case, young)) == Some(true),
                _ => young.is_some_and(|young| dict(case, young)),
            };
            // Without the first there is none.
            if kind == 0 || ways != 0 {
                ways |= i64::from(items(*cases).iter().all(agrees)) << kind;
            }
        }
        if ways != 0 {
            ways |= i64::from(object() == Some(true)) << 4;
        }
        clear();
        table::trust(ways & 1 != 0);
        instance::trust(ways & 2 != 0);
        direct::trust(ways & 4 != 0);
        direct_dict::trust(ways & 8 != 0);
        direct_object::trust(ways & 16 != 0);
        young::trust(ways & 12 != 0);
        ways
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::Own;

    /// Nothing is done by hand here, so there is nothing to try.
    pub(crate) const KNOWN: bool = false;

    pub(super) fn ways(_: &Own) -> i64 {
        0
    }
}

pub(crate) use known::KNOWN;

/// Tries which ways are as the interpreter's, and goes them from now on, and no others: a bit for each. Without cases, none.
pub fn ways(cases: &Own) -> i64 {
    known::ways(cases)
}
