//! Text in: `str` objects of what stands in the message.

use engine::KeyCache;
use native::{Head, Reader, What};
use py::Own;
use wire::transcode::Decoded;

use crate::feed::{Given, Trouble};

/// Text at a head. Keys are looked for among those that were met in other messages.
#[inline(always)]
pub(crate) fn text(
    r: &mut Reader<'_>,
    h: Head,
    room: &mut Decoded,
    keys: Option<&mut KeyCache>,
) -> Given<Own> {
    if h.what == What::Wstr {
        return wide(r, h);
    }
    let s = r.str(h)?;
    if let Some(keys) = keys
        && KeyCache::suits(&s)
    {
        return Ok(keys.get(s, room)?);
    }
    match py::str(s, room) {
        Ok(o) => Ok(o?),
        Err(good) => Err(Trouble::Wire(r.not_utf8(s.bytes().len(), good))),
    }
}

#[cold]
#[inline(never)]
fn wide(r: &mut Reader<'_>, h: Head) -> Given<Own> {
    let text = r.wstr(h)?;
    Ok(py::str_with(text, c"surrogatepass")?)
}
