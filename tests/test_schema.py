"""JSON Schema: what each type looks like, how components are named, and what is refused."""

import collections
import dataclasses
import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, Required, TypedDict, Union

import pytest
from typed import Cat, Custom, Custom2, Data2, Dog, IntEnum, IntTag, Plain, StrEnum, T, TagArray, TagArray2

from oxwire import UNSET, Meta, Raw, Struct, UnsetType, field
from oxwire.json import schema, schema_components
from oxwire.msgpack import Ext

CAT = {
    "title": "Cat",
    "type": "object",
    "properties": {"type": {"enum": ["Cat"]}, "x": {"type": "integer"}},
    "required": ["type", "x"],
}
DOG = {
    "title": "Dog",
    "type": "object",
    "properties": {"type": {"enum": ["Dog"]}, "y": {"type": "string"}},
    "required": ["type", "y"],
}
BOTH = {
    "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
    "discriminator": {"propertyName": "type", "mapping": {"Cat": "#/$defs/Cat", "Dog": "#/$defs/Dog"}},
}


@pytest.mark.parametrize(
    ("t", "found"),
    [
        (Any, {}),
        (Raw, {}),
        (None, {"type": "null"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (str, {"type": "string"}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (bytearray, {"type": "string", "contentEncoding": "base64"}),
        (memoryview, {"type": "string", "contentEncoding": "base64"}),
        (datetime.datetime, {"type": "string"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (datetime.time, {"type": "string"}),
        (datetime.timedelta, {"type": "string", "format": "duration"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (decimal.Decimal, {"type": "string", "format": "decimal"}),
        (Annotated[datetime.datetime, Meta(tz=True)], {"type": "string", "format": "date-time"}),
        (Annotated[datetime.datetime, Meta(tz=False)], {"type": "string"}),
        (Annotated[datetime.time, Meta(tz=True)], {"type": "string", "format": "time"}),
        (Annotated[datetime.time, Meta(tz=False)], {"type": "string", "format": "partial-time"}),
        (Annotated[int, Meta(ge=1, lt=3)], {"type": "integer", "minimum": 1, "exclusiveMaximum": 3}),
        (
            Annotated[float, Meta(gt=1, le=3, multiple_of=0.5)],
            {"type": "number", "exclusiveMinimum": 1, "maximum": 3, "multipleOf": 0.5},
        ),
        (
            Annotated[str, Meta(min_length=1, max_length=3, pattern="a")],
            {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "a"},
        ),
        (
            Annotated[bytes, Meta(min_length=1, max_length=4)],
            {"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": 8},
        ),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        (frozenset, {"type": "array", "uniqueItems": True}),
        (Annotated[list, Meta(min_length=0, max_length=3)], {"type": "array", "minItems": 0, "maxItems": 3}),
        (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
                "items": False,
            },
        ),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict[int, Any], {"type": "object"}),
        (
            Annotated[dict[Annotated[str, Meta(pattern="a")], Any], Meta(max_length=2)],
            {"type": "object", "propertyNames": {"pattern": "a"}, "maxProperties": 2},
        ),
        (Literal["b", 1, None, "a", True], {"enum": [None, True, 1, "a", "b"]}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Union[None, int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
        (Union[int, UnsetType], {"type": "integer"}),
        (UnsetType, {"not": {}}),
        (Annotated[int, Meta(title="t", description="d", examples=[1])], {"title": "t", "description": "d", "examples": [1], "type": "integer"}),
        (Annotated[int, Meta(extra_json_schema={"x": 1}), Meta(title="t")], {"x": 1, "title": "t", "type": "integer"}),
        (Annotated[Optional[int], Meta(title="t")], {"title": "t", "anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Annotated[Custom, Meta(extra_json_schema={"type": "c"})], {"type": "c"}),
    ],
)  # fmt: skip
def test_plain_types(t, found):
    assert schema(t) == found


@pytest.mark.parametrize(
    ("t", "found", "components"),
    [
        (Cat, {"$ref": "#/$defs/Cat"}, {"Cat": CAT}),
        (Union[Cat, Dog], BOTH, {"Cat": CAT, "Dog": DOG}),
        (
            Union[None, Dog, Cat, int],
            {
                "anyOf": [
                    {"type": "integer"},
                    {
                        "anyOf": BOTH["anyOf"][::-1],
                        "discriminator": BOTH["discriminator"],
                    },
                    {"type": "null"},
                ]
            },
            {"Cat": CAT, "Dog": DOG},
        ),
        (
            Union[None, Cat, int],
            {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Cat"}, {"type": "null"}]},
            {"Cat": CAT},
        ),
        (
            IntTag,
            {"$ref": "#/$defs/IntTag"},
            {
                "IntTag": {
                    "title": "IntTag",
                    "type": "object",
                    "properties": {"type": {"enum": [3]}, "x": {"type": "integer"}},
                    "required": ["type", "x"],
                }
            },
        ),
        (
            Union[TagArray, TagArray2],
            {"anyOf": [{"$ref": "#/$defs/TagArray"}, {"$ref": "#/$defs/TagArray2"}]},
            {
                name: {
                    "title": name,
                    "type": "array",
                    "prefixItems": [{"enum": [name]}, {"type": "integer"}],
                    "minItems": 2,
                }
                for name in ("TagArray", "TagArray2")
            },
        ),
        (
            Optional[Union[IntEnum, StrEnum]],
            {"anyOf": [{"$ref": "#/$defs/IntEnum"}, {"$ref": "#/$defs/StrEnum"}, {"type": "null"}]},
            {"IntEnum": {"title": "IntEnum", "enum": [1]}, "StrEnum": {"title": "StrEnum", "enum": ["a"]}},
        ),
        (
            Annotated[Data2, Meta(title="over")],
            {"title": "over", "$ref": "#/$defs/Data2"},
            {
                "Data2": {
                    "title": "Data2",
                    "type": "object",
                    "properties": {"x": {"type": "integer"}},
                    "required": ["x"],
                }
            },
        ),
    ],
)
def test_components(t, found, components):
    assert schema(t) == {**found, "$defs": components}


class Closed(Struct, forbid_unknown_fields=True):
    """Says
    what it is.
    """

    x: int


class ClosedArray(Struct, array_like=True, forbid_unknown_fields=True):
    x: int
    y: "ClosedArray | None" = UNSET


class Ordered(enum.Enum):
    """Two letters."""

    Z = "z"
    A = "a"


class Sorted(TypedDict, total=False):
    z: int
    a: Required[str]


class Named(NamedTuple):
    x: int
    y: "list[Named]"


def only(t):
    (component,) = schema(t)["$defs"].values()
    return component


def test_records():
    assert only(Closed) == {
        "title": "Closed",
        "description": "Says\nwhat it is.",
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert only(ClosedArray) == {
        "title": "ClosedArray",
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"anyOf": [{"$ref": "#/$defs/ClosedArray"}, {"type": "null"}]}],
        "minItems": 1,
        "maxItems": 2,
    }
    assert only(Ordered) == {"title": "Ordered", "description": "Two letters.", "enum": ["a", "z"]}
    assert only(Sorted)["properties"] == {"a": {"type": "string"}, "z": {"type": "integer"}}
    assert only(Sorted)["required"] == ["a"]
    assert only(Named) == {
        "title": "Named",
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/Named"}}],
        "minItems": 2,
        "maxItems": 2,
    }
    assert only(collections.namedtuple("Bare", "a b"))["prefixItems"] == [{}, {}]
    made = dataclasses.make_dataclass(
        "Made", [("x", int), ("y", list, dataclasses.field(default_factory=list))]
    )
    assert only(made)["required"] == ["x"]
    assert "description" not in only(made)


def test_attrs():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Some:
        "Of attrs."

        x: int
        y: list = attrs.Factory(list)

    assert only(Some) == {
        "title": "Some",
        "description": "Of attrs.",
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "array"}},
        "required": ["x"],
    }


class Box(Struct, Generic[T]):
    v: T


def test_names_of_components():
    assert schema(Box)["$ref"] == "#/$defs/Box"
    assert schema(Box[int])["$ref"] == "#/$defs/Box_int_"
    assert only(Box[int])["title"] == "Box[int]"
    assert set(schema(Box[Box[int]])["$defs"]) == {"Box_test_schema.Box_int__", "Box_int_"}

    class Scope:
        class Plain(Struct):
            y: int

    found = schema(tuple[Plain, Scope.Plain])
    names = ["typed.Plain", "test_schema.test_names_of_components._locals_.Scope.Plain"]
    assert found["prefixItems"] == [{"$ref": f"#/$defs/{name}"} for name in names]
    assert [*found["$defs"]] == names

    def make(kind):
        class Same(Struct):
            x: kind

        return Same

    # No name is given twice, whatever classes are called.
    found = schema(tuple[make(int), make(str)])
    assert len(found["$defs"]) == len({one["$ref"] for one in found["prefixItems"]}) == 2
    assert schema(Plain, ref_template="{name}/{{x}}")["$ref"] == "Plain/{x}"


def test_several_types():
    found, components = schema_components([list[Cat], int, Optional[Dog]], ref_template="/x/{name}")
    assert found == (
        {"type": "array", "items": {"$ref": "/x/Cat"}},
        {"type": "integer"},
        {"anyOf": [{"$ref": "/x/Dog"}, {"type": "null"}]},
    )
    assert components == {"Cat": CAT, "Dog": DOG}
    assert schema_components(iter(())) == ((), {})


def test_custom_types():
    def hook(cls):
        if cls is Custom:
            return {"type": "custom", "d": {"y": 1}, "a": 3}
        raise NotImplementedError

    assert schema(list[Custom], schema_hook=hook)["items"] == {"type": "custom", "d": {"y": 1}, "a": 3}
    more = Annotated[Custom, Meta(title="q", extra_json_schema={"a": 1, "d": {"x": 1}})]
    assert schema(more, schema_hook=hook) == {"type": "custom", "a": 1, "d": {"y": 1, "x": 1}, "title": "q"}
    words = (
        "Generating JSON schema for custom types requires either:\n"
        "- specifying a `schema_hook`\n"
        "- annotating the type with `Meta(extra_json_schema=...)`\n\n"
        "type <class 'typed.Custom2'> is not supported"
    )
    for given in None, hook:
        with pytest.raises(TypeError) as caught:
            schema(dict[str, Custom2], schema_hook=given)
        assert str(caught.value) == words


def test_what_has_no_schema():
    with pytest.raises(TypeError, match="json-schema doesn't support msgpack Ext types"):
        schema(list[Ext])
    with pytest.raises(TypeError, match="is not supported"):
        schema(Union[bytes, bytearray])


def test_aliases_that_hold_themselves():
    extensions = pytest.importorskip("typing_extensions")
    Json = extensions.TypeAliasType("Json", "dict[str, Json] | list[Json | None] | str")
    found = schema(list[Json])
    ref = {"$ref": "#/$defs/Json"}
    assert found["items"] == ref
    assert found["$defs"]["Json"] == {
        "anyOf": [
            {"type": "object", "additionalProperties": ref},
            {"type": "array", "items": {"anyOf": [ref, {"type": "null"}]}},
            {"type": "string"},
        ]
    }
    Many = extensions.TypeAliasType("Many", list[T], type_params=(T,))
    Tree = extensions.TypeAliasType("Tree", "list[Tree[T]] | T", type_params=(T,))
    assert schema(Many[int]) == {"type": "array", "items": {"type": "integer"}}
    assert schema(Tree[int])["$ref"] == "#/$defs/Tree_int_"


class Defaults(Struct):
    z: StrEnum = StrEnum.A
    q: dict = {}
    s: set = set()
    n: Optional[int] = None
    i: Annotated[int, Meta(title="t")] = 3
    made: list = field(default_factory=lambda: [1])
    u: int | UnsetType = UNSET
    by: bytes = b"abc"
    when: datetime.date = datetime.date(2020, 1, 2)


def test_defaults():
    found = schema(Defaults)["$defs"]["Defaults"]
    assert found["required"] == []
    assert found["properties"] == {
        "z": {"$ref": "#/$defs/StrEnum", "default": "a"},
        "q": {"type": "object", "default": {}},
        "s": {"type": "array", "uniqueItems": True, "default": []},
        "n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "i": {"title": "t", "type": "integer", "default": 3},
        "made": {"type": "array"},
        "u": {"type": "integer"},
        "by": {"type": "string", "contentEncoding": "base64", "default": "YWJj"},
        "when": {"type": "string", "format": "date", "default": "2020-01-02"},
    }
