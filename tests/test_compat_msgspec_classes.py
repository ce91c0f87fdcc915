"""Classes, hooks and `convert` beside what programs that use msgspec rely on: bases, metaclasses, options and attributes."""

import abc
import datetime as dt
import enum
from dataclasses import dataclass, make_dataclass
from typing import Any

import pytest

import oxwire.compat.msgspec as msgspec
from oxwire.compat.msgspec import UNSET, DecodeError, Struct, StructMeta, UnsetType, ValidationError, convert


class Row:
    """Has items by name, and is no mapping."""

    def __init__(self, **items: Any) -> None:
        self.items = items

    def __getitem__(self, name: str) -> Any:
        return self.items[name]


class Attributes:
    def __init__(self, **items: Any) -> None:
        vars(self).update(items)


@pytest.mark.parametrize("array_like", [False, True])
def test_objects_become_structs(array_like):
    class Point(Struct, array_like=array_like, tag=True):
        x: int
        y: int = 2

    class Other(Struct, array_like=array_like, tag=True):
        z: int

    assert convert(Attributes(x=1), Point, from_attributes=True) == Point(1)
    assert convert(Attributes(type="Other", z=1), Point | Other, from_attributes=True) == Other(1)
    with pytest.raises(ValidationError):
        convert(Attributes(type="Other", x=1), Point, from_attributes=True)
    with pytest.raises(ValidationError, match="required field `x`"):
        convert(Attributes(), Point, from_attributes=True)
    if not array_like:
        assert convert(Row(x=3, y=4), Point) == Point(3, 4)
    with pytest.raises(ValidationError, match=r"Expected `(object|array)`, got `Attributes`"):
        convert(Attributes(x=1), Point)


def test_builtin_types_stay_what_they_are():
    now = dt.datetime(2020, 1, 2, tzinfo=dt.UTC)
    assert convert(now, dt.datetime, builtin_types=[dt.datetime]) is now
    with pytest.raises(ValidationError, match="Expected `datetime`, got `str`"):
        convert("2020-01-02T00:00:00Z", dt.datetime, builtin_types=[dt.datetime])
    assert convert("2020-01-02T00:00:00Z", dt.datetime, builtin_types=[dt.date]) == now
    with pytest.raises(TypeError, match="iterable of types"):
        convert(1, int, builtin_types=1)


def test_numbers_of_text_come_before_moments():
    kinds = int | float | bool | dt.datetime | None
    for text, value in {"1": 1, "1.5": 1.5, "true": True, "null": None}.items():
        made = convert(text, kinds, strict=False)
        assert (made, type(made)) == (value, type(value))
    assert str(convert("-nan", float, strict=False)) == "nan"


class Number(int):
    pass


class Text(str):
    __slots__ = ()


def test_subclasses_of_int_and_str():
    class Level(enum.IntEnum):
        LOW = 1

    class Word(enum.Enum):
        A = "a"

    assert type(convert(Number(5), int)) is int
    with pytest.raises(ValidationError, match="Invalid enum value 3"):
        convert(Number(3), Level)
    with pytest.raises(ValidationError, match="Invalid enum value 'c'"):
        convert(Text("c"), Word)


def test_the_first_base_that_says_something_counts():
    class Plain(Struct):
        pass

    class Frozen(Struct, frozen=True):
        pass

    class Thawed(Struct, frozen=False):
        pass

    def frozen(*bases):
        return type(Struct)("Made", bases, {}).__struct_config__.frozen

    assert frozen(Plain, Frozen) is frozen(Frozen, Plain) is frozen(Frozen, Thawed) is True
    assert frozen(Thawed, Frozen) is frozen(Plain, Thawed, Frozen) is frozen(Plain) is False


def test_a_field_that_is_declared_again_keeps_its_name_outside():
    class Base(Struct):
        x: int = msgspec.field(name="_x")

    class Again(Base):
        x: int = 1

    class Renamed(Base):
        x: int = msgspec.field(name="x", default=2)

    assert msgspec.json.encode([Again(), Renamed()]) == b'[{"_x":1},{"x":2}]'
    assert Renamed.__struct_fields__ is Renamed.__struct_encode_fields__


def test_unlike_follows_the_own_equality_of_a_class():
    class Rough(Struct):
        a: int
        b: int

        def __eq__(self, other):
            return self.a == other.a if isinstance(other, Rough) else NotImplemented

    assert not Rough(1, 2) != Rough(1, 3)
    assert Rough(1, 2) != Rough(2, 2)
    assert Rough(1, 2) != 1

    class Anything(Struct):
        def __eq__(self, other):
            return True

    assert not Anything() != 1
    assert not Anything() != Rough(1, 2)


