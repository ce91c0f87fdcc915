//! Classes made at run time whose instances hold their values in slots: what such an instance is in
//! memory, and how it is made, read, changed, collected and freed.
//!
//! A class of this sort carries a Rust value of its own, its *shape*, behind the room that `type`
//! needs; `class` makes such classes. Slots are the interpreter's own (`__slots__`), so reading an
//! attribute is as fast as it can be.
//!
//! BE ADVISED: an instance is not tracked by the collector until it holds something that could be
//! part of a cycle, which saves the collector most of its work. Whatever stores a value in a slot must
//! therefore look at it: so the slots are read-only for everyone else, and [`This::put`] and
//! [`Fresh::put`] are the only ways in.

mod class;
mod compare;
mod free;
mod method;
mod turned;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr::NonNull;
use wire::say;

use crate::sys as ffi;
use crate::sys::PyObject;

use crate::direct_object::{self, Spare};
use crate::guard::locked;
use crate::object::{Item, Own, Ref};
use crate::raised::{Builtin, Raised, Result};
use crate::types::Type;
use crate::young::Young;

pub use class::{Meta, Shape, Shaped, this_shaped, this_shaped_at_sight};
pub use method::{ShapeMethod, ShapeQuery, shape_method, shape_query};

/// Where the values of an instance stand.
pub(crate) struct Layout {
    slots: Box<[isize]>,
    /// Instances may be tracked.
    gc: bool,
    /// Instances hold nothing but their slots and perhaps a list of weak references: no `__dict__`, unless it is one of
    /// `dict`. So the functions that know of these are enough.
    plain: bool,
    /// Instances hold nothing but their slots.
    bare: bool,
    /// The memory of such instances that are gone.
    spare: Spare,
    /// They have a `__dict__` that these functions know of. As it can be put there by functions of the interpreter alone,
    /// and filled, an instance is tracked from its birth.
    dict: bool,
}

/// Where a class has a slot.
pub enum Place {
    /// It has one of this name of its own.
    New(Own),
    /// It inherits the one that this class has at this index.
    Of(Own, usize),
}

impl Layout {
    /// The slots of a class that was just made, in order. Its own are closed to everyone else.
    fn of(class: Type<'_>, slots: Vec<isize>, gc: bool) -> Layout {
        let dict = free::keeps_dict(class);
        let more = class.has_dict() || class.has_weak_references();
        // What stands before an instance needs room that only the collector's are made with.
        let plain = (dict || !class.has_dict()) && class.holds_only(slots.len()) && (gc || !more);
        let bare = plain && !more;
        Layout { slots: slots.into(), gc, plain, bare, spare: Spare::default(), dict: dict && plain }
    }

    /// Where the slot of a name is that a class has of its own.
    fn own_slot(class: Type<'_>, name: &Own) -> Result<isize> {
        let Some(slot) = class.own(name)? else { return Err(odd()) };
        // SAFETY: of this type a descriptor has this struct, and the member that it points to is part of
        // the class that made it, which is not in use yet.
        unsafe {
            if ffi::Py_TYPE(slot.ptr()) != &raw mut ffi::PyMemberDescr_Type {
                return Err(odd());
            }
            let descr = slot.ptr().cast::<ffi::PyMemberDescrObject>();
            let member = (*descr).d_member;
            if (*descr).d_type != class.ptr().cast_const().cast() || (*member).kind != ffi::Py_T_OBJECT_EX {
                return Err(odd());
            }
            (*member).flags |= ffi::Py_READONLY;
            Ok((*member).offset)
        }
    }
}

#[cold]
fn odd() -> Raised {
    Builtin::Type.raise(say!("A field is not the slot that it was made as"))
}

/// An instance of such a class, with its shape. Whoever has it keeps the instance alive, and that the class.
pub struct This<'a, S> {
    o: Ref<'a>,
    carried: &'a Carried<S>,
}

impl<S> Clone for This<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for This<'_, S> {}

/// The same, owned.
pub struct Instance<S> {
    o: Own,
    carried: NonNull<Carried<S>>,
}

