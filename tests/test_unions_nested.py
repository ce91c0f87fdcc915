"""Unions in unions: what is looked at twice at each level, and is still done soon."""

import json as stdlib

import pytest
from soon import ends_soon

from oxwire import DecodeError, Struct, ValidationError, convert, json, msgpack

SOURCES = {
    "json": lambda o, t: json.decode(stdlib.dumps(o), type=t),
    "msgpack": lambda o, t: msgpack.decode(msgpack.encode(o), type=t),
    "convert": convert,
}


class Leaf(Struct):
    leaf: int


class Left(Struct):
    inner: "Left | Right | Leaf"
    left: int


class Right(Struct):
    inner: "Left | Right | Leaf"
    right: int


class Ints(Struct):
    inner: "Ints | Texts | None"
    v: int


class Texts(Struct):
    inner: "Ints | Texts | None"
    v: str


Either = Left | Right | Leaf
Alike = Ints | Texts | None


def nested(depth, last="right"):
    o = {"leaf": 1}
    for i in range(depth):
        o = {"inner": o, "left" if i % 2 else last: i}
    return o


@pytest.mark.parametrize("name", SOURCES)
def test_keys_behind_what_is_deep_are_found_soon(name):
    read = SOURCES[name]
    for depth in 50, 900:
        with ends_soon():
            made = read(nested(depth), Either)
        while not isinstance(made, Leaf):
            made = made.inner


@pytest.mark.parametrize("name", SOURCES)
def test_a_fault_deep_inside_ends_soon(name):
    o = {"leaf": "x"}
    for _ in range(300):
        o = {"inner": o, "left": 1}
    with ends_soon(), pytest.raises(ValidationError) as caught:
        SOURCES[name](o, Either)
    assert caught.value.path == "$" + ".inner" * 300 + ".leaf"


@pytest.mark.parametrize("name", SOURCES)
def test_tries_in_tries_end(name):
    for depth, value in (8, "a"), (8, 1), (200, 1), (200, "a"), (200, []):
        o = None
        for _ in range(depth):
            o = {"inner": o, "v": value}
        try:
            with ends_soon():
                made = SOURCES[name](o, Alike)
        except ValidationError:
            # What would have to be read too often is refused.
            assert depth > 8
        else:
            assert type(made) is (Texts if value == "a" else Ints)


def test_what_failed_is_freed_and_depth_is_counted_as_ever():
    deep = nested(400)
    text = stdlib.dumps(deep)
    assert json.Decoder(Either, max_depth=401).decode(text)
    with pytest.raises(DecodeError, match="deep"):
        json.Decoder(Either, max_depth=400).decode(text)
