"""What ormsgpack's users rely on, in packb: names, calls, output, options, limits and error texts.

Nearly every test here runs twice: with the face, and, where it is installed, with ormsgpack itself. So each says what
both do. tests/test_compat_ormsgpack_more.py says what differs.
"""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import inspect
import struct
import uuid
from dataclasses import InitVar, dataclass
from typing import ClassVar
from zoneinfo import ZoneInfo

import pytest
from samples import nested

from oxwire.compat import ormsgpack as face

UTC = dt.timezone.utc
OPTIONS = {
    "OPT_DATETIME_AS_TIMESTAMP_EXT": 16384,
    "OPT_NAIVE_UTC": 1,
    "OPT_NON_STR_KEYS": 2,
    "OPT_OMIT_MICROSECONDS": 4,
    "OPT_PASSTHROUGH_BIG_INT": 8,
    "OPT_PASSTHROUGH_DATACLASS": 16,
    "OPT_PASSTHROUGH_DATETIME": 32,
    "OPT_PASSTHROUGH_ENUM": 8192,
    "OPT_PASSTHROUGH_SUBCLASS": 64,
    "OPT_PASSTHROUGH_TUPLE": 128,
    "OPT_PASSTHROUGH_UUID": 4096,
    "OPT_REPLACE_SURROGATES": 32768,
    "OPT_SERIALIZE_NUMPY": 256,
    "OPT_SERIALIZE_PYDANTIC": 512,
    "OPT_SORT_KEYS": 1024,
    "OPT_UTC_Z": 2048,
}
NAMES = {
    "__version__",
    "packb",
    "unpackb",
    "Ext",
    "Fragment",
    "MsgpackDecodeError",
    "MsgpackEncodeError",
    *OPTIONS,
}
NON_STR = face.OPT_NON_STR_KEYS
STAMP = face.OPT_DATETIME_AS_TIMESTAMP_EXT
NOT_A_KEY = "Dict key must a type serializable with OPT_NON_STR_KEYS"


def original_ormsgpack():
    """ormsgpack itself, or the test is skipped."""
    return pytest.importorskip("ormsgpack", minversion="1.13", reason="needs ormsgpack to compare with")


@pytest.fixture(params=["face", pytest.param("ormsgpack", marks=pytest.mark.peer)])
def lib(request):
    return face if request.param == "face" else original_ormsgpack()


def refused(lib, text, value, **arguments):
    """packb raises a plain TypeError with exactly this text."""
    with pytest.raises(TypeError) as caught:
        lib.packb(value, **arguments)
    assert type(caught.value) is TypeError
    assert str(caught.value) == text
    return caught.value


def unsupported(lib, value, name, **arguments):
    """packb has no form for a value of this class, and `default` is asked."""
    refused(lib, f"Type is not msgpack serializable: {name}", [value], **arguments)
    assert lib.packb([value], default=lambda v: "hook", **arguments) == b"\x91\xa4hook"


# Names and calls.


def test_names(lib):
    assert set(lib.__all__) == NAMES
    assert len(lib.__all__) == len(NAMES) == 23
    for name, value in OPTIONS.items():
        assert getattr(lib, name) == value
        assert type(getattr(lib, name)) is int
    assert lib.MsgpackEncodeError is TypeError
    assert lib.MsgpackDecodeError is ValueError
    assert lib.__version__.startswith("1.13")


def test_functions(lib):
    assert inspect.isbuiltin(lib.packb)
    assert inspect.isbuiltin(lib.unpackb)
    assert str(inspect.signature(lib.packb)) == "(obj, /, default=None, option=None)"
    assert str(inspect.signature(lib.unpackb)) == "(obj, /, *, ext_hook=None, option=None)"
    assert (lib.packb.__name__, lib.unpackb.__name__) == ("packb", "unpackb")
    assert lib.packb.__doc__ == "Serialize Python objects to msgpack."
    assert lib.unpackb.__doc__ == "Deserialize msgpack to Python objects."


