"""Types beyond the plain ones: those of the standard library, constraints, and more forms of annotations."""

import array
import collections
import enum
import fractions
import ipaddress
import pathlib
import re
import sys
import typing
import uuid
import zoneinfo
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, Self, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import run_python

from oxwire import (
    EncodeError,
    Meta,
    Struct,
    ValidationError,
    convert,
    inspect,
    json,
    msgpack,
    to_builtins,
)
from oxwire.compat import msgspec

typing_extensions = pytest.importorskip("typing_extensions", reason="needs typing_extensions")

TEXTS = [
    (pathlib.Path("a/b"), "a/b", pathlib.Path),
    (pathlib.PurePath("a"), "a", pathlib.PurePath),
    (pathlib.PurePosixPath('/a"b'), '/a"b', pathlib.PurePosixPath),
    (pathlib.PureWindowsPath("c:\\x"), "c:\\x", pathlib.PureWindowsPath),
    (ipaddress.IPv4Address("10.0.0.1"), "10.0.0.1", ipaddress.IPv4Address),
    (ipaddress.IPv6Address("::1"), "::1", ipaddress.IPv6Address),
    (ipaddress.IPv4Network("10.0.0.0/8"), "10.0.0.0/8", ipaddress.IPv4Network),
    (ipaddress.IPv6Network("::/8"), "::/8", ipaddress.IPv6Network),
    (ipaddress.IPv4Interface("10.0.0.1/8"), "10.0.0.1/8", ipaddress.IPv4Interface),
    (ipaddress.IPv6Interface("::1/8"), "::1/8", ipaddress.IPv6Interface),
    (fractions.Fraction(-1, 3), "-1/3", fractions.Fraction),
    (complex(1, -2), "1-2j", complex),
    (complex("nan"), "nan+0j", complex),
    (re.compile("a+"), "a+", re.Pattern),
    (re.compile("a+", re.I | re.M), "(?im)a+", re.Pattern[str]),
    (zoneinfo.ZoneInfo("UTC"), "UTC", zoneinfo.ZoneInfo),
]


@pytest.mark.parametrize(("value", "text", "t"), TEXTS, ids=repr)
def test_what_is_a_text(value, text, t):
    assert json.encode([value]) == json.encode([text])
    assert msgpack.encode({"a": value}) == msgpack.encode({"a": text})
    assert to_builtins([value]) == [text]
    for made in (
        json.decode(json.encode(value), type=t),
        msgpack.decode(msgpack.encode(value), type=t),
        convert(text, t),
        convert([text], list[t | None])[0],
        json.decode(json.encode({"a": value}), type=dict[str, t])["a"],
    ):
        assert type(made) is type(value)
        assert repr(made) == repr(value) or made.flags == value.flags
    # What is one already stays it.
    assert convert([value], list[t])[0] is value
    assert json.schema(t).get("type", "string") == "string"
    assert inspect.type_info(t).cls is type(value) or isinstance(value, inspect.type_info(t).cls)


@pytest.mark.parametrize(
    ("text", "t", "words"),
    [
        ('"x"', ipaddress.IPv4Address, "Expected 4 octets in 'x'"),
        ("5", ipaddress.IPv4Address, "Expected `str`, got `int`"),
        ("5", pathlib.Path, "Expected `str`, got `int`"),
        ('"10.0.0.1/8"', ipaddress.IPv4Network, "10.0.0.1/8 has host bits set"),
        ('"1/0"', fractions.Fraction, "Invalid fraction"),
        ('" 1"', fractions.Fraction, "Invalid fraction"),
        ('"1e9999999"', fractions.Fraction, "Invalid fraction"),
        ('"1" ', complex, None),
        ('"1 + 2j"', complex, "Invalid complex number"),
        ('"x"', complex, "malformed"),
        ('"("', re.Pattern, "Invalid pattern"),
        ('"No/Where"', zoneinfo.ZoneInfo, "Invalid time zone"),
        ('"../x"', zoneinfo.ZoneInfo, "Invalid time zone"),
        ("[]", fractions.Fraction, "Expected `int | float | str`, got `array`"),
    ],
)
def test_what_is_no_such_text(text, t, words):
    if words is None:
        assert json.decode(text, type=t) == 1
        return
    for read in (
        lambda t: json.decode(f"[{text}]", type=list[t]),
        lambda t: convert([json.decode(text)], list[t]),
    ):
        with pytest.raises(ValidationError) as caught:
            read(t)
        assert words in str(caught.value)
        assert caught.value.path == "$[0]"


