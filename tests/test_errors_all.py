"""`errors="all"`: everything that is wrong, in the words that it has when reading ends at it."""

import dataclasses
import io
import json as stdlib
import tracemalloc
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxwire import DecodeError, Meta, Struct, ValidationError, convert, json, msgpack

SOURCES = {
    "json": lambda o, t, **options: json.decode(stdlib.dumps(o), type=t, **options),
    "msgpack": lambda o, t, **options: msgpack.decode(msgpack.encode(o), type=t, **options),
    "convert": convert,
}


class Place(Struct):
    street: str
    zip: Annotated[int, Meta(ge=0)]


@dataclasses.dataclass
class Extra:
    a: int
    b: str = "x"


class Keys(TypedDict):
    k: int


class Pair(NamedTuple):
    a: int
    b: str


class Row(Struct, array_like=True):
    a: int
    b: str
    c: list[int] = []


class Person(Struct, forbid_unknown_fields=True):
    name: str
    age: int
    places: list[Place] = []
    extra: Extra | None = None
    counts: dict[str, int] = {}
    pair: tuple[int, str] | None = None


class Cat(Struct, tag=True):
    v: int


class Dog(Struct, tag=True):
    v: str


class Positive(Struct):
    v: int

    def __post_init__(self):
        if self.v < 0:
            raise ValueError("negative")


class A(Struct):
    x: int
    y: int = 0


class B(Struct):
    x: int
    z: str = ""


def found(read, o, t, **options):
    with pytest.raises(ValidationError) as caught:
        read(o, t, errors="all", **options)
    return caught.value


def rows(error):
    return [(one["loc"], one["msg"]) for one in error.errors()]


PEOPLE = [
    {
        "name": 1,
        "age": "x",
        "places": [{"street": 5, "zip": -1}, {"zip": 2}, 7],
        "extra": {"a": "q", "b": 1},
        "counts": {"k": "v", "l": 1, "m": []},
        "zzz": {"q": 1},
        "pair": [1, 2, 3],
    },
    {},
    5,
    {"name": "ok", "age": 1},
    {"age": 2},
]
WRONG = [
    ((0, "name"), "Expected `str`, got `int`"),
    ((0, "age"), "Expected `int`, got `str`"),
    ((0, "places", 0, "street"), "Expected `str`, got `int`"),
    ((0, "places", 0, "zip"), "Expected `int` >= 0"),
    ((0, "places", 1), "Object missing required field `street`"),
    ((0, "places", 2), "Expected `object`, got `int`"),
    ((0, "extra", "a"), "Expected `int`, got `str`"),
    ((0, "extra", "b"), "Expected `str`, got `int`"),
    ((0, "counts", "k"), "Expected `int`, got `str`"),
    ((0, "counts", "m"), "Expected `int`, got `array`"),
    ((0,), "Object contains unknown field `zzz`"),
    ((0, "pair", 1), "Expected `str`, got `int`"),
    ((1,), "Object missing required field `name`"),
    ((1,), "Object missing required field `age`"),
    ((2,), "Expected `object`, got `int`"),
    ((4,), "Object missing required field `name`"),
]


@pytest.mark.parametrize("name", SOURCES)
def test_everything_is_found(name):
    error = found(SOURCES[name], PEOPLE, list[Person])
    assert rows(error) == WRONG
    assert not error.truncated


@pytest.mark.parametrize("name", SOURCES)
def test_the_first_is_what_it_is_without_the_others(name):
    with pytest.raises(ValidationError) as caught:
        SOURCES[name](PEOPLE, list[Person])
    error = found(SOURCES[name], PEOPLE, list[Person])
    assert str(error).split("\n")[0] == str(caught.value)
    assert (error.msg, error.path) == (caught.value.msg, caught.value.path)
    assert len(str(error).split("\n")) == len(WRONG)


