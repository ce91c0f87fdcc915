"""What msgpack's users rely on: names, packb, Packer, ExtType.

Nearly every test here runs twice: with the face, and, where it is installed, with msgpack itself. So each says what
both do. Those that take no `lib` say what differs.
"""

import array
import collections
import copy
import datetime as dt
import decimal
import enum
import importlib
import inspect
import pickle
import uuid

import pytest
from samples import nested

import oxwire.msgpack
from oxwire.compat import msgpack

UTC = dt.timezone.utc
EXCEPTIONS = {
    "BufferFull",
    "ExtraData",
    "FormatError",
    "OutOfData",
    "PackException",
    "PackOverflowError",
    "PackValueError",
    "StackError",
    "UnpackException",
    "UnpackValueError",
}
NAMES = {
    "ExtType",
    "Packer",
    "Timestamp",
    "Unpacker",
    "dump",
    "dumps",
    "load",
    "loads",
    "pack",
    "packb",
    "unpack",
    "unpackb",
    "version",
}


def original_msgpack():
    """msgpack itself, or the test is skipped."""
    module = pytest.importorskip("msgpack", minversion="1.2.4", reason="needs msgpack to compare with")
    if module.Packer.__module__ == "msgpack.fallback":
        pytest.skip("msgpack has no extension here, and other texts without it")
    return module


@pytest.fixture(params=["face", pytest.param("original", marks=pytest.mark.peer)])
def lib(request):
    return msgpack if request.param == "face" else original_msgpack()


