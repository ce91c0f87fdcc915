//! The metaclass of such classes, and the base that gives their instances behaviour.
//!
//! What may surprise: the room for a class's shape lies behind what `type` itself needs, whose size is
//! asked for at run time; between the birth of a class and [`Shaped::finish`] it is empty, and the class
//! makes no instances.

use alloc::boxed::Box;
use alloc::vec::Vec;
#[cfg(Py_3_12)]
use core::ffi::c_uint;
use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;
use core::ptr::{NonNull, null_mut};
use wire::say;

use crate::sys::{self as ffi, PyObject, PyTypeObject};

use super::compare::compare;
use super::free::{clear, dealloc_tracked, dealloc_untracked, traverse};
use super::{Carried, Fresh, Layout, Maker, Place, This, turned};
use crate::args::{Args, Spread};
use crate::class::{Compare, getter_table, make_type, method_table};
use crate::direct::OldTexts;
use crate::guard;
use crate::module::Visit;
use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result};
use crate::types::Type;

/// What a class carries, and how its instances behave.
pub trait Shape: Sized + 'static {
    /// The metaclass: its name with its module, and its docstring.
    const META: (&'static CStr, &'static CStr);
    /// The same for the first class, which all others inherit from.
    const FIRST: (&'static CStr, &'static CStr);

    /// Makes a class: `args` are those that the metaclass was called with.
    fn define(meta: Meta<'_, Self>, args: &Args<'_>) -> Result<Own>;
    /// Makes an instance out of the arguments of its class.
    fn construct(fresh: Fresh<'_, Self>, args: &Args<'_>) -> Result<Own>;
    /// The memory of texts that went with instances, which all classes of an interpreter share.
    fn texts(&self) -> &OldTexts;
    /// Visits every object that is owned and could be part of a cycle.
    fn traverse(&self, visit: &mut Visit<'_>);
    /// Compares; nothing if the other is to be asked.
    fn compare(a: This<'_, Self>, b: This<'_, Self>, op: Compare) -> Result<Option<Own>>;
    /// The hash.
    fn hash(me: This<'_, Self>) -> Result<isize>;
    /// `repr()`.
    fn repr(me: This<'_, Self>) -> Result<Own>;
    /// Sets an attribute, or deletes it.
    fn set(me: This<'_, Self>, name: Ref<'_>, value: Option<Ref<'_>>) -> Result<()>;
    /// The methods, each added by [`shape_method`].
    fn methods(add: &mut Vec<ffi::PyMethodDef>);
    /// The attributes of a class that are made when they are asked for.
    const ASKED: &'static [&'static CStr];
    /// One of them that is known already, by its place.
    fn known(&self, which: usize) -> Option<&Own>;
    /// One of them.
    fn ask(class: Type<'_>, shape: &Self, which: usize) -> Result<Own>;
}

/// The metaclass and the first class of one interpreter.
pub struct Shaped<S> {
    meta: Own,
    first: Own,
    life: PhantomData<fn() -> S>,
}

/// The metaclass of a class that is being made: ours, or one that inherits from it.
pub struct Meta<'a, S> {
    meta: Type<'a>,
    life: PhantomData<fn() -> S>,
}

/// Where a class keeps what it carries.
///
/// # Safety
/// The class's metaclass must be one of ours.
#[inline(always)]
unsafe fn room<S>(class: *mut PyTypeObject) -> *mut *mut Carried<S> {
    // SAFETY: by contract there is room for a pointer behind what `type` needs.
    unsafe { class.cast::<u8>().offset(ffi::PyType_Type.tp_basicsize).cast() }
}

/// What a class carries, if it is finished.
///
/// # Safety
/// As for [`room`]; the class must live for `'a`.
#[inline(always)]
pub(super) unsafe fn carried<'a, S>(class: *mut PyTypeObject) -> Option<&'a Carried<S>> {
    // SAFETY: by contract; null or a box that goes with the class.
    unsafe { (*room::<S>(class)).as_ref() }
}

/// # Safety
/// `me` must be an instance of a class whose metaclass is ours, alive.
#[inline(always)]
pub(super) unsafe fn instance<'a, S: Shape>(me: *mut PyObject) -> Result<This<'a, S>> {
    // SAFETY: by contract.
    unsafe {
        match carried::<S>(ffi::Py_TYPE(me)) {
            Some(carried) => Ok(This { o: Ref::new(me), carried }),
            None => Err(unfinished()),
        }
    }
}

#[cold]
fn unfinished() -> Raised {
    Builtin::Type.raise(say!("The class is not complete yet"))
}

impl<S: Shape> Shaped<S> {
    /// Makes the metaclass and the first class, which is not finished.
    pub fn new(module: Ref<'_>) -> Result<Shaped<S>> {
        // SAFETY: the functions are those of these classes.
        unsafe {
            let meta = make_meta::<S>(module)?;
            Ok(Shaped { first: make_first::<S>(module, &meta)?, meta, life: PhantomData })
        }
    }

    /// The metaclass.
    pub fn meta(&self) -> &Own {
        &self.meta
    }

    /// The first class.
    pub fn first(&self) -> &Own {
        &self.first
    }

    /// Whether a class is of the metaclass.
    #[inline(always)]
    fn is_ours(&self, class: Type<'_>) -> bool {
        let meta = class.as_ref().class();
        meta.as_ref().is(self.meta.as_ref())
            || self.meta.as_ref().as_type().is_some_and(|m| meta.is_subtype(m))
    }

    /// The metaclass, to finish the first class with.
    pub fn maker_of_first(&self) -> Result<Meta<'_, S>> {
        match self.meta.as_ref().as_type() {
            Some(meta) => Ok(Meta { meta, life: PhantomData }),
            None => Err(unfinished()),
        }
    }

    /// The shape of a class, if it has one.
    pub fn shape<'a>(&self, class: Type<'a>) -> Option<&'a S> {
        // SAFETY: the metaclass is ours, and the class alive as long as the borrow.
        self.is_ours(class).then(|| unsafe { carried::<S>(class.ptr()) })?.map(|c| &c.shape)
    }

    /// What makes instances of a class, if it is one of these.
    pub fn maker(&self, class: Type<'_>) -> Option<Maker<S>> {
        // SAFETY: the metaclass is ours, and the class alive.
        let carried = self.is_ours(class).then(|| unsafe { carried::<S>(class.ptr()) })??;
        Some(Maker { class: class.as_ref().own(), carried: NonNull::from(carried) })
    }

    /// An object as an instance of such a class, if it is one.
    #[inline(always)]
    pub fn this<'a>(&self, o: Ref<'a>) -> Option<This<'a, S>> {
        // SAFETY: the metaclass is ours, and the object keeps its class alive (and `turned` one that it had).
        let carried = self.is_ours(o.class()).then(|| unsafe { carried::<S>(o.class().ptr()) })??;
        Some(This { o, carried })
    }

    /// Whether an object is an instance of a class whose metaclass is exactly ours.
    #[inline(always)]
    pub fn is_plain_instance(&self, o: Ref<'_>) -> bool {
        o.class().as_ref().class().as_ref().is(self.meta.as_ref())
    }
}

