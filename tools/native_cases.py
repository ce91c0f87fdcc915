"""Write the vectors of vectors/native: values spelled out as bytes here, by small functions that each write one tag.

    python tools/native_cases.py     writes the files anew; they are then checked by tools/native.py

What may surprise: these functions decide nothing. A case says which form it uses, and so can say a wrong one; what the bytes mean
is found by the reader of tools/native.py, and looked at when the files change.
"""

import json
import struct
import sys

from native import FOLDER, answer
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
from native_values import EXTS

import vectors

HEADER = b"\xb0"
FILES: dict[str, tuple[str, list[dict[str, object]]]] = {}


def notation(data: bytes) -> str:
    """Bytes as the vectors have them, with runs of one byte as such."""
    parts: list[str] = []
    at = 0
    while at < len(data):
        n = 1
        while at + n < len(data) and data[at + n] == data[at]:
            n += 1
        parts += [f"{data[at]:02x}*{n}"] if n > 7 else [f"{data[at]:02x}"] * n
        at += n
    return " ".join(parts)


def file(name: str, about: str) -> None:
    """Begin a file."""
    FILES[name] = about, []


def good(name: str, value: bytes, *, read: bool = False, header: bytes = HEADER) -> None:
    """A message with a value. `read`: a writer that follows all advice writes it in another way."""
    data = header + value
    text = answer(data)
    if not isinstance(text, str):
        sys.exit(f"{name}: {text}")
    case: dict[str, object] = {"name": name, "bytes": notation(data), "value": text}
    if read:
        case["way"] = "read"
    [*FILES.values()][-1][1].append(case)


def bad(name: str, why: str, value: bytes, offset: int | None = None, *, header: bytes = HEADER) -> None:
    """A message that is refused, at its end unless it is said where."""
    data = header + value
    at = len(data) if offset is None else offset
    if (got := answer(data)) != (why, at):
        sys.exit(f"{name}: {got}, not {(why, at)}")
    case = {"name": name, "bytes": notation(data), "why": why, "offset": at}
    [*FILES.values()][-1][1].append(case)


def scalars() -> None:
    """Atoms, numbers, text, bytes."""
    file("atom", "Values of one byte, and floats.")
    good("None", NONE)
    good("False", FALSE)
    good("True", TRUE)
    good("timezone.utc", UTC)
    for name, bits in {
        "0.0": 0,
        "-0.0": 1 << 63,
        "1.5": 0x3FF8 << 48,
        "pi": 0x400921FB54442D18,
        "the least subnormal": 1,
        "the greatest": 0x7FEFFFFFFFFFFFFF,
        "inf": 0x7FF0 << 48,
        "-inf": 0xFFF0 << 48,
        "nan": 0x7FF8 << 48,
        "-nan": 0xFFF8 << 48,
        "nan with a payload": 0x7FF80000DEADBEEF,
        "signalling nan": 0x7FF0000000000001,
    }.items():
        good(f"float: {name}", flt(bits))
    good("complex: 1+2j", b"\x5f" + struct.pack("<dd", 1, 2))
    good("complex: -0.0 and nan", b"\x5f" + struct.pack("<d", -0.0) + (0x7FF8 << 48).to_bytes(8, "little"))

    file("int", "Integers at the edges of every form.")
    edges = {0, 1, -1, -2, 31, 32, -8, -9}
    for power in (8, 16, 24, 32, 40, 48, 56, 63, 64, 65, 71, 72, 79, 127, 128, 1000):
        edges |= {sign * 2**power + d for sign in (1, -1) for d in (-1, 0, 1)}
    for n in sorted(edges, key=lambda n: (abs(n), n)):
        name = (
            str(n)
            if abs(n) < 2**66
            else hex(n)
            if abs(n) < 2**80
            else f"{hex(n)[:6]}...{hex(n)[-2:]}, {n.bit_length()} bits"
        )
        good(f"int: {name}", num(n))

    file("text", "Text of every length of head, of every width, with surrogates.")
    for n in (0, 1, 2, 31, 32, 127, 128, 16383, 16384):
        good(f"str: {n} times a", txt("a" * n))
    for name, text in {
        "quotes and a backslash": "\"'\\",
        "control characters and nul": "\0\x01\n\x7f",
        "latin": "\xe9\xff",
        "two bytes at most": "\u07ff\u0800",
        "three bytes at most": "\u20ac\uffff",
        "four bytes": "\U0001f600\U0010ffff",
        "around the surrogates": "\ud7ff\ue000",
        "31 bytes of two": "a" + "\xe9" * 15,
        "32 bytes of two": "\xe9" * 16,
        "a high surrogate": "\ud800",
        "a low surrogate": "\udfff",
        "a pair that is no pair": "\ud83d\ude00",
        "surrogates among others": "a\udc80\xe9\U0001f600",
        "forty surrogates and one": "\udcff" * 41,
    }.items():
        good(f"str: {name}", txt(text))

    file("bytes", "bytes and bytearray.")
    for n in (0, 1, 31, 32, 127, 128, 300):
        good(f"bytes: {n}", sized(13, b"\xff" * n))
        good(f"bytearray: {n}", sized(14, b"\x00" * n))
    good("bytes: all", sized(13, bytes(range(256))))


