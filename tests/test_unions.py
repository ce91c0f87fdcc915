"""Unions of anything: which member is chosen, in every format and from live objects, and what is refused."""

import dataclasses
import datetime as dt
import enum
import itertools
import json as stdlib
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Union
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oxwire.compat.msgspec as compat
from oxwire import Discriminator, Meta, Struct, ValidationError, convert, inspect, json, msgpack

SOURCES = {
    "json": lambda o, t, **options: json.decode(stdlib.dumps(o), type=t, **options),
    "msgpack": lambda o, t, **options: msgpack.decode(msgpack.encode(o), type=t, **options),
    "convert": convert,
}


class A(Struct):
    x: int
    y: int = 0


class B(Struct):
    x: int
    z: int = 0


class C(Struct):
    name: str
    c: int


@dataclasses.dataclass
class Data:
    name: str
    d: int


class Keys(TypedDict):
    name: str
    t: int


class Closed(Struct, forbid_unknown_fields=True):
    x: int


class Pair(NamedTuple):
    a: int
    b: int


class Row(Struct, array_like=True):
    a: str
    b: int
    c: int = 0


class Cat(Struct, tag=True):
    v: int


class Dog(Struct, tag=True):
    v: str


class Other(Struct):
    w: int = 0


class KindA(Struct):
    kind: Literal["a"]
    v: int


@dataclasses.dataclass
class KindB:
    v: int
    kind: Literal["b", "c"] = "b"


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    ONE = 1


class Custom:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Custom) and other.value == self.value


ANY = A | B | C | Data | Keys


def same(t, given, wanted, **options):
    """The result, or the words of the fault, whatever is read from; also where it stands inside."""
    for name, read in SOURCES.items():
        for whole, inner, at in (lambda o: o, t, ""), (lambda o: [o], list[t], "$[0]"):
            if isinstance(wanted, str) and wanted.startswith("!"):
                words, _, below = wanted[1:].partition("@")
                path = (at or "$") + below
                with pytest.raises(ValidationError) as caught:
                    read(whole(given), inner, **options)
                assert (caught.value.msg, caught.value.path) == (words, path), name
            else:
                made = read(whole(given), inner, **options)
                made = made[0] if at else made
                assert made == wanted, name
                assert type(made) is type(wanted), name


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"x": 1, "y": 2}, A(1, 2)),
        ({"x": 1, "z": 2}, B(1, 2)),
        ({"z": 2, "x": 1}, B(1, 2)),
        # Both could be: they are tried in order.
        ({"x": 1}, A(1)),
        ({"name": "n", "c": 1}, C("n", 1)),
        ({"d": 1, "name": "n"}, Data("n", 1)),
        ({"name": "n", "t": 3}, {"name": "n", "t": 3}),
        ({"name": "n"}, "!Object missing required field `c`"),
        ({}, "!Object is none of `A | B | C | Data | Keys`"),
        ({"q": 1}, "!Object is none of `A | B | C | Data | Keys`"),
        ({"x": "a", "z": 1}, "!Expected `int`, got `str`@.x"),
        ({"x": 1, "z": "a"}, "!Expected `int`, got `str`@.z"),
        # Keys of several: what knows the most and has all that it needs.
        ({"y": 1, "name": "n", "c": 1}, C("n", 1)),
        ({"y": 1, "name": "n", "c": "1"}, "!Expected `int`, got `str`@.c"),
        ({"c": 1, "z": 1, "x": 2, "q": 0}, B(2, 1)),
        ([], "!Expected `object`, got `array`"),
        (1, "!Expected `object`, got `int`"),
    ],
)
def test_keys_tell_members(given, wanted):
    same(ANY, given, wanted)


def test_the_order_of_keys_does_not_matter():
    for order in itertools.permutations([("x", 1), ("c", 2), ("name", "n"), ("z", 3)]):
        same(ANY, dict(order), B(1, 3))


def test_what_forbids_other_keys_is_not_what_has_them():
    same(Closed | B, {"x": 1, "z": 2}, B(1, 2))
    same(Closed | B, {"x": 1}, Closed(1))
    same(Closed | C, {"x": 1, "q": 1}, "!Object contains unknown field `q`")


