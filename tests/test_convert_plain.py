"""`convert` of containers that are plainly what they should be, and of fields that are.

What may surprise: nothing here asks how it is done. A container that needs nothing but a look is made at once, and one that needs
more is read item by item; both must give the same, whatever stands where, and neither may keep or change what was given.
"""

import collections
import dataclasses
import datetime as dt
import gc
import itertools
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import pytest
from reading import No, outcome

from oxwire import Meta, Raw, Struct, ValidationError, convert, json


class Point(Struct):
    x: int
    y: int = 0


class Pair(NamedTuple):
    a: int
    b: str


class Named(TypedDict):
    a: int
    b: str


@dataclasses.dataclass
class Record:
    a: int
    b: str


NOW = dt.datetime(2020, 1, 2, tzinfo=dt.UTC)
# Values, of which some types want all to be of one sort.
SCALARS = (1, -(2**80), 1.5, "a", "é", None, True, b"b", NOW, UUID(int=1), Decimal(1), [1], {"a": 1}, (1,))
ITEMS = (int, float, str, int | None, str | int, bool, dt.datetime, bytes, Any, UUID, Decimal, list[int])


@pytest.mark.parametrize("item", ITEMS, ids=str)
@pytest.mark.parametrize("make", [list, tuple])
def test_rows_are_what_their_items_are_one_by_one(item, make):
    for a, b in itertools.product(SCALARS, SCALARS):
        given = make((a, b, a))
        for kind in (list[item], tuple[item, ...], tuple[item, item, item]):
            one_by_one = [outcome(convert, v, item) for v in given]
            got = outcome(convert, given, kind)
            wrong = next((i for i, one in enumerate(one_by_one) if type(one) is No), None)
            if wrong is None:
                assert repr(list(got)) == repr(one_by_one)
                assert type(got) is kind.__origin__
            else:
                assert type(got) is No
                assert f"`$[{wrong}]" in got


@pytest.mark.parametrize("item", ITEMS, ids=str)
def test_dicts_are_what_their_values_are_one_by_one(item):
    for a, b in itertools.product(SCALARS, SCALARS):
        given = {"a": a, "b": b}
        one_by_one = {k: outcome(convert, v, item) for k, v in given.items()}
        got = outcome(convert, given, dict[str, item])
        if any(type(one) is No for one in one_by_one.values()):
            assert type(got) is No
        else:
            assert repr(got) == repr(one_by_one)
            assert got is not given


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1, 2], list[int]),
        ({"a": 1}, dict[str, int]),
        ({1: "a"}, dict[int, str]),
        ([], list[int]),
        ({}, dict[str, int]),
        ([[1], [2]], list[list[int]]),
        ({"a": {"b": 1}}, dict[str, dict[str, int]]),
        ([(1, "a")], list[tuple[int, str]]),
    ],
)
def test_what_is_made_is_nobody_elses(value, kind):
    made = convert(value, kind)
    assert made == value
    assert made is not value
    if isinstance(made, list):
        made.append("new")
    else:
        made["new"] = "new"
    assert made != value
    assert all(a is not b or isinstance(a, (str, int, tuple)) for a, b in zip(made, value, strict=False))
    assert gc.is_tracked(convert([[1]], list[list[int]])[0])


@pytest.mark.parametrize("given", [[1, 2, 1], (1, 2, 1)])
@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (list[int], [1, 2, 1]),
        (tuple[int, ...], (1, 2, 1)),
        (set[int], {1, 2}),
        (frozenset[int], frozenset({1, 2})),
        (tuple[int, int, int], (1, 2, 1)),
        (collections.deque[int], collections.deque([1, 2, 1])),
        (Iterable[int], [1, 2, 1]),
    ],
)
def test_kinds_of_rows(given, kind, made):
    got = convert(given, kind)
    assert got == made
    assert type(got) is type(made)


@pytest.mark.parametrize("given", [[1], [1, "a", 2], [], ["a", 1], (1,), (1, "a", 2), (), ("a", 1)])
def test_fixed_tuples_of_another_length_or_order(given):
    with pytest.raises(
        ValidationError, match=r"Expected `array` of length 2, got \d|Expected `int`, got `str`"
    ):
        convert(given, tuple[int, str])


