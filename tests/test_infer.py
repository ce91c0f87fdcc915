"""Struct source made of samples and of schemas: what it looks like, and that whatever it was made of fits it."""

import itertools
import json as standard
import shutil
import subprocess
import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_typed_property import typed as any_typed

from oxwire import convert, json, msgpack
from oxwire._infer import inferred
from oxwire._source import class_name
from oxwire._unschema import from_schema

numbers = itertools.count()


def module(source):
    made = types.ModuleType(f"inferred_{next(numbers)}")
    sys.modules[made.__name__] = made
    exec(compile(source, made.__name__, "exec"), made.__dict__)
    return made


def root(source, name="Model"):
    made = module(source)
    return getattr(made, name)


def body(source):
    """What stands behind the imports."""
    return source.split("\n\n\n", 1)[1]


USERS = [
    {
        "id": 1,
        "userName": "a",
        "createdAt": "2024-01-01T00:00:00Z",
        "home": {"street": "x", "geo": {"lat": 1, "lng": 2.5}},
        "work": {"street": "y", "geo": {"lat": 1, "lng": 2}},
        "class": None,
        "events": [{"type": "click", "x": 1, "y": 2}, {"type": "key", "code": "a"}],
        "day": "2024-01-01",
        "by": {"2024-01-01": 1, "2024-01-02": 2.5},
        "mixed": 1,
    },
    {
        "id": 2,
        "userName": "b",
        "createdAt": "2024-01-02T00:00:00.5+01:00",
        "home": {"street": "x", "geo": {"lat": 1, "lng": 2}},
        "work": None,
        "class": "c",
        "ref": "12345678-1234-5678-1234-567812345678",
        "events": [],
        "day": "2024-01-02",
        "by": {},
        "mixed": "x",
    },
]

SOURCE = """\
# Made by `oxwire infer` from users.json.
from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from oxwire import UNSET, Struct, UnsetType, field


class Geo(Struct):
    lat: int
    lng: float


class Home(Struct):
    street: str
    geo: Geo


class WorkGeo(Struct):
    lat: int
    lng: int


class Work(Struct):
    street: str
    geo: WorkGeo


class Click(Struct, tag="click"):
    x: int
    y: int


class Key(Struct, tag="key"):
    code: str


class User(Struct, rename="camel"):
    id: int
    user_name: str
    created_at: datetime
    home: Home
    work: Work | None
    class_: str | None = field(name="class")
    events: list[Click | Key]
    day: date
    by: dict[str, float]
    mixed: int | str
    ref: UUID | UnsetType = UNSET


Users = list[User]
"""


def test_source():
    source = inferred([USERS], "users", "users.json")
    assert source == SOURCE
    assert inferred([standard.loads(standard.dumps(USERS))], "users", "users.json") == source
    Users = root(source, "Users")
    read = json.decode(json.encode(USERS), type=Users)
    assert read[1].class_ == "c"
    assert json.decode(json.encode(read))[0]["events"] == USERS[0]["events"]


