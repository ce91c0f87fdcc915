//! Text in and out.
//!
//! What may surprise: text that is not ASCII is transcoded here, into room that the caller
//! keeps, and not by the API, which would leave a second copy on the user's string for as long
//! as that lives.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};

use crate::sys as ffi;
use wire::Str;
use wire::transcode::{self, Decoded, Units};

use crate::direct::OldTexts;
use crate::layout;
use crate::object::{Own, Ref};
use crate::raised::Result;

/// A `str`, or an instance of a subclass.
#[derive(Clone, Copy)]
pub struct StrRef<'a>(Ref<'a>);

/// The text has a surrogate, which UTF-8 cannot spell; at this character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotUtf8(pub usize);

impl<'a> StrRef<'a> {
    /// # Safety
    /// `r` must have the layout of a str.
    #[inline(always)]
    pub(crate) unsafe fn new(r: Ref<'a>) -> Self {
        StrRef(r)
    }

    /// The object.
    #[inline(always)]
    pub fn as_ref(self) -> Ref<'a> {
        self.0
    }

    /// The bytes, if they are ASCII. A zero byte follows them.
    #[inline(always)]
    pub fn ascii(self) -> Option<&'a [u8]> {
        // SAFETY: it has the layout of a str, and is borrowed for 'a.
        unsafe { layout::ascii(self.0.ptr()) }
    }

    /// How many characters it has.
    #[inline(always)]
    pub fn chars(self) -> usize {
        // SAFETY: it has the layout of a str.
        unsafe { ffi::PyUnicode_GET_LENGTH(self.0.ptr()) as usize }
    }

    /// The text, if its bytes stand somewhere: as ASCII, or as the UTF-8 that somebody asked for.
    #[inline(always)]
    pub fn plain(self) -> Option<Str<'a>> {
        // SAFETY: ASCII, or UTF-8, by the str's own word; the longer header is looked at only if it has that.
        unsafe {
            match self.ascii() {
                Some(bytes) => Some(Str::proved(bytes, true)),
                None => cached_utf8(self.0.ptr()).map(|utf8| Str::proved(utf8, false)),
            }
        }
    }

    /// The text; spelled into `room` if it is not ASCII.
    #[inline(always)]
    pub fn text<'t>(self, room: &'t mut Vec<u8>) -> core::result::Result<Str<'t>, NotUtf8>
    where
        'a: 't,
    {
        match self.plain() {
            Some(text) => Ok(text),
            None => self.wide_text(room),
        }
    }

    #[inline(never)]
    fn wide_text<'t>(self, room: &'t mut Vec<u8>) -> core::result::Result<Str<'t>, NotUtf8>
    where
        'a: 't,
    {
        let p = self.0.ptr();
        room.clear();
        // SAFETY: a str that is ready has `length` units of its kind behind `DATA`.
        unsafe {
            let n = ffi::PyUnicode_GET_LENGTH(p) as usize;
            let data = ffi::PyUnicode_DATA(p);
            match ffi::PyUnicode_KIND(p) {
                ffi::PyUnicode_1BYTE_KIND => {
                    transcode::encode_one(core::slice::from_raw_parts(data.cast::<u8>(), n), room)
                }
                ffi::PyUnicode_2BYTE_KIND => {
                    transcode::encode_two(core::slice::from_raw_parts(data.cast::<u16>(), n), room)
                }
                _ => transcode::encode_four(core::slice::from_raw_parts(data.cast::<u32>(), n), room),
            }
            .map_err(NotUtf8)?;
            Ok(Str::proved(room, false))
        }
    }

    /// The text in UTF-8, with room for one byte more, so that it need not be copied again for the zero that ends
    /// input; or what stands before a surrogate.
    pub(crate) fn copy(self) -> core::result::Result<Vec<u8>, Vec<u8>> {
        if let Some(utf8) = self.plain().map(|text| text.bytes()) {
            let mut v = Vec::with_capacity(utf8.len() + 1);
            v.extend_from_slice(utf8);
            return Ok(v);
        }
        let mut v = Vec::new();
        match self.wide_text(&mut v) {
            Ok(_) => Ok(v),
            Err(_) => Err(v),
        }
    }

    /// The text as Rust's, with surrogates replaced: for messages.
    pub fn lossy(self) -> alloc::string::String {
        let mut room = Vec::new();
        match self.text(&mut room) {
            Ok(s) => s.utf8().unwrap_or_default().into(),
            Err(_) => alloc::string::String::from("\u{fffd}"),
        }
    }

    /// The same for a word that is nearly always ASCII, which need not be copied then.
    pub fn word(self) -> Cow<'a, str> {
        let ascii = self.ascii().and_then(|word| core::str::from_utf8(word).ok());
        ascii.map_or_else(|| self.lossy().into(), Cow::Borrowed)
    }

    /// Its hash, if anybody has asked for that before. Names have been looked for, and so have theirs.
    #[inline(always)]
    pub fn known_hash(self) -> Option<isize> {
        // SAFETY: it has the layout of a str.
        Some(unsafe { layout::str_hash(self.0.ptr()) }).filter(|&h| h != -1)
    }

    /// Whether both are the same text.
    pub fn same(self, other: StrRef<'_>) -> bool {
        match (self.ascii(), other.ascii()) {
            (Some(a), Some(b)) => a == b,
            _ => {
                let (mut room, mut others) = (Vec::new(), Vec::new());
                self.text(&mut room)
                    .is_ok_and(|a| other.text(&mut others).is_ok_and(|b| a.bytes() == b.bytes()))
            }
        }
    }

    /// Whether the text is `s`.
    pub fn is(self, s: &str) -> bool {
        let mut room = Vec::new();
        self.text(&mut room).is_ok_and(|t| t.bytes() == s.as_bytes())
    }
}