@pytest.mark.parametrize(
    ("text", "positional", "named"),
    [
        ("missing 1 required positional argument: 'obj'", (), {}),
        ("missing 1 required positional argument: 'obj'", (), {"default": str}),
        ("got some positional-only arguments passed as keyword arguments: 'obj'", (), {"obj": 1}),
        ("takes from 1 to 3 positional arguments but 4 were given", (1, 2, 3, 4), {}),
        ("got an unexpected keyword argument 'foo'", (1,), {"foo": 1}),
        ("got an unexpected keyword argument 'foo'", (), {"foo": 1}),
        ("got multiple values for argument 'default'", (1, None), {"default": None}),
        ("got multiple values for argument 'option'", (1, None, 1), {"option": 1}),
    ],
)
def test_calls(lib, text, positional, named):
    with pytest.raises(TypeError) as caught:
        lib.packb(*positional, **named)
    assert str(caught.value) == f"packb() {text}"


def test_arguments(lib):
    assert lib.packb([1j], str) == b"\x91\xa21j"
    assert lib.packb({"b": 1, "a": 2}, None, lib.OPT_SORT_KEYS) == b"\x82\xa1a\x02\xa1b\x01"
    assert lib.packb(1, default=None, option=None) == b"\x01"
    assert lib.packb(1, default=5, option=0) == b"\x01"
    assert lib.packb(None, option=2**16 - 1) == b"\xc0"


@pytest.mark.parametrize("option", [1 << 16, 1 << 40, 1 << 70, -1, -(1 << 70), True, "1", 1.0, b""])
def test_options_that_are_none(lib, option):
    refused(lib, "Invalid opts", 1, option=option)


# Values.


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, b"\xc0"),
        (False, b"\xc2"),
        (True, b"\xc3"),
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\xcc\x80"),
        (255, b"\xcc\xff"),
        (256, b"\xcd\x01\x00"),
        (65536, b"\xce\x00\x01\x00\x00"),
        (2**32, b"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"),
        (2**63 - 1, b"\xcf\x7f" + b"\xff" * 7),
        (2**64 - 1, b"\xcf" + b"\xff" * 8),
        (-1, b"\xff"),
        (-32, b"\xe0"),
        (-33, b"\xd0\xdf"),
        (-129, b"\xd1\xff\x7f"),
        (-32769, b"\xd2\xff\xff\x7f\xff"),
        (-(2**63), b"\xd3\x80" + b"\0" * 7),
        (1.5, b"\xcb" + struct.pack(">d", 1.5)),
        (-0.0, b"\xcb" + struct.pack(">d", -0.0)),
        (float("-inf"), b"\xcb" + struct.pack(">d", float("-inf"))),
        ("", b"\xa0"),
        ("é", b"\xa2\xc3\xa9"),
        ("x" * 31, b"\xbf" + b"x" * 31),
        ("x" * 32, b"\xd9\x20" + b"x" * 32),
        ("x" * 256, b"\xda\x01\x00" + b"x" * 256),
        (b"", b"\xc4\x00"),
        (bytearray(b"ab"), b"\xc4\x02ab"),
        (memoryview(b"ab"), b"\xc4\x02ab"),
        (memoryview(b"abcd").cast("H"), b"\xc4\x04abcd"),
        (b"x" * 65536, b"\xc6\x00\x01\x00\x00" + b"x" * 65536),
        ([], b"\x90"),
        ((), b"\x90"),
        ([1, (2, [3])], b"\x92\x01\x92\x02\x91\x03"),
        ([None] * 16, b"\xdc\x00\x10" + b"\xc0" * 16),
        ({}, b"\x80"),
        ({"b": 1, "a": [2]}, b"\x82\xa1b\x01\xa1a\x91\x02"),
        ({str(n): n for n in range(16)}, None),
        (uuid.UUID(int=5), b"\xd9\x2400000000-0000-0000-0000-000000000005"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_values(lib, value, expected):
    expected = expected or b"\xde\x00\x10" + b"".join(lib.packb(k) + lib.packb(v) for k, v in value.items())
    assert lib.packb(value) == expected
    assert lib.packb([value, {"k": value}]) == b"\x92" + expected + b"\x81\xa1k" + expected


class Str(str):
    __slots__ = ()


class Int(int):
    pass


class List(list):
    pass


class Dict(dict):
    pass


class Float(float):
    pass


class Bytes(bytes):
    pass


pair = collections.namedtuple("pair", "a b")


def test_subclasses(lib):
    values = (Str("é"), Int(5), List([1]), Dict(a=1))
    assert lib.packb(values) == b"\x94\xa2\xc3\xa9\x05\x91\x01\x81\xa1a\x01"
    for value in values:
        unsupported(lib, value, type(value).__name__, option=lib.OPT_PASSTHROUGH_SUBCLASS)
    assert lib.packb([1, "x", [], {}], option=lib.OPT_PASSTHROUGH_SUBCLASS) == b"\x94\x01\xa1x\x90\x80"
    assert lib.packb(collections.OrderedDict(b=1, a=2)) == b"\x82\xa1b\x01\xa1a\x02"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Float(1), "Float"),
        (Bytes(b"x"), "Bytes"),
        (type("Array", (bytearray,), {})(), "Array"),
        (pair(1, 2), "pair"),
        (1j, "complex"),
        ({1}, "set"),
        (frozenset(), "frozenset"),
        (collections.deque(), "collections.deque"),
        (range(2), "range"),
        ({}.keys(), "dict_keys"),
        (dt.timedelta(1), "datetime.timedelta"),
        (decimal.Decimal("1.5"), "decimal.Decimal"),
        (type("Moment", (dt.datetime,), {})(2000, 1, 1), "Moment"),
        (type("Unique", (uuid.UUID,), {})(int=5), "Unique"),
        (int, "type"),
        (..., "ellipsis"),
    ],
    ids=repr,
)
def test_unsupported(lib, value, name):
    unsupported(lib, value, name)


