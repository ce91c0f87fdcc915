"""`ext_table="clojure"` with everything around it: hooks, limits, depth, other options, pickling, threads."""

import copy
import datetime as dt
import pickle
import re
import sys
import threading
from fractions import Fraction
from pathlib import Path
from uuid import UUID

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from clojure_values import READING, TABLE, is_body, refused

from oxwire import DecodeError, EncodeError
from oxwire.msgpack import (
    Decoder,
    Encoder,
    Ext,
    Keyword,
    List,
    Raw,
    Record,
    StreamDecoder,
    decode,
    encode,
)

pytestmark = pytest.mark.usefixtures("deep")


def test_ext_hook_sees_the_others():
    packed = encode([Ext(5, b"x"), Keyword("a"), List((Ext(6, b"y"),)), Ext(46, b"")], **TABLE)
    made = decode(packed, ext_hook=lambda code, data: (code, data), **TABLE)
    assert made == [(5, b"x"), Keyword("a"), List(((6, b"y"),)), (46, b"")]


class Odd(Exception):
    pass


@pytest.mark.parametrize(
    "error", [Odd, ValueError, RecursionError, UnicodeDecodeError, MemoryError, DecodeError]
)
@pytest.mark.parametrize(
    "option", ["ext_hook", "object_hook", "list_hook", "record_hook", "object_pairs_hook"]
)
def test_what_hooks_raise_comes_out_as_it_is(error, option):
    made = error("utf-8", b"a", 0, 1, "x") if error is UnicodeDecodeError else error("mine")

    def hook(*args):
        raise made

    value = List((List(({"a": [1]}, Ext(5, b"x"), Record("p", {}))),))
    for packed in (encode(value, **TABLE), encode([value], **TABLE)):
        with pytest.raises(error) as caught:
            decode(packed, **{option: hook}, **TABLE)
        assert caught.value is made


def test_what_decode_raises_in_a_hook_comes_out_too():
    packed = encode(List((Ext(5, b"\xc1"),)), **TABLE)
    with pytest.raises(DecodeError) as caught:
        decode(packed, ext_hook=lambda code, data: decode(data, **TABLE), **TABLE)
    assert caught.value.msg == "the byte begins no value"


def test_enc_hook():
    class Mine:
        pass

    assert encode(Mine(), enc_hook=lambda obj: Keyword("a"), **TABLE) == encode(Keyword("a"), **TABLE)
    assert encode([Mine()], enc_hook=lambda obj: (1, {2}), **TABLE) == encode([[1, {2}]], **TABLE)
    assert encode({Mine(): 1}, enc_hook=lambda obj: Keyword("a"), **TABLE) == encode(
        {Keyword("a"): 1}, **TABLE
    )
    for hook in (None, lambda obj: obj):
        with pytest.raises(EncodeError) as caught:
            encode({"a": List((0, {"b": Mine()}))}, enc_hook=hook, **TABLE)
        assert caught.value.path == "$.a[1].b"
    made = Odd("mine")

    def raising(obj):
        raise made

    with pytest.raises(Odd) as odd:
        encode(List((Mine(),)), enc_hook=raising, **TABLE)
    assert odd.value is made


def test_subclasses():
    class Path(Keyword):
        __slots__ = ()

    class Rows(List):
        __slots__ = ()

    assert encode([Path("a"), Rows((1,))], **TABLE) == encode([Keyword("a"), List((1,))], **TABLE)
    assert Path("a") != Keyword("a")


# Limits.


def nested(n, code=0x23):
    """Lists, one in the other."""
    packed = b"\xc0"
    for _ in range(n):
        packed = encode(Ext(code, b"\x91" + packed))
    return packed


def test_bodies_count_as_containers():
    for n in range(1, 6):
        assert refused(nested(n), max_depth=2 * n - 1)
        assert decode(nested(n), max_depth=2 * n, **TABLE)
        assert refused(b"\x91" + nested(n), max_depth=2 * n).offset == 1
        assert decode(b"\x91" + nested(n), max_depth=2 * n + 1, **TABLE)
        # As a key, or deep in one.
        assert refused(b"\x81" + nested(n, 0x22) + b"\0", max_depth=2 * n).offset == 1
        assert decode(b"\x81" + nested(n, 0x22) + b"\0", max_depth=2 * n + 1, **TABLE)
        assert refused(b"\x81\x91\x91" + nested(n, 0x22) + b"\0", max_depth=2 * n + 2).offset == 3
        assert decode(b"\x81\x91\x91" + nested(n, 0x22) + b"\0", max_depth=2 * n + 3, **TABLE)
        value = decode(nested(n), **TABLE)
        assert encode(value, max_depth=2 * n, **TABLE) == nested(n)
        with pytest.raises(EncodeError, match="nest deeper"):
            encode(value, max_depth=2 * n - 1, **TABLE)
    # Words are no containers.
    assert decode(b"\x91" + encode(Keyword("a"), **TABLE), max_depth=1, **TABLE) == [Keyword("a")]
    assert encode([Keyword("a"), UUID(int=5)], max_depth=1, **TABLE)
    assert decode(b"\xd5\x25\x01\x03", max_depth=0, **TABLE) == Fraction(1, 3)