def containers() -> None:
    """Lists, tuples, dicts, sets, and packed ones."""
    file("container", "Lists, tuples, dicts, sets: every form of the head, nesting, order.")
    for n in (0, 1, 2, 3, 4, 7, 8, 9, 127, 128, 300):
        good(f"list: {n} times None", lst(*[NONE] * n))
        good(f"tuple: {n} times None", tup(*[NONE] * n))
    good("list: of each type", lst(NONE, TRUE, num(1), flt(1.5), txt("a"), sized(13, b"b")))
    good("list: of lists", lst(lst(), lst(lst()), tup(), tup(tup(lst()))))
    good("list: 1000 deep", b"\x41" * 999 + b"\x40")
    good("tuple: 1000 deep", b"\x49" * 999 + b"\x48")
    good("list: 999 deep around an atom", b"\x41" * 999 + NONE)
    good("dict: empty", dct())
    good("dict: integers as keys", dct(num(2), txt("b"), num(1), txt("a")))
    good("dict: text as keys, interleaved", dct(txt("a"), num(1)), read=True)
    good(
        "dict: keys of many types",
        dct(NONE, num(1), txt("a"), num(2), sized(13, b"a"), num(3), flt(1.5), num(4)),
    )
    good("dict: tuples as keys", dct(tup(num(1), txt("a")), lst(), tup(), NONE))
    good("dict: a frozenset as key", dct(a_set(num(1), frozen=True), num(2)))
    good("dict: text beside an integer", dct(txt("a"), num(1), num(1), num(2)))
    good("dict: 200 integers", dct(*[part for n in range(200) for part in (num(n), NONE)]))
    good("dict: two that are not equal, though nearly", dct(num(2**53 + 1), NONE, flt(2.0**53), NONE))
    good("dict: nan twice", dct(flt(0x7FF8 << 48), num(1), flt(0x7FF8 << 48), num(2)))
    good("dict: inside out", dct(num(1), dct(num(2), dct(num(3), dct()))))
    good("set: empty", a_set())
    good("set: of three", a_set(num(1), txt("a"), tup(num(1))))
    good("set: as many as a varint", a_set(*map(num, range(130))))
    good("frozenset: empty", a_set(frozen=True))
    good("frozenset: of three", a_set(num(1), num(2), NONE, frozen=True))
    good("set: of frozensets", a_set(a_set(frozen=True), a_set(num(1), frozen=True)))

    file("packed", "Lists and tuples of numbers, packed and not.")
    for element, width, values in (
        (0, 1, [0, 1, -128, 127]),
        (1, 2, [0, 1, -32768, 32767]),
        (1, 2, [1, 2, 3, 128]),
        (2, 4, [0, 1, -(2**31), 2**31 - 1]),
        (2, 4, [1, 2, 3, -32769]),
        (3, 8, [0, 1, -(2**63), 2**63 - 1]),
        (3, 8, [1, 2, 3, 2**31]),
    ):
        items = b"".join(v.to_bytes(width, "little", signed=True) for v in values)
        good(f"packed: list of {width} bytes: {values[-1]}", packed(element, 4, items))
        good(f"packed: tuple of {width} bytes: {values[-1]}", packed(element | 8, 4, items))
    good("packed: one integer", packed(0, 1, b"\x05"), read=True)
    good("packed: three floats", packed(4, 3, struct.pack("<3d", 1, 2, 3)), read=True)
    good("packed: 200 integers", packed(0, 200, b"\x07" * 200))
    good("packed: floats", packed(4, 5, struct.pack("<5d", 0, -0.0, 1.5, float("inf"), 1e300)))
    good("packed: a tuple of floats", packed(12, 4, struct.pack("<4d", 1, 2, 3, 4)))
    good("packed: nan keeps its bits", packed(4, 4, b"\x01\x00\x00\x00\x00\x00\xf8\x7f" * 4))
    good("packed: not, though it could be", lst(num(1), num(2), num(3), num(4)), read=True)
    good("packed: not, since one is a bool", lst(num(1), num(2), num(3), TRUE))
    good("packed: not, since one is a float", lst(num(1), num(2), num(3), flt(4.0)))
    good("packed: not, since one is too large", lst(num(1), num(2), num(3), num(2**63)))


