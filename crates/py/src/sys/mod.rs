//! CPython's C API, as far as it is used here: constants, functions, and what the headers offer
//! as macros. The structs are in `structs`.
//!
//! Why not a crate that declares all of it: the one that is kept best links the standard library
//! on every version before 3.14, and with it a quarter of a megabyte that reads debug information
//! when a program panics (docs/decisions/0003-panics.md). It is still what finds the
//! interpreter to build for. The names here are CPython's own, so that its manual explains them.
//!
//! What may surprise: reference counts are changed in place only on versions that are named;
//! every other version is asked to do it.
#![allow(non_snake_case, non_upper_case_globals, non_camel_case_types, missing_docs)]

mod structs;

pub(crate) use core::ffi::{c_char, c_int, c_longlong, c_uint, c_ulong, c_void};
pub(crate) use structs::*;

pub(crate) type Py_hash_t = isize;
type Obj = *mut PyObject;

pub(crate) type visitproc = unsafe extern "C" fn(Obj, *mut c_void) -> c_int;
pub(crate) type traverseproc = unsafe extern "C" fn(Obj, visitproc, *mut c_void) -> c_int;
pub(crate) type inquiry = unsafe extern "C" fn(Obj) -> c_int;
pub(crate) type freefunc = unsafe extern "C" fn(*mut c_void);
pub(crate) type getter = unsafe extern "C" fn(Obj, *mut c_void) -> Obj;
pub(crate) type setter = unsafe extern "C" fn(Obj, Obj, *mut c_void) -> c_int;
pub(crate) type newfunc = unsafe extern "C" fn(*mut PyTypeObject, Obj, Obj) -> Obj;
pub(crate) type fastcall = unsafe extern "C" fn(Obj, *const Obj, isize, Obj) -> Obj;

pub(crate) const METH_KEYWORDS: c_int = 0x0002;
pub(crate) const METH_NOARGS: c_int = 0x0004;
pub(crate) const METH_O: c_int = 0x0008;
pub(crate) const METH_CLASS: c_int = 0x0010;
pub(crate) const METH_FASTCALL: c_int = 0x0080;

pub(crate) const PyBUF_SIMPLE: c_int = 0;
pub(crate) const PyBUF_FULL_RO: c_int = 0x11c;

pub(crate) const Py_LT: c_int = 0;
pub(crate) const Py_LE: c_int = 1;
pub(crate) const Py_EQ: c_int = 2;
pub(crate) const Py_NE: c_int = 3;
pub(crate) const Py_GT: c_int = 4;
pub(crate) const Py_GE: c_int = 5;

pub(crate) const Py_READONLY: c_int = 1;
pub(crate) const Py_T_OBJECT_EX: c_int = 16;
pub(crate) const Py_T_PYSSIZET: c_int = 19;

#[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
pub(crate) const Py_TPFLAGS_INLINE_VALUES: c_ulong = 1 << 2;
pub(crate) const Py_TPFLAGS_MANAGED_DICT: c_ulong = 1 << 4;
pub(crate) const Py_TPFLAGS_BASETYPE: c_ulong = 1 << 10;
pub(crate) const Py_TPFLAGS_HAVE_VECTORCALL: c_ulong = 1 << 11;
pub(crate) const Py_TPFLAGS_HEAPTYPE: c_ulong = 1 << 9;
pub(crate) const Py_TPFLAGS_IMMUTABLETYPE: c_ulong = 1 << 8;
pub(crate) const Py_TPFLAGS_HAVE_GC: c_ulong = 1 << 14;
pub(crate) const Py_TPFLAGS_DEFAULT: c_ulong = 1 << 18;
pub(crate) const Py_TPFLAGS_LONG_SUBCLASS: c_ulong = 1 << 24;
pub(crate) const Py_TPFLAGS_LIST_SUBCLASS: c_ulong = 1 << 25;
pub(crate) const Py_TPFLAGS_TUPLE_SUBCLASS: c_ulong = 1 << 26;
pub(crate) const Py_TPFLAGS_BYTES_SUBCLASS: c_ulong = 1 << 27;
pub(crate) const Py_TPFLAGS_UNICODE_SUBCLASS: c_ulong = 1 << 28;
pub(crate) const Py_TPFLAGS_DICT_SUBCLASS: c_ulong = 1 << 29;
const Py_TPFLAGS_TYPE_SUBCLASS: c_ulong = 1 << 31;

