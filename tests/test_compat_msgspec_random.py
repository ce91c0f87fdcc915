"""The face of msgspec beside msgspec itself: the same calls, side by side and at random.

What may surprise: values and types that the two cannot share (Structs, Raw) are made once for each.
"""

import datetime as dt
import decimal
import inspect
import random
import re
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest

import oxwire.compat.msgspec as face

peer = pytest.importorskip("msgspec")
pytestmark = pytest.mark.peer


@dataclass
class Data:
    a: int
    b: str | None = None


class Dict(TypedDict, total=False):
    a: int


class Named(NamedTuple):
    a: int
    b: float = 1.5


def kinds(m):
    """The same types of a library."""

    class Point(m.Struct):
        x: int
        y: float | None = None

    class Pair(m.Struct, array_like=True, frozen=True):
        a: str
        b: int = 0

    class Cat(m.Struct, tag="cat", rename="camel", omit_defaults=True):
        long_name: str
        age: int = 0

    class Dog(m.Struct, tag="dog", forbid_unknown_fields=True):
        name: str

    return [
        *(Any, int, float, str, bytes, bool, None, list[int], dict[str, int], dict[int, str], set[int]),
        *(tuple[int, str], tuple[int, ...], int | str | None, list[float | None], Literal["a", 1]),
        *(dt.datetime, dt.date, dt.timedelta, uuid.UUID, decimal.Decimal, Data, Dict, Named),
        *(Point, Pair, Cat | Dog, list[Point], dict[str, Cat | Dog]),
        Annotated[int, m.Meta(ge=1, le=5)],
        Annotated[str, m.Meta(min_length=2)],
        Annotated[list[Any], m.Meta(max_length=1)],
    ]


TEXTS = [
    *(
        "null",
        "true",
        "1",
        "-3",
        "1.5",
        "1e3",
        '"a"',
        '""',
        '"2020-01-02"',
        '"2020-01-02T03:04:05Z"',
        '"P1D"',
    ),
    *("[]", "[1]", "[1,2]", '[1,"a"]', '["a",1]', "[1.5,null]", "{}", '{"a":1}', '{"a":"x"}', '{"1":"b"}'),
    *('{"x":1}', '{"x":1,"y":2}', '{"x":"a"}', '[{"x":1},{"x":null}]', '{"y":1.5}', '{"a":1,"b":null}'),
    *('{"type":"cat","longName":"a"}', '{"type":"dog","name":"a","z":1}', '{"type":"cow"}', '{"type":1}'),
    *(
        '{"k":{"type":"cat","longName":"a","age":1}}',
        '"00000000-0000-0000-0000-000000000001"',
        '"1.50"',
        '"AAE="',
    ),
]


def plain(m, call):
    """What a call comes to, in words that both libraries have."""
    try:
        made = call()
    except Exception as e:
        return type(e).__name__, str(e)
    if isinstance(made, Data):
        # msgspec leaves out what stands in the class.
        return made.a, made.b
    return repr(m.to_builtins(made, str_keys=True)) + type(made).__name__


# Where msgspec words one fault in several ways.
ALIKE = [
    (r"got `None`", "got `null`"),
    (r"of length (\d+|1 to 2), got \d+$", r"of length \1"),
    (r", got `\w+`( - at `\$\.type`)$", r"\1"),
    (r"Invalid enum value '1.50'", "Expected `int | str`, got `str`"),
]


def either(words):
    if isinstance(words, str):
        return words
    kind, text = words
    for pattern, instead in ALIKE if kind == "ValidationError" else ():
        text = re.sub(pattern, instead, text)
    return kind, text