def moments() -> None:
    """The datetime family and UUIDs."""
    file("moment", "Dates, times, spans, zones, UUIDs.")
    for y, m, d in ((1, 1, 1), (2000, 2, 29), (2024, 2, 29), (1900, 2, 28), (2026, 11, 30), (9999, 12, 31)):
        good(f"date: {y}-{m}-{d}", moment(0x14, date(y, m, d)))
    for name, t in {
        "midnight": time(0, 0, 0),
        "noon": time(12, 0, 0),
        "last": time(23, 59, 59, 999999),
        "a microsecond": time(0, 0, 0, 1),
        "folded": time(2, 30, 0, 0, 1),
    }.items():
        good(f"time: {name}", moment(0x15, t))
        good(f"time: {name}, utc", moment(0x16, t) + UTC)
        good(f"datetime: {name}", moment(0x17, date(2026, 11, 22), t))
        good(f"datetime: {name}, utc", moment(0x18, date(2026, 11, 22), t) + UTC)
    good("datetime: first", moment(0x17, date(1, 1, 1), 0))
    good("datetime: the very last", moment(0x17, date(9999, 12, 31), time(23, 59, 59, 999999)))
    day = date(2026, 10, 25), time(2, 30, 0, 0, 1)
    good("datetime: an offset", moment(0x18, *day) + ext(4, num(7200 * 10**6)))
    good(
        "datetime: a negative offset with a name",
        moment(0x18, *day) + ext(4, tup(num(-18000 * 10**6), txt("EST"))),
    )
    good("datetime: a zone, folded", moment(0x18, *day) + ext(5, txt("Europe/Berlin")))
    good("time: an offset", moment(0x16, day[1]) + ext(4, num(1)))
    for d in ((0, 0, 0), (-1, 86399, 999999), (1, 2, 3), (999999999, 86399, 999999), (-999999999, 0, 0)):
        good(f"timedelta: {d}", span(*d))
    good("UUID", b"\x13" + bytes(range(16)))
    good("UUID: nil", b"\x13" + bytes(16))
    zone = ext(5, txt("Europe/Berlin"))
    first = moment(0x18, *day) + shared(zone)
    good("datetime: two in one zone", lst(first, moment(0x18, *day) + new(len(zone) + 9)))