/// An object as an instance of a class of this sort, of any interpreter's metaclass.
#[inline]
pub fn this_shaped<S: Shape>(o: Ref<'_>) -> Option<This<'_, S>> {
    // SAFETY: the object keeps its class alive, and that its metaclass, which is looked at first.
    let carried =
        unsafe { is_meta(o.class().as_ref().class().ptr()).then(|| carried::<S>(o.class().ptr()))?? };
    Some(This { o, carried })
}

/// The same, where that is seen at once, as of most.
#[inline(always)]
pub fn this_shaped_at_sight<S: Shape>(o: Ref<'_>) -> Option<This<'_, S>> {
    // SAFETY: as above.
    let carried = unsafe {
        is_meta_at_sight(o.class().as_ref().class().ptr()).then(|| carried::<S>(o.class().ptr()))??
    };
    Some(This { o, carried })
}

impl<'m, S: Shape> Meta<'m, S> {
    /// What a class of this metaclass, or of another of ours, carries.
    fn carried<'a>(&self, class: Type<'a>) -> Option<&'a Carried<S>> {
        // SAFETY: both are alive; what is carried goes with the class.
        unsafe { is_meta(class.as_ref().class().ptr()).then(|| carried::<S>(class.ptr()))? }
    }

    /// The shape of a class, if it has one.
    pub fn shape<'a>(&self, class: Type<'a>) -> Option<&'a S> {
        self.carried(class).map(|c| &c.shape)
    }

    fn inherited_slot(&self, class: Type<'_>, base: &Own, i: usize) -> Option<isize> {
        let base = base.as_ref().as_type()?;
        if !class.is_subtype(base) {
            return None;
        }
        self.carried(base)?.layout.slots.get(i).copied()
    }

    /// The metaclass itself.
    pub fn class(&self) -> Type<'m> {
        self.meta
    }

    /// Whether it is the one made here, and none that inherits from it.
    pub fn is_own(&self) -> bool {
        // SAFETY: comparing addresses; `type` is what the one made here inherits from, and no other one does directly.
        unsafe { (*self.meta.ptr()).tp_base == &raw mut ffi::PyType_Type }
    }

    /// Makes a class as `type` does. It is not finished.
    pub fn begin(&self, name: Ref<'_>, bases: Ref<'_>, namespace: &Own) -> Result<Own> {
        let args = crate::list::tuple(&mut alloc::vec![name.own(), bases.own(), namespace.clone()], 0)?;
        // SAFETY: the metaclass is a subclass of `type`, which makes its instances.
        unsafe {
            let Some(new) = ffi::PyType_Type.tp_new else { return Err(Raised) };
            Own::take(new(self.meta.ptr(), args.ptr(), null_mut()))
        }
    }

    /// Finishes a class: from here on it makes instances, which have these slots, in order.
    #[inline(never)]
    pub fn finish(&self, class: &Own, places: &[Place], gc: bool, shape: S) -> Result<()> {
        let Some(t) = class.as_ref().as_type() else { return Err(unfinished()) };
        // SAFETY: the class is alive.
        if !unsafe { is_meta(t.as_ref().class().ptr()) } {
            return Err(unfinished());
        }
        let mut slots = Vec::with_capacity(places.len());
        for place in places {
            slots.push(match place {
                Place::New(name) => Layout::own_slot(t, name)?,
                Place::Of(base, i) => self.inherited_slot(t, base, *i).ok_or_else(super::odd)?,
            });
        }
        let layout = Layout::of(t, slots, gc);
        let plain = layout.plain;
        let t = t.ptr();
        // SAFETY: the metaclass is ours, and the class was just made, so nothing is an instance of it yet but
        // what its own `__init_subclass__` made in vain. What is not plain keeps the functions that `type`
        // gave it, which know of everything that it holds.
        unsafe {
            let new = Box::into_raw(Box::new(Carried { layout, shape }));
            let room = room::<S>(t);
            if !(*room).is_null() {
                drop(Box::from_raw(new));
                return Err(unfinished());
            }
            if plain {
                if gc {
                    (*t).tp_flags |= ffi::Py_TPFLAGS_HAVE_GC;
                    (*t).tp_free = Some(ffi::PyObject_GC_Del);
                    (*t).tp_dealloc = Some(dealloc_tracked::<S>);
                } else {
                    (*t).tp_flags &= !ffi::Py_TPFLAGS_HAVE_GC;
                    (*t).tp_free = Some(ffi::PyObject_Free);
                    (*t).tp_dealloc = Some(dealloc_untracked::<S>);
                }
                (*t).tp_traverse = Some(traverse::<S>);
                (*t).tp_clear = Some(clear::<S>);
            }
            (*t).tp_vectorcall = Some(vectorcall::<S>);
            *room = new;
        }
        Ok(())
    }
}