def test_a_dict_is_the_last_to_be_tried():
    same(dict[str, int] | A, {"x": 1}, A(1))
    same(dict[str, int] | A, {"q": 1}, {"q": 1})
    same(A | dict[str, str], {"x": "1"}, {"x": "1"})
    same(A | dict[str, str], {"x": []}, "!Expected `int`, got `array`@.x")
    same(dict[str, Any] | dict[str, int], {"q": 1}, {"q": 1})
    same(dict[str, list[int]] | dict[str, list[str]], {"q": [], "r": ["a"]}, {"q": [], "r": ["a"]})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"type": "Cat", "v": 1}, Cat(1)),
        ({"v": "1", "type": "Dog"}, Dog("1")),
        ({"type": "Cow", "w": 1}, Other(1)),
        ({"w": 2}, Other(2)),
        ({}, Other()),
        # What has a tag is what it says.
        ({"type": "Cat", "v": "1"}, "!Expected `int`, got `str`@.v"),
    ],
)
def test_what_has_no_tag_is_the_default_for_unknown_and_missing_ones(given, wanted):
    same(Cat | Dog | Other, given, wanted)


def test_a_dict_as_the_default():
    same(Cat | dict, {"type": "Cow"}, {"type": "Cow"})
    same(Cat | dict, {"type": "Cat", "v": 1}, Cat(1))
    same(Cat | dict, {"type": []}, {"type": []})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"v": 1, "kind": "a"}, KindA("a", 1)),
        ({"kind": "b", "v": 1}, KindB(1)),
        ({"kind": "c", "v": 1}, KindB(1, "c")),
        ({"kind": "d", "v": 1}, "!Invalid value 'd'@.kind"),
        ({"kind": 3, "v": 1}, "!Expected `str`, got `int`@.kind"),
        ({"v": 1}, KindB(1)),
        ({"kind": "a", "v": "1"}, "!Expected `int`, got `str`@.v"),
    ],
)
def test_literals_tell_members(given, wanted):
    same(KindA | KindB, given, wanted)


@pytest.mark.parametrize(
    ("t", "given", "wanted"),
    [
        (tuple[int, int] | list[str], [1, 2], (1, 2)),
        (tuple[int, int] | list[str], ["a", "b"], ["a", "b"]),
        (tuple[int, int] | list[str], ["a"], ["a"]),
        (tuple[int, int] | tuple[int, int, int], [1, 2, 3], (1, 2, 3)),
        (tuple[int, int] | tuple[int, int, int], [1], "!Expected `array` of length 2, got 1"),
        (list[Any] | list[int], [1], [1]),
        (list[int] | list[str], ["a"], ["a"]),
        (list[int] | list[str], [1, "a"], "!Expected `int`, got `str`@[1]"),
        (Pair | Row, [1, 2], Pair(1, 2)),
        (Pair | Row, ["a", 2], Row("a", 2)),
        (Pair | Row, ["a", 2, 3], Row("a", 2, 3)),
        (Pair | Row, [1, 2, 3, 4], "!Expected `str`, got `int`@[0]"),
        (tuple[Literal["a"], int] | tuple[Literal["b"], str], ["b", "c"], ("b", "c")),
        (tuple[Literal["a"], int] | tuple[Literal["b"], str], ["c", "c"], "!Invalid value 'c'@[0]"),
        (set[int] | list[str], [], set()),
        (A | list[int] | None, None, None),
        (A | list[int] | None, [1], [1]),
    ],
)
def test_arrays(t, given, wanted):
    same(t, given, wanted)


MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("t", "given", "wanted"),
    [
        (str | dt.datetime | UUID, "2020-01-02T03:04:05Z", MOMENT),
        (str | dt.datetime | UUID, "00000000-0000-0000-0000-000000000005", UUID(int=5)),
        (str | dt.datetime | UUID, "abc", "abc"),
        (dt.date | dt.time, "03:04:05", dt.time(3, 4, 5)),
        (dt.datetime | UUID, "abc", "!Invalid RFC3339 encoded datetime; Invalid UUID"),
        (dt.datetime | UUID, 5, "!Expected `datetime | uuid`, got `int`"),
        (dt.datetime | UUID | int | None, 5, 5),
        (dt.datetime | UUID | int | None, None, None),
        (str | Colour, "red", Colour.RED),
        (str | Colour, "blue", "blue"),
        (int | Size, 1, Size.ONE),
        (int | Size, 2, 2),
        (float | Size | Literal[3], 3, 3),
        (Decimal | dt.date, "1.5", Decimal("1.5")),
        (
            Annotated[int, Meta(ge=10)] | Annotated[int, Meta(le=-10)],
            5,
            "!Expected `int` >= 10; Expected `int` <= -10",
        ),
        (Annotated[int, Meta(ge=10)] | Annotated[int, Meta(le=-10)], -11, -11),
        (
            Annotated[str, Meta(max_length=1)] | dt.date,
            "ab",
            "!Invalid RFC3339 encoded date; Expected `str` of length <= 1",
        ),
    ],
)
def test_texts_and_numbers_are_the_most_exact_that_they_can_be(t, given, wanted):
    same(t, given, wanted)


