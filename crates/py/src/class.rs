//! Classes: a Rust value behind a Python object.
//!
//! What may surprise: our classes are final. An instance's class is then the class that we made,
//! which knows its module, so a method finds the module's state in two steps. And whether an
//! instance is of a class is asked of the class object, which carries the Rust type with it
//! ([`Made`]): functions have no address of their own, as the linker may merge those that are alike.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use core::marker::PhantomData;

use crate::sys as ffi;
use crate::sys::PyObject;

use crate::args::{Args, Spread};
use crate::doc::unpacked;
use crate::guard;
use crate::module::{self, Module, Passed, Visit};
use crate::object::{Own, Ref};
use crate::raised::{Raised, Result};
use crate::scalar;

/// The operators of comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

/// A method.
pub trait Method<M, C> {
    /// Its name.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// Whether the way from the interpreter to `call` is compiled for it, to be the shortest.
    const OFTEN: bool = false;
    /// The call.
    fn call(state: &M, this: &C, me: Ref<'_>, args: &Args<'_>) -> Result<Own>;
}

/// A read-only attribute.
pub trait Getter<M, C> {
    /// Its name.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// Its value.
    fn get(state: &M, this: &C) -> Result<Own>;
}

/// A class: what its instances hold, and what they do.
pub trait Class<M: Module>: Sized + 'static {
    /// The name, with its module.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// Whether instances iterate: then `next` is asked.
    const ITERATES: bool = false;
    /// Whether instances compare, hash, have a length and a buffer: then `bytes` is asked.
    const IS_BYTES: bool = false;

    /// Makes an instance.
    fn new(state: &M, args: &Args<'_>) -> Result<Self>;
    /// The methods, each added by [`method`].
    fn methods(add: &mut Vec<ffi::PyMethodDef>);
    /// The attributes, each added by [`getter`].
    fn getters(add: &mut Vec<ffi::PyGetSetDef>) {
        let _ = add;
    }
    /// Visits every object that the instance owns and that could be part of a cycle.
    fn traverse(&self, visit: &mut Visit<'_>) {
        let _ = visit;
    }
    /// `repr()`.
    fn repr(&self) -> Result<Own>;
    /// The next item; nothing at the end.
    fn next(state: &M, this: &Self) -> Result<Option<Own>> {
        let _ = (state, this);
        Ok(None)
    }
    /// The bytes that the instance stands for, which never change.
    fn bytes(&self) -> Bytes<'_> {
        Bytes(&[])
    }
}

/// A class that was made for the values of `C`.
pub struct Made<C>(Own, PhantomData<fn() -> C>);

impl<C> Made<C> {
    /// The class as an object.
    pub fn own(&self) -> &Own {
        &self.0
    }
}

impl<C> Clone for Made<C> {
    fn clone(&self) -> Self {
        Made(self.0.clone(), PhantomData)
    }
}

/// The bytes that an instance stands for.
pub struct Bytes<'a>(pub &'a [u8]);

/// An instance as C sees it.
#[repr(C)]
struct Instance<C> {
    head: PyObject,
    value: C,
}

/// Adds a method, for [`Class::methods`].
pub fn method<M: Module, C: Class<M>, F: Method<M, C>>(add: &mut Vec<ffi::PyMethodDef>) {
    add_method(add, F::NAME.as_ptr(), call_method::<M, C, F>, F::DOC.as_ptr());
}

/// The texts end with zero and live for ever. They are given as pointers since this is said of every method.
#[inline(never)]
pub(crate) fn add_method(
    add: &mut Vec<ffi::PyMethodDef>,
    name: *const c_char,
    call: ffi::fastcall,
    doc: *const c_char,
) {
    add.push(ffi::PyMethodDef {
        ml_name: name,
        ml_meth: Some(call),
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: for_ever(doc),
    });
}

/// A docstring that is unpacked for what is never freed. It must end with zero.
pub(crate) fn for_ever(doc: *const c_char) -> *const c_char {
    // SAFETY: it ends with zero, and is read at once.
    let doc = unpacked(unsafe { CStr::from_ptr(doc) });
    Box::leak(doc.into_boxed_slice()).as_ptr().cast()
}