def test_a_class_of_the_metaclass_alone():
    class Meta(StructMeta):
        pass

    class Base(metaclass=Meta):
        x: int

    assert msgspec.json.decode(msgspec.json.encode(Base(1)), type=Base) == Base(1)
    assert type(Base) is Meta
    assert issubclass(Base, Struct)


def test_abstract_classes():
    class Meta(StructMeta, abc.ABCMeta):
        pass

    class Base(Struct, metaclass=Meta):
        x: int

        @abc.abstractmethod
        def area(self): ...

        @abc.abstractmethod
        def name(self): ...

    class Half(Base):
        def name(self):
            return "half"

    class Whole(Half):
        y: int = 2

        def area(self):
            return self.x * self.y

    with pytest.raises(TypeError, match="abstract class Base .* methods 'area', 'name'"):
        Base(1)
    with pytest.raises(TypeError, match="abstract class Half .* method 'area'"):
        Half(x=1)
    assert Whole(3).area() == 6
    assert Whole(3, 4).area() == 12
    assert isinstance(Whole(1), Base)

    class Plain(Struct):
        pass

    Base.register(Plain)
    assert isinstance(Plain(), Base)


@pytest.mark.parametrize("kind", [tuple, frozenset, list, set, dict])
def test_empty_containers_are_defaults(kind):
    class Some(Struct, omit_defaults=True):
        a: kind = msgspec.field(default_factory=kind)
        b: kind = kind()

    assert msgspec.json.encode(Some()) == b"{}"
    assert msgspec.json.encode(Some(a=kind())) == b"{}"


@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack], ids=["json", "msgpack"])
def test_unset_fields_of_dataclasses_are_left_out(codec):
    @dataclass
    class Some:
        x: int | UnsetType = UNSET
        y: Any = UNSET

    assert codec.decode(codec.encode([Some(), Some(1), Some(y=[2])])) == [{}, {"x": 1}, {"y": [2]}]

    class Odd:
        pass

    value = [Some(Odd(), UNSET), 1]
    assert codec.decode(codec.encode(value, enc_hook=lambda _: "odd")) == [{"x": "odd"}, 1]


def test_exceptions_of_hooks():
    class Own(DecodeError):
        pass

    class Other:
        pass

    def refuse(error):
        def hook(kind, value):
            raise error

        return hook

    with pytest.raises(Own) as caught:
        msgspec.json.decode(b"[1]", type=list[Other], dec_hook=refuse(Own("mine")))
    assert str(caught.value) == "mine"
    with pytest.raises(ValidationError) as caught:
        msgspec.json.decode(b"[1]", type=list[Other], dec_hook=refuse(ValueError("mine")))
    assert str(caught.value) == "mine - at `$[0]`"
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.__context__ is caught.value.__cause__
    with pytest.raises(ValidationError, match=r"Expected `Other`, got `list` - at `\$\[0\]`"):
        msgspec.json.decode(b"[1]", type=list[Other], dec_hook=lambda kind, value: [value])


@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack], ids=["json", "msgpack"])
@pytest.mark.parametrize("slots", [False, True])
def test_unset_fields_deep_and_many(codec, slots):
    @dataclass(slots=slots)
    class Deep:
        x: Any = UNSET
        y: Any = UNSET

    value, wanted = Deep(1), {"x": 1}
    for _ in range(50):
        value, wanted = Deep(UNSET, [value]), {"y": [wanted]}
    assert codec.decode(codec.encode(value)) == wanted
    # The length of a map takes more bytes from 16 entries on.
    wide = make_dataclass("Wide", [(f"f{i}", Any, i or UNSET) for i in range(16)], slots=slots)()
    assert codec.encode(wide) == codec.encode({f"f{i}": i for i in range(1, 16)})


def test_a_tag_that_is_none_is_told():
    class One(Struct, tag=True, array_like=True):
        x: int

    class Two(Struct, tag=True, array_like=True):
        x: int

    with pytest.raises(ValidationError, match="Invalid value 'Three'"):
        convert(Attributes(type="Three", x=1), One | Two, from_attributes=True)
    with pytest.raises(ValidationError, match="required field `type`"):
        convert(Attributes(x=1), One | Two, from_attributes=True)