def test_numbers_are_fractions_and_complex():
    assert json.decode("[1, 2.5]", type=list[fractions.Fraction]) == [1, fractions.Fraction(5, 2)]
    assert json.decode("0.1", type=fractions.Fraction) == fractions.Fraction(1, 10)
    assert json.decode("[1, 2.5]", type=list[complex]) == [1, 2.5]


def test_a_path_of_another_system_is_no_crash():
    t = pathlib.PosixPath if sys.platform == "win32" else pathlib.WindowsPath
    with pytest.raises(ValidationError):
        json.decode('"a"', type=t)


def test_what_cannot_be_written():
    class Zone(zoneinfo.ZoneInfo):
        key = None

    for value in (re.compile(b"a"), Zone("UTC"), re.compile("a", re.A | re.DEBUG)):
        if value.__class__ is re.Pattern and isinstance(value.pattern, str):
            assert json.encode(value) == b'"(?a)a"'
            continue
        with pytest.raises(EncodeError):
            json.encode(value)
        with pytest.raises(EncodeError):
            to_builtins(value)
        assert json.encode(value, enc_hook=lambda o: 5) == b"5"


def test_inline_flags_stay_where_they_are():
    for pattern in (re.compile("(?i)a", re.M), re.compile("(?x) a # b", re.S)):
        again = json.decode(json.encode(pattern), type=re.Pattern)
        assert again.flags == pattern.flags
        assert again.match("A" if pattern.flags & re.I else "a")


@given(st.complex_numbers(allow_nan=False))
def test_complex_numbers_come_back(value):
    for codec in (json, msgpack):
        again = codec.decode(codec.encode(value), type=complex)
        assert repr(again) == repr(value)


@given(st.fractions(), st.ip_addresses(), st.dictionaries(st.text(), st.integers(-(2**63), 2**63)))
def test_values_come_back(fraction, address, counts):
    for codec in (json, msgpack):
        for value, t in (
            (fraction, fractions.Fraction),
            (address, type(address)),
            (collections.Counter(counts), collections.Counter[str]),
            (collections.OrderedDict(counts), collections.OrderedDict[str, int]),
            (collections.deque(counts.values()), collections.deque[int]),
        ):
            again = codec.decode(codec.encode(value), type=t)
            assert again == value
            assert type(again) is type(value)


# Containers


def test_containers():
    deque = json.decode("[1,2]", type=collections.deque[int])
    assert deque == collections.deque([1, 2])
    assert deque.maxlen is None
    bounded = Annotated[collections.deque[int], Meta(max_length=2)]
    assert json.decode("[1,2]", type=bounded).maxlen == 2
    with pytest.raises(ValidationError, match="of length <= 2"):
        json.decode("[1,2,3]", type=bounded)
    # It is read again, since what stands in it may be of another type.
    given = collections.deque(["1"])
    assert convert(given, collections.deque[str]) == given
    assert convert(given, collections.deque[str]) is not given
    with pytest.raises(ValidationError, match=r"got `str` - at `\$\[0\]`"):
        convert(given, collections.deque[int])
    with pytest.raises(ValidationError, match="Expected `array`, got `deque`"):
        convert(given, list[str])
    counter = json.decode('{"a":2}', type=collections.Counter[str])
    assert type(counter) is collections.Counter
    assert counter["b"] == 0
    with pytest.raises(ValidationError, match="Expected `int`, got `str`"):
        json.decode('{"a":"x"}', type=collections.Counter)


class Point(Struct):
    x: int = 0


@pytest.mark.parametrize(
    ("t", "made"),
    [
        (int, 0),
        (str, ""),
        (list[int], []),
        (set[int], set()),
        (tuple[int, ...], ()),
        (dict[str, int], {}),
        (collections.deque[int], collections.deque()),
        (collections.Counter[str], collections.Counter()),
        (Point, Point()),
        (collections.defaultdict[str, list[int]], {}),
        (Annotated[int, Meta(ge=0)], 0),
    ],
)
def test_defaultdicts_know_what_is_missing(t, made):
    found = json.decode("{}", type=collections.defaultdict[str, t])
    assert found["new"] == made
    assert type(found["new"]) is type(made) or isinstance(found["new"]["x"], list)


@pytest.mark.parametrize("t", [Any, int | None, Literal[1], datetime, enum.Enum("E", {"A": 1})])
def test_defaultdicts_that_know_nothing(t):
    found = json.decode("{}", type=collections.defaultdict[str, t])
    assert found.default_factory is None


# Constraints


class SubDecimal(Decimal):
    pass