/// The UTF-8 that somebody has asked this str for before, and which it keeps.
///
/// # Safety
/// `p` must be a str that is not compact ASCII, alive for `'a`.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn cached_utf8<'a>(p: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: by contract; every str that is not compact ASCII has the longer header.
    unsafe {
        let o = p.cast::<ffi::PyCompactUnicodeObject>();
        let utf8 = (*o).utf8;
        (!utf8.is_null()).then(|| core::slice::from_raw_parts(utf8.cast::<u8>(), (*o).utf8_length as usize))
    }
}

/// Another thread may be writing it just now.
#[cfg(Py_GIL_DISABLED)]
unsafe fn cached_utf8<'a>(_: *mut ffi::PyObject) -> Option<&'a [u8]> {
    None
}

/// A `str` of text that may be unchecked; inside, how many leading bytes are UTF-8 if not all.
#[inline(always)]
pub fn str(s: Str<'_>, room: &mut Decoded) -> core::result::Result<Result<Own>, usize> {
    ascii(&s, None).map_or_else(|| wide(s, room), Ok)
}

/// The same of text that is known to be ASCII, in the memory of one that is gone if some waits; nothing if it is not.
#[inline(always)]
pub fn ascii(s: &Str<'_>, old: Option<&OldTexts>) -> Option<Result<Own>> {
    s.is_ascii().then(|| new_ascii(s.bytes(), old))
}

/// A `str` of ASCII. It has been proved: see [`Str::is_ascii`].
#[inline(never)]
fn new_ascii(bytes: &[u8], old: Option<&OldTexts>) -> Result<Own> {
    let n = bytes.len();
    if n < 2 {
        // The interpreter keeps these.
        // SAFETY: a new reference to a string of one character or none.
        return decoded(bytes, core::ptr::null());
    }
    // SAFETY: a new str of `n` ASCII characters has room for `n` bytes, and nobody else has seen it.
    unsafe {
        let o = crate::direct::ascii(n, old)?;
        copy(bytes.as_ptr(), layout::new_ascii_data(o.ptr()), n);
        Ok(o)
    }
}

/// Copies what is short by two overlapping words: most text is, and a call takes longer than that.
///
/// # Safety
/// `n` bytes, two at least, must be readable at `from` and writable at `to`, apart from each other.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, n: usize) {
    /// # Safety
    /// As above; `n` must be from the size of `T` to twice that.
    #[inline(always)]
    unsafe fn two<T>(from: *const u8, to: *mut u8, n: usize) {
        let last = n - size_of::<T>();
        // SAFETY: both words lie within the `n` bytes, and both are read before either is written.
        unsafe {
            let (a, b) = (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
            to.cast::<T>().write_unaligned(a);
            to.add(last).cast::<T>().write_unaligned(b);
        }
    }
    // SAFETY: by contract.
    unsafe {
        match n {
            8..=16 => two::<u64>(from, to, n),
            17..=32 => two::<u128>(from, to, n),
            4..=7 => two::<u32>(from, to, n),
            2..=3 => two::<u16>(from, to, n),
            _ => core::ptr::copy_nonoverlapping(from, to, n),
        }
    }
}

/// Text of so many bytes is measured first, and then written where it belongs.
const LONG: usize = 128;

/// A `str` of text that is not known to be ASCII; inside, how many leading bytes are UTF-8 if not all.
#[inline(never)]
pub fn wide(s: Str<'_>, room: &mut Decoded) -> core::result::Result<Result<Own>, usize> {
    let bytes = s.bytes();
    if bytes.len() >= LONG {
        return long_wide(bytes);
    }
    let units = room.decode(bytes)?;
    Ok(new_wide(&units, bytes))
}