pub(crate) const Py_bf_getbuffer: c_int = 1;
pub(crate) const Py_sq_length: c_int = 45;
pub(crate) const Py_tp_clear: c_int = 51;
pub(crate) const Py_tp_dealloc: c_int = 52;
pub(crate) const Py_tp_doc: c_int = 56;
pub(crate) const Py_tp_hash: c_int = 59;
pub(crate) const Py_tp_iter: c_int = 62;
pub(crate) const Py_tp_iternext: c_int = 63;
pub(crate) const Py_tp_methods: c_int = 64;
pub(crate) const Py_tp_new: c_int = 65;
pub(crate) const Py_tp_repr: c_int = 66;
pub(crate) const Py_tp_richcompare: c_int = 67;
pub(crate) const Py_tp_setattro: c_int = 69;
pub(crate) const Py_tp_traverse: c_int = 71;
pub(crate) const Py_tp_members: c_int = 72;
pub(crate) const Py_tp_getset: c_int = 73;

pub(crate) const Py_mod_exec: c_int = 2;
#[cfg(Py_3_12)]
pub(crate) const Py_mod_multiple_interpreters: c_int = 3;
#[cfg(Py_3_13)]
pub(crate) const Py_mod_gil: c_int = 4;
#[cfg(Py_3_12)]
pub(crate) const Py_MOD_PER_INTERPRETER_GIL_SUPPORTED: *mut c_void = core::ptr::without_provenance_mut(2);
#[cfg(Py_3_13)]
pub(crate) const Py_MOD_GIL_NOT_USED: *mut c_void = core::ptr::without_provenance_mut(1);

pub(crate) const PyUnicode_1BYTE_KIND: c_uint = 1;
pub(crate) const PyUnicode_2BYTE_KIND: c_uint = 2;

