"""Numbers where several types could take them: what they become, and what is asked of them.

What may surprise: each is read at the top and in a list, since a list reads its items in a loop of its own.
"""

from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

import pytest
from reading import SOURCES, No, outcome, read

from oxwire import Meta, json

each_source = pytest.mark.parametrize("source", SOURCES)


@pytest.mark.parametrize("t", [int | Decimal, int | Decimal | None, int | Decimal | UUID])
@pytest.mark.parametrize("text", ["1.10", "1e2", "-0.0", "1e400", "12345678901234567890.10"])
def test_decimals_beside_integers_are_as_they_are_spelled(t, text):
    for got in (json.decode(text, type=t), *json.decode(f"[{text}]", type=list[t])):
        assert (type(got), str(got)) == (Decimal, str(Decimal(text)))


@each_source
def test_integers_beside_others_stay_integers(source):
    for t in (int | Decimal, int | float, Literal[1] | float, Annotated[int, Meta(ge=1)] | float):
        assert [type(v) for v in (read(source, t, b"1"), *read(source, list[t], b"[1]"))] == [int, int]
    assert read(source, list[Literal[1] | float], b"[1.5, 1]") == [1.5, 1]


@each_source
def test_what_is_asked_of_integers_is_asked_beside_floats(source):
    t = Annotated[int, Meta(ge=3)] | float
    assert read(source, list[t], b"[3, 2.5]") == [3, 2.5]
    assert outcome(read, source, list[t], b"[2.5, 1]") == No("Expected `int` >= 3 - at `$[1]`")
    assert outcome(read, source, dict[str, t], b'{"a": 1}') == No("Expected `int` >= 3 - at `$[...]`")


@each_source
@pytest.mark.parametrize("bounds", [{"ge": 1, "lt": 2.5}, {"gt": 0.75, "le": 2}, {"ge": 1.0, "le": 2}])
def test_bounds_of_floats(source, bounds):
    t = list[Annotated[float, Meta(**bounds)]]
    got = read(source, t, b"[1, 1.0, 2]")
    assert (got, [type(v) for v in got]) == ([1.0, 1.0, 2.0], [float] * 3)
    for wrong in (b"0.5", b"0", b"2.5", b"3", b"1e300"):
        assert outcome(read, source, t, b"[%b]" % wrong).startswith("Expected `float` ")


@each_source
def test_bounds_that_are_no_short_integers(source):
    most = 2**53 + 1
    t = list[Annotated[int, Meta(le=most)]]
    assert read(source, t, b"[%d]" % most) == [most]
    assert outcome(read, source, t, b"[%d]" % (most + 1)) == No(f"Expected `int` <= {most} - at `$[0]`")


@each_source
def test_truth_values_and_nothing(source):
    t = list[Annotated[bool | None, Meta(description="any")]]
    assert read(source, t, b"[true, null, false]") == [True, None, False]
    assert outcome(read, source, list[bool | str], b"[true, 1]").startswith(
        "Expected `bool | str`, got `int`"
    )
    assert outcome(read, source, list[Literal[True]], b"[true, false]").endswith(" - at `$[1]`")
