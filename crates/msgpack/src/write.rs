//! Writing: every value in its shortest form.
//!
//! What may surprise: a length beyond 32 bits cannot be said. The verb then gives [`Full`], and
//! [`Sink::too_long`] tells it apart from memory that has run out.

use crate::marker::*;
use crate::style::{Floats, Style};
use wire::number::repeats_sign;
use wire::time::{Date, DateTime, Duration, Instant, Time, TimeStyle};
use wire::{Big, Buf, Caps, Full, Lead, Signed, Sink, Str, Wrote};

/// A message being written.
pub struct Writer<'s> {
    out: Buf,
    style: &'s Style,
    too_long: bool,
}

impl<'s> Writer<'s> {
    /// Writes after what `out` holds.
    pub fn new(out: Buf, style: &'s Style) -> Self {
        Writer { out, style, too_long: false }
    }

    #[cold]
    #[inline(never)]
    fn long(&mut self) -> Wrote {
        self.too_long = true;
        Err(Full)
    }

    /// An integer that does not fit one byte: one byte says how many others there are.
    #[inline(always)]
    fn wide(&mut self, lead: impl Lead, v: u64) -> Wrote {
        self.tagged(lead, UINT_8, v, v)
    }

    /// The same below zero, by the magnitude.
    #[inline(always)]
    fn negative(&mut self, lead: impl Lead, v: u64) -> Wrote {
        // The magnitude but one, doubled: what has to fit, so that the sign does too.
        self.tagged(lead, INT_8, (v - 1) << 1, v.wrapping_neg())
    }

    /// The bits of a number in as many bytes as `fit` needs: 1, 2, 4 or 8. Without branches, which
    /// lists of numbers of every length would guess wrong.
    #[inline(always)]
    fn tagged(&mut self, lead: impl Lead, tag: u8, fit: u64, bits: u64) -> Wrote {
        let log = u32::from(fit > 0xff) + u32::from(fit > 0xffff) + u32::from(fit > 0xffff_ffff);
        let size = 1u32 << log;
        self.out.put_tagged_after(lead, tag + log as u8, bits << (64 - 8 * size), 1 + size as usize)
    }

    /// The head of an array or map: `fix` if there are fewer than 16, else that of 16 or 32 bits.
    #[inline(always)]
    fn container(&mut self, fix: u8, wide: u8, len: usize) -> Wrote {
        if len < 16 { self.out.push(fix | len as u8) } else { self.long_container(wide, len) }
    }

    #[inline(never)]
    fn long_container(&mut self, wide: u8, len: usize) -> Wrote {
        match len {
            0..0x1_0000 => self.out.put_tagged(wide, (len as u64) << 48, 3),
            0x1_0000..=0xffff_ffff => self.out.put_tagged(wide + 1, (len as u64) << 32, 5),
            _ => self.long(),
        }
    }

    /// What `narrow` begins, its length in 8, 16 or 32 bits; in no fewer than 8 doubled `least` times.
    #[inline(never)]
    fn sized(&mut self, narrow: u8, least: u32, bytes: &[u8]) -> Wrote {
        let n = bytes.len();
        if n > 0xffff_ffff {
            return self.long();
        }
        let log = (u32::from(n > 0xff) + u32::from(n > 0xffff)).max(least);
        let size = 1 << log;
        self.out.put_headed(narrow + log as u8, (n as u32) << (32 - 8 * size), 1 + size as usize, bytes)
    }

    /// Text, or bytes of the old specification.
    #[inline(always)]
    fn put_text(&mut self, bytes: &[u8]) -> Wrote {
        let n = bytes.len();
        if n < 32 {
            return self.out.put_headed(FIX_STR | n as u8, 0, 1, bytes);
        }
        if n < 0x100 && !self.style.old {
            return self.out.put_headed(STR_8, (n as u32) << 24, 2, bytes);
        }
        self.sized(STR_8, u32::from(self.style.old), bytes)
    }

    /// Bytes, where they are text.
    #[cold]
    #[inline(never)]
    fn old_bytes(&mut self, bytes: &[u8]) -> Wrote {
        if bytes.len() < 32 {
            self.out.push(FIX_STR | bytes.len() as u8)?;
            return self.out.put(bytes);
        }
        self.sized(STR_8, 1, bytes)
    }