unsafe extern "C" {
    static mut _Py_NoneStruct: PyObject;
    static mut _Py_NotImplementedStruct: PyObject;
    static mut _Py_TrueStruct: PyObject;
    static mut _Py_FalseStruct: PyObject;

    pub(crate) static mut PyBaseObject_Type: PyTypeObject;
    pub(crate) static mut PyBool_Type: PyTypeObject;
    pub(crate) static mut PyByteArray_Type: PyTypeObject;
    pub(crate) static mut PyBytes_Type: PyTypeObject;
    pub(crate) static mut PyDict_Type: PyTypeObject;
    pub(crate) static mut PyFloat_Type: PyTypeObject;
    pub(crate) static mut PyFrozenSet_Type: PyTypeObject;
    pub(crate) static mut PyFunction_Type: PyTypeObject;
    pub(crate) static mut PyList_Type: PyTypeObject;
    pub(crate) static mut PyLong_Type: PyTypeObject;
    pub(crate) static mut PyMemberDescr_Type: PyTypeObject;
    pub(crate) static mut PyMemoryView_Type: PyTypeObject;
    pub(crate) static mut PyPickleBuffer_Type: PyTypeObject;
    pub(crate) static mut PySet_Type: PyTypeObject;
    pub(crate) static mut PyTuple_Type: PyTypeObject;
    pub(crate) static mut PyType_Type: PyTypeObject;
    pub(crate) static mut PyUnicode_Type: PyTypeObject;

    pub(crate) static mut PyExc_AttributeError: Obj;
    pub(crate) static mut PyExc_BufferError: Obj;
    pub(crate) static mut PyExc_Exception: Obj;
    pub(crate) static mut PyExc_MemoryError: Obj;
    pub(crate) static mut PyExc_RuntimeError: Obj;
    pub(crate) static mut PyExc_AssertionError: Obj;
    pub(crate) static mut PyExc_EOFError: Obj;
    pub(crate) static mut PyExc_TypeError: Obj;
    pub(crate) static mut PyExc_ValueError: Obj;

    #[cfg(any(Py_3_14, Py_GIL_DISABLED))]
    fn Py_IncRef(o: Obj);
    #[cfg(any(Py_3_14, Py_GIL_DISABLED))]
    fn Py_DecRef(o: Obj);
    #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
    fn _Py_Dealloc(o: Obj);

    pub(crate) fn PyBuffer_FillInfo(
        v: *mut Py_buffer,
        o: Obj,
        p: *mut c_void,
        n: isize,
        ro: c_int,
        flags: c_int,
    ) -> c_int;
    pub(crate) fn PyBuffer_IsContiguous(v: *const Py_buffer, order: c_char) -> c_int;
    pub(crate) fn PyBuffer_Release(v: *mut Py_buffer);
    pub(crate) fn PyPickleBuffer_GetBuffer(o: Obj) -> *const Py_buffer;
    pub(crate) fn PyByteArray_FromStringAndSize(v: *const c_char, n: isize) -> Obj;
    pub(crate) fn PyByteArray_Resize(o: Obj, n: isize) -> c_int;
    pub(crate) fn PyBytes_FromStringAndSize(p: *const c_char, n: isize) -> Obj;
    pub(crate) fn PyCFunction_NewEx(def: *mut PyMethodDef, me: Obj, module: Obj) -> Obj;
    pub(crate) fn PyCapsule_GetPointer(o: Obj, name: *const c_char) -> *mut c_void;
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyCriticalSection_Begin(c: *mut PyCriticalSection, o: Obj);
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyCriticalSection_End(c: *mut PyCriticalSection);
    pub(crate) fn PyDict_Copy(d: Obj) -> Obj;
    pub(crate) fn PyDict_DelItem(d: Obj, k: Obj) -> c_int;
    pub(crate) fn PyDict_GetItemWithError(d: Obj, k: Obj) -> Obj;
    pub(crate) fn PyDict_New() -> Obj;
    pub(crate) fn PyDict_Next(d: Obj, place: *mut isize, k: *mut Obj, v: *mut Obj) -> c_int;
    pub(crate) fn PyDict_SetItem(d: Obj, k: Obj, v: Obj) -> c_int;
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyDict_Size(d: Obj) -> isize;
    #[cfg(not(Py_3_12))]
    pub(crate) fn PyErr_Fetch(t: *mut Obj, v: *mut Obj, tb: *mut Obj);
    #[cfg(Py_3_12)]
    pub(crate) fn PyErr_GetRaisedException() -> Obj;
    #[cfg(not(Py_3_12))]
    pub(crate) fn PyErr_NormalizeException(t: *mut Obj, v: *mut Obj, tb: *mut Obj);
    pub(crate) fn PyErr_Occurred() -> Obj;
    pub(crate) fn PyErr_SetObject(class: Obj, v: Obj);
    pub(crate) fn PyException_SetCause(e: Obj, cause: Obj);
    #[cfg(not(Py_3_12))]
    pub(crate) fn PyException_SetTraceback(e: Obj, tb: Obj) -> c_int;
    pub(crate) fn PyFloat_FromDouble(v: f64) -> Obj;
    #[cfg(not(Py_GIL_DISABLED))]
    pub(crate) fn PyGC_Disable() -> c_int;
    pub(crate) fn PyGC_Enable() -> c_int;
    pub(crate) fn PyImport_ImportModuleLevel(
        name: *const c_char,
        globals: Obj,
        locals: Obj,
        names: Obj,
        level: c_int,
    ) -> Obj;
    pub(crate) fn PyIter_Next(o: Obj) -> Obj;
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyList_GetItemRef(l: Obj, i: isize) -> Obj;
    pub(crate) fn PyList_New(n: isize) -> Obj;
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyLong_AsLongLongAndOverflow(o: Obj, over: *mut c_int) -> c_longlong;
    #[cfg(Py_GIL_DISABLED)]
    pub(crate) fn PyLong_AsUnsignedLongLong(o: Obj) -> core::ffi::c_ulonglong;
    pub(crate) fn PyLong_FromLongLong(v: c_longlong) -> Obj;
    pub(crate) fn PyModuleDef_Init(def: *mut PyModuleDef) -> Obj;
    pub(crate) fn PyModule_GetState(m: Obj) -> *mut c_void;
    pub(crate) fn PyObject_Call(f: Obj, args: Obj, kwargs: Obj) -> Obj;
    pub(crate) fn Py_GenericAlias(origin: Obj, args: Obj) -> Obj;
    pub(crate) fn PyObject_Vectorcall(f: Obj, args: *const Obj, n: usize, names: Obj) -> Obj;
    pub(crate) fn PyObject_CallFinalizerFromDealloc(o: Obj) -> c_int;
    pub(crate) fn PyObject_ClearWeakRefs(o: Obj);
    #[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
    pub(crate) fn PyObject_ClearManagedDict(o: Obj);
    #[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
    pub(crate) fn PyObject_VisitManagedDict(o: Obj, visit: visitproc, arg: *mut c_void) -> c_int;
    pub(crate) fn PyObject_Free(p: *mut c_void);
    #[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
    pub(crate) fn PyRefTracer_GetTracer(data: *mut *mut c_void) -> Option<unsafe extern "C" fn()>;
    #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
    pub(crate) fn PyObject_Malloc(n: usize) -> *mut c_void;
    pub(crate) fn PyObject_GC_Del(p: *mut c_void);
    pub(crate) fn PyObject_GC_IsTracked(o: Obj) -> c_int;
    pub(crate) fn PyObject_GC_Track(o: *mut c_void);
    pub(crate) fn PyObject_GC_UnTrack(o: *mut c_void);
    pub(crate) fn PyObject_GenericSetAttr(o: Obj, name: Obj, v: Obj) -> c_int;
    pub(crate) fn PyObject_RichCompare(a: Obj, b: Obj, op: c_int) -> Obj;
    pub(crate) fn _PyObject_GC_New(t: *mut PyTypeObject) -> Obj;
    pub(crate) fn _PyObject_New(t: *mut PyTypeObject) -> Obj;
    pub(crate) fn Py_ReprEnter(o: Obj) -> c_int;
    pub(crate) fn Py_ReprLeave(o: Obj);
    pub(crate) fn PyObject_GenericGetAttr(o: Obj, name: Obj) -> Obj;
    pub(crate) fn PyObject_GetAttr(o: Obj, name: Obj) -> Obj;
    pub(crate) fn PyObject_GetAttrString(o: Obj, name: *const c_char) -> Obj;
    pub(crate) fn PyObject_GetBuffer(o: Obj, v: *mut Py_buffer, flags: c_int) -> c_int;
    pub(crate) fn PyObject_GenericGetDict(o: Obj, context: *mut c_void) -> Obj;
    pub(crate) fn PyObject_GetIter(o: Obj) -> Obj;
    pub(crate) fn PyObject_Hash(o: Obj) -> Py_hash_t;
    pub(crate) fn Py_EnterRecursiveCall(place: *const c_char) -> c_int;
    pub(crate) fn Py_LeaveRecursiveCall();
    pub(crate) fn PyObject_IsTrue(o: Obj) -> c_int;
    pub(crate) fn PyObject_Repr(o: Obj) -> Obj;
    pub(crate) fn PyObject_SetAttrString(o: Obj, name: *const c_char, v: Obj) -> c_int;
    pub(crate) fn PyObject_Str(o: Obj) -> Obj;
    #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
    pub(crate) fn PyMem_Malloc(n: usize) -> *mut c_void;
    #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
    pub(crate) fn PyMem_Free(p: *mut c_void);
    pub(crate) fn PyMem_RawRealloc(p: *mut c_void, n: usize) -> *mut c_void;
    pub(crate) fn PyMem_RawFree(p: *mut c_void);
    pub(crate) fn PySequence_List(o: Obj) -> Obj;
    pub(crate) fn PyFrozenSet_New(of: Obj) -> Obj;
    pub(crate) fn PySet_Add(s: Obj, o: Obj) -> c_int;
    pub(crate) fn PySet_New(of: Obj) -> Obj;
    pub(crate) fn PyTuple_New(n: isize) -> Obj;
    #[cfg(Py_3_12)]
    pub(crate) fn PyType_FromMetaclass(
        meta: *mut PyTypeObject,
        m: Obj,
        spec: *mut PyType_Spec,
        bases: Obj,
    ) -> Obj;
    #[cfg(not(Py_3_12))]
    pub(crate) fn PyType_FromModuleAndSpec(m: Obj, spec: *mut PyType_Spec, bases: Obj) -> Obj;
    #[cfg(Py_3_12)]
    pub(crate) fn PyType_GetDict(t: *mut PyTypeObject) -> Obj;
    pub(crate) fn PyType_GetModuleState(t: *mut PyTypeObject) -> *mut c_void;
    pub(crate) fn PyType_IsSubtype(t: *mut PyTypeObject, of: *mut PyTypeObject) -> c_int;
    pub(crate) fn PyUnicode_AsEncodedString(o: Obj, name: *const c_char, errors: *const c_char) -> Obj;
    pub(crate) fn PyMemoryView_FromObject(o: Obj) -> Obj;
    pub(crate) fn PySequence_GetSlice(o: Obj, from: isize, to: isize) -> Obj;
    pub(crate) fn PyUnicode_DecodeUTF8(p: *const c_char, n: isize, errors: *const c_char) -> Obj;
    pub(crate) fn PyUnicode_InternInPlace(p: *mut Obj);
    pub(crate) fn PyUnicode_New(n: isize, max: u32) -> Obj;
    #[cfg(any(Py_3_14, Py_GIL_DISABLED))]
    pub(crate) fn PyWeakref_GetRef(r: Obj, p: *mut Obj) -> c_int;
    pub(crate) fn PyVectorcall_Call(f: Obj, args: Obj, kwargs: Obj) -> Obj;
    pub(crate) fn PyWeakref_NewRef(o: Obj, callback: Obj) -> Obj;
    pub(crate) fn Py_FatalError(message: *const c_char) -> !;
}

