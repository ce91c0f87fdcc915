"""`convert` and `to_builtins`: objects into types, and types into what every serializer knows.

What may surprise: what `convert` shares with decoding is in `test_typed_decode` and `test_typed_records`; here is what
only objects have.
"""

import collections
import dataclasses
import datetime as dt
import enum
import types
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar
from uuid import UUID

import pytest
from reading import No, outcome, shown

import oxwire
from oxwire import UNSET, EncodeError, Raw, Struct, UnsetType, convert, field, json, msgpack, to_builtins

attrs = pytest.importorskip("attrs")
T = TypeVar("T")
U = UUID("12345678-1234-5678-1234-567812345678")
NOW = dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    A = "a"


class Int(int):
    pass


class Str(str):
    pass


class List(list):
    pass


class Dict(dict):
    pass


class Point(Struct):
    a: int
    b: str = "b"


class Sub(Point):
    c: int = 1


class Left(Struct, tag="left"):
    a: int


class Right(Struct, tag="right"):
    b: str


class RowLeft(Struct, tag="left", array_like=True, frozen=True):
    a: int


class Renamed(Struct, rename={"a": "b", "b": "a"}):
    a: int
    b: str = "x"


class Box(Struct, Generic[T]):
    value: T


class Boxes(Struct):
    one: Box[int]
    other: Box[str]


@dataclasses.dataclass
class Data:
    a: int
    b: str = "b"


@dataclasses.dataclass(slots=True)
class Slots:
    a: int
    b: str = "b"


@attrs.define
class Attrs:
    a: int
    b: str = "b"


class Names(NamedTuple):
    a: int
    b: str = "b"


class Keys(TypedDict):
    a: int
    b: NotRequired[str]


class Custom:
    def __init__(self, value=None):
        self.value = value


def attributes(**values):
    return types.SimpleNamespace(**values)


def no(word, got, path=""):
    return No(f"Expected `{word}`, got `{got}`{path}")