    #[inline(always)]
    fn single(&mut self, v: f32) -> Wrote {
        self.out.put_tagged(FLOAT_32, u64::from(v.to_bits()) << 32, 5)
    }

    /// What is known to be short text of ASCII, written where it belongs. `N` has room for three bytes before it.
    #[inline(always)]
    fn spelled<const N: usize>(&mut self, write: impl FnOnce(&mut [u8]) -> usize) -> Wrote {
        let old = self.style.old;
        self.out.put_by::<N>(|room| {
            let n = room.get_mut(1..).map_or(0, write);
            if n >= 32 {
                return lengthened(room, n, old);
            }
            room[0] = FIX_STR | n as u8;
            1 + n
        })
    }

    #[cold]
    #[inline(never)]
    fn other_float(&mut self, v: f64) -> Wrote {
        let short = v as f32;
        if self.style.floats == Floats::Single {
            return self.single(short);
        }
        if v.is_nan() {
            // One NaN stands for all: quiet, without sign or payload.
            return self.single(f32::from_bits(0x7fc0_0000));
        }
        if v == 0.0 {
            return self.single(0.0);
        }
        if f64::from(short) == v {
            return self.single(short);
        }
        self.out.put_tagged(FLOAT_64, v.to_bits(), 9)
    }
}

