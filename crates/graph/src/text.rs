//! Text in: `str` objects of what stands in the message.

use engine::KeyCache;
use native::{Head, Reader, What};
use py::Own;
use wire::Str;
use wire::transcode::Decoded;

use crate::feed::{Given, Trouble};

/// The key of a shape or a name in a type, which is looked for among those that were met in other messages.
#[inline(never)]
pub(crate) fn name(r: &mut Reader<'_>, h: Head, room: &mut Decoded, keys: &mut KeyCache) -> Given<Own> {
    if h.what == What::Wstr {
        return wide(r, h);
    }
    let s = r.str(h)?;
    if KeyCache::suits(&s) { Ok(keys.get(s, room)?) } else { made(r, s, room) }
}

/// Text that is UTF-8.
#[inline(always)]
pub(crate) fn text(r: &mut Reader<'_>, h: Head, room: &mut Decoded) -> Given<Own> {
    let s = r.str(h)?;
    made(r, s, room)
}

#[inline(always)]
fn made(r: &Reader<'_>, s: Str<'_>, room: &mut Decoded) -> Given<Own> {
    match py::str(s, room) {
        Ok(o) => Ok(o?),
        Err(good) => Err(Trouble::Wire(r.not_utf8(s.bytes().len(), good))),
    }
}

/// Text with surrogates.
#[cold]
#[inline(never)]
pub(crate) fn wide(r: &mut Reader<'_>, h: Head) -> Given<Own> {
    let text = r.wstr(h)?;
    Ok(py::str_with(text, c"surrogatepass")?)
}
