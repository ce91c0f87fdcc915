"""`convert` of keys that are text of a class of its own, of objects with flattened fields, and of deques."""

import collections
import enum
from typing import Annotated, TypedDict

import pytest

from oxwire import Meta, Struct, ValidationError, convert, field


class Key(enum.StrEnum):
    A = "a"


def test_keys_that_are_text_of_a_class_of_its_own():
    class S(str):
        __slots__ = ()

        def __hash__(self):
            return 7

    class P(Struct):
        a: int = 0

    class D(TypedDict):
        a: int

    class T(Struct, tag="t", tag_field="a"):
        b: int

    class U(Struct, tag="u", tag_field="a"):
        b: int

    class K(Struct, extra="keep"):
        b: int = 0

    for key in Key.A, S("a"):
        assert convert({key: 5}, P, forbid_unknown_fields=True) == P(5)
        assert convert({key: 5}, D) == {"a": 5}
        assert convert({key: 5}, P | T) == P(5)
        assert convert({key: "u", "b": 1}, T | U) == U(1)
        assert type(next(iter(convert({key: 5}, K).__extra__))) is str


def test_flattened_fields_of_other_objects():
    class Deep(Struct):
        a: int = 0

    class Inner(Struct):
        deep: Deep = field(flatten=True)
        b: int

    class Mine(Struct):
        i: Inner = field(flatten=True)
        maybe: Deep | None = None
        z: int = 0

    class Theirs(Struct):
        i: Inner = field(flatten=True)
        z: int = 0

    class Catch(Struct):
        z: int
        rest: dict[str, int] = field(flatten=True)

    class Caught(Struct):
        z: int
        rest: dict[str, int] = field(flatten=True)

    source = Mine(Inner(Deep(1), 2), None, 3)
    assert convert(source, Theirs, from_attributes=True) == Theirs(Inner(Deep(1), 2), 3)
    # They may also stand side by side.
    flat = type("Flat", (), {"a": 1, "b": 2, "z": 3})()
    assert convert(flat, Theirs, from_attributes=True) == Theirs(Inner(Deep(1), 2), 3)
    assert convert(Catch(1, {"x": 2}), Caught, from_attributes=True) == Caught(1, {"x": 2})


def test_deques_of_bounded_length():
    t = Annotated[collections.deque[int], Meta(min_length=1, max_length=2)]
    assert convert(collections.deque([1, 2]), t) == collections.deque([1, 2])
    assert convert({"q": collections.deque([1])}, dict[str, t]) == {"q": collections.deque([1])}
    for wrong in [], [1, 2, 3]:
        with pytest.raises(ValidationError, match="of length"):
            convert(collections.deque(wrong), t)
