"""numpy: arrays and scalars as arrays and numbers, and as one typed ext that shares memory when it is read."""

import contextlib
import math
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import run_python

from oxwire import DecodeError, EncodeError
from oxwire.msgpack import EXT_NDARRAY, Decoder, Encoder, Ext, StreamDecoder, decode, encode

np = pytest.importorskip("numpy", reason="needs numpy")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "longlong", "ulonglong"]
TYPED = [*INTEGERS, "bool", "float16", "float32", "float64", "complex64", "complex128"]
TYPED += ["M8[ns]", "M8[D]", "M8[25s]", "m8[us]", "m8", "S1", "S7", "U1", "U5"]


def sample(kind, n=24):
    """An array of `n` different items, the extremes among them."""
    kind = np.dtype(kind)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        items = [info.min, info.max, 0, 1, info.max // 2, *range(2, n - 3)]
        return np.array(items, kind)
    if kind.kind == "b":
        return np.arange(n) % 3 == 0
    if kind.kind in "fc":
        return np.array([0.0, -0.0, np.inf, 1e-4, *np.arange(n - 4) / 7], kind)
    if kind.kind in "Mm":
        return (np.arange(n, dtype="i8") * 1_000_003 - 5).view(kind.newbyteorder("="))
    return np.array([str(k) if kind.kind == "U" else str(k).encode() for k in range(n)], kind)


def views(array):
    """The array in several orders, strides and shapes."""
    yield array
    yield array[::-1]
    yield array[::2]
    yield array[3:-2]
    yield array[:0]
    grid = array.reshape(2, 3, 4)
    yield grid
    yield grid.T
    yield np.asfortranarray(grid)
    yield grid[:, ::-1, 1::2]
    yield grid[:, :0]
    yield grid.reshape(1, 24, 1, 1)
    yield np.array(array[3])
    yield np.broadcast_to(array[:3], (2, 3))
    yield array.astype(array.dtype.newbyteorder())
    yield grid.astype(array.dtype.newbyteorder()).T
    room = np.zeros(array.nbytes + 1, "u1")[1:]
    unaligned = room.view(array.dtype)
    unaligned[:] = array
    yield unaligned


# As arrays.


@pytest.mark.parametrize("kind", [*INTEGERS, "bool", "float64"])
def test_arrays_are_written_as_lists(kind):
    for view in views(sample(kind)):
        plain = view.tolist()
        assert encode(view) == encode(plain)
        assert encode([view, {"k": view}]) == encode([plain, {"k": plain}])
        assert encode(view, canonical=True) == encode(plain, canonical=True)
        assert encode(view, float32=True) == encode(plain, float32=True)
        for scalar in view.ravel()[:5]:
            assert encode(scalar) == encode(scalar.item())
            assert encode({"k": scalar}) == encode({"k": scalar.item()})


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_short_floats_are_written_in_32_bits(kind):
    for view in views(sample(kind)):
        # Exact, since each has a form of its own width.
        assert encode(view) == encode(view.tolist(), float32=True)
        for scalar in view.ravel()[:5]:
            assert encode([scalar]) == encode([float(scalar)], float32=True)


def test_every_float16():
    array = np.arange(65_536, dtype="u2").view("f2")
    again = np.array(decode(encode(array)))
    assert np.array_equal(again, array.astype("f8"), equal_nan=True)
    assert np.array_equal(np.signbit(again), np.signbit(array))


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 255, 65_535, 65_536])
def test_lengths(length):
    for kind in ("i1", "u8", "f4", "f8", "?"):
        array = np.zeros(length, kind)
        items = decode(encode(array))
        assert items == array.tolist()
        assert decode(encode(array, ndarray_ext=True), ndarray_ext=True).tolist() == items
        assert len(decode(encode(np.zeros((length, 1), kind)))) == length