def test_integers_beyond_64_bits(lib):
    passed = lib.OPT_PASSTHROUGH_BIG_INT
    for value in (2**64, -(2**63) - 1, Int(2**64)):
        refused(lib, "Integer exceeds 64-bit range", value, default=str)
        refused(lib, "Type is not msgpack serializable: " + type(value).__name__, value, option=passed)
        assert lib.packb([value], option=passed, default=str) == lib.packb([str(value)])
        refused(lib, "Integer exceeds 64-bit range", {value: 1}, option=passed | NON_STR, default=str)
    assert lib.packb([2**64 - 1, -(2**63)], option=passed) == lib.packb([2**64 - 1, -(2**63)])


def test_surrogates(lib):
    text = "string contains surrogates"
    for value in ("\ud800", Str("a\udfff"), ["é\ud800"], {"k": "\ud800"}, {"\ud800": 1}):
        refused(lib, text, value)
    replaced = lib.OPT_REPLACE_SURROGATES
    packed = lib.packb(["a\ud800b\udc00€", Str("\ud800")], option=replaced)
    assert lib.unpackb(packed) == ["a?b?€", "?"]
    for option in (replaced, replaced | NON_STR, replaced | lib.OPT_SORT_KEYS):
        refused(lib, text, {"b": 1, "a\ud800": 1}, option=option)


def test_tuples(lib):
    unsupported(lib, (1,), "tuple", option=lib.OPT_PASSTHROUGH_TUPLE)
    assert lib.packb((1,), option=lib.OPT_PASSTHROUGH_TUPLE, default=list) == b"\x91\x01"
    text = "Recursion limit for default hook reached"
    refused(lib, text, (1,), option=lib.OPT_PASSTHROUGH_TUPLE, default=lambda value: value)
    assert lib.packb({(1,): 1}, option=lib.OPT_PASSTHROUGH_TUPLE | NON_STR) == b"\x81\x91\x01\x01"


class Plain(enum.Enum):
    A = "a"
    B = 2
    C = (1, 2)
    D = dt.date(2000, 1, 1)
    E = 1j


class Whole(enum.IntEnum):
    A = 1


class Word(str, enum.Enum):
    A = "w"


class Flags(enum.Flag):
    R = 1
    W = 2


def test_enums(lib):
    assert lib.packb([Plain.A, Plain.B, Plain.C, Plain.D]) == b"\x94\xa1a\x02\x92\x01\x02\xaa2000-01-01"
    assert lib.packb([Whole.A, Word.A, Flags.R | Flags.W]) == b"\x93\x01\xa1w\x03"
    assert lib.packb([Whole.A, Word.A], option=lib.OPT_PASSTHROUGH_SUBCLASS) == b"\x92\x01\xa1w"
    refused(lib, "Type is not msgpack serializable: complex", Plain.E)
    assert lib.packb(Plain.E, default=str) == b"\xa21j"
    for member in (Plain.A, Whole.A, Word.A):
        unsupported(lib, member, type(member).__name__, option=lib.OPT_PASSTHROUGH_ENUM)
    assert lib.packb({Whole.A: 1, Plain.C: 2}, option=lib.OPT_PASSTHROUGH_ENUM | NON_STR) == (
        b"\x82\x01\x01\x92\x01\x02\x02"
    )
    unsupported(lib, uuid.UUID(int=5), "UUID", option=lib.OPT_PASSTHROUGH_UUID)