/// # Safety
/// To be called once, with the module that is being made.
#[inline(never)]
unsafe fn make_meta<S: Shape>(module: Ref<'_>) -> Result<Own> {
    let members = alloc::vec![
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            kind: ffi::Py_T_PYSSIZET,
            offset: core::mem::offset_of!(PyTypeObject, tp_vectorcall) as isize,
            flags: ffi::Py_READONLY,
            doc: core::ptr::null(),
        },
        ffi::PyMemberDef { name: core::ptr::null(), kind: 0, offset: 0, flags: 0, doc: core::ptr::null() },
    ];
    let slots = [
        (ffi::Py_tp_new, define::<S> as *mut c_void),
        (ffi::Py_tp_repr, class_repr as *mut c_void),
        (ffi::Py_tp_dealloc, class_dealloc::<S> as *mut c_void),
        (ffi::Py_tp_traverse, class_traverse::<S> as *mut c_void),
        (ffi::Py_tp_clear, class_clear as *mut c_void),
        (ffi::Py_tp_members, Box::leak(members.into_boxed_slice()).as_mut_ptr().cast()),
        getters::<S>(ask_class::<S>),
    ];
    // SAFETY: reading fields of a type.
    let size = unsafe { ffi::PyType_Type.tp_basicsize } as usize + size_of::<*mut c_void>();
    let flags = ffi::Py_TPFLAGS_BASETYPE | ffi::Py_TPFLAGS_HAVE_GC | ffi::Py_TPFLAGS_HAVE_VECTORCALL;
    // SAFETY: the functions fit a metaclass, whose instances have room for a pointer; `type` lives for ever.
    unsafe { make_type(module, S::META, size, flags, &slots, (&raw mut ffi::PyType_Type).cast()) }
}