/// # Safety
/// None is asked for: the objects live for ever.
#[inline(always)]
pub(crate) unsafe fn Py_None() -> Obj {
    &raw mut _Py_NoneStruct
}
/// # Safety
/// As above.
#[inline(always)]
pub(crate) unsafe fn Py_True() -> Obj {
    &raw mut _Py_TrueStruct
}
/// # Safety
/// As above.
#[inline(always)]
pub(crate) unsafe fn Py_False() -> Obj {
    &raw mut _Py_FalseStruct
}
/// # Safety
/// As above.
pub(crate) unsafe fn Py_NotImplemented() -> Obj {
    &raw mut _Py_NotImplementedStruct
}

/// # Safety
/// `o` must be alive.
#[inline(always)]
pub(crate) unsafe fn Py_TYPE(o: Obj) -> *mut PyTypeObject {
    // SAFETY: by contract.
    unsafe { (*o).ob_type }
}
/// # Safety
/// `o` must be alive and of a type with a size.
#[inline(always)]
pub(crate) unsafe fn Py_SIZE(o: Obj) -> isize {
    // SAFETY: by contract.
    unsafe { (*o.cast::<PyVarObject>()).ob_size }
}

/// # Safety
/// `o` must be alive.
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn Py_INCREF(o: Obj) {
    // SAFETY: by contract.
    unsafe { Py_IncRef(o) }
}
/// # Safety
/// The caller must own a reference, which it gives back.
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn Py_DECREF(o: Obj) {
    // SAFETY: by contract.
    unsafe { Py_DecRef(o) }
}