/// Only for text that is not ASCII: a str that is has the shorter header.
fn long_wide(bytes: &[u8]) -> core::result::Result<Result<Own>, usize> {
    let (n, width) = transcode::measure_utf8(bytes);
    let max = match width {
        _ if bytes.is_ascii() => 0x7f,
        1 => 0xff,
        2 => 0xffff,
        _ => 0x10_ffff,
    };
    // SAFETY: a new str of `n` characters up to `max` has room for `n` units of that width behind its
    // header, and nobody else has seen it. The measure says that the largest character, if the text is
    // valid, reaches into the upper half of the width, as the interpreter demands; if it is not, the str
    // goes before anybody sees it.
    unsafe {
        let o = match Own::take(ffi::PyUnicode_New(n as isize, max)) {
            Ok(o) => o,
            Err(e) => return Ok(Err(e)),
        };
        let data = match max {
            0x7f => layout::new_ascii_data(o.ptr()),
            _ => layout::new_wide_data(o.ptr()),
        };
        match width {
            1 => transcode::decode_one(bytes, data, n)?,
            2 => transcode::decode_two(bytes, data.cast::<u16>(), n)?,
            _ => transcode::decode_four(bytes, data.cast::<u32>(), n)?,
        };
        Ok(Ok(o))
    }
}

/// A `str` of what `bytes`, which are UTF-8, were decoded to.
fn new_wide(units: &Units<'_>, bytes: &[u8]) -> Result<Own> {
    let (n, max) = match units {
        Units::One(u) => (u.len(), 0xff),
        Units::Two(u) => (u.len(), 0xffff),
        Units::Four(u) => (u.len(), 0x10_ffff),
    };
    // Text that is ASCII after all, though nobody knew, must have the shorter header; and the
    // interpreter keeps single Latin-1 characters.
    let plain = matches!(units, Units::One(u) if u.len() <= 1 || u.iter().all(|&u| u < 0x80));
    if plain {
        // SAFETY: a new reference, or null with an exception set.
        return decoded(bytes, core::ptr::null());
    }
    // SAFETY: a new str of `n` characters up to `max` has room for `n` units of that width after
    // the longer header, and nobody else has seen it. The characters reach into the upper half of
    // the width, as the interpreter demands, since `units` is the narrowest that fits.
    unsafe {
        let o = Own::take(ffi::PyUnicode_New(n as isize, max))?;
        let data = layout::new_wide_data(o.ptr());
        match units {
            Units::One(u) => transcode::narrow_into(u, data),
            Units::Two(u) => core::ptr::copy_nonoverlapping(u.as_ptr(), data.cast(), n),
            Units::Four(u) => core::ptr::copy_nonoverlapping(u.as_ptr(), data.cast(), n),
        }
        Ok(o)
    }
}

/// A `str` of Rust's text.
pub fn text(s: &str) -> Result<Own> {
    decoded(s.as_bytes(), core::ptr::null())
}

/// A `str` of bytes that may not be UTF-8; what is not, is replaced. For messages.
pub fn str_from(bytes: &[u8]) -> Result<Own> {
    decoded(bytes, c"replace".as_ptr())
}

/// A `str` of bytes in UTF-8. What is not raises if there is no name of an error handler.
fn decoded(bytes: &[u8], errors: *const c_char) -> Result<Own> {
    // SAFETY: a name, if there is one, is given to us as ending with zero; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), bytes.len() as isize, errors)) }
}

/// A `str` of bytes in UTF-8; what is not, is given to the codec error handler of that name.
#[cold]
pub fn str_with(bytes: &[u8], errors: &CStr) -> Result<Own> {
    decoded(bytes, errors.as_ptr())
}

/// The `bytes` of a `str` in UTF-8; surrogates are given to the codec error handler of that name.
#[cold]
pub fn encoded_with(s: Ref<'_>, errors: &CStr) -> Result<Own> {
    // SAFETY: alive, and what is no str raises; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyUnicode_AsEncodedString(s.ptr(), c"utf-8".as_ptr(), errors.as_ptr())) }
}

/// A `str` that the interpreter keeps once: for names.
pub fn intern(s: &str) -> Result<Own> {
    interned(text(s)?)
}

/// What the interpreter keeps for a `str`. (An instance of a subclass stays what it is.)
pub fn interned(s: Own) -> Result<Own> {
    let mut p = s.into_ptr();
    // SAFETY: the reference is taken and given back, perhaps to another, equal str.
    unsafe {
        ffi::PyUnicode_InternInPlace(&mut p);
        Own::take(p)
    }
}
