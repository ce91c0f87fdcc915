"""Schemas of classes that say more of their fields than a type and a default (docs/fields.md)."""

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
