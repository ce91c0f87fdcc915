"""Keys that are no field's: passed over, refused or kept, as the class or the decoder says.

What may surprise: a decoder that is to keep them refuses types with a class that has no place for them.
"""

import dataclasses
from typing import Generic, NamedTuple, TypeVar

import pytest
from typed import wrong

from oxwire import Struct, ValidationError, convert, field, json, msgpack

typing_extensions = pytest.importorskip("typing_extensions", reason="needs typing_extensions")
Never, ReadOnly, TypedDict = (getattr(typing_extensions, n) for n in ("Never", "ReadOnly", "TypedDict"))
T = TypeVar("T")


class Plain(TypedDict):
    a: int


class Ints(TypedDict, extra_items=int):
    a: int


class More(Ints):
    b: str


class Closed(TypedDict, closed=True):
    a: int


class Shut(TypedDict, extra_items=Never):
    a: int


class Nothing(TypedDict, extra_items=None):
    a: int


class Fixed(TypedDict, Generic[T], extra_items=ReadOnly[list[int]]):
    a: T


class Keeps(Struct, extra="keep"):
    a: int


class Passes(Struct):
    a: int


class Refuses(Struct, extra="forbid"):
    a: int


class Row(Struct, array_like=True):
    a: int


class Flat(Struct):
    a: int
    rest: dict[str, int] = field(flatten=True)


@dataclasses.dataclass
class Data:
    a: int


class Pair(NamedTuple):
    a: int


def both(value, type, **options):
    """What comes out of JSON, MessagePack and the object itself, which must be the same."""
    found = [
        json.decode(json.encode(value), type=type, **options),
        msgpack.decode(msgpack.encode(value), type=type, **options),
        convert(value, type, **options),
    ]
    assert found[0] == found[1] == found[2]
    return found[0]


UNKNOWN = "Object contains unknown field `z`"


@pytest.mark.parametrize("type", [Plain, Passes, Refuses, Keeps, Data, Ints, Closed])
def test_a_decoder_passes_over_or_refuses_whatever_the_class_says(type):
    passed = both({"a": 1, "z": 2}, type, extra="ignore")
    assert passed == both({"a": 1}, type) == both({"a": 1, "z": 2}, type, forbid_unknown_fields=False)
    assert getattr(passed, "__extra__", {}) == {}
    assert wrong({"a": 1, "z": 2}, type, extra="forbid") == UNKNOWN
    assert wrong({"a": 1, "z": 2}, type, forbid_unknown_fields=True) == UNKNOWN


def test_what_a_flattened_dict_takes_in_is_a_fields():
    for extra in (None, "ignore", "forbid", "keep"):
        assert both({"a": 1, "z": 2}, Flat, extra=extra) == Flat(1, {"z": 2})


def test_a_decoder_keeps_them_where_there_is_a_place():
    assert both({"z": 2, "a": 1, "y": [None]}, Plain, extra="keep") == {"a": 1, "z": 2, "y": [None]}
    assert both({"a": 1}, Plain, extra="keep") == {"a": 1}
    assert both({"a": 1, "z": 2}, Keeps, extra="keep").__extra__ == {"z": 2}
    assert both([1, 2], Row, extra="keep") == Row(1)
    assert both([1], Pair, extra="keep") == Pair(1)

    class Outer(TypedDict):
        inner: list[Plain]
        keeps: Keeps

    value = {"inner": [{"a": 1, "z": 2}], "keeps": {"a": 1, "y": 3}, "x": 4}
    kept = both(value, Outer, extra="keep")
    assert kept["keeps"].__extra__ == {"y": 3}
    assert kept | {"keeps": 0} == {"inner": [{"a": 1, "z": 2}], "keeps": 0, "x": 4}
    assert json.decode(json.encode(kept)) == value
    # The same type without the option, afterwards.
    assert both(value, Outer)["inner"] == [{"a": 1}]


@pytest.mark.parametrize("type", [Passes, Refuses, Data])
@pytest.mark.parametrize("wrapped", [lambda t: t, lambda t: list[t], lambda t: dict[str, t | None]])
def test_a_class_without_a_place_is_refused(type, wrapped):
    for make in (json.Decoder, msgpack.Decoder, lambda t, **options: convert(None, t, **options)):
        with pytest.raises(TypeError, match=rf"`{type.__name__}` has no place for the unknown keys"):
            make(wrapped(type), extra="keep")


def test_options_say_so_and_others_are_refused():
    assert json.Decoder(Plain, extra="keep").options == {"type": Plain, "extra": "keep"}
    for other in ("other", True, 1, "Keep"):
        with pytest.raises((TypeError, ValueError), match="`extra` must be None or"):
            json.Decoder(Plain, extra=other)


def test_a_typed_dict_says_what_others_are():
    assert both({"a": 1, "z": 2}, Ints) == {"a": 1, "z": 2}
    assert both({"z": 2, "a": 1, "b": "x"}, More) == {"a": 1, "b": "x", "z": 2}
    assert wrong({"a": 1, "z": "x"}, Ints) == "Expected `int`, got `str` - at `$.z`"
    assert both({"a": 1, "z": None}, Nothing) == {"a": 1, "z": None}
    assert wrong({"a": 1, "z": 2}, Nothing) == "Expected `null`, got `int` - at `$.z`"
    assert both({"a": "x", "z": [2]}, Fixed[str]) == {"a": "x", "z": [2]}
    for closed in (Closed, Shut):
        assert both({"a": 1}, closed) == {"a": 1}
        assert wrong({"a": 1, "z": 2}, closed) == wrong({"a": 1, "z": 2}, closed, extra="keep") == UNKNOWN
    # What is kept anyway needs no other place.
    assert both({"a": 1, "z": 2}, Ints, extra="keep") == {"a": 1, "z": 2}


def test_all_that_is_wrong_with_them_is_found():
    with pytest.raises(ValidationError) as caught:
        json.decode(b'{"a":"x","y":[],"z":1}', type=Ints, errors="all")
    assert [error["path"] for error in caught.value.errors()] == ["$.a", "$.y"]


def test_keys_that_stand_twice():
    data = b'{"a":1,"z":1,"z":2}'
    assert json.decode(data, type=Ints) == {"a": 1, "z": 2}
    with pytest.raises(json.DecodeError, match="twice"):
        json.decode(data, type=Ints, duplicate_keys="error")


def test_keys_that_are_no_text_are_passed_over():
    assert msgpack.decode(msgpack.encode({"a": 1, 5: 6}), type=Ints) == {"a": 1}


def test_schemas_say_so():
    def others(type):
        (found,) = json.schema(type)["$defs"].values()
        return found.get("additionalProperties")

    assert others(Plain) is None
    assert others(Ints) == {"type": "integer"}
    assert others(Closed) is others(Shut) is False