# default.


def test_default(lib):
    assert lib.packb([1j], default=lambda v: None) == b"\x91\xc0"
    assert lib.packb([1j], default=lambda v: {"a": [v.imag]}) == lib.packb([{"a": [1.0]}])
    seen = []
    lib.packb([1, "x", None, 2.5, {"a": (True,)}, b"b"], default=seen.append)
    assert seen == []

    def broken(value):
        raise ValueError("mine")

    refused(lib, "Type is not msgpack serializable: complex", {"a": [1j]}, default=broken)
    refused(lib, "Type is not msgpack serializable: complex", 1j, default=5)


def test_default_chains(lib):
    class Onion:
        def __init__(self, layers):
            self.layers = layers

    def peel(value):
        return Onion(value.layers - 1) if value.layers > 1 else "core"

    assert lib.packb([Onion(255), Onion(255)], default=peel) == b"\x92\xa4core\xa4core"
    for value, default in ((Onion(256), peel), (1j, lambda value: value)):
        refused(lib, "Recursion limit for default hook reached", value, default=default)


# Depth.


@pytest.mark.parametrize("kind", ["list", "dict", "tuple"])
def test_depth(lib, kind):
    assert lib.unpackb(lib.packb(nested(255, kind, 1)))
    refused(lib, "Recursion limit reached", nested(256, kind, 1))
    if kind == "dict":
        refused(lib, "Recursion limit reached", nested(256, kind, 1), option=lib.OPT_SORT_KEYS)


def test_circles(lib):
    ring = []
    ring.append(ring)
    mapping = {}
    mapping["a"] = (mapping,)
    for circle in (ring, mapping):
        refused(lib, "Recursion limit reached", circle)


# Keys.


def test_keys_are_text(lib):
    for key in (1, None, 1.5, True, (), b"x", Str("x"), uuid.UUID(int=1), Plain.A, dt.date(2000, 1, 1)):
        refused(lib, "Dict key must be str", {key: 1})
        refused(lib, "Dict key must be str", {"a": [{"b": 1, key: 1}]}, option=lib.OPT_SORT_KEYS)
        refused(lib, "Dict key must be str", {key: 1}, default=str)


@pytest.mark.parametrize(
    ("key", "packed"),
    [
        ("é", b"\xa2\xc3\xa9"),
        (Str("s"), b"\xa1s"),
        (b"x", b"\xc4\x01x"),
        (memoryview(b"x"), b"\xc4\x01x"),
        (5, b"\x05"),
        (Int(5), b"\x05"),
        (2**64 - 1, b"\xcf" + b"\xff" * 8),
        (1.5, b"\xcb" + struct.pack(">d", 1.5)),
        (True, b"\xc3"),
        (None, b"\xc0"),
        ((), b"\x90"),
        ((1, ("a", None)), b"\x92\x01\x92\xa1a\xc0"),
        (dt.datetime(2000, 1, 2, 3, 4, 5), b"\xb32000-01-02T03:04:05"),
        (dt.date(2000, 1, 2), b"\xaa2000-01-02"),
        (dt.time(1, 2, 3), b"\xa801:02:03"),
        (uuid.UUID(int=1), b"\xd9\x24" + str(uuid.UUID(int=1)).encode()),
        (Plain.A, b"\xa1a"),
        (Plain.C, b"\x92\x01\x02"),
    ],
    ids=repr,
)
def test_other_keys(lib, key, packed):
    expected = b"\x82" + packed + b"\x91\x01\xa1z\xc0"
    assert lib.packb({key: [1], "z": None}, option=NON_STR) == expected
    passed = (
        lib.OPT_PASSTHROUGH_DATETIME
        | lib.OPT_PASSTHROUGH_SUBCLASS
        | lib.OPT_PASSTHROUGH_UUID
        | lib.OPT_PASSTHROUGH_ENUM
        | lib.OPT_PASSTHROUGH_TUPLE
        | lib.OPT_PASSTHROUGH_BIG_INT
    )
    assert lib.packb({key: 1}, option=NON_STR | passed) == b"\x81" + packed + b"\x01"
    assert lib.packb({(key,): 1}, option=NON_STR | passed) == b"\x81\x91" + packed + b"\x01"


