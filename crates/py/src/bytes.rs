//! Bytes, and the output buffer that becomes one without a copy.

use core::mem::offset_of;
use core::sync::atomic::{AtomicUsize, Ordering};
use wire::say;

use crate::sys as ffi;
use crate::sys::PyObject;
use wire::{Buf, Grow, NOWHERE};

use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result, clear};
use crate::slot::Slot;

/// A `bytes` object that holds a copy.
pub fn bytes(v: &[u8]) -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyBytes_FromStringAndSize(v.as_ptr().cast(), v.len() as isize)) }
}

/// The same as a `bytearray`.
pub fn bytearray(v: &[u8]) -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyByteArray_FromStringAndSize(v.as_ptr().cast(), v.len() as isize)) }
}

/// A `bytearray` of some words: the lowest `size` bytes of each, in the order of this machine. Floats stay of
/// eight bytes, or are of four.
pub fn bytearray_of(words: &[u64], size: usize, float: bool) -> Result<Own> {
    let size = if float && size < 4 { 8 } else { size.clamp(1, 8) };
    let skipped = if cfg!(target_endian = "big") { 8 - size } else { 0 };
    // SAFETY: a new object that nobody else sees has room for `size` bytes of each word, and is written to its end.
    unsafe {
        let made =
            Own::take(ffi::PyByteArray_FromStringAndSize(core::ptr::null(), (words.len() * size) as isize))?;
        let mut to = (*made.ptr().cast::<ffi::PyByteArrayObject>()).ob_start;
        if size == 8 {
            core::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), to, words.len() * 8);
            return Ok(made);
        }
        for &word in words {
            let word = if float { u64::from((f64::from_bits(word) as f32).to_bits()) } else { word };
            core::ptr::copy_nonoverlapping(word.to_ne_bytes().as_ptr().add(skipped), to, size);
            to = to.add(size);
        }
        Ok(made)
    }
}

/// Where the bytes of a `bytes` object stand.
const DATA: usize = offset_of!(ffi::PyBytesObject, ob_sval);

/// Output begins in room that is kept from call to call, and a message that fits it is copied
/// once into an object of exactly its size. What grows beyond moves into a `bytes` object, which
/// is then handed out as it is.
static ROOM: Grow = Grow { grow: leave_room, free: free_room };
static BYTES: Grow = Grow { grow: grow_bytes, free: free_bytes };

/// How much room is kept.
const ROOM_SIZE: usize = 8 * 1024;

unsafe extern "C" {
    fn _PyBytes_Resize(o: *mut *mut PyObject, n: isize) -> i32;
}

/// Larger outputs than this are not expected again. What is asked for and not needed is not touched, and given back; what must grow
/// is moved, and when it is given back, the allocator of C may leave its pages to the system, call after call.
const EXPECT: usize = 16 * 1024 * 1024;

/// Where output begins, and how large the last one was.
#[derive(Default)]
pub struct Room {
    kept: Slot<[u8; ROOM_SIZE]>,
    last: AtomicUsize,
}

/// An output buffer that [`finish`] makes a `bytes` object of.
#[inline(always)]
pub fn bytes_buf(room: &Room) -> Buf {
    let last = room.last.load(Ordering::Relaxed);
    if last > ROOM_SIZE
        && let Some(buf) = as_large(last)
    {
        return buf;
    }
    let kept = room.kept.take().unwrap_or_else(|| alloc::boxed::Box::new([0; ROOM_SIZE]));
    // SAFETY: the array is writable and ours until it is put back or freed.
    unsafe { Buf::from_raw(alloc::boxed::Box::into_raw(kept).cast(), 0, ROOM_SIZE, &ROOM) }
}

/// A buffer for a little more than the last time, so that nothing needs to grow; nothing if there is no memory for it.
#[inline(never)]
fn as_large(last: usize) -> Option<Buf> {
    let cap = last + last / 16;
    // SAFETY: a new `bytes` object that nobody else sees has room for `cap` bytes.
    unsafe {
        let o = ffi::PyBytes_FromStringAndSize(core::ptr::null(), cap as isize);
        if !o.is_null() {
            return Some(Buf::from_raw(o.cast::<u8>().add(DATA), 0, cap, &BYTES));
        }
    }
    clear();
    None
}

/// The finished `bytes` object.
///
/// What may surprise: a little room behind the output is not given back. The allocator of C takes large
/// blocks from the system as long as they are larger than any that it was ever given back, and pages from
/// there must be made first; an output that is made smaller is given back smaller than it was taken, so
/// the next would be taken from there again.
#[inline(always)]
pub fn finish(buf: Buf, room: &Room) -> Result<Own> {
    let (ptr, len, cap, store) = buf.into_raw();
    room.last.store(len.min(EXPECT), Ordering::Relaxed);
    if core::ptr::eq(store, &ROOM) {
        // SAFETY: the storage is a box that we made, whose first `len` bytes were written.
        let kept = unsafe { alloc::boxed::Box::from_raw(ptr.cast::<[u8; ROOM_SIZE]>()) };
        let r = bytes(kept.get(..len).unwrap_or_default());
        room.kept.put(kept);
        return r;
    }
    // SAFETY: the storage is no other.
    unsafe { finish_bytes(ptr, len, cap) }
}

