"""Options of encode: canonical, order, widths of numbers, moments, surrogates, old forms, depth.

The bytes of scalars under each option stand in the vectors; here is what options do together and to whole values.
"""

import collections
import enum
import itertools
import math
import random
import struct
import zoneinfo
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from uuid import UUID

import pytest
from samples import nested

from oxwire import EncodeError, Raw
from oxwire.msgpack import (
    EXT_BIG_INT,
    Encoder,
    Ext,
    Timestamp,
    decode,
    encode,
    encode_into,
    encode_many,
)

UTC = timezone.utc
NAN = float("nan")
EAST = timezone(timedelta(hours=5, minutes=30))


class Odd:
    """Goes to the hook."""


# Order.


def orders(mapping):
    """The same mapping in several orders."""
    items = list(mapping.items())
    yield dict(items)
    yield dict(reversed(items))
    yield collections.OrderedDict(sorted(items, key=lambda item: repr(item[0])))
    for seed in range(3):
        random.Random(seed).shuffle(items)
        yield dict(items)


MIXED = {
    "b": 1,
    "a": {"z": 1, "y": {3: 1, -3: 2}},
    "é": [{"k": 1, "j": 2}],
    1: 2,
    None: 3,
    b"x": 4,
    (1, "x"): 5,
    True + 4: 6,
    -1: 7,
    2.5: 8,
    Ext(1, b""): 9,
    "": 10,
    "x" * 40: 11,
    2**40: 12,
}


@pytest.mark.parametrize("options", [{"canonical": True}, {"sort": True}, {"order": "sorted"}], ids=repr)
def test_equal_maps_give_equal_bytes(options):
    (message,) = {encode(one, **options) for one in orders(MIXED)}
    assert decode(message) == MIXED
    keys = [encode(key) for key in decode(message)]
    if options == {"canonical": True}:
        keys = [encode(key, canonical=True) for key in decode(message)]
    assert keys == sorted(keys)
    (short,) = {encode(one, **options) for one in orders({"b": 1, "a": 2, "": 3, "é": 4, "aa": 5})}
    # Text alone is in the order of its bytes when sorted, in that of its encoded bytes when canonical.
    wanted = ["", "a", "b", "aa", "é"] if options == {"canonical": True} else ["", "a", "aa", "b", "é"]
    assert list(decode(short)) == wanted
    many = {str(n): {n: n} for n in range(500)}
    assert len({encode(one, **options) for one in orders(many)}) == 1


def test_sort_and_order_are_one():
    assert (
        encode(MIXED, sort=True) == encode(MIXED, order="sorted") == encode(MIXED, sort=True, order="sorted")
    )
    assert list(decode(encode({"b": 1, "a": 2}, order=None))) == ["b", "a"]
    assert list(decode(encode({"b": 1, "a": 2}, sort=False))) == ["b", "a"]


def test_sets_in_canonical_order():
    members = [
        3,
        -1,
        200,
        "a",
        "b" * 40,
        None,
        True,
        b"x",
        2.5,
        (1, 2),
        frozenset([2, 1]),
        frozenset(["z", "y"]),
    ]
    messages = set()
    for seed in range(5):
        random.Random(seed).shuffle(members)
        for kind in (set, frozenset):
            messages.add(encode(kind(members), canonical=True))
            messages.add(encode([{"k": kind(members)}], canonical=True)[4:])
    (message,) = messages
    parts = [encode(part, canonical=True) for part in decode(message)]
    assert parts == sorted(parts)
    # A set in a key too.
    keyed = {encode({frozenset(order): 1}, canonical=True) for order in itertools.permutations("abc")}
    assert keyed == {encode({("a", "b", "c"): 1})}


class Twins(enum.Enum):
    """Members that are written alike."""

    A = 1
    B = (1,)


def test_members_of_a_set_that_are_written_alike():
    for value in ({Twins.A, 1}, {UUID(int=0), str(UUID(int=0))}):
        assert encode(value, canonical=True) in (b"\x92\x01\x01", encode([str(UUID(int=0))] * 2))


def test_sets_of_what_goes_to_the_hook():
    class Member:
        def __init__(self, n):
            self.n = n

    members = {Member(n) for n in range(20)}
    assert decode(encode(members, canonical=True, enc_hook=lambda m: m.n)) == list(range(20))


