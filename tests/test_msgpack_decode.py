"""Options of decode, its hooks, keys, what it takes as input, and prefixes.

What stands on the wire for each scalar is in the vectors. What may surprise: a key that was met often is guessed
before it is read, so that options are tried with keys that other options have taught.
"""

import array
import itertools
import math
import mmap
import struct
from collections import OrderedDict
from datetime import datetime, timezone
from fractions import Fraction

import pytest
from samples import MESSAGES, same

from oxwire import DecodeError, Raw
from oxwire.msgpack import Decoder, Ext, Timestamp, decode, decode_prefix, encode

UTC = timezone.utc
h = bytes.fromhex


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


# Input.


class Bytes(bytes):
    pass


@pytest.mark.parametrize("message", MESSAGES, ids=bytes.hex)
def test_every_kind_of_buffer(message):
    wanted = decode(message)
    kinds = [
        bytearray,
        memoryview,
        Bytes,
        lambda data: memoryview(b"#" + data + b"#")[1:-1],
        lambda data: memoryview(bytearray(data)).toreadonly(),
        lambda data: array.array("B", data),
        lambda data: array.array("b", data),
        lambda data: memoryview(data).cast("c"),
        Raw,
    ]
    if len(message) % 4 == 0:
        kinds += [
            lambda data: array.array("I", data),
            lambda data: memoryview(data).cast("B", (2, len(data) // 2)),
        ]
    for kind in kinds:
        assert same(decode(kind(message)), wanted)
        assert same(decode_prefix(kind(message)), (wanted, len(message)))
        assert bytes(decode(kind(message), raw=True)) == message
        with pytest.raises(DecodeError) as caught:
            decode(kind(message * 4) if kind is not Raw else kind(message * 4))
        assert caught.value.offset == len(message)
    mapped = mmap.mmap(-1, len(message))
    mapped.write(message)
    assert same(decode(mapped), wanted)
    mapped.close()


def test_a_buffer_is_not_kept():
    data = bytearray(encode({"a": [b"x", "y", Ext(5, b"z")]}))
    value = decode(data)
    raw = decode(data, raw=True)
    data[:] = bytes(len(data))
    data.clear()
    assert value == {"a": [b"x", "y", Ext(5, b"z")]} == decode(raw)


@pytest.mark.parametrize("wrong", ["\x01", None, 5, [1], object(), {}], ids=repr)
def test_what_is_no_buffer(wrong):
    for call in (decode, decode_prefix, Decoder().decode, Decoder().decode_prefix):
        with pytest.raises(TypeError, match=type(wrong).__name__) as caught:
            call(wrong)
        assert not isinstance(caught.value, DecodeError)


def test_buffers_that_cannot_be_read():
    with pytest.raises((BufferError, ValueError)):
        decode(memoryview(b"\1\2\3\4")[::2])
    released = memoryview(b"\1")
    released.release()
    with pytest.raises(ValueError):
        decode(released)
    for call in (decode, decode_prefix):
        with pytest.raises(DecodeError):
            call(b"")


def test_prefixes():
    for first, second in itertools.product(MESSAGES[::3], MESSAGES[::5]):
        value, n = decode_prefix(first + second)
        assert n == len(first)
        assert same(value, decode(first))
        raw, n = Decoder(raw=True).decode_prefix(memoryview(first + second))
        assert (bytes(raw), n) == (first, len(first))
    data = b"".join(MESSAGES)
    at, values = 0, []
    while at < len(data):
        value, n = decode_prefix(memoryview(data)[at:], use_list=True)
        values.append(value)
        at += n
    assert same(values, [decode(message) for message in MESSAGES])
    assert decode_prefix(b"\1\xc1") == (1, 1)
    assert decode_prefix(b"\x91\1\xc1", strict=True) == ([1], 2)
    with pytest.raises(DecodeError) as caught:
        decode_prefix(b"\x92\1\xc1")
    assert caught.value.offset == 2


# Options.


def test_strict_refuses_what_has_a_shorter_form():
    for long, short in (
        ("cc01", "01"),
        ("d101ff", "cd01ff"),
        ("d9026162", "a26162"),
        ("c50001ff", "c401ff"),
        ("dc0000", "90"),
        ("df00000000", "80"),
        ("c70105ff", "d405ff"),
        ("c70cff0000000000000000000000ff", "d6ff000000ff"),
    ):
        long, short = h(long), h(short)
        assert same(decode(long), decode(short))
        for before, after in ((b"", b""), (b"\x92\x01", b""), (b"\x81\xa1k", b""), (b"\x81", b"\x01")):
            if after and short[0] in b"\x80":
                continue
            assert decode(before + short + after, strict=True) == decode(before + long + after)
            refused(before + long + after, "shorter", strict=True)
            with pytest.raises(DecodeError):
                decode(before + long + after, strict=True, raw=True)


TWICE = [
    (h("82a16101a16102"), 4),
    (h("82 c40161 01 c40161 02"), 5),
    (h("82 920102 01 920102 02"), 5),
    (h("82 920102 01 92cc0102 02"), 5),
    (h("82 01 01 cc01 02"), 3),
    (h("82 a161 01 d90161 02"), 4),
    (h("83 a161 01 a162 02 a161 03"), 7),
    (h("91 82 d40561 01 d40561 02"), 6),
    (h("82 d6ff00000005 01 d6ff00000005 02"), 8),
    # Keys that a dict takes for one, whatever they look like.
    (h("82 01 01 c3 02"), 3),
    (h("82 00 01 cb0000000000000000 02"), 3),
    (h("82 cb8000000000000000 01 ca00000000 02"), 11),
    (h("82 9101 01 91c3 02"), 4),
    # A number that is no number, in the same bytes.
    (h("82 ca7fc00000 01 ca7fc00000 02"), 7),
]


@pytest.mark.parametrize(("data", "offset"), TWICE, ids=lambda v: v.hex() if isinstance(v, bytes) else str(v))
def test_keys_that_stand_twice(data, offset):
    for _ in range(3):
        assert decode(data)
        for options in ({"duplicate_keys": "error"}, {"strict": True}):
            error = refused(data, **options)
            assert error.offset == offset or (options == {"strict": True} and "shorter" in error.msg)
            with pytest.raises(DecodeError):
                decode(data, raw=True, **options)
    assert bytes(decode(data, raw=True)) == data


def test_the_last_of_two_keys_is_kept_at_the_place_of_the_first():
    value = decode(h("83a16101a16202a16103"))
    assert value == {"a": 3, "b": 2}
    assert list(value) == ["a", "b"]
    for size in (15, 16, 40, 300):
        data = (
            b"\xde"
            + struct.pack(">H", size + 1)
            + b"".join(encode(f"k{n}") + b"\0" for n in range(size))
            + b"\xa2k5\1"
        )
        assert decode(data) == {**{f"k{n}": 0 for n in range(size)}, "k5": 1}
        refused(data, duplicate_keys="error")


def test_one_key_in_many_maps_is_not_twice():
    for options in ({"duplicate_keys": "error"}, {"strict": True}):
        value = [{"a": {"a": {"a": 1}}, "b": {"a": 2}}, {"a": 1}] * 3
        assert decode(encode(value), **options) == value


BAD_TEXT = [
    b"\xff",
    b"\x80",
    b"a\xc3",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"x" * 20 + b"\xfe",
]


@pytest.mark.parametrize("body", BAD_TEXT, ids=repr)
def test_text_that_is_not_utf8(body):
    text = encode(body, old_spec=True)
    escaped = body.decode(errors="surrogateescape")
    for data, wrap in (
        (text, lambda t: t),
        (b"\x92\1" + text, lambda t: [1, t]),
        (b"\x81" + text + b"\1", lambda t: {t: 1}),
        (b"\x81\x91" + text + text, lambda t: {(t,): t}),
    ):
        error = refused(data, "UTF-8")
        assert error.offset >= data.index(text)
        refused(data, "UTF-8", str_errors="strict")
        with pytest.raises(DecodeError):
            decode(data, raw=True)
        assert decode(data, str_errors="raw") == wrap(body)
        assert decode(data, str_errors="surrogateescape") == wrap(escaped)
        assert bytes(decode(data, str_errors="raw", raw=True)) == data
        assert encode(decode(data, str_errors="surrogateescape"), str_errors="surrogateescape") in (
            data,
            text,
        )
        assert decode(data, old_spec=True) == wrap(body) or data[0] != text[0]


def test_text_that_is_utf8_is_text_in_any_mode():
    for text in ("", "a", "é€😀", "x" * 300):
        for mode in ("strict", "surrogateescape", "raw"):
            assert decode(encode([text, {text: text}]), str_errors=mode) == [text, {text: text}]


def test_old_spec():
    value = {"a": ["é", b"x", {b"k": 1, "j": 2}], ("t",): "x" * 300}
    wanted = {b"a": ["é".encode(), b"x", {b"k": 1, b"j": 2}], (b"t",): b"x" * 300}
    assert decode(encode(value, old_spec=True), old_spec=True) == wanted
    assert decode(encode(value), old_spec=True) == wanted
    for mode in ("strict", "surrogateescape", "raw"):
        assert decode(encode(value), old_spec=True, str_errors=mode) == wanted
        assert decode(encode(value), str_errors=mode, old_spec=True) == wanted
    assert decode(encode(["\xff", Ext(5, b"x")]), old_spec=True) == ["\xff".encode(), Ext(5, b"x")]
    # Where text and bytes are one they can be the same key.
    refused(h("82a16101c4016102"), old_spec=True, duplicate_keys="error")


def test_timestamps():
    moment, when = Timestamp(5, 6_000), datetime(1970, 1, 1, 0, 0, 5, 6, tzinfo=UTC)
    for wrap in (lambda m: m, lambda m: [m, [m]], lambda m: {m: {"k": m}}):
        data = encode(wrap(moment))
        assert decode(data) == decode(data, timestamp="datetime") == wrap(when)
        assert decode(data, timestamp="timestamp") == wrap(moment)
        assert decode(data, timestamp="float") == wrap(5.000006)
        assert decode(data, timestamp="ns") == wrap(5_000_006_000)
        # The hook is for other codes.
        assert decode(data, ext_hook=lambda code, body: 1 / 0) == wrap(when)
    for beyond in (
        Timestamp(5, 1),
        Timestamp(-1, 999_999_999),
        Timestamp(253_402_300_800),
        Timestamp(-62_135_596_801),
    ):
        data = encode([0, beyond])
        error = refused(data, "timestamp")
        assert error.offset == 2
        assert decode(data, timestamp="timestamp") == [0, beyond]
        assert decode(data, timestamp="ns") == [0, beyond.to_unix_nano()]
        assert decode(data, timestamp="float") == [0, beyond.to_unix()]
    for wrong in (
        h("d4ff01"),
        h("c703ff010203"),
        h("c700ff"),
        h("d7ff" + "ff" * 8),
        h("c70cff3b9aca00" + "00" * 8),
    ):
        for kind in ("datetime", "timestamp", "float", "ns"):
            refused(wrong, "timestamp", timestamp=kind)
            refused(b"\x91" + wrong, "timestamp", timestamp=kind)
            refused(wrong, timestamp=kind, raw=True)


@pytest.mark.parametrize("seconds", [0, -1, 1, 2**32, -(2**63), 2**63 - 1, 1_700_000_000])
@pytest.mark.parametrize("nanoseconds", [0, 1, 500_000_000, 999_999_999])
def test_timestamps_as_floats(seconds, nanoseconds):
    moment = Timestamp(seconds, nanoseconds)
    got = decode(encode(moment), timestamp="float")
    assert repr(got) == repr(moment.to_unix())
    # Near zero the parts of a second are a difference of two floats near one.
    exact = Fraction(seconds * 10**9 + nanoseconds, 10**9)
    assert abs(got - exact) <= max(math.ulp(got), 2**-52)


def test_big_int_ext():
    # Longer than need be, and small ones too, unless it is strict.
    for body, number in (("0000000000000000000001", 1), ("ff", -1), ("00", 0), ("ffffffffffffffffff", -1)):
        data = b"\xc7" + bytes([len(h(body)), 38]) + h(body)
        assert decode(b"\x91" + data, big_int_ext=True) == [number]
        refused(data, strict=True, big_int_ext=True)
        assert decode(data) == Ext(38, h(body))
        assert decode(data, big_int_ext=5) == Ext(38, h(body))
    refused(h("c70026"), "code", big_int_ext=True)
    assert decode(h("c70026")) == Ext(38, b"")
    assert decode(encode({2**64: 1}, big_int_ext=True), big_int_ext=True) == {2**64: 1}


# Hooks.


def test_ext_hook():
    calls = []

    def hook(code, body):
        calls.append((code, body))
        return (code, body)

    value = [Ext(5, b"x"), {Ext(-5, b""): Ext(127, b"y" * 300)}, datetime(2000, 1, 1, tzinfo=UTC)]
    assert decode(encode(value), ext_hook=hook) == [(5, b"x"), {(-5, b""): (127, b"y" * 300)}, value[2]]
    assert calls == [(5, b"x"), (-5, b""), (127, b"y" * 300)]
    assert all(type(body) is bytes for _, body in calls)
    assert decode(encode(value)) == value
    assert decode(encode(value), ext_hook=None) == value
    assert decode(encode(2**64, big_int_ext=True), ext_hook=hook, big_int_ext=True) == 2**64
    assert decode(encode(2**64, big_int_ext=7), ext_hook=lambda *a: a[0], big_int_ext=True) == 7
    # What it gives for a key must be able to be one.
    with pytest.raises(TypeError, match="unhashable"):
        decode(encode({Ext(5, b""): 1}), ext_hook=lambda *a: [])


NESTED = {"a": [{"b": [{}]}, []], "c": {"d": 1}}


def test_object_hook():
    seen = []

    def hook(made):
        seen.append(dict(made))
        return len(seen)

    assert decode(encode(NESTED), object_hook=hook) == 4
    assert seen == [{}, {"b": [1]}, {"d": 1}, {"a": [2, []], "c": 3}]
    assert all(type(one) is dict for one in seen)
    assert decode(encode(NESTED), object_hook=None) == NESTED
    assert decode(b"\x91\x01", object_hook=hook) == [1]
    assert decode(encode([{}, {}]), object_hook=lambda made: None) == [None, None]


def test_object_pairs_hook():
    data = h("83 a16101 a16202 a16103")
    assert decode(data, object_pairs_hook=list) == [("a", 1), ("b", 2), ("a", 3)]
    assert decode(data, object_pairs_hook=OrderedDict) == OrderedDict(a=3, b=2)
    refused(data, object_pairs_hook=list, duplicate_keys="error")
    assert decode(encode(NESTED), object_pairs_hook=lambda pairs: ("M", *pairs)) == (
        ("M", ("a", [("M", ("b", [("M",)])), []]), ("c", ("M", ("d", 1))))
    )
    # A key need not be hashable if no dict is made.
    assert decode(encode({Ext(1, b""): 1}), object_pairs_hook=list, ext_hook=lambda *a: []) == [([], 1)]


def test_list_hook():
    assert decode(encode(NESTED), list_hook=len) == {"a": 2, "c": {"d": 1}}
    seen = []
    decode(encode([[1], [[2]]]), list_hook=seen.append)
    assert seen == [[1], [2], [None], [None, None]]
    decode(encode([[1], [[2]]]), list_hook=seen.append, use_list=False)
    assert seen[4:] == [(1,), (2,), (None,), (None, None)]
    # Parts of keys are not shown to it.
    assert decode(encode({(1, (2,)): [3]}), list_hook=tuple) == {(1, (2,)): (3,)}


def test_tuples():
    assert same(decode(encode([[], [1, [2]], {"a": [3]}]), use_list=False), ((), (1, (2,)), {"a": (3,)}))
    for length in (0, 1, 15, 16, 40, 65_536):
        assert same(decode(encode([7] * length), use_list=False), (7,) * length)


def test_hooks_together():
    log = []
    options = {
        "ext_hook": lambda code, body: log.append("ext") or (code, body),
        "object_hook": lambda made: log.append("map") or ("map", made),
        "list_hook": lambda made: log.append("list") or ("list", made),
        "use_list": False,
        "timestamp": "ns",
        "duplicate_keys": "error",
    }
    data = encode({"a": [Ext(1, b"x"), {}], (1, (2,)): [Timestamp(1, 1)]})
    inner = ("list", ((1, b"x"), ("map", {})))
    assert decode(data, **options) == ("map", {"a": inner, (1, (2,)): ("list", (1_000_000_001,))})
    assert log == ["ext", "map", "list", "list", "map"]


@pytest.mark.parametrize(
    "kind", [ValueError, DecodeError, StopIteration, EOFError, MemoryError, KeyboardInterrupt, SystemExit]
)
@pytest.mark.parametrize("name", ["ext_hook", "object_hook", "object_pairs_hook", "list_hook"])
def test_exceptions_of_hooks_come_out_unchanged(name, kind):
    error = kind("mine")

    def hook(*args):
        raise error

    data = encode([0, "x" * 50, {"a": [{"k": Ext(5, b"x")}, "y"]}])
    for decoder in (Decoder(**{name: hook}), Decoder(**{name: hook}, use_list=False, duplicate_keys="error")):
        for call in (decoder.decode, decoder.decode_prefix):
            with pytest.raises(kind) as caught:
                call(data)
            assert caught.value is error
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None
    with pytest.raises(TypeError):
        decode(data, **{name: lambda: 1})


# Keys.


def test_nested_keys():
    assert decode(h("8191919005")) == {(((),),): 5}
    assert decode(h("81 93c4016191c0c2 05")) == {(b"a", (None,), False): 5}
    for data, offset in (
        ("818001", 1),
        ("81918001", 2),
        ("8192018101028101", 3),
        ("91818181", 2),
        ("81df0000000001", 1),
    ):
        assert refused(h(data), "map cannot be a key").offset == offset
        refused(h(data), raw=True)


# Options that are wrong.


@pytest.mark.parametrize(
    "options",
    [
        {"nothing": 1},
        {"sort": True},
        {"raw": 1},
        {"strict": "yes"},
        {"duplicate_keys": "first"},
        {"duplicate_keys": None},
        {"str_errors": "ignore"},
        {"str_errors": None},
        {"str_errors": 5},
        {"old_spec": 0},
        {"timestamp": 3},
        {"timestamp": "int"},
        {"ext_hook": 5},
        {"object_hook": "x"},
        {"object_pairs_hook": []},
        {"list_hook": True},
        {"use_list": None},
        {"big_int_ext": -1},
        {"big_int_ext": 128},
        {"big_int_ext": "38"},
        {"ndarray_ext": 1.5},
        {"ndarray_ext": -129},
        *(
            {name: wrong}
            for name in ("max_depth", "max_str_len", "max_map_len")
            for wrong in (-1, "1", 1.5, True)
        ),
        {"max_depth": None},
    ],
    ids=repr,
)
def test_options_that_are_wrong(options):
    (name,) = options
    for call in (
        lambda: decode(b"\1", **options),
        lambda: decode_prefix(b"\1", **options),
        lambda: Decoder(**options),
    ):
        with pytest.raises((TypeError, ValueError), match=name) as caught:
            call()
        assert not isinstance(caught.value, DecodeError)


def test_options_that_exclude_each_other():
    with pytest.raises((TypeError, ValueError), match="object_pairs_hook"):
        decode(b"\1", object_hook=dict, object_pairs_hook=dict)
    assert decode(b"\1", object_hook=dict, object_pairs_hook=None) == 1
    with pytest.raises(TypeError):
        decode(b"\1", b"\2")
    with pytest.raises(TypeError):
        decode()
    with pytest.raises(TypeError):
        Decoder(b"\1")
    with pytest.raises(TypeError):
        Decoder().decode(b"\1", strict=True)