impl Sink for Writer<'_> {
    const CAPS: Caps = Caps {
        str_keys_only: false,
        bytes: true,
        non_finite: true,
        time: true,
        ext: true,
        sized: true,
        rendered_keys: true,
        place: 1,
        big: Big::Bytes,
        ..Caps::PLAIN
    };

    #[inline(always)]
    fn null(&mut self) -> Wrote {
        self.out.push(NIL)
    }
    #[inline(always)]
    fn bool(&mut self, v: bool) -> Wrote {
        self.out.push(FALSE + u8::from(v))
    }
    #[inline(always)]
    fn i64(&mut self, v: i64) -> Wrote {
        self.signed_item((), v.into())
    }
    #[inline(always)]
    fn u64(&mut self, v: u64) -> Wrote {
        if v < 128 { self.out.push(v as u8) } else { self.wide((), v) }
    }
    #[inline(always)]
    fn f64(&mut self, v: f64) -> Wrote {
        self.f64_item((), v)
    }
    #[inline(always)]
    fn f32(&mut self, v: f32) -> Wrote {
        if self.style.floats == Floats::Canonical {
            return self.other_float(f64::from(v));
        }
        self.single(v)
    }
    #[cold]
    fn big_bytes(&mut self, twos: &[u8]) -> Wrote {
        // Big-endian, without bytes that repeat the sign.
        let body: alloc::vec::Vec<u8> = twos.iter().rev().copied().collect();
        let spare = body.windows(2).take_while(|w| repeats_sign(w)).count();
        self.ext(self.style.big_int, body.get(spare..).unwrap_or_default())
    }
    #[inline(always)]
    fn str(&mut self, v: Str<'_>) -> Wrote {
        self.put_text(v.bytes())
    }
    #[inline(always)]
    fn bytes(&mut self, v: &[u8]) -> Wrote {
        if self.style.old { self.old_bytes(v) } else { self.sized(BIN_8, 0, v) }
    }

    #[inline(always)]
    fn begin_array(&mut self, len: usize) -> Wrote {
        self.container(FIX_ARRAY, ARRAY_16, len)
    }
    #[inline(always)]
    fn end_item(&mut self) -> Wrote {
        Ok(())
    }
    #[inline(always)]
    fn lead(&mut self, lead: impl Lead) -> Wrote {
        self.out.put_lead(lead)
    }
    #[inline(always)]
    fn str_item(&mut self, lead: impl Lead, v: Str<'_>) -> Wrote {
        let bytes = v.bytes();
        if bytes.len() < 32 {
            return self.out.put_text_after(lead, FIX_STR | bytes.len() as u8, bytes);
        }
        self.lead(lead)?;
        self.text(v)
    }
    #[inline(always)]
    fn signed_item(&mut self, lead: impl Lead, v: Signed) -> Wrote {
        let (v, negative) = (v.magnitude, v.negative);
        if v < if negative { 33 } else { 128 } {
            return self.out.put_short_after(lead, &[if negative { v.wrapping_neg() } else { v } as u8], 1);
        }
        if negative { self.negative(lead, v) } else { self.wide(lead, v) }
    }
    #[inline(always)]
    fn word_item(&mut self, lead: impl Lead, v: Option<bool>) -> Wrote {
        self.out.put_short_after(lead, &[v.map_or(NIL, |v| FALSE + u8::from(v))], 1)
    }
    #[inline(always)]
    fn f64_item(&mut self, lead: impl Lead, v: f64) -> Wrote {
        if self.style.floats != Floats::Double {
            self.lead(lead)?;
            return self.other_float(v);
        }
        self.out.put_tagged_after(lead, FLOAT_64, v.to_bits(), 9)
    }
    #[inline(always)]
    fn empty_item(&mut self, lead: impl Lead, map: bool) -> Wrote {
        self.out.put_short_after(lead, &[if map { FIX_MAP } else { FIX_ARRAY }], 1)
    }
    fn f64_items(&mut self, bits: &[u64]) -> Wrote {
        if self.style.floats != Floats::Double {
            return bits.iter().try_for_each(|&bits| self.f64(f64::from_bits(bits)));
        }
        self.out.put_all_tagged::<8>(FLOAT_64, bits)
    }
    fn f32_items(&mut self, bits: &[u64]) -> Wrote {
        if self.style.floats == Floats::Canonical {
            return bits.iter().try_for_each(|&bits| self.f32(f32::from_bits(bits as u32)));
        }
        self.out.put_all_tagged::<4>(FLOAT_32, bits)
    }
    #[inline(always)]
    fn end_array(&mut self, _: bool) -> Wrote {
        Ok(())
    }
    #[inline(always)]
    fn begin_map(&mut self, len: usize) -> Wrote {
        self.container(FIX_MAP, MAP_16, len)
    }
    #[inline(always)]
    fn end_key(&mut self) -> Wrote {
        Ok(())
    }
    #[inline(always)]
    fn end_map(&mut self, _: bool) -> Wrote {
        Ok(())
    }

    fn time_style(&self) -> TimeStyle {
        self.style.time
    }
    fn date(&mut self, v: Date) -> Wrote {
        self.spelled::<{ Date::TEXT + 3 }>(|out| out.first_chunk_mut().map_or(0, |out| v.write(out)))
    }
    fn time(&mut self, v: Time) -> Wrote {
        let style = self.style.time;
        self.spelled::<{ Time::TEXT + 3 }>(|out| out.first_chunk_mut().map_or(0, |out| v.write(style, out)))
    }
    fn duration(&mut self, v: Duration) -> Wrote {
        self.spelled::<{ Duration::ROOM + 3 }>(|out| out.first_chunk_mut().map_or(0, |out| v.write(out)))
    }
    #[inline(always)]
    fn datetime(&mut self, v: DateTime) -> Wrote {
        let style = self.style.time;
        if self.style.timestamps && (v.time.offset.is_some() || style.naive_utc) {
            let (seconds, nanosecond) = v.to_unix();
            return self.instant(Instant { seconds, nanosecond });
        }
        self.spelled::<{ DateTime::TEXT + 3 }>(|out| {
            out.first_chunk_mut().map_or(0, |out| v.write(style, out))
        })
    }
    #[inline(always)]
    fn instant(&mut self, Instant { seconds, nanosecond }: Instant) -> Wrote {
        let (s, nanos) = (seconds as u64, u64::from(nanosecond));
        if s >> 34 != 0 {
            let head = u64::from(EXT_8) << 56 | 12 << 48 | 0xff << 40;
            return self.out.put_words([head | nanos << 8 | s >> 56, s << 8], 15);
        }
        let both = nanos << 34 | s;
        // Which of the two short forms it is, is for chance, so it is computed: a guess would be wrong too often.
        let short = u8::from(both >> 32 == 0);
        let (tag, both) = (FIX_EXT_8 - short, both << (32 * short));
        self.out.put_words(
            [u64::from(tag) << 56 | 0xff << 48 | both >> 16, both << 48],
            10 - 4 * usize::from(short),
        )
    }
    fn ext(&mut self, code: i8, body: &[u8]) -> Wrote {
        let (n, code) = (body.len(), code as u8);
        if n > 0xffff_ffff {
            return self.long();
        }
        if n.is_power_of_two() && n <= 16 {
            return self.out.put_headed(FIX_EXT_1 + n.ilog2() as u8, u32::from(code) << 24, 2, body);
        }
        let log = u32::from(n > 0xff) + u32::from(n > 0xffff);
        let size = 1u32 << log;
        let head = (n as u64) << (64 - 8 * size) | u64::from(code) << (56 - 8 * size);
        self.out.put_tagged(EXT_8 + log as u8, head, 2 + size as usize)?;
        self.out.put(body)
    }
    fn raw(&mut self, encoded: &[u8]) -> Wrote {
        self.out.put(encoded)
    }

    fn plain_keys(&self) -> bool {
        !self.style.old
    }
    fn too_long(&self) -> bool {
        self.too_long
    }
    #[inline(always)]
    fn mark(&self) -> usize {
        self.out.len()
    }
    #[inline(always)]
    fn since(&self, mark: usize) -> &[u8] {
        self.out.as_slice().get(mark..).unwrap_or_default()
    }
    fn forget(&mut self, mark: usize) {
        self.out.truncate(mark);
    }
    #[inline(always)]
    fn finish(&mut self) -> Buf {
        self.out.take()
    }
}