/// How many references there are, or a large number for what is immortal.
///
/// # Safety
/// `o` must be alive.
#[cfg(all(Py_3_12, not(any(Py_3_14, Py_GIL_DISABLED))))]
#[inline(always)]
pub(crate) unsafe fn Py_refcount(o: Obj) -> u32 {
    // SAFETY: by contract.
    unsafe { *low_half(o) }
}
/// # Safety
/// `o` must be alive.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn Py_refcount(o: Obj) -> isize {
    // SAFETY: by contract.
    unsafe { (*o).ob_refcnt }
}

/// The low half of the count is the count (PEP 683): an immortal object has a negative one, and a
/// mortal object's high half is zero. Both ways touch 32 bits, because a load of all 64 that
/// comes soon after a store of 32 would wait for it.
///
/// # Safety
/// `o` must be alive.
#[cfg(all(Py_3_12, not(any(Py_3_14, Py_GIL_DISABLED))))]
#[inline(always)]
pub(crate) unsafe fn Py_INCREF(o: Obj) {
    // SAFETY: by contract.
    unsafe {
        let count = low_half(o);
        let n = (*count).wrapping_add(1);
        if n != 0 {
            *count = n;
        }
    }
}
/// # Safety
/// The caller must own a reference, which it gives back.
#[cfg(all(Py_3_12, not(any(Py_3_14, Py_GIL_DISABLED))))]
#[inline(always)]
pub(crate) unsafe fn Py_DECREF(o: Obj) {
    // SAFETY: by contract.
    unsafe {
        let count = low_half(o);
        let n = *count;
        if (n as i32) < 0 {
            return;
        }
        *count = n - 1;
        if n == 1 {
            _Py_Dealloc(o);
        }
    }
}
#[cfg(all(Py_3_12, not(any(Py_3_14, Py_GIL_DISABLED))))]
#[inline(always)]
fn low_half(o: Obj) -> *mut u32 {
    let big = cfg!(all(target_endian = "big", target_pointer_width = "64"));
    o.cast::<u32>().wrapping_add(usize::from(big))
}

