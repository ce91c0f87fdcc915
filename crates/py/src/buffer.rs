//! Bytes that come from Python: input to read, and the buffers of other objects.
//!
//! What may surprise: only `bytes` and `str` are read where they stand, because nothing can
//! change them. Every other buffer is copied first: a hook, or another thread, could change it
//! while it is being read, and what was checked would no longer be so.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use wire::say;

use crate::sys as ffi;
use wire::Input;

use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result, clear, is_ordinary, pending};

/// A buffer of another object, held until dropped.
pub struct View(ffi::Py_buffer);

impl View {
    /// The buffer of `o`, which must be contiguous; exception as the exporter raises it.
    pub fn new(o: Ref<'_>) -> Result<View> {
        Self::with(o, ffi::PyBUF_SIMPLE)
    }

    #[inline(never)]
    fn with(o: Ref<'_>, flags: i32) -> Result<View> {
        let mut b = MaybeUninit::uninit();
        // SAFETY: on success the call fills the struct, which is released once.
        unsafe {
            if ffi::PyObject_GetBuffer(o.ptr(), b.as_mut_ptr(), flags) != 0 {
                return Err(Raised);
            }
            Ok(View(b.assume_init()))
        }
    }

    /// A copy of the bytes, with room for one more; MemoryError if there is none for them.
    ///
    /// A buffer may be larger than all memory, as a file that is mapped.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut v = Vec::new();
        if v.try_reserve_exact(self.len().saturating_add(1)).is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory to copy the buffer")));
        }
        // SAFETY: a contiguous buffer of `len` bytes; a null pointer comes only with none. Others
        // may write to it meanwhile, so it is copied byte for byte and never borrowed.
        unsafe {
            if !self.is_empty() {
                core::ptr::copy(self.0.buf.cast::<u8>(), v.as_mut_ptr(), self.len());
                v.set_len(self.len());
            }
        }
        Ok(v)
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.0.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len <= 0
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: it was acquired, and is released once.
        unsafe { ffi::PyBuffer_Release(&mut self.0) }
    }
}

/// Input to read.
pub enum Data<'a> {
    /// Bytes that nothing can change and that a zero follows.
    Still(&'a [u8]),
    /// A copy.
    Copy(Copied),
}

/// A copy of input, followed by a zero.
pub struct Copied(Vec<u8>);

impl Copied {
    /// Takes bytes.
    pub fn new(mut v: Vec<u8>) -> Copied {
        v.push(0);
        Copied(v)
    }
    /// The input.
    pub fn input(&self) -> Input<'_> {
        let n = self.0.len() - 1;
        // SAFETY: a zero was put after the bytes.
        unsafe { Input::terminated(&self.0[..n]) }
    }
}

/// Why an object is no input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotData {
    /// It offers no buffer at all.
    NoBuffer,
    /// It is a str with a surrogate, after this text.
    NotUtf8(Vec<u8>),
    /// It raised something of its own.
    Raised,
}