/// What the classes do, as slots of a class.
fn behaviour<S: Shape>() -> [(c_int, *mut c_void); 7] {
    let mut methods = Vec::new();
    S::methods(&mut methods);
    [
        (ffi::Py_tp_new, new::<S> as *mut c_void),
        (ffi::Py_tp_repr, repr::<S> as *mut c_void),
        (ffi::Py_tp_hash, hash::<S> as *mut c_void),
        (ffi::Py_tp_richcompare, compare::<S> as *mut c_void),
        (ffi::Py_tp_setattro, set::<S> as *mut c_void),
        method_table(methods),
        getters::<S>(ask_instance::<S>),
    ]
}

/// Makes the first class, which is not finished. It behaves by itself: with a base between it and `object`, which
/// is how it must be done in older versions, defining a class takes longer by a tenth.
///
/// # Safety
/// To be called once, with the module and its metaclass.
#[cfg(Py_3_12)]
#[inline(never)]
unsafe fn make_first<S: Shape>(module: Ref<'_>, meta: &Own) -> Result<Own> {
    let ((name, doc), mut slots) = (S::FIRST, behaviour::<S>().to_vec());
    slots.extend_from_slice(&[
        (ffi::Py_tp_doc, doc.as_ptr().cast_mut().cast()),
        (ffi::Py_tp_dealloc, dealloc_tracked::<S> as *mut c_void),
        (ffi::Py_tp_traverse, traverse::<S> as *mut c_void),
        (ffi::Py_tp_clear, clear::<S> as *mut c_void),
        (0, null_mut()),
    ]);
    let mut slots: Vec<_> = slots.iter().map(|&(slot, pfunc)| ffi::PyType_Slot { slot, pfunc }).collect();
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<PyObject>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE | ffi::Py_TPFLAGS_HAVE_GC) as c_uint,
        slots: slots.as_mut_ptr(),
    };
    let meta = meta.ptr().cast::<PyTypeObject>();
    // SAFETY: the functions fit instances without slots. The interpreter makes no class in this way for a
    // metaclass that makes classes itself, so ours, which nobody else has seen, does not meanwhile. Classes made
    // in this way name their module in `tp_name`, the others do not; the text belongs to the class.
    unsafe {
        let own = core::mem::replace(&mut (*meta).tp_new, ffi::PyType_Type.tp_new);
        let class = Own::take(ffi::PyType_FromMetaclass(meta, module.ptr(), &mut spec, null_mut()));
        (*meta).tp_new = own;
        let class = class?;
        let prefix = name.to_bytes().iter().rposition(|&b| b == b'.').map_or(0, |at| at + 1);
        let t = class.ptr().cast::<PyTypeObject>();
        (*t).tp_name = (*t).tp_name.add(prefix);
        Ok(class)
    }
}

