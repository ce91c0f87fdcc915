"""The canonical form of the native format: equal values have equal bytes, and only these are read if that is asked for."""

import contextlib
import enum
import math
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxwire import native

encode = native.Encoder(canonical=True).encode


@native.register("canon.point")
@dataclass(frozen=True)
class Point:
    x: object
    y: object = None


@native.register("canon.colour")
class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({"b": 1, "a": 2}, "b0 05 02 2161 e2 2162 e1"),
        ({1: None, "a": None, None: None}, "b0 05 03 2161 58 58 58 e1 58"),
        ({2, 1, 10}, "b0 06 03 e1 e2 ea"),
        (frozenset({"b", "a"}), "b0 07 02 2161 2162"),
        (-0.0, "b0 5e 0000000000000000"),
        (-math.nan, "b0 5e 000000000000f87f"),
        ([1, 2, 3], "b0 43 e1 e2 e3"),
        ([1, 2, 3, 300], "b0 0c 01 04 0100 0200 0300 2c01"),
        ((0.0, -0.0, 0.0, 0.0), "b0 0c 0c 04" + "00" * 32),
        ([1, 2, 3, True], "b0 44 e1 e2 e3 5a"),
        ([1, 2, 3, 2**64], "b0 44 e1 e2 e3 6c 09 000000000000000001"),
        ("a" * 40, "b0 01 28" + "61" * 40),
        (OrderedDict(b=1, a=2), "b0 12 21 05 02 2162 e1 2161 e2"),
        (Counter("ba"), "b0 12 23 05 02 2161 e1 2162 e1"),
        (timezone.utc, "b0 5d"),
        ([Colour.RED, Colour.RED], "b0 42" + "0a012c" + b"canon.colour".hex() + "0000 23" + b"RED".hex() + "4c 23" + b"RED".hex()),
    ],
)  # fmt: skip
def test_the_form(value, data):
    assert encode(value).hex() == data.replace(" ", "")
    native.decode(bytes.fromhex(data), canonical=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"d": 2, "c": 1}, "a": 1}),
        ({frozenset({1, 2}): 1, frozenset({3, 17}): 2}, {frozenset({17, 3}): 2, frozenset({2, 1}): 1}),
        ({Point(1), Colour.RED, "a"}, {"a", Colour.RED, Point(1)}),
        ([{8, 0}], [{0, 8}]),
        (defaultdict(list, {"a": [], "b": [1]}), defaultdict(list, {"b": [1], "a": []})),
        ([0.0, complex(0.0, -0.0)], [-0.0, complex(-0.0, 0.0)]),
    ],
)
def test_equal_values_have_equal_bytes(one, other):
    assert encode(one) == encode(other)


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), ([1], (1,)), ({1}, frozenset({1})), ("a", b"a")]
)
def test_types_are_told_apart(one, other):
    assert encode(one) != encode(other)


def test_nothing_is_shared():
    one = ["a" * 50]
    assert encode([one, one]) == encode([["a" * 50], ["a" * 50]])
    one.append(one)
    with pytest.raises(native.EncodeError, match="nest deeper"):
        encode(one)


def test_types_are_numbered_where_they_end_up():
    # Alone, each member defines its type; in the message the first does.
    value = {Point(1), Point(2), Point(Colour.BLUE), Colour.RED}
    data = encode([value, Point(3)])
    assert data.count(b"canon.point") == 1
    assert data.count(b"canon.colour") == 1
    assert native.decode(data, canonical=True) == [value, Point(3)]


def test_faults_have_their_path():
    with pytest.raises(native.EncodeError) as raised:
        encode({"b": [object()], "a": 1})
    assert raised.value.path == "$.b[0]"
    with pytest.raises(ValueError, match="no buffers beside"):
        native.Encoder(canonical=True, collect_buffers=True)


@pytest.mark.parametrize("value", [{"b": 1, "a": 2}, -0.0, [{"a": 1}], {"a": 1}, ["ab" * 9, "ab" * 9] * 2])
def test_what_is_not_canonical_is_refused(value):
    data = native.encode(value)
    if data != encode(value):
        with pytest.raises(native.DecodeError, match="not in the canonical form") as raised:
            native.decode(data, canonical=True)
        assert 0 < raised.value.offset < len(data)
    assert native.decode(encode(value), canonical=True) == value


def test_beginnings():
    data = encode({"b": 1, "a": 2})
    assert native.decode_prefix(data + b"more", canonical=True) == ({"a": 2, "b": 1}, len(data))


def test_depth_is_no_recursion():
    value = frozenset()
    for _ in range(900):
        value = frozenset({value})
    nested = None
    for _ in range(900):
        nested = [nested]
    assert encode([value, nested])[1] == 0x42


def test_what_is_written_can_be_read():
    for wrap in (lambda o: OrderedDict(a=o), lambda o: [o], lambda o: defaultdict(None, a=o), Point):
        value, deepest = None, 0
        for depth in range(1, 1010):
            value = wrap(value)
            if depth in (333, 334, 499, 500, 501, 999, 1000, 1001):
                try:
                    data = encode(value)
                except native.EncodeError:
                    continue
                native.decode(data)
                deepest = depth
        assert deepest >= 333


def test_a_list_that_changes_meanwhile():
    @native.register("canon.shrinks")
    class Shrinks:
        def __init__(self):
            self.all = None

        @property
        def __dict__(self):
            whole.clear()
            return {}

    whole = [Shrinks(), 1, "a"]
    with contextlib.suppress(native.EncodeError):
        native.decode(encode(whole))


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.timedeltas(),
    st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=2))])),
    st.sampled_from(Colour),
)
KEYS = st.recursive(
    LEAVES, lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=4)), max_leaves=5
)
VALUES = st.recursive(
    KEYS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(KEYS, max_size=4),
        st.builds(Point, inner, inner),
    ),
    max_leaves=12,
)  # fmt: skip


def shuffled(value):
    """An equal value whose dicts and sets were filled in another order."""
    if type(value) is dict:
        return {shuffled(k): shuffled(v) for k, v in reversed(value.items())}
    if type(value) in (set, frozenset):
        return type(value)([shuffled(one) for one in reversed([*value])])
    if type(value) in (list, tuple):
        return type(value)([shuffled(one) for one in value])
    return value


@given(VALUES)
def test_whatever_the_order(value):
    data = encode(value)
    assert encode(shuffled(value)) == data
    again = native.decode(data, canonical=True)
    assert again == value
    assert encode(again) == data


def test_text_of_numbers_stays_what_it_is():
    for value in (Decimal("1.0"), Decimal("1"), Fraction(1, 2), datetime(2026, 1, 1)):
        assert native.decode(encode(value), canonical=True) == value
