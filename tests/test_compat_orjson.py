"""What orjson's users rely on, in dumps: names, calls, spelling, options, limits and error texts."""

import dataclasses
import enum
import inspect
import json
import re
import uuid
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import ClassVar
from zoneinfo import ZoneInfo

import pytest
from samples import EDGES, float_text, nested

from oxwire.compat import orjson

OPTIONS = {
    "OPT_APPEND_NEWLINE": 1024,
    "OPT_INDENT_2": 1,
    "OPT_NAIVE_UTC": 2,
    "OPT_NON_STR_KEYS": 4,
    "OPT_OMIT_MICROSECONDS": 8,
    "OPT_PASSTHROUGH_DATACLASS": 2048,
    "OPT_PASSTHROUGH_DATETIME": 512,
    "OPT_PASSTHROUGH_SUBCLASS": 256,
    "OPT_SERIALIZE_DATACLASS": 0,
    "OPT_SERIALIZE_NUMPY": 16,
    "OPT_SERIALIZE_UUID": 0,
    "OPT_SORT_KEYS": 32,
    "OPT_STRICT_INTEGER": 64,
    "OPT_UTC_Z": 128,
}
NON_STR = orjson.OPT_NON_STR_KEYS


def refused(text, value, **arguments):
    """dumps raises a plain TypeError with exactly this text."""
    with pytest.raises(TypeError) as caught:
        orjson.dumps(value, **arguments)
    assert type(caught.value) is TypeError
    assert str(caught.value) == text
    return caught.value


# Names.


def test_names():
    for name, value in OPTIONS.items():
        assert getattr(orjson, name) == value
        assert type(getattr(orjson, name)) is int
    names = {"__version__", "dumps", "loads", "Fragment", "JSONEncodeError", "JSONDecodeError", *OPTIONS}
    assert set(orjson.__all__) == names
    assert len(orjson.__all__) == 20
    assert orjson.JSONEncodeError is TypeError
    assert issubclass(orjson.JSONDecodeError, json.JSONDecodeError)
    assert issubclass(orjson.JSONDecodeError, ValueError)
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", orjson.__version__)
    scope = {}
    exec("from oxwire.compat.orjson import *", scope)
    assert names - {"__version__"} <= set(scope)


def test_functions():
    assert inspect.isbuiltin(orjson.dumps)
    assert inspect.isbuiltin(orjson.loads)
    assert str(inspect.signature(orjson.dumps)) == "(obj, /, default=None, option=None)"
    assert str(inspect.signature(orjson.loads)) == "(obj, /)"
    assert orjson.dumps.__doc__
    assert orjson.loads.__doc__


def test_calls():
    with pytest.raises(TypeError, match=r"^dumps\(\) missing 1 required positional argument: 'obj'$"):
        orjson.dumps()
    with pytest.raises(TypeError, match=r"^dumps\(\) missing 1 required positional argument: 'obj'$"):
        orjson.dumps(obj=1)
    with pytest.raises(TypeError, match=r"^dumps\(\) got an unexpected keyword argument"):
        orjson.dumps(1, foo=1)
    with pytest.raises(TypeError, match=r"^dumps\(\) got multiple values for argument: 'default'$"):
        orjson.dumps(1, str, default=str)
    with pytest.raises(TypeError, match=r"^dumps\(\) got multiple values for argument: 'option'$"):
        orjson.dumps(1, None, 1, option=1)
    assert orjson.dumps([1j], str) == b'["1j"]'
    assert orjson.dumps([1j], str, 1) == b'[\n  "1j"\n]'
    assert orjson.dumps([1j], option=1, default=str) == b'[\n  "1j"\n]'
    assert orjson.dumps([1j], str, option=None) == b'["1j"]'
    assert orjson.dumps([1], None, None) == b"[1]"
    names = {"".join(["def", "ault"]): str, "".join(["opt", "ion"]): 1}
    assert orjson.dumps([1j], **names) == b'[\n  "1j"\n]'
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        orjson.loads(obj=b"1")
    with pytest.raises(TypeError):
        orjson.loads()
    with pytest.raises(TypeError):
        orjson.loads(b"1", b"2")


@pytest.mark.parametrize("option", [True, False, 1.0, "1", -1, 4096, b"1", enum.IntEnum("E", {"A": 1}).A])
def test_invalid_options(option):
    refused("Invalid opts", 1, option=option)


def test_every_valid_option_number_is_taken():
    for option in (0, 1, 2047, 4095):
        assert orjson.dumps(1, option=option).strip() == b"1"


# Values.


