//! The attributes of an instance that stand in the instance itself.
//!
//! Since 3.13 an instance of a class with a `__dict__` holds its attributes behind its own fields,
//! in the order that its class keeps, and a dict is made only when somebody asks for it. Asking
//! for one attribute after the other looks each up in the class, the bases and the instance;
//! reading them where they stand takes a tenth of that, and makes no dict.
//!
//! What is read is private to the interpreter. So it is as with the tables of dicts: on import it is
//! tried on some instances (`trial`), and only if that gives what the interpreter gives is it
//! ever done; other versions are asked for each attribute.
//!
//! BE ADVISED: attributes are borrowed, and good until user code runs.

#[cfg(all(Py_3_13, not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use core::ffi::c_ulong;
    use core::marker::PhantomData;
    use core::sync::atomic::{AtomicBool, Ordering};

    use crate::object::Ref;
    use crate::sys as ffi;
    use crate::sys::PyObject;
    use crate::table::{Keys, SPLIT};

    static TRUSTED: AtomicBool = AtomicBool::new(false);

    const INLINE_VALUES: c_ulong = 1 << 2;

    /// Where a class made at run time keeps the names of its instances' attributes.
    const CACHED_KEYS: usize = 880;

    /// The head of the attributes. They follow, and then the order in which they were set, a byte each.
    #[repr(C)]
    struct Values {
        capacity: u8,
        size: u8,
        embedded: u8,
        valid: u8,
    }

    /// The attributes of an instance in the order in which they were set.
    pub struct Attributes<'a> {
        values: *const Values,
        keys: *const Keys,
        next: usize,
        life: PhantomData<&'a ()>,
    }

    impl<'a> Ref<'a> {
        /// Its attributes, if they stand in it.
        #[inline(always)]
        pub fn attributes(self) -> Option<Attributes<'a>> {
            if TRUSTED.load(Ordering::Relaxed) { self.untried() } else { None }
        }

        /// The same, where it is not known yet that they stand there.
        #[inline(always)]
        pub(crate) fn untried(self) -> Option<Attributes<'a>> {
            let class = self.class().ptr();
            // SAFETY: the flag says that values stand behind the fields, and that the class is one
            // made at run time, which has names for them. While they are valid they are all there is.
            unsafe {
                if ffi::PyType_HasFeature(class, INLINE_VALUES) == 0 {
                    return None;
                }
                let values = self.ptr().cast::<u8>().offset((*class).tp_basicsize).cast::<Values>();
                let keys = *class.cast::<u8>().add(CACHED_KEYS).cast::<*const Keys>();
                if (*values).valid == 0 || keys.is_null() || (*keys).kind != SPLIT {
                    return None;
                }
                Some(Attributes { values, keys, next: 0, life: PhantomData })
            }
        }
    }

    impl<'a> Attributes<'a> {
        /// How many there are.
        #[inline(always)]
        pub fn len(&self) -> usize {
            // SAFETY: the instance is alive.
            unsafe { (*self.values).size.into() }
        }
    }

    impl<'a> Attributes<'a> {
        /// The key and the value of the one that was set as the `i`th.
        #[inline(always)]
        pub fn at(&self, i: usize) -> Option<(Ref<'a>, Ref<'a>)> {
            // SAFETY: the instance is alive, and nothing changes it meanwhile. The order has `size`
            // places behind the values, and each names a value that was set and the key of that
            // number.
            unsafe {
                let v = self.values;
                if i >= (*v).size.into() {
                    return None;
                }
                let first = v.cast::<*mut PyObject>().add(1);
                let order = first.add((*v).capacity.into()).cast::<u8>();
                let at = usize::from(*order.add(i));
                let (key, value) = ((*self.keys).unicode_key(at), *first.add(at));
                if key.is_null() || value.is_null() {
                    return None;
                }
                Some((Ref::new(key), Ref::new(value)))
            }
        }
    }

    impl<'a> Iterator for Attributes<'a> {
        type Item = (Ref<'a>, Ref<'a>);

        #[inline(always)]
        fn next(&mut self) -> Option<(Ref<'a>, Ref<'a>)> {
            let found = self.at(self.next)?;
            self.next += 1;
            Some(found)
        }
    }

    /// Whether they are read there from now on.
    pub(crate) fn trust(really: bool) {
        TRUSTED.store(really, Ordering::Relaxed);
    }
}

