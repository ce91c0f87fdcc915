"""The values of the ext table `clojure` as objects and as the vectors have them, for whatever tests it.

What may surprise: a dict is no key, and so what vectors/lossless has as a map in a key is code and body here.
"""

import datetime as dt
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import lossless
import pytest
import test_vectors
from lossless import Said

import vectors
from oxwire import DecodeError
from oxwire.msgpack import Character, Date, Ext, Keyword, List, Record, Symbol, Timestamp, decode, encode

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
FLAGS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X}
KINDS = {"keyword": Keyword, "symbol": Symbol, "char": Character, "uuid": UUID}


def point(name, fields):
    """The records that the vectors know."""
    return Record(name, fields) if name == "point" else NotImplemented


TABLE = {"ext_table": "clojure"}
READING = {**TABLE, "timestamp": "timestamp", "record_hook": point}


def ours(v, *, key=False):
    """The object that stands for a value of the table."""
    if isinstance(v, list):
        items = [ours(item, key=key) for item in v]
        return tuple(items) if key else items
    if isinstance(v, vectors.Map):
        # A dict is no key: it stays code and body.
        if key:
            return Ext(45, lossless.write(v))
        return {ours(k, key=True): ours(of) for k, of in v.entries}
    if not isinstance(v, Said):
        return test_vectors.ours(v, key=key)
    match v.kind:
        case "set":
            return (frozenset if key else set)(ours(item, key=True) for item in v.of)
        case "list":
            return List(ours(item, key=key) for item in v.of)
        case "ratio":
            return Fraction(*v.of)
        case "decimal":
            sign, digits, _ = Decimal(v.of[0]).as_tuple()
            return Decimal((sign, digits, v.of[1]))
        case "record":
            return Record(v.of[0], ours(v.of[1]))
        case "pattern":
            if "d" in v.of[1]:
                return Ext(42, b"".join(lossless.write(text) for text in v.of))
            flags = sum(flag for letter, flag in FLAGS.items() if letter in v.of[1])
            return re.compile(v.of[0], flags | (0 if "u" in v.of[1] else re.A))
        case "date":
            try:
                return Date(1970, 1, 1, tzinfo=dt.UTC) + v.of * dt.timedelta(milliseconds=1)
            except OverflowError:
                return Ext(44, v.of.to_bytes(8, signed=True))
    return KINDS[v.kind](v.of)


def theirs(obj, *, key=False):
    """The value of the table that an object is."""
    if type(obj) is (tuple if key else list):
        return [theirs(item, key=key) for item in obj]
    if type(obj) is dict:
        return vectors.Map(tuple((theirs(k, key=True), theirs(of)) for k, of in obj.items()))
    if type(obj) is (frozenset if key else set):
        return Said("set", tuple(theirs(item, key=True) for item in obj))
    for kind, made in KINDS.items():
        if type(obj) is made:
            return Said(kind, str(obj))
    if type(obj) is List:
        return Said("list", tuple(theirs(item, key=key) for item in obj))
    if type(obj) is Fraction:
        return Said("ratio", (obj.numerator, obj.denominator))
    if type(obj) is Decimal:
        sign, digits, exponent = obj.as_tuple()
        return Said("decimal", (int(Decimal((sign, digits, 0))), exponent))
    if type(obj) is Record:
        return Said("record", (obj.name, theirs(obj.fields)))
    if type(obj) is re.Pattern:
        letters = "".join(letter for letter, flag in FLAGS.items() if obj.flags & flag)
        return Said("pattern", (obj.pattern, letters + ("" if obj.flags & re.A else "u")))
    if type(obj) is dt.datetime:
        moment = Timestamp.from_datetime(obj)
        return vectors.Timestamp(moment.seconds, moment.nanoseconds)
    if type(obj) is Date:
        return Said("date", (obj - EPOCH) // dt.timedelta(milliseconds=1))
    if type(obj) is Ext and 42 <= obj.code <= 45:
        return lossless.read(encode({obj: 0})[1:-1] if obj.code == 45 else encode(obj))
    return test_vectors.theirs(obj, key=key)


def comparable(obj):
    """An object as the vectors compare it."""
    # The small codec has maps as keys, where ours has code and body.
    return lossless.exact(theirs(obj)) if not isinstance(obj, BaseException) else obj


def refused(data, **options):
    """The error that a message is refused with."""
    with pytest.raises(DecodeError) as caught:
        decode(data, **{**READING, **options})
    return caught.value


def is_body(error, offset):
    return error.offset == offset and error.msg == "the ext does not hold what its code says"


def made_up(pick, depth=0, key=False):
    """A value of any kind."""
    kind = pick.randrange(16 if depth < 4 else 10)
    word = "".join(pick.choice("ab/é東🏠") for _ in range(pick.randrange(1, 9)))
    match kind:
        case 0:
            return pick.choice((None, "", -1, 1 << 63, b"ab", word))
        case 1:
            return pick.randrange(-(1 << 80), 1 << 80) >> pick.randrange(80)
        case 2 | 3:
            return pick.choice((Keyword, Symbol))(word)
        case 4:
            # One beyond U+FFFF is no character of Java's.
            return Character(pick.choice("ab/é東"))
        case 5:
            return Fraction(pick.randrange(-(10**30), 10**30) * 2 + 1, 2 ** pick.randrange(1, 90))
        case 6:
            return Decimal((pick.randrange(2), (1, pick.randrange(10)), pick.randrange(-40, 40)))
        case 7:
            return UUID(int=pick.getrandbits(128))
        case 8:
            return Date(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(milliseconds=pick.randrange(1 << 45))
        case 9:
            return dt.datetime(2000, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=pick.randrange(1 << 55))
        case 10:
            members = {made_up(pick, depth + 1, True) for _ in range(pick.randrange(5))}
            return frozenset(members) if key else members
        case 11 | 12:
            return List(made_up(pick, depth + 1, key) for _ in range(pick.randrange(5)))
        case 13 if not key:
            return {
                made_up(pick, depth + 1, True): made_up(pick, depth + 1) for _ in range(pick.randrange(5))
            }
        case _:
            items = [made_up(pick, depth + 1, key) for _ in range(pick.randrange(5))]
            return tuple(items) if key else items
