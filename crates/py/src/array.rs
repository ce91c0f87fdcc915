//! Arrays of numbers that live outside Python objects, read through the array interface
//! (`__array_struct__`, the C side of numpy's array interface protocol, version 3), so that
//! numpy itself is never imported.

use alloc::vec::Vec;
use core::ffi::{c_char, c_int, c_void};

use pyo3_ffi as ffi;

use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result};

/// The struct that the protocol lays down.
#[repr(C)]
struct Interface {
    two: c_int,
    nd: c_int,
    typekind: c_char,
    itemsize: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *const c_void,
}

/// The flag that says that the bytes of an item stand in the machine's order.
const NOT_SWAPPED: c_int = 0x200;

/// An array, held: shape, strides in bytes, and what an item is.
pub struct Array {
    /// Keeps the struct, which keeps the array.
    capsule: Own,
    /// The letter for what an item is: `b`, `i`, `u`, `f`, `c`, `m`, `M`, `O`, `S`, `U`, `V`.
    pub kind: u8,
    /// Bytes of an item.
    pub size: usize,
    /// Whether the bytes of an item stand in the other order.
    pub swapped: bool,
    /// How many items along each dimension.
    pub shape: Vec<usize>,
    strides: Vec<isize>,
}

impl Array {
    /// The array of an object that offers the protocol.
    pub fn new(o: Ref<'_>) -> Result<Array> {
        let capsule = o.attr_named(c"__array_struct__")?;
        // SAFETY: the protocol lays down what the capsule holds; its fields are checked before use.
        unsafe {
            let p = ffi::PyCapsule_GetPointer(capsule.ptr(), core::ptr::null()).cast::<Interface>();
            if p.is_null() {
                return Err(Raised);
            }
            let i = &*p;
            if i.two != 2 || i.nd < 0 || i.nd > 64 || i.itemsize < 0 || (i.nd > 0 && i.shape.is_null()) {
                return Err(Builtin::Value.raise("malformed array interface"));
            }
            let n = i.nd as usize;
            let size = i.itemsize as usize;
            let shape: Vec<usize> = (0..n).map(|k| (*i.shape.add(k)).max(0) as usize).collect();
            let strides = if i.strides.is_null() {
                let mut strides = alloc::vec![0; n];
                let mut step = size as isize;
                for k in (0..n).rev() {
                    strides[k] = step;
                    step = step.saturating_mul(shape[k] as isize);
                }
                strides
            } else {
                (0..n).map(|k| *i.strides.add(k)).collect()
            };
            Ok(Array {
                kind: i.typekind as u8,
                size,
                swapped: i.flags & NOT_SWAPPED == 0,
                capsule,
                shape,
                strides,
            })
        }
    }

    /// The bytes of the item at a place (one index for each dimension) in the machine's order;
    /// nothing where the place lies outside, or the item is not `N` bytes long.
    #[inline(always)]
    pub fn item<const N: usize>(&self, place: &[usize]) -> Option<[u8; N]> {
        if self.size != N || place.len() != self.shape.len() {
            return None;
        }
        let mut at = 0isize;
        for ((&i, &n), &step) in place.iter().zip(&self.shape).zip(&self.strides) {
            if i >= n {
                return None;
            }
            at += i as isize * step;
        }
        // SAFETY: every index lies within the shape, so by the protocol `N` bytes stand there;
        // the capsule keeps them. They need not be aligned.
        let mut bytes: [u8; N] = unsafe {
            let p = ffi::PyCapsule_GetPointer(self.capsule.ptr(), core::ptr::null()).cast::<Interface>();
            (*p).data.cast::<u8>().offset(at).cast::<[u8; N]>().read()
        };
        if self.swapped {
            bytes.reverse();
        }
        Some(bytes)
    }

    /// Calls `f` with each item of the last dimension, `prefix` naming the place in the others.
    #[inline(always)]
    pub fn row<const N: usize, E>(
        &self,
        prefix: &[usize],
        mut f: impl FnMut([u8; N]) -> core::result::Result<(), E>,
    ) -> core::result::Result<(), E> {
        let (Some((&n, shape)), Some((&step, strides))) =
            (self.shape.split_last(), self.strides.split_last())
        else {
            return Ok(());
        };
        if self.size != N || prefix.len() != shape.len() {
            return Ok(());
        }
        let mut at = 0isize;
        for ((&i, &n), &step) in prefix.iter().zip(shape).zip(strides) {
            if i >= n {
                return Ok(());
            }
            at += i as isize * step;
        }
        // SAFETY: the capsule is one, and keeps the struct.
        let data = unsafe {
            let p = ffi::PyCapsule_GetPointer(self.capsule.ptr(), core::ptr::null()).cast::<Interface>();
            (*p).data.cast::<u8>()
        };
        for i in 0..n {
            // SAFETY: as for `item`.
            let mut bytes = unsafe { data.offset(at + i as isize * step).cast::<[u8; N]>().read() };
            if self.swapped {
                bytes.reverse();
            }
            f(bytes)?;
        }
        Ok(())
    }
}

impl Array {
    /// Whether the items lie one after the other, in order, without gaps.
    pub fn is_plain(&self) -> bool {
        let mut step = self.size as isize;
        self.shape.iter().zip(&self.strides).rev().all(|(&n, &stride)| {
            let plain = n <= 1 || stride == step;
            step = step.saturating_mul(n as isize);
            plain
        }) || self.shape.contains(&0)
    }
}
