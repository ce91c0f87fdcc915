//! Integers in and out, of any size.
//!
//! What may surprise: the interpreter refuses to turn long integers into digits and back beyond
//! a limit of its own (4,300 digits, `sys.set_int_max_str_digits`), because its way takes
//! quadratic time. We convert in binary and do the digits ourselves, so that limit does not
//! apply; [`wire::number`] says what it costs, and readers have a limit of their own.

use alloc::string::String;
use alloc::vec::Vec;

use crate::sys as ffi;
use wire::{Signed, number};

use crate::layout;
use crate::object::{Own, Ref};
use crate::raised::{Raised, Result};

/// An `int`, or an instance of a subclass.
#[derive(Clone, Copy)]
pub struct IntRef<'a>(Ref<'a>);

/// What an integer is to a machine.
#[derive(Clone, Copy)]
pub enum Int<'a> {
    /// It fits 64 bits with a sign.
    I64(i64),
    /// It is above that, and fits 64 bits without.
    U64(u64),
    /// It fits neither.
    Big(BigInt<'a>),
}

/// An integer of more than 64 bits.
#[derive(Clone, Copy)]
pub struct BigInt<'a>(Ref<'a>);

impl<'a> IntRef<'a> {
    /// # Safety
    /// `r` must have the layout of an int.
    #[inline(always)]
    pub(crate) unsafe fn new(r: Ref<'a>) -> Self {
        IntRef(r)
    }

    /// The object.
    pub fn as_ref(self) -> Ref<'a> {
        self.0
    }

    /// Its value if that is short, and then its hash too, but for -1.
    #[inline(always)]
    pub fn short(self) -> Option<i64> {
        self.short_signed().map(Signed::get)
    }

    /// The same by its parts.
    #[inline(always)]
    pub fn short_signed(self) -> Option<Signed> {
        // SAFETY: it has the layout of an int.
        unsafe { layout::small_int(self.0.ptr()) }
    }

    /// Its value by its parts, unless it takes more than a look or is not one of 64 bits, with a sign or without.
    #[inline(always)]
    pub fn signed(self) -> Option<Signed> {
        match self.short_signed() {
            Some(v) => Some(v),
            None => self.long(),
        }
    }

    #[inline(never)]
    fn long(self) -> Option<Signed> {
        // SAFETY: it has the layout of an int.
        let v = unsafe { layout::long_int(self.0.ptr()) };
        v.filter(|v| !v.negative || v.magnitude <= 1 << 63)
    }

    /// Its value.
    #[inline(always)]
    pub fn get(self) -> Int<'a> {
        match self.signed() {
            Some(v) if v.negative || v.magnitude >> 63 == 0 => Int::I64(v.get()),
            Some(v) => Int::U64(v.magnitude),
            // What is none of 64 bits has been seen to be that where its digits can be.
            #[cfg(not(Py_GIL_DISABLED))]
            None => Int::Big(BigInt(self.0)),
            #[cfg(Py_GIL_DISABLED)]
            None => self.get_long(),
        }
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub fn get_cold(self) -> Int<'a> {
        self.get()
    }

    #[cfg(Py_GIL_DISABLED)]
    fn get_long(self) -> Int<'a> {
        let mut over = 0;
        // SAFETY: it has the layout of an int, so neither call runs user code.
        unsafe {
            let v = ffi::PyLong_AsLongLongAndOverflow(self.0.ptr(), &mut over);
            if over == 0 {
                return Int::I64(v);
            }
            if over > 0 {
                let v = ffi::PyLong_AsUnsignedLongLong(self.0.ptr());
                if v != u64::MAX || ffi::PyErr_Occurred().is_null() {
                    return Int::U64(v);
                }
                crate::raised::clear();
            }
        }
        Int::Big(BigInt(self.0))
    }
}

/// A number that is known to be one of 64 bits; zero for what is not.
#[inline(never)]
pub(crate) fn number(o: Ref<'_>) -> i64 {
    match o.as_any_int().map(|i| i.get_cold()) {
        Some(Int::I64(v)) => v,
        _ => 0,
    }
}

unsafe extern "C" {
    // As declared by every version before 3.13, which added an argument.
    #[cfg(not(Py_3_13))]
    fn _PyLong_AsByteArray(v: *mut ffi::PyObject, b: *mut u8, n: usize, little: i32, signed: i32) -> i32;
    #[cfg(Py_3_13)]
    fn _PyLong_AsByteArray(
        v: *mut ffi::PyObject,
        b: *mut u8,
        n: usize,
        little: i32,
        signed: i32,
        raise: i32,
    ) -> i32;
    #[cfg(all(not(Py_GIL_DISABLED), not(Py_3_14)))]
    fn _PyLong_New(n: isize) -> *mut ffi::PyObject;
    fn _PyLong_FromByteArray(b: *const u8, n: usize, little: i32, signed: i32) -> *mut ffi::PyObject;
}