impl<'a> Data<'a> {
    /// The bytes of a bytes-like object, or of a str in UTF-8.
    #[inline(always)]
    pub fn of(o: Ref<'a>) -> core::result::Result<Data<'a>, NotData> {
        // SAFETY: bytes cannot change, live as long as the object, and end with a zero; so does
        // an ASCII str.
        unsafe {
            if ffi::PyBytes_Check(o.ptr()) != 0 {
                let p = ffi::PyBytes_AS_STRING(o.ptr()).cast::<u8>();
                return Ok(Data::Still(core::slice::from_raw_parts(p, ffi::Py_SIZE(o.ptr()) as usize)));
            }
        }
        if let Some(ascii) = o.as_any_str().and_then(|s| s.ascii()) {
            return Ok(Data::Still(ascii));
        }
        Self::copied(o)
    }

    #[cold]
    fn copied(o: Ref<'a>) -> core::result::Result<Data<'a>, NotData> {
        if let Some(s) = o.as_any_str() {
            return s.copy().map(|v| Data::Copy(Copied::new(v))).map_err(NotData::NotUtf8);
        }
        // SAFETY: the object is alive, and the table of its type begins with `bf_getbuffer`.
        if unsafe { ffi::in_table((*ffi::Py_TYPE(o.ptr())).tp_as_buffer, 0) }.is_null() {
            return Err(NotData::NoBuffer);
        }
        match View::new(o).and_then(|v| v.to_vec()) {
            Ok(v) => Ok(Data::Copy(Copied::new(v))),
            Err(Raised) => Err(NotData::Raised),
        }
    }

    /// The input.
    #[inline(always)]
    pub fn input(&self) -> Input<'_> {
        match self {
            // SAFETY: see the variant: a zero follows.
            Data::Still(b) => unsafe { Input::terminated(b) },
            Data::Copy(c) => c.input(),
        }
    }
}

/// A `memoryview` of an object whose bytes stand one behind the other and are its items, how many they are, and whether they may
/// be written. Nothing of an object that is no such: what then is right, or wrong, others find out.
pub fn view_of(o: Ref<'_>) -> Result<Option<(Own, usize, bool)>> {
    // SAFETY: alive; a new reference, or null with an exception set.
    let view = match unsafe { Own::take(ffi::PyMemoryView_FromObject(o.ptr())) } {
        Ok(view) => view,
        // Whatever ends the program is not for us to swallow.
        Err(Raised) if !is_ordinary() => return Err(Raised),
        Err(Raised) => {
            clear();
            return Ok(None);
        }
    };
    let b = &View::with(view.as_ref(), ffi::PyBUF_FULL_RO)?.0;
    // SAFETY: with these flags the shape and the strides are there, of as many numbers as there are dimensions; the format is
    // text, or null for the same as "B".
    let plain = unsafe {
        b.ndim == 1
            && b.itemsize == 1
            && b.suboffsets.is_null()
            && *b.strides == 1
            && (b.format.is_null() || core::ffi::CStr::from_ptr(b.format) == c"B")
    };
    Ok(plain.then_some((view, b.len as usize, b.readonly == 0)))
}

/// A `memoryview` of some of the bytes of a `bytes` object, which it keeps alive.
pub fn part(bytes: Ref<'_>, from: usize, to: usize) -> Result<Own> {
    // SAFETY: alive; each a new reference, or null with an exception set.
    unsafe {
        let all = Own::take(ffi::PyMemoryView_FromObject(bytes.ptr()))?;
        Own::take(ffi::PySequence_GetSlice(all.ptr(), from as isize, to as isize))
    }
}

impl<'a> Ref<'a> {
    /// The bytes of a `bytes` object, which nothing can change.
    #[inline]
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        // SAFETY: bytes cannot change and live as long as the object.
        unsafe {
            (ffi::PyBytes_Check(self.ptr()) != 0).then(|| {
                let p = ffi::PyBytes_AS_STRING(self.ptr()).cast::<u8>();
                core::slice::from_raw_parts(p, ffi::Py_SIZE(self.ptr()) as usize)
            })
        }
    }

    /// Of a `PickleBuffer` whose bytes stand one behind the other: how many they are, and whether they may be written.
    pub fn as_pickle_buffer(self) -> Option<(usize, bool)> {
        // SAFETY: alive; what it gives stands in the object, and is read before anything else can happen to that.
        unsafe {
            if ffi::Py_TYPE(self.ptr()) != &raw mut ffi::PyPickleBuffer_Type {
                return None;
            }
            let b = ffi::PyPickleBuffer_GetBuffer(self.ptr());
            if b.is_null() {
                clear();
                return None;
            }
            (ffi::PyBuffer_IsContiguous(b, b'A' as _) != 0).then(|| ((*b).len as usize, (*b).readonly == 0))
        }
    }

    /// Whether it is exactly a `bytes`.
    #[inline]
    pub fn is_bytes(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe { ffi::Py_TYPE(self.ptr()) == &raw mut ffi::PyBytes_Type }
    }

    /// Whether it is exactly a `bytes`, `str`, `bytearray` or `memoryview`.
    #[inline]
    pub fn is_plain_data(self) -> bool {
        // SAFETY: comparing addresses.
        unsafe {
            let t = ffi::Py_TYPE(self.ptr());
            t == &raw mut ffi::PyBytes_Type
                || t == &raw mut ffi::PyUnicode_Type
                || t == &raw mut ffi::PyByteArray_Type
                || t == &raw mut ffi::PyMemoryView_Type
        }
    }

    /// A copy of the bytes of any object that has some, whatever their layout.
    pub fn copy_bytes(self) -> Result<Vec<u8>> {
        match View::new(self) {
            Ok(v) => return v.to_vec(),
            // Whatever else user code raises is not for us to swallow.
            Err(Raised) if !pending(Builtin::Buffer) => return Err(Raised),
            Err(Raised) => clear(),
        }
        // A view with gaps: its own method puts the items together.
        let o = crate::call::call_method0(self, c"tobytes")?;
        Ok(o.as_ref().as_bytes().unwrap_or_default().to_vec())
    }
}
