"""What holds for every value: round trips, agreement with a second codec (tools/vectors.py), equal bytes for equal values."""

import struct
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from samples import pack_keys, pack_scalars, pack_values, same, values

from oxwire import DecodeError, EncodeError
from oxwire.msgpack import (
    Decoder,
    Encoder,
    Ext,
    StreamDecoder,
    Timestamp,
    decode,
    decode_prefix,
    encode,
    encode_many,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import vectors

moments = st.builds(Timestamp, st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**9 - 1))
# Not -1, which is a moment.
exts = st.builds(Ext, st.integers(-128, 127).filter(lambda code: code != -1), st.binary(max_size=20))
everything = values(st.one_of(pack_keys, moments, exts), st.one_of(pack_scalars, moments, exts))


def theirs(value, key=False):
    """The value as the second codec has it."""
    if isinstance(value, (list, tuple)):
        return [theirs(item, key) for item in value]
    if isinstance(value, dict):
        return vectors.Map(tuple((theirs(k, True), theirs(v)) for k, v in value.items()))
    if isinstance(value, Ext):
        return vectors.Ext(value.code, value.data)
    if isinstance(value, Timestamp):
        return vectors.Timestamp(value.seconds, value.nanoseconds)
    return value


@given(everything)
def test_round_trip_is_exact(value):
    message = encode(value)
    for data in (message, bytearray(message), memoryview(message)):
        assert same(decode(data, timestamp="timestamp", strict=True), value)
    assert encode(decode(message, use_list=False, timestamp="timestamp")) == message
    assert encode(decode(message, raw=True)) == message


@given(everything)
def test_the_bytes_are_those_of_the_second_codec(value):
    for mode, options in ((None, {}), ("old-spec", {"old_spec": True}), ("float32", {"float32": True})):
        for canonical in (False, True):
            try:
                ours = encode(value, canonical=canonical, **options)
            except EncodeError:
                ours = None
            try:
                wanted = vectors.write(
                    theirs(value), None if canonical and mode == "float32" else mode, canonical
                )
            except vectors.Refused:
                wanted = None
            if ours is None and wanted is not None:
                # Refused since two keys would be one: so it must be.
                assert mode is not None
                assert twice(wanted, mode)
            else:
                assert ours == wanted


def twice(message, mode):
    """Whether a key stands twice in some map of the message. Text and bytes are alike to the old specification only."""
    try:
        vectors.read(message, "unique", mode)
    except vectors.Refused as refused:
        return refused.args[0] == "duplicate-key"
    return False


@given(everything)
def test_no_key_stands_twice_in_what_is_written(value):
    for options in ({}, {"old_spec": True}, {"float32": True}, {"canonical": True}, {"sort": True}):
        try:
            message = encode(value, **options)
        except EncodeError:
            continue
        assert not twice(message, "old-spec" if "old_spec" in options else None)