def graphs() -> None:
    """References, cycles, shapes."""
    file("reference", "Objects that a message has twice, and cycles.")
    good("reference: one list twice", lst(shared(lst()), new(1)))
    good("reference: one list three times", lst(shared(lst()), new(1), ref(0)))
    good(
        "reference: two, numbered as they are referred to",
        lst(shared(lst(num(1))), shared(lst(num(2))), new(2), ref(0), new(7), ref(1), ref(0)),
    )
    long = [shared(lst(num(n))) for n in range(30)]
    refs = [new(60) for _ in range(30)]
    good(
        "reference: thirty, numbers in tag and behind it",
        lst(*long, *refs, *[ref(n) for n in (0, 1, 18, 19, 25, 26, 29)]),
    )
    good("reference: text", lst(shared(txt("abc")), new(4), ref(0)))
    good("reference: long text", lst(shared(txt("a" * 200)), new(203)))
    good("reference: a distance of two bytes", lst(shared(lst()), txt("b" * 150), new(154)))
    for name, value in {
        "tuple": tup(NONE),
        "long tuple": tup(*[NONE] * 4),
        "dict": dct(num(1), num(2)),
        "set": a_set(num(1)),
        "frozenset": a_set(num(1), frozen=True),
        "bytes": sized(13, b"ab"),
        "bytearray": sized(14, b"ab"),
        "long list": lst(*[NONE] * 8),
        "packed list": packed(0, 4, b"\x01\x02\x03\x04"),
        "surrogates": txt("\ud800"),
        "uuid": b"\x13" + bytes(16),
        "date": moment(0x14, date(2000, 1, 1)),
        "time": moment(0x15, 0),
        "aware time": moment(0x16, 0) + UTC,
        "datetime": moment(0x17, date(2000, 1, 1), 0),
        "aware datetime": moment(0x18, date(2000, 1, 1), 0) + UTC,
        "timedelta": span(1, 2, 3),
        "shape": shape([txt("a")], num(1)),
        "record": typed(0, txt("t"), 0, [], b""),
        "Decimal": ext(1, txt("1.5")),
        "deque": ext(0x20, lst()),
    }.items():
        good(f"reference: a {name}", lst(shared(value), new(len(value))))
    good("reference: a shaped dict", lst(shape([txt("a")], num(1)), shared(shaped(0, num(2))), new(2)))
    good(
        "reference: an object of a known type",
        lst(typed(0, txt("t"), 0, [txt("a")], NONE), shared(record(0, NONE)), new(2)),
    )
    good("reference: an S bit for nothing", lst(shared(lst()), NONE), read=True)
    good("reference: equal, but two", lst(lst(), lst()))
    good("cycle: a list in itself", shared(lst(new(1))))
    good("cycle: a list twice in itself", shared(lst(new(1), ref(0))))
    good("cycle: a dict in itself", shared(dct(num(1), new(3))))
    good("cycle: a shaped dict in itself", shared(shape([txt("a")], new(4))))
    good("cycle: a tuple by a list", shared(tup(lst(new(2)))))
    good("cycle: a list by a tuple", shared(lst(tup(new(2)))))
    good("cycle: two lists", shared(lst(shared(lst(new(2), new(3))))))
    good("cycle: an object", shared(typed(0, txt("t"), 0, [txt("me")], new(9))))
    good("cycle: a set by an object", shared(a_set(typed(0, txt("t"), 0, [txt("s")], new(10)))))
    good(
        "cycle: a frozenset by an object",
        shared(a_set(typed(0, txt("t"), 0, [txt("s")], new(10)), frozen=True)),
    )
    good("cycle: a dict by its key", shared(dct(typed(0, txt("t"), 0, [txt("d")], new(10)), NONE)))
    good("cycle: a deque", shared(ext(0x20, lst(new(3)))))
    good("cycle: an OrderedDict", shared(ext(0x21, dct(num(1), new(5)))))
    good("cycle: a namespace", shared(ext(0x25, shape([txt("a")], new(6)))))
    good("cycle: a carrier", shared(typed(3, txt("l"), 0, [], lst(new(7)))))
    good("cycle: an exception by an attribute", shared(typed(3, txt("e"), 0, [txt("x")], tup(), new(9))))

    file("shape", "Dicts that share their keys.")
    ab = [txt("a"), txt("b")]
    good("shape: one key", shape([txt("a")], num(1)))
    good("shape: two dicts of one", lst(shape(ab, num(1), num(2)), shaped(0, num(3), num(4))))
    good(
        "shape: order tells them apart",
        lst(
            shape(ab, num(1), num(2)),
            shape(ab[::-1], num(3), num(4)),
            shaped(1, NONE, NONE),
            shaped(0, NONE, NONE),
        ),
    )
    many = [shape([txt(f"k{n}")], num(n)) for n in range(12)]
    good("shape: twelve", lst(*many, *[shaped(n, NONE) for n in (0, 7, 8, 11)]))
    good("shape: known inside its first dict", shape([txt("a")], shaped(0, NONE)))
    good(
        "shape: defined inside of another",
        lst(shape([txt("a")], shape([txt("b")], NONE)), shaped(1, NONE), shaped(0, NONE)),
    )
    good(
        "shape: a key twice in the message",
        lst(shape([shared(txt("ab"))], num(1)), shape([new(6), txt("b")], num(2), num(3))),
    )
    good("shape: a key and a value that are one", shape([shared(txt("ab"))], new(3)))
    good("shape: surrogates in a key", shape([txt("\udc80")], num(1)))
    good("shape: 64 keys", shape([txt(str(n)) for n in range(64)], *map(num, range(64))))
    good("shape: 65 keys", shape([txt(str(n)) for n in range(65)], *map(num, range(65))), read=True)
    good("shape: twice the same", lst(shape([txt("a")], num(1)), shape([txt("a")], num(2))), read=True)
    good(
        "shape: one that others could have used",
        lst(shape([txt("a")], num(1)), dct(txt("a"), num(2))),
        read=True,
    )


