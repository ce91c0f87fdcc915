"""The commands `infer`, `validate` and `schema`, as a user runs them, in a process of its own."""

import gzip
import json

import pytest
from test_cli import run

from oxwire import msgpack

MODELS = """
import oxwire
from typing import Annotated

class Item(oxwire.Struct):
    id: int
    name: Annotated[str, oxwire.Meta(min_length=1)] = "x"

class Order(oxwire.Struct, rename="camel"):
    the_items: list[Item]
    note: str | None = None

Items = list[Item]

class Nested:
    Item = Item
"""
GOOD = {"theItems": [{"id": 1}], "note": "é"}
SCHEMA = {
    "type": "object",
    "properties": {
        "theItems": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "note": {"type": ["string", "null"]},
    },
    "required": ["theItems"],
    "$defs": {
        "Item": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"minLength": 1}},
            "required": ["id"],
        }
    },
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    lines = [
        GOOD,
        {"theItems": [{"id": "1"}, {"id": 2, "name": ""}]},
        {"theItems": [{"id": 1}, {"id": "2"}]},
        {},
    ]
    (tmp_path / "lines.ndjson").write_text("\n".join(map(json.dumps, lines)) + "\n\n{\n")
    (tmp_path / "bad.msgpack").write_bytes(msgpack.encode(GOOD) + msgpack.encode([1]))
    return tmp_path


def out(folder, *arguments, code=0, **kwargs):
    return run(*arguments, cwd=folder, code=code, **kwargs).stdout.decode()


def err(folder, *arguments, code=1):
    done = run(*arguments, cwd=folder, code=code)
    return done.stderr.decode()


# validate


@pytest.mark.parametrize(
    "by", [["--type", "models:Order"], ["--type", "models.py:Order"], ["--schema", "schema.json"]]
)
def test_valid(folder, by):
    if "--schema" in by:
        pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    assert out(folder, "validate", "good.json", *by) == "good.json: valid\n"
    (folder / "two.jsonl.gz").write_bytes(gzip.compress(b'{"theItems":[]}\n{"theItems":[]}'))
    assert out(folder, "validate", "two.jsonl.gz", *by) == "two.jsonl.gz: valid (2 documents)\n"
    said = out(folder, "validate", "-", "good.json", *by, stdin=b'{"theItems":[]}')
    assert said == "-: valid\ngood.json: valid\n"


def test_faults_by_schema(folder):
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    found = out(folder, "validate", "lines.ndjson", "--schema", "schema.json", code=1).splitlines()
    assert found[0] == "lines.ndjson: 5 errors in 4 of 5 documents"
    assert "    'theItems' is a required property  (line 4)" in found
    assert "    unexpected end of input (column 1)  (line 6)" in found
    assert "    '1' is not of type 'integer'  (line 2 $.theItems[0].id)" in found
    assert "  $.theItems[*].name" in found


def test_what_no_schema_is(folder):
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    for schema, said in (
        ('{"type": 1}', "this is no JSON Schema: 1 is not valid"),
        ('{"$ref": "https://example.com/x"}', "refers to what is not there"),
        ('{"$ref": "#"}', "leads too deep"),
    ):
        (folder / "odd.json").write_text(schema)
        assert said in err(folder, "validate", "good.json", "--schema", "odd.json")


def test_faults_by_type(folder):
    found = out(folder, "validate", "lines.ndjson", "--type", "models:Order", code=1).splitlines()
    assert found[0].startswith("lines.ndjson: ")
    assert found[0].endswith(" errors in 4 of 5 documents")
    assert (
        "    Expected `int`, got `str`  (2 times: line 2 $.theItems[0].id, line 3 $.theItems[1].id)" in found
    )
    assert "    Object missing required field `theItems`  (line 4)" in found


def test_faults_of_messages(folder):
    found = out(folder, "validate", "bad.msgpack", "good.json", "--type", "models:Order", code=1).splitlines()
    assert found == [
        "bad.msgpack: 1 error in 1 of 2 documents",
        "  $",
        "    Expected `object`, got `array`  (message 2)",
        "good.json: valid",
    ]


