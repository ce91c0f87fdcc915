//! References: borrowed, owned, held. And looking at an object to see what it is.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use crate::sys as ffi;
use crate::sys::PyObject;

use crate::dict::DictKind;
use crate::int::IntRef;
use crate::layout;
use crate::list::{ListKind, TupleKind};
use crate::raised::{Raised, Result};
use crate::str::StrRef;
use crate::types::Type;

/// A borrowed object, good for `'a`: as long as whoever owns it, and no user code runs that
/// could make the owner let go.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Ref<'a>(NonNull<PyObject>, PhantomData<&'a PyObject>);

/// An owned object, given back when dropped.
#[repr(transparent)]
pub struct Own(NonNull<PyObject>);

// SAFETY: an owned reference may be dropped on another thread that is attached to the
// interpreter; whoever moves one across threads goes through a `Slot`, which only attached
// threads reach.
unsafe impl Send for Own {}
// SAFETY: sharing `&Own` gives no more than `Ref`, whose operations lock where they must.
unsafe impl Sync for Own {}

impl Drop for Own {
    // Not where it is met: in hundreds of places, of which few are met often. Those say `release`.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { ffi::Py_DECREF(self.0.as_ptr()) }
    }
}

impl Clone for Own {
    fn clone(&self) -> Own {
        self.as_ref().own()
    }
}

impl Own {
    /// Takes a new reference that the API gave, or learns that it raised.
    ///
    /// # Safety
    /// `p` must be null with an exception set, or a reference given away to us.
    #[inline(always)]
    pub(crate) unsafe fn take(p: *mut PyObject) -> Result<Own> {
        match NonNull::new(p) {
            Some(p) => Ok(Own(p)),
            None => Err(Raised),
        }
    }

    /// Gives the reference away.
    #[inline(always)]
    pub(crate) fn into_ptr(self) -> *mut PyObject {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// Gives the reference back, as dropping does, but in place: for loops that meet every value.
    #[inline(always)]
    pub fn release(self) {
        // SAFETY: this value owned one reference.
        unsafe { ffi::Py_DECREF(self.into_ptr()) }
    }

    /// Borrows it.
    #[inline(always)]
    pub fn as_ref(&self) -> Ref<'_> {
        Ref(self.0, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn ptr(&self) -> *mut PyObject {
        self.0.as_ptr()
    }
}

/// What an object plainly is: the exact built-in type, ready to be read.
pub enum Seen<'a> {
    /// Exactly `str`.
    Str(StrRef<'a>),
    /// Exactly `int`.
    Int(IntRef<'a>),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// Exactly `float`.
    Float(f64),
    /// Exactly `list`.
    List(Container<'a, ListKind>),
    /// Exactly `dict`.
    Dict(Container<'a, DictKind>),
    /// Exactly `tuple`.
    Tuple(Container<'a, TupleKind>),
    /// Any other type.
    Other(Ref<'a>),
}

/// A container that can be held, and not walked before it is.
pub struct Container<'a, K>(pub(crate) Ref<'a>, pub(crate) PhantomData<K>);

impl<'a, K> Container<'a, K> {
    /// Takes a reference, so that it outlives whatever user code does.
    #[inline(always)]
    pub fn hold(self) -> Held<K> {
        Held(self.0.own(), PhantomData)
    }
    /// The object.
    pub fn as_ref(&self) -> Ref<'a> {
        self.0
    }
}

impl Container<'_, ListKind> {
    /// Whether there is nothing in it.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: it has the layout of a list.
        unsafe { ffi::Py_SIZE(self.0.ptr()) as usize }
    }
}

impl Container<'_, DictKind> {
    /// Whether there is nothing in it.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: it has the layout of a dict.
        unsafe { layout::dict_len(self.0.ptr()) }
    }
}

/// A container that is kept alive: the only thing that can be walked.
pub struct Held<K>(pub(crate) Own, pub(crate) PhantomData<K>);

impl<K> Held<K> {
    /// Lets go of it, in place: see [`Own::release`].
    #[inline(always)]
    pub fn release(self) {
        self.0.release();
    }