def test_text():
    for point in (*range(0x20), 0x22, 0x5C, 0x2F, 0x7F, 0xE9, 0x2028, 0xFFFF, 0x1F600):
        word = chr(point)
        for length in EDGES:
            padded = "a" * length + word + "b" * (length % 5)
            assert orjson.dumps(padded) == json.dumps(padded, ensure_ascii=False).encode()
    for bad in ("\ud800", "a\udfff", "é" * 50 + "\ud83d"):
        refused("str is not valid UTF-8: surrogates not allowed", [bad])
        refused("str is not valid UTF-8: surrogates not allowed", {bad: 1})
        refused("str is not valid UTF-8: surrogates not allowed", [bad], default=lambda value: 1)


def test_integers():
    for number in (0, -1, 2**31, 2**53, 2**63 - 1, -(2**63), 2**64 - 1):
        assert orjson.dumps(number) == str(number).encode()
    for number in (2**64, -(2**63) - 1, 10**30):
        refused("Integer exceeds 64-bit range", [number])
        refused("Integer exceeds 64-bit range", [number], default=str)
    top = 2**53 - 1
    strict = orjson.OPT_STRICT_INTEGER
    assert orjson.dumps([top, -top], option=strict) == f"[{top},{-top}]".encode()
    for number in (top + 1, -top - 1, 2**64 - 1):
        refused("Integer exceeds 53-bit range", [number], option=strict)


def test_floats():
    for number in (0.0, -0.0, 1.0, 1e15, 1e16, 1e-5, 1e-6, 1.2e30, 5e-324, 0.1 + 0.2, 1e22, -123.456):
        assert orjson.dumps(number) == float_text(number).encode()
    assert orjson.dumps([float("nan"), float("inf"), -float("inf")]) == b"[null,null,null]"


class Str(str):
    def __str__(self):
        return "wrong"


class Int(int):
    def __str__(self):
        return "wrong"


class Float(float):
    pass


class List(list):
    pass


class Dict(dict):
    def items(self):
        return [("wrong", 1)]


class Tuple(tuple):
    __slots__ = ()


pair = namedtuple("pair", "a b")


