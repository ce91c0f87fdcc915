//! Types: what an object's class says of it.

use alloc::string::String;
use core::ffi::CStr;
use core::marker::PhantomData;
use core::ptr::NonNull;
use wire::say;

use crate::sys as ffi;

use crate::object::{Own, Ref};
use crate::raised::{Raised, Result, clear};

/// A class.
#[derive(Clone, Copy)]
pub struct Type<'a>(NonNull<ffi::PyTypeObject>, PhantomData<&'a ()>);

/// Which built-in layout instances of a class have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// That of `str`.
    Str,
    /// That of `int`.
    Int,
    /// That of `float`.
    Float,
    /// That of `list`.
    List,
    /// That of `dict`, walked as `dict` is.
    Dict,
    /// That of `dict`, with an order or contents of its own.
    OddDict,
    /// That of `tuple`.
    Tuple,
    /// That of `bytes`.
    Bytes,
    /// That of `bytearray`.
    ByteArray,
    /// That of `memoryview`.
    MemoryView,
    /// That of `set` or `frozenset`.
    Set,
    /// None of these.
    None,
}

impl<'a> Type<'a> {
    /// # Safety
    /// `p` must be a type that stays alive for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(p: *mut ffi::PyTypeObject) -> Self {
        // SAFETY: types are not null.
        Type(unsafe { NonNull::new_unchecked(p) }, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn ptr(self) -> *mut ffi::PyTypeObject {
        self.0.as_ptr()
    }

    /// The class as an object.
    #[inline(always)]
    pub fn as_ref(self) -> Ref<'a> {
        // SAFETY: a type is an object, alive for 'a.
        unsafe { Ref::new(self.ptr().cast()) }
    }

    /// A number that no other living class shares.
    #[inline(always)]
    pub fn address(self) -> usize {
        self.ptr() as usize
    }

