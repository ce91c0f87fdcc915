//! The module: multi-phase initialisation (PEP 489), state for each interpreter, functions.
//!
//! What may surprise: the state of a module is one pointer to a box, which is taken away when
//! the collector clears the module. A function that is called after that, by a finalizer of the
//! same garbage, finds nothing and raises.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use wire::say;

use crate::sys as ffi;
use crate::sys::PyObject;

use crate::args::Args;
use crate::call;
use crate::class::{self, Class, Made};
use crate::guard;
use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result};

/// A module, as the state that each interpreter has of it.
pub trait Module: Sized + 'static {
    /// The name, with its packages.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// Fills the module and makes its state.
    fn new(m: &Building<'_, Self>) -> Result<Self>;
    /// Visits every object that the state owns and that could be part of a cycle.
    fn traverse(&self, visit: &mut Visit<'_>);
}

/// A function of a module.
pub trait Function<M> {
    /// Its name, with the module that it says it is of. Ours has it under what stands below the package: `json.encode` is
    /// its `json_encode`.
    const NAME: &'static CStr;
    /// The docstring, which may begin with a signature (`name(args)\n--\n\n`).
    const DOC: &'static CStr;
    /// Whether the way from the interpreter to `call` is compiled for it, to be the shortest.
    const OFTEN: bool = false;
    /// The call.
    fn call(state: &M, args: &Args<'_>) -> Result<Own>;
}

/// A function that asks nothing of its module, and so can be called while that is being made.
pub trait Early {
    /// As a [`Function`]'s.
    const NAME: &'static CStr;
    /// As a [`Function`]'s.
    const DOC: &'static CStr = c"";
    /// The call.
    fn call(args: &Args<'_>) -> Result<Own>;
}

/// The collector at work.
pub struct Visit<'a> {
    visit: ffi::visitproc,
    arg: *mut c_void,
    pub(crate) stop: c_int,
    life: core::marker::PhantomData<&'a ()>,
}

impl Visit<'_> {
    /// Shows an object to the collector.
    #[inline(never)]
    pub fn object(&mut self, o: &Own) {
        if self.stop == 0 {
            // SAFETY: the collector's own function and argument, and a living object.
            self.stop = unsafe { (self.visit)(o.ptr(), self.arg) };
        }
    }

    /// The same for one that may not be there.
    #[inline(never)]
    pub fn maybe(&mut self, o: Option<&Own>) {
        if let Some(o) = o {
            self.object(o);
        }
    }

    /// # Safety
    /// Must be what the collector passed.
    pub(crate) unsafe fn new(visit: ffi::visitproc, arg: *mut c_void) -> Self {
        Visit { visit, arg, stop: 0, life: core::marker::PhantomData }
    }
}

/// A module that is being filled.
pub struct Building<'a, M> {
    module: Ref<'a>,
    state: core::marker::PhantomData<M>,
}

impl<M: Module> Building<'_, M> {
    /// Adds an object.
    pub fn add(&self, name: &CStr, o: &Own) -> Result<()> {
        add(self.module, name, o)
    }

    /// Adds functions, each listed by [`function`].
    pub fn add_functions(&self, all: Vec<ffi::PyMethodDef>) -> Result<()> {
        // SAFETY: they are functions of this module, and their texts live for ever.
        unsafe { add_functions(self.module, all) }
    }

    /// The module itself.
    pub fn module(&self) -> Ref<'_> {
        self.module
    }

    /// Makes a class of the module, which has it under a name as that of a [`Function`].
    pub fn class<C: Class<M>>(&self) -> Result<Made<C>> {
        class::make::<M, C>(self.module)
    }
}

#[inline(never)]
fn add(module: Ref<'_>, name: &CStr, o: &Own) -> Result<()> {
    // SAFETY: both are alive, the name ends with zero.
    match unsafe { ffi::PyObject_SetAttrString(module.ptr(), name.as_ptr(), o.ptr()) } {
        0 => Ok(()),
        _ => Err(Raised),
    }
}

/// Adds what has a name with modules, under what stands below the package.
pub(crate) fn add_below(module: Ref<'_>, path: &CStr, o: &Own) -> Result<()> {
    let mut name = path.to_bytes_with_nul().to_vec();
    let package = name.iter().position(|&b| b == b'.').map_or(0, |dot| dot + 1);
    for b in &mut name {
        if *b == b'.' {
            *b = b'_';
        }
    }
    // SAFETY: it ends with zero, which is no dot, so there is something behind the last.
    add(module, unsafe { CStr::from_ptr(name.as_ptr().add(package).cast()) }, o)
}

/// Lists a function, for [`Building::add_functions`].
pub fn function<M: Module, F: Function<M>>(all: &mut Vec<ffi::PyMethodDef>) {
    class::add_method(all, F::NAME.as_ptr(), call_function::<M, F>, F::DOC.as_ptr());
}