def test_bytes_beside_text():
    assert json.decode(b'"abcd"', type=str | bytes) == "abcd"
    assert msgpack.decode(msgpack.encode(b"abcd"), type=str | bytes) == b"abcd"
    assert convert([b"abcd", "abcd"], list[str | bytes]) == [b"abcd", "abcd"]


def test_digits_of_decimals_beside_text():
    assert json.decode(b"1.10", type=Decimal | str) == Decimal("1.10")
    assert str(json.decode(b"1.10", type=Decimal | UUID)) == "1.10"
    assert json.decode(b'"1.1x"', type=Decimal | str) == "1.1x"


def test_keys_of_dicts():
    assert json.decode(b'{"2020-01-01":1,"x":2}', type=dict[dt.date | str, int]) == {
        dt.date(2020, 1, 1): 1,
        "x": 2,
    }


def test_lax_only_where_nothing_takes_it_as_it_is():
    t = int | dt.datetime | UUID
    assert json.decode(b'"0"', type=t, strict=False) == dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert json.decode(b'"5"', type=str | dt.date | int, strict=False) == "5"


def test_classes_of_the_user_are_last():
    def hook(t, value):
        if value == "no":
            raise ValueError("no good")
        return t(value)

    t = Custom | int | A | list[int]
    for one, wanted in (
        (1, 1),
        ("a", Custom("a")),
        ({"x": 1}, A(1)),
        ({"q": 1}, Custom({"q": 1})),
        ([1], [1]),
        (["a"], Custom(["a"])),
        ("no", "!no good"),
    ):
        same(t, one, wanted, dec_hook=hook)


def test_instances_are_what_they_are():
    for o in A(1), Data("n", 1), C("a", 1):
        assert convert(o, ANY) is o
    assert convert(Pair(1, 2), Pair | Row) == Pair(1, 2)
    assert convert({1, 2}, list[str] | set[int]) == {1, 2}

    class Like:
        name, d = "n", 3

    assert convert(Like(), A | Data, from_attributes=True) == Data("n", 3)


def test_a_discriminator():
    def choose(value):
        return {"b": B, "a": A, "cat": "Cat"}.get(value.get("t"))

    t = Annotated[A | B | Cat, Discriminator(choose)]
    same(t, {"x": 1, "t": "b"}, B(1))
    same(t, {"t": "a", "x": 1, "z": 1}, A(1))
    same(t, {"t": "cat", "v": 1}, Cat(1))
    same(t, {"x": 1}, "!The discriminator names None, which is no member")
    same(t, {"x": "a", "t": "b"}, "!Expected `int`, got `str`@.x")
    same(t | None, None, None)
    assert json.decode(b'[{"x":1,"t":"b"},{"x":2,"t":"a"}]', type=list[t]) == [B(1), A(2)]


def test_a_discriminator_tells_what_nothing_else_does():
    class One(Struct):
        a: int

    class Other(Struct):
        a: int

    with pytest.raises(TypeError, match="cannot be told apart"):
        json.Decoder(One | Other)
    t = Annotated[One | Other, Discriminator(lambda value: Other if value["a"] > 5 else One)]
    same(t, {"a": 1}, One(1))
    same(t, {"a": 6}, Other(6))
    same(Annotated[list[int] | set[int], Discriminator(lambda value: set[int])], [1], {1})


def test_what_a_discriminator_raises():
    def choose(value):
        raise KeyError("k")

    with pytest.raises(KeyError):
        json.decode(b"{}", type=Annotated[A | B, Discriminator(choose)])
    with pytest.raises(TypeError, match="must be callable"):
        Discriminator("x")


def test_discriminators_are_values():
    import pickle

    assert pickle.loads(pickle.dumps(Discriminator(len))) == Discriminator(len)
    assert repr(Discriminator(len)) == "oxwire.Discriminator(<built-in function len>)"
    assert hash(Discriminator(len)) == hash(Discriminator(len))


class A2(Struct):
    x: int
    y: int = 0


@pytest.mark.parametrize(
    "t",
    [
        A | A2,
        list[int] | set[int],
        list[A] | list[A2],
        dict[str, int] | dict[str, int] | dict[str, A] | dict[str, A2],
        bytes | bytearray,
        tuple[int] | Annotated[tuple[int], Meta(title="x")],
        Colour | Literal["red"],
    ],
)
def test_members_that_cannot_be_told_apart_are_refused(t):
    with pytest.raises(TypeError, match="cannot be told apart: .*; give them .* is not supported"):
        json.Decoder(list[t])
    with pytest.raises(TypeError):
        convert([], list[t])