@pytest.mark.parametrize(
    ("t", "good", "bad", "words", "schema"),
    [
        (
            Annotated[Decimal, Meta(ge=Decimal("0.10"))],
            ["0.1", "1e999999"],
            ["0.099", "NaN", "sNaN"],
            "Expected `decimal` >= 0.10",
            {"formatMinimum": "0.10"},
        ),
        (Annotated[Decimal, Meta(lt=0.1)], ["0.09"], ["0.1"], "Expected `decimal` < 0.1", {}),
        (
            Annotated[Decimal, Meta(multiple_of=Decimal("0.01"))],
            ["0.10", "1e30", "0", "-7", "1e-2"],
            ["0.001", "Infinity", "1e-999999"],
            "that's a multiple of 0.01",
            {"formatMultipleOf": "0.01"},
        ),
        (
            Annotated[date, Meta(gt=date(2020, 1, 1))],
            ["2020-01-02"],
            ["2020-01-01"],
            "Expected `date` > 2020-01-01",
            {"formatExclusiveMinimum": "2020-01-01"},
        ),
        (
            Annotated[datetime, Meta(le=datetime(2020, 1, 1, tzinfo=UTC))],
            ["2020-01-01T01:00:00+01:00"],
            ["2020-01-01T00:00:00.000001Z"],
            "Expected `datetime` <= 2020-01-01T00:00:00+00:00",
            {"formatMaximum": "2020-01-01T00:00:00+00:00"},
        ),
        (Annotated[time, Meta(lt=time(12))], ["11:59:59"], ["12:00:00"], "Expected `time` < 12:00:00", {}),
        (
            Annotated[timedelta, Meta(ge=timedelta(0), multiple_of=timedelta(minutes=5))],
            ["PT10M", "PT0S"],
            ["PT11M", "-PT5M"],
            "Expected `duration`",
            {"formatMinimum": "P0D"},
        ),
        (
            Annotated[uuid.UUID, Meta(version=4)],
            ["2fc2ee5b-5d7e-4a5b-8a41-6d0d3a7b3a11"],
            ["00000000-0000-0000-0000-000000000000"],
            "Expected `uuid` of version 4",
            {"format": "uuid4"},
        ),
        (Annotated[fractions.Fraction, Meta(gt=0)], ["1/2"], ["-1/2", "0"], "Expected `Fraction` > 0", {}),
        (Annotated[bytes, Meta(max_length=2)], ["AAA="], ["AAAA"], "of length <= 2", {"maxLength": 4}),
    ],
)
def test_constraints(t, good, bad, words, schema):
    for text in good:
        made = json.decode(json.encode(text), type=t)
        assert convert(made, t) == made
        assert msgpack.decode(msgpack.encode(text if type(made) is not bytes else made), type=t) == made
    for text in bad:
        with pytest.raises(ValidationError) as caught:
            json.decode(json.encode([text]), type=list[t])
        assert words in str(caught.value)
        assert caught.value.path == "$[0]"
    assert schema.items() <= json.schema(t).items()
    described = inspect.type_info(t)
    assert (
        described.type is not None if isinstance(described, inspect.BoundType) else described.max_length == 2
    )


def test_moments_that_cannot_be_compared_are_refused():
    bound = Annotated[datetime, Meta(ge=datetime(2020, 1, 1, tzinfo=UTC))]
    with pytest.raises(ValidationError, match="offset-naive"):
        json.decode('"2020-01-01T00:00:00"', type=bound)


def test_lengths_of_sized_types():
    for t, good, bad in (
        (Annotated[collections.deque[int], Meta(min_length=1)], "[1]", "[]"),
        (Annotated[collections.Counter[str], Meta(max_length=1)], '{"a":1}', '{"a":1,"b":1}'),
        (Annotated[collections.OrderedDict[str, int], Meta(min_length=1)], '{"a":1}', "{}"),
        (Annotated[set[int], Meta(max_length=1)], "[1,1]", "[1,2]"),
        (Annotated[frozenset[int], Meta(min_length=2)], "[1,2]", "[1,1]"),
    ):
        json.decode(good, type=t)
        with pytest.raises(ValidationError, match="of length"):
            json.decode(bad, type=t)
    bound = Annotated[collections.deque[int], Meta(min_length=1, max_length=3)]
    assert json.schema(bound) == {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}