def refuses(kind, text, function, *args, **kwargs):
    """The function raises exactly this."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    assert type(caught.value) is kind
    assert str(caught.value) == text
    return caught.value


# Names.


def test_names(lib):
    for name in NAMES | EXCEPTIONS | {"exceptions", "ext", "__version__"}:
        assert hasattr(lib, name), name
    assert lib.__version__ == ".".join(map(str, lib.version))
    assert msgpack.version == (1, 2, 4)
    assert lib.dumps is lib.packb
    assert lib.loads is lib.unpackb
    assert lib.dump is lib.pack
    assert lib.load is lib.unpack
    scope = {}
    exec(f"from {lib.__name__} import *", scope)
    assert NAMES | EXCEPTIONS | {"exceptions", "ext"} <= {*scope}


def test_submodules(lib):
    for name in EXCEPTIONS:
        assert getattr(importlib.import_module(f"{lib.__name__}.exceptions"), name) is getattr(lib, name)
    ext = importlib.import_module(f"{lib.__name__}.ext")
    assert (ext.ExtType, ext.Timestamp) == (lib.ExtType, lib.Timestamp)
    for name in ("fallback", "_cmsgpack"):
        module = importlib.import_module(f"{lib.__name__}.{name}")
        assert module.unpackb(module.Packer().pack([1])) == [1]
        unpacker = module.Unpacker()
        unpacker.feed(b"\x01\x02")
        assert list(unpacker) == [1, 2]


def test_exceptions(lib):
    assert lib.PackException is Exception
    assert (lib.PackValueError, lib.UnpackValueError, lib.PackOverflowError) == (
        ValueError,
        ValueError,
        OverflowError,
    )
    assert lib.UnpackException.__bases__ == (Exception,)
    assert lib.BufferFull.__bases__ == lib.OutOfData.__bases__ == (lib.UnpackException,)
    assert lib.FormatError.__bases__ == lib.StackError.__bases__ == (ValueError, lib.UnpackException)
    assert lib.ExtraData.__bases__ == (ValueError,)
    extra = lib.ExtraData(1, b"2")
    assert (extra.unpacked, extra.extra, extra.args) == (1, b"2", (1, b"2"))
    assert str(extra) == "unpack(b) received extra data."


def test_calls(lib):
    assert lib.packb(o=3) == b"\x03"
    assert lib.unpackb(packed=b"\x03") == 3
    for call in (
        lib.packb,
        lib.unpackb,
        lambda: lib.packb(1, None),
        lambda: lib.packb(1, foo=1),
        lambda: lib.unpackb(b"\x01", None),
        lambda: lib.unpackb(b"\x01", foo=1),
        lambda: lib.Packer(None),
        lambda: lib.Packer(foo=1),
        lambda: lib.Unpacker(None, 5),
        lambda: lib.Unpacker(foo=1),
        lambda: lib.packb(1, buf_size="a"),
    ):
        with pytest.raises(TypeError):
            call()
    refuses(TypeError, "unpackb() got an unexpected keyword argument 'foo'", lib.unpackb, b"\x01", foo=1)
    refuses(TypeError, "packb() missing 1 required positional argument: 'o'", lib.packb)
    for options in ({"buf_size": 1}, {"buf_size": 0}, {"use_bin_type": True}, {"autoreset": 1}):
        assert lib.packb([1, "a"], **options) == b"\x92\x01\xa1a"
    assert lib.packb([1], autoreset=False) is None


def test_members(lib):
    packer = {
        "bytes",
        "getbuffer",
        "pack",
        "pack_array_header",
        "pack_ext_type",
        "pack_map_header",
        "pack_map_pairs",
    }
    assert {name for name in dir(lib.Packer) if name[0] != "_"} == packer | {"reset"}
    unpacker = {"feed", "read_array_header", "read_bytes", "read_map_header", "skip", "tell", "unpack"}
    assert {name for name in dir(lib.Unpacker) if name[0] != "_"} == unpacker
    for function in (lib.packb, lib.unpackb, lib.pack, lib.unpack):
        assert inspect.getdoc(function)


# ExtType.


def test_ext_type(lib):
    ext = lib.ExtType(5, b"abc")
    assert isinstance(ext, tuple)
    assert (ext.code, ext.data) == tuple(ext) == (5, b"abc")
    assert repr(ext) == "ExtType(code=5, data=b'abc')"
    assert ext == lib.ExtType(code=5, data=b"abc") == (5, b"abc")
    assert hash(ext) == hash((5, b"abc"))
    assert pickle.loads(pickle.dumps(ext)) == copy.deepcopy(ext) == ext
    assert type(pickle.loads(pickle.dumps(ext))) is lib.ExtType
    assert ext._replace(code=6) == (6, b"abc")
    refuses(TypeError, "code must be int", lib.ExtType, "5", b"")
    refuses(TypeError, "data must be bytes", lib.ExtType, 5, "")
    refuses(TypeError, "data must be bytes", lib.ExtType, 5, bytearray())
    for code in (-1, 128):
        refuses(ValueError, "code must be 0~127", lib.ExtType, code, b"")
    assert lib.packb(lib.ExtType(True, b"")) == b"\xc7\x00\x01"


def test_timestamp_is_ours():
    assert msgpack.Timestamp is oxwire.msgpack.Timestamp


# What is packed.


class Str(str):
    pass


class Int(int):
    pass


class Float(float):
    pass


class Bytes(bytes):
    pass


class Dict(dict):
    pass


class List(list):
    pass


class Tuple(tuple):
    pass


class Level(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    A = "a"


Point = collections.namedtuple("Point", "x y")

PACKED = [
    (None, "c0"),
    (True, "c3"),
    (False, "c2"),
    (0, "00"),
    (127, "7f"),
    (128, "cc80"),
    (255, "ccff"),
    (256, "cd0100"),
    (65535, "cdffff"),
    (65536, "ce00010000"),
    (2**32 - 1, "ceffffffff"),
    (2**32, "cf0000000100000000"),
    (2**64 - 1, "cfffffffffffffffff"),
    (-1, "ff"),
    (-32, "e0"),
    (-33, "d0df"),
    (-128, "d080"),
    (-129, "d1ff7f"),
    (-32768, "d18000"),
    (-32769, "d2ffff7fff"),
    (-(2**31), "d280000000"),
    (-(2**31) - 1, "d3ffffffff7fffffff"),
    (-(2**63), "d38000000000000000"),
    (0.0, "cb0000000000000000"),
    (-0.0, "cb8000000000000000"),
    (1.5, "cb3ff8000000000000"),
    (float("inf"), "cb7ff0000000000000"),
    (float("nan"), "cb7ff8000000000000"),
    ("", "a0"),
    ("a" * 31, "bf" + "61" * 31),
    ("a" * 32, "d920" + "61" * 32),
    ("é€😀", "a9c3a9e282acf09f9880"),
    (b"", "c400"),
    (b"ab", "c4026162"),
    (bytearray(b"ab"), "c4026162"),
    (memoryview(b"ab"), "c4026162"),
    (memoryview(b"abcd")[1:3], "c4026263"),
    (memoryview(array.array("H", [0x6161, 0x6262])), "c40461616262"),
    ([], "90"),
    ([1, [2]], "92019102"),
    ((1, (2,)), "92019102"),
    ({}, "80"),
    ({"a": {"b": 1}}, "81a16181a16201"),
    ({1: 2, None: 3, 1.5: 4, b"c": 5, (6, "d"): 7}, "850102c003cb3ff800000000000004c40163059206a16407"),
    (collections.OrderedDict(b=1, a=2), "82a16201a16102"),
    (collections.Counter("aab"), "82a16102a16201"),
    (Point(1, 2), "920102"),
    (Level.ONE, "01"),
    (Word.A, "a161"),
    (Str("s"), "a173"),
    (Int(7), "07"),
    (Float(1.5), "cb3ff8000000000000"),
    (Bytes(b"b"), "c40162"),
    (Dict(a=1), "81a16101"),
    (List([1]), "9101"),
    (Tuple([1]), "9101"),
]


@pytest.mark.parametrize(("value", "hexadecimal"), PACKED, ids=lambda value: None)
def test_packed(lib, value, hexadecimal):
    assert lib.packb(value).hex() == hexadecimal
    assert lib.packb([value, {"k": value}]).hex() == f"92{hexadecimal}81a16b{hexadecimal}"
    assert lib.Packer().pack(value).hex() == hexadecimal
    assert lib.packb(value, default=str, datetime=True).hex() == hexadecimal


def test_packed_ext_and_timestamp(lib):
    for size, head in (
        (0, "c70005"),
        (1, "d405"),
        (3, "c70305"),
        (16, "d805"),
        (17, "c71105"),
        (256, "c8010005"),
    ):
        body = b"x" * size
        assert lib.packb(lib.ExtType(5, body)) == bytes.fromhex(head) + body
        assert lib.packb({lib.ExtType(5, body): 1}) == b"\x81" + bytes.fromhex(head) + body + b"\x01"

    class Mine(lib.ExtType):
        pass

    assert lib.packb([Mine(1, b"a")]).hex() == "91d40161"
    for arguments, hexadecimal in (
        ((1,), "d6ff00000001"),
        ((1, 2), "d7ff0000000800000001"),
        ((-1,), "c70cff00000000ffffffffffffffff"),
        ((2**34,), "c70cff000000000000000400000000"),
    ):
        assert lib.packb(lib.Timestamp(*arguments)).hex() == hexadecimal
        assert lib.packb({lib.Timestamp(*arguments): 1}).hex() == f"81{hexadecimal}01"


def test_packed_lengths(lib):
    for size, head in ((15, "9f"), (16, "dc0010"), (65535, "dcffff"), (65536, "dd00010000")):
        assert lib.packb([1] * size) == bytes.fromhex(head) + b"\x01" * size
    for size, head in ((15, "8f"), (16, "de0010"), (65536, "df00010000")):
        assert lib.packb(dict.fromkeys(range(size), 1))[: len(head) // 2].hex() == head
    for size, head in ((255, "d9ff"), (256, "da0100"), (65536, "db00010000")):
        assert lib.packb("x" * size) == bytes.fromhex(head) + b"x" * size
    for size, head in ((255, "c4ff"), (256, "c50100"), (65536, "c600010000")):
        assert lib.packb(b"x" * size) == bytes.fromhex(head) + b"x" * size


# What is not.


class Plain:
    pass


class Moment(dt.datetime):
    pass


UNSUPPORTED = [
    ({1}, "set"),
    (frozenset(), "frozenset"),
    (object(), "object"),
    (1j, "complex"),
    (range(3), "range"),
    (..., "ellipsis"),
    (int, "type"),
    (Plain(), "Plain"),
    (decimal.Decimal(1), "decimal.Decimal"),
    (uuid.UUID(int=1), "UUID"),
    (collections.deque(), "collections.deque"),
    (array.array("I"), "array.array"),
    (dt.date(2000, 1, 1), "datetime.date"),
    (dt.datetime(2000, 1, 1), "datetime.datetime"),
    (dt.datetime(2000, 1, 1, tzinfo=UTC), "datetime.datetime"),
    (Moment(2000, 1, 1), "Moment"),
]


@pytest.mark.parametrize(("value", "name"), UNSUPPORTED, ids=lambda value: None)
def test_unsupported(lib, value, name):
    text = f"can not serialize '{name}' object"
    for options in ({}, {"default": None}, {"default": lambda value: value}):
        refuses(TypeError, text, lib.packb, value, **options)
        refuses(TypeError, text, lib.packb, [{"a": value}], **options)
        refuses(TypeError, text, lib.Packer(**options).pack, value)
    assert lib.packb([value], default=lambda value: 7) == b"\x91\x07"


def test_integers_beyond_64_bits(lib):
    for number in (2**64, -(2**63) - 1, 10**40, Int(2**64)):
        refuses(OverflowError, "Integer value out of range", lib.packb, [number])
        refuses(OverflowError, "Integer value out of range", lib.packb, {number: 1})
        refuses(OverflowError, "Integer value out of range", lib.packb, number, default=lambda number: number)
        assert lib.packb([number], default=lambda number: "big") == b"\x91\xa3big"
    refuses(OverflowError, "Integer value out of range", lib.packb, {1}, default=lambda value: 2**64)


def test_surrogates(lib):
    for text, at in (("\ud800", 0), ("aé\udfff", 2)):
        for value in (text, [text], {text: 1}, {"a": text}, Str(text)):
            error = refuses(
                UnicodeEncodeError,
                f"'utf-8' codec can't encode character {ascii(text[at])} in position {at}: surrogates not allowed",
                lib.packb,
                value,
            )
            assert error.args == ("utf-8", text, at, at + 1, "surrogates not allowed")
        refuses(UnicodeEncodeError, str(error), lib.packb, text, unicode_errors="strict")
        refuses(UnicodeEncodeError, str(error), lib.packb, {1}, default=lambda value: text)
    assert lib.packb("a\ud800", unicode_errors="surrogatepass") == b"\xa4a\xed\xa0\x80"
    assert lib.packb({"a\udcff": "é"}, unicode_errors="surrogateescape") == b"\x81\xa2a\xff\xa2\xc3\xa9"
    assert lib.packb("a\ud800", unicode_errors="ignore") == b"\xa1a"
    assert lib.packb("a\ud800", unicode_errors="replace") == b"\xa2a?"
    assert lib.packb("a", unicode_errors="nope") == b"\xa1a"
    with pytest.raises(LookupError):
        lib.packb("a\ud800", unicode_errors="nope")
    with pytest.raises(TypeError):
        lib.packb("a", unicode_errors=5)


def test_depth(lib):
    assert lib.packb(nested(1024, leaf=[])) == b"\x91" * 1024 + b"\x90"
    assert lib.packb(nested(1024)) == b"\x91" * 1024 + b"\xc0"
    refuses(ValueError, "recursion limit exceeded.", lib.packb, nested(1026))
    deep = {}
    for _ in range(2000):
        deep = {"a": deep}
    refuses(ValueError, "recursion limit exceeded.", lib.packb, deep)
    loop = []
    loop.append(loop)
    refuses(ValueError, "recursion limit exceeded.", lib.packb, loop)
    refuses(ValueError, "recursion limit exceeded.", lib.packb, {1}, default=lambda value: [value])


# Options.


def test_default(lib):
    seen = []

    def default(value):
        seen.append(value)
        return {"set": sorted(value)}

    assert lib.packb([{2, 1}, {"a": {3}}], default=default) == lib.packb(
        [{"set": [1, 2]}, {"a": {"set": [3]}}]
    )
    assert seen == [{1, 2}, {3}]
    # Keys too; and what it returns is packed if it can be, and is not shown to it again.
    assert lib.packb({frozenset(): 1}, default=lambda value: "key") == b"\x81\xa3key\x01"
    assert lib.packb({1}, default=lambda value: [{2}] if value == {1} else 5) == b"\x91\x05"
    refuses(TypeError, "can not serialize 'frozenset' object", lib.packb, {1}, default=frozenset)
    for result in (
        None,
        True,
        5,
        1.5,
        "a",
        b"b",
        bytearray(b"c"),
        [1],
        (1,),
        {"a": 1},
        Str("d"),
        Int(6),
        Dict(),
    ):
        assert lib.packb([{1}], default=lambda value: result) == lib.packb([result])
    for result in (lib.ExtType(1, b"a"), lib.Timestamp(1, 2), memoryview(b"ab")):
        assert lib.packb([{1}], default=lambda value: result) == lib.packb([result])
    refuses(TypeError, "default must be a callable.", lib.packb, 1, default=5)
    refuses(TypeError, "default must be a callable.", lib.Packer, default="str")


@pytest.mark.parametrize(
    "error", [KeyError("k"), TypeError("t"), StopIteration(), KeyboardInterrupt(), SystemExit(3)]
)
def test_default_raises(lib, error):
    def default(value):
        raise error

    with pytest.raises(type(error)) as caught:
        lib.packb([1, {"a": {1}}], default=default)
    assert caught.value is error
    assert caught.value.__cause__ is None
    packer = lib.Packer(default=default)
    with pytest.raises(type(error)):
        packer.pack([1, {1}])
    assert packer.pack(5) == b"\x05"


def test_use_single_float(lib):
    for number, hexadecimal in (
        (1.5, "ca3fc00000"),
        (0.1, "ca3dcccccd"),
        (float("inf"), "ca7f800000"),
        (-0.0, "ca80000000"),
    ):
        assert lib.packb(number, use_single_float=True).hex() == hexadecimal
        assert lib.packb([Float(number)], use_single_float=True).hex() == f"91{hexadecimal}"
    for number in (1e300, -1e39, 3.4028235677973366e38):
        refuses(
            OverflowError, "float too large to pack with f format", lib.packb, number, use_single_float=True
        )
    assert lib.packb(3.4028235677973362e38, use_single_float=True).hex() == "ca7f7fffff"
    assert lib.packb(float("nan"), use_single_float=True).hex() == "ca7fc00000"


def test_use_bin_type(lib):
    for make in ((lambda n: "x" * n), (lambda n: b"x" * n), (lambda n: bytearray(b"x" * n))):
        for size, head in ((0, "a0"), (31, "bf"), (32, "da0020"), (255, "da00ff"), (65536, "db00010000")):
            packed = bytes.fromhex(head) + b"x" * size
            assert lib.packb(make(size), use_bin_type=False) == packed
    assert lib.packb(memoryview(b"ab"), use_bin_type=False) == b"\xa2ab"
    assert lib.packb({b"a": lib.ExtType(1, b"b")}, use_bin_type=False) == b"\x81\xa1a\xd4\x01b"


def test_strict_types(lib):
    exact = [None, True, 5, 1.5, "a", b"b", bytearray(b"c"), [1], {"a": 1}, memoryview(b"d")]
    for value in [*exact, lib.ExtType(1, b"a"), lib.Timestamp(1)]:
        assert lib.packb(value, strict_types=True) == lib.packb(value)
        assert lib.packb([{1}], strict_types=True, default=lambda _: value) == lib.packb([value])

    class Mine(lib.ExtType):
        pass

    inexact = [
        Str("a"),
        Int(5),
        Float(1.5),
        Bytes(b"b"),
        Dict(a=1),
        List([1]),
        Tuple([1]),
        (1,),
        Point(1, 2),
        Level.ONE,
    ]
    for value in [*inexact, Word.A, collections.OrderedDict(), Mine(1, b"a")]:
        name = type(value).__name__.replace("OrderedDict", "collections.OrderedDict")
        text = f"can not serialize '{name}' object"
        refuses(TypeError, text, lib.packb, [value], strict_types=True)
        refuses(TypeError, text, lib.packb, value, strict_types=True, default=lambda value: value)
        assert lib.packb([value], strict_types=True, default=lambda value: "D") == b"\x91\xa1D"
    assert lib.packb({(1, 2): 1}, strict_types=True, default=list) == b"\x81\x92\x01\x02\x01"
    refuses(OverflowError, "Integer value out of range", lib.packb, 2**64, strict_types=True)


def test_datetime(lib):
    zone = dt.timezone(dt.timedelta(hours=-3, minutes=-30))
    for moment, hexadecimal in (
        (dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "d6ff00000001"),
        (dt.datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC), "d7ff00000fa000000001"),
        (dt.datetime(1969, 12, 31, 20, 30, tzinfo=zone), "d6ff00000000"),
        (dt.datetime.min.replace(tzinfo=UTC), "c70cff00000000fffffff1886e0900"),
        (dt.datetime.max.replace(tzinfo=zone), "c70cff3b9ac6180000003afff472b7"),
    ):
        assert lib.packb(moment, datetime=True).hex() == hexadecimal
        assert lib.packb({moment: 1}, datetime=True).hex() == f"81{hexadecimal}01"
        assert lib.packb({1}, datetime=True, default=lambda value: moment).hex() == hexadecimal
        refuses(TypeError, "can not serialize 'datetime.datetime' object", lib.packb, moment)
    naive = dt.datetime(2000, 1, 1)
    text = "can not serialize 'datetime.datetime' object where tzinfo=None"
    refuses(ValueError, text, lib.packb, [naive], datetime=True)
    refuses(ValueError, text, lib.packb, [naive], datetime=True, default=lambda value: value)
    assert lib.packb(naive, datetime=True, default=str) == b"\xb32000-01-01 00:00:00"
    for value in (naive.date(), naive.time(), Moment(2000, 1, 1, tzinfo=UTC)):
        with pytest.raises(TypeError, match=r"^can not serialize '.*' object$"):
            lib.packb(value, datetime=True)


def test_datetime_zones_that_fail(lib):
    class Unknown(dt.tzinfo):
        def utcoffset(self, moment):
            return None

    class Broken(dt.tzinfo):
        def utcoffset(self, moment):
            raise KeyError("zone")

    with pytest.raises(TypeError, match=r"^can't subtract offset-naive and offset-aware datetimes$"):
        lib.packb(dt.datetime(2000, 1, 1, tzinfo=Unknown()), datetime=True)
    with pytest.raises(KeyError):
        lib.packb(dt.datetime(2000, 1, 1, tzinfo=Broken()), datetime=True)
