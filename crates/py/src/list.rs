//! Lists and tuples, and the sets that are made empty.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::sys as ffi;

use crate::object::{Container, Held, Item, Own, Ref};
use crate::raised::Result;
use crate::young::Young;

/// The layout of a list.
pub struct ListKind;
/// The layout of a tuple.
pub struct TupleKind;

/// The layout of a list or of a tuple: what is walked item by item.
pub struct RowKind;

impl<'a> Container<'a, ListKind> {
    /// The same as what is walked item by item.
    #[inline(always)]
    pub fn row(self) -> Container<'a, RowKind> {
        Container(self.0, PhantomData)
    }
}

impl<'a> Container<'a, TupleKind> {
    /// The same as what is walked item by item.
    #[inline(always)]
    pub fn row(self) -> Container<'a, RowKind> {
        Container(self.0, PhantomData)
    }
}

impl Held<RowKind> {
    /// How many items there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: lists and tuples have their length in the same place.
        unsafe { ffi::Py_SIZE(self.0.ptr()) as usize }
    }

    /// Its items, as they are found one by one; `room` is for what says where those of a tuple are.
    #[inline(always)]
    pub fn items<'a>(&'a self, room: &'a mut ItemsRoom) -> Items<'a> {
        let p = self.0.ptr();
        // SAFETY: it has the layout of a tuple or, if not that, of a list, and is held.
        let place = unsafe {
            if ffi::PyTuple_Check(p) != 0 {
                room.0.write((&raw mut (*p.cast::<ffi::PyTupleObject>()).ob_item).cast())
            } else {
                (&raw const (*p.cast::<ffi::PyListObject>()).ob_item)
            }
        };
        Items { row: self, place }
    }
}

/// Where it says where the items of a tuple are.
pub struct ItemsRoom(MaybeUninit<*mut *mut ffi::PyObject>);

impl Default for ItemsRoom {
    // It says nothing yet, and to clear it would be a store for each list.
    #[inline(always)]
    fn default() -> Self {
        ItemsRoom(MaybeUninit::uninit())
    }
}

/// The items of a list or of a tuple, as they stand while it is walked. What may surprise: where they are is looked up
/// for each, since a list may move them; a tuple has its place for that beside it, so that nothing is asked of which it is.
#[derive(Clone, Copy)]
pub struct Items<'a> {
    row: &'a Held<RowKind>,
    place: *const *mut *mut ffi::PyObject,
}

impl Items<'_> {
    /// How many there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// The item at `i`, if there still is one.
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<Item<'_>> {
        // SAFETY: the place is in the list, or in the room, and both outlive this; as many items as the length says are where
        // it points, and the length is looked at before each.
        unsafe { (i < self.len()).then(|| Item::borrowed(Ref::new(*(*self.place).add(i)))) }
    }

    /// The item at `i`, if there still is one.
    #[cfg(Py_GIL_DISABLED)]
    pub fn get(&self, i: usize) -> Option<Item<'_>> {
        let p = self.row.0.ptr();
        // SAFETY: a tuple, which cannot change and whose place outlives this, has an item there; or it is a list: a new
        // reference, or null with IndexError set.
        unsafe {
            if ffi::PyTuple_Check(p) != 0 {
                return (i < self.len()).then(|| Item::owned(Ref::new(*(*self.place).add(i)).own()));
            }
            match Own::take(ffi::PyList_GetItemRef(p, i as isize)) {
                Ok(o) => Some(Item::owned(o)),
                Err(_) => {
                    crate::raised::clear();
                    None
                }
            }
        }
    }
}

impl Held<ListKind> {
    /// A copy that nobody else has.
    pub fn copied(&self) -> Result<Held<RowKind>> {
        Ok(Held(crate::call::list_of(self.0.as_ref())?, PhantomData))
    }

    /// How many items there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: it has the layout of a list.
        unsafe { ffi::Py_SIZE(self.0.ptr()) as usize }
    }

    /// The item at `i`, if the list is still so long.
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<Item<'_>> {
        // SAFETY: it has the layout of a list, whose length is looked at before each item.
        unsafe {
            (i < self.len()).then(|| Item::borrowed(Ref::new(ffi::PyList_GET_ITEM(self.0.ptr(), i as isize))))
        }
    }

    /// The item at `i`, if the list is still so long.
    #[cfg(Py_GIL_DISABLED)]
    pub fn get(&self, i: usize) -> Option<Item<'_>> {
        // SAFETY: it is a list; a new reference, or null with IndexError set.
        match unsafe { Own::take(ffi::PyList_GetItemRef(self.0.ptr(), i as isize)) } {
            Ok(o) => Some(Item::owned(o)),
            Err(_) => {
                crate::raised::clear();
                None
            }
        }
    }
}

impl Held<TupleKind> {
    /// How many items there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: it has the layout of a tuple.
        unsafe { ffi::Py_SIZE(self.0.ptr()) as usize }
    }

    /// The item at `i`. A tuple cannot change, so it is good as long as the tuple is held.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<Ref<'_>> {
        // SAFETY: it has the layout of a tuple, and `i` lies within it.
        unsafe { (i < self.len()).then(|| Ref::new(ffi::PyTuple_GET_ITEM(self.0.ptr(), i as isize))) }
    }

    /// Whether an object is one of the items: itself, not one that equals it.
    #[inline(never)]
    pub fn has(&self, o: Ref<'_>) -> bool {
        (0..self.len()).any(|i| self.get(i).is_some_and(|item| item.is(o)))
    }
}

