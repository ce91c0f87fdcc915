"""What the tests share: documents, strategies, exact comparison, and running another interpreter."""

import gzip
import io
import math
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from hypothesis import strategies as st

import oxwire.msgpack
from oxwire import EncodeError
from oxwire.json import decode, encode

# Small documents that together use every form of the grammar.
DOCUMENTS = (
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"-17",
    b"3.25",
    b"-0.0",
    b"1e3",
    b"1E-2",
    b"12.5e+1",
    b"18446744073709551615",
    b"-9223372036854775808",
    b"123456789012345678901234567890",
    b'""',
    b'"plain"',
    b'"\\"\\\\\\/\\b\\f\\n\\r\\t"',
    b'"\\u00e9\\u20AC\\ud83d\\ude00\\u0000"',
    '"é€😀 and ascii"'.encode(),
    '"русский, 中文, ไทย"'.encode(),
    b"[]",
    b"{}",
    b"[[],{},[{}]]",
    b'[1,2.5,null,true,false,"x"]',
    b'{"a":1,"b":[2,3],"c":{"d":null}}',
    b' { "a" : [ 1 , 2 ] ,\r\n\t"b" : { } } \n',
    '{"ключ":"значение","鍵":["値",{"é":-1.5e-7}]}'.encode(),
    b'{"id":81234567,"name":"A. Person","tags":["x","yy","zzz"],"ok":true,"ratio":0.125,"none":null}',
    b"[[0.1,-65.613616999999977],[43.420273000000009,1e21],[-1e-7,123456789.125]]",
    b'{"":"","a b":"\\t","long key that does not fit in any small inline buffer at all":[[[[1]]]]}',
)

# Lengths at which a loop over blocks of 8, 16, 32 or 64 bytes changes what it does.
EDGES = (
    0,
    1,
    2,
    3,
    7,
    8,
    9,
    14,
    15,
    16,
    17,
    23,
    24,
    30,
    31,
    32,
    33,
    47,
    48,
    62,
    63,
    64,
    65,
    95,
    96,
    127,
    128,
    129,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
integers = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-(2**64), 2**65),
    st.integers(-(10**60), 10**60),
    st.sampled_from([s * 2**n + d for n in (31, 32, 53, 63, 64) for s in (1, -1) for d in (-1, 0, 1)]),
)
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(st.none(), st.booleans(), integers, floats, text)


# Canonical text does not say whether a whole number was a float, and integers beyond 2**53 - 1 are refused.
canonical_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    floats.filter(lambda number: abs(number) < 2**53 or abs(number) >= 1e21),
    text,
)


def values(keys=text, leaves=scalars):
    """Every value that JSON gives back as it was."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(keys, inner, max_size=6)),
        max_leaves=30,
    )


def same(left, right):
    """Whether two values are equal in value, type, order, and sign of zero, all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return repr(left) == repr(right)
    if isinstance(left, dict):
        pairs = zip(left.items(), right.items(), strict=False)
        return len(left) == len(right) and all(same(a, c) and same(b, d) for (a, b), (c, d) in pairs)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def float_text(value, low=-5, high=16):
    """A float as oxwire spells it: shortest digits, positional from 10**low up to 10**high."""
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    digits, point = float_digits(value)
    if digits == "0":
        return sign + "0.0"
    if point - 1 < low or point - 1 >= high:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{sign}{digits}{'0' * (point - len(digits))}.0"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def float_digits(value):
    """The shortest digits of a finite float, and where the decimal point stands in them."""
    match = re.fullmatch(r"-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?", repr(value))
    whole, fraction, exponent = match[1], match[2] or "", int(match[3] or 0)
    digits = whole + fraction
    point = len(whole) + exponent
    lead = len(digits) - len(digits.lstrip("0"))
    digits, point = digits[lead:].rstrip("0"), point - lead
    return (digits, point) if digits else ("0", 1)


_DURATION = re.compile(r"(-?)P(?=\d|T)(?:(\d+)D)?(?:T(\d+)(?:\.(\d{1,6}))?S)?")


def duration(spelling):
    """The timedelta that an ISO 8601 duration of days and seconds names."""
    match = _DURATION.fullmatch(spelling)
    assert match, spelling
    sign, days, seconds, fraction = match.groups()
    span = timedelta(int(days or 0), int(seconds or 0), int((fraction or "0").ljust(6, "0")))
    return -span if sign else span


def nested(depth, kind="list", leaf=None):
    """A value of `depth` containers, one in the other."""
    value = leaf
    for level in range(depth):
        as_dict = kind == "dict" or (kind == "mixed" and level % 2)
        value = {"k": value} if as_dict else (value,) if kind == "tuple" else [value]
    return value


def place(document, offset):
    """Line and column, both from 1, of a byte offset; the column counts characters."""
    before = document[:offset]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    return line, column