def test_source_is_laid_out_as_formatters_do(tmp_path):
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(sys.prefix) + "/bin")
    if ruff is None:
        pytest.skip("ruff is not installed")
    path = tmp_path / "made.py"
    many = [{"kind": f"kind-of-thing-{i % 8}", "some": f"word{i % 6}", "few": "ab"[i % 2]} for i in range(80)]
    path.write_text(inferred([USERS], "users", "users.json"))
    other = tmp_path / "other.py"
    other.write_text(inferred([many], "things", "things.json"))
    assert '    kind: Literal[\n        "kind-of-thing-0",\n' in other.read_text()
    for command in (
        ["format", "--check", "--isolated"],
        ["check", "--isolated", "--select", "F,I,E4,E7,E9,UP"],
    ):
        done = subprocess.run([ruff, *command, str(path), str(other)], capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], "Model = Any\n"),
        ([1, 2.5], "Model = float\n"),
        ([1, True], "Model = bool | int\n"),
        ([None], "Model = None\n"),
        ([[]], "Model = list[Any]\n"),
        ([{}], "Model = dict[str, Any]\n"),
        ([[1], ["x", None]], "Model = list[int | str | None]\n"),
        (["a", "b"], "Model = str\n"),
        (["a", "b"] * 4, 'Model = Literal["a", "b"]\n'),
        (["a"] * 9, "Model = str\n"),
        (["a b", "c d"] * 9, "Model = str\n"),
        (["2024-01-01", "2024-13-01"], "Model = str\n"),
        (["12:00:00", "13:00:00.5"], "Model = time\n"),
        ([b"x"], "Model = bytes\n"),
        ([b"x", "y"], "Model = Any\n"),
        ([{1: "x", 2: "y"}], "Model = dict[int, str]\n"),
        ([{"a b": 1, "c d": 2, "e/f": 3}], "Model = dict[str, int]\n"),
        ([{"a": 1}, {}], "class Model(Struct):\n    a: int | UnsetType = UNSET\n"),
        ([{"a": None}, {}, {"a": 1}], "class Model(Struct):\n    a: int | None = None\n"),
        ([{"content-type": 1, "x-y": 2}], 'class Model(Struct, rename="kebab"):\n    content_type: int\n    x_y: int\n'),
        ([{"UserId": 1, "Name": "x"}], 'class Model(Struct, rename="pascal"):\n    user_id: int\n    name: str\n'),
        (
            [{"a b": 1, "import": 2, "": 3, "1st": 4, "_x": 5, "c": 6, "d": 7}],
            "class Model(Struct):\n"
            '    a_b: int = field(name="a b")\n'
            '    import_: int = field(name="import")\n'
            '    field_: int = field(name="")\n'
            '    field_1st: int = field(name="1st")\n'
            '    field_x: int = field(name="_x")\n'
            "    c: int\n    d: int\n",
        ),
        (
            [{"date": "2024-01-01", "list": [1], "until": "2024-01-01"}],
            "class Model(Struct):\n"
            '    date_: date = field(name="date")\n'
            '    list_: list[int] = field(name="list")\n'
            "    until: date\n",
        ),
        (
            [{"name": "a", "kids": [{"name": "b", "kids": []}, {"name": "c"}]}],
            "class Model(Struct):\n    name: str\n    kids: list[Model] | UnsetType = UNSET\n",
        ),
        (
            [{"a": {"x": 1}, "b": {"a": {"y": 1}}}],
            "class A(Struct):\n    x: int\n\n\nclass BA(Struct):\n    y: int\n\n\n"
            "class B(Struct):\n    a: BA\n\n\nclass Model(Struct):\n    a: A\n    b: B\n",
        ),
    ],
)  # fmt: skip
def test_samples(values, found):
    source = inferred(values, "model", "x")
    assert body(source) == found
    for value in values:
        convert(value, root(source))


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    | st.sampled_from(
        ["2024-01-01", "2024-01-01T00:00:00Z", "12:00:00", "12345678-1234-5678-1234-567812345678"]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "a",
                    "b",
                    "userName",
                    "user_name",
                    "user-name",
                    "class",
                    "date",
                    "list",
                    "Model",
                    "type",
                    "",
                    "1",
                    "é",
                    "x y",
                    "Any",
                ]
            )
            | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(documents, max_size=4))
def test_samples_fit(values):
    source = inferred(values, "model", "x")
    assert source == inferred(values, "model", "x")
    made = module(source)
    t = made.Model
    for value in values:
        for format in (json, msgpack):
            read = format.decode(format.encode(value), type=t)
            # What is written again is read again.
            assert format.decode(format.encode(read), type=t) == read


@given(any_typed, st.data())
def test_schemas_become_types(pair, data):
    t, values = pair
    found = json.schema(t)
    source = from_schema(found, "Model", "x")
    assert source == from_schema(found, "Model", "x")
    # A schema that only refers to a class is that class.
    called = class_name(found["$ref"].rpartition("/")[2]) if "$ref" in found else "Model"
    t2 = root(source, called)
    written = json.encode(data.draw(values))
    json.decode(written, type=t2)