    /// The name as the interpreter keeps it: static classes carry their module.
    pub fn tp_name(self) -> &'a str {
        // SAFETY: the name ends with zero and lives as long as the type.
        unsafe { CStr::from_ptr((*self.ptr()).tp_name) }.to_str().unwrap_or("?")
    }

    /// How many bytes an instance takes, without what it points to.
    pub(crate) fn basic_size(self) -> usize {
        // SAFETY: reading a field of a type.
        unsafe { (*self.ptr()).tp_basicsize as usize }
    }

    /// Whether instances have items by name or by place: nothing that has none is a mapping.
    pub fn has_items(self) -> bool {
        // SAFETY: the table of a type has `mp_length` and `mp_subscript`; it is only asked whether that is there.
        unsafe { !ffi::in_table((*self.ptr()).tp_as_mapping, 1).is_null() }
    }

    /// `__qualname__` and `__module__`; nothing where they are not text.
    pub fn names(self) -> (String, String) {
        // A metaclass may answer with code of its own, which can take the class from the object that it was
        // asked of: the class must outlive both questions.
        let class = self.as_ref().own();
        let get = |name: &CStr| match class.as_ref().attr_named(name) {
            Ok(o) => o.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default(),
            Err(_) => {
                clear();
                String::new()
            }
        };
        (get(c"__module__"), get(c"__qualname__"))
    }

    /// Its classes in method resolution order, from itself to `object`.
    pub fn mro(self, f: &mut dyn FnMut(Type<'_>)) {
        // SAFETY: a type that is ready has a tuple of classes here, which we own meanwhile.
        unsafe {
            let mro = (*self.ptr()).tp_mro;
            if mro.is_null() || ffi::PyTuple_Check(mro) == 0 {
                return;
            }
            let mro = Ref::new(mro).own();
            for i in 0..ffi::PyTuple_GET_SIZE(mro.ptr()) {
                let t = ffi::PyTuple_GET_ITEM(mro.ptr(), i);
                if ffi::PyType_Check(t) != 0 {
                    f(Type::new(t.cast()));
                }
            }
        }
    }

    /// Whether it is `other` or a subclass of it, by inheritance alone.
    pub fn is_subtype(self, other: Type<'_>) -> bool {
        // SAFETY: both are types.
        unsafe { ffi::PyType_IsSubtype(self.ptr(), other.ptr()) != 0 }
    }

    /// Whether a class of the resolution order itself holds an attribute; no descriptor is run.
    pub fn has_own(self, name: &CStr) -> bool {
        self.holders(name) > 0
    }

    /// How many classes of the resolution order themselves hold an attribute.
    #[inline(never)]
    pub fn holders(self, name: &CStr) -> usize {
        let mut found = 0;
        self.mro(&mut |t| found += usize::from(t.defines(name)));
        found
    }

    /// Whether a class of the resolution order itself holds an attribute of an interned name; no descriptor is run.
    pub fn finds(self, name: &Own) -> bool {
        let mut found = false;
        self.mro(&mut |t| found |= matches!(t.own(name), Ok(Some(_))));
        found
    }

    /// The function that calling a method of an interned name calls, and the state of the class in which it does; nothing
    /// where more is asked than the class and its bases.
    pub fn method(self, name: &Own) -> Option<(u32, Own)> {
        // SAFETY: reading a field of a type.
        let asked = unsafe { (*self.ptr()).tp_getattro };
        let state = self.state();
        if state == 0 || self.has_dict() || asked != ffi::PyObject_GenericGetAttr as *const core::ffi::c_void
        {
            return None;
        }
        let mut found = None;
        self.mro(&mut |t| found = found.take().or_else(|| t.own(name).ok().flatten()));
        // SAFETY: comparing addresses.
        let plain = |f: &Own| unsafe { ffi::Py_TYPE(f.ptr()) == &raw mut ffi::PyFunction_Type };
        found.filter(plain).map(|f| (state, f))
    }

    /// Whether the class itself, and not a base, holds an attribute.
    pub fn defines(self, name: &CStr) -> bool {
        self.held(name).is_some()
    }

    /// A number that stands for the class and its bases as they are now; none if nobody has asked
    /// the class for anything since they changed.
    #[inline(always)]
    pub fn state(self) -> u32 {
        // SAFETY: reading a field of a type.
        unsafe { (*self.ptr()).tp_version_tag }
    }

    /// Whether these attributes of an instance are, in this state of the class, whatever stands
    /// under their names in the instance, and its `__dict__` is that: nothing in the class comes
    /// before them, and asking for one is left to `object`. What a class made at run time is to
    /// its instances can change without a trace here, so no such class may stand in the way.
    pub fn reads_plainly(self, names: &[Own]) -> bool {
        let generic = ffi::PyObject_GenericGetAttr as *const core::ffi::c_void;
        // SAFETY: reading a field of a type.
        if unsafe { (*self.ptr()).tp_getattro } != generic {
            return false;
        }
        let mut plain = true;
        let mut dict = false;
        self.mro(&mut |t| {
            plain &= names.iter().all(|name| {
                let Ok(held) = t.own(name) else {
                    crate::clear();
                    return false;
                };
                held.is_none_or(|o| {
                    let class = o.as_ref().class().ptr();
                    // SAFETY: reading a field of a type.
                    let sets = unsafe { !(*class).tp_descr_set.is_null() };
                    // SAFETY: as above.
                    !sets && unsafe { ffi::PyType_HasFeature(class, ffi::Py_TPFLAGS_HEAPTYPE) == 0 }
                })
            });
            if !dict && let Some(o) = t.held(c"__dict__") {
                dict = true;
                plain &= o.as_ref().class().tp_name() == "getset_descriptor";
            }
        });
        plain
    }

    /// What the class itself holds, by name.
    fn dict(self) -> Option<Own> {
        // SAFETY: a ready type's dict is a dict or, for static types of later versions, null.
        unsafe {
            #[cfg(Py_3_12)]
            let d = ffi::PyType_GetDict(self.ptr());
            #[cfg(not(Py_3_12))]
            let d = {
                let d = (*self.ptr()).tp_dict;
                ffi::Py_XINCREF(d);
                d
            };
            let d = Own::take(d).ok()?;
            (ffi::PyDict_Check(d.ptr()) != 0).then_some(d)
        }
    }

    /// The attribute that the class itself holds; no descriptor is run.
    fn held(self, name: &CStr) -> Option<Own> {
        let held = crate::str::text(name.to_str().unwrap_or_default()).and_then(|name| self.own(&name));
        held.unwrap_or_else(|Raised| {
            crate::raised::clear();
            None
        })
    }

    /// The attribute of any name that the class itself holds; no descriptor is run.
    pub(crate) fn own(self, name: &Own) -> Result<Option<Own>> {
        let Some(d) = self.dict() else { return Ok(None) };
        crate::dict::dict_find(d.as_ref(), name.as_ref())
    }

    /// Whether instances have a `__dict__`.
    #[inline(always)]
    pub fn has_dict(self) -> bool {
        // SAFETY: reading fields of a type.
        unsafe {
            (*self.ptr()).tp_dictoffset != 0 || (*self.ptr()).tp_flags & ffi::Py_TPFLAGS_MANAGED_DICT != 0
        }
    }

    /// Whether instances hold nothing but so many slots, and perhaps a list of weak references and a `__dict__`: in the
    /// instance or, in later versions, before it.
    pub(crate) fn holds_only(self, slots: usize) -> bool {
        // SAFETY: reading fields of a type.
        unsafe {
            let t = &*self.ptr();
            let words = slots + usize::from(t.tp_weaklistoffset > 0);
            t.tp_dictoffset <= 0
                && t.tp_itemsize == 0
                && t.tp_basicsize as usize == size_of::<ffi::PyObject>() + words * size_of::<usize>()
        }
    }

    /// Whether instances can be referred to weakly. (Since 3.12 what that needs may stand before an instance.)
    pub fn has_weak_references(self) -> bool {
        // SAFETY: reading a field of a type.
        unsafe { (*self.ptr()).tp_weaklistoffset != 0 }
    }

    /// Whether the class itself, and not a base, adds slots.
    pub fn has_slots(self) -> bool {
        // What cannot be asked for its truth has some.
        self.held(c"__slots__").is_some_and(|s| {
            s.as_ref().truth().unwrap_or_else(|_| {
                clear();
                true
            })
        })
    }

    /// The class of the class.
    pub fn metaclass(self) -> Type<'a> {
        self.as_ref().class()
    }

    /// Whether it was made at run time, as those of users are and nothing is that [`Ref::see`] tells.
    #[inline(always)]
    pub fn is_made(self) -> bool {
        // SAFETY: reading a field of a type.
        unsafe { ffi::PyType_HasFeature(self.ptr(), ffi::Py_TPFLAGS_HEAPTYPE) != 0 }
    }

    /// Whether instances have no built-in layout for sure, as those of most classes of users: with the layout of something else,
    /// that would be the base.
    pub(crate) fn is_bare(self) -> bool {
        // SAFETY: reading fields of a type.
        unsafe { self.is_made() && (*self.ptr()).tp_base == &raw mut ffi::PyBaseObject_Type }
    }

    /// Which built-in layout its instances have.
    pub fn flags(self) -> Flags {
        let t = self.ptr();
        // SAFETY: asking about flags and inheritance of types.
        unsafe {
            let fast = |f: core::ffi::c_ulong| ffi::PyType_HasFeature(t, f) != 0;
            let sub = |other: *mut ffi::PyTypeObject| ffi::PyType_IsSubtype(t, other) != 0;
            if fast(ffi::Py_TPFLAGS_UNICODE_SUBCLASS) {
                Flags::Str
            } else if fast(ffi::Py_TPFLAGS_LONG_SUBCLASS) {
                Flags::Int
            } else if fast(ffi::Py_TPFLAGS_LIST_SUBCLASS) {
                Flags::List
            } else if fast(ffi::Py_TPFLAGS_TUPLE_SUBCLASS) {
                Flags::Tuple
            } else if fast(ffi::Py_TPFLAGS_DICT_SUBCLASS) {
                let iter = |t: *mut ffi::PyTypeObject| (*t).tp_iter.map(|f| f as usize);
                let same = iter(t) == iter(&raw mut ffi::PyDict_Type);
                if same { Flags::Dict } else { Flags::OddDict }
            } else if fast(ffi::Py_TPFLAGS_BYTES_SUBCLASS) {
                Flags::Bytes
            } else if self.is_bare() {
                Flags::None
            } else if sub(&raw mut ffi::PyFloat_Type) {
                Flags::Float
            } else if sub(&raw mut ffi::PySet_Type) || sub(&raw mut ffi::PyFrozenSet_Type) {
                Flags::Set
            } else if sub(&raw mut ffi::PyByteArray_Type) {
                Flags::ByteArray
            } else if sub(&raw mut ffi::PyMemoryView_Type) {
                Flags::MemoryView
            } else {
                Flags::None
            }
        }
    }
}

