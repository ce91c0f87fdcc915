"""Files and feeds: dump and load, NDJSON, items of one array, and the decoder that is fed chunk by chunk."""

import gzip
import io
import itertools
import json
import random
import tracemalloc

import pytest
from samples import DOCUMENTS, STRANGE, Named, Trickle, same, sources

from oxwire import DecodeError, EncodeError, Raw
from oxwire.json import (
    StreamDecoder,
    decode,
    decode_lines,
    dump,
    encode,
    encode_lines,
    iter_items,
    iter_lines,
    load,
)

VALUE = {"é": [1, 2.5, None], "b": "x"}
DATA = '{"é":[1,2.5,null],"b":"x"}'.encode()


# dump and load.


def test_dump(tmp_path):
    path = tmp_path / "out.json"
    for target in (str(path), path, Named(path)):
        assert dump(VALUE, target) is None
        assert path.read_bytes() == DATA
        dump([], target)
        assert path.read_bytes() == b"[]"
    for mode in ("wb", "w"):
        with path.open(mode, encoding=None if "b" in mode else "utf-8") as file:
            file.write(b"#" if "b" in mode else "#")
            dump(VALUE, file)
            file.write(b"\n" if "b" in mode else "\n")
            assert not file.closed
        assert path.read_bytes() == b"#" + DATA + b"\n"
    for made, expected in ((io.BytesIO(), DATA), (io.StringIO(), DATA.decode())):
        dump(VALUE, made)
        assert made.getvalue() == expected
    with gzip.open(path, "wb") as file:
        dump(VALUE, file, indent=2)
    assert gzip.decompress(path.read_bytes()) == encode(VALUE, indent=2)


def test_dump_to_anything_that_writes():
    class Sink:
        """Keeps what is written, as a socket file does."""

        def __init__(self):
            self.chunks = []

        def write(self, data):
            self.chunks.append(bytes(data))
            return len(data)

    sink = Sink()
    dump(VALUE, sink)
    assert b"".join(sink.chunks) == DATA


def test_dump_to_what_takes_less_or_nothing():
    class Sink:
        """Takes so many bytes at once, or says something else."""

        def __init__(self, answer):
            self.taken, self.answer = b"", answer

        def write(self, data):
            self.taken += bytes(data[: self.answer])
            return self.answer

    for answer, taken in ((1, DATA), (len(DATA), DATA), (None, DATA), (0, b""), (-1, DATA[:-1])):
        sink = Sink(answer)
        if answer is None or answer > 0:
            dump(VALUE, sink)
        else:
            with pytest.raises(BlockingIOError, match="takes no more"):
                dump(VALUE, sink)
        assert sink.taken == taken


def test_a_large_dump_to_an_unbuffered_file(tmp_path):
    path = tmp_path / "out.json"
    value = ["x" * 1000] * 3000
    with path.open("wb", buffering=0) as file:
        dump(value, file)
    assert path.read_bytes() == encode(value)


def test_a_failing_dump(tmp_path):
    path = tmp_path / "out.json"
    with pytest.raises(EncodeError):
        dump([STRANGE], io.BytesIO())
    with pytest.raises(OSError, match="out.json"):
        dump(1, path / "none")
    # What cannot be written must not cost what stood there before.
    path.write_bytes(b"precious")
    with pytest.raises(EncodeError):
        dump([1, STRANGE], path)
    assert path.read_bytes() == b"precious"
    with pytest.raises(TypeError, match="no_such_option"):
        dump(1, path, no_such_option=1)
    assert path.read_bytes() == b"precious"
    for wrong in (None, 1.5, object(), []):
        with pytest.raises((TypeError, AttributeError)):
            dump(1, wrong)

    class Full:
        """No room."""

        def write(self, data):
            raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        dump(1, Full())


def test_load(tmp_path):
    for source in sources(tmp_path, DATA, text=True):
        assert load(source) == VALUE, source
    for source in sources(tmp_path, DATA, text=True):
        assert bytes(load(source, raw=True)) == DATA
    assert load(io.BytesIO(b"[NaN]"), nan="null") == [None]
    with pytest.raises(DecodeError) as caught:
        load(io.StringIO("[é,\n x]"))
    assert (caught.value.offset, caught.value.line, caught.value.column) == (1, 1, 2)
    with pytest.raises(DecodeError):
        load(io.BytesIO(b""))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    for wrong in (None, 1.5, object(), []):
        with pytest.raises((TypeError, AttributeError)):
            load(wrong)
    with pytest.raises(TypeError, match="no_such_option"):
        load(io.BytesIO(b"1"), no_such_option=1)


# NDJSON.