def classes() -> None:
    """Registered types and the standard library."""
    file("type", "Objects of registered classes.")
    user = txt("acme.user")
    good("record: no fields", typed(0, user, 0, []))
    good("record: two fields", typed(0, user, 2, [txt("id"), txt("name")], num(7), txt("x")))
    good("record: a code for a name", typed(0, num(300), 0, [txt("a")], NONE))
    good("record: the largest code", typed(0, num(2**31 - 1), 0, []))
    good("record: a long version", typed(0, user, 300, []))
    good(
        "record: three of one",
        lst(typed(0, user, 0, [txt("a")], num(1)), record(0, num(2)), record(0, num(3))),
    )
    kinds = [typed(0, txt(f"t{n}"), 0, [txt("a")], num(n)) for n in range(6)]
    good("record: six types", lst(*kinds, *[record(n, NONE) for n in (0, 3, 4, 5)]))
    name = shared(user)
    good(
        "record: one name with other fields",
        lst(typed(0, name, 0, [], b""), typed(0, new(14), 0, [txt("a")], NONE)),
    )
    good("record: known inside its first object", typed(0, user, 0, [txt("next")], record(0, NONE)))
    good("member: by name", typed(1, txt("color"), 0, [], txt("RED")))
    good("member: by value", typed(2, txt("color"), 0, [], num(1)))
    good("member: of flags", typed(2, txt("perm"), 0, [], num(6)))
    good("member: value of another type", typed(2, txt("planet"), 0, [], tup(flt(3.3), flt(2.4))))
    good("member: twice", lst(typed(1, txt("color"), 0, [], txt("RED")), record(0, txt("BLUE"))))
    good("carrier: a list with an attribute", typed(3, txt("mylist"), 1, [txt("x")], lst(num(1)), num(2)))
    good("carrier: a str", typed(3, txt("mystr"), 0, [], txt("abc")))
    good("carrier: a dict", typed(3, txt("mydict"), 0, [], dct(num(1), num(2))))
    good(
        "carrier: an exception", typed(3, txt("acme.Error"), 0, [txt("code")], tup(txt("no"), num(5)), num(5))
    )

    file("standard", "Types of the standard library.")
    for text in ("0", "1.10", "-0", "1E+400", "NaN", "sNaN123", "-sNaN", "-Infinity", "0E-10", "9" * 50):
        good(f"Decimal: {text[:20]}", ext(1, txt(text)))
    good("Fraction: 1/3", ext(2, tup(num(1), num(3))))
    good("Fraction: -10**30/7", ext(2, tup(num(-(10**30)), num(7))))
    good("UUID: safe", ext(3, tup(sized(13, bytes(16)), num(0))))
    good("UUID: unsafe", ext(3, tup(sized(13, bytes(16)), num(-1))))
    good("timezone: the first of all", ext(4, num(1 - 86400 * 10**6)))
    good("timezone: zero with a name", ext(4, tup(num(0), txt("X"))))
    good("ZoneInfo", ext(5, txt("America/Argentina/Buenos_Aires")))
    for code in range(6, 10):
        good(f"path: {EXTS[code]}", ext(code, txt("a/b" if code in (6, 8) else "C:\\a")))
    good("path: bytes that are no text", ext(8, txt("a/\udcff")))
    for code, text in zip(
        range(10, 16),
        ("192.0.2.1", "fe80::1%eth0", "192.0.2.0/24", "2001:db8::/32", "192.0.2.1/24", "2001:db8::1/64"),
        strict=True,
    ):
        good(f"ip: {EXTS[code]}", ext(code, txt(text)))
    good("range", ext(0x10, tup(num(0), num(10), num(1))))
    good("range: long and backwards", ext(0x10, tup(num(2**70), num(0), num(-1))))
    good("slice", ext(0x11, tup(NONE, num(5), NONE)))
    good("slice: of anything", ext(0x11, tup(lst(), txt("a"), flt(1.0))))
    good("memoryview", ext(0x12, sized(13, b"abc")))
    good("memoryview: writable", ext(0x12, sized(14, b"abc")))
    good("memoryview: of shorts", ext(0x12, tup(txt("h"), tup(num(1), num(2)), sized(13, b"abcd"))))
    good("array: of doubles", ext(0x13, tup(txt("d"), num(8), sized(13, struct.pack("<d", 1.5)))))
    good("array: empty", ext(0x13, tup(txt("i"), num(4), sized(13, b""))))
    good("numpy: array", ext(0x14, tup(txt("<i2"), tup(num(2)), sized(13, b"\1\0\2\0"))))
    good(
        "numpy: Fortran order", ext(0x14, tup(txt("|u1"), tup(num(2), num(2)), sized(13, b"\1\2\3\4"), TRUE))
    )
    fields = lst(tup(txt("a"), txt("<i4")), tup(txt("b"), txt("<f8"), tup(num(2))))
    good("numpy: structured", ext(0x14, tup(fields, tup(num(0)), sized(13, b""))))
    good("numpy: no dimensions", ext(0x14, tup(txt("<i2"), tup(), sized(13, b"\1\0"))))
    good("numpy: scalar", ext(0x15, tup(txt("<f4"), sized(13, struct.pack("<f", 1.5)))))
    good("re.Pattern", ext(0x16, tup(txt("a+"), num(34))))
    good("class: list", ext(0x17, num(10)))
    good("Ellipsis", ext(0x17, num(14)))
    good("Ellipsis: twice", lst(shared(ext(0x17, num(14))), new(3)))
    good("NotImplemented", ext(0x17, num(15)))
    good("class: registered", ext(0x18, txt("acme.user")))
    good("class: registered by code", ext(0x18, num(5)))
    good("opaque", ext(0x19, tup(txt("pickle"), sized(13, b"\x80\x05N."))))
    good("deque", ext(0x20, lst(num(1), num(2))))
    good("deque: packed", ext(0x20, packed(0, 4, b"\1\2\3\4")))
    good("deque: maxlen", ext(0x20, tup(num(3), lst(num(1)))))
    good("deque: of none at most", ext(0x20, tup(num(0), lst())))
    good("OrderedDict", ext(0x21, dct(num(2), NONE, num(1), NONE)))
    good("OrderedDict: of a shape", ext(0x21, shape([txt("b"), txt("a")], num(1), num(2))))
    good(
        "OrderedDict: two of a shape", lst(ext(0x21, shape([txt("a")], num(1))), ext(0x21, shaped(0, num(2))))
    )
    good("defaultdict: list", ext(0x22, tup(ext(0x17, num(10)), dct(num(1), lst()))))
    good("defaultdict: no factory", ext(0x22, tup(NONE, dct())))
    good("defaultdict: a registered factory", ext(0x22, tup(ext(0x18, txt("t")), dct())))
    good("Counter", ext(0x23, dct(num(1), num(5))))
    good("ChainMap", ext(0x24, lst(dct(), dct(num(1), num(2)))))
    good("SimpleNamespace", ext(0x25, shape([txt("a")], num(1))))
    good("SimpleNamespace: empty", ext(0x25, dct()))
    good("MappingProxyType", ext(0x26, dct(num(1), num(2))))
    good("frozendict", ext(0x27, dct(num(1), num(2))))


