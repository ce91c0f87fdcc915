"""Unions of classes whose keys are more than the names of their fields: aliases, flattened fields, `by_name`, keys that are passed over."""

import enum
import ipaddress
from decimal import Decimal
from typing import Annotated, Literal

import pytest

from oxwire import Meta, Struct, ValidationError, computed, convert, field, json, msgpack

typing_extensions = pytest.importorskip("typing_extensions", reason="needs typing_extensions")
NotRequired, TypedDict = typing_extensions.NotRequired, typing_extensions.TypedDict


class Name(Struct):
    name: str | None = None


class Speed(Struct):
    speed: int | None = field(alias="velocity", default=None)


class Must(Struct):
    x: int = field(alias=("ex", "ix"), name="X")
    also: int = field(alias="too")


class Other(Struct):
    y: int


class KindA(Struct):
    kind: Literal["a"] = field(alias="k")
    x: int = 0


class KindB(Struct):
    kind: Literal["b"] = field(alias="k")
    y: int = 0


class PartA(Struct, tag=True):
    a: int


class PartB(Struct):
    b: int


class FlatA(Struct):
    i: PartA = field(flatten=True)
    z: int = 0


class FlatB(Struct):
    i: PartB = field(flatten=True)
    z: int = 0


class MaybeA(Struct):
    i: PartA | None = field(flatten=True, default=None)


class MaybeB(Struct):
    i: PartB | None = field(flatten=True, default=None)


class CamelA(Struct, rename="camel"):
    my_a: int | None = None


class CamelB(Struct, rename="camel"):
    my_b: int | None = None


class Closed(Struct, extra="forbid"):
    a: int

    @computed
    def twice(self) -> int:
        return 2 * self.a


class Entries(Struct):
    own: int
    rest: dict[str, int] = field(flatten=True)


class Shut(TypedDict, closed=True):
    a: int


class Wide(TypedDict):
    c: NotRequired[int]


def ways(value, t, **options):
    """What a value becomes by each way of reading."""
    made = json.decode(json.encode(value), type=t, **options)
    assert msgpack.decode(msgpack.encode(value), type=t, **options) == made
    assert convert(value, t, **options) == made
    assert convert(value, t, errors="all", **options) == made
    return made


@pytest.mark.parametrize(
    ("value", "t", "made"),
    [
        ({"velocity": 3}, Name | Speed, Speed(3)),
        ({"speed": 3}, Name | Speed, Speed(3)),
        ({"ex": 1, "also": 2}, Must | Other, Must(1, 2)),
        ({"X": 1, "too": 2, "y": 1}, Must | Other, Must(1, 2)),
        ({"ix": 1, "y": 2}, Must | Other, Other(2)),
        ({"k": "b", "y": 3}, KindA | KindB, KindB("b", 3)),
        ({"x": 1, "kind": "b"}, KindA | KindB, KindB("b")),
        ({"b": 1}, FlatA | FlatB, FlatB(PartB(1))),
        ({"a": 1}, FlatA | FlatB, FlatA(PartA(1))),
        ({"a": 1}, FlatA | dict[str, int], FlatA(PartA(1))),
        ({"c": 1}, FlatA | dict[str, int], {"c": 1}),
        ({"b": 1}, MaybeA | MaybeB, MaybeB(PartB(1))),
        ({"myB": 1}, CamelA | CamelB, CamelB(1)),
        ({"a": 1, "twice": 2}, Closed | Other, Closed(1)),
        ({"own": 1, "more": 2}, Entries | Other, Entries(1, {"more": 2})),
        ({"a": 1}, Shut | Wide, {"a": 1}),
        ({"a": 1, "b": 2}, Shut | Wide, {}),
    ],
)
def test_members_are_told_by_all_their_keys(value, t, made):
    assert ways(value, t) == made
    assert type(ways(value, t)) is type(made)


def test_what_is_written_is_read_as_the_same_member():
    for o in FlatA(PartA(1)), FlatB(PartB(1)), Closed(2):
        assert ways(json.decode(json.encode(o)), FlatA | FlatB | Closed) == o


def test_names_inside_are_keys_with_by_name():
    assert ways({"my_b": 1}, CamelA | CamelB, by_name=True) == CamelB(1)
    assert ways({"x": 1, "also": 2}, Must | Other, by_name=True) == Must(1, 2)
    with pytest.raises(ValidationError):
        json.decode(b'{"ex":1,"too":1}', type=Must | Other, by_name=True)


def test_fields_of_another_name_are_other_fields():
    class One(Struct):
        x: int = field(alias="y")

    class Two(Struct):
        x: int

    # What one takes by its alias the other does not.
    assert ways({"y": 1}, One | Two) == One(1)
    with pytest.raises(TypeError, match="each takes what the other takes"):
        json.Decoder(One | type("Three", (Struct,), {"__annotations__": {"x": int}, "x": field(alias="y")}))


def test_a_class_that_is_flattened_into_itself_is_refused():
    class Loop(Struct):
        inner: "Loop | None" = field(flatten=True, default=None)

    with pytest.raises(TypeError, match="flattened into itself"):
        json.Decoder(Loop | Other)


def test_what_is_refused_within_a_member_is_a_type_error():
    bad = list[ipaddress.IPv4Address | Annotated[str, Meta(pattern="^a")]]
    for t in bad, bad | Name | Other, dict[str, bad] | Name | list[int]:
        with pytest.raises(TypeError, match="stands on the wire as another"):
            json.Decoder(t)


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize("few", [Literal[1], Level])
def test_an_integer_that_is_not_one_of_the_few_is_another_number(few):
    for other in float, Decimal:
        made = [ways([1, 2], list[few | other]), json.decode(b"[1,2.5]", type=list[few | other])]
        assert made == [[1, 2], [1, other("2.5")]]
        assert [type(one) for one in made[0]] == [Level if few is Level else int, other]
    assert json.decode(b'"2"', type=few | float, strict=False) == 2.0
    assert json.decode(b'{"1":1,"2":2}', type=dict[few | float, int]) == {1: 1, 2.0: 2}
    with pytest.raises(ValidationError, match="Expected `float` >= 5.0"):
        json.decode(b"2", type=few | Annotated[float, Meta(ge=5)])
    with pytest.raises(ValidationError):
        json.decode(b"2", type=few)
