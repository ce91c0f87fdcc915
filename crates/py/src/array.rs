//! Arrays of numbers that live outside Python objects, read through the array interface
//! (`__array_struct__`, the C side of numpy's array interface protocol, version 3), so that
//! numpy itself is never imported.

use alloc::vec::Vec;
use core::ffi::{c_char, c_int, c_void};
use core::marker::PhantomData;
use wire::say;

use crate::sys as ffi;

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

/// The flag that says that the items lie one after the other, in order, without gaps.
const IN_ORDER: c_int = 1;
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
    /// Whether the items lie one after the other, in order, without gaps.
    pub is_plain: bool,
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
                return Err(Builtin::Value.raise(say!("malformed array interface")));
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
                is_plain: i.flags & IN_ORDER != 0,
                capsule,
                shape,
                strides,
            })
        }
    }

    /// The items of the last dimension, `prefix` naming the place in the others; nothing where
    /// that lies outside, or items are not of 1, 2, 4 or 8 bytes. An array of no dimension is a row of
    /// one item.
    pub fn row(&self, prefix: &[usize]) -> Option<Row<'_>> {
        let (len, shape, step, strides) = match (self.shape.split_last(), self.strides.split_last()) {
            (Some((&n, shape)), Some((&step, strides))) => (n, shape, step, strides),
            _ => (1, &[][..], 0, &[][..]),
        };
        if prefix.len() != shape.len() || !matches!(self.size, 1 | 2 | 4 | 8) {
            return None;
        }
        let mut at = 0isize;
        for ((&i, &n), &step) in prefix.iter().zip(shape).zip(strides) {
            if i >= n {
                return None;
            }
            at += i as isize * step;
        }
        // SAFETY: the capsule is one, and keeps the struct. Every index of `prefix` lies within the
        // shape, so by the protocol an item stands there, if the row has any.
        let data = unsafe {
            let p = ffi::PyCapsule_GetPointer(self.capsule.ptr(), core::ptr::null()).cast::<Interface>();
            (*p).data.cast::<u8>().wrapping_offset(at)
        };
        Some(Row { data, step, len, size: self.size, swapped: self.swapped, life: PhantomData })
    }
}

/// Numbers at equal distances.
pub struct Row<'a> {
    data: *const u8,
    step: isize,
    len: usize,
    size: usize,
    swapped: bool,
    life: PhantomData<&'a ()>,
}

impl<'a> Row<'a> {
    /// Numbers of so many bytes, one after the other; nothing if these are not 1, 2, 4 or 8.
    pub fn of(bytes: &'a [u8], size: usize) -> Option<Row<'a>> {
        matches!(size, 1 | 2 | 4 | 8).then(|| Row {
            data: bytes.as_ptr(),
            step: size as isize,
            len: bytes.len() / size,
            size,
            swapped: false,
            life: PhantomData,
        })
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits of the numbers from the `from`th on, with zeros above them, as many as there are and
    /// fit into `out`; says how many. What depends on their width is asked once for all of them.
    pub fn load(&self, from: usize, out: &mut [u64]) -> usize {
        let n = self.len.saturating_sub(from).min(out.len());
        let out = &mut out[..n];
        // SAFETY: `n` numbers of so many bytes stand at each step from the `from`th on.
        unsafe {
            match self.size {
                1 => self.widen::<u8>(from, out),
                2 => self.widen::<u16>(from, out),
                4 => self.widen::<u32>(from, out),
                _ => self.widen::<u64>(from, out),
            }
        }
        if self.swapped {
            let above = 64 - 8 * self.size as u32;
            out.iter_mut().for_each(|v| *v = v.swap_bytes() >> above);
        }
        n
    }

    /// # Safety
    /// The row must have as many numbers as `out` from the `from`th on, each as wide as `T`.
    #[inline(always)]
    unsafe fn widen<T: Copy + Into<u64>>(&self, from: usize, out: &mut [u64]) {
        // SAFETY: a number stands at each step within the row, by the protocol or by the slice that it
        // was made of, and what holds them is borrowed. They need not be aligned.
        unsafe {
            let first = self.data.wrapping_offset((from as isize).wrapping_mul(self.step));
            if self.step == size_of::<T>() as isize {
                let first = first.cast::<T>();
                out.iter_mut().enumerate().for_each(|(i, v)| *v = first.add(i).read_unaligned().into());
            } else {
                out.iter_mut().enumerate().for_each(|(i, v)| {
                    *v = first.offset(i as isize * self.step).cast::<T>().read_unaligned().into();
                });
            }
        }
    }
}