@pytest.mark.parametrize(
    ("t", "value", "wanted"),
    [
        (int, "x", [((), "Expected `int`, got `str`")]),
        (list[int], 5, [((), "Expected `array`, got `int`")]),
        (
            list[Positive],
            [{"v": -1}, {"v": "x"}, {"v": 1}],
            [((0,), "negative"), ((1, "v"), "Expected `int`, got `str`")],
        ),
        (
            list[Row],
            [[1], ["a", 2, ["q", 1, "r"]], [1, "b", [1]]],
            [
                ((0,), "Expected `array` of at least length 2, got 1"),
                ((1, 0), "Expected `int`, got `str`"),
                ((1, 1), "Expected `str`, got `int`"),
                ((1, 2, 0), "Expected `int`, got `str`"),
                ((1, 2, 2), "Expected `int`, got `str`"),
            ],
        ),
        (
            list[Pair],
            [["a", "b"], [1]],
            [((0, 0), "Expected `int`, got `str`"), ((1,), "Expected `array` of length 2, got 1")],
        ),
        (
            list[Keys],
            [{"k": "a"}, {}],
            [((0, "k"), "Expected `int`, got `str`"), ((1,), "Object missing required field `k`")],
        ),
        (
            list[Cat | Dog],
            [{"type": "Cat", "v": "a"}, {"v": 1}, {"type": "X"}, {"v": 1, "type": "Dog"}],
            [
                ((0, "v"), "Expected `int`, got `str`"),
                ((1,), "Object missing required field `type`"),
                ((2, "type"), "Invalid value 'X'"),
                ((3, "v"), "Expected `str`, got `int`"),
            ],
        ),
        (
            list[A | B],
            [{"x": "a", "y": "b"}, {"z": 1}, {"x": "q"}],
            [
                ((0, "x"), "Expected `int`, got `str`"),
                ((0, "y"), "Expected `int`, got `str`"),
                ((1, "z"), "Expected `str`, got `int`"),
                ((1,), "Object missing required field `x`"),
                ((2, "x"), "Expected `int`, got `str`"),
            ],
        ),
        (
            list[list[int] | list[str]],
            [[1, "a"], [1], [2, []]],
            [((0, 1), "Expected `int`, got `str`"), ((2, 1), "Expected `int`, got `array`")],
        ),
        (
            list[Annotated[list[int], Meta(min_length=2)]],
            [[1], ["a", "b"], ["a"]],
            [
                ((0,), "Expected `array` of length >= 2"),
                ((1, 0), "Expected `int`, got `str`"),
                ((1, 1), "Expected `int`, got `str`"),
                ((2, 0), "Expected `int`, got `str`"),
            ],
        ),
        (dict[int, list[int]], {"a": [1]}, [((), "Expected `int`, got `str`")]),
        (list[set[int]], [["a", 1]], [((0, 0), "Expected `int`, got `str`")]),
    ],
)
def test_shapes(t, value, wanted):
    for read in SOURCES.values():
        assert rows(found(read, value, t)) == wanted


def test_places_in_json():
    text = b'[\n  {"x": "\xc3\xa4", "y":  "b"},\n  {}\n]'
    error = found(lambda o, t, **options: json.decode(o, type=t, **options), text, list[A])
    one, two, three = error.errors()
    assert one == {
        "code": "type",
        "expected": "int",
        "got": "str",
        "path": "$[0].x",
        "loc": (0, "x"),
        "msg": "Expected `int`, got `str`",
        "input": '"ä"',
        "offset": 10,
        "line": 2,
        "column": 9,
    }
    assert (two["offset"], two["line"], two["column"], two["input"]) == (22, 2, 20, '"b"')
    assert (three["offset"], three["line"], three["column"], three["input"]) == (30, 3, 3, "{}")
    assert text[three["offset"] :].startswith(b"{}")
    assert (error.offset, error.line, error.column) == (10, 2, 9)


def test_places_in_messagepack():
    data = msgpack.encode([{"x": "a"}, {}])
    error = found(lambda o, t, **options: msgpack.decode(o, type=t, **options), data, list[A])
    assert [one["offset"] for one in error.errors()] == [data.index(b"\xa1a"), len(data) - 1]
    assert [one["line"] for one in error.errors()] == [None, None]


def test_forms():
    error = found(SOURCES["json"], [{"x": "a"}, {}, {"x": 1, "y": None}], list[A])
    assert [(one["code"], one["path"]) for one in stdlib.loads(error.json())] == [
        ("type", "$[0].x"),
        ("missing", "$[1]"),
        ("type", "$[2].y"),
    ]
    assert error.pydantic_errors() == [
        {"type": "int_type", "loc": (0, "x"), "msg": "Expected `int`, got `str`", "input": "a"},
        {"type": "missing", "loc": (1, "x"), "msg": "Object missing required field `x`", "input": {}},
        {"type": "int_type", "loc": (2, "y"), "msg": "Expected `int`, got `null`", "input": None},
    ]
    error = found(convert, {"x": [1]}, A)
    assert error.pydantic_errors()[0]["input"] == [1]