impl<S> Instance<S> {
    /// Lets go of it, in place: see [`Own::release`].
    #[inline(always)]
    pub fn release(self) {
        self.o.release();
    }

    /// Borrows it.
    #[inline(always)]
    pub fn this(&self) -> This<'_, S> {
        // SAFETY: the instance keeps its class alive, `turned` one that it had, and the class what it carries.
        This { o: self.o.as_ref(), carried: unsafe { self.carried.as_ref() } }
    }
}

/// What a class carries.
struct Carried<S> {
    layout: Layout,
    shape: S,
}

impl<'a, S> This<'a, S> {
    /// The object.
    #[inline(always)]
    pub fn as_ref(self) -> Ref<'a> {
        self.o
    }

    /// Takes a reference.
    #[inline(always)]
    pub fn own(self) -> Instance<S> {
        Instance { o: self.o.own(), carried: NonNull::from(self.carried) }
    }

    /// The shape.
    #[inline(always)]
    pub fn shape(self) -> &'a S {
        &self.carried.shape
    }

    /// The value in a slot, if it is set.
    #[inline(always)]
    pub fn get(self, i: usize) -> Option<Item<'a>> {
        let at = *self.carried.layout.slots.get(i)?;
        // SAFETY: the class has a slot there.
        unsafe { read(self.o.ptr(), at) }
    }

    /// What the first slots hold, in order; nothing for those that are not set.
    #[inline(always)]
    pub fn slots(self, n: usize) -> impl Iterator<Item = Option<Item<'a>>> {
        // SAFETY: the class has a slot there.
        self.carried.layout.slots.iter().take(n).map(move |&at| unsafe { read(self.o.ptr(), at) })
    }

    /// Asks for the memory of what it holds, which will be needed soon.
    #[inline(always)]
    pub fn prefetch(self) {
        for &at in &self.carried.layout.slots {
            // SAFETY: the class has a slot there.
            if let Some(v) = unsafe { read(self.o.ptr(), at) } {
                v.as_ref().prefetch();
            }
        }
    }

    /// Whether the first slots are all set, and to something else than an object.
    #[inline(always)]
    pub fn holds_all_but(self, other: Ref<'_>, n: usize) -> bool {
        // Not by `all`, which would be a call.
        for &at in self.carried.layout.slots.get(..n).unwrap_or(&self.carried.layout.slots) {
            // SAFETY: the class has a slot there.
            if unsafe { read(self.o.ptr(), at) }.is_none_or(|v| v.as_ref().is(other)) {
                return false;
            }
        }
        true
    }

    /// The same, owned.
    pub fn value(self, i: usize) -> Option<Own> {
        self.get(i).map(|v| v.as_ref().own())
    }

    /// The values of the first slots as a tuple; or which of them is not set.
    pub fn values(self, n: usize) -> Result<core::result::Result<Own, usize>> {
        let Some(slots) = self.carried.layout.slots.get(..n) else { return Ok(Err(n)) };
        // SAFETY: each slot of the new tuple is filled once; what was not filled yet is null, and nobody but
        // the collector sees the tuple meanwhile. The class has these slots.
        unsafe {
            let t = Own::take(ffi::PyTuple_New(n as isize))?;
            for (i, &at) in slots.iter().enumerate() {
                let Some(v) = read(self.o.ptr(), at) else { return Ok(Err(i)) };
                ffi::PyTuple_SET_ITEM(t.ptr(), i as isize, v.as_ref().own().into_ptr());
            }
            Ok(Ok(t))
        }
    }

    /// Stores a value in a slot, or empties it.
    pub fn put(self, i: usize, v: Option<Own>) {
        let layout = &self.carried.layout;
        let Some(&at) = layout.slots.get(i) else { return };
        // SAFETY: the class has a slot there; the instance is tracked if the value may be part of a cycle.
        unsafe {
            if layout.gc
                && v.as_ref().is_some_and(|v| may_cycle(v.ptr()))
                && ffi::PyObject_GC_IsTracked(self.o.ptr()) == 0
            {
                ffi::PyObject_GC_Track(self.o.ptr().cast());
            }
            write(self.o.ptr(), at, v);
        }
    }

    /// Whether the class finds a slot under a name, and nothing that was put before it.
    pub fn finds_slot(self, i: usize, name: &Own) -> bool {
        let mut first = None;
        self.o.class().mro(&mut |t| {
            if first.is_none() {
                first = t.own(name).ok().flatten();
            }
        });
        let at = self.carried.layout.slots.get(i);
        // SAFETY: of this type a descriptor has this struct, and points to a member that goes with it.
        first.is_some_and(|found| unsafe {
            ffi::Py_TYPE(found.ptr()) == &raw mut ffi::PyMemberDescr_Type
                && at == Some(&(*(*found.ptr().cast::<ffi::PyMemberDescrObject>()).d_member).offset)
        })
    }

    /// Sets or deletes an attribute as `object` does: for names that are no field's.
    pub fn put_other(self, name: Ref<'_>, v: Option<Ref<'_>>) -> Result<()> {
        let v = v.map_or(core::ptr::null_mut(), Ref::ptr);
        // SAFETY: all are alive.
        match unsafe { ffi::PyObject_GenericSetAttr(self.o.ptr(), name.ptr(), v) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    }

    /// An instance of the same class with the same values in its slots.
    pub fn copied(self) -> Result<Own> {
        let mut new = self.fresh()?;
        for &at in &self.carried.layout.slots {
            // SAFETY: the class has a slot there, the new instance with nothing in it.
            unsafe {
                if let Some(v) = read(self.o.ptr(), at) {
                    *slot(new.o.ptr(), at) = v.as_ref().own().into_ptr();
                }
            }
        }
        // SAFETY: the instance is alive. What it holds is in no cycle unless it is tracked.
        new.cycles = unsafe { ffi::PyObject_GC_IsTracked(self.o.ptr()) } as usize;
        Ok(new.finish())
    }

    /// An instance of the same class with nothing in it.
    pub fn fresh(self) -> Result<Fresh<'a, S>> {
        // SAFETY: the class carries what the instance's class carries: it is the same.
        unsafe { Fresh::new(self.o.class(), self.carried) }
    }
}