def test_more_may_be_asked_of_a_container():
    short = Annotated[list[int], Meta(max_length=2)]
    assert convert([1, 2], short) == [1, 2]
    with pytest.raises(ValidationError, match="length <= 2 - at `\\$\\[1\\]`"):
        convert([[1], [1, 2, 3]], list[short])
    some = Annotated[dict[str, int], Meta(min_length=1)]
    with pytest.raises(ValidationError, match="length >= 1"):
        convert({}, some)


def test_depth_is_counted():
    def nested(n):
        kind, value = int, 1
        for _ in range(n):
            kind, value = list[kind], [value]
        return value, kind

    value, kind = nested(200)
    assert convert(value, kind) == value
    value = [[1]]
    for _ in range(2000):
        value = [value]
    with pytest.raises(ValidationError):
        convert(value, list[list[int]])


@pytest.mark.parametrize("odd", [True, 1.0, "1", None, Decimal(1)])
@pytest.mark.parametrize("at", [0, 1, 49, 99])
def test_one_that_is_odd_is_found_wherever_it_stands(odd, at):
    given = list(range(100))
    given[at] = odd
    with pytest.raises(ValidationError, match=rf"at `\$\[{at}\]`"):
        convert(given, list[int])
    with pytest.raises(ValidationError, match=r"at `\$\[...\]`"):
        convert({str(i): v for i, v in enumerate(given)}, dict[str, int])
    assert convert(given, list[Any]) == given


def test_keys_are_judged_as_keys_are():
    assert convert({"1": 2}, dict[int, int], str_keys=True) == {1: 2}
    assert convert({1: 2}, dict[int, int]) == {1: 2}
    assert convert({"a": 1, 2: 3}, dict[str | int, int]) == {"a": 1, 2: 3}
    assert convert({(1, 2): 3}, dict[tuple[int, int], int]) == {(1, 2): 3}
    for key in (None, 1, b"a"):
        with pytest.raises(ValidationError):
            convert({"a": 1, key: 2}, dict[str, int])


def test_subclasses_are_read_as_what_they_are():
    class Rows(list):
        pass

    class Table(dict):
        pass

    class Whole(int):
        pass

    made = convert(Rows([1]), list[int])
    assert type(made) is list
    assert type(convert(Table(a=1), dict[str, int])) is dict
    made = convert([Whole(3)], list[int])
    assert made == [3]
    assert type(made[0]) is int
    assert convert(Pair(1, "a"), tuple[int, str]) == (1, "a")
    assert type(convert(Pair(1, "a"), tuple[int, str])) is tuple
    assert convert([Pair(1, "a")], list[Pair]) == [Pair(1, "a")]
    assert convert(collections.OrderedDict(a=1), dict[str, int]) == {"a": 1}
    assert convert(collections.ChainMap({"a": 1}), dict[str, int]) == {"a": 1}


class Node(Struct):
    name: str
    size: int | None = None
    point: Point | None = None
    names: list[str] = []
    sizes: dict[str, int] = {}


@pytest.mark.parametrize("order", [*itertools.permutations(["name", "size", "point", "names", "sizes"])])
def test_fields_in_any_order(order):
    full = {"name": "a", "size": 1, "point": {"x": 1, "y": 2}, "names": ["b"], "sizes": {"c": 3}}
    node = Node("a", 1, Point(1, 2), ["b"], {"c": 3})
    given = {key: full[key] for key in order}
    assert convert(given, Node) == node
    assert convert({**given, "more": [object()]}, Node) == node
    # Keys that are equal, and other objects.
    assert convert({"".join(list(key)): v for key, v in given.items()}, Node) == node
    for key in order:
        wrong = {**given, key: 1.5}
        with pytest.raises(ValidationError, match=rf"at `\$\.{key}`"):
            convert(wrong, Node)
    assert convert({"name": "a"}, Node) == Node("a")
    with pytest.raises(ValidationError, match="missing required field `name`"):
        convert({k: v for k, v in given.items() if k != "name"}, Node)