CONVERTED = [
    # What is of the type already
    (True, bool, True),
    (NOW, dt.datetime, NOW),
    (NOW, dt.date, no("date", "datetime")),
    (NOW.date(), dt.date, NOW.date()),
    (NOW.date(), dt.datetime, no("datetime", "date")),
    (NOW.time(), dt.time, NOW.time()),
    (dt.timedelta(1), dt.timedelta, dt.timedelta(1)),
    (U, UUID, U),
    (U.bytes, UUID, U),
    (Decimal("1.5"), Decimal, Decimal("1.5")),
    (Decimal("1.5"), float, 1.5),
    (1, float, 1.0),
    (1.5, Decimal, Decimal("1.5")),
    (0.1, Decimal, Decimal("0.1")),
    (b"hi", bytes, b"hi"),
    (b"hi", bytearray, bytearray(b"hi")),
    (bytearray(b"hi"), bytes, b"hi"),
    (memoryview(b"hi"), bytes, b"hi"),
    (b"hi", memoryview, memoryview(b"hi")),
    ("aGk=", bytes, b"hi"),
    (b"hi", str, no("str", "bytes")),
    (Color.RED, Color, Color.RED),
    ("red", Color, Color.RED),
    (Level.LOW, Level, Level.LOW),
    (Level.LOW, int, 1),
    (Word.A, str, "a"),
    (Word.A, Color, No("Invalid enum value 'a'")),
    (Str("red"), Color, Color.RED),
    (Int(1), Level, Level.LOW),
    (Level.LOW, Literal[1, 2], 1),
    (Str("x"), Literal["x"] | None, "x"),
    (Int(5), int, 5),
    (Str("x"), str, Str("x")),
    (Int(10**400), float, No("Number out of range")),
    (msgpack.Ext(1, b"x"), msgpack.Ext, msgpack.Ext(1, b"x")),
    (UNSET, int | UnsetType, no("int", "UnsetType")),
    # Containers
    ([1, 2], tuple[int, ...], (1, 2)),
    ((1, 2), list[int], [1, 2]),
    ({1}, list[int], [1]),
    (frozenset([1]), set[int], {1}),
    ({1}, tuple[int, int], no("array", "set")),
    ({1}, RowLeft, no("array", "set")),
    (List([1]), list[int], [1]),
    (Dict(a=1), dict[str, int], {"a": 1}),
    (collections.OrderedDict(a=1), dict, {"a": 1}),
    (types.MappingProxyType({"a": 1}), dict[str, int], {"a": 1}),
    (collections.UserDict(a="x"), dict[str, int], no("int", "str", " - at `$[...]`")),
    (collections.ChainMap({"a": 1}, {"b": "c"}), Point, Point(1, "c")),
    (collections.deque([1]), list[int], no("array", "deque")),
    (range(3), list[int], no("array", "range")),
    (iter([1]), list[int], no("array", "list_iterator")),
    ({}.values(), list, no("array", "dict_values")),
    ("ab", list[str], no("array", "str")),
    ({1: 2}, dict[int, int], {1: 2}),
    ({1: 2}, dict[str, int], no("str", "int", " - at `key` in `$`")),
    ({"1": 2}, dict[int, int], no("int", "str", " - at `key` in `$`")),
    ({None: 1, True: 2}, dict[bool | None, int], {None: 1, True: 2}),
    ({NOW: 1}, dict[dt.datetime, int], {NOW: 1}),
    ({(1, "a"): 1}, dict[tuple[int, str], int], {(1, "a"): 1}),
    ({(1, 2): 1}, dict[tuple[int, str], int], no("str", "int", " - at `key[1]` in `$`")),
    ({RowLeft(1): 1}, dict[RowLeft, int], {RowLeft(1): 1}),
    ({("left", 1): 1}, dict[RowLeft, int], {RowLeft(1): 1}),
    ({("left", "x"): 1}, list[dict[RowLeft, int]], no("array", "object")),
    ([{("left", "x"): 1}], list[dict[RowLeft, int]], no("int", "str", " - at `key[1]` in `$[0]`")),
    ({frozenset([1]): 1}, dict[frozenset[int], int], {frozenset([1]): 1}),
    # Instances
    (Point(1), dict, no("object", "Point")),
    (Sub(1), Point, no("object", "Sub")),
    (Data(1), Point, no("object", "Data")),
    (Left(1), Left | Right, Left(1)),
    (Point(1), Left | Right, no("object", "Point")),
    (RowLeft(1), RowLeft, RowLeft(1)),
    (Names(1), Names, Names(1)),
    (Names(1), list, [1, "b"]),
    ({"one": Box(1), "other": Box("x")}, Boxes, Boxes(Box(1), Box("x"))),
    ([Box("x")], list[Box[int]], [Box("x")]),
    (Raw(b"1"), Raw, Raw(b"1")),
    # There are no bytes for it, so it is one of the others of a union.
    (1, int | Raw, 1),
    ([1], list[int] | Raw, [1]),
    ({"a": 1}, Point | Raw, Point(1)),
    (Raw(b"1"), int | Raw, Raw(b"1")),
    ("a", int | Raw, no("raw | int", "str")),
    ([1], int | Raw, no("raw | int", "array")),
    # What the fields may hold is theirs
    ({"a": UNSET}, dict[str, Any], {"a": UNSET}),
    ({"a": UNSET}, TypedDict("Open", {"a": Any}), {"a": UNSET}),
]


@pytest.mark.parametrize(("value", "t", "wanted"), CONVERTED)
def test_convert(value, t, wanted):
    assert shown(outcome(convert, value, t)) == shown(wanted)


@pytest.mark.parametrize("t", [Point, Left, Data, Slots, Attrs, RowLeft, Custom])
def test_what_is_of_the_class_is_given_back(t):
    one = t(1)
    assert convert(one, t) is one
    assert convert([one], list[t])[0] is one
    assert convert({"k": one}, dict[str, t | None])["k"] is one


def test_containers_are_new():
    for value, t in (([1], list), ([1], list[int]), ({"a": 1}, dict), ({1}, set[int])):
        assert convert(value, t) == value
        assert convert(value, t) is not value
    value = [object()]
    assert convert(value, Any) is value
    assert convert(value, list)[0] is value[0]


FROM = [attributes(a=1), Point(1), Data(1), Slots(1), Attrs(1), Names(1)]


@pytest.mark.parametrize("t", [Point, Data, Slots, Attrs, Keys])
@pytest.mark.parametrize("one", FROM[:-1], ids=repr)
def test_attributes(one, t):
    made = convert(one, t, from_attributes=True)
    assert type(made) is (dict if t is Keys else t)
    got = made if t is Keys else {"a": made.a, "b": made.b}
    assert got == {"a": 1, "b": "b"} or (got == {"a": 1} and t is Keys)
    assert type(one) is t or isinstance(outcome(convert, one, t), No)


