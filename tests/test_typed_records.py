"""Classes with fields out of JSON, MessagePack and objects: Structs, dataclasses, attrs, TypedDict, NamedTuple.

What may surprise: as in `test_typed_decode`, every line is tried from each source.
"""

import dataclasses
import typing
from typing import Any, Generic, NamedTuple, NotRequired, Optional, TypedDict, TypeVar, Union

import pytest
from reading import SOURCES, No, check, outcome, read, shown
from typed import Array, Box, Cat, Data, Data2, Dog, Keys, MoreKeys, Pair, Plain

from oxwire import UNSET, DecodeError, Struct, UnsetType, ValidationError, convert, field, json, msgpack

attrs = pytest.importorskip("attrs")

T = TypeVar("T")
each_source = pytest.mark.parametrize("source", SOURCES)


class Point(Struct):
    x: int
    y: float = 0.5
    tags: list[str] = []
    next: Optional["Point"] = None


class Closed(Struct, forbid_unknown_fields=True):
    a: int


class Renamed(Struct, rename="camel"):
    my_field: int
    other_one: str = "x"
    odd: int = field(default=1, name="o d é")


class Swapped(Struct, rename={"a": "b", "b": "a"}):
    a: int
    b: str


class Made(Struct):
    a: list = field(default_factory=lambda: [1])
    b: dict = {}
    c: int | UnsetType = UNSET
    d: tuple = ()


class Row(Struct, array_like=True):
    a: int
    b: str = "x"
    c: list["Row"] = []


class Left(Struct, tag="left"):
    a: int


class Right(Struct, tag="right", forbid_unknown_fields=True):
    b: str
    inner: Union[Left, "Right", None] = None


class One(Struct, tag=1, tag_field="k"):
    a: int


class Minus(Struct, tag=-2, tag_field="k"):
    b: str


class RowLeft(Struct, tag="left", array_like=True):
    a: int
    b: int = 2


class RowRight(Struct, tag="right", array_like=True, forbid_unknown_fields=True):
    b: str = "b"


class RowOne(Struct, tag=1, array_like=True):
    a: int = 0


class RowTwo(Struct, tag=2, array_like=True):
    a: int = 0


class Keyword(Struct, kw_only=True):
    a: int = 1
    b: int


class Frozen(Struct, frozen=True, gc=False):
    a: int


class Wide(Struct):
    a0: int = 0
    a1: int = 1
    a2: int = 2
    a3: int = 3
    a4: int = 4
    a5: int = 5
    a6: int = 6
    a7: int = 7
    a8: int = 8
    a9: int = 9


Wider = type(Struct)(
    "Wider", (Struct,), {"__annotations__": {f"f{i}": int for i in range(100)}, "__module__": __name__}
)


class Empty(Struct):
    pass


class Wrapper(Struct, Generic[T]):
    value: T
    more: list[T] = []


class Both(Struct):
    a: Wrapper[int]
    b: Wrapper[str]