/// The value in little-endian bytes, two's complement if `signed`; an exception if it does not fit.
///
/// # Safety
/// `o` must have the layout of an int.
unsafe fn to_bytes(o: Ref<'_>, out: &mut [u8], signed: bool) -> Result<()> {
    // SAFETY: by contract, and the buffer has the length that is said.
    let failed = unsafe {
        #[cfg(not(Py_3_13))]
        let r = _PyLong_AsByteArray(o.ptr(), out.as_mut_ptr(), out.len(), 1, signed.into());
        #[cfg(Py_3_13)]
        let r = _PyLong_AsByteArray(o.ptr(), out.as_mut_ptr(), out.len(), 1, signed.into(), 1);
        r < 0
    };
    if failed { Err(Raised) } else { Ok(()) }
}

/// An `int` or an instance of a subclass, if it is not negative and has no more than 128 bits.
pub fn unsigned128(o: Ref<'_>) -> Option<u128> {
    let o = o.as_any_int()?.as_ref();
    #[cfg(not(Py_GIL_DISABLED))]
    // SAFETY: it is an int.
    return unsafe { layout::int128(o.ptr()) };
    #[cfg(Py_GIL_DISABLED)]
    {
        let mut b = [0; 16];
        // SAFETY: it is an int.
        match unsafe { to_bytes(o, &mut b, false) } {
            Ok(()) => Some(u128::from_le_bytes(b)),
            Err(Raised) => {
                crate::raised::clear();
                None
            }
        }
    }
}

impl BigInt<'_> {
    /// Little-endian two's complement, of a multiple of eight bytes.
    pub fn bytes(self) -> Result<Vec<u8>> {
        let bits = self.bits()?;
        let mut out = alloc::vec![0u8; (bits / 64 + 1) * 8];
        // SAFETY: it has the layout of an int.
        unsafe { to_bytes(self.0, &mut out, true)? };
        Ok(out)
    }

    /// How many bits the magnitude has.
    fn bits(self) -> Result<usize> {
        // The type's own method, so that no subclass's is called.
        // SAFETY: the type lives for ever; a new reference, or null with an exception set.
        unsafe {
            let class = Ref::new((&raw mut ffi::PyLong_Type).cast());
            let n = crate::call::call_method1(class, c"bit_length", self.0)?;
            Ok(number(n.as_ref()) as usize)
        }
    }

    /// Decimal digits after an optional minus sign.
    pub fn text(self) -> Result<String> {
        let bytes = self.bytes()?;
        let mut limbs: Vec<u64> = Vec::with_capacity(bytes.len() / 8);
        for limb in bytes.chunks_exact(8) {
            let mut word = [0; 8];
            word.copy_from_slice(limb);
            limbs.push(u64::from_le_bytes(word));
        }
        let negative = limbs.last().is_some_and(|&l| l >> 63 != 0);
        if negative {
            let mut carry = true;
            for l in &mut limbs {
                (*l, carry) = (!*l).overflowing_add(u64::from(carry));
            }
        }
        Ok(number::big_to_text(&limbs, negative))
    }
}

pub use crate::direct::int;

/// An `int`.
#[inline(never)]
pub fn uint(v: u64) -> Result<Own> {
    if let Ok(v) = i64::try_from(v) {
        return int(v);
    }
    #[cfg(all(not(Py_GIL_DISABLED), not(Py_3_14)))]
    // SAFETY: a new reference, or null with an exception set, of an int with as many digits as it takes, which nobody else has seen.
    return unsafe {
        let o = Own::take(_PyLong_New(3))?;
        layout::fill_int128(o.ptr(), v.into(), 3);
        Ok(o)
    };
    #[cfg(any(Py_GIL_DISABLED, Py_3_14))]
    int128(v.into())
}

/// An `int` of decimal digits after an optional minus sign.
#[cold]
pub fn big_int(text: &str) -> Result<Own> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let limbs = number::text_to_big(digits.as_bytes());
    let mut bytes: Vec<u8> = Vec::with_capacity(limbs.len() * 8);
    limbs.iter().for_each(|l| bytes.extend_from_slice(&l.to_le_bytes()));
    // SAFETY: the buffer is as long as is said; a new reference, or null with an exception set.
    let v = unsafe { Own::take(_PyLong_FromByteArray(bytes.as_ptr(), bytes.len(), 1, 0))? };
    if !negative {
        return Ok(v);
    }
    crate::call::call_method0(v.as_ref(), c"__neg__")
}

/// An `int` of 128 bits without a sign.
pub fn int128(v: u128) -> Result<Own> {
    #[cfg(all(not(Py_GIL_DISABLED), not(Py_3_14)))]
    if v >> 64 != 0 {
        // SAFETY: a new reference, or null with an exception set, of an int with so many digits that nobody else has seen.
        return unsafe {
            let n = if v >> 120 != 0 { 5 } else { (128 - v.leading_zeros() as usize).div_ceil(30) };
            let o = Own::take(_PyLong_New(n as isize))?;
            layout::fill_int128(o.ptr(), v, n);
            Ok(o)
        };
    }
    // One byte more, which is zero: it has no sign.
    let mut bytes = [0; 17];
    bytes[1..].copy_from_slice(&v.to_be_bytes());
    int_of_bytes(&bytes)
}

/// An `int` of big-endian two's complement.
#[cold]
pub fn int_of_bytes(bytes: &[u8]) -> Result<Own> {
    // SAFETY: the buffer is as long as is said; a new reference, or null with an exception set.
    unsafe { Own::take(_PyLong_FromByteArray(bytes.as_ptr(), bytes.len(), 0, 1)) }
}