ATTRIBUTES = [
    (attributes(), Point, No("Object missing required field `a`")),
    (attributes(a="x"), Point, no("int", "str", " - at `$.a`")),
    ([attributes(a=1, b=None)], list[Point], no("str", "null", " - at `$[0].b`")),
    (attributes(value=attributes(a=1)), Box[Data], Box(Data(1))),
    (attributes(a=1, b="y"), Renamed, Renamed(1, "y")),
    (attributes(type="left", a=1), Left | Right, Left(1)),
    (attributes(type="other", a=1), Left | Right, No("Invalid value 'other' - at `$.type`")),
    (attributes(a=1), Left | Right, No("Object missing required field `type`")),
    (attributes(a=1), Left, Left(1)),
    (NOW, Point | dt.datetime, NOW),
    (U, Point | UUID, U),
    (U, Point | int, No("Object missing required field `a`")),
    (attributes(a=1), int, no("int", "SimpleNamespace")),
    (attributes(a=1), dict, no("object", "SimpleNamespace")),
    (attributes(a=1), list[Point], no("array", "SimpleNamespace")),
    (5, Point, no("object", "int")),
    ("x", Point, no("object", "str")),
]


@pytest.mark.parametrize(("value", "t", "wanted"), ATTRIBUTES)
def test_attributes_that_are_not_there(value, t, wanted):
    assert shown(outcome(convert, value, t, from_attributes=True)) == shown(wanted)


def test_properties_that_raise():
    class Failing:
        def __init__(self, error):
            self.error = error

        @property
        def a(self):
            raise self.error

    for error in (ValueError("x"), KeyError("x")):
        with pytest.raises(type(error)):
            convert(Failing(error), Point, from_attributes=True)
    assert outcome(convert, Failing(AttributeError()), Point, from_attributes=True) == No(
        "Object missing required field `a`"
    )


def test_keys_as_text():
    assert convert({"1": 2}, dict[int, int], str_keys=True) == {1: 2}
    assert convert({"1.5": 2}, dict[float, int], str_keys=True) == {1.5: 2}
    assert convert({"1": 2}, dict[Level, int], str_keys=True) == {Level.LOW: 2}
    assert convert({1: 2}, dict[int, int], str_keys=True) == {1: 2}
    assert convert({"1": "2"}, dict[int, int], strict=False) == {1: 2}


def test_options():
    assert convert(NOW, dt.datetime, builtin_types=(dt.datetime,)) == NOW
    with pytest.raises(TypeError, match="Cannot treat <class 'int'> as a builtin type"):
        convert(1, int, builtin_types=(int,))
    for args, options in (
        ((1,), {}),
        ((1, int, 2), {}),
        ((1, int), {"nothing": 1}),
        ((1, int), {"dec_hook": 5}),
    ):
        with pytest.raises(TypeError):
            convert(*args, **options)
    assert convert(1, type=int) == 1


def test_mappings_of_others():
    class Own(Mapping):
        def __init__(self, **values):
            self.values_of = values

        def __getitem__(self, key):
            return self.values_of[key]

        def __iter__(self):
            return iter(self.values_of)

        def __len__(self):
            return len(self.values_of)

    for t, wanted in ((Point, Point(1)), (Data, Data(1)), (Keys, {"a": 1}), (dict[str, int], {"a": 1})):
        assert convert(Own(a=1), t) == wanted
    assert convert(Own(type="left", a=1), Left | Right) == Left(1)
    assert convert(Own(a=1), dict) == {"a": 1}


# to_builtins


class Sparse(Struct, omit_defaults=True):
    a: int
    b: list = []
    c: dict = field(default_factory=dict)
    d: str = "d"
    e: int | UnsetType = UNSET


class Row(Struct, array_like=True, tag="row"):
    a: int
    b: Any = None


