//! A format being read: a cursor with a flat set of takers.
//!
//! [`Source::head`] says what comes next and consumes nothing of it; one of the takers then
//! takes it. The caller decides which taker, so a schema can choose before anything is parsed,
//! and recursion, depth and error paths stay with the caller.

use crate::sink::Form;
use crate::time::Instant;
use crate::{Caps, Code, Error, KNOWN, Kind, Num, Result, Str};

/// A number as it was written.
#[derive(Clone, Copy, Debug)]
pub struct NumText<'a> {
    /// The digits, with sign, point and exponent as they stand.
    pub text: &'a str,
    /// Whether it has a fraction or an exponent, or names no finite number.
    pub float: bool,
}

/// A format being read.
///
/// A taker of a head is called only with what [`Source::head`] has just given, and only where
/// its kind fits. Takers for things that a format cannot say have bodies that refuse.
pub trait Source {
    /// What this format can say.
    const CAPS: Caps;
    /// What is remembered of a value's first byte.
    type Head: Copy;
    /// What is remembered of an open container: 64 bits at most, so that whoever keeps many of
    /// them need not know the format.
    type Seq: Copy + From<u64> + Into<u64>;

    /// What comes next. Consumes white space at most.
    fn head(&mut self) -> Result<(Kind, Self::Head)>;
    /// The head of text, if text stands here beyond doubt: where it is likely, this is the shorter question.
    fn text_head(&self) -> Option<Self::Head> {
        None
    }
    /// The same of text behind white space, which is consumed.
    #[inline(always)]
    fn next_text(&mut self) -> Option<Self::Head> {
        self.text_head()
    }
    /// [`Source::head`] where no white space can be.
    #[inline(always)]
    fn head_here(&mut self) -> Result<(Kind, Self::Head)> {
        self.head()
    }
    /// As [`Source::text_head`], of a container, where one is likely.
    fn container_head(&self) -> Option<(Kind, Self::Head)> {
        None
    }
    /// Takes a null.
    fn null(&mut self, h: Self::Head) -> Result<()>;
    /// Takes a truth value.
    fn bool(&mut self, h: Self::Head) -> Result<bool>;
    /// Takes a number.
    fn number(&mut self, h: Self::Head) -> Result<Num<'_>>;
    /// Takes the integer that stands here, if it can be told by one look that there is one, short and allowed.
    #[inline(always)]
    fn short_int(&mut self) -> Option<i64> {
        None
    }
    /// Takes a number as it was written. Called only if `CAPS.number_text`.
    fn number_text(&mut self, h: Self::Head) -> Result<NumText<'_>> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Takes text, which may still be unchecked: see [`Str`] and [`Source::not_utf8`].
    fn str(&mut self, h: Self::Head) -> Result<Str<'_>>;
    /// Takes bytes.
    fn bytes(&mut self, h: Self::Head) -> Result<&[u8]> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Opens an array.
    fn array(&mut self, h: Self::Head) -> Result<Self::Seq>;
    /// Whether another item follows; then it stands next. At the end the array is closed.
    fn item(&mut self, s: &mut Self::Seq) -> Result<bool>;
    /// Opens a map.
    fn map(&mut self, h: Self::Head) -> Result<Self::Seq>;
    /// Whether another entry follows; then its key stands next. At the end the map is closed.
    fn entry(&mut self, s: &mut Self::Seq) -> Result<bool>;
    /// What key comes next. Formats whose keys are all text know the answer.
    fn key(&mut self) -> Result<(Kind, Self::Head)> {
        self.head()
    }
    /// Goes from a key to its value.
    fn value(&mut self) -> Result<()>;
    /// A place for [`Source::since`], before a key is taken.
    fn mark(&self) -> usize {
        self.at()
    }
    /// What was taken since a mark, as it stands in the input.
    fn since(&self, mark: usize) -> &[u8] {
        let _ = mark;
        &[]
    }
    /// What is passed over from here on will be passed over again after a [`Source::rewind`], perhaps for
    /// many containers around it: see [`crate::Passed`].
    fn look(&mut self);
    /// Goes back to a mark. What is open must be what was open there.
    fn rewind(&mut self, mark: usize);
    /// Takes a key, and goes to its value, if it is written exactly as the first `len` bytes of
    /// `known` say: what [`Source::since`] gave for it once.
    fn again(&mut self, known: &[u8; KNOWN], len: usize) -> bool {
        let _ = (known, len);
        false
    }
    /// [`Source::entry`] and [`Source::again`] in one, for what is likely: says no, and takes nothing, of
    /// whatever takes a second look.
    fn entry_again(&mut self, s: &mut Self::Seq, known: &[u8; KNOWN], len: usize) -> bool {
        let _ = (s, known, len);
        false
    }
    /// How many items are known to be left, or 0.
    fn size_hint(&self, s: &Self::Seq) -> usize {
        let _ = s;
        0
    }
    /// Passes over one whole value, checking it as strictly as taking it would, without recursion.
    fn skip(&mut self) -> Result<()>;
    /// Takes one whole value undecoded: the bytes from its first to its last.
    fn raw(&mut self) -> Result<&[u8]> {
        self.head()?;
        let start = self.mark();
        self.skip()?;
        Ok(self.since(start))
    }
    /// Takes an application type.
    fn ext(&mut self, h: Self::Head) -> Result<(i8, &[u8])> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Takes a moment.
    fn time(&mut self, h: Self::Head) -> Result<Instant> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Opens a named shape.
    fn form(&mut self, h: Self::Head) -> Result<(Form, Self::Seq)> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Takes a reference to the `n`th container begun.
    fn back_ref(&mut self, h: Self::Head) -> Result<u32> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Takes a reference to the `n`th buffer beside the message.
    fn buffer(&mut self, h: Self::Head) -> Result<u32> {
        let _ = h;
        self.refuse(Code::Forbidden)
    }
    /// Checks that nothing follows.
    fn end(&mut self) -> Result<()>;
    /// Where the cursor stands. Called only when something is wrong, so it may be slow.
    fn at(&self) -> usize;
    /// The fault of text of `len` bytes, just taken, of which only the first `good` are UTF-8.
    fn not_utf8(&self, len: usize, good: usize) -> Error {
        Error { code: Code::NotUtf8, at: self.at().saturating_sub(len - good) }
    }
    /// A fault at the place where the cursor stands.
    #[cold]
    fn refuse<T>(&self, code: Code) -> Result<T> {
        Err(Error { code, at: self.at() })
    }
}

/// Puts parts together for [`Source::again`]: how long they are, or 0 if they are too long.
pub fn known(text: &mut [u8; KNOWN], parts: &[&[u8]]) -> usize {
    let mut n = 0;
    for part in parts {
        let Some(room) = text.get_mut(n..n + part.len()) else { return 0 };
        room.copy_from_slice(part);
        n += part.len();
    }
    n
}
