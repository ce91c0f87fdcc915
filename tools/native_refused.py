"""The cases of vectors/native that are refused: one thing wrong with each. Written by tools/native_cases.py."""

from native_bytes import (
    FALSE,
    NONE,
    TRUE,
    UTC,
    a_set,
    date,
    dct,
    ext,
    flt,
    lst,
    moment,
    new,
    num,
    packed,
    record,
    ref,
    shape,
    shaped,
    shared,
    sized,
    span,
    time,
    tup,
    txt,
    typed,
    varint,
)
from native_cases import bad, file, good
from native_values import EXTS


def forms() -> None:
    """Headers, tags, ends, longer forms."""
    file("refused-header", "Headers, tags that are none, what follows a message.")
    bad("header: nothing at all", "eof", b"", header=b"")
    for header in (0x00, 0x5B, 0x80, 0xA0, 0xB2, 0xB4, 0xB8, 0xBF, 0xC0):
        bad(f"header: {header:02x}", "header", NONE, 0, header=bytes([header]))
    bad("header: says outside, and nothing is", "header", NONE, 0, header=b"\xb1")
    bad("header: does not say outside", "header", b"\x10\x00\x01\x00", 0)
    for tag in (0x00, 0x80, *range(0x1A, 0x20), *range(0x9A, 0xA0)):
        bad(f"tag: {tag:02x}", "tag", bytes([tag]), 1)
    bad("tag: 00 in a list", "tag", b"\x42\x58\x00", 3)
    for code in (0x00, 0x1A, 0x1F, 0x28, 0x7F, 0x80, 0xFF):
        bad(f"tag: code {code:02x}", "tag", ext(code, NONE), 1)
    bad("trailing: after None", "trailing", NONE + NONE, 2)
    bad("trailing: after a list", "trailing", lst(num(1)) + b"\x00", 3)
    bad("trailing: after text", "trailing", txt("ab") + txt(""), 4)

    file("refused-end", "Messages that end too early, and lengths that lie.")
    bad("eof: only a header", "eof", b"")
    for name, data in {
        "a varint": b"\x01\x80",
        "text": b"\x23ab",
        "long text": b"\x01\x20" + b"a" * 31,
        "surrogates": b"\x02\x03\xed\xa0",
        "bytes": b"\x0d\x05abcd",
        "bytearray": b"\x0e\x05abcd",
        "a list": b"\x42\x58",
        "an empty list": b"\x41",
        "a long list": b"\x03\x08\x58\x58",
        "a tuple": b"\x4a\x58",
        "a dict": b"\x05\x01\xe1",
        "a set": b"\x06\x02\xe1",
        "keys of a shape": b"\x08\x02\x21a\x21",
        "values of a shape": b"\x08\x01\x21a",
        "a float": b"\x5e" + b"\x00" * 7,
        "a complex": b"\x5f" + b"\x00" * 15,
        "an integer": b"\x63\x01\x02\x03",
        "a long integer": b"\x6c\x09" + b"\x01" * 8,
        "packed items": b"\x0c\x01\x02\x00\x01\x00",
        "a packed head": b"\x0c",
        "a uuid": b"\x13" + b"\x00" * 15,
        "a date": b"\x14\x00\x00",
        "a datetime": b"\x17" + b"\x00" * 7,
        "a timedelta": b"\x19" + b"\x00" * 8,
        "a zone": moment(0x18, date(2000, 1, 1), 0),
        "a type's name": b"\x0a\x00",
        "a type's fields": b"\x0a\x00\x21t\x00\x02\x21a",
        "an object's values": typed(0, txt("t"), 0, [txt("a")]),
        "an ext's code": b"\x12",
        "an ext's body": b"\x12\x20",
        "padding": b"\x0f\x00\x05" + b"\x00" * 10,
        "a buffer": b"\x0f\x00\x02" + b"\x00" * 60 + b"x",
        "outside": b"\x10\x00\x05",
        "a sealed message": b"\x11\x05\xb0\x58",
        "a reference": b"\x5b",
        "a distance": b"\x5c\x80",
    }.items():
        bad(f"eof: in {name}", "eof", data)
    huge = b"\xff" * 8 + b"\x7f"
    for name, tag in {
        "str": 1, "list": 3, "tuple": 4, "dict": 5, "set": 6, "frozenset": 7, "shape": 8, "bytes": 13, "bytearray": 14, "sealed": 17,
    }.items():  # fmt: skip
        bad(f"eof: {name} of 2**63-1", "eof", bytes([tag]) + huge)
    bad("eof: packed 2**63-1", "eof", b"\x0c\x03" + huge)
    bad("eof: a type of 2**63-1 fields", "eof", b"\x0a\x00\x21t\x00" + huge)
    bad("eof: more items than bytes", "eof", b"\x03\x0a" + b"\x58" * 8)
    bad("eof: more entries than bytes", "eof", b"\x05\x03" + b"\xe1\x58\xe2\x58\xe3")

    file("refused-longer", "Values that have a shorter form.")
    for name, data in {
        "0 in a byte": b"\x60\x00",
        "31 in a byte": b"\x60\x1f",
        "-1 in a byte": b"\x66\x00",
        "255 in two": b"\x61\xff\x00",
        "65535 in three": b"\x62\xff\xff\x00",
        "2**24-1 in four": b"\x63\xff\xff\xff\x00",
        "2**32-1 in six": b"\x64\xff\xff\xff\xff\x00\x00",
        "2**48-1 in eight": b"\x65" + b"\xff" * 6 + b"\x00\x00",
        "-256 in two": b"\x67\xff\x00",
        "-2**48 in eight": b"\x6b" + b"\xff" * 6 + b"\x00\x00",
        "-2**63-1 in eight": b"\x6b" + b"\x00" * 7 + b"\x80",
        "1 as a long one": b"\x6c\x09\x01" + b"\x00" * 8,
        "2**64-1 as a long one": b"\x6c\x09" + b"\xff" * 8 + b"\x00",
        "-2**63 as a long one": b"\x6c\x09" + b"\x00" * 7 + b"\x80\xff",
        "2**64 in ten bytes": b"\x6c\x0a" + b"\x00" * 8 + b"\x01\x00",
        "a negative one in ten": b"\x6c\x0a" + b"\x00" * 8 + b"\xf0\xff",
        "a long one of eight bytes": b"\x6c\x08" + b"\xff" * 8,
        "text of 31 behind a varint": b"\x01\x1f" + b"a" * 31,
        "text of none behind a varint": b"\x01\x00",
        "a list of seven": b"\x03\x07" + b"\x58" * 7,
        "a tuple of three": b"\x04\x03" + b"\x58" * 3,
        "a varint with a zero behind": b"\x0d\x80\x00",
        "a varint of ten bytes": b"\x0d" + b"\x80" * 9 + b"\x01",
        "a varint of 2**63": b"\x0d" + b"\xff" * 9,
        "no surrogate": b"\x02\x01a",
        "a shape of no keys": b"\x08\x00",
        "nothing packed": b"\x0c\x00\x00",
        "bytes packed as shorts": packed(1, 2, b"\x01\x00\x80\xff"),
        "shorts packed as words": packed(2, 1, b"\x00\x80\xff\xff"),
        "words packed as longs": packed(3, 1, b"\xff\xff\xff\x7f\x00\x00\x00\x00"),
        "sealed, one byte": b"\x11\x01\xb0",
        "a distance of 0": b"\x5c\x00",
    }.items():
        bad(f"longer: {name}", "non-minimal", data, 1)
    one = shape([txt("a")], NONE)
    bad("longer: shape 0 behind a varint", "non-minimal", lst(one, b"\x09\x00\x58"), 2 + len(one))
    bad("longer: shape 7 behind a varint", "non-minimal", lst(one, b"\x09\x07\x58"), 2 + len(one))
    kind = typed(0, txt("t"), 0, [])
    bad("longer: type 3 behind a varint", "non-minimal", lst(kind, b"\x0b\x03"), 2 + len(kind))
    for n in (0, 18, 25):
        at = lst(shared(lst()), new(1), b"\x5b" + varint(n))
        bad(f"longer: reference {n} behind a varint", "non-minimal", at, 5)