/// Puts the head of a text of 32 to 255 bytes before it, which stands one byte in: how much both are.
#[cold]
#[inline(never)]
fn lengthened(room: &mut [u8], n: usize, old: bool) -> usize {
    let (tag, head) = if old { (STR_16, 3) } else { (STR_8, 2) };
    room.copy_within(1..1 + n, head);
    room[..head].fill(0);
    room[0] = tag;
    room[head - 1] = n as u8;
    head + n
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn written(style: Style, f: impl FnOnce(&mut Writer<'_>) -> Wrote) -> Vec<u8> {
        let mut w = Writer::new(Buf::from_vec(Vec::new()), &style);
        f(&mut w).unwrap();
        w.finish().into_vec()
    }

    #[test]
    fn integers_take_as_few_bytes_as_they_can() {
        for (v, n) in [
            (0i64, 1),
            (127, 1),
            (128, 2),
            (255, 2),
            (256, 3),
            (65_535, 3),
            (65_536, 5),
            (u32::MAX.into(), 5),
            (1 << 32, 9),
            (i64::MAX, 9),
            (-1, 1),
            (-32, 1),
            (-33, 2),
            (-128, 2),
            (-129, 3),
            (-32_768, 3),
            (-32_769, 5),
            (i32::MIN.into(), 5),
            (i64::from(i32::MIN) - 1, 9),
            (i64::MIN, 9),
        ] {
            let bytes = written(Style::default(), |w| w.i64(v));
            assert_eq!(bytes.len(), n, "{v}");
            if v >= 0 {
                assert_eq!(written(Style::default(), |w| w.u64(v as u64)), bytes);
            }
        }
        assert_eq!(written(Style::default(), |w| w.u64(u64::MAX)), [[0xcf].as_slice(), &[0xff; 8]].concat());
    }

    #[test]
    fn big_integers_are_as_short_as_their_sign_allows() {
        let style = Style { big_int: 38, ..Style::default() };
        let twos = |v: i128| written(style, |w| w.big_bytes(&v.to_le_bytes()));
        assert_eq!(twos(1 << 64), [0xc7, 9, 38, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(twos(-(1 << 63) - 1), [0xc7, 9, 38, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(twos(i128::MIN)[..3], [0xd8, 38, 0x80]);
    }

    #[test]
    fn canonical_floats() {
        let style = Style { floats: Floats::Canonical, ..Style::default() };
        let float = |v: f64| written(style, |w| w.f64(v));
        assert_eq!(float(-0.0), [0xca, 0, 0, 0, 0]);
        assert_eq!(float(f64::from_bits(0xfff8_0000_0000_0001)), [0xca, 0x7f, 0xc0, 0, 0]);
        assert_eq!(float(f64::NEG_INFINITY), [0xca, 0xff, 0x80, 0, 0]);
        assert_eq!(float(0.1)[0], FLOAT_64);
        assert_eq!(float(f64::from(0.1f32)).len(), 5);
        assert_eq!(float(1e300)[0], FLOAT_64);
    }
}
