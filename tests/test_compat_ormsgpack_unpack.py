"""What ormsgpack's users rely on, in unpackb, Ext, Fragment, and what other libraries' values become.

As in tests/test_compat_ormsgpack.py, nearly every test runs with the face and with ormsgpack itself.
"""

import array
import datetime as dt
import enum
import json
import math
import mmap
import struct

import pytest
from samples import nested
from test_compat_ormsgpack import NON_STR, STAMP, UTC, Open, lib, refused, unsupported

from oxwire.compat import ormsgpack as face

assert lib  # the fixture


def fails(lib, text, data, **arguments):
    """unpackb raises a plain ValueError with exactly this text."""
    with pytest.raises(ValueError) as caught:
        lib.unpackb(data, **arguments)
    assert type(caught.value) is ValueError
    assert str(caught.value) == text
    return caught.value


@pytest.mark.parametrize(
    ("text", "positional", "named"),
    [
        ("missing 1 required positional argument: 'obj'", (), {}),
        ("got some positional-only arguments passed as keyword arguments: 'obj'", (), {"obj": b"\xc0"}),
        ("takes 1 positional arguments but 2 were given", (b"\xc0", None), {}),
        ("got an unexpected keyword argument 'default'", (b"\xc0",), {"default": None}),
    ],
)
def test_calls(lib, text, positional, named):
    with pytest.raises(TypeError) as caught:
        lib.unpackb(*positional, **named)
    assert str(caught.value) == f"unpackb() {text}"


@pytest.mark.parametrize("option", [1, 4, 1024, 1 << 16, 1 << 70, -1, True, "2", 2.0])
def test_options_that_are_none(lib, option):
    fails(lib, "Invalid opts", b"\xc0", option=option)


def test_inputs(lib, tmp_path):
    data = b"\x92\x01\xa1a"
    views = (
        memoryview(data),
        memoryview(b"#" + data)[1:],
        memoryview(array.array("H", struct.unpack("2H", data))),
    )
    for given in (data, bytearray(data), *views):
        assert lib.unpackb(given, ext_hook=None, option=None) == [1, "a"]
        assert lib.unpackb(given, ext_hook=print, option=NON_STR | STAMP) == [1, "a"]
    path = tmp_path / "x"
    path.write_bytes(data)
    text = "Input must be bytes, bytearray, memoryview"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        fails(lib, text, mapped)
    for wrong in ("x", None, 1, [], type("Bytes", (bytes,), {})(data), array.array("B", data), path):
        fails(lib, text, wrong)
    gone = memoryview(data)
    gone.release()
    for wrong in (memoryview(data)[::2], gone):
        fails(lib, "Input type memoryview must be a C contiguous buffer", wrong)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xc0", None),
        (b"\xc2", False),
        (b"\xc3", True),
        (b"\x00", 0),
        (b"\xe0", -32),
        (b"\xcc\x05", 5),
        (b"\xcf" + b"\xff" * 8, 2**64 - 1),
        (b"\xd3\x80" + b"\0" * 7, -(2**63)),
        (b"\xd0\x05", 5),
        (b"\xca" + struct.pack(">f", 0.1), struct.unpack(">f", struct.pack(">f", 0.1))[0]),
        (b"\xcb" + struct.pack(">d", 0.1), 0.1),
        (b"\xa2\xc3\xa9", "é"),
        (b"\xdb\0\0\0\x01a", "a"),
        (b"\xc4\x02ab", b"ab"),
        (b"\xdd\0\0\0\x01\x90", [[]]),
        (b"\x82\xa1a\x01\xa1b\x80", {"a": 1, "b": {}}),
        (b"\x82\xa1a\x01\xa1a\x02", {"a": 2}),
    ],
    ids=repr,
)
def test_values(lib, data, expected):
    for option in (None, NON_STR, STAMP):
        result = lib.unpackb(data, option=option)
        assert result == expected
        assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "unexpected end of file"),
        (b"\x91", "unexpected end of file"),
        (b"\x81", "unexpected end of file"),
        (b"\xd9", "unexpected end of file"),
        (b"\xc4\x05a", "unexpected end of file"),
        (b"\xdd\xff\xff\xff\xff", "unexpected end of file"),
        (b"\xdf\xff\xff\xff\xff\xa1a", "unexpected end of file"),
        (b"\xc1", "invalid type Reserved"),
        (b"\x91\xc1", "invalid type Reserved"),
        (b"\xa1\xff", "invalid UTF-8 string"),
        (b"\xa3\xed\xa0\x80", "invalid UTF-8 string"),
        (b"\x81\xa1\xff\x00", "invalid UTF-8 string"),
        (b"\xd4\x01a", "ext_hook missing"),
        (b"\xd6\xff\0\0\0\0", "ext_hook missing"),
    ],
    ids=repr,
)
def test_faults(lib, data, text):
    fails(lib, text, data)


