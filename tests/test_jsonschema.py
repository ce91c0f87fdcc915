"""The validator of `validate --schema` beside that of another library."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_infer import documents
from test_schema_valid import changed
from test_typed_property import typed as any_typed

from oxwire import json
from oxwire._jsonschema import Unknown, Validator

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


def agrees(schema, value):
    theirs = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (not list(Validator(schema).faults(value))) == theirs, (schema, value)


@given(any_typed, st.data())
def test_schemas_of_types(pair, data):
    t, values = pair
    document = json.decode(json.encode(data.draw(values)))
    schema = json.schema(t)
    agrees(schema, document)
    for _ in range(3):
        document = changed(data.draw, document)
        agrees(schema, document)


small = st.integers(0, 4)
texts = st.sampled_from(["a", "b", "userName", "x"])
schemas = st.recursive(
    st.booleans()
    | st.fixed_dictionaries({"type": st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])})
    | st.fixed_dictionaries({"type": st.just(["integer", "string"])})
    | st.fixed_dictionaries({"enum": st.lists(documents, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"const": documents})
    | st.fixed_dictionaries({}, optional={"minimum": small, "exclusiveMaximum": small, "multipleOf": st.just(2)})
    | st.fixed_dictionaries({}, optional={"minLength": small, "maxLength": small, "pattern": st.sampled_from(["^a", "b$"])})
    | st.fixed_dictionaries({}, optional={"minItems": small, "maxItems": small, "uniqueItems": st.booleans()})
    | st.fixed_dictionaries(
        {},
        optional={
            "minProperties": small,
            "maxProperties": small,
            "required": st.lists(texts, unique=True, max_size=2),
            "dependentRequired": st.dictionaries(texts, st.lists(texts, unique=True, max_size=2), max_size=2),
        },
    ),
    lambda inner: st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"not": inner})
    | st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner})
    | st.fixed_dictionaries({}, optional={"prefixItems": st.lists(inner, min_size=1, max_size=2), "items": inner})
    | st.fixed_dictionaries({"contains": inner}, optional={"minContains": small, "maxContains": small})
    | st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(texts, inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "e$"]), inner, max_size=1),
            "additionalProperties": inner,
            "propertyNames": inner,
            "dependentSchemas": st.dictionaries(texts, inner, max_size=1),
        },
    ),
    max_leaves=5,
)  # fmt: skip


@given(schemas, documents)
def test_schemas_of_all_kinds(schema, document):
    agrees(schema, document)


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        (False, 1, [("$", "Nothing may stand here")]),
        ({"type": "integer"}, True, [("$", "Expected `integer`, got `boolean`")]),
        ({"items": {"type": "string"}}, ["a", 1, 2], [("$[1]", "Expected `string`, got `integer`"), ("$[2]", "Expected `string`, got `integer`")]),
        ({"properties": {"a b": {"minimum": 1}}}, {"a b": 0}, [("$['a b']", "Expected >= 1, got 0")]),
        ({"additionalProperties": False}, {"x": 1, "y": 2}, [("$", "Object contains unknown field `x`"), ("$", "Object contains unknown field `y`")]),
        ({"$defs": {"a": {"$anchor": "here", "const": 1}}, "$ref": "#here"}, 2, [("$", "Expected 1")]),
        ({"$defs": {"a/b": {"const": 1}}, "$ref": "#/$defs/a~1b"}, 2, [("$", "Expected 1")]),
        ({"anyOf": [{"type": "string"}, {"properties": {"a": {"type": "integer"}}, "required": ["a"]}]}, {"a": "x"}, [("$.a", "Expected `integer`, got `string`")]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, [("$", "Expected `string`, got `integer` or Expected `null`, got `integer`")]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, [("key in $", "Expected length <= 1, got 2")]),
    ],
)  # fmt: skip
def test_what_is_told(schema, value, faults):
    assert list(Validator(schema).faults(value)) == faults


@pytest.mark.parametrize("schema", [{"$ref": "#/a"}, {"$ref": "#a"}, {"$ref": "x"}, {"$dynamicRef": "#a"}])
def test_what_is_not_known(schema):
    with pytest.raises(Unknown):
        list(Validator(schema).faults(1))
