"""StreamDecoder: messages split anywhere, headers entered, files that are slow or wrong, and going on after errors."""

import io
import itertools
import threading
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MESSAGES, Trickle, nested, pack_values, same

from oxwire import DecodeError, Raw
from oxwire.msgpack import Ext, StreamDecoder, Timestamp, decode, encode, encode_many

STREAM = b"".join(MESSAGES)
VALUES = [decode(message) for message in MESSAGES]


def fed(*chunks, **options):
    """What comes out of a decoder that is given these chunks."""
    stream = StreamDecoder(**options)
    result = []
    for chunk in chunks:
        stream.feed(chunk)
        result += stream
    stream.close()
    result += stream
    assert stream.pending == 0
    assert stream.tell() == sum(map(len, chunks))
    return result


def cut(data, size):
    """The data in pieces of one size."""
    return [data[at : at + size] for at in range(0, len(data), size)]


# Feeding.


@pytest.mark.parametrize("message", MESSAGES, ids=bytes.hex)
def test_every_split_in_two_and_three(message):
    wanted = [decode(message)]
    for options in (
        {},
        {"list_hook": list},
        {"object_pairs_hook": dict},
        {"max_str_len": 100},
        {"max_buffer": len(message)},
    ):
        for first in range(len(message) + 1):
            assert same(fed(message[:first], message[first:], **options), wanted)
    for first, second in itertools.combinations_with_replacement(range(len(message) + 1), 2):
        assert same(fed(message[:first], message[first:second], message[second:]), wanted)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, Raw])
def test_a_stream_in_chunks_of_every_size(kind):
    for size in (*range(1, 40), 1000):
        assert same(fed(*map(kind, cut(STREAM, size))), VALUES)
        assert [bytes(raw) for raw in fed(*map(kind, cut(STREAM, size)), raw=True)] == [*MESSAGES]


@given(st.lists(pack_values(), max_size=5), st.integers(1, 9))
def test_any_stream(items, size):
    assert same(fed(*cut(encode_many(items), size)), items)


def test_when_a_message_is_complete():
    stream = StreamDecoder()
    assert iter(stream) is stream
    for n, byte in enumerate(b"\x92\x01"):
        stream.feed(bytes([byte]))
        assert list(stream) == []
        assert next(stream, "none") == "none"
        assert (stream.pending, stream.tell()) == (n + 1, 0)
        with pytest.raises(EOFError):
            stream.read()
        with pytest.raises(EOFError):
            stream.skip()
    assert "2" in repr(stream)
    stream.feed(b"\x02\x03\xa2")
    assert next(stream) == [1, 2]
    assert (stream.pending, stream.tell()) == (2, 3)
    assert stream.read() == 3
    assert list(stream) == []
    stream.feed(b"")
    stream.feed(b"ab")
    assert stream.read() == "ab"
    assert (stream.pending, stream.tell()) == (0, 7)


def test_close():
    stream = StreamDecoder()
    stream.feed(b"\x01\x02")
    stream.close()
    stream.close()
    assert list(stream) == [1, 2]
    with pytest.raises(ValueError, match="closed"):
        stream.feed(b"\x01")
    for message in MESSAGES:
        for end in range(1, len(message)):
            stream = StreamDecoder()
            stream.feed(b"\x01" + message[:end])
            with pytest.raises(DecodeError) as caught:
                stream.close()
            assert caught.value.offset == 1 + end
            assert next(stream) == 1


def test_fed_memory_is_not_kept():
    stream = StreamDecoder()
    chunk = bytearray(b"\x92\xc4\x01")
    stream.feed(chunk)
    chunk[:] = bytes(3)
    chunk.clear()
    stream.feed(b"a\x05")
    assert next(stream) == [b"a", 5]


