"""Buffers beside a message, beginnings, sealed messages, files and streams; what is said of faults."""

import io
import pickle
from collections import defaultdict, deque
from dataclasses import dataclass
from importlib.util import find_spec

import pytest

from oxwire import Struct, native
from oxwire.native import DecodeError, EncodeError


class Unknown:
    """A class that nobody registers."""


@native.register("beside.point")
@dataclass
class Point:
    x: object
    y: object


@native.register("beside.pair")
class Pair(Struct):
    a: object
    b: object


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (Unknown(), "$"),
        ([1, {"a": [Unknown()]}], "$[1].a[0]"),
        ({"a b": (1, Unknown())}, '$["a b"][1]'),
        ({(1, 2): {1: Unknown()}}, "$[(1, 2)][1]"),
        (Point(1, Point([], Unknown())), "$.y.y"),
        (Pair(1, {"k": Pair(Unknown(), 2)}), "$.b.k.a"),
        ([deque([1, {"k": Unknown()}])], "$[0][1].k"),
        ([defaultdict(int, {"k": Unknown()})], "$[0].k"),
        ([{1}, {Unknown()}], "$[1][0]"),
    ],
)
def test_what_cannot_be_written_says_where_it_is(value, path):
    with pytest.raises(EncodeError) as caught:
        native.encode(value)
    assert caught.value.path == path
    assert str(caught.value) == f"{caught.value.msg} - at `{path}`"


def test_what_nests_too_deeply_says_where():
    value = [1]
    with pytest.raises(EncodeError, match="max_depth") as caught:
        native.encode({"a": [value, [[]]]}, max_depth=2)
    assert caught.value.path == "$.a[0]"


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        ("b0 41 14 00 00 00", 2),
        ("b0 42 21 61 12 01 21 78", 4),
        ("b0 41 0a 00 22 7a 7a 00 00", 2),
        ("b0 41 12 20 42 21 61", 7),
        ("b0 42 e1 12 20 4a e0 42 e1 e2", 3),
        ("b0 41 12 25 06 01 e1", 2),
    ],
)
def test_what_says_nothing_that_exists_says_where_it_is(data, offset):
    with pytest.raises(DecodeError) as caught:
        native.decode(bytes.fromhex(data))
    assert caught.value.offset == offset


def test_buffers_travel_beside_the_message():
    parts = [pickle.PickleBuffer(b"read"), pickle.PickleBuffer(bytearray(b"written"))]
    data, buffers = native.encode([*parts, parts[0]], collect_buffers=True)
    assert buffers == parts
    one, two, again = native.decode(data, buffers=buffers)
    assert (bytes(one), bytes(two), again is one) == (b"read", b"written", True)
    assert (one.readonly, two.readonly) == (True, False)
    two[0] = 87
    assert bytes(parts[1].raw()) == b"Written"


def test_what_has_no_buffers_has_none_beside_it():
    data, buffers = native.Encoder(collect_buffers=True).encode([1, b"x"])
    assert (data, buffers) == (native.encode([1, b"x"]), [])
    assert native.decode(data, buffers=()) == [1, b"x"]


def test_without_being_collected_buffers_are_copied():
    message = native.encode([pickle.PickleBuffer(b"read"), pickle.PickleBuffer(bytearray(b"written"))])
    assert native.decode(message) == [b"read", bytearray(b"written")]
    assert [type(o) for o in native.decode(message)] == [bytes, bytearray]


@pytest.mark.parametrize(
    ("buffers", "words"),
    [
        (None, "missing"),
        ([], "missing"),
        ([b"abc"], "read-only"),
        ([bytearray(4)], "has 4 bytes"),
        ([memoryview(bytearray(6))[::2]], "no contiguous buffer"),
        (["abc"], "no contiguous buffer"),
        ([bytearray(3), b""], "more buffers"),
    ],
)
def test_other_buffers_are_refused(buffers, words):
    data, _ = native.encode([pickle.PickleBuffer(bytearray(b"abc"))], collect_buffers=True)
    with pytest.raises(DecodeError, match=words):
        native.decode(data, buffers=buffers)


@pytest.mark.skipif(not find_spec("numpy"), reason="numpy is not there")
def test_arrays_are_not_copied():
    import numpy as np

    array = np.arange(12.0).reshape(3, 4)
    data, buffers = native.encode([array, array.T, array[:, ::2]], collect_buffers=True)
    assert len(buffers) == 2
    one, two, three = native.decode(data, buffers=buffers)
    assert (one == array).all()
    assert (two == array.T).all()
    assert (three == array[:, ::2]).all()
    one[0, 0] = 7
    assert array[0, 0] == 7


def test_arrays_of_moments_are_buffers_too():
    np = pytest.importorskip("numpy", reason="needs numpy")
    kinds = ("M8[s]", "m8[ns]", [("when", "M8[D]"), ("n", "i1")], "V3")
    for one in [np.zeros((2, 3), np.dtype(kind)) for kind in kinds] + [np.array("2026-11-23", "M8[s]")]:
        data, buffers = native.encode(one, collect_buffers=True)
        got = native.decode(data, buffers=buffers)
        assert (got.dtype, got.shape) == (one.dtype, one.shape)
        assert got.tobytes() == one.tobytes()
        assert len(buffers) == 1
        assert np.shares_memory(got, one) == bool(one.nbytes)


def test_a_message_may_be_the_beginning():
    data = native.encode([1, "a"])
    assert native.decode_prefix(data + b"rest") == ([1, "a"], len(data))
    assert native.Decoder().decode_prefix(data) == ([1, "a"], len(data))
    with pytest.raises(DecodeError):
        native.decode_prefix(data[:-1])