#[cfg(not(all(Py_3_13, not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use crate::object::Ref;

    /// None: on this version no layout is assumed.
    pub struct Attributes<'a>(core::iter::Empty<(Ref<'a>, Ref<'a>)>);

    impl<'a> Ref<'a> {
        /// Its attributes, if they stand in it.
        #[inline(always)]
        pub fn attributes(self) -> Option<Attributes<'a>> {
            None
        }

        #[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
        pub(crate) fn untried(self) -> Option<Attributes<'a>> {
            None
        }
    }

    impl<'a> Attributes<'a> {
        /// How many there are.
        pub fn len(&self) -> usize {
            0
        }

        /// The key and the value of the one that was set as the `i`th.
        pub fn at(&self, _: usize) -> Option<(Ref<'a>, Ref<'a>)> {
            None
        }
    }

    impl<'a> Iterator for Attributes<'a> {
        type Item = (Ref<'a>, Ref<'a>);
        fn next(&mut self) -> Option<(Ref<'a>, Ref<'a>)> {
            self.0.next()
        }
    }

    #[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
    pub(crate) fn trust(_: bool) {}
}

use crate::dict::DictKind;
use crate::list::TupleKind;
use crate::object::{Held, Own, Ref};
use crate::sys as ffi;
pub use known::Attributes;
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::trust;

impl Ref<'_> {
    /// The attribute that the instance was given first, if that is its name: without asking the class for it. Instances that may hold
    /// their attributes themselves are not asked for a dict, which would be made for that.
    pub fn first_attribute(self, name: &Own) -> Option<Own> {
        let named = |(key, value): (Ref<'_>, Ref<'_>)| key.is(name.as_ref()).then(|| value.own());
        if let Some(attributes) = self.attributes() {
            return attributes.at(0).and_then(named);
        }
        if self.class().holds_only(0) || !self.class().has_dict() {
            return None;
        }
        let dict = self.own_dict()?;
        let first = dict.next_cold(&mut 0)?;
        named((first.0.as_ref(), first.1.as_ref()))
    }

    /// Whether it may have attributes in a dict under other names than these. If as many stand in the instance, and the last is the
    /// last, no more is looked at: with another before it, one would be missing that its class has in its place.
    #[inline(always)]
    pub fn has_others(self, names: &Held<TupleKind>) -> bool {
        let last = names.len().wrapping_sub(1);
        match (self.attributes(), names.get(last)) {
            (Some(held), Some(name)) if held.len() == last + 1 => {
                held.at(last).is_none_or(|(key, _)| !key.is(name)) && self.holds_others(names)
            }
            _ => self.holds_others(names),
        }
    }

    #[inline(never)]
    fn holds_others(self, names: &Held<TupleKind>) -> bool {
        if let Some(mut held) = self.attributes() {
            return held.any(|(key, _)| !names.has(key));
        }
        if !self.class().has_dict() {
            return false;
        }
        let Some(dict) = self.own_dict() else { return true };
        let mut place = 0;
        while let Some((key, _)) = dict.next_cold(&mut place) {
            if !names.has(key.as_ref()) {
                return true;
            }
        }
        false
    }

    /// The dict of an instance of a class that gives it one, which is made for that.
    fn own_dict(self) -> Option<Held<DictKind>> {
        // SAFETY: the instance is alive, and of a class that gives it a dict. A new reference, or null with an exception set.
        let dict = unsafe { Own::take(ffi::PyObject_GenericGetDict(self.ptr(), core::ptr::null_mut())) };
        let Ok(dict) = dict else {
            crate::raised::clear();
            return None;
        };
        Some(dict.as_ref().as_any_dict()?.hold())
    }
}