def test_max_buffer():
    message = encode(["x" * 60])
    for step in (1, 7, 50, 1000):
        stream = StreamDecoder(max_buffer=len(message))
        for chunk in cut(message * 20, step):
            stream.feed(chunk)
        assert len(list(stream)) == 20
        stream = StreamDecoder(max_buffer=len(message) - 1)
        with pytest.raises(DecodeError):
            for chunk in cut(message * 20, step):
                stream.feed(chunk)
                list(stream)
    for options in ({}, {"list_hook": list}, {"raw": True}):
        stream = StreamDecoder(io.BytesIO(message), max_buffer=len(message) - 1, **options)
        with pytest.raises(DecodeError):
            next(stream)
        assert StreamDecoder(io.BytesIO(message), max_buffer=len(message), **options).read()
    stream = StreamDecoder(max_buffer=None)
    stream.feed(b"\xdb\x00\x10\x00\x00" + b"x" * 1_000_000)
    assert stream.pending == 1_000_005


def test_options():
    data = encode_many([Timestamp(5, 1), Ext(5, b"x"), [1], {"a": 1}])
    assert fed(data, timestamp="ns", ext_hook=lambda *a: a, use_list=False, object_hook=len) == [
        5_000_000_001,
        (5, b"x"),
        (1,),
        1,
    ]
    assert fed(b"\xa1\xff", str_errors="raw") == fed(b"\xa1\xff", old_spec=True) == [b"\xff"]
    with pytest.raises(DecodeError):
        fed(b"\x82\x01\x01\x01\x01", duplicate_keys="error")
    with pytest.raises(DecodeError):
        fed(b"\xcc\x01", strict=True)
    assert fed(encode(nested(1000)))
    for wrong in (
        {"no_such_option": 1},
        {"max_buffer": -1},
        {"max_buffer": "1"},
        {"read_size": -1},
        {"read_size": "1"},
        {"object_hook": dict, "object_pairs_hook": dict},
        {"sort": True},
    ):
        with pytest.raises((TypeError, ValueError)):
            StreamDecoder(**wrong)
    for wrong in ("\x01", 5, None, [1]):
        with pytest.raises(TypeError):
            StreamDecoder().feed(wrong)
    with pytest.raises(TypeError):
        StreamDecoder(None, None)


# Taking parts.


def test_headers_and_bytes():
    stream = StreamDecoder()
    stream.feed(encode([1, {"a": [2, 3], (1,): "x"}, [], {}]) + b"tail\x05")
    assert stream.read_array_header() == 4
    assert stream.read() == 1
    assert stream.read_map_header() == 2
    assert stream.tell() == 3
    assert stream.read() == "a"
    assert stream.read_array_header() == 2
    assert [next(stream), next(stream)] == [2, 3]
    assert stream.skip() is None
    assert stream.read() == "x"
    assert stream.read_array_header() == 0
    assert stream.read_map_header() == 0
    assert stream.read_bytes(0) == b""
    assert stream.read_bytes(4) == b"tail"
    assert stream.read() == 5
    assert stream.read_bytes(10) == b""


@pytest.mark.parametrize("length", [0, 15, 16, 65_535, 65_536, 2**32 - 1])
@pytest.mark.parametrize("kind", ["array", "map"])
def test_headers_of_every_width(kind, length):
    fix, wide = (0x90, 0xDC) if kind == "array" else (0x80, 0xDE)
    forms = [bytes([wide + 1]) + length.to_bytes(4, "big")]
    forms += [bytes([wide]) + length.to_bytes(2, "big")] if length < 2**16 else []
    forms += [bytes([fix + length])] if length < 16 else []
    other = "map" if kind == "array" else "array"
    for form in forms:
        for end in range(len(form) + 1):
            stream = StreamDecoder()
            enter = getattr(stream, f"read_{kind}_header")
            stream.feed(form[:end])
            if end < len(form):
                with pytest.raises(EOFError):
                    enter()
                assert stream.pending == end
                stream.feed(form[end:])
            with pytest.raises(ValueError, match=f"no {other}"):
                getattr(stream, f"read_{other}_header")()
            assert enter() == length
            assert stream.tell() == len(form)


