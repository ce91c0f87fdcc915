"""Arrays of numbers read by type: every dtype and shape, what does not fit and where it stands, and both formats."""

import array
import math
import re
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import run_python

from oxwire import DecodeError, Meta, Struct, ValidationError, convert, inspect, json, msgpack

np = pytest.importorskip("numpy", reason="needs numpy")
from numpy.typing import NDArray  # noqa: E402

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
CODES = "bBhHiIlLqQfd"
FORMATS = json, msgpack
T = TypeVar("T", bound=np.generic)


def same(made, wanted):
    assert type(made) is np.ndarray
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert made.tobytes() == wanted.tobytes()
    # It is the reader's own.
    assert made.flags.writeable
    assert made.flags.c_contiguous


def refusals(text, t, **options):
    """What each way of reading says of a JSON text that is no such array."""
    value = json.decode(text)
    found = set()
    reads = [lambda: json.decode(text, type=t, **options), lambda: convert(value, t, **options)]
    # MessagePack has no integers beyond 64 bits.
    if not re.search(r"\d{19}", text):
        reads.append(lambda: msgpack.decode(msgpack.encode(value), type=t, **options))
    for read in reads:
        with pytest.raises(ValidationError) as caught:
            read()
        found.add(str(caught.value))
    (words,) = found
    return words


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    info = np.iinfo(dtype)
    values = np.array([0, 1, info.min, info.max, 100, info.max // 2], dtype)
    t = NDArray[dtype]
    for made in (
        values,
        values.reshape(2, 3),
        values.reshape(3, 1, 2),
        values[:0],
        values.reshape(2, 3)[:, :0],
    ):
        for codec in FORMATS:
            same(codec.decode(codec.encode(made), type=t), made)
        same(convert(made.tolist(), t), made)
        assert convert(made, t) is made
    assert refusals(f"[0,{info.max + 1}]", t) == f"Expected `int` <= {info.max} - at `$[1]`"
    assert refusals(
        f"[[0],[{info.min - 1}]]", t
    ) == f"Expected `int` >= {info.min} - at `$[1][0]`" or info.min < -(2**62)
    for wrong in ("1.0", "true", "null", '"1"', "{}", "[1]"):
        assert "Expected `int`, got" in refusals(f"[0,{wrong}]", t)
    with pytest.raises(ValidationError):
        json.decode(f"[{10**30}]", type=t)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype):
    info = np.finfo(dtype)
    values = np.array([0, 1, -1.5, info.min, info.max, info.tiny], dtype)
    t = NDArray[dtype]
    for made in (values, values.reshape(2, 3), values[:0]):
        for codec in FORMATS:
            same(codec.decode(codec.encode(made), type=t), made)
        same(convert(made.tolist(), t), made)
    # Integers are floats, as they are for a float.
    same(json.decode("[1,-2,18446744073709551615]", type=NDArray[np.float64]), np.array([1, -2, 2.0**64]))
    same(json.decode("[0.1]", type=t), np.array([0.1], dtype))
    for wrong in ("true", "null", '"1"', "{}", "[1]"):
        assert "Expected `float`, got" in refusals(f"[0,{wrong}]", t)


def test_floats_beyond_their_range():
    assert refusals("[1e39]", NDArray[np.float32]).startswith("Expected `float` <= 3.40282346638528")
    assert refusals("[0,-65520]", NDArray[np.float16]) == "Expected `float` >= -65504.0 - at `$[1]`"
    same(json.decode("[65519.9]", type=NDArray[np.float16]), np.array([65504], np.float16))
    top = 3.4028235677973366e38
    same(
        json.decode(json.encode([math.nextafter(top, 0)]), type=NDArray[np.float32]),
        np.array([3.4028235e38], np.float32),
    )
    assert "Expected `float`" in refusals(f"[{top}]", NDArray[np.float32])
    with pytest.raises(DecodeError, match="beyond"):
        json.decode("[1e400]", type=NDArray[np.float64])
    assert json.decode(f"[{10**400}]".replace("0" * 300, ""), type=NDArray[np.float64])[0] == 1e100
    with pytest.raises(ValidationError, match="Number out of range"):
        json.decode(f"[{10**400}]", type=NDArray[np.float64])


def test_what_is_not_finite():
    for dtype in FLOATS:
        values = np.array([math.nan, math.inf, -math.inf], dtype)
        same(json.decode("[NaN,Infinity,-Infinity]", type=NDArray[dtype], nan="literal"), values)
        same(msgpack.decode(msgpack.encode(values), type=NDArray[dtype]), values)
        with pytest.raises(DecodeError, match="NaN"):
            json.decode("[NaN]", type=NDArray[dtype])
    with pytest.raises(ValidationError, match=r"Expected `float`, got `null` - at `\$\[1\]`"):
        json.decode("[1,NaN]", type=NDArray[np.float64], nan="null")


def test_truth_values():
    values = np.array([[True, False], [False, True]])
    for codec in FORMATS:
        same(codec.decode(codec.encode(values), type=NDArray[np.bool_]), values)
    assert refusals("[true,1]", NDArray[np.bool_]) == "Expected `bool`, got `int` - at `$[1]`"
    same(json.decode("[true,1,0]", type=NDArray[np.bool_], strict=False), np.array([True, True, False]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[1,2],[3]]", "Expected `array` of length 2, got 1 - at `$[1]`"),
        ("[[[1]],[[2],[3]]]", "Expected `array` of length 1, got 2 - at `$[1]`"),
        ("[[1,2],3]", "Expected `array`, got `int` - at `$[1]`"),
        ("[[1],[[2]]]", "Expected `int`, got `array` - at `$[1][0]`"),
        ("[1,[2]]", "Expected `int`, got `array` - at `$[1]`"),
        ("[[],[1]]", "Expected `array` of length 0, got 1 - at `$[1]`"),
        ("[[],[[]]]", "Expected `int`, got `array` - at `$[1][0]`"),
        ("[[],{}]", "Expected `array`, got `object` - at `$[1]`"),
        ("[{}]", "Expected `int`, got `object` - at `$[0]`"),
        ('["x"]', "Expected `int`, got `str` - at `$[0]`"),
        ("{}", "Expected `array`, got `object`"),
        ("5", "Expected `array`, got `int`"),
        ("null", "Expected `array`, got `null`"),
    ],
)
def test_what_is_no_array(text, words):
    assert refusals(text, NDArray[np.int64]) == words
    if "$" in words:
        inner = words.replace("`$", "`$.a[1]")
        assert refusals(f'{{"a":[null,{text}]}}', Holder) == inner


