//! What a call was given.

use alloc::vec::Vec;

use crate::sys as ffi;
use crate::sys::PyObject;

use crate::object::{Own, Ref};
use crate::str::StrRef;

/// The arguments of one call: by position, and by name.
pub struct Args<'a> {
    positional: &'a [Ref<'a>],
    names: &'a [Ref<'a>],
    values: &'a [Ref<'a>],
}

impl<'a> Args<'a> {
    /// Arguments as the vectorcall protocol (PEP 590) gives them.
    ///
    /// # Safety
    /// `args` and `names` must be what the interpreter passed to a function called that way.
    #[inline(always)]
    pub(crate) unsafe fn fast(args: *const *mut PyObject, n: usize, names: *mut PyObject) -> Args<'a> {
        // SAFETY: by contract `n` objects and then one for each name stand at `args`; a `Ref` is
        // one pointer. A null pointer comes only with nothing to point at.
        unsafe {
            let slice = |p: *const *mut PyObject, n: usize| -> &'a [Ref<'a>] {
                if n == 0 { &[] } else { core::slice::from_raw_parts(p.cast(), n) }
            };
            let positional = slice(args, n);
            if names.is_null() {
                return Args { positional, names: &[], values: &[] };
            }
            let k = ffi::PyTuple_GET_SIZE(names) as usize;
            let first = (&raw const (*names.cast::<ffi::PyTupleObject>()).ob_item).cast::<*mut PyObject>();
            Args { positional, names: slice(first, k), values: slice(args.add(n), k) }
        }
    }

    /// Arguments by position.
    #[inline(always)]
    pub fn positional(&self) -> &'a [Ref<'a>] {
        self.positional
    }

    /// Arguments by name, in order. The interpreter lets no name stand twice.
    pub fn named(&self) -> Named<'a> {
        Named(self.names, self.values)
    }

    /// The names of the latter, and their values, where what is no text is seen to be no name.
    #[inline(always)]
    pub fn names(&self) -> (&'a [Ref<'a>], &'a [Ref<'a>]) {
        (self.names, self.values)
    }

    /// Whether there are arguments by name.
    #[inline(always)]
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }
}

/// The arguments by name that are left. One function for all who ask, since most calls have none.
pub struct Named<'a>(&'a [Ref<'a>], &'a [Ref<'a>]);

impl<'a> Iterator for Named<'a> {
    type Item = (StrRef<'a>, Ref<'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        while let ([name, names @ ..], [value, values @ ..]) = (self.0, self.1) {
            *self = Named(names, values);
            if let Some(name) = name.as_any_str() {
                return Some((name, *value));
            }
        }
        None
    }
}

/// Arguments as `tp_new` gets them, laid out as above.
pub(crate) struct Spread {
    positional: Vec<Own>,
    names: Vec<Own>,
    values: Vec<Own>,
}

impl Spread {
    /// # Safety
    /// `args` must be a tuple, and `kwargs` a dict or null.
    #[inline(never)]
    pub(crate) unsafe fn new(args: *mut PyObject, kwargs: *mut PyObject) -> Spread {
        let mut s = Spread { positional: Vec::new(), names: Vec::new(), values: Vec::new() };
        // SAFETY: by contract; each object is owned as it is met.
        unsafe {
            for i in 0..ffi::PyTuple_GET_SIZE(args) {
                s.positional.push(Ref::new(ffi::PyTuple_GET_ITEM(args, i)).own());
            }
            if !kwargs.is_null() {
                let (mut at, mut k, mut v) = (0, core::ptr::null_mut(), core::ptr::null_mut());
                while ffi::PyDict_Next(kwargs, &mut at, &mut k, &mut v) != 0 {
                    s.names.push(Ref::new(k).own());
                    s.values.push(Ref::new(v).own());
                }
            }
        }
        s
    }

    pub(crate) fn args(&self) -> Args<'_> {
        fn refs(v: &[Own]) -> &[Ref<'_>] {
            // SAFETY: both are one pointer, and the borrow keeps the owners.
            unsafe { core::slice::from_raw_parts(v.as_ptr().cast(), v.len()) }
        }
        Args { positional: refs(&self.positional), names: refs(&self.names), values: refs(&self.values) }
    }
}
