"""Whole files and buffers: dump, load, iter_messages, aiter_messages on asyncio readers, encode_into, encode_many."""

import asyncio
import gzip
import io
import itertools
import socket
import tracemalloc

import pytest
from samples import MESSAGES, STRANGE, Named, Trickle, nested, same, sources

from oxwire import DecodeError, EncodeError, Raw
from oxwire.msgpack import (
    Encoder,
    Ext,
    Timestamp,
    aiter_messages,
    decode,
    dump,
    dump_many,
    encode,
    encode_into,
    encode_many,
    iter_messages,
    load,
)

VALUE = {"é": [1, 2.5, None, b"\xff"], (1, 2): Ext(5, b"x")}
DATA = encode(VALUE)
STREAM = b"".join(MESSAGES)
VALUES = [decode(message) for message in MESSAGES]


# One message.


def test_dump(tmp_path):
    path = tmp_path / "out"
    for target in (str(path), path, Named(path)):
        assert dump(VALUE, target) is None
        assert path.read_bytes() == DATA
        dump([], target)
        assert path.read_bytes() == b"\x90"
    for options in ({}, {"buffering": 0}):
        with path.open("wb", **options) as file:
            file.write(b"#")
            dump(VALUE, file)
            dump({"b": 1, "a": 2}, file, sort=True)
            assert not file.closed
        assert path.read_bytes() == b"#" + DATA + encode({"a": 2, "b": 1})
    with gzip.open(path, "wb") as file:
        dump(VALUE, file, float32=True)
    assert gzip.decompress(path.read_bytes()) == encode(VALUE, float32=True)


def test_a_large_dump_to_an_unbuffered_file(tmp_path):
    path = tmp_path / "out"
    value = [b"x" * 1000] * 3000
    with path.open("wb", buffering=0) as file:
        dump(value, file)
    assert load(path) == value


def test_files_that_take_little_at_once():
    class Sink(io.RawIOBase):
        """Takes up to three bytes."""

        def __init__(self):
            self.held = b""

        def writable(self):
            return True

        def write(self, data):
            self.held += bytes(data[:3])
            return min(3, len(data))

    sink = Sink()
    dump(VALUE, sink)
    assert sink.held == DATA
    assert dump_many([VALUE, 5], sink) == 2
    assert sink.held == DATA + DATA + b"\5"


def test_a_failing_dump(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"precious")
    for call in (
        lambda: dump([1, STRANGE], path),
        lambda: dump(1, path, no_such_option=1),
        lambda: dump_many([1], path, no_such_option=1),
        lambda: dump_many(5, path),
    ):
        with pytest.raises((EncodeError, TypeError)):
            call()
        assert path.read_bytes() == b"precious"
    with pytest.raises(OSError, match="out"):
        dump(1, path / "none")
    for wrong in (None, 1.5, object(), []):
        with pytest.raises((TypeError, AttributeError)):
            dump(1, wrong)
    # Bytes are no text.
    for call in (dump, lambda value, file: dump_many([value], file)):
        with pytest.raises(TypeError):
            call(1, io.StringIO())

    class Full:
        def write(self, data):
            raise OSError(28, "full")

    for call in (dump, lambda value, file: dump_many([value], file)):
        with pytest.raises(OSError, match="full"):
            call(1, Full())


def test_load(tmp_path):
    for source in sources(tmp_path, DATA):
        assert load(source) == VALUE, source
    for source in sources(tmp_path, DATA):
        assert bytes(load(source, raw=True)) == DATA
    assert load(io.BytesIO(encode([Timestamp(1, 1)])), timestamp="ns", use_list=False) == (1_000_000_001,)
    for data, offset in ((b"", 0), (b"\x01\x02", 1), (b"\x92\x01", 2)):
        with pytest.raises(DecodeError) as caught:
            load(io.BytesIO(data))
        assert caught.value.offset == offset
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    for wrong in (None, 1.5, object(), []):
        with pytest.raises((TypeError, AttributeError)):
            load(wrong)
    with pytest.raises(TypeError):
        load(io.StringIO("text"))
    with pytest.raises(TypeError, match="no_such_option"):
        load(io.BytesIO(b"1"), no_such_option=1)


# Many messages.


def test_dump_many(tmp_path):
    path = tmp_path / "out"
    for target in (str(path), path, Named(path)):
        assert dump_many(VALUES, target) == len(VALUES)
        assert path.read_bytes() == encode_many(VALUES)
        assert dump_many([], target) == 0
        assert path.read_bytes() == b""
    with path.open("wb") as file:
        assert dump_many(iter([{"b": 1, "a": 2}]), file, sort=True) == 1
        assert dump_many((n for n in range(3)), file) == 3
        assert not file.closed
    assert path.read_bytes() == encode({"a": 2, "b": 1}) + b"\0\1\2"
    assert [*iter_messages(path)] == [{"a": 2, "b": 1}, 0, 1, 2]