def test_other_keys_refused(lib):
    for key in (
        Float(1),
        Bytes(b"x"),
        pair(1, 2),
        frozenset(),
        decimal.Decimal(1),
        1j,
        object(),
        dt.timedelta(1),
        Plain.E,
        lib.Fragment(b"\xc0"),
    ):
        for wrapped in (key, (1, key), ((key,),)):
            refused(lib, NOT_A_KEY, {wrapped: 1}, option=NON_STR)
            refused(lib, NOT_A_KEY, {"a": {wrapped: 1}}, option=NON_STR, default=str)
    text = "datetime.time must not have tzinfo set"
    for zone in (UTC, ZoneInfo("Asia/Tokyo")):
        refused(lib, text, {dt.time(1, tzinfo=zone): 1}, option=NON_STR)
        refused(lib, text, [dt.time(1, tzinfo=zone)])


@pytest.mark.parametrize("key", [uuid.UUID(int=1), (1, uuid.UUID(int=1)), 1.5])
def test_what_a_hook_raises_behind_a_key_that_python_shows_is_not_lost(lib, key):
    def default(value):
        raise LookupError(value)

    with pytest.raises(TypeError) as caught:
        lib.packb({"a": 1, key: object()}, default=default, option=NON_STR)
    assert str(caught.value) == "Type is not msgpack serializable: object"
    if lib.__name__.startswith("oxwire"):
        assert isinstance(caught.value.__cause__, LookupError)


def test_options_of_keys(lib):
    key = dt.datetime(2000, 1, 1, 0, 0, 0, 5)
    flags = NON_STR | lib.OPT_NAIVE_UTC | lib.OPT_UTC_Z | lib.OPT_OMIT_MICROSECONDS
    assert lib.packb({key: 1}, option=flags) == b"\x81\xb42000-01-01T00:00:00Z\x01"
    assert lib.packb({key: 1}, option=flags | STAMP)[:3] == b"\x81\xd7\xff"


def test_sorted_keys(lib):
    value = {"b": {"z": 1, "y": 2}, "a": 1, "é": 2, "\uffff": 3, "😀": 4, "": 5, "aa": 6, "B": 7}
    packed = lib.packb(value, option=lib.OPT_SORT_KEYS)
    assert list(lib.unpackb(packed)) == sorted(value)
    assert list(lib.unpackb(packed)["b"]) == ["y", "z"]
    text = "OPT_NON_STR_KEYS is not compatible with OPT_SORT_KEYS"
    both = NON_STR | lib.OPT_SORT_KEYS
    for value in ({"a": 1}, {1: 1}, [{"a": 1}]):
        refused(lib, text, value, option=both)
    assert lib.packb([1, {}], option=both) == b"\x92\x01\x80"


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


@dataclass
class Child(Slotted):
    c: int = 7


class Undecorated(Open):
    pass


def test_dataclasses(lib):
    for kind in (Open, Slotted):
        assert lib.packb(kind(1, a=[kind(2)])) == b"\x82\xa1b\x01\xa1a\x91\x82\xa1b\x02\xa1a\xc0"
        unsupported(lib, kind(1), kind.__name__, option=lib.OPT_PASSTHROUGH_DATACLASS)
    assert lib.packb(Child(1)) == b"\x83\xa1b\x01\xa1a\xc0\xa1c\x07"
    assert lib.packb(Open(1, a={"z": 1, "y": 2}), option=lib.OPT_SORT_KEYS) == (
        b"\x82\xa1b\x01\xa1a\x82\xa1y\x02\xa1z\x01"
    )
    value = Open(1, a=5)
    value.extra = [5]
    assert lib.packb(value) == b"\x82\xa1b\x01\xa1a\x05"
    del value.a
    # The class has its default.
    assert lib.packb(value) == b"\x82\xa1b\x01\xa1a\xc0"
    unsupported(lib, Open, "type")
    unsupported(lib, Undecorated(1), "Undecorated")
    assert lib.packb(dataclasses.make_dataclass("Empty", [])()) == b"\x80"


def test_a_container_that_is_a_dataclass(lib):
    @dataclass
    class Both(list):
        x: int = 1

    assert lib.packb(Both()) == b"\x90"


