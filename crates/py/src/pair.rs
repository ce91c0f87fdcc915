//! Instances of a class whose whole state is two slots, as those of UUIDs are: made and read where the slots stand.
//!
//! What may surprise: the class is somebody else's. That it has such slots, and nothing else, is looked at when it is
//! met first; where it is otherwise, nothing is assumed, and whoever asks does as for any other class.

use crate::object::{Own, Ref};
use crate::raised::{Builtin, Result, clear};
use crate::sys as ffi;
use crate::types::Type;
use wire::say;

/// Such a class, and where its slots stand.
pub struct Pair {
    class: Own,
    slots: [isize; 2],
}

impl Pair {
    /// Looks at a class; nothing if it has no such slots of these names.
    #[inline(never)]
    pub fn of(class: Type<'_>, names: [&Own; 2]) -> Option<Pair> {
        let mut slots = [0; 2];
        for (slot, name) in slots.iter_mut().zip(names) {
            let Ok(found) = class.own(name) else {
                clear();
                return None;
            };
            let found = found?;
            // SAFETY: of this type a descriptor has this struct, and the member that it points to is part of the class that made it,
            // which lives.
            unsafe {
                if ffi::Py_TYPE(found.ptr()) != &raw mut ffi::PyMemberDescr_Type {
                    return None;
                }
                let descr = found.ptr().cast::<ffi::PyMemberDescrObject>();
                let member = (*descr).d_member;
                if (*descr).d_type != class.ptr().cast_const().cast() || (*member).kind != ffi::Py_T_OBJECT_EX
                {
                    return None;
                }
                *slot = (*member).offset;
            }
        }
        Some(Pair { class: class.as_ref().own(), slots })
    }

    /// Whether an object is exactly an instance.
    #[inline(always)]
    pub fn is(&self, o: Ref<'_>) -> bool {
        o.class().as_ref().is(self.class.as_ref())
    }

    /// What the first slot of an instance holds; nothing where others may write it meanwhile.
    #[inline(always)]
    pub fn first<'a>(&self, o: Ref<'a>) -> Option<Ref<'a>> {
        if cfg!(Py_GIL_DISABLED) || !self.is(o) {
            return None;
        }
        // SAFETY: instances have the slot there, which holds an object that is alive as long as they have it, or null.
        unsafe {
            let held = *o.ptr().byte_offset(self.slots[0]).cast::<*mut ffi::PyObject>();
            (!held.is_null()).then(|| Ref::new(held))
        }
    }

    /// An instance that has both.
    pub fn make(&self, held: [Own; 2]) -> Result<Own> {
        let class = self.class.ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: the class is alive; a new reference, or null with an exception set. Its slots are empty, and nobody else
        // knows the instance.
        unsafe {
            let Some(alloc) = (*class).tp_alloc else {
                return Err(Builtin::Type.raise(say!("The class makes no instances")));
            };
            let o = Own::take(alloc(class, 0))?;
            for (slot, held) in self.slots.into_iter().zip(held) {
                *o.ptr().byte_offset(slot).cast() = held.into_ptr();
            }
            Ok(o)
        }
    }

    /// The class.
    pub fn class(&self) -> &Own {
        &self.class
    }
}