@pytest.mark.parametrize("code", [0x22, 0x23])
def test_deep_nesting(small_stack, code):
    packed = nested(64, code)
    word, value = small_stack(decode, packed, **TABLE)
    assert word == "value"
    assert small_stack(encode, value, **TABLE) == ("value", packed)
    assert small_stack(encode, [value], canonical=True, **TABLE)[0] == "value"
    assert is_body(refused(nested(65, code)), 0)
    assert is_body(refused(nested(5000, code), max_depth=10**6), 0)
    assert small_stack(decode, nested(5000, code), max_depth=10**6, **TABLE) == ("error", DecodeError)
    # Where the interpreter has less, less.
    sys.setrecursionlimit(200)
    assert is_body(refused(packed), 0)


def test_deep_maps_in_keys(small_stack):
    packed = b"\xc0"
    for _ in range(3000):
        packed = encode(Ext(45, b"\x81" + packed + b"\0"))
    packed = b"\x81" + packed + b"\0"
    assert small_stack(decode, packed, max_depth=10**6, **TABLE) == ("error", DecodeError)


def test_cycles_and_depth_in_writing():
    around = []
    around.append(List((around,)))
    with pytest.raises(EncodeError):
        encode(around, **TABLE)
    value = frozenset()
    for _ in range(70):
        value = frozenset({value})
    with pytest.raises(EncodeError, match="nest deeper"):
        encode(value, **TABLE)


@pytest.mark.parametrize(
    ("packed", "option"),
    [
        (encode(List(("abc",)), **TABLE), {"max_str_len": 2}),
        (encode({b"abc"}, **TABLE), {"max_bin_len": 2}),
        (encode(List((1, 2, 3)), **TABLE), {"max_array_len": 2}),
        (encode({1, 2, 3}, **TABLE), {"max_array_len": 2}),
        (encode(List(({1: 2, 3: 4},)), **TABLE), {"max_map_len": 1}),
        (encode(Keyword("abc"), **TABLE), {"max_ext_len": 2}),
        (encode(Record("abc", {}), **TABLE), {"max_str_len": 2}),
        (encode(re.compile("abc"), **TABLE), {"max_str_len": 2}),
    ],
    ids=repr,
)
def test_limits_hold_in_bodies(packed, option):
    assert refused(packed, **option).offset == 0
    decode(packed, **{name: n + 1 for name, n in option.items()}, **TABLE)


def test_limits_of_maps_have_nothing_to_do_with_sets():
    assert decode(encode({1, 2}, **TABLE), max_map_len=0, **TABLE) == {1, 2}


def test_other_options_hold_in_bodies():
    moment = encode(List((dt.datetime(2026, 1, 1, tzinfo=dt.UTC),)), **TABLE)
    assert decode(moment, timestamp="ns", **TABLE) == List((1767225600 * 10**9,))
    assert decode(b"\xc7\x03\x23\x91\xa1\xff", str_errors="raw", **TABLE) == List((b"\xff",))
    twice = encode(Ext(0x23, b"\x91\x82\x01\x02\x01\x03"))
    assert is_body(refused(twice, duplicate_keys="error"), 0)
    assert decode(twice, **TABLE) == List(({1: 3},))
    assert isinstance(decode(moment, raw=True, **TABLE), Raw)


# Encoder and Decoder.


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_coders_are_pickled(protocol):
    encoder = pickle.loads(pickle.dumps(Encoder(**TABLE), protocol))
    decoder = pickle.loads(pickle.dumps(Decoder(**READING), protocol))
    value = [Keyword("a"), Record("point", {Keyword("x"): {1}})]
    assert decoder.decode(encoder.encode(value)) == value
    assert encoder.options == TABLE
    assert decoder.options == READING
    assert repr(Encoder(**TABLE)) == "oxwire.msgpack.Encoder(ext_table='clojure')"
    for one in (encoder, decoder):
        assert copy.copy(one).options == copy.deepcopy(one).options == one.options


def test_the_option():
    for wrong in ("scheme", "", True):
        for make in (Encoder, Decoder, StreamDecoder):
            with pytest.raises((ValueError, TypeError), match="ext_table"):
                make(ext_table=wrong)
    with pytest.raises(TypeError, match="record_hook"):
        Decoder(record_hook=1, **TABLE)
    assert decode(b"\xd4\x20a", ext_table=None) == Ext(32, b"a")
    assert encode({1}, ext_table=None) == b"\x91\x01"


def test_threads_share():
    encoder, decoder = Encoder(**TABLE), Decoder(**READING)
    wrong = []

    def work(n):
        value = {Keyword(f"k{n}"): [Fraction(n, 7919), List((n, {n})), Record("point", {Keyword("x"): n})]}
        for _ in range(300):
            if decoder.decode(encoder.encode(value)) != value:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_hooks_come_back_in():
    decoder = Decoder(ext_hook=lambda code, data: decoder.decode(data), **TABLE)
    assert decoder.decode(encode(List((Ext(5, encode({1, 2}, **TABLE)), 3)), **TABLE)) == List(({1, 2}, 3))