/// What makes instances of one class.
pub struct Maker<S> {
    class: Own,
    carried: NonNull<Carried<S>>,
}

impl<S> Maker<S> {
    /// The class, for the collector.
    pub fn class(&self) -> &Own {
        &self.class
    }

    /// The shape.
    #[inline(always)]
    pub fn shape(&self) -> &S {
        // SAFETY: what the class carries goes with the class, which is owned.
        unsafe { &self.carried.as_ref().shape }
    }

    /// An instance with nothing in it.
    #[inline(always)]
    pub fn fresh(&self) -> Result<Fresh<'_, S>> {
        // SAFETY: as above; the class is one.
        unsafe { Fresh::read(Type::new(self.class.ptr().cast()), self.carried.as_ref()) }
    }

    /// An instance with the values of `stack` from `base` in its first slots, which it takes.
    #[inline(never)]
    pub fn filled(&self, stack: &mut Vec<Own>, base: usize, young: Young) -> Result<Own> {
        let mut fresh = self.fresh()?;
        if let Some(values) = stack.get(base..) {
            for (&at, v) in fresh.carried.layout.slots.iter().zip(values) {
                // SAFETY: the class has a slot there, with nothing in it.
                unsafe {
                    if may_cycle(v.ptr()) {
                        fresh.cycles = 1;
                    }
                    *slot(fresh.o.ptr(), at) = v.ptr();
                }
            }
            let held = values.len().min(fresh.carried.layout.slots.len());
            // SAFETY: those on the stack beyond the ones that were moved are its own still, and go first; the others are the
            // slots' now.
            unsafe {
                stack.truncate(base + held);
                stack.set_len(base);
            }
        }
        let Layout { gc, plain, .. } = &fresh.carried.layout;
        // SAFETY: as in `finish`.
        unsafe {
            if fresh.cycles != 0 && *gc && *plain {
                young.show(fresh.o.ptr());
            }
        }
        Ok(fresh.o)
    }

    /// An instance with nothing in it, for what is seldom made.
    #[inline(never)]
    pub fn fresh_cold(&self) -> Result<Fresh<'_, S>> {
        self.fresh()
    }
}