def test_canonical_numbers():
    for alike in ((0.0, -0.0), (NAN, -NAN, struct.unpack(">d", b"\x7f\xf0\0\0\0\0\0\1")[0])):
        for wrap in (lambda v: v, lambda v: [v, {"k": v}], lambda v: {v: v}, lambda v: {"s": (v,)}):
            assert len({encode(wrap(number), canonical=True) for number in alike}) == 1
    for number in (
        0.5,
        1.0,
        -1.5,
        math.inf,
        -math.inf,
        2.0**100,
        2.0**-149,
        3.4028234663852886e38,
        16777217.0,
    ):
        short = struct.unpack(">f", struct.pack(">f", number))[0] == number
        assert encode(number, canonical=True) == struct.pack(
            ">Bf" if short else ">Bd", 0xCA + (not short), number
        )
        assert encode(number) == struct.pack(">Bd", 0xCB, number)
    assert encode(0.1, canonical=True) == encode(0.1, canonical=True, float32=True) == encode(0.1)
    # A float is not the integer that it equals.
    assert encode([1, 1.0, True], canonical=True) == b"\x93\x01\xca\x3f\x80\0\0\xc3"
    assert encode({NAN: 1, -0.0: 2}, canonical=True) == b"\x82\xca\0\0\0\0\x02\xca\x7f\xc0\0\0\x01"


def test_canonical_beside_other_options():
    when = datetime(2000, 1, 1, tzinfo=UTC)
    assert encode([when], canonical=True, datetime_format="text") == encode([when.isoformat()])
    assert encode([2**64], canonical=True, big_int_ext=True) == encode([2**64], big_int_ext=True)
    assert encode({"b": 1, "a": 2}, canonical=True, sort=False) == encode({"a": 2, "b": 1})
    assert encode([b"x"], canonical=True, old_spec=True) == b"\x91\xa1x"


def test_what_raw_holds_is_not_made_canonical():
    raw = Raw(b"\xde\x00\x01\xcc\x01\xcb" + bytes(8))
    assert encode([raw], canonical=True) == b"\x91" + bytes(raw)


# Numbers.


def test_float32():
    numbers = [0.1, -0.0, 1e-50, 16777217.0, 3.4028235e38, math.inf, -math.inf, 1e-45]
    message = encode({"a": numbers, 0.1: (0.1,)}, float32=True)
    assert message.count(b"\xca") >= len(numbers) + 2
    rounded = [struct.unpack(">f", struct.pack(">f", number))[0] for number in numbers]
    again = decode(message)
    assert list(map(repr, again["a"])) == list(map(repr, rounded))
    assert again[rounded[0]] == [rounded[0]]
    assert math.isnan(decode(encode(NAN, float32=True)))
    # The last that is rounded to the largest, and the first that is not.
    assert decode(encode(3.4028235677973362e38, float32=True)) == 3.4028234663852886e38
    for beyond in (3.4028235677973366e38, -1e39, 1.7976931348623157e308):
        with pytest.raises(EncodeError) as caught:
            encode({"a": [0, beyond]}, float32=True)
        assert caught.value.path == "$.a[1]"
        with pytest.raises(EncodeError):
            encode({beyond: 1}, float32=True)
        assert decode(encode(beyond, float32=True, canonical=True)) == beyond


def test_int_bits():
    for number in (2**53 - 1, 1 - 2**53, 0):
        assert encode([number, {number: number}], int_bits=53) == encode([number, {number: number}])
    for number in (2**53, -(2**53), 2**64 - 1, -(2**63)):
        assert encode([number], int_bits=64) == encode([number])
        for value in ([number], {number: 1}, {(1, number): 1}, {"a": {number}}):
            with pytest.raises(EncodeError, match="53 bits"):
                encode(value, int_bits=53)
    with pytest.raises(EncodeError):
        encode(2**64, int_bits=64)
    for option in ({}, {"big_int_ext": True}, {"big_int_ext": 5}):
        with pytest.raises(EncodeError):
            encode([2**70], int_bits=53, **option)


BIG = [2**64, -(2**63) - 1, 2**71 - 1, 2**71, -(2**71), -(2**71) - 1, 10**40, -(10**40), 2**4000, 1 - 2**4000]