def test_dump_many_keeps_what_was_complete(tmp_path):
    path = tmp_path / "out"
    error = LookupError("mine")

    def failing():
        yield 1
        yield [2]
        raise error

    with pytest.raises(LookupError) as caught:
        dump_many(failing(), path)
    assert caught.value is error
    assert path.read_bytes() == b"\1\x91\2"
    for before in ([], [1, "x" * 100_000, 3]):
        with pytest.raises(EncodeError):
            dump_many([*before, [1, STRANGE]], path)
        assert [*iter_messages(path)] == before


def test_dump_many_takes_items_one_by_one():
    class Sink:
        size = 0

        def write(self, data):
            self.size += len(data)

    sink = Sink()
    tracemalloc.start()
    assert dump_many(({"n": n, "text": "x" * 100} for n in range(50_000)), sink) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sink.size > 5_000_000
    assert peak < 1_000_000


def test_iter_messages(tmp_path):
    for source in sources(tmp_path, STREAM):
        assert same([*iter_messages(source)], VALUES), source
    for source in sources(tmp_path, STREAM):
        assert [bytes(raw) for raw in iter_messages(source, raw=True)] == [*MESSAGES]
    assert [*iter_messages(io.BytesIO(b""))] == []
    messages = iter_messages(io.BytesIO(b"\1\2"))
    assert iter(messages) is messages
    assert next(messages) == 1
    assert [*messages] == [2]
    assert [*messages] == []
    assert type(next(iter_messages(io.BytesIO(b"\1"), raw=True))) is Raw


def test_messages_over_chunk_boundaries():
    for length in [*range(65_520, 65_540), *range(131_060, 131_072)]:
        values = ["a" * length, ["é" * 50, length], {b"k": length}]
        assert [*iter_messages(io.BytesIO(encode_many(values)))] == values


def test_errors_of_iter_messages(tmp_path):
    far = encode_many([[n] for n in range(60_000)])
    for data, offset, count in (
        (b"\1\2\xc1", 2, 2),
        (b"\1\x92\2\xa1\xff", 4, 1),
        (b"\1\2\x93\1\1", 5, 2),
        (far + b"\xc1", len(far), 60_000),
        (far + b"\x92\1", len(far) + 2, 60_000),
    ):
        for source in (io.BytesIO(data), Trickle(data, 1000)):
            messages = iter_messages(source)
            assert sum(1 for _ in itertools.islice(messages, count)) == count
            with pytest.raises(DecodeError) as caught:
                next(messages)
            assert caught.value.offset == offset
    for call in (
        lambda: iter_messages(tmp_path / "none"),
        lambda: iter_messages(io.BytesIO(b"\1"), no_such_option=1),
    ):
        with pytest.raises((FileNotFoundError, TypeError)):
            [*call()]
    with pytest.raises(TypeError):
        [*iter_messages(io.StringIO("text"))]


def test_readers_that_misbehave():
    error = LookupError("mine")

    class Raising:
        def read(self, n=-1):
            raise error

    for function in (iter_messages, load):
        with pytest.raises(LookupError) as caught:
            [*function(Raising())]
        assert caught.value is error
        for wrong in (5, "text", [b"\1"]):

            class Strange:
                def read(self, n=-1):
                    return wrong  # noqa: B023 - used at once

            with pytest.raises(TypeError):
                [*function(Strange())]


def test_options_of_iter_messages():
    data = encode_many([Ext(1, b"x"), [1], {"a": 1}])
    got = [*iter_messages(io.BytesIO(data), ext_hook=lambda *a: a, use_list=False, object_hook=len)]
    assert got == [(1, b"x"), (1,), 1]
    for options, message in (
        ({"strict": True}, b"\xcc\1"),
        ({"max_depth": 3}, encode(nested(4))),
        ({"max_array_len": 1}, b"\x92\1\1"),
        ({"duplicate_keys": "error"}, b"\x82\1\1\1\1"),
    ):
        with pytest.raises(DecodeError):
            [*iter_messages(io.BytesIO(message), **options)]


# Asynchronous.


def collected(feed, **options):
    """The messages that come of an asyncio reader, which `feed` fills."""

    async def main():
        reader = asyncio.StreamReader()
        task = asyncio.ensure_future(feed(reader))
        got = []
        try:
            async for message in aiter_messages(reader, **options):
                got.append(message)
        except DecodeError as error:
            got.append(error)
        await task
        return got

    return asyncio.run(main())


@pytest.mark.parametrize("size", [1, 5, 100, 10_000])
def test_messages_of_an_asyncio_reader(size):
    async def feed(reader):
        for at in range(0, len(STREAM), size):
            reader.feed_data(STREAM[at : at + size])
            await asyncio.sleep(0)
        reader.feed_eof()

    assert same(collected(feed), VALUES)
    assert [bytes(raw) for raw in collected(feed, raw=True)] == [*MESSAGES]


