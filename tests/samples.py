"""What the tests share: documents, strategies, exact comparison, and running another interpreter."""

import math
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from hypothesis import strategies as st

import oxwire
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
