//! CPython's structs, as far as a field of them is used here, and the macros that read them. Each
//! is laid out as the headers of the versions that are named have it; later versions are asked by
//! function where they changed.

use super::*;

/// The head of every object. Only the type is read; the rest is here for its size.
#[repr(C)]
pub(crate) struct PyObject {
    #[cfg(not(Py_GIL_DISABLED))]
    pub(crate) ob_refcnt: isize,
    #[cfg(Py_GIL_DISABLED)]
    ob_tid: usize,
    #[cfg(Py_GIL_DISABLED)]
    ob_bits: u32,
    #[cfg(Py_GIL_DISABLED)]
    ob_ref_local: u32,
    #[cfg(Py_GIL_DISABLED)]
    ob_ref_shared: isize,
    pub(crate) ob_type: *mut PyTypeObject,
}

#[repr(C)]
pub(crate) struct PyVarObject {
    pub(crate) ob_base: PyObject,
    pub(crate) ob_size: isize,
}

/// The beginning of a weak reference.
#[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
#[repr(C)]
pub(crate) struct PyWeakReference {
    ob_base: PyObject,
    pub(crate) wr_object: Obj,
}

/// The beginning of a type: the fields up to the last that is read.
#[repr(C)]
pub(crate) struct PyTypeObject {
    ob_base: PyVarObject,
    pub(crate) tp_name: *const c_char,
    pub(crate) tp_basicsize: isize,
    pub(crate) tp_itemsize: isize,
    pub(crate) tp_dealloc: Option<unsafe extern "C" fn(Obj)>,
    tp_vectorcall_offset: isize,
    tp_getattr: *const c_void,
    tp_setattr: *const c_void,
    tp_as_async: *const c_void,
    pub(crate) tp_repr: Option<unsafe extern "C" fn(Obj) -> Obj>,
    pub(crate) tp_as_number: *const c_void,
    tp_as_sequence: *const c_void,
    pub(crate) tp_as_mapping: *const c_void,
    tp_hash: *const c_void,
    pub(crate) tp_call: *const c_void,
    tp_str: *const c_void,
    pub(crate) tp_getattro: *const c_void,
    tp_setattro: *const c_void,
    pub(crate) tp_as_buffer: *const c_void,
    pub(crate) tp_flags: c_ulong,
    tp_doc: *const c_char,
    pub(crate) tp_traverse: Option<traverseproc>,
    pub(crate) tp_clear: Option<inquiry>,
    pub(crate) tp_richcompare: Option<unsafe extern "C" fn(Obj, Obj, c_int) -> Obj>,
    pub(crate) tp_weaklistoffset: isize,
    pub(crate) tp_iter: Option<unsafe extern "C" fn(Obj) -> Obj>,
    tp_iternext: *const c_void,
    tp_methods: *const c_void,
    tp_members: *const c_void,
    pub(crate) tp_getset: *const PyGetSetDef,
    pub(crate) tp_base: *mut PyTypeObject,
    #[cfg_attr(Py_3_12, allow(dead_code))]
    pub(crate) tp_dict: Obj,
    tp_descr_get: *const c_void,
    pub(crate) tp_descr_set: *const c_void,
    pub(crate) tp_dictoffset: isize,
    tp_init: *const c_void,
    pub(crate) tp_alloc: Option<unsafe extern "C" fn(*mut PyTypeObject, isize) -> Obj>,
    pub(crate) tp_new: Option<newfunc>,
    pub(crate) tp_free: Option<freefunc>,
    tp_is_gc: *const c_void,
    tp_bases: Obj,
    pub(crate) tp_mro: Obj,
    tp_cache: Obj,
    tp_subclasses: Obj,
    tp_weaklist: Obj,
    tp_del: *const c_void,
    pub(crate) tp_version_tag: c_uint,
    pub(crate) tp_finalize: *const c_void,
    pub(crate) tp_vectorcall: Option<fastcall>,
}

/// What stands at a place of a table of a type; null if it has no such table.
///
/// # Safety
/// It must be null, or a table of functions that is as long as that.
pub(crate) unsafe fn in_table(table: *const c_void, at: usize) -> *const c_void {
    // SAFETY: by contract.
    if table.is_null() { table } else { unsafe { *table.cast::<*const c_void>().add(at) } }
}

