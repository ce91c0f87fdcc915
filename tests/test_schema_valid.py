"""JSON Schemas before a validator of another library: what is written is valid, what is invalid is not read."""

import dataclasses
import datetime as dt
import decimal
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_typed_property import typed as any_typed
from typed import Cat, Dog, IntEnum, StrEnum

from oxwire import UNSET, DecodeError, Meta, Struct, UnsetType, field, json
from oxwire.compat import msgspec as face

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

T = TypeVar("T")
MODES = ["validation", "serialization"]
each_mode = pytest.mark.parametrize("mode", MODES)


class Node(Struct):
    value: int
    next: "Node | None" = None


class Pair(Struct, Generic[T], array_like=True):
    first: T
    second: T | None = None


class Point(NamedTuple):
    x: int
    y: int = 0


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


@dataclasses.dataclass
class Data:
    a: int
    b: str = "x"
    c: int | UnsetType = UNSET


class Sparse(Struct, omit_defaults=True):
    a: int
    b: int = 1


class Full(Struct, rename="camel", forbid_unknown_fields=True):
    the_id: Annotated[int, Meta(ge=1)]
    items: list[Annotated[str, Meta(max_length=3)]] = field(default_factory=list)
    maybe: int | UnsetType = UNSET
    when: Annotated[dt.datetime, Meta(tz=True)] | None = None
    node: Node | None = None


def validator(t, mode):
    found = json.schema(t, mode=mode)
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


@each_mode
@given(any_typed, st.data())
def test_what_is_written_is_valid(mode, pair, data):
    t, values = pair
    written = json.decode(json.encode(data.draw(values)))
    validator(t, mode).validate(written)