class Holder(Struct):
    a: list[NDArray[np.int64] | None]


def test_shapes():
    matrix = Annotated[NDArray[np.int32], Meta(shape=(2, None))]
    values = np.arange(6, dtype=np.int32).reshape(2, 3)
    same(json.decode(json.encode(values), type=matrix), values)
    assert convert(values, matrix) is values
    assert refusals("[[1],[2],[3]]", matrix) == "Expected `array` of length 2, got 3"
    assert refusals("[1,2]", matrix) == "Expected `array`, got `int` - at `$[0]`"
    assert refusals("[[[1]],[[2]]]", matrix) == "Expected `int`, got `array` - at `$[0][0]`"
    with pytest.raises(ValidationError, match=r"Expected `array` of shape \(2, \*\), got \(3, 2\)"):
        convert(values.reshape(3, 2), matrix)
    # The type of an array may say it, too.
    two = np.ndarray[tuple[int, Literal[3]], np.dtype[np.int32]]
    same(json.decode(json.encode(values), type=two), values)
    same(json.decode("[]", type=two), np.empty((0, 3), np.int32))
    assert refusals("[[1,2]]", two) == "Expected `array` of length 3, got 2 - at `$[0]`"
    assert json.schema(matrix) == {
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {"type": "array", "items": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}},
    }
    assert inspect.type_info(matrix).dims == (2, None)
    long = Annotated[NDArray[np.int8], Meta(min_length=2)]
    assert refusals("[1]", long) == "Expected `array` of length >= 2"
    with pytest.raises(ValidationError, match="length >= 2"):
        convert(np.zeros(1, np.int8), long)