/// # Safety
/// `o` must be alive.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn Py_INCREF(o: Obj) {
    // SAFETY: by contract.
    unsafe { (*o).ob_refcnt += 1 }
}
/// # Safety
/// The caller must own a reference, which it gives back.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn Py_DECREF(o: Obj) {
    // SAFETY: by contract.
    unsafe {
        (*o).ob_refcnt -= 1;
        if (*o).ob_refcnt == 0 {
            _Py_Dealloc(o);
        }
    }
}

/// # Safety
/// `o` must be null or alive.
#[cfg(not(Py_3_12))]
pub(crate) unsafe fn Py_XINCREF(o: Obj) {
    if !o.is_null() {
        // SAFETY: by contract.
        unsafe { Py_INCREF(o) }
    }
}
/// # Safety
/// As for [`Py_DECREF`], or null.
#[cfg(not(Py_3_12))]
pub(crate) unsafe fn Py_XDECREF(o: Obj) {
    if !o.is_null() {
        // SAFETY: by contract.
        unsafe { Py_DECREF(o) }
    }
}
/// # Safety
/// `o` must be alive.
pub(crate) unsafe fn Py_NewRef(o: Obj) -> Obj {
    // SAFETY: by contract.
    unsafe { Py_INCREF(o) };
    o
}

/// # Safety
/// `t` must be a type.
#[inline(always)]
pub(crate) unsafe fn PyType_HasFeature(t: *mut PyTypeObject, flag: c_ulong) -> c_int {
    // SAFETY: by contract.
    unsafe { c_int::from((*t).tp_flags & flag != 0) }
}

/// Whether instances of an object's type have a built-in layout, by a flag of the type.
macro_rules! check_by_flag {
    ($($name:ident $flag:ident;)*) => { $(
        /// # Safety
        /// `o` must be alive.
        #[inline(always)]
        pub(crate) unsafe fn $name(o: Obj) -> c_int {
            // SAFETY: by contract.
            unsafe { PyType_HasFeature(Py_TYPE(o), $flag) }
        }
    )* };
}
check_by_flag! {
    PyBytes_Check Py_TPFLAGS_BYTES_SUBCLASS;
    PyDict_Check Py_TPFLAGS_DICT_SUBCLASS;
    PyList_Check Py_TPFLAGS_LIST_SUBCLASS;
    PyLong_Check Py_TPFLAGS_LONG_SUBCLASS;
    PyTuple_Check Py_TPFLAGS_TUPLE_SUBCLASS;
    PyType_Check Py_TPFLAGS_TYPE_SUBCLASS;
    PyUnicode_Check Py_TPFLAGS_UNICODE_SUBCLASS;
}

/// # Safety
/// `o` must be alive.
pub(crate) unsafe fn PyFloat_Check(o: Obj) -> c_int {
    // SAFETY: by contract.
    unsafe { PyType_IsSubtype(Py_TYPE(o), &raw mut PyFloat_Type) }
}
/// # Safety
/// `o` must be alive.
pub(crate) unsafe fn PyByteArray_Check(o: Obj) -> c_int {
    // SAFETY: by contract.
    unsafe { PyType_IsSubtype(Py_TYPE(o), &raw mut PyByteArray_Type) }
}