@pytest.mark.parametrize(
    ("kind", "made"), [(Record, Record(1, "x")), (Named, {"a": 1, "b": "x"}), (Pair, Pair(1, "x"))]
)
def test_other_records(kind, made):
    given = (1, "x") if kind is Pair else {"a": 1, "b": "x"}
    assert convert([given, given], list[kind]) == [made, made]
    if kind is not Pair:
        assert convert({"b": "x", "a": 1}, kind) == made
        with pytest.raises(ValidationError, match="`\\$\\[1\\].b`"):
            convert([given, {"a": 1, "b": 2}], list[kind])


def test_a_hook_may_change_what_is_read():
    """What it does to a container that is being read is not seen."""

    class Own:
        pass

    rows = {"a": Own(), "b": 1, "c": Own()}
    table = [Own(), Own()]

    def hook(kind, value):
        rows.clear()
        table.clear()
        return Own()

    made = convert(rows, dict[str, Any], dec_hook=hook)
    assert list(made) == ["a", "b", "c"]
    kept = dict.fromkeys("abc", 1)

    def grow(kind, value):
        kept[str(len(kept))] = 1
        return Own()

    assert len(convert(kept, dict[str, Own], dec_hook=grow)) == 3
    assert len(convert([1, 2], list[Own], dec_hook=hook)) == 2


def test_code_of_the_class_may_change_what_is_read():
    given: dict[str, Any] = {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}

    class Seen(Struct):
        x: int

        def __post_init__(self):
            given.pop("c", None)
            given[f"new {len(given)}"] = {"x": 4}

    made = convert(given, dict[str, Seen])
    assert [one.x for one in made.values()] == [1, 2, 3]


def test_all_errors_name_their_keys():
    class Deep(Struct):
        rows: dict[str, dict[str, int]]
        points: list[Point] = []

    given = {
        "rows": {"one": {"a": 1, "b": "2", "c": None}, "two": {"a": 1}, "three": {"z": []}},
        "points": [{"x": "1"}, {"y": 1}],
    }
    with pytest.raises(ValidationError) as caught:
        convert(given, Deep, errors="all")
    assert {tuple(one["loc"]) for one in caught.value.errors()} == {
        ("rows", "one", "b"),
        ("rows", "one", "c"),
        ("rows", "three", "z"),
        ("points", 0, "x"),
        ("points", 1),
    }


def test_objects_by_attributes_and_items():
    class Plain:
        def __init__(self, **values):
            self.__dict__.update(values)

    class Items:
        def __getitem__(self, key):
            return {"x": 1, "y": 2}[key]

    assert convert(Plain(x=1, y=2), Point, from_attributes=True) == Point(1, 2)
    assert convert([Plain(x=1), Plain(x=2)], list[Point], from_attributes=True) == [Point(1), Point(2)]
    assert convert(Items(), Point) == Point(1, 2)
    with pytest.raises(ValidationError, match="got `Plain`"):
        convert(Plain(x=1), Point)
    with pytest.raises(ValidationError, match="missing required field `x`"):
        convert(Plain(y=1), Point, from_attributes=True)


def test_raw_any_and_custom_items_are_not_taken_as_they_are():
    raws = convert([Raw(b"1")], list[Raw])
    assert [bytes(one) for one in raws] == [b"1"]

    class Own:
        pass

    made = convert([1, 2], list[Own], dec_hook=lambda kind, value: Own())
    assert all(type(one) is Own for one in made)
    assert convert([1, 2], list[Literal[1, 2]]) == [1, 2]
    with pytest.raises(ValidationError):
        convert([1, 3], list[Literal[1, 2]])


@pytest.mark.parametrize("n", [0, 1, 30, 31, 59, 60, 61, 62, 63, 64, 65, 90, 127])
def test_integers_of_every_size(n):
    """How long they are is seen from their digits, and those of 64 bits are made by them."""
    for v in (2**n - 1, 2**n, 2**n + 1, -(2**n) + 1, -(2**n), -(2**n) - 1):
        text = str(v).encode()
        assert json.encode(v) == text
        assert json.decode(text) == v
        assert json.decode(text, type=int) == v
        assert convert(v, int) == v
        assert json.decode(b"[%b]" % text, type=list[int]) == [v]