@pytest.mark.parametrize("strict", [True, False])
def test_typed_reading(strict):
    for ours, theirs in zip(kinds(face), kinds(peer), strict=True):
        for text in TEXTS:
            got = plain(face, lambda: face.json.decode(text, type=ours, strict=strict))
            want = plain(peer, lambda: peer.json.decode(text, type=theirs, strict=strict))
            assert either(got) == either(want), (text, ours)
            value = face.json.decode(text)
            got = plain(face, lambda: face.convert(value, ours, strict=strict))
            want = plain(peer, lambda: peer.convert(value, theirs, strict=strict))
            assert either(got) == either(want), (value, ours)
            data = peer.msgpack.encode(value)
            got = plain(face, lambda: face.msgpack.decode(data, type=ours, strict=strict))
            want = plain(peer, lambda: peer.msgpack.decode(data, type=theirs, strict=strict))
            assert either(got) == either(want), (data, ours)


def value(r, depth=3):
    k = r.randrange(14 if depth else 10)
    if k < 10:
        return [
            *(
                None,
                True,
                r.randrange(-(2**63), 2**64),
                r.uniform(-1e9, 1e9),
                r.choice(["", 'é\n"', "x" * 40]),
            ),
            *(
                r.randbytes(5),
                dt.datetime(2020, 1, r.randrange(1, 28), tzinfo=dt.UTC),
                uuid.UUID(int=r.getrandbits(128)),
            ),
            *(decimal.Decimal(r.randrange(1000)) / 8, dt.timedelta(seconds=r.randrange(10**6))),
        ][k]
    items = [value(r, depth - 1) for _ in range(r.randrange(4))]
    if k == 10:
        return items
    if k == 11:
        return tuple(items)
    if k == 12:
        return {r.randrange(10**6) for _ in range(3)}
    return {r.choice(["a", "b", "cc", "é"]): item for item in items}


OPTIONS = [
    *({}, {"order": "deterministic"}, {"order": "sorted"}, {"uuid_format": "hex"}),
    *({"decimal_format": "number"}, {"decimal_format": lambda d: [str(d)]}),
]


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_writing(name):
    r = random.Random(7)
    ours = [getattr(face, name).Encoder(**options) for options in OPTIONS]
    theirs = [getattr(peer, name).Encoder(**options) for options in OPTIONS]
    for _ in range(400):
        one = value(r)
        for our, their in zip(ours, theirs, strict=True):
            assert our.encode(one) == their.encode(one)


def outcome(m, call):
    try:
        return call()
    except (m.DecodeError, UnicodeDecodeError):
        return m.DecodeError.__name__


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_malformed(name):
    r = random.Random(8)
    ours, theirs = getattr(face, name), getattr(peer, name)
    for _ in range(1500):
        data = bytearray(ours.encode(value(r)))
        for _ in range(r.randrange(1, 3)):
            at = r.randrange(len(data) + 1)
            data[at : at + r.randrange(2)] = r.choice([b"", r.randbytes(1), b",", b"]", b'"'])
        data = bytes(data)
        got, want = outcome(face, lambda: ours.decode(data)), outcome(peer, lambda: theirs.decode(data))
        if "DecodeError" in (got, want):
            assert got == want, data
        else:
            assert repr(got).replace("nan", "") == re.sub("<msgspec.*?>", "Ext", repr(want)).replace(
                "nan", ""
            ) or ("Ext(" in repr(got))


def test_signatures():
    for name in ("json", "msgpack", "yaml", "toml"):
        ours, theirs = getattr(face, name), getattr(peer, name)
        for one in ("Encoder", "Decoder", "encode", "decode", "format"):
            if hasattr(theirs, one):
                got, want = inspect.signature(getattr(ours, one)), inspect.signature(getattr(theirs, one))
                assert [*got.parameters] == [*want.parameters], (name, one)
                for p, q in zip(got.parameters.values(), want.parameters.values(), strict=True):
                    assert p.kind == q.kind
                    assert p.default == q.default or q.name == "type"


def test_names():
    for name in ("", "json", "msgpack", "yaml", "toml", "structs", "inspect"):
        ours, theirs = (getattr(face, name), getattr(peer, name)) if name else (face, peer)
        missing = {one for one in dir(theirs) if not one.startswith("_")} - {*dir(ours)}
        # That is of Python 3.15.
        assert missing <= {"FrozenDictType"}