/// An instance that is being made, which nobody has seen.
pub struct Fresh<'c, S> {
    o: Own,
    carried: &'c Carried<S>,
    /// Whether it may be part of a cycle. It is a whole word: the rest of one would be copied with it.
    cycles: usize,
}

impl<'c, S> Fresh<'c, S> {
    /// One of many that are read.
    ///
    /// # Safety
    /// As for [`Fresh::new`].
    #[inline(always)]
    unsafe fn read(class: Type<'_>, carried: &'c Carried<S>) -> Result<Self> {
        let Layout { bare, gc, spare, .. } = &carried.layout;
        // SAFETY: by contract; the class is made at run time, and its instances hold nothing but their slots.
        unsafe {
            let o = if *bare { direct_object::new(class.ptr(), spare, *gc) } else { core::ptr::null_mut() };
            Ok(Fresh::of(Fresh::emptied(class, carried, o)?, carried))
        }
    }

    /// # Safety
    /// `class` must carry `carried`.
    #[inline(always)]
    unsafe fn new(class: Type<'_>, carried: &'c Carried<S>) -> Result<Self> {
        let Layout { bare, gc, spare, .. } = &carried.layout;
        // SAFETY: as above.
        unsafe {
            let o = if *bare { direct_object::again(class.ptr(), spare, *gc) } else { core::ptr::null_mut() };
            Ok(Fresh::of(Fresh::emptied(class, carried, o)?, carried))
        }
    }

    /// What was made, with its class. It is put together where it is kept: a result of all three would be copied there as a
    /// whole, which has to wait for what was just written in parts.
    #[inline(always)]
    fn of(o: Own, carried: &'c Carried<S>) -> Self {
        Fresh { o, carried, cycles: usize::from(carried.layout.dict) }
    }

    /// An instance that was made by hand, with nothing in it; if it is null, another.
    ///
    /// # Safety
    /// As above; the instance must be one of the class, which may hold anything yet.
    #[inline(always)]
    unsafe fn emptied(class: Type<'_>, carried: &Carried<S>, o: *mut PyObject) -> Result<Own> {
        // SAFETY: by contract; the slots are emptied, and there is nothing else.
        unsafe {
            if o.is_null() {
                return Fresh::asked(class, carried);
            }
            for &at in &carried.layout.slots {
                *slot(o, at) = core::ptr::null_mut();
            }
            Own::take(o)
        }
    }

    /// # Safety
    /// As for [`Fresh::new`].
    #[inline(never)]
    unsafe fn asked(class: Type<'_>, carried: &Carried<S>) -> Result<Own> {
        let Layout { gc, plain, .. } = &carried.layout;
        let class = class.ptr();
        // SAFETY: what has only slots is made as the interpreter makes any object, but not tracked, and all
        // slots are emptied before anyone can look at it; everything else is made as its class says, zeroed.
        unsafe {
            let o = match (plain, gc) {
                (true, true) => ffi::_PyObject_GC_New(class),
                (true, false) => ffi::_PyObject_New(class),
                (false, _) => match (*class).tp_alloc {
                    Some(alloc) => alloc(class, 0),
                    None => return Err(Raised),
                },
            };
            let o = Own::take(o)?;
            if *plain {
                let from = size_of::<PyObject>();
                let all = ((*class).tp_basicsize as usize).saturating_sub(from);
                o.ptr().cast::<u8>().add(from).write_bytes(0, all);
            }
            Ok(o)
        }
    }