/// Lists one that asks nothing of the module.
pub fn early<F: Early>(all: &mut Vec<ffi::PyMethodDef>) {
    class::add_method(all, F::NAME.as_ptr(), call_early::<F>, F::DOC.as_ptr());
}

/// The trampoline of such a function.
unsafe extern "C" fn call_early<F: Early>(
    _: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter passes arguments of the protocol that was declared.
    guard::object(|| F::call(&unsafe { Args::fast(args, n as usize, names) }))
}

/// # Safety
/// The functions must be such that take the module as self, their names be made of several, and live for ever.
#[inline(never)]
unsafe fn add_functions(module: Ref<'_>, all: Vec<ffi::PyMethodDef>) -> Result<()> {
    // The interpreter keeps a pointer to each definition for as long as the function lives.
    for def in Box::leak(all.into_boxed_slice()) {
        // SAFETY: by contract; the module becomes the function's self.
        unsafe {
            let path = CStr::from_ptr(def.ml_name);
            let dot = path.to_bytes().iter().rposition(|&b| b == b'.').unwrap_or_default();
            let of = crate::str::str_from(path.to_bytes().get(..dot).unwrap_or_default())?;
            def.ml_name = def.ml_name.add(dot + 1);
            let f = Own::take(ffi::PyCFunction_NewEx(def, module.ptr(), of.ptr()))?;
            add_below(module, path, &f)?;
        }
    }
    Ok(())
}

/// What Python gives for the state of a module, one thing after the other.
pub struct Given(Own);

impl Given {
    /// What calling a function of a module gives, with ours, and whether objects of this interpreter can be made by hand.
    pub fn new<M: Module>(m: &Building<'_, M>, module: &CStr, name: &CStr) -> Result<Given> {
        let f = call::import(module)?.as_ref().attr_named(name)?;
        let all = call::call(f.as_ref(), &[m.module, crate::scalar::bool(crate::trial::KNOWN).as_ref()])?;
        call::iterate(all.as_ref()).map(Given)
    }

    /// The next; None beyond the last, which there always is.
    #[inline(never)]
    pub fn take(&mut self) -> Own {
        call::next(&self.0).ok().flatten().unwrap_or_else(crate::scalar::none)
    }

    /// The next as a number.
    pub fn number(&mut self) -> i64 {
        crate::int::number(self.take().as_ref())
    }
}

/// The trampoline of a function.
unsafe extern "C" fn call_function<M: Module, F: Function<M>>(
    module: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter calls a function of the module with the module as self, which
    // lives as long as the call, and with arguments of the protocol that was declared.
    unsafe {
        match F::OFTEN {
            true => called(module, (args, n, names), F::call),
            false => called_seldom(module, (args, n, names), F::call),
        }
    }
}

/// What the interpreter passes to a function besides what it is of: arguments, how many, and the names of more.
pub(crate) type Passed = (*const *mut PyObject, isize, *mut PyObject);