def test_arrays_that_are_arrays_already():
    small = np.array([1, 2], np.int16)
    same(convert(small, NDArray[np.int64]), small.astype(np.int64))
    same(convert(small, NDArray[np.float32]), small.astype(np.float32))
    for wrong, t in ((np.array([1.5]), np.int64), (np.array([1]), np.int8), (np.array([True]), np.int64)):
        with pytest.raises(ValidationError, match="Expected `array` of"):
            convert(wrong, NDArray[t])
    # As an application type.
    data = msgpack.encode({"a": small}, ndarray_ext=True)
    same(
        msgpack.decode(data, type=dict[str, NDArray[np.int64]], ndarray_ext=True)["a"], small.astype(np.int64)
    )
    with pytest.raises(ValidationError, match="Expected `array` of int8"):
        msgpack.decode(data, type=dict[str, NDArray[np.int8]], ndarray_ext=True)


def test_lax():
    same(json.decode('["1",2.0,3]', type=NDArray[np.int8], strict=False), np.array([1, 2, 3], np.int8))
    with pytest.raises(ValidationError, match="<= 127"):
        json.decode('["128"]', type=NDArray[np.int8], strict=False)


def test_depth():
    deep = NDArray[np.int64]
    for codec in FORMATS:
        text = codec.encode(np.zeros((1,) * 30, np.int64))
        assert codec.decode(text, type=deep, max_depth=30).ndim == 30
        with pytest.raises(DecodeError, match="nest"):
            codec.decode(text, type=deep, max_depth=29)
        with pytest.raises(DecodeError, match="nest"):
            codec.decode(codec.encode([np.zeros((1,) * 30, np.int64)]), type=list[deep], max_depth=30)
    with pytest.raises(DecodeError):
        # More than any array has.
        json.decode("[" * 500 + "]" * 500, type=deep)
    endless = []
    endless.append(endless)
    with pytest.raises(ValidationError, match="nest too deep"):
        convert(endless, deep)


@pytest.mark.parametrize(
    "text", ["[", "[1", "[1,", "[[1]", "[1 2]", "[1,]", "[01]", "[1.]", "[1]x", "[-]", "[1e]"]
)
def test_malformed(text):
    with pytest.raises(DecodeError) as caught:
        json.decode(text, type=NDArray[np.float64])
    assert type(caught.value) is DecodeError
    for cut in (b"\x92\x01", b"\xdd\xff\xff\xff\xff\x01", b"\x91\xcb\0", b"\x91\xc1"):
        with pytest.raises(DecodeError):
            msgpack.decode(cut, type=NDArray[np.float64])


class Series(Struct, Generic[T]):
    name: str
    values: NDArray[T]
    extra: "NDArray[np.uint8] | None" = None


def test_fields_and_generics():
    made = json.decode('{"name":"a","values":[1,2],"extra":[3]}', type=Series[np.int16])
    same(made.values, np.array([1, 2], np.int16))
    same(made.extra, np.array([3], np.uint8))
    assert json.decode('{"name":"a","values":[1],"extra":null}', type=Series[np.float32]).extra is None
    with pytest.raises(ValidationError, match=r"`\$\.values\[1\]`"):
        json.decode('{"name":"a","values":[1,"x"]}', type=Series[np.int16])
    rows = json.decode("[[1,2],[3]]", type=list[NDArray[np.int8]])
    assert [row.tolist() for row in rows] == [[1, 2], [3]]
    for wrong in (
        NDArray[np.int8] | list[int],
        NDArray[np.int8] | dict[str, int],
        NDArray[np.int8] | NDArray[np.int16],
    ):
        with pytest.raises(TypeError):
            json.Decoder(wrong)