/// What a stack grows to by doubling.
const LARGE: usize = 16 * 1024;

/// Puts a value onto a stack. `Vec::push` by itself asks for room a second time, or is a call.
#[inline(always)]
pub fn push<T>(stack: &mut Vec<T>, o: T) {
    let n = stack.len();
    if n == stack.capacity() {
        grow(stack);
    }
    // SAFETY: there is room for one more, or `grow` would not have come back; it becomes the stack's as it is written.
    unsafe {
        stack.as_mut_ptr().add(n).write(o);
        stack.set_len(n + 1);
    }
}

/// A vector that grows by itself doubles. A large one here grows by a sixteenth: a pointer for each
/// value is several times its text already, and memory of that size is moved by its pages.
#[cold]
#[inline(never)]
fn grow<T>(stack: &mut Vec<T>) {
    let n = stack.capacity();
    stack.reserve_exact(if n < LARGE { n.max(64) } else { n / 16 });
}

/// A list of the items of `stack` from `base`, which it takes; made by the interpreter.
pub fn list_cold(stack: &mut Vec<Own>, base: usize) -> Result<Own> {
    crate::direct::list(stack, base, Young::default())
}

/// An empty list.
pub fn new_list() -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyList_New(0)) }
}

/// An empty set.
pub fn new_set() -> Result<Own> {
    // SAFETY: as above.
    unsafe { Own::take(ffi::PySet_New(core::ptr::null_mut())) }
}

/// A list that is being filled, which nobody else can see: not even the collector.
pub struct NewList {
    list: Own,
    filled: usize,
}

impl NewList {
    /// A list of `n` items that are not there yet.
    pub fn new(n: usize) -> Result<NewList> {
        // SAFETY: a new reference, or null with an exception set; a list is tracked when it is made.
        unsafe {
            let list = Own::take(ffi::PyList_New(n as isize))?;
            ffi::PyObject_GC_UnTrack(list.ptr().cast());
            Ok(NewList { list, filled: 0 })
        }
    }

    /// The next item; dropped if all are there.
    #[inline(always)]
    pub fn push(&mut self, o: Own) {
        // SAFETY: the list, which is only ours, has room for as many pointers as its length says, and
        // the place is still empty.
        unsafe {
            let l = self.list.ptr().cast::<ffi::PyListObject>();
            if (self.filled as isize) < ffi::Py_SIZE(self.list.ptr()) {
                *(*l).ob_item.add(self.filled) = o.into_ptr();
                self.filled += 1;
            }
        }
    }

    /// The list, if all items are there; otherwise these go onto a stack.
    pub fn finish(self, stack: &mut Vec<Own>) -> Option<Own> {
        // SAFETY: the items are taken out of the list once, with their places emptied. A list that is
        // whole may be seen.
        unsafe {
            let p = self.list.ptr();
            if self.filled as isize == ffi::Py_SIZE(p) {
                ffi::PyObject_GC_Track(p.cast());
                return Some(self.list);
            }
            let items = (*p.cast::<ffi::PyListObject>()).ob_item;
            for i in 0..self.filled {
                if let Ok(o) = Own::take(core::mem::replace(&mut *items.add(i), core::ptr::null_mut())) {
                    stack.push(o);
                }
            }
        }
        None
    }
}

/// A tuple of `n` items, each as it is made.
pub fn tuple_of(n: usize, mut item: impl FnMut(usize) -> Result<Own>) -> Result<Own> {
    // SAFETY: each slot of the new tuple is filled once; what was not filled yet is null, and nobody but the
    // collector sees the tuple meanwhile.
    unsafe {
        let t = Own::take(ffi::PyTuple_New(n as isize))?;
        for i in 0..n {
            ffi::PyTuple_SET_ITEM(t.ptr(), i as isize, item(i)?.into_ptr());
        }
        Ok(t)
    }
}

/// A tuple of two.
pub fn tuple2(a: Own, b: Own) -> Result<Own> {
    // SAFETY: both slots of the new tuple, which nobody else has seen, are filled once.
    unsafe {
        let t = Own::take(ffi::PyTuple_New(2))?;
        ffi::PyTuple_SET_ITEM(t.ptr(), 0, a.into_ptr());
        ffi::PyTuple_SET_ITEM(t.ptr(), 1, b.into_ptr());
        Ok(t)
    }
}

/// A tuple of the items of `stack` from `base`, which it takes.
pub fn tuple(stack: &mut Vec<Own>, base: usize) -> Result<Own> {
    // SAFETY: each slot of the new tuple, which nobody else has seen, is filled once.
    unsafe {
        let t = Own::take(ffi::PyTuple_New(stack.len().saturating_sub(base) as isize))?;
        for (i, o) in stack.drain(base..).enumerate() {
            ffi::PyTuple_SET_ITEM(t.ptr(), i as isize, o.into_ptr());
        }
        Ok(t)
    }
}