@pytest.mark.parametrize(
    "t",
    [
        Annotated[date, Meta(ge=1)],
        Annotated[date, Meta(ge=datetime(2020, 1, 1))],
        Annotated[datetime, Meta(ge=date(2020, 1, 1))],
        Annotated[date, Meta(multiple_of=2)],
        Annotated[Decimal, Meta(ge=date(2020, 1, 1))],
        Annotated[int, Meta(ge=date(2020, 1, 1))],
        Annotated[str, Meta(version=4)],
        Annotated[pathlib.Path, Meta(min_length=4)],
        Annotated[list[int], Meta(shape=(1,))],
        Annotated[list[int], Meta(typecode="d")],
    ],
)
def test_constraints_that_do_not_fit(t):
    with pytest.raises(TypeError, match="Can only set"):
        json.Decoder(t)


def test_meta_refuses():
    for wrong in (
        {"version": 0},
        {"version": "4"},
        {"shape": [1]},
        {"shape": (-1,)},
        {"typecode": "u"},
        {"ge": Decimal("nan")},
        {"multiple_of": timedelta(0)},
        {"multiple_of": date(2020, 1, 1)},
    ):
        with pytest.raises((TypeError, ValueError)):
            Meta(**wrong)
    assert repr(Meta(version=4)) == "oxwire.Meta(version=4)"


def test_decimal_bounds_of_plain_numbers():
    t = Annotated[int, Meta(ge=Decimal("1.5"))]
    assert json.decode("2", type=t) == 2
    with pytest.raises(ValidationError, match="Expected `int` >= 2"):
        json.decode("1", type=t)


# Forms of annotations


class Suit(enum.Enum):
    HEARTS = "h"
    SPADES = "s"
    THREE = 3


class Flag(enum.StrEnum):
    ON = "on"


def test_members_in_literals():
    t = Literal[Suit.HEARTS, Suit.THREE, Flag.ON, "x", None]
    assert json.decode('["h",3,"on","x",null]', type=list[t]) == [Suit.HEARTS, Suit.THREE, Flag.ON, "x", None]
    assert convert([Suit.HEARTS, "on"], list[t]) == [Suit.HEARTS, Flag.ON]
    for wrong in ('"s"', "4", '"y"'):
        with pytest.raises(ValidationError, match="Invalid enum value"):
            json.decode(wrong, type=t)
    with pytest.raises(ValidationError):
        convert(Suit.SPADES, t)
    assert json.schema(Literal[Suit.HEARTS, 1, "b"]) == {"enum": [1, "b", "h"]}
    assert inspect.type_info(Literal[Suit.HEARTS, 1]).values == (1, Suit.HEARTS)
    with pytest.raises(TypeError, match="Literal may only contain"):
        json.Decoder(Literal[enum.Enum("E", {"A": 1.5}).A])


class Tree(Struct):
    value: int
    children: list[Self] = []
    parent: "Self | None" = None


class Wider(Tree):
    more: int = 0