/// # Safety
/// `module` must be the module that `M` declares, and the arguments those of the protocol, alive for the call.
#[inline(always)]
unsafe fn called<M: Module>(
    module: *mut PyObject,
    (args, n, names): Passed,
    call: impl FnOnce(&M, &Args<'_>) -> Result<Own>,
) -> *mut PyObject {
    // SAFETY: by contract.
    guard::object(|| unsafe { call(state(module)?, &Args::fast(args, n as usize, names)) })
}

/// As above, compiled once.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn called_seldom<M: Module>(
    module: *mut PyObject,
    passed: Passed,
    call: fn(&M, &Args<'_>) -> Result<Own>,
) -> *mut PyObject {
    // SAFETY: by contract.
    unsafe { called(module, passed, call) }
}

/// The state of a module.
///
/// # Safety
/// `module` must be the module that `M` declares, alive for `'a`.
#[inline(always)]
pub(crate) unsafe fn state<'a, M: Module>(module: *mut PyObject) -> Result<&'a M> {
    // SAFETY: by contract.
    unsafe { from_cell(ffi::PyModule_GetState(module)) }
}

/// # Safety
/// `cell` must be null or the state of the module that `M` declares, alive for `'a`.
#[inline(always)]
pub(crate) unsafe fn from_cell<'a, M: Module>(cell: *mut c_void) -> Result<&'a M> {
    if !cell.is_null() {
        // SAFETY: the state is one pointer, null or from a box.
        unsafe {
            let p = *cell.cast::<*mut M>();
            if !p.is_null() {
                return Ok(&*p);
            }
        }
    }
    Err(cleared())
}

#[cold]
#[inline(never)]
fn cleared() -> Raised {
    Builtin::Runtime.raise(say!("oxwire: the module has been cleared"))
}

unsafe extern "C" fn exec<M: Module>(module: *mut PyObject) -> c_int {
    guard::number(-1, || {
        // SAFETY: the interpreter calls this once for each module that it makes, with zeroed state.
        unsafe {
            let m = Building::<M> { module: Ref::new(module), state: core::marker::PhantomData };
            let state = Box::new(M::new(&m)?);
            *ffi::PyModule_GetState(module).cast::<*mut M>() = Box::into_raw(state);
        }
        Ok(0)
    })
}

unsafe extern "C" fn traverse<M: Module>(
    module: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector passes the module; its state is null before `exec` and after `clear`.
    unsafe {
        let cell = ffi::PyModule_GetState(module).cast::<*mut M>();
        if cell.is_null() || (*cell).is_null() {
            return 0;
        }
        let mut v = Visit::new(visit, arg);
        (**cell).traverse(&mut v);
        v.stop
    }
}

unsafe extern "C" fn clear<M: Module>(module: *mut PyObject) -> c_int {
    // SAFETY: the collector clears garbage only, so no call that borrows the state is under way;
    // the pointer is taken before the box is dropped, since dropping runs finalizers.
    unsafe {
        let cell = ffi::PyModule_GetState(module).cast::<*mut M>();
        if !cell.is_null() {
            let p = core::mem::replace(&mut *cell, null_mut());
            if !p.is_null() {
                drop(Box::from_raw(p));
            }
        }
    }
    0
}

unsafe extern "C" fn free<M: Module>(module: *mut c_void) {
    // SAFETY: as for `clear`; the module is being freed.
    unsafe {
        clear::<M>(module.cast());
    }
}

/// The definition, which is the same for every interpreter. It holds no object.
static DEFINITION: AtomicPtr<ffi::PyModuleDef> = AtomicPtr::new(null_mut());

/// What the entry point of the extension gives to the interpreter.
pub fn init<M: Module>() -> *mut c_void {
    let mut def = DEFINITION.load(Ordering::Acquire);
    if def.is_null() {
        let new = Box::into_raw(Box::new(definition::<M>()));
        match DEFINITION.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => def = new,
            Err(other) => {
                // SAFETY: nobody has seen the one that was not needed.
                drop(unsafe { Box::from_raw(new) });
                def = other;
            }
        }
    }
    // SAFETY: the definition lives for ever and is complete.
    unsafe { ffi::PyModuleDef_Init(def).cast() }
}

fn definition<M: Module>() -> ffi::PyModuleDef {
    let mut slots =
        alloc::vec![ffi::PyModuleDef_Slot { slot: ffi::Py_mod_exec, value: exec::<M> as *mut c_void }];
    #[cfg(Py_3_12)]
    slots.push(ffi::PyModuleDef_Slot {
        slot: ffi::Py_mod_multiple_interpreters,
        value: ffi::Py_MOD_PER_INTERPRETER_GIL_SUPPORTED,
    });
    #[cfg(Py_3_13)]
    slots.push(ffi::PyModuleDef_Slot { slot: ffi::Py_mod_gil, value: ffi::Py_MOD_GIL_NOT_USED });
    slots.push(ffi::PyModuleDef_Slot { slot: 0, value: null_mut() });
    ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_Base::head(),
        m_name: M::NAME.as_ptr(),
        m_doc: M::DOC.as_ptr().cast::<c_char>(),
        m_size: size_of::<*mut M>() as isize,
        m_methods: null_mut(),
        m_slots: Box::leak(slots.into_boxed_slice()).as_mut_ptr(),
        m_traverse: Some(traverse::<M>),
        m_clear: Some(clear::<M>),
        m_free: Some(free::<M>),
    }
}

/// Collection switched off while this stands.
pub struct GcPause(());

/// Switches collection off for a stretch that makes many containers and runs no user code.
///
/// Containers are counted all the same. If what was made is still there when the next container
/// is made, by anybody, the collection that it deserves begins then; if it was dropped by then,
/// the count went down with it and there is nothing to collect. So collections keep their
/// proportion to what is kept, and only those are saved that would have looked through a
/// document for cycles which it cannot have.
///
/// Where threads run at once, another's collection is not ours to put off.
pub fn pause_gc() -> Option<GcPause> {
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: the thread is attached. The value is made only if collection was on: dropping it switches
    // collection on, which its owner may have switched off.
    unsafe {
        (ffi::PyGC_Disable() == 1).then(|| GcPause(()))
    }
    #[cfg(Py_GIL_DISABLED)]
    None
}

impl Drop for GcPause {
    fn drop(&mut self) {
        // SAFETY: the thread is attached; it was on before.
        unsafe { ffi::PyGC_Enable() };
    }
}