BUILT = [
    (None, None),
    (1.5, 1.5),
    (b"hi", "aGk="),
    (memoryview(b"hi"), "aGk="),
    (NOW, "2020-01-02T03:04:05+00:00"),
    (NOW.date(), "2020-01-02"),
    (dt.timedelta(1, 2), "P1DT2S"),
    (U, str(U)),
    (Decimal("1.50"), "1.50"),
    (Color.RED, "red"),
    (Level.LOW, 1),
    ((1, (2,)), (1, (2,))),
    ([Names(1)], [(1, "b")]),
    ({1}, [1]),
    ({"a": {"b": U}}, {"a": {"b": str(U)}}),
    ({1: 2, None: 3, (1, 2): 4}, {1: 2, None: 3, (1, 2): 4}),
    ({Color.RED: 1, NOW.date(): 2, U: 3}, {"red": 1, "2020-01-02": 2, str(U): 3}),
    (collections.OrderedDict(a=1), {"a": 1}),
    (Point(1), {"a": 1, "b": "b"}),
    (Renamed(1), {"b": 1, "a": "x"}),
    (Left(1), {"type": "left", "a": 1}),
    (Row(1, [Point(2)]), ["row", 1, [{"a": 2, "b": "b"}]]),
    (Sparse(1), {"a": 1}),
    (Sparse(1, [2], {"x": 1}, "e", 5), {"a": 1, "b": [2], "c": {"x": 1}, "d": "e", "e": 5}),
    (Data(1), {"a": 1, "b": "b"}),
    (Slots(1), {"a": 1, "b": "b"}),
    (Attrs(1), {"a": 1, "b": "b"}),
]


@pytest.mark.parametrize(("value", "wanted"), BUILT, ids=repr)
def test_to_builtins(value, wanted):
    assert shown(to_builtins(value)) == shown(wanted)


NOT_BUILT = [
    (object(), "Cannot encode an object of type `builtins.object` - at `$`"),
    ([1, {"a": object()}], "Cannot encode an object of type `builtins.object` - at `$[1].a`"),
    (Point(1, [UNSET]), "Cannot encode an object of type `oxwire.UnsetType` - at `$.b[0]`"),
    (Raw(b"1"), "Cannot encode an object of type `oxwire.Raw` - at `$`"),
    ({RowLeft(1): 1}, "A key cannot be of type `RowLeft` - at `$[RowLeft(a=1)]`"),
    ({"red": 1, Color.RED: 2}, "Two keys are both spelled 'red' - at `$`"),
]


@pytest.mark.parametrize(("value", "words"), NOT_BUILT, ids=repr)
def test_what_is_not_built(value, words):
    with pytest.raises(EncodeError) as caught:
        to_builtins(value)
    assert str(caught.value) == words
    assert words == f"{caught.value.msg} - at `{caught.value.path}`"


def test_options_of_to_builtins():
    assert to_builtins({1: 2, 1.5: 3, U: 4}, str_keys=True) == {"1": 2, "1.5": 3, str(U): 4}
    for key in (None, True, (1,)):
        with pytest.raises(EncodeError, match="A key cannot be of type"):
            to_builtins({key: 1}, str_keys=True)
    with pytest.raises(EncodeError, match="Two keys are both spelled '1'"):
        to_builtins({1: 1, "1": 2}, str_keys=True)
    assert to_builtins([NOW, U, b"x"], builtin_types=(dt.datetime, bytes)) == [NOW, str(U), b"x"]
    assert to_builtins([Custom(1)], enc_hook=lambda o: {"v": o.value}) == [{"v": 1}]
    assert to_builtins([Custom(NOW)], enc_hook=lambda o: o.value) == ["2020-01-02T03:04:05+00:00"]
    with pytest.raises(KeyError):
        to_builtins([Custom(1)], enc_hook=lambda o: {}["x"])
    with pytest.raises(EncodeError):
        to_builtins(Custom(1), enc_hook=lambda o: o)
    table = {"b": {3, 1, 2}, "a": Point(1)}
    assert to_builtins(table, order="deterministic") == {"a": {"a": 1, "b": "b"}, "b": [1, 2, 3]}
    assert list(to_builtins(table, order="deterministic")) == ["a", "b"]
    assert list(to_builtins(Renamed(1), order="sorted")) == ["a", "b"]
    assert list(to_builtins(Renamed(1))) == ["b", "a"]
    for options in ({"order": "x"}, {"builtin_types": (1,)}):
        with pytest.raises((ValueError, TypeError)):
            to_builtins(1, **options)


def test_what_hooks_do_to_containers_is_not_seen():
    items, table = [Custom(1), 2, 3], {"a": Custom(1), "b": 2}

    def clear(o):
        items.clear()
        table.clear()
        return [o.value, Custom(2)] if o.value == 1 else o.value

    assert to_builtins([items, table], enc_hook=clear) == [[[1, 2], 2, 3], {}]
    items, table = [], {"a": Custom(1), "b": 2}
    assert to_builtins([table, items], enc_hook=clear) == [{"a": [1, 2], "b": 2}, []]