/// Lets a class be written with a parameter in annotations, for [`Class::methods`].
pub fn generic(add: &mut Vec<ffi::PyMethodDef>) {
    type Binary = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
    let call: Binary = ffi::Py_GenericAlias;
    add.push(ffi::PyMethodDef {
        ml_name: c"__class_getitem__".as_ptr(),
        // SAFETY: the flags say that it is a function of two arguments.
        ml_meth: Some(unsafe { core::mem::transmute::<Binary, ffi::fastcall>(call) }),
        ml_flags: ffi::METH_O | ffi::METH_CLASS,
        ml_doc: c"The class with a type as its parameter, for annotations.".as_ptr(),
    });
}

/// Adds an attribute, for [`Class::getters`].
pub fn getter<M: Module, C: Class<M>, F: Getter<M, C>>(add: &mut Vec<ffi::PyGetSetDef>) {
    add_getter(add, F::NAME.as_ptr(), get::<M, C, F>, F::DOC.as_ptr());
}

#[inline(never)]
fn add_getter(add: &mut Vec<ffi::PyGetSetDef>, name: *const c_char, get: ffi::getter, doc: *const c_char) {
    let (doc, set, closure) = (for_ever(doc), None, core::ptr::null_mut());
    add.push(ffi::PyGetSetDef { name, get: Some(get), set, doc, closure });
}

/// The state of the module whose class an instance is of.
///
/// # Safety
/// `o` must be an instance of a class that `make` made for `M`, alive for `'a`.
#[inline(always)]
unsafe fn state<'a, M: Module>(o: *mut PyObject) -> Result<&'a M> {
    // SAFETY: by contract; the class is final, so it is the one that we made.
    unsafe { module::from_cell(ffi::PyType_GetModuleState(ffi::Py_TYPE(o))) }
}

/// # Safety
/// `o` must be an instance of the class of `C`, alive for `'a`.
#[inline(always)]
unsafe fn value<'a, C>(o: *mut PyObject) -> &'a C {
    // SAFETY: by contract.
    unsafe { &(*o.cast::<Instance<C>>()).value }
}

unsafe extern "C" fn call_method<M: Module, C: Class<M>, F: Method<M, C>>(
    me: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter calls a method with an instance of its class, which lives as
    // long as the call, and with arguments of the protocol that was declared.
    unsafe {
        let call = |state: &M, me: Ref<'_>, args: &Args<'_>| F::call(state, value(me.ptr()), me, args);
        match F::OFTEN {
            true => called(me, (args, n, names), call),
            false => called_seldom(me, (args, n, names), call),
        }
    }
}

/// # Safety
/// `me` must be an instance of a class that `make` made for `M`, and the arguments those of the protocol, alive for the
/// call.
#[inline(always)]
unsafe fn called<M: Module>(
    me: *mut PyObject,
    (args, n, names): Passed,
    call: impl FnOnce(&M, Ref<'_>, &Args<'_>) -> Result<Own>,
) -> *mut PyObject {
    // SAFETY: by contract.
    guard::object(|| unsafe { call(state(me)?, Ref::new(me), &Args::fast(args, n as usize, names)) })
}

/// As above, compiled once.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn called_seldom<M: Module>(
    me: *mut PyObject,
    passed: Passed,
    call: fn(&M, Ref<'_>, &Args<'_>) -> Result<Own>,
) -> *mut PyObject {
    // SAFETY: by contract.
    unsafe { called(me, passed, call) }
}

unsafe extern "C" fn get<M: Module, C: Class<M>, F: Getter<M, C>>(
    me: *mut PyObject,
    _: *mut c_void,
) -> *mut PyObject {
    // SAFETY: as for a method.
    unsafe { get_by::<M>(me, |state, me| F::get(state, value(me))) }
}

/// # Safety
/// `me` must be an instance of a class that `make` made for `M`, and one that `get` is for.
#[inline(never)]
unsafe fn get_by<M: Module>(
    me: *mut PyObject,
    get: unsafe fn(&M, *mut PyObject) -> Result<Own>,
) -> *mut PyObject {
    // SAFETY: by contract.
    guard::object(|| unsafe { get(state(me)?, me) })
}