def test_integers_take_their_shortest_form():
    numbers = [s * 2**n + d for n in (5, 7, 8, 15, 16, 31, 32, 62) for s in (1, -1) for d in (-1, 0, 1)]
    assert encode(np.array(numbers)) == encode(numbers)
    assert encode(np.array(numbers, ">i8")) == encode(numbers)
    for kind in INTEGERS:
        info = np.iinfo(kind)
        fitting = [number for number in numbers if info.min <= number <= info.max]
        assert encode(np.array(fitting, kind)) == encode(fitting)
    with pytest.raises(EncodeError):
        encode([np.array([1, 2**53])], int_bits=53)
    with pytest.raises(EncodeError):
        encode(np.uint64(2**64 - 1), int_bits=53)


def test_canonical_floats():
    array = np.array([0.0, -0.0, np.nan, -np.nan, 0.5, 0.1, 16777217.0])
    assert encode(array, canonical=True) == encode(array.tolist(), canonical=True)
    assert encode(-np.float32(0), canonical=True) == encode(0.0, canonical=True)
    assert encode(np.float32(0.1), canonical=True) == encode(float(np.float32(0.1)), canonical=True)


def test_other_arrays():
    moments = np.array(["2000-01-02T03:04:05.000006", "NaT"], "M8[us]")
    with contextlib.suppress(EncodeError):
        assert decode(encode(moments)) == ["2000-01-02T03:04:05.000006", None]
    for value, plain in (
        (moments[:1], ["2000-01-02T03:04:05.000006"]),
        (np.array(["é", ""]), ["é", ""]),
        (np.array([b"\xff", b""]), [b"\xff", b""]),
        (np.array([1, None, "x", [2]], object), [1, None, "x", [2]]),
        (np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.5}]),
        (np.str_("é"), "é"),
        (np.bytes_(b"\xff"), b"\xff"),
        (np.timedelta64(5, "s"), "PT5S"),
        (np.bool_(True), True),
    ):
        assert encode([value]) == encode([plain])
    for wrong in (np.array([1j]), np.complex64(1j), np.array([object()])):
        with pytest.raises(EncodeError):
            encode([wrong])


def test_keys():
    value = {np.int8(-5): 1, np.float64(0.5): 2, np.str_("é"): 3, np.uint64(2**64 - 1): 4, np.bool_(True): 5}
    assert encode(value) == encode({-5: 1, 0.5: 2, "é": 3, 2**64 - 1: 4, True: 5})
    for options in ({}, {"sort": True}, {"canonical": True}):
        assert decode(encode({(np.int8(1), "x"): 1}, **options)) == {(1, "x"): 1}


def test_depth():
    deep = np.zeros((1,) * 20, "i1")
    assert encode(deep, max_depth=20)
    with pytest.raises(EncodeError):
        encode(deep, max_depth=19)
    assert encode(deep, max_depth=0, ndarray_ext=True)


def test_passthrough():
    value = [np.arange(2), np.int8(5)]
    with pytest.raises(EncodeError):
        encode(value, passthrough=["numpy"])
    for options in ({}, {"ndarray_ext": True}):
        assert encode(value, passthrough=["numpy"], enc_hook=lambda v: "h", **options) == encode(["h", "h"])


# As one ext.


@pytest.mark.parametrize("kind", TYPED)
def test_typed_arrays_come_back(kind):
    for view in views(sample(kind)):
        for code in (True, 43, 0, -128):
            message = encode(view, ndarray_ext=code)
            again = decode(message, ndarray_ext=code)
            assert type(again) is np.ndarray
            assert again.shape == view.shape
            assert again.dtype == view.dtype.newbyteorder("<")
            assert again.tobytes() == view.astype(again.dtype).tobytes()
            assert not again.flags.writeable
        plain = decode(message)
        assert type(plain) is Ext
        assert plain.code == -128
        assert encode(plain) == message
        nested = decode(encode({"a": [view, 1]}, ndarray_ext=True), ndarray_ext=True)
        assert nested["a"][0].tobytes() == again.tobytes()


