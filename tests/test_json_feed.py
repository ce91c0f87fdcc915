"""The decoder that is fed chunk by chunk, writing into a buffer, and laying existing JSON out again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import DOCUMENTS, STRANGE, nested, same, values

from oxwire import DecodeError, EncodeError, Raw
from oxwire.json import Encoder, StreamDecoder, decode, encode, encode_into, format

CONTAINERS = [document for document in DOCUMENTS if document.strip()[:1] in b'{["']
STREAM = b" ".join(DOCUMENTS)
EXPECTED = [json.loads(document) for document in DOCUMENTS]


def fed(*chunks, **options):
    """What comes out of a decoder that is given these chunks."""
    decoder = StreamDecoder(**options)
    result = []
    for chunk in chunks:
        decoder.feed(chunk)
        result.extend(decoder)
    decoder.close()
    result.extend(decoder)
    assert decoder.pending == 0
    return result


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_split_in_two_and_three(document):
    expected = [decode(document)]
    for first in range(len(document) + 1):
        assert same(fed(document[:first], document[first:]), expected)
    step = 1 if len(document) < 30 else 7
    for first in range(0, len(document) + 1, step):
        for second in range(first, len(document) + 1, step):
            assert same(fed(document[:first], document[first:second], document[second:]), expected)


def test_a_stream_in_chunks_of_every_size():
    for size in range(1, 40):
        chunks = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
        assert same(fed(*chunks), EXPECTED)
    assert same(fed(STREAM), EXPECTED)
    assert same(fed(*(bytearray(STREAM[at : at + 5]) for at in range(0, len(STREAM), 5))), EXPECTED)
    assert same(fed(*(memoryview(STREAM)[at : at + 5] for at in range(0, len(STREAM), 5))), EXPECTED)
    text = STREAM.decode()
    assert same(fed(*(text[at : at + 3] for at in range(0, len(text), 3))), EXPECTED)


def test_documents_with_nothing_between():
    together = b"".join(CONTAINERS)
    expected = [json.loads(document) for document in CONTAINERS]
    for size in (1, 2, 3, 5, 17, 1000):
        assert same(fed(*(together[at : at + size] for at in range(0, len(together), size))), expected)
    assert fed(b'{}[]""1[]2{}true[]null') == [{}, [], "", 1, [], 2, {}, True, [], None]


def test_when_a_document_is_complete():
    decoder = StreamDecoder()
    decoder.feed(b"[1,")
    assert list(decoder) == []
    assert decoder.pending == 3
    decoder.feed(b"2]")
    assert next(decoder) == [1, 2]
    assert decoder.pending == 0
    with pytest.raises(StopIteration):
        next(decoder)
    # More digits may follow a number.
    decoder.feed(b"12")
    assert list(decoder) == []
    decoder.feed(b"34")
    assert list(decoder) == []
    decoder.feed(b" ")
    assert list(decoder) == [1234]
    decoder.feed(b"-1.5e")
    assert list(decoder) == []
    decoder.feed(b"3\n\n")
    assert list(decoder) == [-1500.0]
    decoder.feed(b"7")
    decoder.close()
    assert list(decoder) == [7]
    assert list(decoder) == []
    assert iter(decoder) is decoder


def test_several_documents_in_one_chunk_come_one_by_one():
    decoder = StreamDecoder()
    decoder.feed(b'{"a":1}\n[2] "x')
    assert next(decoder) == {"a": 1}
    assert next(decoder) == [2]
    assert list(decoder) == []
    assert decoder.pending == 2
    decoder.feed(b'yz"')
    assert next(decoder) == "xyz"


def test_close():
    for chunk in (b"", b"1", b"[]", b" \n "):
        decoder = StreamDecoder()
        decoder.feed(chunk)
        decoder.close()
        with pytest.raises(ValueError, match="(?i)clos"):
            decoder.feed(b"1")
    for chunk in (b"[", b'"abc', b'{"a":', b"[1, 2", b"-", b"tru", b"1e", b"1.", b'"\\u00', b'"\xc3'):
        decoder = StreamDecoder()
        decoder.feed(chunk)
        assert list(decoder) == []
        with pytest.raises(DecodeError):
            decoder.close()
            list(decoder)


def test_close_twice_does_no_harm():
    decoder = StreamDecoder()
    decoder.feed(b"5")
    decoder.close()
    decoder.close()
    assert list(decoder) == [5]


@pytest.mark.parametrize(
    "data",
    [
        b"?",
        b"[1,]",
        b"[1 2]",
        b'{"a" 1}',
        b'"\\x"',
        b'"\xff"',
        b"]",
        b"[}",
        b"nul ",
        b"01 ",
        b"\xef\xbb\xbf1 ",
    ],
)
def test_errors(data):
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        with pytest.raises(DecodeError):
            fed(b"[0] ", *chunks, b" ")


def test_documents_before_a_bad_one_are_given():
    decoder = StreamDecoder()
    with pytest.raises(DecodeError):
        decoder.feed(b"[1] {} ?")
        assert next(decoder) == [1]
        assert next(decoder) == {}
        next(decoder)
        next(decoder)


def test_max_buffer():
    decoder = StreamDecoder(max_buffer=100)
    decoder.feed(b'["' + b"x" * 50)
    with pytest.raises(DecodeError):
        decoder.feed(b"x" * 60)
        list(decoder)
    decoder = StreamDecoder(max_buffer=100)
    for _ in range(50):
        decoder.feed(b'["' + b"x" * 50 + b'"]')
        assert len(list(decoder)) == 1
    decoder = StreamDecoder(max_buffer=10)
    with pytest.raises(DecodeError):
        for _ in range(100):
            decoder.feed(b"1")
            list(decoder)
    decoder = StreamDecoder(max_buffer=None)
    decoder.feed(b'"' + b"x" * 1_000_000)
    assert decoder.pending == 1_000_001


def test_max_buffer_does_not_depend_on_chunks():
    document = b'["' + b"x" * 96 + b'"]'
    for step in (1, 7, 50, 1000):
        data = document * 20
        decoder = StreamDecoder(max_buffer=len(document))
        for at in range(0, len(data), step):
            decoder.feed(data[at : at + step])
        assert len(list(decoder)) == 20
        decoder = StreamDecoder(max_buffer=len(document) - 1)
        with pytest.raises(DecodeError) as caught:
            for at in range(0, len(data), step):
                decoder.feed(data[at : at + step])
        assert caught.value.offset == len(document) - 1
        pending = decoder.pending
        # What does not fit is not added again and again.
        with pytest.raises(DecodeError):
            decoder.feed(data)
        assert decoder.pending == pending
        with pytest.raises(DecodeError):
            next(decoder)


def test_white_space_is_not_held():
    decoder = StreamDecoder(max_buffer=50)
    for _ in range(1000):
        decoder.feed(b" \n\t\r" * 5)
        assert list(decoder) == []
    decoder.feed(b"[]")
    assert list(decoder) == [[]]


def test_long_feeds_take_linear_time():
    # Were each chunk looked at from the document's start again, this would take minutes.
    decoder = StreamDecoder()
    decoder.feed(b'["')
    for _ in range(60_000):
        decoder.feed(b"some text " * 2)
        next(decoder, None)
    decoder.feed(b'"]')
    assert len(next(decoder)[0]) == 1_200_000
    decoder.feed(b"[")
    for _ in range(60_000):
        decoder.feed(b"[1,2],")
        next(decoder, None)
    decoder.feed(b"0]")
    assert len(next(decoder)) == 60_001


def test_many_documents_in_one_feed_take_linear_time():
    decoder = StreamDecoder()
    decoder.feed(b'{"a":[1,2,3],"b":"text"}\n' * 40_000)
    assert sum(1 for _ in decoder) == 40_000


def test_options():
    assert fed(b"[1.5] NaN ", float_hook=str, nan="null") == [["1.5"], None]
    assert [bytes(raw) for raw in fed(b" [1, 2] {} 3 ", raw=True)] == [b"[1, 2]", b"{}", b"3"]
    with pytest.raises(DecodeError):
        fed(b'{"a":1,"a":2}', duplicate_keys="error")
    with pytest.raises(DecodeError):
        fed(b"[[[]]]", max_depth=2)
    with pytest.raises(DecodeError):
        fed(b"[" * 100_000)
    assert fed(b"[" * 1000 + b"]" * 1000)
    with pytest.raises(TypeError, match="no_such_option"):
        StreamDecoder(no_such_option=1)
    with pytest.raises(TypeError):
        StreamDecoder().feed(5)
    for wrong in (-1, "1", 1.5):
        with pytest.raises((TypeError, ValueError)):
            StreamDecoder(max_buffer=wrong)


@given(st.lists(values(), max_size=5), st.integers(1, 9), st.sampled_from(["", " ", "\n"]))
def test_any_stream(items, size, between):
    data = between.encode().join(encode([item]) for item in items)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert same(fed(*chunks), [[item] for item in items])


# encode_into.


def test_encode_into():
    buffer = bytearray()
    assert encode_into([1, "é"], buffer) is None
    assert buffer == '[1,"é"]'.encode()
    encode_into(5, buffer)
    assert buffer == b"5"
    encode_into([], buffer, -1)
    assert buffer == b"5[]"
    encode_into("x", buffer, 1)
    assert buffer == b'5"x"'
    encode_into(None, buffer, 4)
    assert buffer == b'5"x"null'
    encode_into(0, buffer, 0)
    assert buffer == b"0"
    encode_into({"b": 1, "a": 2}, buffer, 0, sort=True, newline=True)
    assert buffer == b'{"a":2,"b":1}\n'
    Encoder(indent=1).encode_into([1], buffer, -1)
    assert buffer == b'{"a":2,"b":1}\n[\n 1\n]'


def test_encode_into_grows_and_shrinks():
    buffer = bytearray(b"head")
    for length in (0, 10, 100_000, 5, 1_000_000, 0):
        encode_into("x" * length, buffer, 4)
        assert buffer == b'head"' + b"x" * length + b'"'
    for _ in range(1000):
        encode_into([1, 2], buffer, -1)
    assert buffer == b'head""' + b"[1,2]" * 1000
    buffer.extend(b"still usable")
    assert buffer.endswith(b"usable")


@pytest.mark.parametrize("offset", [5, 100, -2, -100, 2**62])
def test_encode_into_out_of_range(offset):
    buffer = bytearray(b"1234")
    with pytest.raises((ValueError, IndexError)):
        encode_into(1, buffer, offset)
    assert buffer == b"1234"


def test_encode_into_wrong_targets():
    for wrong in (b"bytes", memoryview(bytearray(5)), [], None, "x"):
        with pytest.raises(TypeError):
            encode_into(1, wrong)
    for wrong in ("1", 1.5, None):
        with pytest.raises(TypeError):
            encode_into(1, bytearray(), wrong)
    with pytest.raises((ValueError, IndexError, OverflowError)):
        encode_into(1, bytearray(), 2**80)
    with pytest.raises(TypeError, match="no_such_option"):
        encode_into(1, bytearray(), no_such_option=1)


def test_encode_into_a_buffer_in_use():
    buffer = bytearray(b"1234")
    with memoryview(buffer), pytest.raises(BufferError):
        encode_into("x" * 1000, buffer)
    encode_into("x" * 1000, buffer)
    assert len(buffer) == 1002


def test_encode_into_keeps_what_stands_before_the_offset_when_it_fails():
    buffer = bytearray(b"keep")
    with pytest.raises(EncodeError):
        encode_into([1, 2, STRANGE], buffer, -1)
    assert buffer[:4] == b"keep"
    encode_into([1], buffer, 4)
    assert buffer == b"keep[1]"


# format.


@given(
    values(
        leaves=st.one_of(
            st.none(), st.booleans(), st.integers(), st.text(max_size=5).filter(lambda s: s.isprintable())
        )
    )
)
def test_format_agrees_with_the_standard_library(value):
    compact = json.dumps(value, separators=(",", ":"))
    for indent in (2, 0, 5, "\t"):
        indented = json.dumps(value, indent=indent)
        assert format(compact, indent=indent) == indented.encode()
        assert format(indented.encode(), indent=indent) == indented.encode()
        assert format(indented, indent=None) == compact.encode()
    assert format(compact) == json.dumps(value, indent=2).encode()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"1.50E+02", b"1.50E+02"),
        (b'"\\u0041\\/\\n"', b'"\\u0041\\/\\n"'),
        (b"[ ]", b"[]"),
        (b"{ \n }", b"{}"),
        (b'{"b":-0.0,"a":1e5,"b":2}', b'{\n  "b": -0.0,\n  "a": 1e5,\n  "b": 2\n}'),
        (b'["[,{:}]",""]', b'[\n  "[,{:}]",\n  ""\n]'),
        (b"123456789012345678901234567890.10", b"123456789012345678901234567890.10"),
        ('["é","😀"]'.encode(), '[\n  "é",\n  "😀"\n]'.encode()),
    ],
)
def test_format_keeps_spelling(document, expected):
    for given_ in (document, document.decode(), bytearray(document), memoryview(document)):
        assert format(given_) == expected
    assert format(document, newline=True) == expected + b"\n"
    assert format(format(expected, indent=None)) == expected


def test_format_of_the_corpus():
    for document in DOCUMENTS:
        for indent in (None, 0, 2, 8, "\t"):
            result = format(document, indent=indent)
            assert same(decode(result), decode(document))
            assert format(result, indent=indent) == result


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[1,]",
        b"[1",
        b"nul",
        b"01",
        b'"\xff"',
        b'"\\x"',
        b'{"a"}',
        b"1 2",
        b"NaN",
        b'"\\ud800"',
        b'"\n"',
    ],
)
def test_format_checks(document):
    for indent in (2, None):
        with pytest.raises(DecodeError):
            format(document, indent=indent)


def test_format_arguments():
    with pytest.raises(TypeError):
        format(5)
    with pytest.raises(TypeError):
        format(b"1", 2)
    for wrong in (-1, 9, "x", 1.5):
        with pytest.raises((TypeError, ValueError)):
            format(b"1", indent=wrong)


def test_format_of_deep_documents():
    deep = encode(nested(900, "mixed"))
    assert format(format(deep, indent=8), indent=None) == deep
    for document in (b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000):
        try:
            assert len(format(document, indent=None)) == len(document)
        except DecodeError:
            pass
    with pytest.raises(DecodeError):
        format(b"[" * 100_000)


def test_format_of_raw():
    assert format(Raw(b'{"a":[1]}')) == b'{\n  "a": [\n    1\n  ]\n}'