    /// The container as an object.
    pub fn as_ref(&self) -> Ref<'_> {
        self.0.as_ref()
    }

    /// The reference by which it is held.
    pub fn as_own(&self) -> &Own {
        &self.0
    }

    /// The object, to be kept or given away.
    pub fn into_own(self) -> Own {
        self.0
    }
}

/// An item of a container. Where other threads may change the container meanwhile, the item is
/// owned; where the interpreter's lock keeps them out, borrowing suffices.
pub struct Item<'a> {
    #[cfg(Py_GIL_DISABLED)]
    own: Own,
    #[cfg(not(Py_GIL_DISABLED))]
    own: Ref<'a>,
    #[cfg(Py_GIL_DISABLED)]
    from: PhantomData<&'a ()>,
}

impl<'a> Item<'a> {
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline(always)]
    pub(crate) fn borrowed(r: Ref<'a>) -> Self {
        Item { own: r }
    }
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn owned(own: Own) -> Self {
        Item { own, from: PhantomData }
    }
    /// The object, for as long as the item stands.
    #[inline(always)]
    pub fn as_ref(&self) -> Ref<'_> {
        #[cfg(Py_GIL_DISABLED)]
        return self.own.as_ref();
        #[cfg(not(Py_GIL_DISABLED))]
        self.own
    }
}

impl<'a> Ref<'a> {
    /// # Safety
    /// `p` must be an object that stays alive for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(p: *mut PyObject) -> Ref<'a> {
        debug_assert!(!p.is_null());
        // SAFETY: objects are not null.
        Ref(unsafe { NonNull::new_unchecked(p) }, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn ptr(self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// Takes a reference.
    #[inline(always)]
    pub fn own(self) -> Own {
        // SAFETY: the object is alive.
        unsafe { ffi::Py_INCREF(self.ptr()) };
        Own(self.0)
    }

    /// Takes a reference to what lives for ever, and is not counted where the interpreter knows of that (PEP 683).
    #[inline(always)]
    pub(crate) fn own_immortal(self) -> Own {
        if cfg!(Py_3_12) { Own(self.0) } else { self.own() }
    }

    /// Whether both are the same object.
    #[inline(always)]
    pub fn is(self, other: Ref<'_>) -> bool {
        self.ptr() == other.ptr()
    }

    /// Asks for its memory, which will be needed soon.
    #[inline(always)]
    pub fn prefetch(self) {
        wire::scan::prefetch(self.ptr());
    }

    /// A number that no other living object shares.
    #[inline(always)]
    pub fn address(self) -> usize {
        self.ptr() as usize
    }

    /// Its type.
    #[inline(always)]
    pub fn class(self) -> Type<'a> {
        // SAFETY: an object keeps its type alive; only user code can give it another, and
        // nothing borrowed is kept across user code.
        unsafe { Type::new(ffi::Py_TYPE(self.ptr())) }
    }

    /// Whether it is `None`.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe { self.ptr() == ffi::Py_None() }
    }