@dataclasses.dataclass
class Plainly:
    a: int
    b: list[int] = dataclasses.field(default_factory=list)
    c: str = dataclasses.field(default="c", kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted(Generic[T]):
    a: T
    b: "Slotted[T] | None" = None


@attrs.define
class Attrs:
    a: int
    b: list[int] = attrs.field(factory=list)


@attrs.frozen
class Checked:
    a: int = attrs.field(validator=attrs.validators.ge(0))


class Total(TypedDict):
    a: int
    b: NotRequired[str]


class Tuple(NamedTuple):
    a: int
    b: str = "b"


def no(name):
    return No(f"Object missing required field `{name}`")


def wrong(word, got, path):
    return No(f"Expected `{word}`, got `{got}` - at `{path}`")


def short(words, got, path=""):
    return No(f"Expected `array` of {words}, got {got}{path}")


RECORDS = [
    (Point, b'{"x":1}', Point(1)),
    (Point, b'{"x":1,"y":2,"tags":["a"],"next":{"x":2}}', Point(1, 2.0, ["a"], Point(2))),
    (Point, b'{"next":null,"tags":[],"y":1.5,"x":7}', Point(7, 1.5)),
    (Point, b'{"x":1,"z":{"a":[1,"x",null]},"y":2.5,"":0}', Point(1, 2.5)),
    (Point, b'{"x":1,"x":2}', Point(2)),
    (Point, b'{"\\u0078":1}', Point(1)),
    (Point, b"{}", no("x")),
    (Point, b'{"y":1}', no("x")),
    (Point, b'{"x":"a"}', wrong("int", "str", "$.x")),
    (Point, b'{"x":1,"tags":["a",1]}', wrong("str", "int", "$.tags[1]")),
    (Point, b'{"x":1,"next":{"x":2,"next":{"x":null}}}', wrong("int", "null", "$.next.next.x")),
    (Point, b'{"x":1,"next":{}}', No("Object missing required field `x` - at `$.next`")),
    (Point, b"[]", No("Expected `object`, got `array`")),
    (list[Point], b'[{"x":1},{"x":2,"y":3}]', [Point(1), Point(2, 3.0)]),
    (list[Point], b'[{"x":1},{}]', No("Object missing required field `x` - at `$[1]`")),
    (dict[str, Point], b'{"a":{"x":[]}}', wrong("int", "array", "$[...].x")),
    (Point | None, b"null", None),
    (Point | int | list[int], b"[1]", [1]),
    (Closed, b'{"a":1}', Closed(1)),
    (Closed, b'{"a":1,"b":2}', No("Object contains unknown field `b`")),
    (list[Closed], b'[{"b":2,"a":"x"}]', No("Object contains unknown field `b` - at `$[0]`")),
    (Renamed, b'{"myField":1,"otherOne":"y","o d \xc3\xa9":3}', Renamed(1, "y", 3)),
    (Renamed, b'{"my_field":1}', no("myField")),
    (Renamed, b'{"myField":"x"}', wrong("int", "str", "$.myField")),
    (Swapped, b'{"a":"x","b":1}', Swapped(1, "x")),
    (Made, b"{}", Made()),
    (Made, b'{"c":1}', Made(c=1)),
    (Empty, b'{"a":1}', Empty()),
    (Keyword, b'{"b":2}', Keyword(b=2)),
    (Frozen, b'{"a":2}', Frozen(2)),
    (Wide, b'{"a9":90,"a0":1,"a5":50,"b":1,"a4":40,"a5":51}', Wide(a9=90, a0=1, a5=51, a4=40)),
    (Plain, b'{"x":18446744073709551615}', Plain(2**64 - 1)),
    # Rows
    (Row, b"[1]", Row(1)),
    (Row, b'[1,"y",[[2],[3,"z"]]]', Row(1, "y", [Row(2), Row(3, "z")])),
    (Row, b'[1,"y",[],{"a":1},[2]]', Row(1, "y")),
    (Row, b"[]", short("at least length 1", 0)),
    (Row, b'[1,"y",[[]]]', short("at least length 1", 0, " - at `$[2][0]`")),
    (Row, b"[1,2]", wrong("str", "int", "$[1]")),
    (Row, b"{}", No("Expected `array`, got `object`")),
    (Array, b"[1]", Array(1)),
    (Array, b"[1,2]", short("at most length 1", 2)),
    # Tags
    *((t, b'{"type":"left","a":1}', Left(1)) for t in (Left, Left | Right)),
    *((t, b'{"a":1,"b":[{"type":"right"}],"type":"left"}', Left(1)) for t in (Left, Left | Right)),
    *((t, b'{"type":"other"}', No("Invalid value 'other' - at `$.type`")) for t in (Left, Left | Right)),
    *((t, b'{"type":1}', wrong("str", "int", "$.type")) for t in (Left, Left | Right)),
    *((t, b'{"type":true}', wrong("str", "bool", "$.type")) for t in (Left, Left | Right)),
    *((t, b'{"a":1,"type":[[]]}', wrong("str", "array", "$.type")) for t in (Left, Left | Right)),
    (Left, b'{"a":1}', Left(1)),
    (Left | Right, b'{"a":1}', no("type")),
    (Left | Right, b"{}", no("type")),
    (list[Left | Right], b'[{"type":"x"}]', No("Invalid value 'x' - at `$[0].type`")),
    (list[Left | Right], b"[{}]", No("Object missing required field `type` - at `$[0]`")),
    (Left | Right, b'{"b":"x","inner":{"a":1,"type":"left"},"type":"right"}', Right("x", Left(1))),
    (
        Left | Right,
        b'{"type":"right","b":"x","inner":{"type":"left","a":"x"}}',
        wrong("int", "str", "$.inner.a"),
    ),
    (Left | Right, b'{"type":"right","b":"x","z":1}', No("Object contains unknown field `z`")),
    (Left | Right | None, b"null", None),
    (Left | Right | list[int] | str, b'"x"', "x"),
    (Left | Right, b"[]", No("Expected `object`, got `array`")),
    (One | Minus, b'{"k":1,"a":1}', One(1)),
    (One | Minus, b'{"b":"x","k":-2}', Minus("x")),
    (One | Minus, b'{"k":3}', No("Invalid value 3 - at `$.k`")),
    (One | Minus, b'{"k":1.0}', wrong("int", "float", "$.k")),
    (One | Minus, b'{"k":true,"a":1}', wrong("int", "bool", "$.k")),
    (One | Minus, b'{"k":18446744073709551615}', No("Invalid value 18446744073709551615 - at `$.k`")),
    (Cat | Dog, b'{"type":"Dog","y":"x"}', Dog("x")),
    *((t, b'["left",1]', RowLeft(1)) for t in (RowLeft, RowLeft | RowRight)),
    *((t, b'["left",1,3,4]', RowLeft(1, 3)) for t in (RowLeft, RowLeft | RowRight)),
    *((t, b'["left",1,"x"]', wrong("int", "str", "$[2]")) for t in (RowLeft, RowLeft | RowRight)),
    *((t, b'["left"]', short("at least length 2", 1)) for t in (RowLeft, RowLeft | RowRight)),
    *((t, b'["x",1]', No("Invalid value 'x' - at `$[0]`")) for t in (RowLeft, RowLeft | RowRight)),
    *((t, b"[{}]", wrong("str", "object", "$[0]")) for t in (RowLeft, RowLeft | RowRight)),
    (RowLeft | RowRight, b"[]", short("at least length 1", 0)),
    (RowLeft, b"[]", short("at least length 2", 0)),
    (RowLeft | RowRight, b'["right","x",1]', short("at most length 2", 3)),
    (list[RowLeft | RowRight], b'[["right"],["left",1]]', [RowRight(), RowLeft(1)]),
    (RowOne | RowTwo, b"[2,5]", RowTwo(5)),
    (RowOne | RowTwo, b"[true,5]", wrong("int", "bool", "$[0]")),
    # Generic classes
    (Wrapper[int], b'{"value":1,"more":[2]}', Wrapper(1, [2])),
    (Wrapper[int], b'{"value":1,"more":["x"]}', wrong("int", "str", "$.more[0]")),
    (Wrapper, b'{"value":[1]}', Wrapper([1])),
    (Wrapper[Wrapper[str]], b'{"value":{"value":1}}', wrong("str", "int", "$.value.value")),
    (Both, b'{"a":{"value":1},"b":{"value":"x"}}', Both(Wrapper(1), Wrapper("x"))),
    (Both, b'{"a":{"value":1},"b":{"value":1}}', wrong("str", "int", "$.b.value")),
    (Box[str], b'{"v":"a","kids":[{"v":1}]}', wrong("str", "int", "$.kids[0].v")),
    # Dataclasses
    (Plainly, b'{"a":1}', Plainly(1)),
    (Plainly, b'{"c":"x","z":[1],"b":[2],"a":1}', Plainly(1, [2], c="x")),
    (Plainly, b'{"b":["x"]}', wrong("int", "str", "$.b[0]")),
    (list[Plainly], b"[{}]", No("Object missing required field `a` - at `$[0]`")),
    (Plainly, b"[1]", No("Expected `object`, got `array`")),
    (Slotted[int], b'{"a":1,"b":{"a":2}}', Slotted(1, Slotted(2))),
    (Slotted[int], b'{"a":1,"b":{"a":"x"}}', wrong("int", "str", "$.b.a")),
    (Data2, b'{"x":1}', Data2(1)),
    # attrs
    (Attrs, b'{"a":1}', Attrs(1)),
    (Attrs, b'{"b":[],"a":"x"}', wrong("int", "str", "$.a")),
    (Attrs, b"{}", no("a")),
    (Checked, b'{"a":1}', Checked(1)),
    (list[Checked], b'[{"a":-1}]', No("'a' must be >= 0: -1 - at `$[0]`")),
    # TypedDict
    (Total, b'{"a":1}', {"a": 1}),
    (Total, b'{"b":"x","z":1,"a":1}', {"a": 1, "b": "x"}),
    (Total, b'{"b":"x"}', no("a")),
    (Total, b'{"a":1,"b":null}', wrong("str", "null", "$.b")),
    (Keys, b'{"a":1,"c":2}', {"a": 1, "c": 2}),
    (MoreKeys, b'{"a":1,"d":{"a":2,"d":null}}', {"a": 1, "d": {"a": 2, "d": None}}),
    (MoreKeys, b'{"a":1,"d":{"a":2}}', No("Object missing required field `d` - at `$.d`")),
    # NamedTuple
    (Tuple, b"[1]", Tuple(1)),
    (Tuple, b'[1,"x"]', Tuple(1, "x")),
    (Tuple, b"[]", short("length 1 to 2", 0)),
    (Tuple, b'[1,"x",3]', short("length 1 to 2", 3)),
    (Tuple, b"[1,2]", wrong("str", "int", "$[1]")),
    (Tuple, b"{}", No("Expected `array`, got `object`")),
    (Pair, b"[1,[2,[3]]]", Pair(1, Pair(2, Pair(3)))),
    (Tuple | Total | None, b'{"a":1}', {"a": 1}),
]


@each_source
@pytest.mark.parametrize(("t", "document", "wanted"), RECORDS)
def test_records(source, t, document, wanted):
    check(source, t, document, wanted)


@each_source
def test_a_hundred_fields_in_any_order(source):
    names = [f"f{i}" for i in range(100)]
    for order in (names, names[::-1], names[50:] + names[:50], names[::2] + names[1::2]):
        document = json.encode({name: int(name[1:]) for name in order})
        assert read(source, Wider, document) == Wider(*range(100))
        # One is missing wherever it stood.
        document = json.encode({name: int(name[1:]) for name in order if name != "f42"})
        check(source, Wider, document, no("f42"))


@each_source
def test_defaults_are_fresh(source):
    for t, document in ((Made, b"{}"), (Row, b"[1]"), (Plainly, b'{"a":1}'), (Attrs, b'{"a":1}')):
        name = "c" if t is Row else "b"
        one, other = read(source, list[t], b"[" + document + b"," + document + b"]")
        assert getattr(one, name) == getattr(other, name)
        assert getattr(one, name) is not getattr(other, name)


class Grumpy(Struct):
    a: int
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.seen.append(self.a)
        if self.a < 0:
            raise [KeyError, ValueError, TypeError, LookupError][self.a]("no")


@dataclasses.dataclass
class GrumpyData:
    a: int
    __post_init__ = Grumpy.__post_init__
    seen: list = dataclasses.field(default_factory=list)


@attrs.define
class GrumpyAttrs:
    a: int
    seen: list = attrs.field(factory=list)
    __attrs_post_init__ = Grumpy.__post_init__


@attrs.define
class Before:
    a: int

    def __attrs_pre_init__(self):
        assert not hasattr(self, "a")
        raise ValueError("before")


@each_source
@pytest.mark.parametrize("t", [Grumpy, GrumpyData, GrumpyAttrs])
def test_post_init(source, t):
    assert read(source, t, b'{"a":5}').seen == [5]
    for a, error in ((-3, ValueError), (-2, TypeError)):
        with pytest.raises(ValidationError) as caught:
            read(source, dict[str, list[t]], b'{"x":[{"a":1},{"a":%d}]}' % a)
        assert str(caught.value) == "no - at `$[...][1]`"
        assert type(caught.value.__cause__) is error
        assert (caught.value.msg, caught.value.path) == ("no", "$[...][1]")
    for a, error in ((-4, KeyError), (-1, LookupError)):
        with pytest.raises(error) as caught:
            read(source, t, b'{"a":%d}' % a)
        assert type(caught.value) is error


@each_source
def test_attrs_are_told_before(source):
    check(source, list[Before], b'[{"a":1}]', No("before - at `$[0]`"))


@each_source
def test_factories_that_fail(source):
    class Failing(Struct):
        a: list = field(default_factory=lambda: int("x"))

    class Raising(Struct):
        a: list = field(default_factory=lambda: {}["x"])

    check(source, list[Failing], b"[{}]", No("invalid literal for int() with base 10: 'x' - at `$[0]`"))
    with pytest.raises(KeyError):
        read(source, Raising, b"{}")


@each_source
def test_fields_that_init_does_not_take(source):
    # They are read if they are there.
    assert read(source, Data, b'{"x":1}').made == 1
    assert read(source, Data, b'{"x":1,"y":[{"x":2}],"w":"v"}') == Data(1, [Data(2)], w="v")


def test_what_nobody_gives_stays_unset():
    @dataclasses.dataclass
    class Late:
        x: int
        y: int = dataclasses.field(init=False)

    for format in (json, msgpack):
        assert vars(format.decode(format.encode({"x": 1}), type=Late)) == {"x": 1}
        assert vars(format.decode(format.encode({"x": 1, "y": 2}), type=Late)) == {"x": 1, "y": 2}
    assert vars(convert({"x": 1}, Late)) == {"x": 1}


def test_classes_within_a_function():
    class Inner(Struct):
        a: "Outer | None" = None

    class Outer(Struct):
        inner: Inner

    assert json.decode(b'{"inner":{"a":{"inner":{}}}}', type=Outer) == Outer(Inner(Outer(Inner())))


def test_names_that_are_not_known():
    class Unknown(Struct):
        a: "NoSuchName"  # noqa: F821 - that is the point

    for make in (json.Decoder, msgpack.Decoder, lambda t: convert({}, t)):
        with pytest.raises(NameError, match="NoSuchName"):
            make(Unknown)
    # It may be known later.
    globals()["NoSuchName"] = int
    try:
        assert json.decode(b'{"a":1}', type=Unknown) == Unknown(1)
    finally:
        del globals()["NoSuchName"]


def test_malformed_between_fields():
    for document in (
        b'{"a":1',
        b'{"a":1,}',
        b'{"a" 1}',
        b'{"a":1 "type":"left"}',
        b"{a:1}",
        b'{"a":1}]',
        b'{"a":1,"z":[}',
    ):
        for t in (Left, Left | Right, Made, dict[str, Any], Plainly, Total):
            with pytest.raises(DecodeError):
                json.decode(document, type=t)
    whole = msgpack.encode({"a": 1, "z": [1, {"x": b"abc"}], "type": "left"})
    for t in (Left, Left | Right, dict[str, Any], Total):
        for cut in range(len(whole)):
            with pytest.raises(DecodeError) as caught:
                msgpack.decode(whole[:cut], type=t)
            assert not isinstance(caught.value, ValidationError)


def test_keys_that_stand_twice():
    for t in (Left, Left | Right):
        check("json", t, b'{"type":"left","type":"right","a":1}', No("Invalid value 'right' - at `$.type`"))
        check("json", t, b'{"type":"left","a":0,"type":"left","a":1}', Left(1))
        check("json", t, b'{"type":"left","a":"x","a":1}', wrong("int", "str", "$.a"))
    for t, wanted in (
        (dict[str, int], {"a": 2}),
        (Total, {"a": 2}),
        (Plainly, Plainly(2)),
        (Attrs, Attrs(2)),
    ):
        check("json", t, b'{"a":1,"a":2}', wanted)
        path = "$[...]" if t == dict[str, int] else "$.a"
        check("json", t, b'{"a":1,"a":"x"}', wrong("int", "str", path))
    for t in (Left, Left | Right, dict[str, int], Total, Plainly, list[dict]):
        for document in (b'{"a":1,"a":2}', b'{"type":"left","a":1,"z":[],"a":1}', b'[{"a":1,"a":2}]'):
            if (document[:1] == b"[") == (t == list[dict]) and (b"[]" not in document or t != dict[str, int]):
                if t == Left | Right and b"type" not in document:
                    continue
                with pytest.raises(DecodeError, match="twice") as caught:
                    json.decode(document, type=t, duplicate_keys="error")
                assert not isinstance(caught.value, ValidationError)
        good = b'[{"a":1}]' if t == list[dict] else b'{"type":"left","a":1,"z":1}'
        if t != dict[str, int]:
            assert json.decode(good, type=t, duplicate_keys="error") == json.decode(good, type=t)
    data = b"\x82\xa1a\x01\xa1a\x02"
    for t in (Left, dict[str, int], Plainly):
        for options in ({"duplicate_keys": "error"}, {"strict": True}):
            with pytest.raises(DecodeError, match="twice"):
                msgpack.decode(data, type=t, **options)


def test_keys_of_other_kinds_in_a_map():
    data = msgpack.encode({1: 2, None: 3, b"a": 4, (1, 2): 5, "a": 6})
    assert msgpack.decode(data, type=Left) == Left(6)
    assert msgpack.decode(data, type=Total) == {"a": 6}
    assert convert({1: 2, None: 3, "a": 6}, Plainly) == Plainly(6)
    with pytest.raises(ValidationError, match="unknown field `1`"):
        msgpack.decode(data, type=Closed)


def test_fields_are_typed_wherever_they_stand():
    document = b'{"a":[{"b":{"c":[1,2,"x"]}}]}'
    C = typing.TypedDict("C", {"c": list[int]})
    B = typing.TypedDict("B", {"b": C})
    for source in SOURCES:
        check(source, dict[str, list[B]], document, wrong("int", "str", "$[...][0].b.c[2]"))
    assert shown(
        outcome(json.decode, document, type=dict[str, list[dict[str, dict[str, list[int | str]]]]])
    ) == shown({"a": [{"b": {"c": [1, 2, "x"]}}]})