@pytest.mark.parametrize(
    "t", [np.ndarray, NDArray[Any], NDArray[np.complex128], NDArray[np.floating], NDArray[np.str_]]
)
def test_arrays_of_anything_else_are_for_a_hook(t):
    assert isinstance(inspect.type_info(t), inspect.CustomType)
    made = json.decode("[1,2]", type=t, dec_hook=lambda t, v: np.array(v))
    assert made.tolist() == [1, 2]


@pytest.mark.parametrize("code", CODES)
def test_standard_arrays(code):
    t = Annotated[array.array, Meta(typecode=code)]
    values = array.array(code, [0, 1, 100])
    for codec in FORMATS:
        assert codec.decode(codec.encode(values), type=t) == values
        assert codec.decode(codec.encode(values[:0]), type=t).typecode == code
    assert convert([0, 1, 100], t) == values
    assert convert(values, t) is values
    assert refusals("[[1]]", t).endswith("got `array` - at `$[0]`")
    assert "Expected" in refusals('["x"]', t)
    if code not in "fd":
        with pytest.raises(ValidationError, match=r"Expected `int` [<>]= .* - at `\$\[1\]`"):
            json.decode(f"[1,{2**64 if code in 'QL' else 2 ** (8 * values.itemsize)}]", type=t)
    other = array.array("b" if code != "b" else "d", [1])
    with pytest.raises(ValidationError, match="Expected `array` of typecode"):
        convert(other, t)


def test_standard_arrays_without_a_code():
    if hasattr(array.array, "__class_getitem__"):
        assert json.decode("[1,2]", type=array.array[int]) == array.array("q", [1, 2])
        assert json.decode("[1,2]", type=array.array[float]) == array.array("d", [1, 2])
    assert isinstance(inspect.type_info(array.array), inspect.CustomType)


shapes = st.lists(st.integers(0, 4), min_size=1, max_size=4)


@given(st.data(), shapes, st.sampled_from([*INTEGERS, *FLOATS, np.bool_]))
def test_arrays_come_back(data, shape, dtype):
    size = math.prod(shape)
    kind = np.dtype(dtype)
    raw = data.draw(st.binary(min_size=size * kind.itemsize, max_size=size * kind.itemsize))
    values = np.frombuffer(bytes(byte & 1 for byte in raw) if kind.kind == "b" else raw, dtype).reshape(shape)
    for codec in FORMATS:
        options = {"nan": "literal"} if codec is json else {}
        made = codec.decode(codec.encode(values, **options), type=NDArray[dtype], **options)
        assert made.dtype == kind
        # Of an array with nothing in it the text does not say more than that.
        if 0 not in shape[:-1]:
            assert made.shape == values.shape
        np.testing.assert_array_equal(made, values.reshape(made.shape))


numbers = st.one_of(
    st.integers(-(2**64), 2**64), st.floats(allow_nan=False, allow_infinity=False), st.none(), st.booleans()
)
nested = st.recursive(numbers, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@given(st.lists(nested, max_size=4), st.sampled_from([np.int64, np.uint64, np.float64]))
def test_what_lists_say_arrays_say(value, dtype):
    """Whatever is read as an array, the library makes of the same lists; and what is refused is refused of all inputs."""
    text = json.encode(value)

    def outcome(read):
        try:
            return read()
        except ValidationError as error:
            return str(error)

    first = outcome(lambda: json.decode(text, type=NDArray[dtype]))
    second = outcome(lambda: convert(value, NDArray[dtype]))
    if isinstance(first, str) or isinstance(second, str):
        assert type(first) is str
        assert first == second
        return
    wanted = np.array(value, dtype)
    np.testing.assert_array_equal(first, wanted.reshape(first.shape))
    np.testing.assert_array_equal(second, first)


def test_numpy_is_not_imported_for_other_types():
    code = """
import sys
from oxwire import json, Struct
class A(Struct):
    a: list[float]
assert json.decode('{"a":[1]}', type=A).a == [1.0]
assert "numpy" not in sys.modules
print("well")
"""
    assert run_python(code).strip() == "well"