    /// Whether it is exactly a `str`.
    #[inline(always)]
    pub fn as_str(self) -> Option<StrRef<'a>> {
        // SAFETY: comparing addresses; then it is exactly a str.
        unsafe {
            if ffi::Py_TYPE(self.ptr()) == &raw mut ffi::PyUnicode_Type {
                Some(StrRef::new(self))
            } else {
                None
            }
        }
    }

    /// Whether it is exactly an `int`.
    #[inline(always)]
    pub fn as_int(self) -> Option<IntRef<'a>> {
        // SAFETY: comparing addresses; then it is exactly an int.
        unsafe {
            if ffi::Py_TYPE(self.ptr()) == &raw mut ffi::PyLong_Type { Some(IntRef::new(self)) } else { None }
        }
    }

    /// The value of what is exactly a `float`.
    #[inline(always)]
    pub fn as_float(self) -> Option<f64> {
        // SAFETY: comparing addresses; then it is exactly a float.
        unsafe {
            (ffi::Py_TYPE(self.ptr()) == &raw mut ffi::PyFloat_Type)
                .then(|| ffi::PyFloat_AS_DOUBLE(self.ptr()))
        }
    }

    /// A `str` or an instance of a subclass, whose own text counts and not its methods.
    pub fn as_any_str(self) -> Option<StrRef<'a>> {
        // SAFETY: the flag says that it has the layout of a str.
        unsafe { (ffi::PyUnicode_Check(self.ptr()) != 0).then(|| StrRef::new(self)) }
    }

    /// An `int` or an instance of a subclass.
    pub fn as_any_int(self) -> Option<IntRef<'a>> {
        // SAFETY: the flag says that it has the layout of an int.
        unsafe { (ffi::PyLong_Check(self.ptr()) != 0).then(|| IntRef::new(self)) }
    }

    /// A `float` or an instance of a subclass.
    pub fn as_any_float(self) -> Option<f64> {
        // SAFETY: the check says that it has the layout of a float.
        unsafe { (ffi::PyFloat_Check(self.ptr()) != 0).then(|| ffi::PyFloat_AS_DOUBLE(self.ptr())) }
    }

    /// A `list` or an instance of a subclass.
    pub fn as_any_list(self) -> Option<Container<'a, ListKind>> {
        // SAFETY: the flag says that it has the layout of a list.
        unsafe { (ffi::PyList_Check(self.ptr()) != 0).then_some(Container(self, PhantomData)) }
    }

    /// A `tuple` or an instance of a subclass.
    pub fn as_any_tuple(self) -> Option<Container<'a, TupleKind>> {
        // SAFETY: the flag says that it has the layout of a tuple.
        unsafe { (ffi::PyTuple_Check(self.ptr()) != 0).then_some(Container(self, PhantomData)) }
    }

    /// A `dict` or an instance of a subclass, whose own storage counts and not its methods.
    pub fn as_any_dict(self) -> Option<Container<'a, DictKind>> {
        // SAFETY: the flag says that it has the layout of a dict.
        unsafe { (ffi::PyDict_Check(self.ptr()) != 0).then_some(Container(self, PhantomData)) }
    }

    /// What it plainly is. The order is that of real documents.
    #[inline(always)]
    pub fn see(self) -> Seen<'a> {
        let p = self.ptr();
        // SAFETY: the object is alive; each reading fits the exact type that was found.
        unsafe {
            let t = ffi::Py_TYPE(p);
            if t == &raw mut ffi::PyUnicode_Type {
                Seen::Str(StrRef::new(self))
            } else if t == &raw mut ffi::PyLong_Type {
                Seen::Int(IntRef::new(self))
            } else if t == &raw mut ffi::PyFloat_Type {
                Seen::Float(ffi::PyFloat_AS_DOUBLE(p))
            } else if t == &raw mut ffi::PyDict_Type {
                Seen::Dict(Container(self, PhantomData))
            } else if t == &raw mut ffi::PyList_Type {
                Seen::List(Container(self, PhantomData))
            } else if p == ffi::Py_None() {
                Seen::None
            } else if t == &raw mut ffi::PyBool_Type {
                Seen::Bool(p == ffi::Py_True())
            } else if t == &raw mut ffi::PyTuple_Type {
                Seen::Tuple(Container(self, PhantomData))
            } else {
                Seen::Other(self)
            }
        }
    }

    /// The value of a bool, without a branch on it; none if this is None.
    #[inline(always)]
    pub fn word(self) -> Option<bool> {
        let p = self.ptr();
        // SAFETY: both are alive for ever; only addresses are compared.
        unsafe { (p != ffi::Py_None()).then_some(p == ffi::Py_True()) }
    }

    /// What it is, for what is seldom asked.
    #[inline(never)]
    pub fn see_cold(self) -> Seen<'a> {
        self.see()
    }
}
