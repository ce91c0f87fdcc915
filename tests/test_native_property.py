"""Random graphs through oxwire.native: what comes back has the same values, the same sharing and the same cycles.

Graphs are compared by the text that vectors/native has for them, in which what is met twice has a label.
"""

import datetime as dt
import decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from native_spell import Vectors, spell

from oxwire import DecodeError
from oxwire.native import decode, encode

pytestmark = pytest.mark.usefixtures("deep")
HELPER = Vectors()
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.text(st.characters(codec=None, categories=["Cs", "Lu"])),
    st.binary(),
    st.decimals(),
    st.uuids(),
    st.dates(),
    st.timedeltas(),
    st.datetimes(timezones=st.none() | st.just(dt.UTC)),
    st.times(),
)
# A program that makes a graph: each step makes a container of what was made before, or puts something into one.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["leaf", "list", "dict", "shape", "tuple", "set", "put", "set_item"]),
        LEAVES,
        st.lists(st.integers(0, 1000), max_size=5),
    ),
    max_size=40,
)


def graph(steps):
    made = [None]
    for what, leaf, places in steps:
        items = [made[n % len(made)] for n in places]
        if what == "leaf":
            made.append(leaf)
        elif what == "list":
            made.append(items)
        elif what == "tuple":
            made.append(tuple(items))
        elif what == "dict":
            made.append(dict(enumerate(items)))
        elif what == "shape":
            made.append(dict(zip("abcde", items, strict=False)))
        elif what == "set":
            made.append(set(places[:1]))
        elif isinstance(made[-1], list):
            made[-1].extend(items)
        elif isinstance(made[-1], dict):
            made[-1]["put"] = made[-1] if places else leaf
    return made


@given(STEPS)
def test_graphs_come_back(steps):
    value = graph(steps)
    data = encode(value)
    again = decode(data)
    assert spell(again, HELPER) == spell(value, HELPER)
    assert encode(again) == data


@given(
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
        max_leaves=30,
    )
)
def test_trees_without_a_memo(value):
    again = decode(encode(value, memoize=False))
    assert spell(again, HELPER) == spell(value, HELPER)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200), min_size=4)
    | st.lists(st.floats(), min_size=4)
)
def test_packed_numbers(numbers):
    for value in (numbers, tuple(numbers)):
        data = encode(value)
        assert data[1] == 12
        assert spell(decode(data), HELPER) == spell(value, HELPER)


@given(STEPS, st.integers(0, 10**6), st.integers(0, 255))
def test_changed_bytes_are_a_value_or_a_fault(steps, at, byte):
    data = bytearray(encode(graph(steps)))
    data[at % len(data)] = byte
    try:
        decode(bytes(data))
    except DecodeError:
        pass


def test_decimals_are_spelled_as_they_are():
    assert decode(encode(decimal.Decimal("1E+5"))).as_tuple() == decimal.Decimal("1E+5").as_tuple()