/// The beginning of a set or frozenset.
#[repr(C)]
pub(crate) struct PySetObject {
    ob_base: PyObject,
    fill: isize,
    pub(crate) used: isize,
}

/// The beginning of a bytearray.
#[repr(C)]
pub(crate) struct PyByteArrayObject {
    ob_base: PyVarObject,
    ob_alloc: isize,
    ob_bytes: *const c_char,
    /// Where the bytes stand, if there are any.
    pub(crate) ob_start: *mut u8,
}

/// A row of a class's table of members.
#[repr(C)]
pub(crate) struct PyMemberDef {
    pub(crate) name: *const c_char,
    pub(crate) kind: c_int,
    pub(crate) offset: isize,
    pub(crate) flags: c_int,
    pub(crate) doc: *const c_char,
}

/// The descriptor of a member.
#[repr(C)]
pub(crate) struct PyMemberDescrObject {
    ob_base: PyObject,
    pub(crate) d_type: *const c_void,
    d_name: Obj,
    d_qualname: Obj,
    pub(crate) d_member: *mut PyMemberDef,
}

/// A row of a table of methods.
#[repr(C)]
pub struct PyMethodDef {
    pub(crate) ml_name: *const c_char,
    pub(crate) ml_meth: Option<fastcall>,
    pub(crate) ml_flags: c_int,
    pub(crate) ml_doc: *const c_char,
}

impl PyMethodDef {
    /// The row that ends a table.
    pub(crate) const END: PyMethodDef =
        PyMethodDef { ml_name: core::ptr::null(), ml_meth: None, ml_flags: 0, ml_doc: core::ptr::null() };
}

/// A row of a table of attributes.
#[repr(C)]
pub struct PyGetSetDef {
    pub(crate) name: *const c_char,
    pub(crate) get: Option<getter>,
    pub(crate) set: Option<setter>,
    pub(crate) doc: *const c_char,
    pub(crate) closure: *mut c_void,
}

impl PyGetSetDef {
    /// The row that ends a table.
    pub(crate) const END: PyGetSetDef = PyGetSetDef {
        name: core::ptr::null(),
        get: None,
        set: None,
        doc: core::ptr::null(),
        closure: core::ptr::null_mut(),
    };
}

#[repr(C)]
pub(crate) struct PyType_Slot {
    pub(crate) slot: c_int,
    pub(crate) pfunc: *mut c_void,
}

#[repr(C)]
pub(crate) struct PyType_Spec {
    pub(crate) name: *const c_char,
    pub(crate) basicsize: c_int,
    pub(crate) itemsize: c_int,
    pub(crate) flags: c_uint,
    pub(crate) slots: *mut PyType_Slot,
}

#[repr(C)]
pub(crate) struct PyModuleDef_Slot {
    pub(crate) slot: c_int,
    pub(crate) value: *mut c_void,
}

#[repr(C)]
pub(crate) struct PyModuleDef_Base {
    ob_base: PyObject,
    m_init: *const c_void,
    m_index: isize,
    m_copy: Obj,
}

impl PyModuleDef_Base {
    /// What a definition begins with before the interpreter has seen it: one reference, no type.
    pub(crate) fn head() -> PyModuleDef_Base {
        // SAFETY: every field may be zero; the interpreter fills what it needs.
        let mut base: PyModuleDef_Base = unsafe { core::mem::zeroed() };
        #[cfg(not(Py_GIL_DISABLED))]
        {
            base.ob_base.ob_refcnt = 1;
        }
        #[cfg(Py_GIL_DISABLED)]
        {
            // The count of an object that lives for ever.
            base.ob_base.ob_ref_local = u32::MAX;
        }
        base.m_index = 0;
        base
    }
}

#[repr(C)]
pub(crate) struct PyModuleDef {
    pub(crate) m_base: PyModuleDef_Base,
    pub(crate) m_name: *const c_char,
    pub(crate) m_doc: *const c_char,
    pub(crate) m_size: isize,
    pub(crate) m_methods: *mut PyMethodDef,
    pub(crate) m_slots: *mut PyModuleDef_Slot,
    pub(crate) m_traverse: Option<traverseproc>,
    pub(crate) m_clear: Option<inquiry>,
    pub(crate) m_free: Option<freefunc>,
}