def buffers() -> None:
    """Aligned buffers, buffers beside the message, messages in messages."""
    file("buffer", "Buffers in place and beside the message, sealed messages.")

    def buffer(at: int, access: int, data: bytes) -> bytes:
        head = bytes([15, access]) + varint(len(data))
        return head + bytes(-(at + len(head)) % 64) + data

    good("buffer: read-only", buffer(1, 0, b"ab"), read=True)
    good("buffer: writable", buffer(1, 1, b"ab"), read=True)
    good("buffer: empty", buffer(1, 0, b""), read=True)
    good("buffer: 300 bytes", buffer(1, 0, b"\xff" * 300), read=True)
    good("buffer: no padding", lst(txt("a" * 58), buffer(62, 0, b"x")), read=True)
    good("buffer: the most padding", lst(txt("a" * 59), buffer(63, 0, b"x")), read=True)
    one = shared(buffer(2, 1, b"xy"))
    good("buffer: twice", lst(one, new(len(one))), read=True)
    good("memoryview: of a buffer", ext(0x12, buffer(3, 0, b"abc")), read=True)
    good("numpy: a buffer", ext(0x14, tup(txt("|u1"), tup(num(3)), buffer(10, 1, b"abc"))), read=True)
    out = b"\xb1"
    good("outside: one", b"\x10\x00\x10\x00", header=out)
    good(
        "outside: two, and the first again",
        lst(b"\x10\x00\x10\x00", b"\x10\x01\xac\x02\x01", b"\x10\x00\x10\x00"),
        header=out,
    )
    good("outside: shared", lst(b"\x90\x01\x05\x00", new(4)), header=out)
    good("numpy: outside", ext(0x14, tup(txt("|u1"), tup(num(3)), b"\x10\x01\x03\x00")), header=out)
    good("sealed: None", sized(0x11, HEADER + NONE))
    good("sealed: twice in itself", sized(0x11, HEADER + sized(0x11, HEADER + NONE)))
    good(
        "sealed: shapes of its own",
        lst(shape([txt("a")], NONE), sized(0x11, HEADER + shape([txt("b")], NONE)), shaped(0, NONE)),
    )
    good("sealed: what it holds is not looked at", sized(0x11, HEADER + b"\x00"))


def main() -> int:
    """Make every case, then write the files."""
    import native_refused

    sys.setrecursionlimit(20000)
    for family in (scalars, containers, moments, graphs, classes, buffers, native_refused.refused):
        family()
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, (about, cases) in FILES.items():
        head = json.dumps({"format": "native", "about": about})[:-1]
        lines = ",\n".join(json.dumps(case) for case in cases)
        (FOLDER / f"{name}.json").write_text(f'{head}, "cases": [\n{lines}\n]}}\n', "ascii")
        assert all(vectors.octets(str(case["bytes"])) is not None for case in cases)
    return 0


if __name__ == "__main__":
    sys.modules["native_cases"] = sys.modules["__main__"]
    sys.exit(main())
