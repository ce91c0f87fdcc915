//! Tests of the output buffer: what is written is compared with the standard library's way.

use super::*;
use alloc::vec;

#[test]
fn grows_and_keeps() {
    let mut b = Buf::from_vec(Vec::new());
    let mut want = vec![];
    for i in 0..5000u32 {
        b.put(&i.to_le_bytes()).unwrap();
        want.extend_from_slice(&i.to_le_bytes());
        b.push(i as u8).unwrap();
        want.push(i as u8);
        b.put_short(&[1, 2, 3, 4, 5, 6, 7, 8], 3).unwrap();
        want.extend_from_slice(&[1, 2, 3]);
    }
    b.set_last(9);
    *want.last_mut().unwrap() = 9;
    assert_eq!(b.into_vec(), want);
}

#[test]
fn heads_and_what_follows() {
    for n in 0..80usize {
        let text: Vec<u8> = (0..n as u8).collect();
        let mut b = Buf::from_vec(Vec::new());
        b.put_tagged(1, 0x0203 << 48, 3).unwrap();
        b.put_headed(4, 0x0506_0000, 3, &text).unwrap();
        b.push(7).unwrap();
        let mut want = vec![1, 2, 3, 4, 5, 6];
        want.extend_from_slice(&text);
        want.push(7);
        assert_eq!(b.into_vec(), want);
    }
}

#[test]
fn what_follows_a_key() {
    for n in 0..80usize {
        let text: Vec<u8> = (0..n as u8).map(|b| b'a' + b % 20).collect();
        let mut b = Buf::from_vec(Vec::new());
        let key = &Kept::new(b"\"k\":").unwrap();
        b.put_text_after(key, 9, &text).unwrap();
        assert_eq!(b.put_quoted_and(key, &text, b','), Ok(n));
        b.put_tagged_after(key, 8, 0x0607 << 48, 3).unwrap();
        b.put_signed_and(key, (n as i64).into(), b',').unwrap();
        b.put_f64_and(key, n as f64, b',').unwrap();
        b.put_short_after(key, b"null", 3).unwrap();
        b.put_lead(key).unwrap();
        let k = b"\"k\":".as_slice();
        let numbers = alloc::format!("\"k\":{n},\"k\":{n}.0,\"k\":nul\"k\":");
        let parts = [k, b"\x09", &text, k, b"\"", &text, b"\",", k, b"\x08\x06\x07", numbers.as_bytes()];
        assert_eq!(b.as_slice(), parts.concat());
        for at in 0..n {
            for stop in [b'"', b'\\', 0, 0x1f] {
                let mut stopped = text.clone();
                stopped[at] = stop;
                b.truncate(0);
                let wrote = b.put_quoted_and((), &stopped, b',').unwrap();
                assert!(wrote <= at, "{n} {at} {stop}");
                assert_eq!(b.as_slice(), [b"\"", &text[..wrote]].concat());
                let spellings = spellings();
                b.put_spelled(&stopped, wrote, || &spellings).unwrap();
                let spelled = stopped.iter().flat_map(|&b| if b == stop { vec![b; 6] } else { vec![b] });
                assert_eq!(b.as_slice(), [vec![b'"'], spelled.collect()].concat());
            }
        }
    }
}

#[test]
fn what_is_kept_is_short() {
    assert!(Kept::new(&[0; RENDERED]).is_some());
    assert!(Kept::new(&[0; RENDERED + 1]).is_none());
}

/// What JSON text must escape as six bytes of its own, all else as it is.
fn spellings() -> scan::Spellings {
    core::array::from_fn(|b| {
        let b = b as u8;
        let n = if b < 0x20 || b == b'"' || b == b'\\' { 6 } else { 1 };
        u64::from_le_bytes([b, b, b, b, b, b, 0, n]).into()
    })
}

#[test]
fn spelled_at_every_length_from_every_place() {
    let mut seed = 1u32;
    for round in 0..6000usize {
        // From none that must be escaped to nothing else, with bytes above ASCII between them.
        let text: Vec<u8> = (0..round % 139)
            .map(|_| {
                seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                if (seed >> 8) as usize % 97 < round % 101 {
                    b"\"\\\0\n"[seed as usize >> 20 & 3]
                } else {
                    (seed >> 24) as u8 | 0x60
                }
            })
            .collect();
        let from = round / 7 % (text.len() + 1);
        let mut b = Buf::from_vec(b"before".to_vec());
        let spellings = spellings();
        b.put_spelled(&text, from, || &spellings).unwrap();
        let must = |b: u8| b < 0x20 || b == b'"' || b == b'\\';
        let want = text[from..].iter().flat_map(|&b| if must(b) { vec![b; 6] } else { vec![b] });
        assert_eq!(b.as_slice(), [b"before".to_vec(), want.collect()].concat());
    }
}

#[test]
fn digits_are_those_of_the_standard_library() {
    let check = |v: u64| {
        let mut b = Buf::from_vec(Vec::new());
        b.put_u64(v).unwrap();
        b.push(b' ').unwrap();
        b.put_signed_and((), (v as i64).into(), b' ').unwrap();
        b.put_i64(v as i64).unwrap();
        assert_eq!(b.into_vec(), alloc::format!("{v} {} {}", v as i64, v as i64).into_bytes());
    };
    for v in 0..20_000 {
        check(v);
        check(v * 9_973);
        check(v * 1_000_003);
    }
    for power in 0..64 {
        for near in -3i64..3 {
            check((1u64 << power).wrapping_add(near as u64));
        }
    }
    let mut ten = 1u64;
    while let Some(next) = ten.checked_mul(10) {
        for v in [ten - 1, ten, ten + 1, ten * 7 / 3] {
            check(v);
        }
        ten = next;
    }
    for v in (0..100_000_000u64).step_by(9_999) {
        check(v);
    }
}

#[test]
fn floats_are_the_printer_s() {
    let mut b = Buf::from_vec(Vec::new());
    for v in [0.0, -0.0, 1.5, 1e16, 1e-7, f64::MAX, 5e-324, -123.456] {
        b.put_f64(v).unwrap();
        b.push(b' ').unwrap();
    }
    for v in [0.1f32, 1e16, 16_777_216.0, f32::MAX, 1e-45] {
        b.put_f32(v).unwrap();
        b.push(b' ').unwrap();
    }
    let want = "0.0 -0.0 1.5 1e+16 1e-7 1.7976931348623157e+308 5e-324 -123.456 \
                0.1 1e+16 16777216.0 3.4028235e+38 1e-45 ";
    assert_eq!(b.into_vec(), want.as_bytes());
}

#[test]
fn an_impossible_size_is_refused() {
    let mut b = Buf::from_vec(vec![1]);
    assert_eq!(b.reserve(usize::MAX), Err(Full));
    assert_eq!(b.reserve(isize::MAX as usize), Err(Full));
    assert_eq!(b.as_slice(), &[1]);
}