def test_headers_where_there_are_none():
    for message in MESSAGES:
        for kind in ("array", "map"):
            stream = StreamDecoder()
            stream.feed(message)
            if type(decode(message)) is {"array": list, "map": dict}[kind]:
                assert getattr(stream, f"read_{kind}_header")() == len(decode(message))
                continue
            with pytest.raises(ValueError, match=f"no {kind}") as caught:
                getattr(stream, f"read_{kind}_header")()
            assert not isinstance(caught.value, DecodeError)
            assert stream.tell() == 0
            assert same(stream.read(), decode(message))


def test_limits_hold_for_headers():
    for data, enter, options in (
        (b"\x93\1\2\3", "read_array_header", {"max_array_len": 2}),
        (b"\x82\1\1\2\2", "read_map_header", {"max_map_len": 1}),
    ):
        stream = StreamDecoder(**options)
        stream.feed(data)
        with pytest.raises(DecodeError, match="allows"):
            getattr(stream, enter)()
        assert stream.tell() == 0


def test_skip():
    for size in (1, 3, 1000):
        stream = StreamDecoder(list_hook=lambda made: 1 / 0, ext_hook=lambda *a: 1 / 0)
        for chunk in cut(STREAM, size):
            stream.feed(chunk)
        for message in MESSAGES:
            before = stream.tell()
            stream.skip()
            assert stream.tell() - before == len(message)
        with pytest.raises(EOFError):
            stream.skip()


def test_read_bytes_wrong_arguments():
    stream = StreamDecoder()
    stream.feed(b"abc")
    for wrong in (-1, "1", None, 1.5):
        with pytest.raises((TypeError, ValueError)):
            stream.read_bytes(wrong)
    assert stream.read_bytes(2**62) == b"abc"
    assert stream.tell() == 3


# Errors, and going on.


@pytest.mark.parametrize(
    ("bad", "at", "options"),
    [
        (b"\x92\x01\xa1\xff", 3, {}),
        (b"\x95\x01\xa1\xff\x01\x02\x03", 3, {}),
        (b"\x81\x80\x01", 1, {}),
        (b"\x83\x80\x01\x01\x01\x02\x02", 1, {}),
        (b"\xd4\xff\x01", 0, {}),
        (b"\x93\xcc\x01\x01\x01", 1, {"strict": True}),
        (b"\x82\x01\x01\x01\x01", 3, {"duplicate_keys": "error"}),
        (b"\x93\xa2ab\x01\x01", 1, {"max_str_len": 1}),
        (b"\x91\x91\x91\x01", 2, {"max_depth": 2}),
        (b"\xc7\x00\x26", 0, {"big_int_ext": True}),
        (b"\x92\xd7\xff\x00\x00\x00\x04\x00\x00\x00\x00\x01", 1, {}),
    ],
    ids=lambda v: v.hex() if isinstance(v, bytes) else str(v),
)
def test_the_stream_goes_on_behind_a_wrong_message(bad, at, options):
    data = b"\x01" + bad + b"\x02" + bad + b"\xa1x"
    # What a moment or a big integer says is not looked at in what stays undecoded.
    checked = "big_int_ext" in options or bad[1:3] == b"\xd7\xff"
    for size in range(1, len(data) + 2):
        for hooks in ({}, {"list_hook": list}, *([] if checked else [{"raw": True}])):
            stream = StreamDecoder(io.BytesIO(data), read_size=size, **options, **hooks)
            got, errors = [], []
            for _ in range(10):
                try:
                    got.append(next(stream))
                except DecodeError as error:
                    errors.append(error.offset)
                except StopIteration:
                    break
            assert [decode(one) if type(one) is Raw else one for one in got] == [1, 2, "x"]
            assert errors == [1 + at, 2 + len(bad) + at]
            assert stream.tell() == len(data)


