"""Schemas of classes that say more of their fields than a type and a default (docs/fields.md)."""

import contextlib
import enum

import pytest

import oxwire
from oxwire import Struct, computed, field, json

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


class Inner(Struct):
    street: str
    zip: int = 0


class Outer(Struct, rename="camel", kw_only=True):
    user_id: int = field(alias=["id", "ID"])
    secret: str = field(exclude=True, default="x")
    made: int = field(init=False, default=7)
    _hidden: int = field(private=True, default=1)
    inner: Inner = field(flatten=True)

    @computed
    def full_name(self) -> str:
        return f"{self.user_id}"


class Closed(Struct, extra="forbid"):
    a: int
    made: int = field(init=False, default=7)

    @computed
    def twice(self) -> int:
        return 2 * self.a


class Open(Struct):
    a: int
    rest: dict[str, int] = field(flatten=True)


def schema_of(cls, mode):
    return json.schema(cls, mode=mode, inline_root=True)


def is_valid(cls, mode, document):
    return jsonschema.Draft202012Validator(json.schema(cls, mode=mode)).is_valid(json.decode(document))


def is_read(cls, document):
    try:
        json.decode(document, type=cls)
    except oxwire.ValidationError:
        return False
    return True


def test_what_is_written():
    found = schema_of(Outer, "serialization")
    assert list(found["properties"]) == ["userId", "made", "fullName", "street", "zip"]
    assert found["properties"]["fullName"] == {"readOnly": True, "type": "string"}
    assert sorted(found["required"]) == ["fullName", "made", "street", "userId", "zip"]
    outer = json.decode(b'{"id":1,"street":"s"}', type=Outer)
    assert is_valid(Outer, "serialization", json.encode(outer))


def test_what_is_read():
    found = schema_of(Outer, "validation")
    assert list(found["properties"]) == ["userId", "id", "ID", "secret", "street", "zip"]
    assert found["required"] == ["street"]


@pytest.mark.parametrize(
    "document",
    [
        b'{"userId":1,"street":"s"}',
        b'{"ID":1,"street":"s","secret":"y"}',
        b'{"street":"s"}',
        b'{"id":1}',
        b'{"id":"1","street":"s"}',
        b'{"id":1,"street":1}',
    ],
)
def test_names_and_flattened_fields(document):
    assert is_valid(Outer, "validation", document) == is_read(Outer, document)


@pytest.mark.parametrize("document", [b'{"a":1}', b'{"a":1,"b":2}', json.encode(Closed(a=1))])
def test_unknown_keys(document):
    assert is_valid(Closed, "validation", document) == is_read(Closed, document)


@pytest.mark.parametrize("document", [b'{"a":1}', b'{"a":1,"b":2}', b'{"a":1,"b":"x"}'])
def test_flattened_dicts(document):
    assert is_valid(Open, "validation", document) == is_read(Open, document)


def test_the_face_of_msgspec_stays():
    from oxwire.compat.msgspec import json as theirs

    assert theirs.schema(Inner)["$defs"]["Inner"]["required"] == ["street"]


class Late(Struct):
    x: int
    y: int = field(init=False)

    @computed
    def half(self) -> int | oxwire.UnsetType:
        return oxwire.UNSET


class Tagged(Struct, tag=True):
    b: int

    @computed
    def words(self) -> str:
        return "b"


class Shut(Struct, extra="forbid"):
    inner: Tagged = field(flatten=True)


class Caught(Struct):
    inner: Tagged = field(flatten=True)
    rest: dict[str, int] = field(flatten=True)


class Bits(enum.Flag):
    A = 1
    B = 2


class Row(Struct, array_like=True, kw_only=True):
    x: int = 1
    y: str = field(alias="why")
    z: int = 0


def valid(value, schema):
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("t", "value"),
    [
        (Late, Late(1)),
        (Shut, Shut(Tagged(1))),
        (Caught, Caught(Tagged(1), {"q": 1})),
        (list[Bits], [Bits.A | Bits.B, Bits(0)]),
    ],
)
def test_output_is_valid_both_ways(t, value):
    written = json.decode(json.encode(value))
    assert valid(written, json.schema(t, mode="serialization"))
    assert valid(written, json.schema(t))
    assert json.decode(json.encode(value), type=t) == value


def test_what_is_read_is_valid():
    assert json.decode(b'{"b":1}', type=Shut) == Shut(Tagged(1))
    assert valid({"b": 1}, json.schema(Shut))
    assert not valid({"b": 1, "zz": 2}, json.schema(Shut))
    for row in ["[1]", '[1,"a"]', '[1,"a",2]']:
        assert valid(json.decode(row), json.schema(Row)) == (row != "[1]")
        with contextlib.suppress(oxwire.ValidationError):
            json.decode(row, type=Row)
            assert row != "[1]"