unsafe extern "C" fn new<M: Module, C: Class<M>>(
    class: *mut ffi::PyTypeObject,
    args: *mut PyObject,
    kwargs: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter passes the class, which is final and so ours, a tuple, and a
    // dict or null.
    unsafe { new_by::<M>(class, args, kwargs, |class, state, args| allocate(class, C::new(state, args)?)) }
}

/// # Safety
/// As for `tp_new` of a class that `make` made for `M`.
#[inline(never)]
unsafe fn new_by<M: Module>(
    class: *mut ffi::PyTypeObject,
    args: *mut PyObject,
    kwargs: *mut PyObject,
    new: unsafe fn(*mut ffi::PyTypeObject, &M, &Args<'_>) -> Result<Own>,
) -> *mut PyObject {
    guard::object(|| {
        // SAFETY: by contract.
        unsafe {
            let state = module::from_cell::<M>(ffi::PyType_GetModuleState(class))?;
            new(class, state, &Spread::new(args, kwargs).args())
        }
    })
}

/// # Safety
/// `class` must be the class that `make` made for `C`.
unsafe fn allocate<C>(class: *mut ffi::PyTypeObject, v: C) -> Result<Own> {
    // SAFETY: by contract an instance has room for the value, which is written before anyone
    // but the collector can see it; the collector does not run in between, as nothing is
    // allocated or called.
    unsafe {
        let o = room(class)?;
        core::ptr::write(&raw mut (*o.ptr().cast::<Instance<C>>()).value, v);
        Ok(o)
    }
}

/// An instance whose value is still to be written.
///
/// # Safety
/// `class` must be one that `make` made.
#[inline(never)]
unsafe fn room(class: *mut ffi::PyTypeObject) -> Result<Own> {
    // SAFETY: by contract.
    unsafe {
        let Some(alloc) = (*class).tp_alloc else { return Err(Raised) };
        Own::take(alloc(class, 0))
    }
}

/// Makes an instance of one of our classes from its value.
pub fn new_instance<C>(class: &Made<C>, v: C) -> Result<Own> {
    // SAFETY: only `make` gives a `Made`, of the class that it made for `C`.
    unsafe { allocate(class.0.ptr().cast(), v) }
}

/// The value of an instance of one of our classes, if it is one.
pub fn this_of<'a, C>(class: &Made<C>, o: Ref<'a>) -> Option<&'a C> {
    // SAFETY: the class, which is final, was made for `C`, whose value never moves while the object
    // lives. Nobody can give an instance another class, since it is immutable.
    o.class().as_ref().is(class.0.as_ref()).then(|| unsafe { value(o.ptr()) })
}

unsafe extern "C" fn dealloc<C>(me: *mut PyObject) {
    // SAFETY: the last reference is gone, and the value is that of an instance.
    unsafe {
        dealloc_by(me, |me| core::ptr::drop_in_place(&raw mut (*me.cast::<Instance<C>>()).value));
    }
}