/// The same over a base with the same name, which behaves.
///
/// # Safety
/// As above.
#[cfg(not(Py_3_12))]
unsafe fn make_first<S: Shape>(module: Ref<'_>, meta: &Own) -> Result<Own> {
    let Some(meta) = meta.as_ref().as_type() else { return Err(unfinished()) };
    // SAFETY: the functions fit instances of the classes that this will be the base of; it makes none of its own.
    let base = unsafe {
        let (size, flags) = (size_of::<PyObject>(), ffi::Py_TPFLAGS_BASETYPE);
        make_type(module, S::FIRST, size, flags, &behaviour::<S>(), null_mut())?
    };
    let namespace = crate::dict::new_dict()?;
    for name in ["__module__", "__doc__"] {
        let name = crate::str::text(name)?;
        crate::dict::dict_put(&namespace, name.as_ref(), base.as_ref().attr(&name)?.as_ref())?;
    }
    crate::dict::dict_set(&namespace, "__slots__", &crate::list::tuple(&mut Vec::new(), 0)?)?;
    let name = base.as_ref().attr_named(c"__name__")?;
    let bases = crate::list::tuple(&mut alloc::vec![base], 0)?;
    Meta::<S> { meta, life: PhantomData }.begin(name.as_ref(), bases.as_ref(), &namespace)
}

unsafe extern "C" fn define<S: Shape>(
    meta: *mut PyTypeObject,
    args: *mut PyObject,
    kwargs: *mut PyObject,
) -> *mut PyObject {
    guard::object(|| {
        // SAFETY: the interpreter passes our metaclass or a subclass, a tuple, and a dict or null.
        unsafe {
            let spread = Spread::new(args, kwargs);
            S::define(Meta { meta: Type::new(meta), life: PhantomData }, &spread.args())
        }
    })
}

unsafe extern "C" fn class_traverse<S: Shape>(
    me: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector passes a class of our metaclass; what `type` holds is for `type` to visit.
    unsafe {
        if let Some(c) = carried::<S>(me.cast()) {
            let mut v = Visit::new(visit, arg);
            c.shape.traverse(&mut v);
            if v.stop != 0 {
                return v.stop;
            }
        }
        let stop = visit(ffi::Py_TYPE(me).cast(), arg);
        match ffi::PyType_Type.tp_traverse {
            Some(f) if stop == 0 => f(me, visit, arg),
            _ => stop,
        }
    }
}

unsafe extern "C" fn class_clear(me: *mut PyObject) -> c_int {
    // SAFETY: as above. The shape stays: instances of the same garbage are still to be freed. What it owns
    // leads back to the class only through what lets go of the class itself.
    unsafe { ffi::PyType_Type.tp_clear.map_or(0, |f| f(me)) }
}

unsafe extern "C" fn class_dealloc<S: Shape>(me: *mut PyObject) {
    // SAFETY: the last reference is gone, so there is no instance. Dropping the shape may run anything, so
    // the collector must not meet the class meanwhile; `type` expects it to be tracked.
    unsafe {
        let meta = ffi::Py_TYPE(me);
        ffi::PyObject_GC_UnTrack(me.cast());
        let c = core::ptr::replace(room::<S>(me.cast()), null_mut());
        if !c.is_null() {
            drop(Box::from_raw(c));
        }
        ffi::PyObject_GC_Track(me.cast());
        if let Some(f) = ffi::PyType_Type.tp_dealloc {
            f(me);
        }
        ffi::Py_DECREF(meta.cast());
    }
}

unsafe extern "C" fn ask_class<S: Shape>(me: *mut PyObject, which: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes a class of our metaclass, and what stands in the table.
    guard::object(|| unsafe {
        // An attribute that is not there yet, for whoever asks whether it is.
        let Some(c) = carried::<S>(me.cast()) else {
            return Err(Builtin::Attribute.raise(say!("The class is not complete yet")));
        };
        match c.shape.known(which.addr()) {
            Some(known) => Ok(known.as_ref().own()),
            None => S::ask(Type::new(me.cast()), &c.shape, which.addr()),
        }
    })
}

unsafe extern "C" fn ask_instance<S: Shape>(me: *mut PyObject, which: *mut c_void) -> *mut PyObject {
    // SAFETY: the interpreter passes an instance, whose class is of our metaclass.
    unsafe { ask_class::<S>(ffi::Py_TYPE(me).cast(), which) }
}