def test_a_byte_that_begins_nothing():
    stream = StreamDecoder()
    stream.feed(b"\x01\x91\xc1\x02")
    assert next(stream) == 1
    for _ in range(3):
        for call in (stream.read, stream.skip, lambda: next(stream)):
            with pytest.raises(DecodeError) as caught:
                call()
            assert caught.value.offset == 2
    assert stream.tell() == 1
    stream.close()
    # Whoever knows where it goes on can go there.
    assert stream.read_bytes(2) == b"\x91\xc1"
    assert stream.read() == 2
    assert list(stream) == []


@pytest.mark.parametrize("kind", [LookupError, DecodeError, StopIteration, EOFError, KeyboardInterrupt])
def test_hooks_that_raise(kind):
    error = kind("mine")

    def hook(code, body):
        if body == b"!":
            raise error
        return body

    data = encode_many([Ext(1, b"a"), [1, Ext(1, b"!"), "x"], Ext(1, b"b")])
    for size in (1, 2, 1000):
        stream = StreamDecoder(Trickle(data, size), ext_hook=hook)
        assert stream.read() == b"a"
        with pytest.raises(kind) as caught:
            stream.read()
        assert caught.value is error
        assert stream.read() == b"b"


def test_hooks_that_use_their_own_stream():
    outcome = []

    def hook(made):
        for call in (
            lambda: stream.feed(b"\x07"),
            lambda: stream.tell(),
            lambda: stream.pending,
            lambda: next(stream, "none"),
            lambda: stream.read_bytes(1),
            lambda: stream.skip(),
            lambda: repr(stream),
        ):
            try:
                outcome.append(call())
            except Exception as error:  # noqa: BLE001 - any refusal will do
                outcome.append(type(error))
        return made

    for message in ([1], [[1], [2]], [list(range(50))] * 3):
        stream = StreamDecoder(list_hook=hook)
        stream.feed(encode(message) + b"\x05\x06")
        assert next(stream) == message
        assert outcome
        # What the hook took and added is gone and come; nothing is out of order.
        rest = list(stream)
        assert rest == sorted(rest)
        outcome.clear()


def test_hooks_that_close_their_own_stream():
    def hook(made):
        stream.close()
        return made

    stream = StreamDecoder(object_hook=hook)
    stream.feed(b"\x80\x80")
    assert list(stream) == [{}, {}]


# Files.


def sources(data, tmp_path):
    """The same bytes as several kinds of file."""
    path = tmp_path / "data"
    path.write_bytes(data)
    yield io.BytesIO(data)
    for size in (1, 2, 7, 1000):
        yield Trickle(data, size)
    with path.open("rb") as file:
        yield file
    with path.open("rb", buffering=0) as file:
        yield file


def test_files(tmp_path):
    for read_size in (1, 5, 65_536):
        for source in sources(STREAM, tmp_path):
            assert same(list(StreamDecoder(source, read_size=read_size)), VALUES)
    for source in sources(STREAM, tmp_path):
        stream = StreamDecoder(source, raw=True)
        assert bytes(stream.read()) == MESSAGES[0]
        stream.skip()
        assert stream.read_bytes(len(MESSAGES[2])) == MESSAGES[2]
        assert [bytes(raw) for raw in stream] == [*MESSAGES[3:]]
        assert stream.tell() == len(STREAM)
        with pytest.raises(EOFError):
            stream.read()
        assert stream.read_bytes(5) == b""


def test_a_file_is_asked_for_read_size():
    asked = []

    class File:
        def read(self, n):
            asked.append(n)
            return b"\x01" if len(asked) < 4 else b""

    assert list(StreamDecoder(File(), read_size=7)) == [1, 1, 1]
    assert asked == [7] * len(asked)
    assert StreamDecoder(None).pending == 0


def test_a_file_that_ends_within_a_message():
    for message in MESSAGES:
        for end in range(1, len(message)):
            for read in ("read", "skip", "__next__"):
                stream = StreamDecoder(io.BytesIO(b"\x01" + message[:end]), read_size=3)
                assert stream.read() == 1
                with pytest.raises(DecodeError) as caught:
                    getattr(stream, read)()
                assert caught.value.offset == end + 1


