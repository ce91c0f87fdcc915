"""Values of one type out of JSON, MessagePack and objects: what each type takes, strict and lax.

What may surprise: every line is tried from each source, since all say the same; where they do not, `For` tells.
"""

import datetime as dt
import enum
import typing
from collections import abc
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NewType, Optional, Union
from uuid import UUID

import pytest
from reading import SOURCES, No, check, outcome, read, shown
from typed import Asked, Bits

from oxwire import DecodeError, Meta, convert, json, msgpack

each_source = pytest.mark.parametrize("source", SOURCES)

U = UUID("12345678-1234-5678-1234-567812345678")
UTC = dt.UTC
EAST = dt.timezone(dt.timedelta(hours=1, minutes=30))


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    A = "a"


class IntBits(enum.IntFlag):
    A = 1
    B = 2


def expected(word, got, at=""):
    return No(f"Expected `{word}`, got `{got}`{at}")


def at(path):
    return f" - at `{path}`"


def many(t, *pairs):
    return [(t, document, wanted) for document, wanted in zip(pairs[::2], pairs[1::2], strict=True)]


# One document of each kind of value, and what it is called.
KINDS = {
    "null": b"null",
    "bool": b"true",
    "int": b"3",
    "float": b"2.5",
    "str": b'"?"',
    "array": b"[]",
    "object": b"{}",
}

# What takes which kinds, and how it is called.
TAKES = [
    (None, "null", "null"),
    (bool, "bool", "bool"),
    (int, "int", "int"),
    (float, "float", "float int"),
    (str, "str", "str"),
    (list, "array", "array"),
    (set, "array", "array"),
    (frozenset, "array", "array"),
    (tuple, "array", "array"),
    (dict, "object", "object"),
    (list[int], "array", "array"),
    (dict[str, int], "object", "object"),
    (typing.Sequence[int], "array", "array"),
    (typing.Mapping[str, int], "object", "object"),
    (int | None, "int | null", "int null"),
    (int | float, "int | float", "int float"),
    (int | str | bool, "bool | int | str", "bool int str"),
    (Union[list[int], dict[str, int], None], "object | array | null", "array object null"),
    (bytes, "bytes", "str"),
    (dt.datetime, "datetime", "str"),
    (dt.date, "date", "str"),
    (dt.time, "time", "str"),
    (dt.timedelta, "duration", "str"),
    (UUID, "uuid", "str"),
    (Decimal, "decimal", "str int float"),
    (Color, "str", "str"),
    (Level, "int", "int"),
    (Literal["a"], "str", "str"),
    (Literal[1, None], "int | null", "int null"),
    (Literal[True], "bool", "bool"),
    (Final[int], "int", "int"),
    (NewType("Name", str), "str", "str"),
    (msgpack.Ext, "ext", ""),
]


@each_source
@pytest.mark.parametrize(("t", "word", "kinds"), TAKES)
def test_values_of_other_kinds_are_refused(source, t, word, kinds):
    for kind, document in KINDS.items():
        if kind not in kinds.split():
            check(source, t, document, expected(word, kind))
            check(source, list[t], b"[" + document + b"]", expected(word, kind, at("$[0]")))
            check(source, dict[str, t], b'{"k":' + document + b"}", expected(word, kind, at("$[...]")))