KEYS = {
    b"\x01": (1, "FixPos(1)"),
    b"\xff": (-1, "FixNeg(-1)"),
    b"\xc0": (None, "Null"),
    b"\xc2": (False, "False"),
    b"\xc3": (True, "True"),
    b"\xc4\x01a": (b"a", "Bin8"),
    b"\xc5\0\x01a": (b"a", "Bin16"),
    b"\xc6\0\0\0\x01a": (b"a", "Bin32"),
    b"\xca" + struct.pack(">f", 1.5): (1.5, "F32"),
    b"\xcb" + struct.pack(">d", 1.5): (1.5, "F64"),
    b"\xcc\x05": (5, "U8"),
    b"\xcd\0\x05": (5, "U16"),
    b"\xce\0\0\0\x05": (5, "U32"),
    b"\xcf" + b"\xff" * 8: (2**64 - 1, "U64"),
    b"\xd0\xff": (-1, "I8"),
    b"\xd1\xff\xff": (-1, "I16"),
    b"\xd2" + b"\xff" * 4: (-1, "I32"),
    b"\xd3" + b"\xff" * 8: (-1, "I64"),
    b"\x90": ((), "FixArray(0)"),
    b"\x92\x01\x91\xa1a": ((1, ("a",)), "FixArray(2)"),
    b"\xdc\0\x01\xc0": ((None,), "Array16"),
    b"\xdd\0\0\0\x01\xc0": ((None,), "Array32"),
    b"\xa1a": ("a", None),
}


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys(lib, key):
    value, name = KEYS[key]
    data = b"\x91\x81" + key + b"\x05"
    assert lib.unpackb(data, option=NON_STR) == [{value: 5}]
    if name is None:
        assert lib.unpackb(data) == [{value: 5}]
    else:
        fails(lib, f"invalid type {name}", data)


def test_keys_that_cannot_be(lib):
    for key, name in ((b"\x80", "FixMap(0)"), (b"\xde\0\0", "Map16"), (b"\xdf\0\0\0\0", "Map32")):
        for option in (0, NON_STR):
            fails(lib, f"invalid type {name}", b"\x81" + key + b"\x05", option=option)
        fails(lib, f"invalid type {name}", b"\x81\x91" + key + b"\x05", option=NON_STR)
    hook = {"ext_hook": lambda code, data: (code, data)}
    fails(lib, "invalid type FixExt1", b"\x81\xd4\x01a\x05", option=NON_STR, **hook)
    fails(lib, "invalid type FixExt1", b"\x81\x91\xd4\x01a\x05", option=NON_STR, **hook)
    fails(lib, "invalid value", b"\x81\xd6\x01abcd\x05", option=NON_STR, **hook)
    fails(lib, "invalid type FixExt4", b"\x81\xd6\x01abcd\x05", **hook)


def test_keys_are_not_guessed_from_what_another_call_allowed(lib):
    rows = b"\xdc\x00\x40" + b"\x81\x05\x01" * 64
    for _ in range(3):
        assert lib.unpackb(rows, option=NON_STR) == [{5: 1}] * 64
        fails(lib, "invalid type FixPos(5)", rows)


# Ext.