# Moments.


class Zone(dt.tzinfo):
    def utcoffset(self, when):
        return dt.timedelta(hours=2)

    def dst(self, when):
        return None


def texts(lib, values, option=0):
    return lib.unpackb(lib.packb(values, option=option))


def test_moments(lib):
    naive = dt.datetime(1, 2, 3, 4, 5, 6)
    assert texts(lib, [naive, naive.replace(microsecond=9), dt.date(1, 2, 3), dt.time(4, 5, 6, 7)]) == [
        "0001-02-03T04:05:06",
        "0001-02-03T04:05:06.000009",
        "0001-02-03",
        "04:05:06.000007",
    ]
    utc = dt.datetime(2020, 1, 1, tzinfo=UTC)
    assert texts(lib, [naive, utc], lib.OPT_NAIVE_UTC) == [
        "0001-02-03T04:05:06+00:00",
        "2020-01-01T00:00:00+00:00",
    ]
    assert texts(lib, [naive, utc], lib.OPT_UTC_Z) == ["0001-02-03T04:05:06", "2020-01-01T00:00:00Z"]
    assert texts(lib, [naive], lib.OPT_UTC_Z | lib.OPT_NAIVE_UTC) == ["0001-02-03T04:05:06Z"]
    cut = [utc.replace(microsecond=9), dt.time(1, 2, 3, 4)]
    assert texts(lib, cut, lib.OPT_OMIT_MICROSECONDS) == ["2020-01-01T00:00:00+00:00", "01:02:03"]
    for zone in (dt.timezone(dt.timedelta(hours=2)), Zone(), ZoneInfo("Africa/Johannesburg")):
        assert texts(lib, [utc.replace(tzinfo=zone)]) == ["2020-01-01T00:00:00+02:00"]


def test_timestamps(lib):
    stamps = {
        dt.datetime(2020, 1, 1, tzinfo=UTC): b"\xd6\xff\x5e\x0b\xe1\x00",
        dt.datetime(2020, 1, 1, 2, tzinfo=Zone()): b"\xd6\xff\x5e\x0b\xe1\x00",
        dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC): b"\xd7\xff" + (1000 << 34).to_bytes(8, "big"),
        dt.datetime(2200, 1, 1, tzinfo=UTC): b"\xd7\xff" + (7258118400).to_bytes(8, "big"),
        dt.datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC): (
            b"\xc7\x0c\xff" + (500_000_000).to_bytes(4, "big") + b"\xff" * 8
        ),
    }
    for moment, packed in stamps.items():
        assert lib.packb(moment, option=STAMP) == packed
        assert lib.unpackb(packed, option=STAMP) == moment
    naive = dt.datetime(2020, 1, 1)
    assert lib.packb(naive, option=STAMP) == b"\xb32020-01-01T00:00:00"
    assert lib.packb(naive, option=STAMP | lib.OPT_NAIVE_UTC) == b"\xd6\xff\x5e\x0b\xe1\x00"
    assert lib.packb(dt.date(2020, 1, 1), option=STAMP) == b"\xaa2020-01-01"
    micro = dt.datetime(2020, 1, 1, 0, 0, 0, 7, tzinfo=UTC)
    assert lib.unpackb(lib.packb(micro, option=STAMP | lib.OPT_OMIT_MICROSECONDS), option=STAMP) == micro


def test_moments_refused(lib):
    refused(lib, "datetime.time must not have tzinfo set", [dt.time(1, tzinfo=UTC)], default=str)
    passed = lib.OPT_PASSTHROUGH_DATETIME
    for value, name in (
        (dt.datetime(2000, 1, 1), "datetime"),
        (dt.date(2000, 1, 1), "date"),
        (dt.time(), "time"),
    ):
        unsupported(lib, value, f"datetime.{name}", option=passed)


@pytest.mark.parametrize("library", ["dateutil.tz", "pytz", "pendulum"])
def test_zones_of_other_libraries(lib, library):
    module = pytest.importorskip(library, reason=f"needs {library}")
    find = {"dateutil.tz": "gettz", "pytz": "timezone", "pendulum": "timezone"}[library]
    zone = getattr(module, find)("Asia/Tokyo")
    local = dt.datetime(2020, 7, 1, tzinfo=UTC).astimezone(zone)
    assert texts(lib, [local]) == ["2020-07-01T09:00:00+09:00"]