def run_python(code, *flags, env=None, timeout=120):
    """Run `code` in a fresh interpreter that finds the package under test; it must end well."""
    source = str(Path(oxwire.__file__).resolve().parent.parent)
    full = dict(os.environ, PYTHONPATH=os.pathsep.join([source, os.path.dirname(os.path.abspath(__file__))]))
    full.update(env or {})
    done = subprocess.run(
        [sys.executable, *flags, "-c", code],
        env=full,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def garbage_stays_bounded(prepare, read, env):
    """Whoever only reads and drops must not keep the collector away from the garbage of others: in a fresh interpreter, `read` is done again and
    again beside cycles that nobody holds.
    """
    program = f"""
{prepare}
class Watched:
    count = 0
    def __init__(self):
        Watched.count += 1
        self.me = self
    def __del__(self):
        Watched.count -= 1
most = 0
for _ in range(6_000):
    {read}
    Watched()
    most = max(most, Watched.count)
assert most < 5_000, most
print("well")
"""
    assert run_python(program, env=env).split() == ["well"]


def attempt(value, hook, **options):
    """The result is a document, or an error that says what happened."""
    try:
        return decode(encode(value, enc_hook=hook, **options))
    except EncodeError as error:
        assert "changed" in str(error) or "size" in str(error) or "twice" in str(error), error
        return None


class Trickle:
    """A reader that gives at most `size` bytes (or characters) at a time, as a slow socket does."""

    def __init__(self, data, size=1):
        self.data, self.size, self.at = data, size, 0

    def read(self, n=-1):
        n = len(self.data) if n is None or n < 0 else min(n, self.size)
        chunk = self.data[self.at : self.at + n]
        self.at += len(chunk)
        return chunk


class Named(os.PathLike):
    """A path of the user's own."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


def sources(tmp_path, data, text=False):
    """The same bytes as every kind of source; files of text, too, if they are `text`."""
    path = tmp_path / "näme.data"
    path.write_bytes(data)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(data))
    yield str(path)
    yield path
    yield Named(path)
    yield io.BytesIO(data)
    for options in ({}, {"buffering": 0}):
        with path.open("rb", **options) as file:
            yield file
    with gzip.open(packed) as file:
        yield file
    for size in (1, 2, 7, 1000):
        yield Trickle(data, size)
    if text:
        yield io.StringIO(data.decode())
        with path.open(encoding="utf-8", newline="") as file:
            yield file
        with gzip.open(packed, "rt", encoding="utf-8", newline="") as file:
            yield file
        for size in (1, 2, 7, 1000):
            yield Trickle(data.decode(), size)


# MessagePack: small messages that together use every marker, also in forms that are longer than need be.
MESSAGES = tuple(
    map(
        bytes.fromhex,
        f"""
        c0 c2 c3 00 2a 7f e0 ff cc80 ccff cd0100 ce00010000 cf0000000100000000 cfffffffffffffffff cf0000000000000001
        d0df d180ff d2ffff0000 d38000000000000000 d3ffffffffffffffff ca3fc00000 cb3fb999999999999a cb8000000000000000
        a0 a161 bf{"61" * 31} d920{"62" * 32} a6c3a9f09f9880 da00026162 db0000000163 a3e282ac
        c400 c403000102 c5000161 c60000000161 90 80 93c0c3ff 9e{"00" * 14} dc0001c0 dd0000000101
        81a16101 82a162920102a16381c002 de0001a16101 df00000001a1610f 8101c0 81920102c0 8191919005 81c4016101
        82c001c202 81cb3ff000000000000001 81d4010105 d40107 d5020708 d60301020304 d7040102030405060708
        d805{"0f" * 16} c70006 c70307010203 c8000108ff c900000001f9aa
        d6ff00000001 d7ff00000fa000000001 c70cff0000000000000000ffffffff
        9283a16101a16292a3c3a978c400a163809183a16102a16290a163c0 96da0003646566ca40490fdb81d4010203d6ff000000019091c0
        """.split(),
    )
)

pack_keys = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    floats,
    text,
    st.binary(max_size=20),
    st.tuples(st.integers(-9, 9), st.one_of(text, st.tuples(st.binary(max_size=3)))),
)
pack_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1000, 1000),
    st.integers(-(2**63), 2**64 - 1),
    st.sampled_from([s * 2**n + d for n in (5, 7, 8, 15, 16, 31, 32) for s in (1, -1) for d in (-1, 0, 1)]),
    st.sampled_from([2**63 - 1, 2**63, 2**64 - 1, -(2**63), -(2**63) + 1]),
    st.floats(allow_nan=False),
    text,
    st.binary(max_size=40),
)


def pack_values():
    """Every value of built-in types that MessagePack gives back as it was."""
    return values(pack_keys, pack_scalars)


def pack_attempt(value, hook, **options):
    """As `attempt`; and since lengths stand before what they count, reading it back shows that they are right."""
    try:
        message = oxwire.msgpack.encode(value, enc_hook=hook, **options)
    except EncodeError as error:
        assert "changed" in str(error) or "size" in str(error) or "both spelled" in str(error), error
        return None
    return oxwire.msgpack.decode(message)


class Strange:
    """What no format has a form for. It shows as a complex number does, which has one."""

    def __init__(self, real=0.0, imag=1.0):
        self.real, self.imag = real, imag

    def __repr__(self):
        return repr(complex(self.real, self.imag))

    def __eq__(self, other):
        return type(other) is Strange and (self.real, self.imag) == (other.real, other.imag)

    def __hash__(self):
        return hash(("strange", self.real, self.imag))


STRANGE = Strange()