VALUES = [
    *many(Any, b"null", None, b'[1,{"a":2.5}]', [1, {"a": 2.5}], b'"x"', "x"),
    *many(None, b"null", None),
    *many(bool, b"true", True, b"false", False),
    *many(int, b"0", 0, b"-5", -5, b"9223372036854775807", 2**63 - 1, b"18446744073709551615", 2**64 - 1),
    *many(int, b"1.0", expected("int", "float"), b"1e2", expected("int", "float")),
    *many(float, b"1", 1.0, b"1.5", 1.5, b"-0.0", -0.0, b"18446744073709551615", 1.8446744073709552e19),
    *many(int | float, b"1", 1, b"1.0", 1.0),
    *many(str, b'""', "", '"é\\u20ac😀"'.encode(), "é€😀"),
    *many(Union[str, None], b'"x"', "x", b"null", None),
    *many(list, b'[1,"x",[null]]', [1, "x", [None]], b"[]", []),
    *many(list[int], b"[1,2]", [1, 2], b'[1,"x"]', expected("int", "str", at("$[1]"))),
    *many(list[list[int]], b"[[1],[]]", [[1], []], b"[[],[1,null]]", expected("int", "null", at("$[1][1]"))),
    *many(set[int], b"[1,2,1]", {1, 2}, b"[[]]", expected("int", "array", at("$[0]"))),
    *many(frozenset[str], b'["a"]', frozenset("a")),
    *many(set[tuple[int, int]], b"[[1,2],[1,2]]", {(1, 2)}),
    *many(set[frozenset[int]], b"[[1,2],[2,1]]", {frozenset((1, 2))}),
    *many(tuple[int, ...], b"[1,2,3]", (1, 2, 3), b"[]", ()),
    *many(tuple, b'[1,"a"]', (1, "a")),
    *many(tuple[()], b"[]", (), b"[1]", No("Expected `array` of length 0, got 1")),
    *many(tuple[int, str], b'[1,"a"]', (1, "a"), b"[1]", No("Expected `array` of length 2, got 1")),
    *many(tuple[int, str], b'[1,"a",[2]]', No("Expected `array` of length 2, got 3")),
    *many(tuple[int, str], b'["a",1]', expected("int", "str", at("$[0]"))),
    *many(abc.Collection[int], b"[1]", [1]),
    *many(abc.MutableSequence[int], b"[1]", [1]),
    *many(abc.Iterable[int], b"[1]", [1], b'["x"]', expected("int", "str", at("$[0]"))),
    *many(abc.Set[int], b"[1]", {1}),
    *many(abc.MutableSet[int], b"[1]", {1}),
    *many(abc.MutableMapping[str, int], b'{"a":1}', {"a": 1}),
    *many(dict, b'{"a":[1],"b":{}}', {"a": [1], "b": {}}),
    *many(
        dict[str, int],
        b'{"a":1,"b":2}',
        {"a": 1, "b": 2},
        b'{"a":1,"b":"x"}',
        expected("int", "str", at("$[...]")),
    ),
    *many(
        dict[str, dict[str, list[int]]], b'{"a":{"b":["x"]}}', expected("int", "str", at("$[...][...][0]"))
    ),
    *many(bytes, b'"aGk="', b"hi", b'""', b""),
    *many(bytearray, b'"aGk="', bytearray(b"hi")),
    *many(memoryview, b'"aGk="', memoryview(b"hi")),
    *many(dt.datetime, b'"2020-01-02T03:04:05Z"', dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
    *many(
        dt.datetime, b'"2020-01-02t03:04:05.5+01:30"', dt.datetime(2020, 1, 2, 3, 4, 5, 500000, tzinfo=EAST)
    ),
    *many(dt.datetime, b'"2020-01-02 03:04:05"', dt.datetime(2020, 1, 2, 3, 4, 5)),
    *many(dt.datetime, b'"2020-12-31T23:59:59.9999996Z"', dt.datetime(2021, 1, 1, tzinfo=UTC)),
    *(
        (dt.datetime, f'"{text}"'.encode(), No("Invalid RFC3339 encoded datetime"))
        for text in (
            "",
            "x",
            "2020-01-02",
            "2020-01-02T03:04Z",
            "2020-13-01T00:00:00Z",
            "2020-02-30T00:00:00Z",
            "2020-01-02T24:00:00Z",
            "2020-01-02T03:04:60Z",
            "2020-01-02T03:04:05+24:00",
            "20200102T030405Z",
            "0000-01-02T03:04:05Z",
            "10000-01-02T03:04:05Z",
            "9999-12-31T23:59:59.9999999Z",
            "2020-01-02T03:04:05Z ",
        )
    ),
    *many(
        dt.date, b'"2020-02-29"', dt.date(2020, 2, 29), b'"2021-02-29"', No("Invalid RFC3339 encoded date")
    ),
    *many(dt.time, b'"01:02:03"', dt.time(1, 2, 3), b'"01:02:03.5Z"', dt.time(1, 2, 3, 500000, tzinfo=UTC)),
    *many(
        dt.time,
        b'"24:00:00"',
        No("Invalid RFC3339 encoded time"),
        b'"01:02"',
        No("Invalid RFC3339 encoded time"),
    ),
    *many(dt.timedelta, b'"P1DT2.5S"', dt.timedelta(1, 2, 500000), b'"-pt1h2m"', dt.timedelta(0, -3720)),
    *many(dt.timedelta, b'"P0D"', dt.timedelta(0), b'"P"', No("Invalid ISO8601 duration")),
    *many(
        dt.timedelta,
        b'"P999999999D"',
        dt.timedelta(999999999),
        b'"P1000000000D"',
        No("Duration is out of range"),
    ),
    *many(UUID, b'"12345678-1234-5678-1234-567812345678"', U, b'"12345678123456781234567812345678"', U),
    *many(UUID, b'"12345678"', No("Invalid UUID"), b'""', No("Invalid UUID")),
    *many(Decimal, b'"1.50"', Decimal("1.50"), b"3", Decimal(3), b'"x"', No("Invalid decimal string")),
    *many(Decimal, b"1.5", Decimal("1.5"), b'"NaN"', Decimal("NaN"), b'""', No("Invalid decimal string")),
    *many(
        Color, b'"red"', Color.RED, b'"x"', No("Invalid enum value 'x'"), b'""', No("Invalid enum value ''")
    ),
    *many(Level, b"2", Level.HIGH, b"3", No("Invalid enum value 3"), b"-1", No("Invalid enum value -1")),
    *many(Word, b'"a"', Word.A),
    *many(Asked, b'"a"', Asked.A, b'"other"', Asked.A),
    *many(Bits, b"3", Bits.A | Bits.B, b"1", Bits.A, b"8", No("Invalid enum value 8")),
    *many(IntBits, b"3", IntBits.A | IntBits.B, b"9", IntBits(9)),
    *many(
        list[Color | None],
        b'["red",null]',
        [Color.RED, None],
        b'["x"]',
        No("Invalid enum value 'x' - at `$[0]`"),
    ),
    *many(Literal["a", "b"], b'"a"', "a", b'"c"', No("Invalid enum value 'c'")),
    *many(Literal[1, "a", None], b"1", 1, b'"a"', "a", b"null", None, b"2", No("Invalid enum value 2")),
    *many(Literal[True, 2], b"true", True, b"2", 2, b"1", No("Invalid enum value 1")),
    *many(Literal[True], b"true", True, b"false", No("Invalid enum value False")),
    *many(Literal[1] | str, b"1", 1, b'"x"', "x"),
    *many(Color | int, b'"green"', Color.GREEN, b"7", 7),
    *many(Optional[UUID], b"null", None, b'"12345678123456781234567812345678"', U),
    *many(UUID | int, b"5", 5, b'"x"', No("Invalid UUID")),
    *many(Annotated[int, Meta(title="x")], b"5", 5),
    *many(object, b'[1,{"a":2}]', [1, {"a": 2}]),
]


@each_source
@pytest.mark.parametrize(("t", "document", "wanted"), VALUES)
def test_values(source, t, document, wanted):
    if source == "msgpack" and t in (bytes, bytearray, memoryview):
        # It has bytes of its own.
        wanted = expected("bytes", "str")
    check(source, t, document, wanted)


LAX = [
    *many(
        int, b'"5"', 5, b'"-0"', 0, b'"1.0"', 1, b'"1e2"', 100, b"5.0", 5, b"-9007199254740992.0", -(2**53)
    ),
    *(
        (int, f'"{text}"'.encode(), expected("int", "str"))
        for text in ("", " 1", "01", "+1", "1_0", "1.5", "0x1", "1e400", "\u0661", "nan", "true", "9" * 5000)
    ),
    *many(int, b"1.5", expected("int", "float"), b"9007199254740994.0", expected("int", "float")),
    *many(int, b"true", expected("int", "bool")),
    *many(
        float,
        b'"1.5"',
        1.5,
        b'"3"',
        3.0,
        b'"NaN"',
        float("nan"),
        b'"-Infinity"',
        float("-inf"),
        b'"inf"',
        float("inf"),
    ),
    *many(
        float,
        b'"1e400"',
        No("Number out of range"),
        b'"x"',
        expected("float", "str"),
        b"true",
        expected("float", "bool"),
    ),
    *many(int | float, b'"' + b"9" * 5000 + b'"', No("Number out of range")),
    *many(bool, b'"true"', True, b'"FALSE"', False, b'"1"', True, b"0", False, b"1", True),
    *many(
        bool,
        b'"yes"',
        expected("bool", "str"),
        b"2",
        expected("bool", "int"),
        b"1.0",
        expected("bool", "float"),
    ),
    *many(
        None,
        b'"null"',
        None,
        b'"NULL"',
        None,
        b'"None"',
        expected("null", "str"),
        b'""',
        expected("null", "str"),
    ),
    *many(
        dt.datetime,
        b"0",
        dt.datetime(1970, 1, 1, tzinfo=UTC),
        b'"1.5"',
        dt.datetime(1970, 1, 1, 0, 0, 1, 500000, UTC),
    ),
    *many(dt.datetime, b"-1.5", dt.datetime(1969, 12, 31, 23, 59, 58, 500000, UTC)),
    *many(dt.datetime, b'"2020-01-02T03:04:05Z"', dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
    *(
        (dt.datetime, document, No("Timestamp is out of range"))
        for document in (
            b"253402300800",
            b"-1e300",
            b'"1e999999"',
            b'"-1e99999999999999999999"',
            b"18446744073709551615",
        )
    ),
    *many(dt.datetime, b'"x"', No("Invalid RFC3339 encoded datetime"), b"true", expected("datetime", "bool")),
    *many(
        dt.timedelta,
        b"90",
        dt.timedelta(0, 90),
        b'"0.5"',
        dt.timedelta(0, 0, 500000),
        b'"P1D"',
        dt.timedelta(1),
    ),
    *many(
        dt.timedelta,
        b"86399999999999",
        dt.timedelta(999999999, 86399),
        b"1e300",
        No("Duration is out of range"),
    ),
    *many(dt.timedelta, b'"1e-999999999"', dt.timedelta(0), b'"1e99999999"', No("Duration is out of range")),
    *many(dt.date, b"0", expected("date", "int"), b'"0"', No("Invalid RFC3339 encoded date")),
    *many(UUID, b"0", expected("uuid", "int")),
    *many(Level, b'"2"', Level.HIGH, b'"3"', No("Invalid enum value 3"), b"2.0", expected("int", "float")),
    *many(Literal[1, 2], b'"1"', 1, b'"x"', expected("int", "str")),
    *many(Literal[True], b'"true"', expected("bool", "str")),
    *many(Color, b'"x"', No("Invalid enum value 'x'")),
    *many(int | None, b'"5"', 5, b'"null"', None, b'"x"', expected("int | null", "str")),
    *many(int | bool, b'"1"', 1, b'"true"', True),
    *many(int | str, b'"5"', "5"),
    *many(list[int], b'["1",2]', [1, 2], b'["x"]', expected("int", "str", at("$[0]"))),
    *many(Annotated[int, Meta(ge=3)], b'"3"', 3, b'"2"', No("Expected `int` >= 3")),
    *many(dict[str, bool], b'{"1":"1"}', {"1": True}),
]


@each_source
@pytest.mark.parametrize(("t", "document", "wanted"), LAX)
def test_lax(source, t, document, wanted):
    check(source, t, document, wanted, strict=False)
    strict = outcome(read, source, t, document)
    # What is taken strictly is the same laxly.
    assert isinstance(strict, No) or shown(strict) == shown(wanted)


KEYS = [
    *many(dict[int, str], b'{"1":"a","-2":"b"}', {1: "a", -2: "b"}),
    *(
        (dict[int, str], f'{{"{key}":"a"}}'.encode(), expected("int", "str", " - at `key` in `$`"))
        for key in ("", "x", "01", "1.5", " 1", "1.0", "1e2", "-", "+1", "1_0", "\u0663", "9" * 4301)
    ),
    *many(dict[int, int], b'{"1":"x"}', expected("int", "str", at("$[...]"))),
    *many(
        dict[int, int], b'{"9223372036854775808":1,"-18446744073709551617":2}', {2**63: 1, -(2**64) - 1: 2}
    ),
    *many(dict[float, int], b'{"1.5":1,"2":2,"1e2":3}', {1.5: 1, 2.0: 2, 100.0: 3}),
    *many(dict[float, int], b'{"-inf":1,"Infinity":2}', {float("-inf"): 1, float("inf"): 2}),
    *many(dict[float, int], b'{"1e400":1}', No("Number out of range - at `key` in `$`")),
    *(
        (dict[float, int], f'{{"{key}":1}}'.encode(), expected("float", "str", " - at `key` in `$`"))
        for key in (
            "",
            "x",
            "01.5",
            "-01",
            "1.",
            "1.e5",
            ".5",
            "1e",
            "1e+",
            " 1",
            "1.5 ",
            "1.5.5",
            "+1",
            "1_0",
        )
    ),
    *many(dict[int | float, int], b'{"1":1,"1.0":2,"1.5":3}', {1: 2, 1.5: 3}),
    *many(dict[int | dt.date, int], b'{"1":1,"2020-01-02":2}', {1: 1, dt.date(2020, 1, 2): 2}),
    *many(dict[float | UUID, int], f'{{"1":1,"{U}":2}}'.encode(), {1.0: 1, U: 2}),
    *many(dict[int | Decimal, int], b'{"1":1,"1.5":2}', {1: 1, Decimal("1.5"): 2}),
    *many(dict[Literal[1, "a"], int], b'{"1":1,"a":2}', {1: 1, "a": 2}),
    *many(dict[Literal[1, "1"], int], b'{"1":1}', {"1": 1}),
    *many(dict[int | str, int], b'{"1":1}', {"1": 1}),
    *many(dict[Annotated[int, Meta(ge=3)], int], b'{"2":1}', No("Expected `int` >= 3 - at `key` in `$`")),
    *many(
        dict[Level, int], b'{"1":1}', {Level.LOW: 1}, b'{"5":1}', No("Invalid enum value 5 - at `key` in `$`")
    ),
    *many(dict[Literal[1, 2], int], b'{"1":1}', {1: 1}),
    *many(
        dict[Color, int],
        b'{"red":1}',
        {Color.RED: 1},
        b'{"x":1}',
        No("Invalid enum value 'x' - at `key` in `$`"),
    ),
    *many(dict[UUID, int], b'{"12345678123456781234567812345678":1}', {U: 1}),
    *many(dict[dt.date, int], b'{"2020-01-02":1}', {dt.date(2020, 1, 2): 1}),
    *many(dict[Decimal, int], b'{"1.5":1}', {Decimal("1.5"): 1}),
    *many(
        dict[Annotated[str, Meta(min_length=2)], int],
        b'{"a":1}',
        No("Expected `str` of length >= 2 - at `key` in `$`"),
    ),
    *many(list[dict[int, int]], b'[{"x":1}]', expected("int", "str", " - at `key` in `$[0]`")),
]


@each_source
@pytest.mark.parametrize(("t", "document", "wanted"), KEYS)
def test_keys(source, t, document, wanted):
    # Keys that are numbers have a spelling only where all keys are text; MessagePack has them as they are.
    if source == "msgpack" and t not in (dict[UUID, int], dict[dt.date, int]) and "Color" not in str(t):
        return
    check(source, t, document, wanted)


BOUNDS = [
    *many(Annotated[int, Meta(ge=3)], b"3", 3, b"2", No("Expected `int` >= 3")),
    *many(Annotated[int, Meta(gt=3)], b"4", 4, b"3", No("Expected `int` >= 4")),
    *many(Annotated[int, Meta(le=3)], b"3", 3, b"4", No("Expected `int` <= 3")),
    *many(Annotated[int, Meta(lt=3)], b"2", 2, b"3", No("Expected `int` <= 2")),
    *many(Annotated[int, Meta(ge=2**70)], b"1", No(f"Expected `int` >= {2**70}")),
    *many(Annotated[int, Meta(multiple_of=3)], b"-6", -6, b"4", No("Expected `int` that's a multiple of 3")),
    *many(Annotated[float, Meta(gt=1.5)], b"1.5", No("Expected `float` > 1.5"), b"2", 2.0),
    *many(Annotated[float, Meta(lt=1)], b"1", No("Expected `float` < 1.0")),
    *many(
        Annotated[float, Meta(multiple_of=0.5)],
        b"1.5",
        1.5,
        b"1.2",
        No("Expected `float` that's a multiple of 0.5"),
    ),
    *many(
        Annotated[int, Meta(ge=0)] | Annotated[float, Meta(le=1.5)],
        b"-1",
        No("Expected `int` >= 0"),
        b"1.5",
        1.5,
    ),
    *many(Annotated[int | None, Meta(title="x")], b"null", None),
    *many(Optional[Annotated[int, Meta(ge=3)]], b"null", None, b"2", No("Expected `int` >= 3")),
    *many(
        Annotated[str, Meta(min_length=2, max_length=3)],
        '"éé"'.encode(),
        "éé",
        b'"a"',
        No("Expected `str` of length >= 2"),
    ),
    *many(
        Annotated[str, Meta(max_length=1)],
        '"😀"'.encode(),
        "😀",
        b'"ab"',
        No("Expected `str` of length <= 1"),
    ),
    *many(
        Annotated[str, Meta(pattern="b$")], b'"ab"', "ab", b'"ba"', No("Expected `str` matching regex 'b$'")
    ),
    *many(
        Annotated[list[int], Meta(min_length=1)], b"[]", No("Expected `array` of length >= 1"), b"[1]", [1]
    ),
    *many(Annotated[list[int], Meta(max_length=1)], b"[1,2]", No("Expected `array` of length <= 1")),
    *many(Annotated[set[int], Meta(max_length=1)], b"[1,1]", {1}),
    *many(Annotated[tuple[int, ...], Meta(max_length=1)], b"[1]", (1,)),
    *many(
        Annotated[dict[str, int], Meta(min_length=1)],
        b"{}",
        No("Expected `object` of length >= 1"),
        b'{"a":1}',
        {"a": 1},
    ),
    *many(Annotated[dict[str, int], Meta(max_length=1)], b'{"a":1,"a":2}', {"a": 2}),
    *many(
        Annotated[dt.datetime, Meta(tz=True)],
        b'"2020-01-02T03:04:05"',
        No("Expected `datetime` with a timezone component"),
    ),
    *many(
        Annotated[dt.time, Meta(tz=False)], b'"03:04:05Z"', No("Expected `time` with no timezone component")
    ),
    *many(list[Annotated[int, Meta(ge=3)]], b"[3,2]", No("Expected `int` >= 3 - at `$[1]`")),
    *many(
        dict[str, Annotated[list[int], Meta(min_length=1)]],
        b'{"a":[]}',
        No("Expected `array` of length >= 1 - at `$[...]`"),
    ),
]


@each_source
@pytest.mark.parametrize(("t", "document", "wanted"), BOUNDS)
def test_bounds(source, t, document, wanted):
    check(source, t, document, wanted)


def test_bounds_of_bytes_count_bytes():
    t = Annotated[bytes, Meta(min_length=2, max_length=3)]
    for value, wanted in ((b"ab", b"ab"), (b"a", No("Expected `bytes` of length >= 2"))):
        assert outcome(json.decode, json.encode(value), type=t) == wanted
        assert outcome(msgpack.decode, msgpack.encode(value), type=t) == wanted
        assert outcome(convert, value, t) == wanted


def test_numbers_without_an_end():
    digits = b"9" * 5000
    assert json.decode(digits, type=int) == json.decode(digits)
    assert outcome(json.decode, digits, type=float) == No("Number out of range")
    for t in (float | Decimal, float | Decimal | None):
        assert outcome(json.decode, b"-1e400", type=t) == No("Number out of range")
    assert json.decode(b"1e400", type=Decimal) == Decimal("1e400")
    assert json.decode(b"1.10", type=Decimal).as_tuple().exponent == -2
    with pytest.raises(DecodeError):
        json.decode(b"1e400", type=float)
    assert outcome(convert, Decimal("1e400"), float) == No("Number out of range")
    assert convert(Decimal("-Infinity"), float) == float("-inf")


def test_decimals_do_not_depend_on_the_context():
    import decimal

    with decimal.localcontext(prec=2) as context:
        context.traps[decimal.InvalidOperation] = False
        assert json.decode(b'"1.2345"', type=Decimal) == Decimal("1.2345")
        assert outcome(json.decode, b'"x"', type=Decimal) == No("Invalid decimal string")
        moment = json.decode(b"1600000000.25", type=dt.datetime, strict=False)
        assert moment == dt.datetime(2020, 9, 13, 12, 26, 40, 250000, UTC)


# What MessagePack has and JSON has not


MESSAGEPACK = [
    (bytes, b"hi", b"hi"),
    (bytearray, b"hi", bytearray(b"hi")),
    (memoryview, b"hi", memoryview(b"hi")),
    (str, b"hi", expected("str", "bytes")),
    (bytes, "hi", expected("bytes", "str")),
    (UUID, U.bytes, U),
    (UUID, b"short", No("Invalid UUID bytes")),
    (dt.datetime, dt.datetime(2020, 1, 2, tzinfo=UTC), dt.datetime(2020, 1, 2, tzinfo=UTC)),
    (dt.date, dt.datetime(2020, 1, 2, tzinfo=UTC), expected("date", "datetime")),
    (msgpack.Ext, msgpack.Ext(5, b"x"), msgpack.Ext(5, b"x")),
    (msgpack.Ext | None, None, None),
    (int, msgpack.Ext(5, b"x"), expected("int", "ext")),
    (dict[int, str], {1: "a"}, {1: "a"}),
    (dict[int, str], {"1": "a"}, expected("int", "str", " - at `key` in `$`")),
    (dict[bytes, int], {b"a": 1}, {b"a": 1}),
    (dict[bool, int], {True: 1}, {True: 1}),
    (dict[None, int], {None: 1}, {None: 1}),
    (dict[tuple[int, str], int], {(1, "a"): 1}, {(1, "a"): 1}),
    (dict[tuple[int, ...] | str, int], {(1,): 1, "a": 2}, {(1,): 1, "a": 2}),
    (dict[tuple[int, str], int], {(1, 2): 1}, expected("str", "int", " - at `key[1]` in `$`")),
    (list[dict[tuple[int], int]], [{(): 1}], No("Expected `array` of length 1, got 0 - at `key` in `$[0]`")),
    (dict[frozenset[int], int], {(1, 2): 1}, {frozenset((1, 2)): 1}),
    (dict[list[int], int], {(1, 2): 1}, No("unhashable type: 'list'")),
    (dict[str, int], {1: 1}, expected("str", "int", " - at `key` in `$`")),
    (dict[Any, int], {(1, (2,)): 1}, {(1, (2,)): 1}),
]


@pytest.mark.parametrize(("t", "value", "wanted"), MESSAGEPACK)
def test_messagepack(t, value, wanted):
    assert shown(outcome(msgpack.decode, msgpack.encode(value), type=t)) == shown(wanted)


@pytest.mark.parametrize(("t", "value", "wanted"), [one for one in MESSAGEPACK if not isinstance(one[2], No)])
def test_objects_of_the_same(t, value, wanted):
    assert shown(convert(value, t)) == shown(wanted)


def test_extensions_within_any():
    data = msgpack.encode([msgpack.Ext(5, b"x"), 1])
    hook = {"ext_hook": lambda code, data: (code, bytes(data))}
    assert msgpack.decode(data, type=list[Any], **hook) == [(5, b"x"), 1]
    assert msgpack.decode(data, type=list[msgpack.Ext | int], **hook) == [msgpack.Ext(5, b"x"), 1]