#[repr(C)]
pub(crate) struct Py_buffer {
    pub(crate) buf: *mut c_void,
    obj: Obj,
    pub(crate) len: isize,
    pub(crate) itemsize: isize,
    pub(crate) readonly: c_int,
    pub(crate) ndim: c_int,
    pub(crate) format: *mut c_char,
    shape: *mut isize,
    pub(crate) strides: *mut isize,
    pub(crate) suboffsets: *mut isize,
    internal: *mut c_void,
}

#[cfg(Py_GIL_DISABLED)]
#[repr(C)]
pub(crate) struct PyCriticalSection {
    previous: usize,
    mutex: *mut c_void,
}

#[repr(C)]
pub(crate) struct PyASCIIObject {
    pub(crate) ob_base: PyObject,
    pub(crate) length: isize,
    pub(crate) hash: Py_hash_t,
    pub(crate) state: u32,
    #[cfg(not(Py_3_12))]
    pub(crate) wstr: *mut c_void,
}

#[repr(C)]
pub(crate) struct PyCompactUnicodeObject {
    base: PyASCIIObject,
    pub(crate) utf8_length: isize,
    pub(crate) utf8: *mut c_char,
    #[cfg(not(Py_3_12))]
    wstr_length: isize,
}

#[cfg(not(Py_3_14))]
#[repr(C)]
struct PyUnicodeObject {
    base: PyCompactUnicodeObject,
    data: *mut c_void,
}

#[cfg(Py_3_14)]
unsafe extern "C" {
    pub(crate) fn PyUnicode_KIND(o: Obj) -> c_uint;
    pub(crate) fn PyUnicode_DATA(o: Obj) -> *mut c_void;
}

/// # Safety
/// `o` must be a str.
#[cfg(not(Py_3_14))]
pub(crate) unsafe fn PyUnicode_KIND(o: Obj) -> c_uint {
    // SAFETY: by contract. The kind stands above the two bits that say whether it is interned.
    unsafe { (*o.cast::<PyASCIIObject>()).state >> 2 & 7 }
}
/// # Safety
/// `o` must be a str.
#[cfg(not(Py_3_14))]
pub(crate) unsafe fn PyUnicode_DATA(o: Obj) -> *mut c_void {
    // SAFETY: by contract. Data follows the head that the two bits above the kind call for; that
    // of a subclass stands behind a pointer.
    unsafe {
        match (*o.cast::<PyASCIIObject>()).state >> 5 & 3 {
            3 => o.cast::<PyASCIIObject>().add(1).cast(),
            1 => o.cast::<PyCompactUnicodeObject>().add(1).cast(),
            _ => (*o.cast::<PyUnicodeObject>()).data,
        }
    }
}
/// # Safety
/// `o` must be a str.
#[inline(always)]
pub(crate) unsafe fn PyUnicode_GET_LENGTH(o: Obj) -> isize {
    // SAFETY: by contract.
    unsafe { (*o.cast::<PyASCIIObject>()).length }
}

#[repr(C)]
pub(crate) struct PyBytesObject {
    ob_base: PyVarObject,
    ob_shash: Py_hash_t,
    pub(crate) ob_sval: [c_char; 1],
}

/// # Safety
/// `o` must be bytes.
#[inline(always)]
pub(crate) unsafe fn PyBytes_AS_STRING(o: Obj) -> *mut c_char {
    // SAFETY: by contract.
    unsafe { (&raw mut (*o.cast::<PyBytesObject>()).ob_sval).cast() }
}

#[repr(C)]
struct PyFloatObject {
    ob_base: PyObject,
    ob_fval: f64,
}

/// # Safety
/// `o` must be a float.
#[inline(always)]
pub(crate) unsafe fn PyFloat_AS_DOUBLE(o: Obj) -> f64 {
    // SAFETY: by contract.
    unsafe { (*o.cast::<PyFloatObject>()).ob_fval }
}

#[repr(C)]
pub(crate) struct PyListObject {
    pub(crate) ob_base: PyVarObject,
    pub(crate) ob_item: *mut Obj,
    pub(crate) allocated: isize,
}

/// # Safety
/// `o` must be a list longer than `i`.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn PyList_GET_ITEM(o: Obj, i: isize) -> Obj {
    // SAFETY: by contract.
    unsafe { *(*o.cast::<PyListObject>()).ob_item.offset(i) }
}

#[repr(C)]
pub(crate) struct PyTupleObject {
    ob_base: PyVarObject,
    #[cfg(Py_3_14)]
    ob_hash: Py_hash_t,
    pub(crate) ob_item: [Obj; 1],
}