def test_codes():
    t = dict[str, Any]
    for kind, value, code, expected, got in (
        (int, "x", "type", "int", "str"),
        (Annotated[int, Meta(ge=2)], 1, "bound", "int >= 2", None),
        (Annotated[str, Meta(max_length=1)], "ab", "length", "str of length <= 1", None),
        (Annotated[str, Meta(pattern="b")], "a", "pattern", "str matching regex 'b'", None),
        (tuple[int, int], [1], "length", "array of length 2", "1"),
        (Positive, {"v": -1}, "custom", None, None),
    ):
        (one,) = found(convert, value, kind).errors()
        assert (one["code"], one["expected"], one["got"]) == (code, expected, got)
    assert convert({"a": 1}, t, errors="all") == {"a": 1}


def test_errors_of_one():
    with pytest.raises(ValidationError) as caught:
        json.decode(b'{"x":{"a":1}}', type=A)
    (one,) = caught.value.errors()
    assert (one["loc"], one["code"], one["path"], one["offset"]) == (("x",), "type", "$.x", None)


def test_no_more_than_a_hundred():
    error = found(SOURCES["json"], ["x"] * 1000, list[int])
    assert len(error.errors()) == 100
    assert error.truncated
    assert str(error).endswith("- at `$[99]`\n... and perhaps more")


def test_causes_and_other_exceptions():
    def hook(t, value):
        if value == "key":
            raise KeyError("k")
        raise ValueError(f"no {value}")

    class Custom:
        pass

    error = found(SOURCES["json"], ["a", "b"], list[Custom], dec_hook=hook)
    assert rows(error) == [((0,), "no a"), ((1,), "no b")]
    assert type(error.__cause__) is ValueError
    with pytest.raises(KeyError):
        json.decode(b'["a","key"]', type=list[Custom], dec_hook=hook, errors="all")


def test_no_code_of_the_user_sees_half_a_value():
    seen = []

    class Inner(Struct):
        v: int

        def __post_init__(self):
            seen.append(self.v)

    class Outer(Struct):
        inner: list[Inner]
        n: int = 0

        def __post_init__(self):
            seen.append("outer")

    assert len(found(convert, {"inner": [{"v": 1}, {"v": "x"}, {}, {"v": 2}]}, Outer).errors()) == 2
    assert seen == [1, 1, 2]


def test_lines_and_streams():
    with pytest.raises(ValidationError) as caught:
        json.decode_lines(b'{"x":1}\n{"x":"a",  "y":""}\n', type=A, errors="all")
    error = caught.value
    assert [
        (one["path"], one["loc"], one["line"], one["column"], one["offset"]) for one in error.errors()
    ] == [
        ("$[1].x", (1, "x"), 2, 6, 13),
        ("$[1].y", (1, "y"), 2, 16, 23),
    ]
    decoder = json.Decoder(A, errors="all")
    with pytest.raises(ValidationError) as caught:
        decoder.decode(b'{"x":"a","y":"b"}')
    assert len(caught.value.errors()) == 2
    with pytest.raises(ValidationError):
        list(json.iter_lines(io.BytesIO(b'{"x":"a"}\n'), type=A, errors="all"))


def test_what_is_malformed():
    # What was found before is told.
    with pytest.raises(ValidationError) as caught:
        json.decode(b'["a", "b" 5', type=list[int], errors="all")
    assert len(caught.value.errors()) == 2
    with pytest.raises(DecodeError) as caught:
        json.decode(b"[1 5", type=list[int], errors="all")
    assert type(caught.value) is DecodeError


def cut_short(data, t):
    with pytest.raises(ValidationError) as caught:
        (json if data[:1] in (b"{", b"[") else msgpack).decode(data, type=t, errors="all")
    return [one["loc"] for one in caught.value.errors()]


class Loose(Struct):
    a: int
    b: Any = None


@pytest.mark.parametrize(
    "rest", [b'"' + b"," * 200_000, b"[" + b"1," * 200_000, b"[" * 3000, b'{"' + b"x" * 200_000]
)
def test_json_that_is_cut_short_takes_no_longer_than_it_is(rest):
    assert cut_short(b'{"a":"x","b":' + rest, Loose) == [("a",)]


@pytest.mark.parametrize(
    "rest",
    [b"\xdd\x00\x0f\xff\xff" + b"\x01" * 200_000, b"\x91" * 3000, b"\xdb\xff\xff\xff\xff", b"\xc1", b""],
)
def test_messagepack_that_is_cut_short_takes_no_longer_than_it_is(rest):
    # What stands before is told of, whatever follows.
    data = msgpack.encode({"a": "x"}).replace(b"\x81", b"\x82", 1) + msgpack.encode("b") + rest
    assert cut_short(data, Loose) == [("a",)]
    assert (
        cut_short(b"\x93\xa1x\xa1y" + rest, list[int])[:2] == [(0,), (1,)][: 1 if rest[:1] == b"\x91" else 2]
    )