def changed(draw, value):
    """A document with one thing in it changed."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        if draw(st.booleans()):
            return {name: one for name, one in value.items() if name != key}
        return value | {key: changed(draw, value[key])}
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], changed(draw, value[at]), *value[at + 1 :]]
    return draw(st.sampled_from([None, True, 0, -1.5, "", "x", [], [1, 1, 1], {}, {"a": 1, "type": "Cat"}]))


def holds(found, *words):
    return any(word in str(found) for word in words)


@given(any_typed, st.data())
def test_what_is_read_is_valid(pair, data):
    t, values = pair
    # A decimal may also be a number, and sets may be written with repetitions: schemas ask for what is written.
    assume(not holds(json.schema(t), "decimal", "uniqueItems"))
    document = changed(data.draw, json.decode(json.encode(data.draw(values))))
    try:
        json.decode(json.encode(document), type=t)
    except DecodeError:
        return
    validator(t, "validation").validate(document)


@pytest.mark.parametrize(
    ("t", "good", "bad"),
    [
        (int, [1], [1.5, "1", None, [], {}]),
        (str, ["", "x"], [1, None]),
        (None, [None], [0, False, ""]),
        (Annotated[int, Meta(ge=1, lt=4, multiple_of=3)], [3], [0, 1, 4, 6]),
        (Annotated[float, Meta(gt=0, le=1)], [1, 0.5], [0, 1.5]),
        (Annotated[str, Meta(min_length=2, max_length=3, pattern="^a")], ["ab", "aéé"], ["a", "abcd", "ba"]),
        (Annotated[list[int], Meta(min_length=1, max_length=2)], [[1], [1, 2]], [[], [1, 2, 3], ["x"]]),
        (Annotated[dict[str, int], Meta(max_length=1)], [{}, {"a": 1}], [{"a": 1, "b": 2}, {"a": "x"}]),
        (dict[Annotated[str, Meta(max_length=1)], int], [{"a": 1}], [{"ab": 1}]),
        (Literal["a", 1, None], ["a", 1, None], ["b", 2, False]),
        (StrEnum, ["a"], ["b", 1]),
        (IntEnum, [1], [2, "a"]),
        (tuple[int, str], [[1, "a"]], [[1], [1, "a", 2], ["a", 1]]),
        (tuple[int, ...], [[], [1, 2]], [["a"]]),
        (set[int], [[], [1, 2]], [["a"]]),
        (int | str | None, [1, "a", None], [1.5, [], {}]),
        (Cat | Dog, [{"type": "Cat", "x": 1}, {"type": "Dog", "y": "a"}], [{"type": "Cow"}, {"x": 1}, {"type": "Dog", "x": 1}]),
        (Node, [{"value": 1, "next": {"value": 2}}], [{}, {"value": 1, "next": {"value": "x"}}, []]),
        (Pair[int], [[1], [1, 2], [1, None]], [[], ["x"], [1, "x"], {}]),
        (Point, [[1], [1, 2]], [[], [1, 2, 3], {"x": 1}]),
        (Movie, [{"title": "x"}, {"title": "x", "year": 1}], [{}, {"title": 1}, {"title": "x", "year": "y"}]),
        (Data, [{"a": 1}, {"a": 1, "c": 2}], [{}, {"a": 1, "c": None}]),
        (
            Full,
            [{"theId": 1}, {"theId": 1, "items": ["abc"], "maybe": 2, "when": None, "node": {"value": 1}}],
            [{"theId": 0}, {"the_id": 1}, {"theId": 1, "more": 1}, {"theId": 1, "items": ["abcd"]}, {"theId": 1, "maybe": None}],
        ),
    ],
)  # fmt: skip
def test_both_refuse(t, good, bad):
    valid = validator(t, "validation")
    for document in good:
        valid.validate(document)
        json.decode(json.encode(document), type=t)
    for document in bad:
        assert not valid.is_valid(document)
        with pytest.raises(DecodeError):
            json.decode(json.encode(document), type=t)


def test_formats():
    """What a validator that looks at formats says of what is written."""
    values = {
        dt.date: dt.date(2024, 2, 29),
        uuid.UUID: uuid.UUID(int=1),
        Annotated[dt.datetime, Meta(tz=True)]: dt.datetime(2024, 2, 29, 1, 2, 3, 4, dt.UTC),
    }
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    for t, value in values.items():
        valid = jsonschema.Draft202012Validator(json.schema(t), format_checker=checker)
        valid.validate(json.decode(json.encode(value)))
    assert not valid.is_valid("noon") or "date-time" not in checker.checkers
    assert json.schema(decimal.Decimal)["format"] == "decimal"


def required(t, mode):
    found = json.schema(t, mode=mode, inline_root=True)
    return found.get("required", found.get("minItems"))


@pytest.mark.parametrize(
    ("t", "read", "written"),
    [
        (Full, ["theId"], ["theId", "items", "when", "node"]),
        (Sparse, ["a"], ["a"]),
        (Data, ["a"], ["a", "b"]),
        (Movie, ["title"], ["title"]),
        (Pair[int], 1, 2),
        (Point, 1, 2),
    ],
)
def test_fields_with_defaults_are_written(t, read, written):
    assert required(t, "validation") == read
    assert required(t, "serialization") == written


def test_mode_is_one_of_two():
    with pytest.raises(ValueError, match="`mode` must be"):
        json.schema(int, mode="both")


@each_mode
def test_root_inline(mode):
    found = json.schema(Sparse, mode=mode, inline_root=True)
    assert found["type"] == "object"
    assert "$defs" not in found
    assert json.schema(int, inline_root=True) == {"type": "integer"}
    # What is said of the root stays on it.
    assert json.schema(Annotated[Sparse, Meta(title="Other")], inline_root=True)["title"] == "Other"


def test_root_inline_that_holds_itself():
    found = json.schema(Node, inline_root=True)
    assert found["properties"]["next"]["anyOf"][0] == {"$ref": "#/$defs/Node"}
    assert list(found["$defs"]) == ["Node"]
    valid = jsonschema.Draft202012Validator(found)
    assert valid.is_valid({"value": 1, "next": {"value": 2}})
    assert not valid.is_valid({"value": 1, "next": {"value": "x"}})
    # A class inside of it stays where it was.
    assert list(json.schema(Full, inline_root=True)["$defs"]) == ["Node"]


def test_components_for_openapi():
    (one, other), components = json.schema_components(
        [list[Node], Full], mode="serialization", ref_template="#/components/schemas/{name}"
    )
    assert one == {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}
    assert other == {"$ref": "#/components/schemas/Full"}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {},
        "components": {"schemas": components},
    }
    resolver = jsonschema.Draft202012Validator({**document, "$ref": "#/components/schemas/Full"})
    assert resolver.is_valid({"theId": 1, "items": [], "when": None, "node": {"value": 1, "next": None}})
    assert not resolver.is_valid({"theId": 1, "items": [], "when": None, "node": {"value": 1}})


def test_face_of_msgspec_is_as_it_was():
    with pytest.raises(TypeError, match="mode"):
        face.json.schema(int, mode="serialization")
    assert face.json.schema(Full) == json.schema(Full)
    Empty = type(Node)("Empty", (Struct,), {}, array_like=True)
    assert face.json.schema(Empty)["$defs"]["Empty"]["prefixItems"] == []
    assert "prefixItems" not in json.schema(Empty)["$defs"]["Empty"]


def test_models_of_pydantic():
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Inner(pydantic.BaseModel):
        x: int = 1

    class Tree(pydantic.BaseModel):
        kids: list["Tree"] = []
        inner: Inner

    class Holder(Struct):
        a: Inner
        b: Tree | None = None
        c: Any = None

    read = json.schema(Holder)
    assert read["$defs"]["Holder"]["properties"]["a"] == {"$ref": "#/$defs/Inner"}
    assert "required" not in read["$defs"]["Inner"]
    valid = validator(Holder, "serialization")
    valid.validate(json.decode(json.encode(Holder(Inner(), Tree(inner=Inner())))))
    assert not valid.is_valid({"a": {"x": "y"}, "b": None, "c": 1})
    assert not valid.is_valid({"a": {"x": 1}, "b": {"kids": [{}], "inner": {"x": 1}}, "c": 1})

    Other = type("Inner", (Struct,), {"__annotations__": {"x": Inner}, "__module__": __name__})
    with pytest.raises(TypeError, match="Two classes would both be the component 'Inner'"):
        json.schema(Other)