def test_encode_lines():
    assert encode_lines([]) == b""
    assert encode_lines([1, "é", None, {"a": [1]}]) == '1\n"é"\nnull\n{"a":[1]}\n'.encode()
    assert encode_lines(n for n in range(3)) == b"0\n1\n2\n"
    assert encode_lines((["a\nb"],)) == b'["a\\nb"]\n'
    assert encode_lines({"b": 1, "a": 2}) == b'"b"\n"a"\n'
    assert encode_lines([{"b": 1, "a": 2}], sort=True) == b'{"a":2,"b":1}\n'
    assert encode_lines([STRANGE], enc_hook=str) == b'"1j"\n'
    with pytest.raises(EncodeError) as caught:
        encode_lines([1, {"a": STRANGE}])
    assert caught.value.path.endswith(".a")
    with pytest.raises(TypeError):
        encode_lines(5)
    error = LookupError("mine")

    def failing():
        yield 1
        raise error

    with pytest.raises(LookupError) as caught:
        encode_lines(failing())
    assert caught.value is error


LINES = [
    (b"", []),
    (b"\n", []),
    (b" \r\n\t\n\n", []),
    (b"1", [1]),
    (b"1\n", [1]),
    (b"1\r\n", [1]),
    (b"1\n2", [1, 2]),
    (b"1\n\n2\n\n", [1, 2]),
    (b"\n\n1\n   \n2\r\n\r\n3", [1, 2, 3]),
    (b'  {"a": 1}  \n\t[2]\t\n', [{"a": 1}, [2]]),
    ('"é"\n"中\\n"\n"😀"'.encode(), ["é", "中\n", "😀"]),
    (b'-1.5e3\nnull\ntrue\nfalse\n""\n', [-1500.0, None, True, False, ""]),
]


@pytest.mark.parametrize(("data", "expected"), LINES)
def test_lines(data, expected, tmp_path):
    for given in (data, data.decode(), bytearray(data), memoryview(data)):
        assert decode_lines(given) == expected
    for source in sources(tmp_path, data, text=True):
        assert list(iter_lines(source)) == expected
    assert [decode(bytes(raw)) for raw in decode_lines(data, raw=True)] == expected
    assert all(type(raw) is Raw for raw in iter_lines(io.BytesIO(data), raw=True))


def test_lines_over_chunk_boundaries(tmp_path):
    random.seed(8)
    for length in [
        *range(4080, 4110),
        *range(8180, 8200),
        *range(65530, 65540),
        *range(262_140, 262_148),
        1_048_576,
    ]:
        values = ["a" * (length - 3), "é" * 50, length]
        data = encode_lines(values)
        assert list(iter_lines(io.BytesIO(data))) == values
    values = ["é" * random.randrange(0, 3000) for _ in range(300)]
    assert list(iter_lines(io.BytesIO(encode_lines(values)))) == values
    assert list(iter_lines(Trickle(encode_lines(values[:20]), 3))) == values[:20]
    assert list(iter_lines(io.BytesIO(encode_lines(values).replace(b"\n", b"\r\n\r\n")))) == values


BAD_LINES = [
    (b"1\n2 3\n", 4, 2),
    (b"1\n\n[1,\n2]\n", 6, 3),
    (b'{"a":1}\r\n{"a" 1}\r\n', 14, 2),
    ('"é"\n"é"\n x\n'.encode(), 11, 3),
    (b"x\n1\n", 0, 1),
    (b'1\n2\n"abc', 8, 3),
]


@pytest.mark.parametrize(("data", "offset", "line"), BAD_LINES)
def test_errors_in_lines(data, offset, line, tmp_path):
    for given in (data, data.decode()):
        with pytest.raises(DecodeError) as caught:
            decode_lines(given)
        assert (caught.value.offset, caught.value.line) == (offset, line)
    for source in sources(tmp_path, data, text=True):
        with pytest.raises(DecodeError) as caught:
            list(iter_lines(source))
        assert (caught.value.offset, caught.value.line) == (offset, line)


def test_lines_before_a_bad_one_are_given(tmp_path):
    lines = iter_lines(io.BytesIO(b"1\n2\n?\n4\n"))
    assert next(lines) == 1
    assert next(lines) == 2
    with pytest.raises(DecodeError):
        next(lines)


def test_line_errors_far_into_a_file():
    data = b'{"a": 1}\n' * 50_000 + b"?\n"
    with pytest.raises(DecodeError) as caught:
        for _ in iter_lines(io.BytesIO(data)):
            pass
    assert (caught.value.line, caught.value.offset) == (50_001, 450_000)


def test_iterators_are_iterators(tmp_path):
    for made in (iter_lines(io.BytesIO(b"1\n2")), iter_items(io.BytesIO(b"[1,2]"))):
        assert iter(made) is made
        assert next(made) == 1
        assert list(made) == [2]
        assert list(made) == []
    for function in (iter_lines, iter_items):
        with pytest.raises(FileNotFoundError):
            list(function(tmp_path / "none"))
        with pytest.raises(TypeError, match="no_such_option"):
            list(function(io.BytesIO(b"[]"), no_such_option=1))


class Endless:
    """Gives the same block again and again, `count` times, without holding them all."""

    def __init__(self, head, block, count, tail=b""):
        self.chunks = itertools.chain([head], itertools.repeat(block, count), [tail])
        self.held = b""

    def read(self, n=-1):
        while len(self.held) < n:
            more = next(self.chunks, b"")
            if not more:
                break
            self.held += more
        given, self.held = self.held[:n], self.held[n:]
        return given