def turned(value):
    """The same value with its dicts in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return list(map(turned, value)) if isinstance(value, list) else value


def ordered(message):
    """The keys of every map, as they stand."""
    found = []
    decode(
        message,
        timestamp="timestamp",
        object_pairs_hook=lambda pairs: found.append([key for key, _ in pairs]),
    )
    return found


@given(everything)
def test_canonical_is_idempotent_and_blind_to_order(value):
    message = encode(value, canonical=True)
    assert encode(turned(value), canonical=True) == message
    assert encode(decode(message, timestamp="timestamp"), canonical=True) == message
    for keys in ordered(message):
        forms = [encode(key, canonical=True) for key in keys]
        assert forms == sorted(forms)


@given(everything)
def test_sorted_is_idempotent_and_blind_to_order(value):
    message = encode(value, sort=True)
    assert encode(turned(value), order="sorted") == message
    again = decode(message, timestamp="timestamp")
    assert encode(again, sort=True) == encode(again) == message
    assert len(message) == len(encode(value))
    for keys in ordered(message):
        text = all(isinstance(key, str) for key in keys)
        forms = [key.encode() if text else encode(key) for key in keys]
        assert forms == sorted(forms)


@given(
    st.recursive(
        st.frozensets(pack_keys, max_size=5), lambda inner: st.frozensets(inner, max_size=4), max_leaves=8
    )
)
def test_equal_sets_give_equal_bytes(value):
    def other(one):
        """An equal set that was built the other way round, with room in its table."""
        if not isinstance(one, frozenset):
            return one
        # Equal to nothing that is drawn, as a number would be to a float.
        others = [object() for _ in range(100)]
        made = set(others)
        made.update(map(other, reversed([*one])))
        made.difference_update(others)
        return frozenset(made)

    assert encode(other(value), canonical=True) == encode(value, canonical=True)
    assert encode({other(value): 1}, canonical=True) == encode({value: 1}, canonical=True)


@given(st.floats(), st.sampled_from([{}, {"float32": True}, {"canonical": True}]))
def test_floats(number, options):
    try:
        message = encode(number, **options)
    except EncodeError:
        assert options == {"float32": True}
        assert 3.4e38 < abs(number) < float("inf")
        return
    again = decode(message)
    if options == {"float32": True}:
        assert message == b"\xca" + struct.pack(">f", number) or number != number
    elif number == number:
        assert repr(again) == repr(number + 0.0 if options else number)
    else:
        assert again != again
        assert options or struct.pack(">d", again) == struct.pack(">d", number)


@given(st.integers(-(2**200), 2**200))
def test_integers(number):
    for wrap in (lambda n: n, lambda n: [n, {n: n}]):
        message = encode(wrap(number), big_int_ext=True)
        assert decode(message, big_int_ext=True, strict=True) == wrap(number)
        assert message == vectors.write(theirs(wrap(number)), "big-int")


# A str is any text, surrogates among it.
@given(st.text(st.characters(), max_size=12))
def test_text(text):
    try:
        wanted = text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        wanted = None
    try:
        message = encode([text, {text: 1}], str_errors="surrogateescape")
    except EncodeError:
        assert wanted is None
        return
    assert message.count(wanted) >= 2
    assert decode(message, str_errors="surrogateescape") == [
        wanted.decode(errors="surrogateescape"),
        {text: 1},
    ] or (
        # Bytes that are spelled one by one may make a character together.
        wanted.decode(errors="surrogateescape") != text
    )


@given(st.binary(max_size=30))
def test_bytes_as_text(data):
    text = data.decode(errors="surrogateescape")
    assert encode(text, str_errors="surrogateescape") == encode(data, old_spec=True)
    assert decode(encode(text, str_errors="surrogateescape"), str_errors="surrogateescape") == text


@settings(max_examples=500)
@given(st.binary(max_size=30))
def test_any_bytes(data):
    agree(data)


pieces = st.sampled_from(
    "80 81 82 90 91 92 a0 a1 61 c3a9 ff c0 c1 c2 c3 c400 c40161 c50001 c700 c70105 ca3f800000 cb cc01 cd0001 01 7f"
    " d0 d0ff d1 d401 d405 d6ff 00000001 d7ff 00 d90161 da0001 dc0001 dd00000001 de0001 df00000001 e0 26 ffff".split()
).map(bytes.fromhex)


@settings(max_examples=800)
@given(st.lists(pieces, max_size=9).map(b"".join))
def test_almost_messages(data):
    agree(data)


def agree(data):
    """Ours and the second codec take the same messages for the same values, and refuse the others at the same byte."""
    for modes, options in (
        ((), {}),
        (("strict",), {"strict": True}),
        (("unique",), {"duplicate_keys": "error"}),
        (("old-spec",), {"old_spec": True}),
        (("big-int",), {"big_int_ext": True}),
    ):
        try:
            ours = decode(data, timestamp="timestamp", **options)
        except DecodeError as error:
            ours = error
        try:
            wanted = vectors.read(data, *modes)
        except vectors.Refused as refused:
            wanted = refused
        if isinstance(wanted, vectors.Refused):
            assert isinstance(ours, DecodeError), (modes, wanted)
            # Of several faults either codec may tell the one that it comes upon: that a key is wrong is told when all
            # of it has come, and its value; and a length may say at once that the end is missing.
            late = wanted.why in ("duplicate-key", "key") and ours.offset > wanted.offset
            late |= "unexpected end" in ours.msg and ours.offset == len(data)
            assert late or wanted.offset in (None, ours.offset), (modes, wanted, ours)
        elif isinstance(ours, DecodeError) and "twice" in ours.msg:
            # A dict takes some keys for one that are two on the wire: 1 and true.
            assert {"strict", "unique"} & {*modes}
            assert repr(as_dict(wanted)) != repr(wanted)
        else:
            assert not isinstance(ours, DecodeError), (modes, wanted, ours)
            assert repr(theirs(ours)) == repr(as_dict(wanted)), modes


def as_dict(value):
    """The last of the entries of each map whose keys a dict takes for one, in the place of the first."""
    if isinstance(value, list):
        return [as_dict(item) for item in value]
    if isinstance(value, vectors.Map):
        made = {}
        for key, item in value.entries:
            made[hashable(key)] = as_dict(item)
        return theirs_of(made)
    return value


def hashable(key):
    return tuple(map(hashable, key)) if isinstance(key, list) else key


def theirs_of(made):
    def listed(key):
        return [*map(listed, key)] if isinstance(key, tuple) else key

    return vectors.Map(tuple((listed(key), item) for key, item in made.items()))


@given(everything, everything)
def test_messages_side_by_side(left, right):
    first, both = encode(left), encode_many([left, right])
    assert both == first + encode(right)
    value, n = decode_prefix(both, timestamp="timestamp")
    assert n == len(first)
    assert same(value, left)
    try:
        decode(both, timestamp="timestamp")
    except DecodeError as error:
        assert error.offset == len(first)
    else:
        raise AssertionError("two messages are not one")


@given(st.lists(everything, max_size=4), st.integers(1, 9))
def test_streams(items, size):
    data = encode_many(items)
    stream = StreamDecoder(timestamp="timestamp", list_hook=list)
    got = []
    for at in range(0, len(data), size):
        stream.feed(data[at : at + size])
        got += stream
    stream.close()
    assert same(got, items)


ENCODER, DECODER = Encoder(sort=True, float32=True), Decoder(duplicate_keys="error", timestamp="timestamp")


@given(pack_values())
def test_coders_agree_with_functions(value):
    try:
        wanted = encode(value, sort=True, float32=True)
    except EncodeError as error:
        wanted = str(error)
    try:
        assert ENCODER.encode(value) == wanted
    except EncodeError as error:
        assert str(error) == wanted
    assert same(DECODER.decode(encode(value)), value)
