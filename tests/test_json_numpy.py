"""numpy scalars and arrays: every dtype, byte order, stride and dimension; and that we never import numpy."""

import contextlib
import json
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import duration, run_python

from oxwire import EncodeError
from oxwire.json import decode, encode

np = pytest.importorskip("numpy", reason="needs numpy")

INTEGERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "intp",
    "uintp",
    "longlong",
    "ulonglong",
]
INTEGERS += ["intc", "uintc", "byte", "ubyte", "short", "ushort", "long", "ulong"]
INTEGERS = [name for name in INTEGERS if hasattr(np, name)]


def compact(value):
    """What the standard library writes, without spaces."""
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    kind = np.dtype(name)
    info = np.iinfo(kind)
    values = [0, 1, info.min, info.max, 100, info.max // 2]
    array = np.array(values, dtype=kind)
    assert encode(array) == compact(values)
    assert encode(array.astype(kind.newbyteorder())) == compact(values)
    assert encode(array[::-1]) == compact(values[::-1])
    assert encode(array.reshape(2, 3)) == compact(array.reshape(2, 3).tolist())
    assert encode(array.reshape(2, 3).T) == compact(array.reshape(2, 3).T.tolist())
    for value, scalar in zip(values, array, strict=True):
        assert encode(scalar) == str(value).encode()
        assert encode([scalar, {"k": scalar}]) == compact([value, {"k": value}])


def test_bools():
    assert encode(np.array([True, False])) == b"[true,false]"
    assert encode([np.True_, np.False_, np.bool_(1)]) == b"[true,false,true]"
    assert encode(np.array([[1, 0], [0, 1]], dtype=bool)[:, ::-1]) == b"[[false,true],[true,false]]"


def test_float64():
    values = [0.0, -0.0, 1.0, 0.1, 1e16, 1e-6, 5e-324, 1.7976931348623157e308, 123456.789]
    array = np.array(values)
    assert encode(array) == encode(values)
    assert encode(array.astype(">f8")) == encode(values)
    assert encode(array[::-2]) == encode(values[::-2])
    assert encode(list(array)) == encode(values)


def check_shortest(scalars):
    """Each is spelled with the fewest digits that its own width needs."""
    spelled = encode(scalars)[1:-1].split(b",")
    assert len(spelled) == len(scalars)
    for text, scalar in zip(spelled, scalars, strict=True):
        assert scalars.dtype.type(text.decode()) == scalar
        ours, theirs = Decimal(text.decode()).normalize(), Decimal(str(scalar)).normalize()
        assert len(ours.as_tuple().digits) <= len(theirs.as_tuple().digits), scalar
        assert b"." in text or b"e" in text


def test_every_float16():
    array = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(np.float16)
    finite = array[np.isfinite(array)]
    assert len(finite) == 63488
    # Exact: the shortest text of the float32 that it widens to.
    assert encode(finite) == encode(finite.astype(np.float32))
    assert np.array_equal(
        np.array(decode(encode(finite)), np.float16).view(np.uint16), finite.view(np.uint16)
    )
    assert (
        encode(np.array([0.1, 1.0, 65504.0, 6e-8], np.float16)) == b"[0.099975586,1.0,65504.0,5.9604645e-8]"
    )
    assert encode(np.float16(0.1)) == b"0.099975586"
    assert encode(finite[:100].astype(">f2")) == encode(finite[:100])


def test_float32():
    assert encode(np.array([0.1, 1.0, -2.5, 16777216.0, 3.4028235e38, 1e-45], np.float32)) == (
        b"[0.1,1.0,-2.5,16777216.0,3.4028235e+38,1e-45]"
    )
    assert encode([np.float32(0.1), np.float32(1e16)]) == b"[0.1,1e+16]"
    generator = np.random.default_rng(1)
    array = generator.integers(0, 2**32, 3000, dtype=np.uint32).view(np.float32)
    array = array[np.isfinite(array)]
    check_shortest(array)
    assert encode(array.astype(">f4")) == encode(array)


def test_longdouble():
    try:
        result = decode(encode([np.longdouble(1.5), np.array([2.5], np.longdouble)]))
    except EncodeError:
        return
    assert result == [1.5, [2.5]]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_nan(kind):
    array = np.array([1.0, np.nan, np.inf, -np.inf], dtype=kind)
    for value in (array, array[1], array[2], array[::-1]):
        with pytest.raises(EncodeError) as caught:
            encode({"a": value})
        assert caught.value.path.startswith("$.a")
    assert encode(array, nan="null") == b"[1.0,null,null,null]"
    assert encode(array, nan="literal") == b"[1.0,NaN,Infinity,-Infinity]"
    assert encode(array[1], nan="null") == b"null"


def test_int_bits():
    for value in (np.int64(2**53), np.array([1, 2**53]), np.uint64(2**64 - 1)):
        with pytest.raises(EncodeError):
            encode([value], int_bits=53)
    assert (
        encode([np.int64(2**53 - 1), np.array([1 - 2**53])], int_bits=53)
        == b"[9007199254740991,[-9007199254740991]]"
    )
    with pytest.raises(EncodeError):
        encode(np.int64(2**53), canonical=True)


# Shapes and strides.


@pytest.mark.parametrize(
    "shape",
    [
        (0,),
        (1,),
        (0, 3),
        (3, 0),
        (2, 0, 3),
        (0, 0),
        (1, 1, 1),
        (2, 3),
        (2, 3, 4),
        (2, 1, 3, 1),
        (1,) * 10,
        (5, 4, 3, 2),
    ],
)
def test_shapes(shape):
    array = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    for view in (
        array,
        np.asfortranarray(array),
        array.T,
        array[::-1],
        array[..., ::-1],
        array[::2],
        array.astype(">i4"),
    ):
        assert encode(view) == compact(view.tolist())
        assert encode({"a": view}, indent=2) == json.dumps({"a": view.tolist()}, indent=2).encode()


def test_no_dimension():
    for value in (5, 2.5, True, "x"):
        assert encode(np.array(value)) == encode(value)
        assert encode([np.array(value)]) == encode([value])


def test_strange_strides():
    base = np.arange(24, dtype=np.uint16).reshape(4, 6)
    views = [
        np.broadcast_to(np.int64(3), (2, 3)),
        np.broadcast_to(np.arange(3), (2, 3)),
        base[1:3, 1:5:2],
        base[:, 3],
        base[::-1, ::-2],
        np.lib.stride_tricks.sliding_window_view(np.arange(6), 3),
        np.lib.stride_tricks.as_strided(np.arange(10), (3, 3), (8, 8)),
        base.view(np.uint8)[:, 1::3],
        np.diagonal(np.arange(16.0).reshape(4, 4)),
        np.frombuffer(b"\0\1\2\3\4\5\6\7\0", dtype="<i4", offset=1),
        np.ndarray((3,), "<f4", buffer=bytearray(20), offset=2, strides=(6,)),
    ]
    for view in views:
        assert encode(view) == compact(view.tolist())


@given(
    st.lists(st.integers(0, 4), max_size=4),
    st.integers(0, 2**32),
    st.sampled_from(["<i2", ">u8", "|i1", "?", ">f8", "<f8"]),
)
def test_arrays_agree_with_tolist(shape, seed, kind):
    generator = np.random.default_rng(seed)
    array = generator.integers(0, 100, shape).astype(kind)
    array = array.transpose(generator.permutation(array.ndim))
    for axis in range(array.ndim):
        if generator.integers(2):
            array = np.flip(array, axis)
    assert encode(array) == compact(array.tolist())


def test_subclasses():
    class Mine(np.ndarray):
        """A subclass."""

    assert encode(np.arange(4).view(Mine)) == b"[0,1,2,3]"


def test_depth_counts_dimensions():
    assert encode(np.zeros((1, 1, 1)), max_depth=3) == b"[[[0.0]]]"
    with pytest.raises(EncodeError):
        encode(np.zeros((1, 1, 1)), max_depth=2)


def test_big_arrays():
    array = np.arange(200_000).reshape(400, 500)
    assert encode(array) == compact(array.tolist())


# Time.


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_datetime64(unit):
    moments = [
        "1970-01-01T00:00:00",
        "2024-02-29T13:05:07",
        "1969-12-31T23:59:59",
        "1700-01-01T00:00:00",
        "2200-12-31T00:00:01",
    ]
    array = np.array(moments, dtype=f"datetime64[{unit}]")
    assert decode(encode(array)) == moments
    assert decode(encode(list(array))) == moments
    assert decode(encode(array.astype(array.dtype.newbyteorder()))) == moments
    assert decode(encode(array[::-2])) == moments[::-2]
    assert decode(encode(array, naive_utc=True, utc_z=True)) == [moment + "Z" for moment in moments]
    assert (
        encode({"a": np.array([moments[0], "NaT"], f"datetime64[{unit}]")})
        == b'{"a":["1970-01-01T00:00:00",null]}'
    )
    assert encode(np.datetime64("NaT", unit)) == b"null"


def test_datetime64_fractions():
    assert encode(np.datetime64("2024-01-02T03:04:05.060", "ms")) == b'"2024-01-02T03:04:05.060000"'
    assert encode(np.datetime64("2024-01-02T03:04:05.000007", "us")) == b'"2024-01-02T03:04:05.000007"'
    assert encode(np.datetime64("1969-12-31T23:59:59.999999", "us")) == b'"1969-12-31T23:59:59.999999"'
    assert decode(encode(np.datetime64("2024-01-02T03:04:05.123456789", "ns"))).startswith(
        "2024-01-02T03:04:05.123456"
    )
    assert (
        encode(np.datetime64("2024-01-02T03:04:05.060", "ms"), omit_microseconds=True)
        == b'"2024-01-02T03:04:05"'
    )


def test_datetime64_coarse_units():
    for unit, spelling in [
        ("D", "2024-02-29"),
        ("W", "2024-02-29"),
        ("M", "2024-02"),
        ("Y", "2024"),
        ("h", "2024-02-29T13"),
        ("m", "2024-02-29T13:05"),
    ]:
        moment = np.datetime64(spelling, unit)
        expected = str(moment.astype("datetime64[s]"))
        assert decode(encode(moment)) in (expected, expected[:10] if unit in "DWMY" else expected)
        assert decode(encode(np.array([moment]))) == [decode(encode(moment))]
        assert encode(np.datetime64("NaT", unit)) == b"null"
    # A multiple of a unit is not the unit.
    assert decode(encode(np.datetime64(7, "25s"))) == "1970-01-01T00:02:55"


@pytest.mark.parametrize("value", [2**62, -(2**62), 2**63 - 1, -(2**63) + 1])
@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"])
def test_datetime64_out_of_range(value, unit):
    try:
        text = decode(encode(np.datetime64(value, unit)))
    except EncodeError:
        return
    assert text[:4] == str(np.datetime64(value, unit))[:4]


@pytest.mark.parametrize(
    ("amount", "unit", "expected"),
    [
        (0, "s", "P0D"),
        (90, "s", "PT90S"),
        (1, "D", "P1D"),
        (2, "W", "P14D"),
        (3, "h", "PT10800S"),
        (5, "m", "PT300S"),
        (1, "us", "PT0.000001S"),
        (-1, "s", "-PT1S"),
        (86_402_000_003_000, "ns", "P1DT2.000003S"),
    ],
)
def test_timedelta64(amount, unit, expected):
    assert decode(encode(np.timedelta64(amount, unit))) == expected
    assert decode(encode(np.array([amount], f"timedelta64[{unit}]"))) == [expected]
    assert decode(encode(np.array([amount], f">m8[{unit}]"))) == [expected]


def test_timedelta64_details():
    assert duration(decode(encode(np.timedelta64(1500, "ms")))).total_seconds() == 1.5
    for unit in ("D", "s", "ms", "us", "ns"):
        assert encode([np.timedelta64("NaT", unit)]) == b"[null]"
    assert encode(np.array(["NaT", 1], "timedelta64[s]")) == b'[null,"PT1S"]'


# Text, objects, records.


def test_text():
    assert encode(np.array(["a", "é€😀", "", 'quote"\n'])) == encode(["a", "é€😀", "", 'quote"\n'])
    assert encode(np.array(["a", "é😀"]).astype(">U5")) == encode(["a", "é😀"])
    # Bytes are bytes.
    assert encode(np.array([b"a", b"bcd", b""])) == encode([b"a", b"bcd", b""]) == b'["YQ==","YmNk",""]'
    assert encode(np.array(["a\0", "\0b", "c\0d"])) == encode(["a", "\0b", "c\0d"])
    assert encode([np.str_("é"), np.array([["a"], ["b"]])]) == encode(["é", [["a"], ["b"]]])
    assert encode(np.array(["abc", "d", "ef"])[::-2]) == b'["ef","abc"]'
    assert encode(np.array(["x" * 200, "é" * 200])) == encode(["x" * 200, "é" * 200])
    with pytest.raises(EncodeError):
        encode(np.array(["\ud800"]))


def test_units_that_overflow():
    # The greatest multiple of the longest unit: far beyond 128 bits in nanoseconds.
    for kind in ("M8", "m8"):
        for value in (2**62, -(2**62)):
            with pytest.raises(EncodeError, match="unrepresentable"):
                encode(np.array([value], f"{kind}[2147483647W]"))


def test_moments_as_keys():
    assert encode({np.datetime64("2000-01-02"): 1}) == b'{"2000-01-02":1}'
    for key in (np.datetime64(5, "ns"), np.timedelta64(5, "ns"), np.datetime64("NaT", "s")):
        with pytest.raises(EncodeError):
            encode({key: 1})


def test_string_dtype():
    if not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this numpy has no text of variable length")
    assert encode(np.array(["a", "é€", "x" * 100], dtype=np.dtypes.StringDType())) == encode(
        ["a", "é€", "x" * 100]
    )


def test_objects():
    array = np.empty(4, object)
    array[:] = [1, "x", [2.5], {"k": None}]
    assert encode(array) == b'[1,"x",[2.5],{"k":null}]'
    assert encode(array.reshape(2, 2)) == b'[[1,"x"],[[2.5],{"k":null}]]'
    assert encode(array[::-1]) == b'[{"k":null},[2.5],"x",1]'
    array[2] = object()
    with pytest.raises(EncodeError) as caught:
        encode({"a": array})
    assert caught.value.path.startswith("$.a[2]")
    assert encode(array, enc_hook=lambda value: "hook") == b'[1,"x","hook",{"k":null}]'
    array[2] = array
    with pytest.raises(EncodeError):
        encode(array)


def test_records():
    kind = np.dtype(
        [("name", "U5"), ("age", ">i4"), ("spot", "<f4", (2,)), ("in", [("x", "?"), ("y", "i1")])]
    )
    array = np.array([("é", 3, (0.5, 1.5), (True, -1)), ("b", 4, (2.5, 3.5), (False, 2))], dtype=kind)
    first = {"name": "é", "age": 3, "spot": [0.5, 1.5], "in": {"x": True, "y": -1}}
    second = {"name": "b", "age": 4, "spot": [2.5, 3.5], "in": {"x": False, "y": 2}}
    assert encode(array) == encode([first, second])
    assert encode(array[1]) == encode(second)
    assert encode(array[::-1]) == encode([second, first])
    assert encode(array["age"]) == b"[3,4]"
    assert encode(array[["age", "name"]]) == b'[{"age":3,"name":"\xc3\xa9"},{"age":4,"name":"b"}]'
    aligned = np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True))
    assert encode(aligned) == b'[{"a":0,"b":0.0},{"a":0,"b":0.0}]'


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_complex(kind):
    array = np.array([1 + 2j], dtype=kind)
    for value in (array, array[0]):
        with pytest.raises(EncodeError):
            encode({"a": value})
    assert encode([array[0]], enc_hook=lambda value: [float(value.real), float(value.imag)]) == b"[[1.0,2.0]]"
    assert b"1.0" in encode(array, enc_hook=lambda value: [float(np.real(value).ravel()[0])])