def test_memory_is_constant():
    block = b'{"id": 12345, "name": "some text here", "list": [1, 2, 3]}\n' * 100
    for head, tail, function in ((b"\n", b"", iter_lines), (b"[", b"0]", iter_items)):
        data = block if function is iter_lines else block.replace(b"\n", b",")
        tracemalloc.start()
        count = sum(1 for _ in function(Endless(head, data, 1500, tail)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 150_000 + bool(tail)
        assert peak < 3_000_000


# iter_items.

ITEMS = [
    (b"[]", []),
    (b" [ ] \n", []),
    (b"[1]", [1]),
    (b"[1,2,3]", [1, 2, 3]),
    (b' [ 1 , "a,b]" , [2,[3]] , {"k":[4,"}"]} , null ] ', [1, "a,b]", [2, [3]], {"k": [4, "}"]}, None]),
    ('["é","\\"]","\\\\",-1.5e3,true,"😀"]'.encode(), ["é", '"]', "\\", -1500.0, True, "😀"]),
    (b'[[],{},"",[[]]]', [[], {}, "", [[]]]),
]


@pytest.mark.parametrize(("data", "expected"), ITEMS)
def test_items(data, expected, tmp_path):
    for source in sources(tmp_path, data, text=True):
        assert list(iter_items(source)) == expected
    assert [decode(bytes(raw)) for raw in iter_items(io.BytesIO(data), raw=True)] == expected


def test_items_over_chunk_boundaries():
    for length in [*range(4085, 4105), *range(65530, 65540), *range(262_140, 262_148)]:
        values = ["a" * length, 1, {"é": "é" * 20}]
        assert list(iter_items(io.BytesIO(encode(values)))) == values
        assert list(iter_items(io.BytesIO(b" " * length + encode(values, indent=2)))) == values


BAD_ITEMS = [
    b"",
    b" ",
    b"1",
    b"{}",
    b'"a"',
    b"null",
    b"[",
    b"[1",
    b"[1,",
    b"[1,]",
    b"[,1]",
    b"[1 2]",
    b"[1]]",
    b"[1] 2",
    b"[1],",
]
BAD_ITEMS += [
    b"[1}",
    b'["a]',
    b"[1,[2]",
    b"[01]",
    b'["\\x"]',
    b'["\xff"]',
    b"[1:2]",
    b"[{]}]",
    b"[[1,}]",
    b"\xef\xbb\xbf[1]",
    b"[1] x",
]


@pytest.mark.parametrize("data", BAD_ITEMS)
def test_errors_in_items(data):
    for source in (io.BytesIO(data), Trickle(data), Trickle(data, 3)):
        with pytest.raises(DecodeError) as caught:
            list(iter_items(source))
        assert 0 <= caught.value.offset <= len(data)


def test_items_before_a_bad_one_are_given():
    for data in (b"[1, 2, ?", b"[1, 2, ?]", b"[1, 2, [3, ?]]"):
        items = iter_items(Trickle(data))
        assert [next(items), next(items)] == [1, 2]
        with pytest.raises(DecodeError) as caught:
            next(items)
        assert caught.value.offset == data.index(b"?")


def test_options_of_items():
    assert list(iter_items(io.BytesIO(b"[1.5, NaN]"), float_hook=str, nan="null")) == ["1.5", None]
    with pytest.raises(DecodeError):
        list(iter_items(io.BytesIO(b'[{"a":1,"a":2}]'), duplicate_keys="error"))
    with pytest.raises(DecodeError):
        list(iter_items(io.BytesIO(b"[[[[1]]]]"), max_depth=3))
    assert list(iter_items(io.BytesIO(b"[" * 1000 + b"]" * 1000)))
    with pytest.raises(DecodeError):
        list(iter_items(io.BytesIO(b"[" * 100_000)))


@pytest.mark.parametrize("function", [iter_lines, iter_items, load])
def test_readers_that_misbehave(function):
    error = LookupError("mine")

    class Raising:
        """Cannot be read."""

        def read(self, n=-1):
            raise error

    with pytest.raises(LookupError) as caught:
        list(function(Raising()))
    assert caught.value is error

    for wrong in (5, object(), [b"1"]):

        class Strange:
            """Gives what is neither bytes nor text."""

            def read(self, n=-1):
                return wrong  # noqa: B023 - used at once

        with pytest.raises((TypeError, ValueError)):
            list(function(Strange()))


def test_the_corpus_as_items_and_lines():
    data = b"[" + b",".join(DOCUMENTS) + b"]"
    expected = [json.loads(document) for document in DOCUMENTS]
    assert same(list(iter_items(Trickle(data, 5))), expected)
    lines = b"\n".join(document.replace(b"\n", b" ").replace(b"\r", b" ") for document in DOCUMENTS)
    assert same(list(iter_lines(Trickle(lines, 5))), expected)


# StreamDecoder: see also the file test_json_feed.py.


def test_a_socket_of_documents():
    decoder = StreamDecoder()
    received = []
    source = Trickle(encode_lines([{"n": n} for n in range(50)]), 11)
    while chunk := source.read(64):
        decoder.feed(chunk)
        received.extend(decoder)
    assert received == [{"n": n} for n in range(50)]