/// [`bytes_buf`] for those that are called less often.
#[inline(never)]
pub fn bytes_buf_by_call(room: &Room) -> Buf {
    bytes_buf(room)
}

/// [`finish`], likewise.
#[inline(never)]
pub fn finish_by_call(buf: Buf, room: &Room) -> Result<Own> {
    finish(buf, room)
}

/// # Safety
/// The storage must be that of a `bytes` object which only we hold.
#[inline(never)]
unsafe fn finish_bytes(ptr: *mut u8, len: usize, cap: usize) -> Result<Own> {
    // SAFETY: by contract; on failure the call frees it. Where it is not given back, there is room for the zero that
    // ends it.
    unsafe {
        let mut o = ptr.sub(DATA).cast::<PyObject>();
        if cap - len <= cap / 8 {
            *ptr.add(len) = 0;
            (*o.cast::<ffi::PyVarObject>()).ob_size = len as isize;
        } else if _PyBytes_Resize(&mut o, len as isize) != 0 {
            return Err(Raised);
        }
        Own::take(o)
    }
}

/// # Safety
/// The storage must be a box of `ROOM_SIZE` bytes.
unsafe fn free_room(ptr: *mut u8, _: usize) {
    // SAFETY: by contract.
    drop(unsafe { alloc::boxed::Box::from_raw(ptr.cast::<[u8; ROOM_SIZE]>()) });
}

/// # Safety
/// The storage must be a box of `ROOM_SIZE` bytes.
unsafe fn leave_room(buf: &mut Buf, want: usize) -> bool {
    // SAFETY: a new `bytes` object that nobody else sees has room for `want` bytes.
    unsafe {
        let o = ffi::PyBytes_FromStringAndSize(core::ptr::null(), want as isize);
        if o.is_null() {
            clear();
            return false;
        }
        let old = buf.as_ptr();
        let new = o.cast::<u8>().add(DATA);
        core::ptr::copy_nonoverlapping(old, new, buf.len());
        buf.rebase(new, want, &BYTES);
        free_room(old, ROOM_SIZE);
    }
    true
}

/// # Safety
/// The storage must be that of a `bytes` object which only we hold.
unsafe fn grow_bytes(buf: &mut Buf, want: usize) -> bool {
    // SAFETY: by contract. When the call fails, it has freed the object: the buffer then gets
    // empty storage of the other kind, so that dropping it is right.
    unsafe {
        let mut o = buf.as_ptr().sub(DATA).cast::<PyObject>();
        if _PyBytes_Resize(&mut o, want as isize) != 0 {
            clear();
            buf.truncate(0);
            buf.rebase(core::ptr::NonNull::dangling().as_ptr(), 0, &NOWHERE);
            return false;
        }
        buf.rebase(o.cast::<u8>().add(DATA), want, &BYTES);
    }
    true
}

/// # Safety
/// The storage must be that of a `bytes` object which only we hold.
unsafe fn free_bytes(ptr: *mut u8, _: usize) {
    // SAFETY: by contract; the reference is given back.
    unsafe { ffi::Py_DECREF(ptr.sub(DATA).cast()) }
}

/// Makes a bytearray `offset + body` long, keeping what stands before `offset`, and writes `body` there.
///
/// Raises BufferError if the bytearray is exported, TypeError if it is none.
pub fn write_bytearray(o: Ref<'_>, offset: usize, body: &[u8]) -> Result<()> {
    resize_bytearray(o, offset + body.len())?;
    // SAFETY: it is a bytearray of that length, and no user code has run since.
    unsafe {
        let p = (*o.ptr().cast::<ffi::PyByteArrayObject>()).ob_start;
        // One that is empty has no place for bytes.
        core::ptr::copy_nonoverlapping(body.as_ptr(), p.wrapping_add(offset), body.len());
    }
    Ok(())
}

/// Gives a bytearray another length.
fn resize_bytearray(o: Ref<'_>, len: usize) -> Result<()> {
    with_bytearray(o)?;
    // SAFETY: it is a bytearray.
    if unsafe { ffi::PyByteArray_Resize(o.ptr(), len as isize) } == 0 { Ok(()) } else { Err(Raised) }
}

impl<'a> Ref<'a> {
    /// What exactly a `bytearray` holds, good until code of users runs. Nothing where other threads may change it meanwhile.
    pub fn as_bytearray(self) -> Option<&'a [u8]> {
        if cfg!(Py_GIL_DISABLED) || !self.is_byte_array() {
            return None;
        }
        // SAFETY: it has that layout, and its size is that of what it holds, which stands there until it is changed.
        unsafe {
            let o = self.ptr().cast::<ffi::PyByteArrayObject>();
            let len = ffi::Py_SIZE(self.ptr()) as usize;
            Some(if len == 0 { &[] } else { core::slice::from_raw_parts((*o).ob_start, len) })
        }
    }
}

/// The length of a bytearray; TypeError for anything else.
pub fn with_bytearray(o: Ref<'_>) -> Result<usize> {
    // SAFETY: the object is alive; its size is asked for only if it is a bytearray.
    unsafe {
        if ffi::PyByteArray_Check(o.ptr()) == 0 {
            return Err(
                Builtin::Type.raise_words(say!("expected a bytearray, got `{}`"), &[crate::Word::Class(o)])
            );
        }
        Ok((*o.ptr().cast::<ffi::PyVarObject>()).ob_size as usize)
    }
}