def test_faults_of_messages_by_schema(folder):
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    found = out(folder, "validate", "bad.msgpack", "--schema", "schema.json", code=1).splitlines()
    assert found[2] == "    [1] is not of type 'object'  (message 2)"


def test_what_cannot_be_validated(folder):
    assert "No module named 'nothing'" in err(folder, "validate", "good.json", "--type", "nothing:X")
    assert "there is no 'X' in models" in err(folder, "validate", "good.json", "--type", "models:X")
    assert "named as module:Type" in err(folder, "validate", "good.json", "--type", "models")
    assert "No such file" in err(folder, "validate", "good.json", "--type", "nothing.py:X")
    assert "No such file" in err(folder, "validate", "none.json", "--type", "models:Order")
    assert "is not supported" in err(folder, "validate", "good.json", "--type", "models:oxwire")
    assert "one of the arguments --type --schema is required" in err(folder, "validate", "good.json", code=2)


# schema


def test_schema(folder):
    found = json.loads(out(folder, "schema", "models:Order"))
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["$ref"] == "#/$defs/Order"
    inline = json.loads(out(folder, "schema", "models.py:Order", "--inline-root", "--mode", "serialization"))
    assert inline["required"] == ["theItems", "note"]
    assert list(inline["$defs"]) == ["Item"]
    assert json.loads(out(folder, "schema", "models:Nested.Item"))["$defs"]["Item"]["required"] == ["id"]
    openapi = json.loads(out(folder, "schema", "models:Order", "models:Items", "--openapi"))
    assert set(openapi["components"]["schemas"]) == {"Order", "Item"}
    assert "#/components/schemas/Item" in json.dumps(openapi)
    assert "--openapi only" in err(folder, "schema", "models:Order", "models:Items", code=2)
    assert "is not supported" in err(folder, "schema", "models:oxwire")


# infer


def test_infer(folder):
    source = out(folder, "infer", "good.json", "--name", "order")
    assert source.startswith("# Made by `oxwire infer` from good.json.\nfrom __future__ import annotations\n")
    assert "class TheItem(Struct):\n    id: int\n" in source
    assert 'class Order(Struct, rename="camel"):\n    the_items: list[TheItem]\n    note: str\n' in source
    # What was made is what documents can be checked by.
    run("infer", "good.json", "-o", "made.py", cwd=folder)
    assert out(folder, "validate", "good.json", "--type", "made.py:Good") == "good.json: valid\n"
    assert out(folder, "infer", "-", stdin=b"[1]").endswith("Model = list[int]\n")
    assert "from standard input" in out(folder, "infer", "-", stdin=b"[1]")


def test_infer_from_many(folder):
    (folder / "users.ndjson").write_text('{"id":1}\n{"id":2,"name":"x"}\n')
    source = out(folder, "infer", "users.ndjson")
    assert "class Users(Struct):\n    id: int\n    name: str | UnsetType = UNSET\n" in source
    assert "name" not in out(folder, "infer", "users.ndjson", "--limit", "1")
    (folder / "users.msgpack").write_bytes(msgpack.encode({"id": b"x"}) + msgpack.encode({"id": None}))
    assert "class Users(Struct):\n    id: bytes | None\n" in out(folder, "infer", "users.msgpack")
    assert "id: int | UnsetType" in out(folder, "infer", "users.ndjson", "good.json")


def test_infer_from_schema(folder):
    source = out(folder, "infer", "--schema", "schema.json", "--name", "Order")
    assert "class Item(Struct):\n    id: int\n" in source
    assert "    the_items: list[Item]\n    note: str | None | UnsetType = UNSET\n" in source
    (folder / "made.py").write_text(source)
    assert out(folder, "validate", "good.json", "--type", "made.py:Order") == "good.json: valid\n"
    assert "takes one FILE" in err(folder, "infer", "--schema", "schema.json", "good.json", code=2)
    (folder / "list.json").write_text("[]")
    assert "a JSON Schema is an object" in err(folder, "infer", "--schema", "list.json")


def test_infer_of_what_cannot_be_read(folder):
    (folder / "cut.json").write_text("[1,")
    assert err(folder, "infer", "cut.json").startswith("oxwire: cut.json: ")
    assert "no format is called" in err(folder, "infer", "good.json", "--from", "xml", code=2)