def test_containers_and_subclasses():
    assert orjson.dumps([(), [], {}, (1, [2])]) == b"[[],[],{},[1,[2]]]"
    assert orjson.dumps([Str("é"), Int(5), List([1]), Dict(a=1)]) == '["é",5,[1],{"a":1}]'.encode()
    assert (
        orjson.dumps([OrderedDict(b=1, a=2), defaultdict(list, x=1), Counter("aa")])
        == b'[{"b":1,"a":2},{"x":1},{"a":2}]'
    )
    skip = orjson.OPT_PASSTHROUGH_SUBCLASS
    for value in (Str("x"), Int(1), List(), Dict()):
        refused(f"Type is not JSON serializable: {type(value).__name__}", value, option=skip)
        assert orjson.dumps(value, option=skip, default=lambda v: "hook") == b'"hook"'
    assert orjson.dumps([1, "x", [], {}], option=skip) == b'[1,"x",[],{}]'
    for value, name in ((Float(1), "Float"), (Tuple(), "Tuple"), (pair(1, 2), "pair")):
        refused(f"Type is not JSON serializable: {name}", [value])


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1j, "complex"),
        (object(), "object"),
        (b"x", "bytes"),
        (bytearray(), "bytearray"),
        (memoryview(b"x"), "memoryview"),
        ({1}, "set"),
        (frozenset(), "frozenset"),
        (deque(), "collections.deque"),
        (range(2), "range"),
        ((n for n in ()), "generator"),
        ({}.keys(), "dict_keys"),
        (timedelta(1), "datetime.timedelta"),
        (timezone.utc, "datetime.timezone"),
        (Decimal("1.5"), "decimal.Decimal"),
        (Path("x"), None),
        (int, "type"),
        (len, "builtin_function_or_method"),
        (ValueError("x"), "ValueError"),
        (..., "ellipsis"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_unsupported(value, name):
    name = name or type(value).__name__
    error = refused(f"Type is not JSON serializable: {name}", value)
    assert error.__cause__ is None
    refused(f"Type is not JSON serializable: {name}", {"a": [value]})
    assert orjson.dumps([value], default=lambda v: "hook") == b'["hook"]'


def test_uuid():
    assert orjson.dumps(uuid.UUID(int=5)) == b'"00000000-0000-0000-0000-000000000005"'

    class Sub(uuid.UUID):
        pass

    refused("Type is not JSON serializable: Sub", Sub(int=5))


class Plain(enum.Enum):
    A = "a"
    B = 2
    C = (1, 2)
    D = date(2000, 1, 1)
    E = 1j


class Whole(enum.IntEnum):
    A = 1


class Part(float, enum.Enum):
    A = 0.5


class Flags(enum.Flag):
    R = 1
    W = 2


def test_enum():
    assert orjson.dumps([Plain.A, Plain.B, Plain.C, Plain.D]) == b'["a",2,[1,2],"2000-01-01"]'
    assert orjson.dumps([Whole.A, Part.A, Flags.R | Flags.W]) == b"[1,0.5,3]"
    assert orjson.dumps([Whole.A, Plain.A], option=orjson.OPT_PASSTHROUGH_SUBCLASS) == b'[1,"a"]'
    refused("Type is not JSON serializable: complex", Plain.E)
    assert orjson.dumps(Plain.E, default=str) == b'"1j"'


# default.


def test_default():
    assert orjson.dumps([1j], default=lambda v: None) == b"[null]"
    assert orjson.dumps([1j], default=lambda v: {"a": [v.imag]}) == b'[{"a":[1.0]}]'
    assert orjson.dumps({1, 2}.__class__([5]), default=list) == b"[5]"
    seen = []
    orjson.dumps([1, "x", None, 2.5, {"a": (True,)}], default=seen.append)
    assert seen == []


@pytest.mark.parametrize("kind", [ValueError, TypeError, LookupError, RuntimeError])
def test_default_that_raises(kind):
    raised = kind("mine")

    def default(value):
        raise raised

    error = refused("Type is not JSON serializable: complex", {"a": [1j]}, default=default)
    assert error.__cause__ is raised


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_default_that_is_interrupted(kind):
    raised = kind("mine")

    def default(value):
        raise raised

    with pytest.raises(kind) as caught:
        orjson.dumps([{"a": 1j}], default=default)
    assert caught.value is raised


def test_default_that_cannot_be_called():
    error = refused("Type is not JSON serializable: complex", 1j, default=5)
    assert isinstance(error.__cause__, TypeError)
    assert orjson.dumps(1, default=5) == b"1"


def test_default_chains():
    class Onion:
        def __init__(self, layers):
            self.layers = layers

    def peel(value):
        return Onion(value.layers - 1) if value.layers > 1 else "core"

    assert orjson.dumps(Onion(254), default=peel) == b'"core"'
    refused("default serializer exceeds recursion limit", Onion(300), default=peel)
    refused("default serializer exceeds recursion limit", 1j, default=lambda value: value)


# Depth.


@pytest.mark.parametrize("kind", ["list", "dict", "mixed"])
def test_depth(kind, small_stack):
    assert orjson.loads(orjson.dumps(nested(254, kind))) == nested(254, kind)
    refused("Recursion limit reached", nested(255, kind))
    refused("Recursion limit reached", nested(255, kind), option=orjson.OPT_INDENT_2)
    refused("Recursion limit reached", nested(255, kind), option=orjson.OPT_SORT_KEYS)
    assert small_stack(orjson.dumps, nested(100_000, "list")) == ("error", TypeError)


def test_depth_of_tuples_is_limited(small_stack):
    assert orjson.dumps(nested(200, "tuple")) == b"[" * 200 + b"null" + b"]" * 200
    assert small_stack(orjson.dumps, nested(50_000, "tuple")) == ("error", TypeError)


def test_circles():
    ring = []
    ring.append(ring)
    mapping = {}
    mapping["a"] = (mapping,)
    for circle in (ring, mapping):
        refused("Recursion limit reached", circle)


# Keys.


def test_keys_are_text():
    for key in (1, None, 1.5, True, (), b"x", Str("x"), uuid.UUID(int=1), Plain.A, date(2000, 1, 1)):
        refused("Dict key must be str", {key: 1})
        refused("Dict key must be str", {"a": [{key: 1}]}, option=orjson.OPT_SORT_KEYS)
        refused("Dict key must be str", {key: 1}, default=str)


@pytest.mark.parametrize(
    ("key", "spelling"),
    [
        ("é", "é"),
        (Str("s"), "s"),
        (5, "5"),
        (Int(5), "5"),
        (-(2**63), str(-(2**63))),
        (2**64 - 1, str(2**64 - 1)),
        (1.5, "1.5"),
        (1e16, "1e+16"),
        (float("nan"), "null"),
        (float("inf"), "null"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (datetime(2000, 1, 2, 3, 4, 5, 6), "2000-01-02T03:04:05.000006"),
        (date(2000, 1, 2), "2000-01-02"),
        (time(1, 2, 3), "01:02:03"),
        (uuid.UUID(int=1), str(uuid.UUID(int=1))),
        (Plain.A, "a"),
        (Plain.B, "2"),
        (Whole.A, "1"),
    ],
    ids=repr,
)
def test_other_keys(key, spelling):
    expected = orjson.dumps({spelling: [1]})
    assert orjson.dumps({key: [1]}, option=NON_STR) == expected
    assert orjson.dumps({key: [1]}, option=NON_STR | orjson.OPT_SORT_KEYS) == expected
    flags = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_STRICT_INTEGER
    assert orjson.dumps({key: [1]}, option=NON_STR | flags) == expected


def test_other_keys_refused():
    text = "Dict key must a type serializable with OPT_NON_STR_KEYS"
    for key in (
        (),
        b"x",
        Float(1),
        Decimal(1),
        1j,
        object(),
        orjson.Fragment(b"1"),
        frozenset(),
        timedelta(1),
    ):
        refused(text, {key: 1}, option=NON_STR)
        refused(text, {"a": {key: 1}}, option=NON_STR, default=str)
    for key in (2**64, -(2**63) - 1):
        refused("Dict integer key must be within 64-bit range", {key: 1}, option=NON_STR)
    refused("datetime.time must not have tzinfo set", {time(1, tzinfo=timezone.utc): 1}, option=NON_STR)
    refused("str is not valid UTF-8: surrogates not allowed", {Str("\ud800"): 1}, option=NON_STR)


def test_keys_spelled_alike_are_both_written():
    assert orjson.dumps({"1": 1, 1: 2}, option=NON_STR) == b'{"1":1,"1":2}'


def test_options_of_keys():
    key = datetime(2000, 1, 1, 0, 0, 0, 5)
    flags = NON_STR | orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z | orjson.OPT_OMIT_MICROSECONDS
    assert orjson.dumps({key: 1}, option=flags) == b'{"2000-01-01T00:00:00Z":1}'


def test_sorted_keys():
    value = {"b": {"z": 1, "y": 2}, "a": 1, "é": 2, "\uffff": 3, "😀": 4, "": 5, "aa": 6, "B": 7}
    expected = (
        b"{"
        + b",".join(
            json.dumps(key, ensure_ascii=False).encode() + b":" + orjson.dumps(value[key], option=32)
            for key in sorted(value)
        )
        + b"}"
    )
    assert orjson.dumps(value, option=orjson.OPT_SORT_KEYS) == expected
    assert orjson.dumps({10: 0, 9: 0, 1: 0}, option=NON_STR | orjson.OPT_SORT_KEYS) == b'{"1":0,"10":0,"9":0}'


# Dataclasses.


@dataclass
class Open:
    b: int
    _hidden: int = 2
    a: object = None
    shared: ClassVar[int] = 3
    given: InitVar[int] = 4


@dataclass(slots=True)
class Slotted:
    b: int
    _hidden: int = 2
    a: object = None


@dataclass(slots=True)
class Base:
    base: int


@dataclass
class Child(Base):
    child: int


class Undecorated(Open):
    pass


def test_dataclasses():
    for kind in (Open, Slotted):
        assert orjson.dumps(kind(1, a=[kind(2)])) == b'{"b":1,"a":[{"b":2,"a":null}]}'
        assert orjson.dumps([kind(1)], option=orjson.OPT_SORT_KEYS) == b'[{"b":1,"a":null}]'
        refused(
            f"Type is not JSON serializable: {kind.__name__}",
            kind(1),
            option=orjson.OPT_PASSTHROUGH_DATACLASS,
        )
        assert (
            orjson.dumps([kind(1)], option=2048, default=dataclasses.asdict)
            == b'[{"b":1,"_hidden":2,"a":null}]'
        )
    assert (
        orjson.dumps(Open(1, a={"z": 1, "y": 2}), option=orjson.OPT_SORT_KEYS) == b'{"b":1,"a":{"y":2,"z":1}}'
    )
    value = Open(1)
    value.extra = [5]
    del value.a
    assert orjson.dumps(value) == b'{"b":1,"extra":[5]}'
    refused("Type is not JSON serializable: type", Open)
    refused("Type is not JSON serializable: Undecorated", Undecorated(1))
    assert orjson.dumps(dataclasses.make_dataclass("Empty", [])()) == b"{}"
    assert orjson.dumps(Open(1), option=orjson.OPT_INDENT_2) == b'{\n  "b": 1,\n  "a": null\n}'


def test_fields_of_a_slotted_base_are_kept():
    assert orjson.dumps(Child(1, 2)) == b'{"base":1,"child":2}'


def test_a_container_that_is_a_dataclass():
    @dataclass
    class Both(dict):
        x: int = field(default=1)

    both = Both()
    both["y"] = 2
    assert orjson.dumps(both) == b'{"y":2}'


# Moments.


class Zone(tzinfo):
    def utcoffset(self, when):
        return timedelta(hours=2)

    def dst(self, when):
        return None


def test_moments():
    naive = datetime(1, 2, 3, 4, 5, 6)
    assert orjson.dumps([naive, naive.replace(microsecond=9), date(1, 2, 3), time(4, 5, 6, 7)]) == (
        b'["0001-02-03T04:05:06","0001-02-03T04:05:06.000009","0001-02-03","04:05:06.000007"]'
    )
    utc = datetime(2020, 1, 1, tzinfo=timezone.utc)
    assert (
        orjson.dumps([naive, utc], option=orjson.OPT_NAIVE_UTC)
        == b'["0001-02-03T04:05:06+00:00","2020-01-01T00:00:00+00:00"]'
    )
    assert (
        orjson.dumps([naive, utc], option=orjson.OPT_UTC_Z)
        == b'["0001-02-03T04:05:06","2020-01-01T00:00:00Z"]'
    )
    assert orjson.dumps(naive, option=orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC) == b'"0001-02-03T04:05:06Z"'
    assert orjson.dumps(
        [utc.replace(microsecond=9), time(1, 2, 3, 4)], option=orjson.OPT_OMIT_MICROSECONDS
    ) == (b'["2020-01-01T00:00:00+00:00","01:02:03"]')
    for zone in (timezone(timedelta(hours=2)), Zone(), ZoneInfo("Africa/Johannesburg")):
        assert orjson.dumps(utc.replace(tzinfo=zone)) == b'"2020-01-01T00:00:00+02:00"'
    assert (
        orjson.dumps(datetime(2020, 1, 1, tzinfo=timezone(-timedelta(hours=3, minutes=30))))
        == b'"2020-01-01T00:00:00-03:30"'
    )


@pytest.mark.parametrize("library", ["dateutil.tz", "pytz", "pendulum"])
def test_zones_of_other_libraries(library):
    module = pytest.importorskip(library, reason=f"needs {library}")
    find = {"dateutil.tz": "gettz", "pytz": "timezone", "pendulum": "timezone"}[library]
    zone = getattr(module, find)("Asia/Tokyo")
    local = datetime(2020, 7, 1, tzinfo=timezone.utc).astimezone(zone)
    assert orjson.dumps([local]) == b'["2020-07-01T09:00:00+09:00"]'
    assert orjson.dumps({local: 1}, option=NON_STR) == b'{"2020-07-01T09:00:00+09:00":1}'


def test_moments_refused():
    refused("datetime.time must not have tzinfo set", [time(1, tzinfo=timezone.utc)])
    refused("datetime.time must not have tzinfo set", [time(1, tzinfo=timezone.utc)], default=str)
    # Nor may a zone get lost that has no offset without a day.
    for option in (0, orjson.OPT_NAIVE_UTC):
        refused(
            "datetime.time must not have tzinfo set", [time(1, tzinfo=ZoneInfo("Asia/Tokyo"))], option=option
        )
        assert orjson.dumps(time(1), option=option) == b'"01:00:00"'
    refused(
        "datetime.time must not have tzinfo set", {time(1, tzinfo=ZoneInfo("Asia/Tokyo")): 1}, option=NON_STR
    )
    skip = orjson.OPT_PASSTHROUGH_DATETIME
    for value, name in ((datetime(2000, 1, 1), "datetime"), (date(2000, 1, 1), "date"), (time(), "time")):
        refused(f"Type is not JSON serializable: datetime.{name}", [value], option=skip)
        assert orjson.dumps([value], option=skip, default=lambda v: "hook") == b'["hook"]'

    class Moment(datetime):
        pass

    refused("Type is not JSON serializable: Moment", Moment(2000, 1, 1))


def test_offsets_round_to_a_valid_one():
    for seconds, expected in (
        (7170, "+02:00"),
        (7169, "+01:59"),
        (30, "+00:01"),
        (-17762, "-04:56"),
        (-7185, "-02:00"),
    ):
        value = datetime(1900, 1, 1, tzinfo=timezone(timedelta(seconds=seconds)))
        assert orjson.dumps(value) == f'"1900-01-01T00:00:00{expected}"'.encode()