def test_self():
    assert json.decode('{"value":1,"children":[{"value":2}]}', type=Tree) == Tree(1, [Tree(2)])
    made = json.decode(
        '{"value":1,"children":[{"value":2,"more":3}],"parent":{"value":4,"more":5}}', type=Wider
    )
    assert made == Wider(1, [Wider(2, more=3)], Wider(4, more=5))
    assert json.schema(Tree)["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}


class Movie(TypedDict, total=False):
    name: typing_extensions.ReadOnly[typing_extensions.Required[str]]
    year: typing_extensions.Required[typing_extensions.ReadOnly[Annotated[int, Meta(ge=0)]]]
    seen: typing_extensions.ReadOnly[bool]


def test_read_only():
    assert json.decode('{"name":"a","year":1}', type=Movie) == {"name": "a", "year": 1}
    for wrong in ('{"name":"a"}', '{"year":1}', '{"name":"a","year":-1}', '{"name":"a","year":1,"seen":2}'):
        with pytest.raises(ValidationError):
            json.decode(wrong, type=Movie)


T = typing_extensions.TypeVar("T", default=int)
U = typing_extensions.TypeVar("U", default=list[T])
Ts = typing_extensions.TypeVarTuple("Ts")


class Pair(Struct, Generic[T, U]):
    a: T
    b: U


class Many(Struct, Generic[T, typing.Unpack[Ts]]):
    first: T
    all: tuple[T, typing.Unpack[Ts]]
    rest: tuple[typing.Unpack[Ts]] = ()


def test_type_variables_with_defaults():
    assert json.decode('{"a":1,"b":[2]}', type=Pair) == Pair(1, [2])
    assert json.decode('{"a":"x","b":["y"]}', type=Pair[str]) == Pair("x", ["y"])
    assert json.decode('{"a":"x","b":1}', type=Pair[str, int]) == Pair("x", 1)
    with pytest.raises(ValidationError, match=r"Expected `str`, got `int` - at `\$\.b\[0\]`"):
        json.decode('{"a":"x","b":[1]}', type=Pair[str])


def test_type_variable_tuples():
    made = json.decode('{"first":1,"all":[1,"x",2.5],"rest":["y",1]}', type=Many[int, str, float])
    assert made == Many(1, (1, "x", 2.5), ("y", 1.0))
    with pytest.raises(ValidationError, match=r"Expected `float`, got `str` - at `\$\.all\[2\]`"):
        json.decode('{"first":1,"all":[1,"x","y"]}', type=Many[int, str, float])
    assert json.decode('{"first":1,"all":[1]}', type=Many[int]) == Many(1, (1,))
    assert json.decode('{"first":1,"all":[1,"x",[]]}', type=Many) == Many(1, (1, "x", []))


@pytest.mark.parametrize(
    ("t", "good", "bad"),
    [
        (tuple[int, *tuple[str, ...]], [(1,), (1, "a"), (1, "a", "b")], [(), ("a",), (1, 2), (1, "a", 2)]),
        (tuple[*tuple[int, ...], str], [("a",), (1, "a"), (1, 2, "a")], [(), (1,), (1, "a", "b"), (1, 2)]),
        (tuple[int, *tuple[str, ...], float], [(1, 2.5), (1, "a", 2.5)], [(1,), (1, 2, 2.5), (1, "a")]),
        (tuple[int, *tuple[str, int]], [(1, "a", 2)], [(1, "a"), (1, "a", "b"), (1, "a", 2, 3)]),
        (tuple[*tuple[int, ...]], [(), (1,), (1, 2)], [("a",)]),
        (tuple[int, typing.Unpack[tuple[str, ...]]], [(1, "a")], [("a",)]),
    ],
)
def test_tuples_with_a_star(t, good, bad):
    for codec in (json, msgpack):
        for value in good:
            assert codec.decode(codec.encode([value]), type=list[t]) == [value] == convert([value], list[t])
        for value in bad:
            with pytest.raises(ValidationError) as caught:
                codec.decode(codec.encode([value]), type=list[t])
            assert caught.value.path.startswith("$[0]")
    assert json.schema(t)["type"] == "array"


def test_where_a_tuple_with_a_star_is_wrong():
    t = tuple[int, *tuple[dict[str, int], ...]]
    with pytest.raises(ValidationError) as caught:
        json.decode('[1,{"a":1},{"a":[2]}]', type=t)
    assert str(caught.value) == "Expected `int`, got `array` - at `$[2][...]`"
    assert json.schema(t) == {
        "type": "array",
        "minItems": 1,
        "prefixItems": [{"type": "integer"}],
        "items": {"type": "object", "additionalProperties": {"type": "integer"}},
    }


# Faces of other libraries stay as they are.


def test_the_face_of_msgspec_refuses_what_it_refuses():
    for t in (pathlib.Path, collections.deque[int], complex, array.array):
        with pytest.raises(msgspec.ValidationError, match="Expected `"):
            msgspec.json.decode(b'"a"', type=t)
        with pytest.raises(msgspec.ValidationError, match="Expected `"):
            msgspec.convert("a", t)
        assert isinstance(msgspec.inspect.type_info(t), msgspec.inspect.CustomType)
        with pytest.raises(TypeError, match="custom types"):
            msgspec.json.schema(t)
    for t in (
        tuple[int, *tuple[str, ...]],
        Literal[Suit.HEARTS],
        list[Self],
        Annotated[Decimal, Meta(ge=1)],
        Annotated[int, Meta(ge=Decimal(1))],
        Annotated[uuid.UUID, Meta(version=4)],
    ):
        with pytest.raises(TypeError):
            msgspec.json.Decoder(t)
        with pytest.raises(TypeError):
            msgspec.msgpack.Decoder(t)
    for value in (pathlib.Path("a"), 1j, re.compile("a"), zoneinfo.ZoneInfo("UTC")):
        for write in (msgspec.json.encode, msgspec.msgpack.encode, msgspec.to_builtins):
            with pytest.raises(TypeError, match="is unsupported"):
                write(value)


def test_arrays_need_no_other_library():
    code = """
import array, sys
from typing import Annotated
from oxwire import Meta, json
assert json.decode("[1,2]", type=Annotated[array.array, Meta(typecode="d")]) == array.array("d", [1, 2])
assert "numpy" not in sys.modules
print("well")
"""
    assert run_python(code).strip() == "well"