/// # Safety
/// As for `tp_dealloc` of a class that `make` made; `drop` must drop the value of such an instance.
#[inline(never)]
unsafe fn dealloc_by(me: *mut PyObject, drop: unsafe fn(*mut PyObject)) {
    // SAFETY: by contract. The collector must not meet a half-dropped value, so the object is
    // untracked first; a heap class is owned by each of its instances.
    unsafe {
        ffi::PyObject_GC_UnTrack(me.cast());
        let class = ffi::Py_TYPE(me);
        drop(me);
        if let Some(free) = (*class).tp_free {
            free(me.cast());
        }
        ffi::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn traverse<M: Module, C: Class<M>>(
    me: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector passes an instance.
    unsafe { traverse_by(me, visit, arg, |me, visit| value::<C>(me).traverse(visit)) }
}

/// # Safety
/// As for `tp_traverse` of a class that `make` made; `show` must show what the value of such an instance owns.
#[inline(never)]
unsafe fn traverse_by(
    me: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
    show: unsafe fn(*mut PyObject, &mut Visit<'_>),
) -> c_int {
    // SAFETY: by contract; the class is part of what an instance owns.
    unsafe {
        let mut v = Visit::new(visit, arg);
        show(me, &mut v);
        if v.stop == 0 { visit(ffi::Py_TYPE(me).cast(), arg) } else { v.stop }
    }
}

unsafe extern "C" fn repr<M: Module, C: Class<M>>(me: *mut PyObject) -> *mut PyObject {
    // SAFETY: as for a method.
    unsafe { repr_by(me, |me| value::<C>(me).repr()) }
}

/// # Safety
/// `me` must be an instance that `repr` is for.
#[inline(never)]
unsafe fn repr_by(me: *mut PyObject, repr: unsafe fn(*mut PyObject) -> Result<Own>) -> *mut PyObject {
    // SAFETY: by contract.
    guard::object(|| unsafe { repr(me) })
}

unsafe extern "C" fn iter(me: *mut PyObject) -> *mut PyObject {
    // SAFETY: the object is alive; a new reference is what is wanted.
    unsafe { ffi::Py_NewRef(me) }
}

unsafe extern "C" fn iter_next<M: Module, C: Class<M>>(me: *mut PyObject) -> *mut PyObject {
    guard::object(|| {
        // SAFETY: as for a method. Null without an exception is the end.
        match unsafe { C::next(state(me)?, value(me))? } {
            Some(o) => Ok(o),
            None => Err(Raised),
        }
    })
}

unsafe extern "C" fn compare<M: Module, C: Class<M>>(
    me: *mut PyObject,
    other: *mut PyObject,
    op: c_int,
) -> *mut PyObject {
    guard::object(|| {
        let op = match op {
            ffi::Py_EQ => Compare::Equal,
            ffi::Py_NE => Compare::NotEqual,
            _ => return Ok(scalar::not_implemented()),
        };
        // SAFETY: as for a method; the other object is alive, and read only if it is of the same class.
        unsafe {
            if ffi::Py_TYPE(me) != ffi::Py_TYPE(other) {
                return Ok(scalar::not_implemented());
            }
            let same = value::<C>(me).bytes().0 == value::<C>(other).bytes().0;
            Ok(scalar::bool(same == (op == Compare::Equal)))
        }
    })
}

unsafe extern "C" fn hash<M: Module, C: Class<M>>(me: *mut PyObject) -> ffi::Py_hash_t {
    guard::number(-1, || {
        // SAFETY: as for a method.
        crate::bytes::bytes(unsafe { value::<C>(me) }.bytes().0)?.as_ref().hash()
    })
}

unsafe extern "C" fn length<M: Module, C: Class<M>>(me: *mut PyObject) -> isize {
    // SAFETY: as for a method.
    guard::number(-1, || Ok(unsafe { value::<C>(me) }.bytes().0.len() as isize))
}

unsafe extern "C" fn buffer<M: Module, C: Class<M>>(
    me: *mut PyObject,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> c_int {
    // SAFETY: as for a method; the bytes never change, so the view is read-only, and it owns the
    // object.
    unsafe {
        let b = value::<C>(me).bytes().0;
        ffi::PyBuffer_FillInfo(view, me, b.as_ptr().cast_mut().cast(), b.len() as isize, 1, flags)
    }
}

/// What [`make`] says of a class: all that is made of it need not be compiled for each.
struct Plan {
    name: *const c_char,
    doc: *const c_char,
    size: usize,
    /// The functions of [`SLOTS`].
    slots: [*mut c_void; 4],
    /// Adds the rest.
    more: fn(&mut Parts),
}

/// What some classes have more of than others.
struct Parts {
    slots: Vec<(c_int, *mut c_void)>,
    methods: Vec<ffi::PyMethodDef>,
    getters: Vec<ffi::PyGetSetDef>,
}

/// The slots that each class has of its own.
static SLOTS: [c_int; 4] = [ffi::Py_tp_new, ffi::Py_tp_dealloc, ffi::Py_tp_traverse, ffi::Py_tp_repr];

/// Makes the class.
pub(crate) fn make<M: Module, C: Class<M>>(module: Ref<'_>) -> Result<Made<C>> {
    let plan = Plan {
        name: C::NAME.as_ptr(),
        doc: C::DOC.as_ptr(),
        size: size_of::<Instance<C>>(),
        slots: [
            new::<M, C> as *mut c_void,
            dealloc::<C> as *mut c_void,
            traverse::<M, C> as *mut c_void,
            repr::<M, C> as *mut c_void,
        ],
        more: more::<M, C>,
    };
    // SAFETY: the functions are those of the class of `C`, which has room for its value.
    unsafe { make_by(module, &plan) }.map(|class| Made(class, PhantomData))
}

fn more<M: Module, C: Class<M>>(parts: &mut Parts) {
    C::methods(&mut parts.methods);
    C::getters(&mut parts.getters);
    let all = &mut parts.slots;
    if C::ITERATES {
        all.push((ffi::Py_tp_iter, iter as *mut c_void));
        all.push((ffi::Py_tp_iternext, iter_next::<M, C> as *mut c_void));
    }
    if C::IS_BYTES {
        all.push((ffi::Py_tp_richcompare, compare::<M, C> as *mut c_void));
        all.push((ffi::Py_tp_hash, hash::<M, C> as *mut c_void));
        all.push((ffi::Py_sq_length, length::<M, C> as *mut c_void));
        all.push((ffi::Py_bf_getbuffer, buffer::<M, C> as *mut c_void));
    }
}

/// # Safety
/// The slots must fit each other and the size, the texts end with zero and live for ever.
#[inline(never)]
unsafe fn make_by(module: Ref<'_>, plan: &Plan) -> Result<Own> {
    let slots = SLOTS.into_iter().zip(plan.slots).collect();
    let mut parts = Parts { slots, methods: Vec::new(), getters: Vec::new() };
    (plan.more)(&mut parts);
    let mut all = parts.slots;
    all.push(method_table(parts.methods));
    all.push(getter_table(parts.getters));
    let flags = ffi::Py_TPFLAGS_HAVE_GC | ffi::Py_TPFLAGS_IMMUTABLETYPE;
    // SAFETY: by contract.
    unsafe {
        let texts = (CStr::from_ptr(plan.name), CStr::from_ptr(plan.doc));
        let class = make_type(module, texts, plan.size, flags, &all, core::ptr::null_mut())?;
        module::add_below(module, texts.0, &class)?;
        Ok(class)
    }
}

/// Ends a table of methods. The interpreter keeps a pointer to it for as long as the class lives.
pub(crate) fn method_table(mut all: Vec<ffi::PyMethodDef>) -> (c_int, *mut c_void) {
    all.push(ffi::PyMethodDef::END);
    (ffi::Py_tp_methods, Box::leak(all.into_boxed_slice()).as_mut_ptr().cast())
}

/// The same of attributes.
pub(crate) fn getter_table(mut all: Vec<ffi::PyGetSetDef>) -> (c_int, *mut c_void) {
    all.push(ffi::PyGetSetDef::END);
    (ffi::Py_tp_getset, Box::leak(all.into_boxed_slice()).as_mut_ptr().cast())
}

/// Makes a class of a module.
///
/// # Safety
/// The slots must fit each other, the size and the flags; what they point at must live as long as the class.
#[inline(never)]
pub(crate) unsafe fn make_type(
    module: Ref<'_>,
    (name, doc): (&CStr, &CStr),
    size: usize,
    flags: c_ulong,
    slots: &[(c_int, *mut c_void)],
    bases: *mut PyObject,
) -> Result<Own> {
    let mut all: Vec<_> = slots.iter().map(|&(slot, pfunc)| ffi::PyType_Slot { slot, pfunc }).collect();
    let mut doc = unpacked(doc);
    all.push(ffi::PyType_Slot { slot: ffi::Py_tp_doc, pfunc: doc.as_mut_ptr().cast() });
    all.push(ffi::PyType_Slot { slot: 0, pfunc: core::ptr::null_mut() });
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr().cast::<c_char>(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | flags) as c_uint,
        slots: all.as_mut_ptr(),
    };
    // SAFETY: the spec and its slots are complete, and copied where they do not live on.
    unsafe {
        #[cfg(Py_3_12)]
        let class = ffi::PyType_FromMetaclass(core::ptr::null_mut(), module.ptr(), &mut spec, bases);
        #[cfg(not(Py_3_12))]
        let class = ffi::PyType_FromModuleAndSpec(module.ptr(), &mut spec, bases);
        Own::take(class)
    }
}