def test_passthrough():
    def hook(value):
        return type(value).__name__

    values = [np.arange(2), np.float32(1), np.datetime64(1, "s")]
    assert encode(values, passthrough={"numpy"}, enc_hook=hook) == b'["ndarray","float32","datetime64"]'
    with pytest.raises(EncodeError):
        encode(np.arange(2), passthrough={"numpy"})


def test_what_the_hook_does_to_the_array():
    array = np.empty(50, object)
    array[:] = [object()] * 50

    def hook(value):
        if len(array):
            array[:] = [object()] * 50
            with contextlib.suppress(ValueError):
                array.resize(0, refcheck=False)
        return "x" * 100

    try:
        assert decode(encode(array, enc_hook=hook))[0] == "x" * 100
    except EncodeError as error:
        assert "changed" in str(error)


def test_numpy_is_never_imported():
    code = """
import sys, datetime, decimal
import oxwire, oxwire.json, oxwire.compat.orjson
class Thing:
    pass
oxwire.json.encode([1, "x", 2.5, datetime.datetime.now(), decimal.Decimal(1), {1: 2}, {3}])
oxwire.json.decode(b"[1, 2.5]")
oxwire.json.encode(Thing(), enc_hook=lambda value: 1)
oxwire.compat.orjson.dumps([1], option=oxwire.compat.orjson.OPT_SERIALIZE_NUMPY)
try:
    oxwire.json.encode(Thing())
except oxwire.EncodeError:
    pass
print(sorted(name for name in ("numpy", "pydantic", "attr", "attrs", "pandas") if name in sys.modules))
import numpy
print(oxwire.json.encode([numpy.float32(0.1), numpy.arange(2)]).decode())
"""
    assert run_python(code).split() == ["[]", "[0.1,[0,1]]"]


def test_what_is_masked_is_null():
    masked = np.ma.array([1, 2], mask=[False, True])
    assert encode(masked) == b"[1,null]"
    assert encode(masked, passthrough=["numpy"], enc_hook=lambda _: "hook") == b'"hook"'