/// # Safety
/// `o` must be a tuple.
#[inline(always)]
pub(crate) unsafe fn PyTuple_GET_SIZE(o: Obj) -> isize {
    // SAFETY: by contract.
    unsafe { Py_SIZE(o) }
}
/// # Safety
/// `o` must be a tuple longer than `i`.
#[inline(always)]
pub(crate) unsafe fn PyTuple_GET_ITEM(o: Obj, i: isize) -> Obj {
    // SAFETY: by contract.
    unsafe { *(&raw mut (*o.cast::<PyTupleObject>()).ob_item).cast::<Obj>().offset(i) }
}
/// # Safety
/// `o` must be a tuple longer than `i` that nobody else has seen.
pub(crate) unsafe fn PyTuple_SET_ITEM(o: Obj, i: isize, v: Obj) {
    // SAFETY: by contract.
    unsafe { *(&raw mut (*o.cast::<PyTupleObject>()).ob_item).cast::<Obj>().offset(i) = v }
}

#[cfg_attr(Py_GIL_DISABLED, allow(dead_code))]
#[repr(C)]
pub(crate) struct PyDictObject {
    ob_base: PyObject,
    pub(crate) ma_used: isize,
}

#[repr(C)]
struct PyDateTime_Delta {
    ob_base: PyObject,
    hash: Py_hash_t,
    days: c_int,
    seconds: c_int,
    microseconds: c_int,
}

/// A date is the beginning of this, up to the fourth byte of the data.
#[repr(C)]
struct PyDateTime_DateTime {
    ob_base: PyObject,
    hash: Py_hash_t,
    has_tzinfo: c_char,
    data: [u8; 10],
    fold: u8,
    tzinfo: Obj,
}

#[repr(C)]
struct PyDateTime_Time {
    ob_base: PyObject,
    hash: Py_hash_t,
    has_tzinfo: c_char,
    data: [u8; 6],
    fold: u8,
    tzinfo: Obj,
}

/// The sizes of instances of `datetime`, `date`, `time` and `timedelta`, where they are those of
/// the structs above.
pub(crate) const MOMENT_SIZES: [usize; 4] = [
    size_of::<PyDateTime_DateTime>(),
    core::mem::offset_of!(PyDateTime_DateTime, data) + 4 + 3,
    size_of::<PyDateTime_Time>(),
    size_of::<PyDateTime_Delta>(),
];

/// Numbers of a datetime: year in two bytes, month, day, hour, minute, second, microsecond in
/// three. A date has the first four.
///
/// # Safety
/// `o` must be a date, and a datetime if more than four bytes are looked at.
pub(crate) unsafe fn date_bytes(o: Obj) -> *const u8 {
    // SAFETY: by contract; the bytes follow the flag.
    unsafe { (&raw const (*o.cast::<PyDateTime_DateTime>()).data).cast() }
}
/// The same for a time of day: hour, minute, second, microsecond in three.
///
/// # Safety
/// `o` must be a time.
pub(crate) unsafe fn time_bytes(o: Obj) -> *const u8 {
    // SAFETY: by contract.
    unsafe { (&raw const (*o.cast::<PyDateTime_Time>()).data).cast() }
}
/// # Safety
/// `o` must be a datetime. A borrowed reference, or `None`.
pub(crate) unsafe fn PyDateTime_DATE_GET_TZINFO(o: Obj) -> Obj {
    // SAFETY: by contract; the field exists only where the flag says so.
    unsafe {
        let d = o.cast::<PyDateTime_DateTime>();
        if (*d).has_tzinfo != 0 { (*d).tzinfo } else { Py_None() }
    }
}
/// # Safety
/// `o` must be a time. A borrowed reference, or `None`.
pub(crate) unsafe fn PyDateTime_TIME_GET_TZINFO(o: Obj) -> Obj {
    // SAFETY: as above.
    unsafe {
        let t = o.cast::<PyDateTime_Time>();
        if (*t).has_tzinfo != 0 { (*t).tzinfo } else { Py_None() }
    }
}
/// Days, seconds, microseconds.
///
/// # Safety
/// `o` must be a timedelta.
pub(crate) unsafe fn delta_parts(o: Obj) -> (c_int, c_int, c_int) {
    // SAFETY: by contract.
    unsafe {
        let d = o.cast::<PyDateTime_Delta>();
        ((*d).days, (*d).seconds, (*d).microseconds)
    }
}