SCHEMA = {
    "title": "order",
    "description": 'What is "ordered".\nAnd """when""".\\',
    "type": "object",
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "count": {"type": "integer", "minimum": 1, "default": 1},
        "price": {"type": ["number", "null"]},
        "state": {"enum": ["new", "paid", None]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "default": []},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2},
        "pet": {"oneOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/Dog"}]},
        "parent": {"$ref": "#"},
        "either": {"anyOf": [{"$ref": "#/$defs/plain"}, {"$ref": "#/$defs/other"}]},
        "more": {"type": "object", "additionalProperties": {"type": "integer"}},
        "both": {"allOf": [{"$ref": "#/$defs/plain"}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]},
        "when": {"type": "string", "format": "date-time"},
        "odd": {"not": {}},
        "far": {"$ref": "other.json"},
    },
    "required": ["id", "pet", "pair"],
    "additionalProperties": False,
    "$defs": {
        "cat": {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind"]},
        "Dog": {"type": "object", "properties": {"kind": {"enum": ["dog"]}, "name": {"type": "string"}}, "required": ["kind", "name"]},
        "plain": {"type": "object", "properties": {"a": {"type": "integer"}}},
        "other": {"type": "object", "properties": {"b": {"type": "integer"}}},
        "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    },
}  # fmt: skip

MADE = '''\
class Cat(Struct, tag_field="kind", tag="cat"):
    lives: int | UnsetType = UNSET


class Dog(Struct, tag_field="kind", tag="dog"):
    name: str


class Plain(Struct):
    a: int | UnsetType = UNSET


class Other(Struct):
    b: int | UnsetType = UNSET


class Both(Struct):
    b: str
    a: int | UnsetType = UNSET


class Order(Struct, forbid_unknown_fields=True):
    """What is \\"ordered\\".
    And \\"\\"\\"when\\"\\"\\".\\\\
    """

    id: UUID
    pair: tuple[int, str]
    pet: Cat | Dog
    count: Annotated[int, Meta(ge=1)] = 1
    price: float | None | UnsetType = UNSET
    state: Literal["new", "paid"] | None | UnsetType = UNSET
    tags: list[Annotated[str, Meta(max_length=3)]] = field(default_factory=list)
    parent: Order | UnsetType = UNSET
    either: Any = UNSET
    more: dict[str, int] | UnsetType = UNSET
    both: Both | UnsetType = UNSET
    when: datetime | UnsetType = UNSET
    odd: Any = UNSET
    far: Any = UNSET
'''


def test_schema():
    source = from_schema(SCHEMA, "Model", "x")
    assert body(source) == MADE
    Order = root(source, "Order")
    assert Order.__doc__.split() == SCHEMA["description"].split()
    document = {
        "id": "12345678-1234-5678-1234-567812345678",
        "pair": [1, "x"],
        "pet": {"kind": "dog", "name": "a"},
    }
    read = json.decode(json.encode(document | {"parent": document}), type=Order)
    assert read.parent.pet.name == "a"
    assert json.decode(json.encode(read.parent)) == document | {"count": 1, "tags": []}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (True, "Model = Any\n"),
        ({}, "Model = Any\n"),
        ({"type": "string", "minLength": 1, "pattern": 'a"b\\d'}, 'Model = Annotated[str, Meta(min_length=1, pattern="a\\"b\\\\d")]\n'),
        ({"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}}, "Model = list[Annotated[float, Meta(gt=0)]]\n"),
        ({"enum": [1, 1.5]}, "Model = Any\n"),
        ({"const": "x"}, 'Model = Literal["x"]\n'),
        ({"anyOf": [{"type": "string"}, {"type": "string", "format": "date"}]}, "Model = Any\n"),
        ({"type": ["string", "integer"]}, "Model = str | int\n"),
        ({"$ref": "#"}, "Model = Any\n"),
        ({"type": "array", "items": {"$ref": "#"}}, "Model = list[Any]\n"),
    ],
)  # fmt: skip
def test_small_schemas(schema, found):
    assert body(from_schema(schema, "Model", "x")) == found