def test_long_values_are_not_copied_for_each_fault():
    class Many(Struct):
        a: int
        b: int
        c: int

    for coder in (json, msgpack):
        data = coder.encode({"x": "y\n" * 4_000_000})
        tracemalloc.start()
        with pytest.raises(ValidationError) as caught:
            coder.decode(data, type=Many, errors="all")
        assert len(caught.value.errors()) == 3
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 6 * len(data)
        assert len({id(one["input"]) for one in caught.value.pydantic_errors()}) == 1


def test_a_value_that_cannot_be_shown():
    class Odd:
        def __repr__(self):
            raise RuntimeError

    with pytest.raises(ValidationError) as caught:
        convert([Odd()], list[int], errors="all")
    assert "Odd object at" in caught.value.errors()[0]["input"]


def test_lines_are_counted_from_place_to_place():
    text = '[1,\n "é", "b",\n\n  "c"]'.encode()
    with pytest.raises(ValidationError) as caught:
        json.decode(text, type=list[int], errors="all")
    assert [(one["line"], one["column"]) for one in caught.value.errors()] == [(2, 2), (2, 7), (4, 3)]


def test_the_keyword():
    assert json.decode(b"[1]", type=list[int], errors="first") == [1]
    with pytest.raises(ValueError, match="`errors` must be"):
        json.Decoder(int, errors="some")


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["x", "y", "z", "v", "type", "name", "age", "places", "extra", "k"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TYPES = [
    list[Person],
    Person,
    dict[str, Place | Row | int],
    list[A | B | Positive],
    list[Cat | Dog | dict[str, int]] | dict[str, Cat | Dog],
    tuple[Extra, Keys, Pair],
    list[list[int] | list[str] | Row],
    dict[str, list[A | B] | None],
]


@given(values, st.sampled_from(TYPES))
def test_all_begin_with_the_first(value, t):
    lists = []
    for read in SOURCES.values():
        try:
            made = read(value, t)
        except ValidationError as first:
            error = found(read, value, t)
            assert str(error).split("\n")[0] == str(first)
            lists.append(rows(error))
            if read is SOURCES["json"]:
                text = stdlib.dumps(value).encode()
                for one in error.errors():
                    part = text[one["offset"] :].decode()
                    stdlib.JSONDecoder().raw_decode(part)
                    assert len(one["input"]) >= 77 or part.startswith(one["input"])
        else:
            assert read(value, t, errors="all") == made
            lists.append(None)
    assert lists[0] == lists[1]
    assert (lists[2] is None) == (lists[0] is None)


def places(read, *args, **options):
    with pytest.raises(ValidationError) as caught:
        read(*args, errors="all", **options)
    return [(e["loc"], e["input"], e["offset"], e["line"]) for e in caught.value.errors()]


def test_places_that_are_known_in_part():
    # Of a dict that was tried, the dict; of two values of a key, none.
    assert places(json.decode, b'[{"x":"y"}]', type=list[dict[str, int] | dict[str, bool]]) == [
        ((0,), '{"x":"y"}', 1, 1)
    ]

    class One(Struct, rename="camel"):
        my_z: int

    class Row(Struct, array_like=True):
        my_z: int

    for data in b'{"myZ":"a","myZ":1}', b'{"myZ":"a", "q": 1, "myZ":1}':
        assert places(json.decode, data, type=One) == [(("myZ",), None, None, None)]
    some = type("Some", (), {"my_z": "a"})()
    assert places(convert, some, One, from_attributes=True) == [(("myZ",), None, None, None)]
    assert places(convert, some, Row, from_attributes=True) == [((0,), None, None, None)]
    assert places(json.decode, b' "a"', type=int) == [((), '"a"', 1, 1)]


def test_places_in_streams_of_messages():
    class One(Struct):
        z: int

    data = msgpack.encode({"z": 1}) * 3 + msgpack.encode({"z": "a"})

    def fed(errors):
        stream = msgpack.StreamDecoder(type=One, errors=errors)
        stream.feed(data)
        return list(stream)

    assert places(fed) == [(("z",), repr(b"\xa1a"), 15, None)]
    assert places(lambda errors: list(msgpack.iter_messages(io.BytesIO(data), type=One, errors=errors))) == [
        (("z",), repr(b"\xa1a"), 15, None)
    ]