def test_ext(lib):
    for n, head in ((0, b"\xc7\0"), (1, b"\xd4"), (2, b"\xd5"), (3, b"\xc7\x03"), (4, b"\xd6"), (8, b"\xd7")):
        packed = head + b"\x05" + b"x" * n
        assert lib.packb(lib.Ext(5, b"x" * n)) == packed
        assert lib.unpackb(packed, ext_hook=lambda code, data: (code, data)) == (5, b"x" * n)
    assert lib.packb([lib.Ext(0, b"x" * 16), lib.Ext(127, b"x" * 256)])[:3] == b"\x92\xd8\0"
    assert lib.packb(lib.Ext(127, b"x" * 65536))[:6] == b"\xc9\0\x01\0\0\x7f"
    refused(lib, "Extension type out of range", [lib.Ext(-1, b"")])
    for code in (-128, -1, 127):
        data = b"\xd4" + struct.pack("b", code) + b"x"
        assert lib.unpackb(b"\x91" + data, ext_hook=lambda code, data: [code, data]) == [[code, b"x"]]
    with pytest.raises(TypeError):
        lib.Ext(1)
    with pytest.raises(TypeError):
        lib.Ext("1", b"")
    with pytest.raises(TypeError):
        lib.Ext(1, "x")


def test_ext_hook_that_fails(lib):
    def broken(code, data):
        raise KeyError(code)

    for hook in (broken, 5, len):
        fails(lib, "ext_hook failed", b"\x91\xd4\x01a", ext_hook=hook)
    assert lib.unpackb(b"\x01", ext_hook=5) == 1


def stamp(seconds, nanoseconds=0):
    return b"\xc7\x0c\xff" + struct.pack(">Iq", nanoseconds, seconds)


def test_timestamps(lib):
    moments = {
        b"\xd6\xff\0\0\0\x01": dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        b"\xc7\x04\xff\0\0\0\x01": dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        b"\xd7\xff" + (999_999_999 << 34).to_bytes(8, "big"): dt.datetime(
            1970, 1, 1, 0, 0, 0, 999999, tzinfo=UTC
        ),
        stamp(-1, 1999): dt.datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
        stamp(-62135596800): dt.datetime(1, 1, 1, tzinfo=UTC),
        stamp(253402300799, 999_999_999): dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    }
    for data, moment in moments.items():
        result = lib.unpackb(data, option=STAMP, ext_hook=lambda code, data: None)
        assert result == moment
        assert result.tzinfo is UTC
        assert lib.unpackb(b"\x81" + data + b"\x01", option=STAMP | NON_STR) == {moment: 1}
        assert lib.unpackb(data, ext_hook=lambda code, data: code) == -1
        fails(lib, "ext_hook missing", data)
    for data in (
        b"\xd4\xff\0",
        b"\xd8\xff" + b"\0" * 16,
        b"\xc7\0\xff",
        b"\xc7\x0d\xff" + b"\0" * 13,
        b"\xd7\xff" + (10**9 << 34).to_bytes(8, "big"),
        stamp(0, 2**32 - 1),
    ):
        fails(lib, "invalid value", data, option=STAMP)
    for data in (stamp(253402300800), stamp(-62135596801)):
        with pytest.raises(lib.MsgpackDecodeError):
            lib.unpackb(data, option=STAMP)


# Depth.


def test_depth(lib):
    for begin, inner in ((b"\x91", b"\xc0"), (b"\x81\xa1a", b"\xc0")):
        assert lib.unpackb(begin * 1022 + inner)
        fails(lib, "Recursion limit reached", begin * 1024 + inner)
        fails(lib, "Recursion limit reached", begin * 100_000)
    assert lib.unpackb(b"\x91" * 1022 + b"\x90")
    assert lib.unpackb(b"\x81" + b"\x91" * 1021 + b"\xc0\x01", option=NON_STR)
    fails(lib, "Recursion limit reached", b"\x81" + b"\x91" * 1100 + b"\xc0\x01", option=NON_STR)
    assert lib.unpackb(lib.packb(nested(255, "list"))) == nested(255, "list")


# Fragment.