def test_what_a_typed_array_is_on_the_wire():
    assert EXT_NDARRAY == 43
    message = encode(np.array([[1, 2, 3], [4, 5, 6]], ">u2"), ndarray_ext=True)
    assert message.hex() == "c7212b033c75320200000000000000020000000000000003010002000300040005000600"
    # Scalars stay numbers, and what is no run of plain items an array.
    for value in (np.int8(5), np.array([1, None], object), np.array([(1, 2)], "i1,i1"), np.longdouble(1.5)):
        with contextlib.suppress(EncodeError):
            assert encode([value], ndarray_ext=True) == encode([value])
    assert encode(np.arange(3), ndarray_ext=False) == encode(np.arange(3), ndarray_ext=None) == b"\x93\0\1\2"
    assert encode([1, "x"], ndarray_ext=True) == encode([1, "x"])


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_is_shared_with_bytes():
    array = np.arange(10_000.0)
    data = encode(["x" * 1000, array, {"k": array}], ndarray_ext=True)
    low = address(np.frombuffer(data, "u1"))
    before = sys.getrefcount(data)
    _, first, rest = decode(data, ndarray_ext=True)
    for made in (first, rest["k"]):
        assert low <= address(made) < low + len(data)
        with pytest.raises(ValueError, match="read-only"):
            made[0] = 1
    assert sys.getrefcount(data) > before
    del made, rest, first
    assert sys.getrefcount(data) == before
    # The array keeps the message alive, whoever else lets it go.
    kept = decode(encode(array, ndarray_ext=True), ndarray_ext=True)
    assert np.array_equal(kept, array)
    assert np.array_equal(Decoder(ndarray_ext=True).decode(data)[1], array)


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda data: memoryview(bytearray(data))])
def test_what_can_change_is_copied(kind):
    array = np.arange(1000)
    data = kind(encode([array], ndarray_ext=True))
    (made,) = decode(data, ndarray_ext=True)
    if type(data) is bytearray:
        data[:] = bytes(len(data))
        data.clear()
    elif not data.readonly:
        data[:] = bytes(len(data))
    assert np.array_equal(made, array)
    assert not made.flags.writeable


def test_typed_arrays_in_streams():
    array = np.arange(100, dtype="u2")
    message = encode([array, "x"], ndarray_ext=True)
    for size in (1, 7, 1000):
        for options in ({}, {"list_hook": list}):
            stream = StreamDecoder(ndarray_ext=True, **options)
            made = []
            for at in range(0, len(message) * 3, size):
                stream.feed((message * 3)[at : at + size])
                made += stream
            del stream
            assert len(made) == 3
            assert all(np.array_equal(one[0], array) for one in made)


def test_a_typed_array_is_no_key():
    data = b"\x81" + encode(np.arange(2), ndarray_ext=True) + b"\1"
    with pytest.raises((TypeError, DecodeError)):
        decode(data, ndarray_ext=True)
    assert decode(data).popitem()[0].code == 43


def test_bodies_that_are_wrong():
    good = decode(encode(np.arange(6, dtype="<u2").reshape(2, 3), ndarray_ext=True)).data
    bad = [good[:n] for n in range(len(good))] + [good + b"\0", good + b"\0\0"]
    heads = [
        b"|u2",
        b">u2",
        b"=u2",
        b"<u3",
        b"<O8",
        b"|V2",
        b"u2",
        b"<x2",
        b"<f16",
        b"|O0",
        b"<u\xff",
        b"<u2,",
        b"",
    ]
    bad += [bytes([len(head)]) + head + good[4:] for head in heads]
    bad += [b"\x03|S0" + b"\0", b"\x03<U0" + b"\1" + bytes(8), b"\x03|b1\0\2", b"\xff" * 30]
    for shape in ([2**63, 2], [2**64 - 1], [2**32, 2**32], [2**61, 8], [0, 2**64 - 1], [3, 3]):
        bad.append(good[:4] + bytes([len(shape)]) + b"".join(n.to_bytes(8, "big") for n in shape) + good[21:])
    bad.append(good[:4] + b"\xff" + (1).to_bytes(8, "big") * 255 + b"\1\2")
    for body in bad:
        for options in ({}, {"strict": True}):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(DecodeError, match="code"):
                    decode(encode([Ext(43, body)]), ndarray_ext=True, **options)
        assert decode(encode([Ext(43, body)])) == [Ext(43, body)]


