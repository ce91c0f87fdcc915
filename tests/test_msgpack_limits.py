"""Limits of decode, great depth, and Raw: what is refused by its length alone, and what is kept undecoded."""

import pytest
from samples import MESSAGES, STRANGE, nested, same

from oxwire import DecodeError, EncodeError, Raw
from oxwire import json as oxjson
from oxwire.msgpack import Decoder, Ext, Timestamp, decode, encode


def refused(data, words=None, **options):
    """The error that decode, and all that decodes, gives for a message."""
    with pytest.raises(DecodeError, match=words) as caught:
        decode(data, **options)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert 0 <= caught.value.offset <= len(data)
    with pytest.raises(DecodeError) as again:
        Decoder(**options).decode(bytearray(data))
    assert (again.value.msg, again.value.offset) == (caught.value.msg, caught.value.offset)
    return caught.value


# Limits.


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("max_str_len", lambda n: "x" * n),
        ("max_bin_len", lambda n: b"x" * n),
        ("max_array_len", lambda n: [None] * n),
        ("max_map_len", lambda n: dict.fromkeys(range(n))),
        ("max_ext_len", lambda n: Ext(5, b"x" * n)),
    ],
)
def test_limits(name, make):
    for n in (0, 1, 2, 15, 31, 32, 255, 256, 65_536):
        value = make(n)
        places = [encode(value), b"\x91" + encode(value), b"\x81\x01" + encode(value)]
        if not isinstance(value, (list, dict)):
            places += [b"\x81" + encode(value) + b"\x01", b"\x81\x91" + encode(value) + b"\x01"]
        elif isinstance(value, list):
            places += [b"\x81" + encode(value) + b"\x01"]
        for data in places:
            # What is around it counts too.
            around = 1 if name in ("max_array_len", "max_map_len") and data != places[0] else 0
            for limit in {None, max(n, around), n + 1, 2**62}:
                assert decode(data, **{name: limit}) == decode(data)
                assert decode(data, raw=True, **{name: limit})
            if n > around:
                at = data.index(encode(value))
                assert refused(data, name, **{name: n - 1}).offset == at
                refused(data, name, **{name: n - 1}, raw=True)
                # Said by the length alone, before what it counts has come.
                assert refused(data[: at + 9], **{name: n - 1}).offset in (at, len(data[: at + 9]))


def test_limits_concern_their_own_kind_only():
    value = {"text" * 20: b"bytes" * 20, b"key" * 20: [1] * 20, 5: Ext(1, b"e" * 40)}
    sizes = {"max_str_len": 80, "max_bin_len": 100, "max_array_len": 20, "max_map_len": 3, "max_ext_len": 40}
    assert decode(encode(value), **sizes) == value
    for name, size in sizes.items():
        refused(encode(value), name, **sizes | {name: size - 1})
    assert decode(encode("é" * 5), max_str_len=10) == "é" * 5
    refused(encode("é" * 5), max_str_len=9)
    # A moment is 12 bytes at most, and an ext all the same.
    refused(encode(Timestamp(-1)), max_ext_len=11)


@pytest.mark.parametrize("kind", ["list", "dict", "tuple", "mixed"])
def test_max_depth(kind):
    assert encode(decode(encode(nested(1000, kind)))) == encode(nested(1000, kind))
    deeper = encode(nested(1001, kind), max_depth=1001)
    for options in ({}, {"raw": True}, {"list_hook": tuple}, {"strict": True}):
        error = refused(deeper, "max_depth", **options)
        assert error.offset == (deeper.index(b"\xc0") - 1 if kind != "dict" else len(deeper) - 4)
    for depth in (0, 1, 2, 5):
        data = encode(nested(depth, kind))
        assert encode(decode(data, max_depth=depth)) == data
        assert bytes(decode(data, max_depth=depth, raw=True)) == data
        refused(b"\x91" + data, "max_depth", max_depth=depth)
        refused(b"\x91" + data, "max_depth", max_depth=depth, raw=True)
        refused(b"\x81\xa1k" + data, "max_depth", max_depth=depth)
    # Arrays in keys nest like others.
    assert decode(b"\x81" + b"\x91" * 3 + b"\1\2", max_depth=4) == {(((1,),),): 2}
    refused(b"\x81" + b"\x91" * 3 + b"\1\2", "max_depth", max_depth=3)


# Raw.


def test_raw():
    for message in MESSAGES:
        raw = decode(message, raw=True)
        assert type(raw) is Raw
        assert bytes(raw) == message
        assert same(decode(raw), decode(message))
        assert encode(raw) == message
        assert encode([raw, {"k": raw}]) == b"\x92" + message + b"\x81\xa1k" + message
        assert encode({1: Ext(1, b"")}, passthrough=[Ext], enc_hook=lambda v: raw) == b"\x81\x01" + message


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xc1",
        b"\x91",
        b"\x01\x02",
        b"\xa1\xff",
        b"\xa2a",
        b"\x81\x80\x01",
        b"\xd4\xff\x01",
        b"\xdd\xff\xff\xff\xff",
    ],
    ids=bytes.hex,
)
def test_raw_that_is_no_message(content):
    for value, path in ((Raw(content), "$"), ([1, Raw(content)], "$[1]"), ({"a": Raw(content)}, "$.a")):
        for options in ({}, {"canonical": True}):
            with pytest.raises(EncodeError, match="Raw") as caught:
                encode(value, **options)
            assert caught.value.path == path
    with pytest.raises(EncodeError):
        encode({"a": STRANGE}, enc_hook=lambda value: Raw(content))


def test_raw_text_of_unknown_bytes():
    old = Raw(b"\x91\xa1\xff")
    for options in ({"old_spec": True}, {"str_errors": "surrogateescape"}):
        assert encode([old], **options) == b"\x91\x91\xa1\xff"
    with pytest.raises(EncodeError):
        encode([old])


def test_raw_of_the_other_format():
    # One class serves both; what it holds is checked where it is written.
    assert oxjson.encode(Raw(b"1")) == b"1"
    assert encode(Raw(b"1")) == b"1"
    with pytest.raises(EncodeError):
        encode([oxjson.decode(b'{"a": 1}', raw=True)])
    with pytest.raises(EncodeError):
        oxjson.encode([decode(b"\x91\x01", raw=True)])


def test_raw_of_great_depth():
    deep = Raw(encode(nested(1000)))
    assert encode(deep) == bytes(deep)
    assert encode([deep]) == b"\x91" + bytes(deep)