def test_a_file_that_would_block():
    class Slow:
        """Gives nothing every other time, as a file that does not block."""

        def __init__(self, data):
            self.chunks = [part for byte in data for part in (None, bytes([byte]))]

        def read(self, n):
            return self.chunks.pop(0) if self.chunks else b""

    stream = StreamDecoder(Slow(STREAM))
    got, pauses = [], 0
    for _ in range(10 * len(STREAM)):
        try:
            got.append(stream.read())
        except EOFError:
            pauses += 1
    assert same(got, VALUES)
    assert pauses >= len(STREAM)


@pytest.mark.parametrize("given", ["text", 5, [1], object()], ids=repr)
def test_a_file_that_gives_something_else(given):
    class File:
        def read(self, n):
            return given

    for read in ("read", "skip", "__next__", "read_array_header"):
        with pytest.raises(TypeError, match=type(given).__name__):
            getattr(StreamDecoder(File()), read)()
    with pytest.raises(TypeError):
        next(StreamDecoder(io.StringIO("abc")))
    with pytest.raises(TypeError, match="read"):
        StreamDecoder(given)


def test_a_file_that_raises():
    for error in (OSError(5, "mine"), KeyboardInterrupt(), StopIteration("mine"), EOFError("mine")):

        class File:
            parts = [b"\x92", b"\x01", error, b"\x02", b""]

            def read(self, n):
                part = self.parts.pop(0)
                if isinstance(part, BaseException):
                    raise part
                return part

        stream = StreamDecoder(File())
        with pytest.raises(type(error)) as caught:
            stream.read()
        assert caught.value is error
        # What had come is not lost.
        assert stream.read() == [1, 2]


def test_a_file_whose_read_uses_the_stream():
    class File:
        count = 0

        def read(self, n):
            self.count += 1
            if self.count > 3:
                return b""
            stream.feed(b"\x01")
            assert stream.tell() >= 0
            return b"\x02"

    stream = StreamDecoder(File())
    assert list(stream) == [1, 2] * 3


# Time and memory.


def test_long_messages_in_small_pieces_take_linear_time():
    # Were each piece looked at from the message's start again, this would take minutes.
    for data in (
        encode([1] * 100_000),
        encode({n: [n] for n in range(30_000)}),
        encode(["some text"] * 12_000),
    ):
        for options in ({}, {"list_hook": len}, {"raw": True}):
            stream = StreamDecoder(**options)
            for chunk in cut(data, 4):
                assert next(stream, None) is None
                stream.feed(chunk)
            assert next(stream)
    stream = StreamDecoder()
    stream.feed(b"\xdb\x00\x10\x00\x00")
    for _ in range(65_536):
        stream.feed(b"x" * 16)
        value = next(stream, None)
    assert len(value) == 2**20


def test_many_messages_in_one_feed_take_linear_time():
    stream = StreamDecoder()
    stream.feed(b"\x81\xa1a\x93\1\2\3" * 200_000)
    assert sum(1 for _ in stream) == 200_000


def test_memory_is_constant():
    block = encode({"id": 12345, "name": "some text here", "list": [1, b"x", 3]}) * 1000

    class Endless:
        left = 60

        def read(self, n):
            self.left -= 1
            return block if self.left >= 0 else b""

    for options in ({}, {"object_hook": len}, {"raw": True}):
        tracemalloc.start()
        count = sum(1 for _ in StreamDecoder(Endless(), **options))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 60_000
        assert peak < 1_000_000


def test_threads_share_a_stream():
    stream = StreamDecoder()
    taken, failed = [], []

    def work(first):
        try:
            for n in range(first, first + 500):
                stream.feed(encode([n]))
                for made in stream:
                    taken.extend(made)
        except RuntimeError:
            pass
        except BaseException as error:  # noqa: BLE001 - reported below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken.extend(n for made in stream for n in made)
    assert failed == []
    assert len(taken) == len({*taken})