def meanings() -> None:
    """Text, keys, references, definitions, bodies, limits."""
    file("refused-text", "Text that is not UTF-8.")
    for name, data, at in (
        ("a lone continuation", b"a\x80", 1),
        ("an overlong slash", b"\xc0\xaf", 0),
        ("an overlong euro", b"\xf0\x82\x82\xac", 0),
        ("a surrogate", b"\xed\xa0\x80", 0),
        ("beyond U+10FFFF", b"\xf4\x90\x80\x80", 0),
        ("cut in the middle", b"ab\xe2\x82", 2),
        ("ff", b"abc\xff", 3),
    ):
        bad(f"utf8: {name}", "utf8", bytes([0x20 + len(data)]) + data, 2 + at)
        bad(f"utf8: {name}, long", "utf8", sized(1, b"a" * 40 + data), 3 + 40 + at)
        if name != "a surrogate":
            bad(f"utf8: {name}, beside a surrogate", "utf8", sized(2, b"\xed\xb0\x80" + data), 3 + 3 + at)
    bad("utf8: in a key of a shape", "utf8", b"\x08\x01\x21\xff\x58", 4)

    file("refused-key", "Keys and members that cannot be, or stand twice.")
    for name, key in {"list": lst(), "dict": dct(), "set": a_set(), "bytearray": sized(14, b"")}.items():
        bad(f"key: a {name}", "key", dct(key, NONE), 3)
        bad(f"key: a {name} in a set", "key", a_set(key), 3)
        bad(f"key: a {name} in a frozenset", "key", a_set(key, frozen=True), 3)
    bad("key: a list in a tuple", "key", dct(tup(num(1), lst()), NONE), 3)
    bad("key: a set in a frozenset in a tuple", "key", a_set(tup(tup(a_set()))), 3)
    bad("key: an integer in a shape", "key", b"\x08\x01\xe1\x58", 3)
    bad("key: bytes in a shape", "key", b"\x08\x01\x0d\x00\x58", 3)
    bad("key: a reference to a list in a shape", "key", lst(shared(lst()), b"\x08\x01" + new(3) + NONE), 5)
    bad("key: None as the name of a type", "key", b"\x0a\x00\x58\x00\x00", 3)
    bad("key: -1 as the name of a type", "key", b"\x0a\x00\xdf\x00\x00", 3)
    bad("key: 2**31 as the name of a type", "key", b"\x0a\x00" + num(2**31) + b"\x00\x00", 3)
    bad("key: an integer as a field", "key", b"\x0a\x00\x21t\x00\x01\xe1\x58", 7)
    for name, one, two in (
        ("text", txt("a"), txt("a")),
        ("integers", num(1), num(1)),
        ("1 and True", num(1), TRUE),
        ("0 and False", num(0), FALSE),
        ("1 and 1.0", num(1), flt(1.0)),
        ("0.0 and -0.0", flt(0.0), flt(-0.0)),
        ("2**53 and its float", num(2**53), flt(2.0**53)),
        ("tuples", tup(num(1), txt("a")), tup(TRUE, txt("a"))),
        ("bytes", sized(13, b"a"), sized(13, b"a")),
        ("None", NONE, NONE),
    ):
        bad(f"duplicate: {name} in a dict", "duplicate", dct(one, NONE, two, NONE), 4 + len(one))
        bad(f"duplicate: {name} in a set", "duplicate", a_set(one, two), 3 + len(one))
    bad("duplicate: in a shape", "duplicate", shape([txt("a"), txt("a")], NONE, NONE), 5)
    bad("duplicate: by reference in a shape", "duplicate", shape([shared(txt("ab")), new(3)], NONE, NONE), 6)
    bad(
        "duplicate: fields of a type", "duplicate", typed(0, txt("t"), 0, [txt("a"), txt("a")], NONE, NONE), 9
    )

    file("refused-reference", "References that lead nowhere, definitions that are none.")
    bad("reference: before all numbers", "reference", ref(0), 1)
    bad("reference: a number not given", "reference", lst(shared(lst()), new(1), ref(1)), 5)
    bad("reference: a long number not given", "reference", lst(shared(lst()), new(1), ref(26)), 5)
    bad("reference: to what is not shared", "reference", lst(lst(), new(1)), 3)
    bad("reference: between values", "reference", lst(shared(txt("ab")), new(2)), 5)
    bad("reference: to the header", "reference", lst(new(2)), 2)
    bad("reference: before the message", "reference", lst(new(300)), 2)
    bad("reference: numbered already", "reference", lst(shared(lst()), new(1), new(3)), 5)
    bad("reference: into a sealed message", "reference", lst(sized(0x11, b"\xb0" + shared(lst())), new(1)), 6)
    bad(
        "reference: a zone that is its own datetime",
        "reference",
        shared(moment(0x18, date(2000, 1, 1), 0) + new(9)),
        1,
    )
    bad("reference: a frozenset in itself", "reference", shared(a_set(new(2), frozen=True)), 3)
    bad("reference: a tuple in a frozenset in it", "reference", shared(tup(a_set(new(3), frozen=True))), 4)
    bad("reference: a key that holds its frozenset", "reference", shared(a_set(tup(new(3)), frozen=True)), 3)
    bad("reference: a tuple in itself", "reference", shared(tup(new(1))), 2)
    one = typed(0, txt("t"), 0, [txt("a")], shared(tup(new(11))))
    bad("reference: two tuples, by an object", "reference", shared(tup(one, new(3))), 11)
    bad("undefined: shape 0", "undefined", shaped(0), 1)
    bad("undefined: shape 8", "undefined", shaped(8), 1)
    bad("undefined: shape 1 of one", "undefined", lst(shape([txt("a")], NONE), shaped(1, NONE)), 7)
    bad("undefined: type 0", "undefined", record(0), 1)
    bad("undefined: type 4", "undefined", record(4), 1)
    bad(
        "undefined: a shape of a sealed message",
        "undefined",
        lst(sized(0x11, b"\xb0" + shape([txt("a")], NONE)), shaped(0)),
        10,
    )

    file("refused-body", "Fields and bodies that say nothing that exists.")
    for name, data in {
        "month 0": moment(0x14, date(2000, 0, 1)),
        "month 13": moment(0x14, date(2000, 13, 1)),
        "day 0": moment(0x14, date(2000, 1, 0)),
        "30 February": moment(0x14, date(2000, 2, 30)),
        "29 February 1900": moment(0x14, date(1900, 2, 29)),
        "31 April": moment(0x14, date(2000, 4, 31)),
        "year 0": moment(0x14, date(0, 1, 1)),
        "year 10000": moment(0x14, date(10000, 1, 1)),
        "a bit above a date": b"\x14" + (date(2000, 1, 1) | 1 << 23).to_bytes(3, "little"),
        "hour 24": moment(0x15, time(24, 0, 0)),
        "minute 60": moment(0x15, time(0, 60, 0)),
        "second 60": moment(0x15, time(0, 0, 60)),
        "a million microseconds": moment(0x15, time(0, 0, 0, 1000000)),
        "a bit above a time": moment(0x15, 1 << 38),
        "a bit above a datetime": b"\x17" + (1 << 61 | date(2000, 1, 1) << 38).to_bytes(8, "little"),
        "hour 24 with a zone": moment(0x16, time(24, 0, 0)) + UTC,
        "a billion days": span(10**9, 0, 0),
        "minus a billion days": span(-(10**9), 0, 0),
        "a day of seconds": span(0, 86400, 0),
        "a million microseconds in a span": span(0, 0, 1000000),
        "packed element 5": packed(5, 1, b"\x00"),
        "packed element 16": packed(16, 1, b"\x00"),
        "access 2": b"\x0f\x02\x00" + b"\x00" * 60,
        "padding that is not zero": b"\x0f\x00\x00" + b"\x00" * 59 + b"\x01",
        "access 2 outside": b"\x10\x02\x00\x00",
        "kind 4": b"\x0a\x04\x21t\x00\x00",
        "a member with fields": b"\x0a\x01\x21t\x00\x01\x21a\x21b\x58",
        "a shared body": ext(0x20, shared(lst())),
    }.items():
        bad(f"body: {name}", "body", data, 1)
    bad("body: outside, the second before the first", "body", b"\x10\x00\x01\x01", 1, header=b"\xb1")
    bad("body: a reference as a body", "body", lst(shared(lst()), ext(0x20, new(3))), 3)
    bad("body: a member by a name that is no text", "body", typed(1, txt("t"), 0, [], num(1)), 7)
    bad("header: a sealed message with another", "header", sized(0x11, b"\xb1\x58"), 1)
    bad("header: a sealed text", "header", sized(0x11, b"ab"), 1)
    for code, *bodies in (
        (1, txt("1.5x"), txt(" 1"), txt("1_0"), txt("+1"), txt("\u0661"), txt("1e5"), txt(""), num(1)),
        (2, tup(num(2), num(4)), tup(num(1), num(0)), tup(num(1), num(-3)), tup(num(1)), num(1)),
        (3, tup(sized(13, b"a"), num(0)), tup(sized(13, bytes(16)), num(1))),
        (4, num(0), num(86400 * 10**6), num(-86400 * 10**6), txt("X"), tup(num(0), num(0))),
        (5, num(1)),
        (6, sized(13, b"a")),
        (10, num(1)),
        (0x10, tup(num(0), num(1), num(0)), tup(num(0), num(1)), tup(flt(0.0), num(1), num(1))),
        (0x11, tup(NONE, NONE)),
        (0x12, txt("a"), tup(txt("B"), num(1), sized(13, b"a"))),
        (0x13, tup(txt("d"), sized(13, b""))),
        (0x14, tup(num(1), tup(), sized(13, b"")), tup(txt("<i2"), tup(num(-1)), sized(13, b"")),
         tup(txt("<i2"), tup(), sized(13, b""), FALSE), tup(lst(tup(txt("a"))), tup(), sized(13, b""))),
        (0x15, tup(txt("<i2"), txt("a"))),
        (0x16, tup(txt("a"), txt("i"))),
        (0x17, num(16), num(-1), txt("list")),
        (0x18, num(-1), num(2**31), NONE),
        (0x19, tup(txt("a"), txt("b"))),
        (0x20, tup(num(1)), tup(num(-1), lst()), tup(num(1), lst(NONE, NONE)), dct()),
        (0x21, lst()),
        (0x22, dct(), tup(txt("list"), dct()), tup(NONE, lst()), tup(ext(0x17, num(14)), dct())),
        (0x23, NONE),
        (0x24, tup()),
        (0x25, dct(num(1), NONE), lst()),
        (0x26, lst()),
        (0x27, lst()),
    ):  # fmt: skip
        for n, body in enumerate(bodies):
            bad(f"body: {EXTS[code]} {n}", "body", ext(code, body), 1)

    file("refused-limit", "What is beyond the limits.")
    bad("depth: 1001 lists", "depth", b"\x41" * 1000 + b"\x40", 1001)
    bad("depth: 1001 tuples", "depth", b"\x49" * 1000 + b"\x48", 1001)
    bad("depth: 1001 dicts", "depth", b"\x05\x01\xe1" * 1000 + b"\x05\x00", 3001)
    bad("depth: 1001 shaped dicts", "depth", shape([txt("a")], b"\x50" * 1000), 1004)
    bad("depth: 1001 objects", "depth", typed(0, txt("t"), 0, [txt("a")], b"\x4c" * 1000), 1008)
    bad("depth: a list in an ext in 999 lists", "depth", b"\x41" * 999 + ext(0x20, lst()), 1002)
    # Each tuple holds the one before it twice.
    pairs = [shared(tup(NONE, NONE))]
    for n in range(12):
        pairs.append(shared(tup(new(len(pairs[-1]) + 1), ref(n))))
    doubled = lst(*pairs)
    key = new(len(pairs[-1]) + 2)
    bad("limit: a key that is too heavy", "limit", tup(doubled, dct(key, NONE)), 1 + 1 + len(doubled) + 2)
    good(
        "limit: a key that is as heavy as allowed", tup(lst(*pairs[:-1]), dct(new(len(pairs[-2]) + 2), NONE))
    )
    bad("limit: an integer of 65537 bytes", "limit", b"\x6c" + varint(65537) + b"\x00" * 65536 + b"\x01", 1)


def refused() -> None:
    """All of them."""
    forms()
    meanings()