/// A table of the attributes that are made when they are asked for, and of the class.
fn getters<S: Shape>(get: ffi::getter) -> (c_int, *mut c_void) {
    let row = |(i, name): (usize, &&'static CStr)| ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        closure: core::ptr::without_provenance_mut(i),
        ..ffi::PyGetSetDef::END
    };
    let mut all = S::ASKED.iter().enumerate().map(row).collect();
    turned::add(&mut all);
    getter_table(all)
}

/// The call of a class.
unsafe extern "C" fn vectorcall<S: Shape>(
    class: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    guard::object(|| {
        // The highest bit says that there is room before the arguments.
        let n = n as usize & (usize::MAX >> 1);
        // SAFETY: only finished classes are called so, with arguments of the protocol.
        unsafe {
            let Some(c) = carried::<S>(class.cast()) else { return Err(unfinished()) };
            let fresh = Fresh::new(Type::new(class.cast()), c)?;
            S::construct(fresh, &Args::fast(args, n, names))
        }
    })
}

/// The same, for whoever calls a subclass of the metaclass, or `__new__`.
unsafe extern "C" fn new<S: Shape>(
    class: *mut PyTypeObject,
    args: *mut PyObject,
    kwargs: *mut PyObject,
) -> *mut PyObject {
    guard::object(|| {
        // SAFETY: the interpreter passes a class that behaves like this, a tuple, and a dict or null. What is finished
        // has the function above, which is called.
        unsafe {
            if !is_meta(ffi::Py_TYPE(class.cast())) || carried::<S>(class).is_none() {
                return Err(unfinished());
            }
            Own::take(ffi::PyVectorcall_Call(class.cast(), args, kwargs))
        }
    })
}

/// `repr()` of a class, which `type` knows. That this function stands in a metaclass says that it is ours: unlike
/// those for a shape, it is compiled once.
unsafe extern "C" fn class_repr(me: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter passes a class.
    unsafe { ffi::PyType_Type.tp_repr.map_or(null_mut(), |f| f(me)) }
}

/// Whether a metaclass is ours or inherits from it. (There is one shape.)
///
/// # Safety
/// `meta` must be a type, alive.
pub(super) unsafe fn is_meta(mut meta: *mut PyTypeObject) -> bool {
    // SAFETY: by contract; the bases of a type live as long as it does.
    unsafe {
        while !meta.is_null() {
            if is_meta_at_sight(meta) {
                return true;
            }
            meta = (*meta).tp_base;
        }
    }
    false
}

/// Whether that is seen at once: a metaclass that inherits from ours and has a `__repr__` of its own is not seen to be one.
///
/// # Safety
/// As for [`is_meta`].
#[inline(always)]
unsafe fn is_meta_at_sight(meta: *mut PyTypeObject) -> bool {
    // SAFETY: by contract.
    unsafe {
        (*meta).tp_repr.map(|f| f as usize) == Some(class_repr as *const () as usize)
            && (*meta).tp_basicsize > ffi::PyType_Type.tp_basicsize
    }
}

unsafe extern "C" fn repr<S: Shape>(me: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter passes an instance, and wants to know when it is left.
    guard::object(|| unsafe {
        let this = instance::<S>(me)?;
        match ffi::Py_ReprEnter(me) {
            0 => {
                let r = S::repr(this);
                ffi::Py_ReprLeave(me);
                r
            }
            n if n > 0 => crate::str::text("..."),
            _ => Err(Raised),
        }
    })
}

unsafe extern "C" fn hash<S: Shape>(me: *mut PyObject) -> ffi::Py_hash_t {
    // SAFETY: the interpreter passes an instance.
    guard::number(-1, || S::hash(unsafe { instance::<S>(me)? }))
}

unsafe extern "C" fn set<S: Shape>(me: *mut PyObject, name: *mut PyObject, v: *mut PyObject) -> c_int {
    guard::number(-1, || {
        // SAFETY: the interpreter passes an instance, a name, and a value or null.
        unsafe {
            let v = (!v.is_null()).then(|| Ref::new(v));
            S::set(instance::<S>(me)?, Ref::new(name), v).map(|()| 0)
        }
    })
}