def test_fragment(lib):
    parts = {"a": lib.Fragment(b"\x92\x01\xcc\x01"), "b": [lib.Fragment(b"\xc0"), lib.Fragment(b"\xd4\x05x")]}
    assert lib.packb(parts) == b"\x82\xa1a\x92\x01\xcc\x01\xa1b\x92\xc0\xd4\x05x"
    every = sum(getattr(lib, name) for name in lib.__all__ if name.startswith("OPT_")) - NON_STR
    assert lib.packb(lib.Fragment(b"\x81\x01\x02"), option=every) == b"\x81\x01\x02"
    for data, text in (
        (b"", "unexpected end of file"),
        (b"\x91", "unexpected end of file"),
        (b"\xc1", "invalid type Reserved"),
        (b"\xc0\xc0", "invalid value"),
        (b"\xa1\xff", "invalid UTF-8 string"),
        (b"\xd4\xff\0", "invalid value"),
        (b"\x91" * 300 + b"\xc0", "Recursion limit reached"),
    ):
        with pytest.raises(ValueError) as caught:
            lib.Fragment(data)
        assert str(caught.value) == text
    assert lib.Fragment(b"\x91" * 253 + b"\xc0")
    for text, arguments, named in (
        ("first argument must be bytes", ("x",), {}),
        ("first argument must be bytes", (bytearray(b"\xc0"),), {}),
        ("missing 1 required positional argument: 'data'", (), {}),
        ("takes 1 positional arguments but 2 were given", (b"\xc0", b"\xc0"), {}),
        ("got some positional-only arguments passed as keyword arguments: 'data'", (), {"data": b"\xc0"}),
    ):
        with pytest.raises(TypeError) as caught:
            lib.Fragment(*arguments, **named)
        assert str(caught.value) == f"Fragment.__new__() {text}"
    with pytest.raises(TypeError):
        type("Sub", (lib.Fragment,), {})
    assert lib.Fragment(b"\xc0") != lib.Fragment(b"\xc0")


# numpy.


def test_numpy(lib):
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = lib.OPT_SERIALIZE_NUMPY
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp", "uintp"):
        info = np.iinfo(name)
        made = np.array([info.min, 0, info.max], dtype=name)
        assert lib.packb(made, option=option) == lib.packb(made.tolist())
        assert lib.packb({"k": made[0]}, option=option) == lib.packb({"k": int(info.min)})
    assert lib.packb(np.array([[True], [False]]), option=option) == b"\x92\x91\xc3\x91\xc2"
    assert lib.packb(np.array([0.1, -np.inf]), option=option) == lib.packb([0.1, -math.inf])
    single = b"\xca" + struct.pack(">f", 0.1)
    half = b"\xca" + struct.pack(">f", float(np.float16(0.1)))
    assert lib.packb(np.array([0.1], np.float32), option=option) == b"\x91" + single
    assert lib.packb(np.array([0.1], np.float16), option=option) == b"\x91" + half
    scalars = [np.float32(0.1), np.float16(0.1), np.float64(0.1), np.True_]
    assert lib.packb(scalars, option=option) == b"\x94" + single + half + lib.packb(0.1) + b"\xc3"
    for shape in ((0,), (0, 3), (3, 0), (2, 3), (2, 1, 2)):
        made = np.zeros(shape, int)
        assert lib.unpackb(lib.packb(made, option=option)) == made.tolist()
    text = "numpy array is not C contiguous; use ndarray.tolist() in default"
    for made in (np.arange(6)[::2], np.ones((2, 2), order="F"), np.array(1)):
        refused(lib, text, made, option=option)
        assert lib.packb([made], option=option, default=lambda v: v.tolist()) == lib.packb([made.tolist()])
    for made in (np.array([1j]), np.array(["x"]), np.array([None]), np.zeros(1, "m8[s]"), np.ma.array([1])):
        with pytest.raises(TypeError):
            lib.packb(made, option=option)
        assert lib.packb(made, option=option, default=lambda v: "hook") == b"\xa4hook"
    for made in (np.arange(3), np.float64(3), np.int8(1), np.True_, np.datetime64("2020")):
        unsupported(lib, made, f"numpy.{type(made).__name__}")
    unsupported(lib, np.bytes_(b"x"), "numpy.bytes_", option=option)
    assert lib.packb([np.str_("é")]) == b"\x91\xa2\xc3\xa9"
    for key in (np.int64(1), np.float64(1), np.True_):
        refused(
            lib, "Dict key must a type serializable with OPT_NON_STR_KEYS", {key: 1}, option=option | NON_STR
        )
    assert lib.packb({np.str_("k"): 1}, option=option | NON_STR) == b"\x81\xa1k\x01"


def test_numpy_depth(lib):
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = lib.OPT_SERIALIZE_NUMPY
    assert lib.packb(nested(254, "list", np.ones(1)), option=option)
    refused(lib, "Recursion limit reached", nested(255, "list", np.ones(1)), option=option)