    /// The class.
    pub fn class(&self) -> Type<'_> {
        self.o.as_ref().class()
    }

    /// The shape.
    #[inline(always)]
    pub fn shape(&self) -> &'c S {
        &self.carried.shape
    }

    /// Whether a slot holds a value already.
    #[inline(always)]
    pub fn has(&self, i: usize) -> bool {
        let Some(&at) = self.carried.layout.slots.get(i) else { return false };
        // SAFETY: the class has a slot there.
        unsafe { !(*slot(self.o.ptr(), at)).is_null() }
    }

    /// Stores values in the first slots of an instance that has none yet.
    #[inline(always)]
    pub fn put_first(&mut self, values: &[Ref<'_>]) {
        for (&at, v) in self.carried.layout.slots.iter().zip(values) {
            // SAFETY: the class has a slot there, with nothing in it.
            unsafe {
                if may_cycle(v.ptr()) {
                    self.cycles = 1;
                }
                *slot(self.o.ptr(), at) = v.own().into_ptr();
            }
        }
    }

    /// Stores a value in a slot.
    #[inline(always)]
    pub fn put(&mut self, i: usize, v: Own) {
        let Some(&at) = self.carried.layout.slots.get(i) else { return };
        // SAFETY: the class has a slot there.
        unsafe {
            if may_cycle(v.ptr()) {
                self.cycles = 1;
            }
            let old = core::ptr::replace(slot(self.o.ptr(), at), v.into_ptr());
            if !old.is_null() {
                ffi::Py_DECREF(old);
            }
        }
    }

    /// The same, where few are stored.
    #[inline(never)]
    pub fn put_cold(&mut self, i: usize, v: Own) {
        self.put(i, v);
    }

    /// The instance, which anyone may see from here on.
    #[inline(always)]
    pub fn finish(self) -> Own {
        let Layout { gc, plain, .. } = &self.carried.layout;
        // SAFETY: it is of a class that is collected, and all that it holds is in its place. What is not
        // plain was tracked when it was made.
        unsafe {
            if self.cycles != 0 && *gc && *plain {
                ffi::PyObject_GC_Track(self.o.ptr().cast());
            }
        }
        self.o
    }
}

/// # Safety
/// There must be a slot at `at`.
#[inline(always)]
unsafe fn slot(o: *mut PyObject, at: isize) -> *mut *mut PyObject {
    // SAFETY: by contract.
    unsafe { o.cast::<u8>().offset(at).cast() }
}

/// # Safety
/// There must be a slot at `at`.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn read<'a>(o: *mut PyObject, at: isize) -> Option<Item<'a>> {
    // SAFETY: by contract; a slot is null or owns what it points to.
    unsafe {
        let v = *slot(o, at);
        (!v.is_null()).then(|| Item::borrowed(Ref::new(v)))
    }
}

/// # Safety
/// There must be a slot at `at`.
#[cfg(Py_GIL_DISABLED)]
unsafe fn read<'a>(o: *mut PyObject, at: isize) -> Option<Item<'a>> {
    // SAFETY: by contract; whoever writes has the same lock.
    unsafe { locked(o, || (!(*slot(o, at)).is_null()).then(|| Item::owned(Ref::new(*slot(o, at)).own()))) }
}

/// # Safety
/// There must be a slot at `at`.
unsafe fn write(o: *mut PyObject, at: isize, v: Option<Own>) {
    let new = v.map_or(core::ptr::null_mut(), Own::into_ptr);
    // SAFETY: by contract. What stood there is given back last, since that may run anything.
    unsafe {
        let old = locked(o, || core::ptr::replace(slot(o, at), new));
        if !old.is_null() {
            ffi::Py_DECREF(old);
        }
    }
}

/// Whether a value could be part of a cycle, now or later. A tuple that the collector gave up on holds
/// nothing that could; any other object of a class that is collected may come to hold something.
///
/// # Safety
/// `v` must be alive.
#[inline(always)]
pub(crate) unsafe fn may_cycle(v: *mut PyObject) -> bool {
    // SAFETY: by contract.
    unsafe {
        let class = ffi::Py_TYPE(v);
        (*class).tp_flags & ffi::Py_TPFLAGS_HAVE_GC != 0
            && (class != &raw mut ffi::PyTuple_Type || ffi::PyObject_GC_IsTracked(v) != 0)
    }
}