def test_errors_of_an_asyncio_reader():
    def whole(data):
        async def feed(reader):
            reader.feed_data(data)
            reader.feed_eof()

        return feed

    assert collected(whole(b"")) == []
    for data, offset in ((b"\1\2\xc1\3", 2), (b"\1\2\x92\1", 4)):
        *got, error = collected(whole(data))
        assert got == [1, 2]
        assert error.offset == offset
    *got, error = collected(whole(b"\1\x93\1\1\1"), max_buffer=3)
    assert type(error) is DecodeError
    assert got in ([], [1])
    assert collected(whole(b"\1\x93\1\1\1"), max_buffer=5) == [1, [1, 1, 1]]
    with pytest.raises(TypeError, match="no_such_option"):
        collected(whole(b"\1"), no_such_option=1)


def test_messages_of_a_socket():
    async def main():
        left, right = socket.socketpair()
        reader, unused = await asyncio.open_connection(sock=left)
        _, writer = await asyncio.open_connection(sock=right)

        async def send():
            for message in MESSAGES:
                writer.write(message)
                await writer.drain()
            writer.close()
            await writer.wait_closed()

        task = asyncio.ensure_future(send())
        got = [message async for message in aiter_messages(reader)]
        await task
        unused.close()
        await unused.wait_closed()
        return got

    assert same(asyncio.run(main()), VALUES)


def test_readers_of_ones_own():
    class Reader:
        chunks = [b"\x92\1", bytearray(b"\2\3"), memoryview(b"\x80"), b""]

        async def read(self, n):
            assert n > 0
            return self.chunks.pop(0)

    async def main(reader):
        return [message async for message in aiter_messages(reader)]

    assert asyncio.run(main(Reader())) == [[1, 2], 3, {}]
    error = LookupError("mine")

    class Raising:
        async def read(self, n):
            raise error

    with pytest.raises(LookupError) as caught:
        asyncio.run(main(Raising()))
    assert caught.value is error


# Into a buffer.


def test_encode_into():
    buffer = bytearray()
    assert encode_into([1, "é"], buffer) is None
    assert buffer == encode([1, "é"])
    encode_into(b"x", buffer, -1)
    assert buffer == encode([1, "é"]) + encode(b"x")
    encode_into(None, buffer, 2)
    assert buffer == b"\x92\x01\xc0"
    encode_into({"b": 1, 1: 2}, buffer, 0, sort=True)
    assert buffer == encode({1: 2, "b": 1})
    Encoder(old_spec=True).encode_into(b"x", buffer, len(buffer))
    assert buffer == encode({1: 2, "b": 1}) + b"\xa1x"
    for length in (0, 10, 100_000, 5, 1_000_000, 0):
        encode_into(b"x" * length, buffer, 3)
        assert buffer == encode({1: 2, "b": 1})[:3] + encode(b"x" * length)


@pytest.mark.parametrize("offset", [5, 100, -2, -100, 2**62, 2**80, "1", 1.0, None])
def test_encode_into_at_a_wrong_place(offset):
    buffer = bytearray(b"1234")
    for call in (encode_into, Encoder().encode_into):
        with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
            call(1, buffer, offset)
        assert buffer == b"1234"


def test_encode_into_that_fails_leaves_the_buffer():
    error = KeyboardInterrupt()

    def hook(value):
        raise error

    for offset in (0, 2, 4, -1):
        buffer = bytearray(b"1234")
        with pytest.raises(EncodeError):
            encode_into(["x" * 5000, STRANGE], buffer, offset)
        assert buffer == b"1234"
        with pytest.raises(KeyboardInterrupt):
            encode_into([(n for n in range(100)), {"k": STRANGE}], buffer, offset, enc_hook=hook)
        assert buffer == b"1234"
        buffer.extend(b"still usable")
    for wrong in (b"bytes", memoryview(bytearray(5)), [], None, "x"):
        with pytest.raises(TypeError):
            encode_into(1, wrong)
    buffer = bytearray(b"1234")
    view = memoryview(buffer)
    with pytest.raises(BufferError):
        encode_into("x" * 50, buffer)
    assert bytes(view) == b"1234"


def test_encode_many():
    assert encode_many([]) == b""
    assert encode_many([1, "é", {2: b"x"}]) == b"".join(map(encode, [1, "é", {2: b"x"}]))
    assert encode_many(n for n in range(3)) == b"\0\1\2"
    assert encode_many({"b": 1, "a": 2}, sort=True) == b"\xa1b\xa1a"
    assert Encoder(sort=True).encode_many([{"b": 1, "a": 2}]) == encode({"a": 2, "b": 1})
    with pytest.raises(EncodeError) as caught:
        encode_many([1, {"a": STRANGE}])
    assert caught.value.path.endswith(".a")
    with pytest.raises(TypeError):
        encode_many(5)
    error = LookupError("mine")

    def failing():
        yield 1
        raise error

    with pytest.raises(LookupError) as caught:
        encode_many(failing())
    assert caught.value is error