def test_numpy_datetime64(lib):
    np = pytest.importorskip("numpy", reason="needs numpy")
    option = lib.OPT_SERIALIZE_NUMPY
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"):
        made = np.array(["2021-01-01", "1970-01-01"], dtype=f"datetime64[{unit}]")
        expected = [str(one.astype("datetime64[s]")) for one in made]
        assert lib.unpackb(lib.packb(made, option=option)) == expected
        zone = option | lib.OPT_NAIVE_UTC | lib.OPT_UTC_Z | STAMP
        assert lib.unpackb(lib.packb([made[0]], option=zone)) == [expected[0] + "Z"]
    fine = np.datetime64("2021-01-01T00:00:00.123456789")
    assert lib.unpackb(lib.packb(fine, option=option)) == "2021-01-01T00:00:00.123456"
    assert lib.unpackb(lib.packb(fine, option=option | lib.OPT_OMIT_MICROSECONDS)) == "2021-01-01T00:00:00"
    refused(lib, "unsupported numpy.datetime64 unit: picoseconds", np.datetime64(1, "ps"), option=option)
    refused(lib, "unrepresentable numpy.datetime64: NaT", [np.datetime64("NaT", "s")], option=option)
    refused(lib, "unrepresentable numpy.datetime64: NaT", np.array(["2020", "NaT"], "M8[D]"), option=option)
    text = f"unrepresentable numpy.datetime64: {2**60} seconds"
    refused(lib, text, np.datetime64(2**60, "s"), option=option)


# pydantic.


def test_pydantic(lib):
    pydantic = pytest.importorskip("pydantic", minversion="2", reason="needs pydantic")

    class Inner(pydantic.BaseModel):
        z: int = 1

    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        b: int = pydantic.Field(1, alias="other")
        a: object = None
        _private: int = pydantic.PrivateAttr(3)
        hidden: int = pydantic.Field(5, exclude=True)

        @pydantic.computed_field
        def computed(self) -> int:
            return 9

    option = lib.OPT_SERIALIZE_PYDANTIC
    model = Model(a=[Inner(), Open(1)], x=7, _y=8)
    inner, record = b"\x81\xa1z\x01", b"\x82\xa1b\x01\xa1a\xc0"
    a, b, hidden = b"\xa1a\x92" + inner + record, b"\xa1b\x01", b"\xa6hidden\x05"
    assert lib.packb(model, option=option) == b"\x84" + b + a + hidden + b"\xa1x\x07"
    assert (
        lib.packb([model], option=option | lib.OPT_SORT_KEYS) == b"\x91\x84" + a + b + hidden + b"\xa1x\x07"
    )
    both = option | lib.OPT_SORT_KEYS | NON_STR
    assert lib.packb(Inner(), option=both) == inner
    unsupported(lib, model, "Model")
    refused(lib, "Recursion limit reached", chain(Model, 256), option=option)
    assert lib.packb(chain(Model, 255), option=option)

    @pydantic.dataclasses.dataclass
    class Record:
        b: int = 1
        a: int = 2

    assert lib.packb(Record()) == b"\x82\xa1b\x01\xa1a\x02"


def chain(model, depth):
    value = None
    for _ in range(depth):
        value = model(a=value)
    return value


@pytest.mark.filterwarnings("ignore:Core Pydantic V1")
def test_pydantic_of_the_first_version(lib):
    try:
        from pydantic import v1
    except ImportError:
        pytest.skip("needs pydantic")

    class Kind(enum.Enum):
        A = "k"

    class Model(v1.BaseModel):
        b: int = 1
        a: Kind = Kind.A
        _private: int = v1.PrivateAttr(3)

        class Config:
            extra = "allow"

    option = lib.OPT_SERIALIZE_PYDANTIC
    assert lib.packb([Model(x=7)], option=option) == b"\x91\x83\xa1b\x01\xa1a\xa1k\xa1x\x07"
    assert lib.packb(Model(), option=option | lib.OPT_SORT_KEYS) == b"\x82\xa1a\xa1k\xa1b\x01"
    unsupported(lib, Model(), "Model")


def test_round_trip(lib):
    document = json.loads('{"a": [1, -1.5, null, true, "é", {"": []}], "b": {"c": [[], {}]}}')
    assert lib.unpackb(lib.packb(document)) == document
    assert face.packb(document) == lib.packb(document)