def test_sealed_messages_are_not_read():
    inner = native.Raw(native.encode({"a": [1]}))
    outer = native.decode(native.encode([inner, inner, 1]))
    assert outer == [inner, inner, 1]
    assert outer[0] is outer[1]
    assert native.decode(bytes(outer[0])) == {"a": [1]}
    for wrong in (b"", b"\xb0", b"\xb1X", b"{}"):
        with pytest.raises(ValueError, match="Raw needs"):
            native.Raw(wrong)


@pytest.mark.parametrize("checked", [True, False])
def test_files_are_written_read_and_appended_to(tmp_path, checked):
    path = tmp_path / "some.oxn"
    with native.FileWriter(path, checked=checked) as file:
        file.write([1])
        file.write({"a": "b" * 100_000})
    with native.FileWriter(path, append=True) as file:
        file.write(3)
    assert list(native.read(path)) == [[1], {"a": "b" * 100_000}, 3]
    whole = path.read_bytes()
    # What was cut off is cut off, and writing goes on behind the last whole message.
    path.write_bytes(whole[:-12])
    with pytest.raises(DecodeError, match="cut off"):
        list(native.read(path))
    with native.FileWriter(path, append=True) as file:
        file.write(4)
    assert list(native.read(path))[-1] == 4


def test_every_change_of_a_checked_file_is_found():
    out = io.BytesIO()
    file = native.FileWriter(out)
    file.write([1, 2])
    file.close()
    whole = out.getvalue()
    for i in range(len(whole)):
        # The highest flags are nobody's.
        if i != 11:
            with pytest.raises(DecodeError):
                list(native.read(io.BytesIO(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])))
        with pytest.raises(DecodeError):
            list(native.read(io.BytesIO(whole[:i])))


def test_streams_come_in_pieces():
    out = io.BytesIO()
    file = native.FileWriter(out, header=False, checked=False)
    file.write("one")
    file.write(["two"])
    stream, got = native.StreamDecoder(header=False), []
    for byte in out.getvalue():
        stream.feed(bytes([byte]))
        got += stream
    assert got == ["one", ["two"]]
    stream.close()
    stream.feed(b"\1\5\xb0")
    with pytest.raises(DecodeError, match="cut off"):
        stream.close()


@pytest.mark.parametrize(
    "frames", [b"\3\0", b"\2\1x", b"\0\1\1", b"\1\1\xb1", b"\1\x81\x00", b"\x01" + b"\xff" * 9]
)
def test_other_frames_are_refused(frames):
    stream = native.StreamDecoder(header=False)
    stream.feed(frames)
    with pytest.raises(DecodeError):
        list(stream)


def test_a_frame_may_not_be_longer_than_was_said():
    stream = native.StreamDecoder(header=False, max_buffer=10)
    stream.feed(b"\1\x0b")
    with pytest.raises(DecodeError, match="max_buffer"):
        next(stream)


def test_arrays_without_bytes_are_refused():
    np = pytest.importorskip("numpy", reason="needs numpy")
    for dtype in (np.dtype([]), np.dtype("V0")):
        with pytest.raises(EncodeError, match="no bytes"):
            native.encode([np.zeros(3, dtype)])
    for array in (
        np.zeros((0, 3)),
        np.zeros(()),
        np.arange(6).reshape(2, 3)[:, ::2],
        np.arange(6).reshape(2, 3).T,
    ):
        again = native.decode(native.encode(array))
        assert again.shape == array.shape
        assert (again == array).all()
        assert again.flags.writeable
        array.flags.writeable = False
        assert not native.decode(native.encode(array)).flags.writeable


def test_whoever_stops_early_is_told_of_nothing(tmp_path):
    with native.FileWriter(tmp_path / "a.oxn") as writer:
        for i in range(3):
            writer.write(i)
    messages = native.read(tmp_path / "a.oxn")
    assert next(messages) == 0
    messages.close()
    with pytest.raises(StopIteration):
        next(messages)


def test_views_of_buffers_are_of_bytes_and_keep_their_access():
    from array import array

    buffer = bytearray(b"abcd")
    for wanted in (bytes(buffer), buffer):
        data, _ = native.encode(pickle.PickleBuffer(wanted), collect_buffers=True)
        views = [buffer, memoryview(buffer), pickle.PickleBuffer(buffer), array("I", bytes(buffer))]
        for given in (*views, memoryview(buffer).cast("b"), memoryview(buffer).cast("B", (2, 2))):
            got = native.decode(data, buffers=iter([given]))
            assert (type(got), got.format, got.ndim) == (memoryview, "B", 1)
            assert (bytes(got), got.readonly) == (bytes(buffer), wanted is not buffer)


def test_buffers_that_were_released_are_no_buffers():
    buffer = pickle.PickleBuffer(bytearray(b"abc"))
    data, _ = native.encode(buffer, collect_buffers=True)
    buffer.release()
    with pytest.raises(EncodeError, match="released"):
        native.encode([buffer], collect_buffers=True)
    with pytest.raises(EncodeError, match="contiguous"):
        native.encode(pickle.PickleBuffer(memoryview(b"abcd")[::2]), collect_buffers=True)
    with pytest.raises(DecodeError, match="no contiguous buffer"):
        native.decode(data, buffers=[buffer])


def test_the_keywords_of_methods_are_those_that_they_have():
    with pytest.raises(TypeError, match="no keyword arguments"):
        native.Encoder().encode(1, collect_buffers=True)
    data = native.encode(1)
    for decode in (native.Decoder().decode, native.Decoder(type=int).decode):
        assert decode(data, buffers=None) == 1
        with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
            decode(data, buffers=(), foo=1)
        with pytest.raises(DecodeError, match="more buffers"):
            decode(data, buffers=[b""])