@pytest.mark.parametrize("change", ["clear", "append", "pop", "reverse"])
def test_what_mappings_do_to_the_list_they_stand_in(change):
    class Changing(Mapping):
        def __getitem__(self, key):
            return {"a": 1}[key]

        def __iter__(self):
            getattr(items, change)(*[self] if change == "append" else [])
            return iter(["a"])

        def __len__(self):
            return 1

    items = [Changing(), Changing(), Changing()]
    made = convert(items, list[dict[str, int]])
    assert made == [{"a": 1}] * {"clear": 1, "append": 3, "pop": 2, "reverse": 3}[change]
    items = [[Changing(), 1], (Changing(), 2)]
    with pytest.raises(oxwire.ValidationError, match=r"at `\$\[1\]\[1\]`") as caught:
        convert((1, (Changing(), "x")), tuple[int, tuple[Point, int]])
    assert str(caught.value).startswith("Expected `int`, got `str`")


def test_runs_of_what_is_plainly_so_end_where_they_must():
    same = {1: "a", 2: "b", -3: "c"}
    assert convert(same, dict[int, str]) == same
    for wrong, path in [([1, 2, "x", 3], "[2]"), ([1, [2]], "[1]"), ((1, True), "[1]"), ([None], "[0]")]:
        with pytest.raises(oxwire.ValidationError) as caught:
            convert(wrong, list[int])
        assert caught.value.path == f"${path}"
    for t in (list[int | None], tuple[int | None, ...], set[int | None], frozenset[int | None]):
        items = [3, None, 5]
        made = convert(items, t)
        assert type(made) is t.__origin__
        assert set(made) == {3, None, 5}
    with pytest.raises(oxwire.ValidationError, match=r"Expected `str`, got `int` - at `\$\[...\]`"):
        convert({"a": "b", "c": 3}, dict[str, str])
    with pytest.raises(oxwire.ValidationError, match=r"Expected `str`, got `int` - at `key` in `\$`"):
        convert({"a": "b", 3: "c"}, dict[str, str])
    moments = [NOW, NOW.date(), NOW.time(), dt.timedelta(1)]
    for i, t in enumerate((dt.datetime, dt.date, dt.time, dt.timedelta)):
        assert convert([moments[i]] * 3, list[t]) == [moments[i]] * 3
        for j, other in enumerate(moments):
            if j != i:
                with pytest.raises(oxwire.ValidationError, match=r"at `\$\[1\]`"):
                    convert([moments[i], other], list[t])


def test_members_and_identifiers_pass_as_they_are():
    class Key(UUID):
        pass

    class Bits(enum.Flag):
        A = 1
        B = 2

    class Numbers(enum.IntFlag):
        A = 1
        B = 2

    for t, values in [
        (UUID, [U, Key(int=5)]),
        (Decimal, [Decimal(1), Decimal("NaN")]),
        (Color, [Color.RED]),
        (Level, [Level.LOW]),
        (Word, [Word.A]),
        (Bits, [Bits.A | Bits.B, Bits.A]),
        (Numbers, [Numbers.A | Numbers.B, Numbers.A, Numbers(0)]),
        (Literal[1, "a"] | None, [1, "a", None]),
    ]:
        made = convert(values, list[t])
        assert all(a is b for a, b in zip(made, values, strict=True)), t
    for t, wrong in [(Color, Level.LOW), (Level, Color.RED), (UUID, Decimal(1)), (Word, Color.RED)]:
        with pytest.raises(oxwire.ValidationError):
            convert([wrong], list[t])


def test_what_nests_deep():
    deep = wide = []
    for _ in range(900):
        deep = [deep]
    made = to_builtins(deep)
    for _ in range(900):
        (made,) = made
    assert made == []
    for _ in range(100_000):
        deep = [deep]
    wide.append(wide)
    for value in deep, wide, {"a": {"b": deep}}, [Point(deep)]:
        with pytest.raises(EncodeError, match="Containers nest too deep, or contain themselves - at `\\$`"):
            to_builtins(value)
    wide.clear()

    class Key(Struct, frozen=True):
        inner: Any

        def __hash__(self):
            return 1

    key = 1
    for _ in range(10_000):
        key = Key({key: 1})
    with pytest.raises(EncodeError):
        to_builtins({key: 1})


def test_it_is_what_is_written():
    for value, _ in BUILT:
        try:
            written = json.encode(value)
        except oxwire.EncodeError:
            continue
        assert json.decode(json.encode(to_builtins(value))) == json.decode(written)