impl<'a> Ref<'a> {
    /// The class that this object is, if it is one.
    pub fn as_type(self) -> Option<Type<'a>> {
        // SAFETY: the flag says that it is a type.
        unsafe { (ffi::PyType_Check(self.ptr()) != 0).then(|| Type::new(self.ptr().cast())) }
    }

    /// An attribute by an interned name.
    pub fn attr(self, name: &Own) -> Result<Own> {
        // SAFETY: both are alive; a new reference, or null with an exception set.
        unsafe { Own::take(ffi::PyObject_GetAttr(self.ptr(), name.ptr())) }
    }

    /// An attribute by a name that is seldom asked for.
    pub fn attr_named(self, name: &CStr) -> Result<Own> {
        // SAFETY: the name ends with zero; a new reference, or null with an exception set.
        unsafe { Own::take(ffi::PyObject_GetAttrString(self.ptr(), name.as_ptr())) }
    }

    /// An attribute, if there is one; other errors than its absence are errors.
    pub fn attr_or_none(self, name: &Own) -> Result<Option<Own>> {
        match self.attr(name) {
            Ok(o) => Ok(Some(o)),
            Err(_) if crate::raised::pending(crate::raised::Builtin::Attribute) => {
                clear();
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Whether it is exactly a tuple or a frozenset.
    pub fn is_frozen_container(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe {
            let t = ffi::Py_TYPE(self.ptr());
            t == &raw mut ffi::PyTuple_Type || t == &raw mut ffi::PyFrozenSet_Type
        }
    }

    /// Whether it is exactly of a built-in class whose instances hold no others.
    #[inline]
    pub fn is_atom(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe {
            let t = ffi::Py_TYPE(self.ptr());
            t == &raw mut ffi::PyUnicode_Type
                || t == &raw mut ffi::PyLong_Type
                || t == &raw mut ffi::PyFloat_Type
                || t == &raw mut ffi::PyBytes_Type
                || t == &raw mut ffi::PyBool_Type
                || self.is_none()
        }
    }

    /// Appends the text that it is; surrogates are replaced.
    pub fn push_text(self, to: &mut String) {
        let Some(s) = self.as_any_str() else { return };
        match s.ascii() {
            // SAFETY: the vector is text before and after, since ASCII is.
            Some(ascii) => unsafe { to.as_mut_vec().extend_from_slice(ascii) },
            None => to.push_str(&s.lossy()),
        }
    }

    /// Whether it is exactly a `bytearray`.
    pub fn is_byte_array(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe { ffi::Py_TYPE(self.ptr()) == &raw mut ffi::PyByteArray_Type }
    }

    /// Whether it can be called.
    pub fn is_callable(self) -> bool {
        // SAFETY: the object is alive.
        unsafe { !(*ffi::Py_TYPE(self.ptr())).tp_call.is_null() }
    }

    /// The name of its class, as errors show it.
    pub fn class_name(self) -> String {
        let (module, name) = self.class().names();
        if module.is_empty() || module == "builtins" {
            return name;
        }
        crate::words(say!("{}.{}"), &[(&module).into(), (&name).into()])
    }
}

/// The class `set`.
pub fn set_class() -> Type<'static> {
    // SAFETY: built-in classes live for ever.
    unsafe { Type::new(&raw mut ffi::PySet_Type) }
}

/// The class `list`.
pub fn list_class() -> Type<'static> {
    // SAFETY: built-in classes live for ever.
    unsafe { Type::new(&raw mut ffi::PyList_Type) }
}

/// The class `dict`.
pub fn dict_class() -> Type<'static> {
    // SAFETY: built-in classes live for ever.
    unsafe { Type::new(&raw mut ffi::PyDict_Type) }
}

/// The class `object`.
pub fn object_class() -> Type<'static> {
    // SAFETY: built-in classes live for ever.
    unsafe { Type::new(&raw mut ffi::PyBaseObject_Type) }
}