def test_the_more_exact_goes_first_however_it_is_declared():
    class Exact(Struct):
        v: Literal[1]

    class Loose(Struct):
        v: int

    for t in Exact | Loose, Loose | Exact:
        same(t, {"v": 1}, Exact(1))
        same(t, {"v": 2}, Loose(2))


def test_types_that_python_takes_for_equal():
    class One(Struct):
        x: int
        y: int = 0

    class Two(Struct):
        x: int
        z: int = 0

    assert (One | Two) == (Two | One)
    for _ in range(2):
        assert type(json.decode(b'{"x":1}', type=One | Two)) is One
        assert type(json.decode(b'{"x":1}', type=Two | One)) is Two
        assert type(json.decode(b'[{"x":1}]', type=list[Two | One])[0]) is Two


def test_the_face_of_msgspec_refuses_what_msgspec_refuses():
    for t in ANY, str | dt.datetime, tuple[int, int] | list[str], Custom | int, Cat | Other:
        json.Decoder(t)
        for refuse in (
            lambda t=t: compat.json.Decoder(t),
            lambda t=t: compat.msgpack.Decoder(t),
            lambda t=t: compat.json.decode(b"1", type=t),
            lambda t=t: compat.convert(1, t),
            lambda t=t: compat.json.schema(t),
            lambda t=t: compat.inspect.type_info(list[t]),
        ):
            with pytest.raises(TypeError, match="Type unions |all Struct types must"):
                refuse()


def test_descriptions_and_schemas():
    found = inspect.type_info(A | Data | dt.date | UUID)
    assert [type(one).__name__ for one in found.types] == [
        "StructType",
        "DataclassType",
        "DateType",
        "UUIDType",
    ]
    assert json.schema(A | B) == {
        "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
        "$defs": json.schema(A | B)["$defs"],
    }
    assert "discriminator" not in json.schema(Cat | Other)["anyOf"]
    assert json.schema(dt.date | UUID) == {
        "anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "uuid"}]
    }


def test_hooks_are_undone():
    calls = []

    class Counted(Struct):
        v: int
        q: list[Any] = []

        def __post_init__(self):
            calls.append(self.v)
            if self.v < 0:
                raise ValueError("negative")

    class Rest(Struct):
        v: int
        q: list[int] = []

    for t in (Counted | Rest,):
        same(t, {"v": -1, "q": [1]}, Rest(-1, [1]))
        same(t, {"v": 1, "q": ["a"]}, Counted(1, ["a"]))


def test_duplicate_keys():
    assert json.decode(b'{"x":1,"x":2,"z":1,"z":3}', type=A | B) == B(2, 3)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["a", "red", "2020-01-01", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["x", "y", "z", "name", "c", "d", "t", "v", "kind", "type"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
TYPES = [
    ANY | None | int | str,
    Cat | Dog | Other | dict[str, int] | list[int] | list[Any],
    KindA | KindB | tuple[int, int] | list[ANY] | str | dt.date | Colour,
    Pair | Row | list[A | B] | dict[str, A | C] | bool,
    Closed | A | B | float | None,
]


@given(values, st.sampled_from(TYPES))
def test_every_source_decides_alike(value, t):
    found = []
    for read in SOURCES.values():
        try:
            found.append(repr(read(value, t)))
        except ValidationError as error:
            found.append(error.msg)
    assert found[0] == found[1]
    # Objects have no order of bytes, so of several faults another may be told.
    assert (found[0] == found[2]) or not (found[0][0].isalpha() and "(" in found[0][:10])


@given(values, st.sampled_from(TYPES), st.randoms())
def test_the_order_of_keys_never_matters(value, t, random):
    def shuffled(o):
        if isinstance(o, list):
            return [shuffled(one) for one in o]
        if isinstance(o, dict):
            items = [(key, shuffled(one)) for key, one in o.items()]
            random.shuffle(items)
            return dict(items)
        return o

    def read(o):
        try:
            return repr(json.decode(stdlib.dumps(o), type=t))
        except ValidationError:
            return None

    one, other = read(value), read(shuffled(value))
    assert (one is None) == (other is None)
    if one is not None and "{" not in one:
        assert one == other


def test_union_as_typing_spells_it():
    assert json.decode(b'{"x":1,"z":1}', type=Union[A, B, None]) == B(1, 1)