/// Fills a timedelta that was just allocated.
///
/// # Safety
/// It must be one, and nobody else have seen it. The numbers must be in order and within their bounds.
pub(crate) unsafe fn fill_delta(o: Obj, days: c_int, seconds: c_int, microseconds: c_int) {
    // SAFETY: by contract.
    unsafe {
        let d = o.cast::<PyDateTime_Delta>();
        (*d).hash = -1;
        ((*d).days, (*d).seconds, (*d).microseconds) = (days, seconds, microseconds);
    }
}
/// The same of a date.
///
/// # Safety
/// As for a timedelta.
#[inline(always)]
pub(crate) unsafe fn fill_date(o: Obj, year: c_int, month: u8, day: u8) {
    // SAFETY: by contract; a date has so much of it.
    unsafe {
        let d = o.cast::<PyDateTime_DateTime>();
        (*d).hash = -1;
        (*d).has_tzinfo = 0;
        let data = (&raw mut (*d).data).cast::<u8>();
        data.write((year >> 8) as u8);
        data.add(1).write(year as u8);
        data.add(2).write(month);
        data.add(3).write(day);
    }
}
/// What a datetime has beyond a date: its clock, and a tzinfo or null, which is given away.
///
/// # Safety
/// As for a timedelta; it must have been allocated with room for a tzinfo, if there is one.
#[inline(always)]
pub(crate) unsafe fn fill_datetime(o: Obj, clock: [u8; 3], microsecond: u32, tzinfo: Obj) {
    // SAFETY: by contract.
    unsafe {
        let d = o.cast::<PyDateTime_DateTime>();
        fill_clock((&raw mut (*d).data).cast::<u8>().add(4), clock, microsecond);
        (*d).has_tzinfo = c_char::from(!tzinfo.is_null());
        (*d).fold = 0;
        if !tzinfo.is_null() {
            (*d).tzinfo = tzinfo;
        }
    }
}
/// The same of a time.
///
/// # Safety
/// As for a datetime.
pub(crate) unsafe fn fill_time(o: Obj, clock: [u8; 3], microsecond: u32, tzinfo: Obj) {
    // SAFETY: by contract.
    unsafe {
        let t = o.cast::<PyDateTime_Time>();
        (*t).hash = -1;
        (*t).has_tzinfo = c_char::from(!tzinfo.is_null());
        fill_clock((&raw mut (*t).data).cast(), clock, microsecond);
        (*t).fold = 0;
        if !tzinfo.is_null() {
            (*t).tzinfo = tzinfo;
        }
    }
}
/// # Safety
/// There must be six bytes.
#[inline(always)]
unsafe fn fill_clock(to: *mut u8, [hour, minute, second]: [u8; 3], microsecond: u32) {
    // SAFETY: by contract.
    unsafe {
        to.write(hour);
        to.add(1).write(minute);
        to.add(2).write(second);
        to.add(3).write((microsecond >> 16) as u8);
        to.add(4).write((microsecond >> 8) as u8);
        to.add(5).write(microsecond as u8);
    }
}

/// What `datetime` offers to C, as far as it is used.
#[repr(C)]
pub(crate) struct PyDateTime_CAPI {
    types: [*mut PyTypeObject; 5],
    utc: Obj,
    pub(crate) date: unsafe extern "C" fn(c_int, c_int, c_int, *mut PyTypeObject) -> Obj,
    without_fold: [*const (); 2],
    /// Days, seconds, microseconds, whether these are to be put in order, class.
    pub(crate) delta: unsafe extern "C" fn(c_int, c_int, c_int, c_int, *mut PyTypeObject) -> Obj,
    /// A timedelta, and a name or null.
    pub(crate) zone: unsafe extern "C" fn(Obj, Obj) -> Obj,
    others: [*const (); 2],
    /// Year, month, day, hour, minute, second, microsecond, tzinfo, fold, class.
    pub(crate) datetime: unsafe extern "C" fn(
        c_int,
        c_int,
        c_int,
        c_int,
        c_int,
        c_int,
        c_int,
        Obj,
        c_int,
        *mut PyTypeObject,
    ) -> Obj,
    /// The last seven of these.
    pub(crate) time: unsafe extern "C" fn(c_int, c_int, c_int, c_int, Obj, c_int, *mut PyTypeObject) -> Obj,
}