def test_every_mutation_of_a_body():
    message = encode(np.arange(3, dtype="<i2"), ndarray_ext=True)
    for at in range(len(message)):
        changed = bytearray(message)
        for byte in range(0, 256, 3 if at > 3 else 1):
            changed[at] = byte
            with contextlib.suppress(DecodeError):
                decode(bytes(changed), ndarray_ext=True)


shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@given(shapes, st.sampled_from(TYPED), st.booleans(), st.integers(0, 2**32))
def test_any_array(shape, kind, turned, seed):
    dtype = np.dtype(kind)
    count = math.prod(shape)
    raw = np.random.default_rng(seed).integers(0, 128, count * dtype.itemsize, "u1")
    if dtype.kind in "bU":
        array = np.resize(sample(kind), shape)
    else:
        array = np.frombuffer(raw.tobytes(), dtype).reshape(shape)
    if turned:
        array = array.T[..., ::-1] if array.ndim else array
    again = decode(encode(array, ndarray_ext=True), ndarray_ext=True)
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()
    if dtype.kind in "iub":
        assert decode(encode(array)) == array.tolist()


def test_masks_hide():
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    for options in ({}, {"ndarray_ext": True}):
        try:
            message = encode([masked], **options)
        except EncodeError:
            continue
        assert decode(message) == [[1, None, 3]]


def test_subclasses_that_lie():
    class Sub(np.ndarray):
        def tobytes(self, *args):
            return b"\0"

        def tolist(self):
            return [0]

        def astype(self, *args, **options):
            return self

    for array in (np.arange(4).view(Sub), np.arange(4, dtype=">i2").view(Sub)):
        assert encode(array) == encode([0, 1, 2, 3])
        with contextlib.suppress(EncodeError):
            assert np.array_equal(decode(encode(array, ndarray_ext=True), ndarray_ext=True), np.arange(4))


def test_numpy_is_imported_by_no_one_but_who_reads_arrays():
    code = """
import sys
import oxwire.msgpack as m
m.decode(m.encode([1, {"a": b"x"}], ndarray_ext=True), ndarray_ext=True)
m.Encoder(ndarray_ext=True), m.Decoder(ndarray_ext=True)
assert "numpy" not in sys.modules
print(m.decode(bytes.fromhex("c70d2b033c693801" + "0000000000000000"), ndarray_ext=True).shape)
assert "numpy" in sys.modules
"""
    assert run_python(code).strip() == "(0,)"
    code = """
import sys
sys.modules["numpy"] = None
import oxwire.msgpack as m
try:
    m.decode(bytes.fromhex("c70d2b033c693801" + "0000000000000000"), ndarray_ext=True)
except ImportError:
    print("well")
"""
    assert run_python(code).strip() == "well"


def test_coders():
    encoder, decoder = Encoder(ndarray_ext=5), Decoder(ndarray_ext=5, ext_hook=lambda *a: 1 / 0)
    array = np.eye(3)
    assert np.array_equal(decoder.decode(encoder.encode(array)), array)
    assert decoder.decode_prefix(encoder.encode(array) + b"\1")[0].shape == (3, 3)
    assert bytes(decode(encoder.encode(array), ndarray_ext=5, raw=True)) == encoder.encode(array)