def test_big_int_ext():
    assert EXT_BIG_INT == 38
    for number in BIG:
        for option in (None, False):
            with pytest.raises(EncodeError, match="64 bits") as caught:
                encode({"a": [number]}, big_int_ext=option)
            assert caught.value.path == "$.a[0]"
        body = number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)
        for code in (True, 38, 0, 127, -128, -2):
            message = encode({"a": [number], number: (number,)}, big_int_ext=code)
            assert decode(message, big_int_ext=code, strict=True) == {"a": [number], number: [number]}
            assert decode(message)["a"] == [Ext(38 if code is True else code, body)]
    for number in (2**64 - 1, -(2**63), 0):
        assert encode(number, big_int_ext=True) == encode(number)


def test_big_ints_of_great_length():
    number = -(7**40_000)
    assert decode(encode(number, big_int_ext=True), big_int_ext=True) == number
    assert decode(encode(range(2**64 - 1, 2**64 + 2), big_int_ext=True), big_int_ext=True) == [
        2**64 - 1,
        2**64,
        2**64 + 1,
    ]


# Moments.

AWARE = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2106, 2, 7, 6, 28, 16, tzinfo=UTC),
    datetime(2000, 1, 2, 3, 4, 5, 678_901, tzinfo=EAST),
    datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime.min.replace(tzinfo=UTC),
    datetime.max.replace(tzinfo=UTC),
    datetime.max.replace(tzinfo=timezone(-timedelta(hours=23))),
    datetime.min.replace(tzinfo=timezone(timedelta(hours=23))),
    datetime(2026, 10, 25, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    datetime(2026, 10, 25, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1),
    datetime(1890, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    datetime(2000, 1, 1, tzinfo=timezone(timedelta(seconds=1, microseconds=5))),
]


@pytest.mark.parametrize("when", AWARE, ids=str)
def test_aware_datetimes_are_exact(when):
    moment = Timestamp.from_datetime(when)
    assert encode(when) == encode(moment) == encode(when, utc_z=True, omit_microseconds=True, naive_utc=True)
    assert decode(encode([when]), timestamp="timestamp") == [moment]
    assert encode({when: 1}) == b"\x81" + encode(moment) + b"\x01"
    if -62135596800 <= moment.seconds < 253402300800:
        again = decode(encode(when))
        # Not `==`, which a repeated hour is never equal by.
        assert again - datetime(1970, 1, 1, tzinfo=UTC) == when.astimezone(UTC) - datetime(
            1970, 1, 1, tzinfo=UTC
        )
        assert again.tzinfo is UTC


def test_moments_as_text():
    when = datetime(2000, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    for options, text in (
        ({}, "2000-01-02T03:04:05.000006+00:00"),
        ({"utc_z": True}, "2000-01-02T03:04:05.000006Z"),
        ({"omit_microseconds": True}, "2000-01-02T03:04:05+00:00"),
        ({"omit_microseconds": True, "utc_z": True}, "2000-01-02T03:04:05Z"),
    ):
        written = encode(text)
        assert encode(when, datetime_format="text", **options) == written
        assert encode({when: 1}, datetime_format="text", **options) == b"\x81" + written + b"\x01"
        naive = when.replace(tzinfo=None)
        assert encode(naive, datetime_format="text", naive_utc=True, **options) == written
        assert encode(naive, naive_utc=True, **options) == encode(when)
        plain = encode(text[: 19 if options.get("omit_microseconds") else 26])
        assert encode(naive, **options) == encode(naive, datetime_format="text", **options) == plain
    east = when.replace(tzinfo=EAST)
    assert encode(east, datetime_format="text", utc_z=True) == encode("2000-01-02T03:04:05.000006+05:30")
    # A Timestamp has no text, and a date, a time or a span nothing but text.
    assert encode(Timestamp(5), datetime_format="text") == encode(Timestamp(5))
    assert encode([date(2000, 1, 2), time(3), timedelta(4)]) == encode(["2000-01-02", "03:00:00", "P4D"])
    assert encode(time(3), naive_utc=True, utc_z=True) == encode("03:00:00Z")


def test_timestamps_keep_nanoseconds():
    for moment in (Timestamp(0, 1), Timestamp(-1, 999_999_999), Timestamp(2**63 - 1, 1), Timestamp(-(2**63))):
        for options in ({}, {"canonical": True}, {"omit_microseconds": True}, {"old_spec": True}):
            message = encode([moment, {moment: 1}], **options)
            assert decode(message, timestamp="timestamp") == [moment, {moment: 1}]
            assert decode(message, timestamp="ns")[0] == moment.to_unix_nano()


def test_zones_that_fail():
    error = LookupError("mine")

    class Bad(tzinfo):
        def utcoffset(self, when):
            raise error

    class Nowhere(tzinfo):
        def utcoffset(self, when):
            return None

    for options in ({}, {"datetime_format": "text"}):
        with pytest.raises(LookupError) as caught:
            encode([datetime(2000, 1, 1, tzinfo=Bad())], **options)
        assert caught.value is error
    # A zone without an offset makes a naive datetime.
    assert encode(datetime(2000, 1, 1, tzinfo=Nowhere())) == encode("2000-01-01T00:00:00")


def test_datetimes_with_fields_out_of_range():
    # What was pickled is believed: only the month is checked.
    for when in (datetime(b"\xff\xff\x0c" + b"\xff" * 7), datetime(b"\xff\xff\x0c" + b"\xff" * 7, UTC)):
        for options in ({}, {"naive_utc": True}, {"datetime_format": "text"}):
            try:
                message = encode([when, {when: 1}], **options)
            except (EncodeError, OverflowError):
                continue
            assert len(decode(message, timestamp="timestamp")) == 2


# Text and old forms.


def test_surrogates():
    for text in ("\ud800", "a\udfff", "é" * 50 + "\udc80", "\ud83d\ude00"):
        for value in (text, [text], {text: 1}, {"a": (text,)}, {(text,): 1}):
            with pytest.raises(EncodeError, match="surrogate"):
                encode(value)
            with pytest.raises(EncodeError):
                encode(value, str_errors="strict", canonical=True)


@pytest.mark.parametrize(
    "data", [b"\xff", b"a\x80b", b"\xc3", b"\xe2\x82", b"\xf0\x9f" * 30, b"\xed\xa0\x80"], ids=len
)
def test_surrogates_that_stand_for_bytes(data):
    text = data.decode(errors="surrogateescape")
    for value in (text, [text, "é"], {text: text}, {(1, text): None}):
        for options in ({}, {"canonical": True}, {"sort": True}):
            message = encode(value, str_errors="surrogateescape", **options)
            assert data in message
            again = decode(message, str_errors="surrogateescape")
            assert again == (list(value) if isinstance(value, list) else value)
    assert encode(text, str_errors="surrogateescape") == bytes([0xA0 + len(data)]) + data or len(data) > 31


@pytest.mark.parametrize("text", ["\ud800", "a\udc7f", "é\udc80\udbff"])
def test_surrogates_that_stand_for_nothing(text):
    for value, path in (
        (text, "$"),
        ([text], "$[0]"),
        ({"a": text}, "$.a"),
        ({text: 1}, None),
        ({(text,): 1}, None),
    ):
        with pytest.raises(EncodeError) as caught:
            encode(value, str_errors="surrogateescape")
        assert path in (None, caught.value.path)
        assert caught.value.__cause__ is None


def test_the_words_that_str_errors_takes_are_all_named():
    with pytest.raises(ValueError, match='"strict"'):
        encode("a", str_errors="odd")
    with pytest.raises(ValueError, match='or "raw"'):
        decode(b"\xa1a", str_errors="odd")


@pytest.mark.parametrize("length", [0, 31, 32, 255, 256, 65_535, 65_536])
def test_old_spec(length):
    text = encode("x" * length, old_spec=True)
    assert text == encode(b"x" * length, old_spec=True)
    head = {0: b"\xa0", 31: b"\xbf"}.get(length, b"\xda" if length < 65_536 else b"\xdb")
    assert text[:1] == head
    for kind in (bytearray, memoryview):
        assert encode([kind(b"x" * length)], old_spec=True) == b"\x91" + text
    assert encode({"x" * length: 1}, old_spec=True) == b"\x81" + text + b"\x01"
    assert encode({b"x" * length: (1,)}, old_spec=True) == b"\x81" + text + b"\x91\x01"
    assert decode(text, old_spec=True) == b"x" * length
    assert decode(text) == "x" * length


def test_keys_written_in_one_form_stay_in_it():
    # Only from 32 bytes on the forms differ; the key is the same object each time.
    for before, after in itertools.product(({}, {"old_spec": True}, {"canonical": True}), repeat=2):
        key = "".join(["x"] * 35)
        for options in (before, before, after, after, before):
            head = b"\xda\x00\x23" if "old_spec" in options else b"\xd9\x23"
            assert encode({key: "v"}, **options) == b"\x81" + head + key.encode() + b"\xa1v"


def test_old_spec_for_all_text():
    value = {"a" * 40: [UUID(int=1), datetime(2000, 1, 1), "é" * 100, b"\xff" * 200]}
    message = encode(value, old_spec=True)
    for marker in (0xC4, 0xD9):
        assert marker not in message.replace("é".encode(), b"").replace(b"\xff", b"")
    again = decode(message, old_spec=True)
    assert again == {
        b"a" * 40: [str(UUID(int=1)).encode(), b"2000-01-01T00:00:00", "é".encode() * 100, b"\xff" * 200]
    }


# Depth.


@pytest.mark.parametrize("kind", ["list", "dict", "tuple", "mixed"])
def test_max_depth(kind):
    assert encode(nested(1000, kind))
    with pytest.raises(EncodeError, match="max_depth"):
        encode(nested(1001, kind))
    for depth in (0, 1, 2, 7):
        value = nested(depth, kind)
        message = encode(value, max_depth=depth)
        assert encode(decode(message, max_depth=depth)) == message
        with pytest.raises(EncodeError):
            encode([value], max_depth=depth)
    assert encode(5, max_depth=0) == b"\x05"
    with pytest.raises(EncodeError):
        encode(nested(3, kind), canonical=True, max_depth=2)


# Passing through.


def test_passthrough():
    when = datetime(2000, 1, 1, tzinfo=UTC)
    given = [b"x", Ext(1, b""), Timestamp(5), when, UUID(int=1), Twins.B]
    kinds = [*map(type, given)]
    hooked = [*map(str, kinds)]
    assert encode(given, passthrough=kinds, enc_hook=lambda v: str(type(v))) == encode(hooked)
    assert encode([{"k": one} for one in given], passthrough=kinds, enc_hook=lambda v: None) == encode(
        [{"k": None}] * len(given)
    )
    for kind, one in zip(kinds, given, strict=True):
        with pytest.raises(EncodeError):
            encode(one, passthrough=[kind])
    assert encode([List([1]), Odd()], passthrough=["subclass"], enc_hook=lambda v: "h") == encode(["h", "h"])
    assert encode(given, passthrough=None) == encode(given, passthrough=())
    with pytest.raises(ValueError, match="int"):
        encode(1, passthrough=[int])


class List(list):
    pass


# Options that are wrong.


@pytest.mark.parametrize(
    "options",
    [
        {"nothing": 1},
        {"indent": 2},
        {"raw": True},
        {"enc_hook": 5},
        {"order": "up"},
        {"order": 5},
        {"sort": 1},
        {"sort": None},
        {"canonical": "yes"},
        {"float32": 1},
        {"datetime_format": "iso"},
        {"datetime_format": None},
        {"naive_utc": 0},
        {"utc_z": "Z"},
        {"omit_microseconds": 1.5},
        {"int_bits": 32},
        {"int_bits": "53"},
        {"big_int_ext": 128},
        {"big_int_ext": -129},
        {"big_int_ext": -1},
        {"big_int_ext": "x"},
        {"big_int_ext": 1.0},
        {"ndarray_ext": 2**70},
        {"ndarray_ext": []},
        {"str_errors": "raw"},
        {"str_errors": "ignore"},
        {"str_errors": None},
        {"old_spec": 1},
        {"max_depth": -1},
        {"max_depth": "5"},
        {"max_depth": None},
        {"max_depth": True},
        {"passthrough": "enum"},
        {"passthrough": ["nothing"]},
        {"passthrough": [5]},
        {"passthrough": 5},
    ],
    ids=repr,
)
def test_options_that_are_wrong(options):
    (name,) = options
    for call in (
        lambda: encode(1, **options),
        lambda: Encoder(**options),
        lambda: encode_into(1, bytearray(), **options),
        lambda: encode_many([1], **options),
    ):
        with pytest.raises((TypeError, ValueError), match=name) as caught:
            call()
        assert not isinstance(caught.value, EncodeError)


def test_arguments():
    for call in (encode, encode_many, encode_into, Encoder().encode):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: encode(1, 2),
        lambda: encode(obj=1),
        lambda: Encoder(1),
        lambda: Encoder().encode(1, sort=True),
    ):
        with pytest.raises(TypeError):
            call()
