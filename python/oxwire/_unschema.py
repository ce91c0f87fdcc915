"""A JSON Schema as Struct classes, for `python -m oxwire infer --schema`.

Objects with properties are classes, each of those under `$defs` by its name there, the others by where they stand. What may surprise:
what no type can say is `Any`, so that all that the schema takes is taken, and perhaps more; `validate --schema` asks the schema itself.
"""

from typing import Any

from . import EncodeError
from ._source import Field, Record, Source, class_name, is_unsayable, joined, literal, singular

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_FORMATS = {
    "date-time": "datetime",
    "date": "date",
    "time": "time",
    "uuid": "UUID",
    "duration": "timedelta",
    "decimal": "Decimal",
}
_BOUNDS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
_TEXT = {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
_ITEMS = {"minItems": "min_length", "maxItems": "max_length"}
_KEYS = {"minProperties": "min_length", "maxProperties": "max_length"}
# What stands beside a reference and says nothing of values.
_ASIDE = (
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$defs",
)
_DEEPEST = 100


class _Reader:
    def __init__(self, root: Any, source: Source) -> None:
        self.root, self.source = root, source
        # By the reference that leads there: the type, or None while it is being read.
        self.known: dict[str, str | None] = {}
        self.depth = 0

    def type(self, schema: Any, name: str, within: str = "") -> str:
        """The type of what a schema takes."""
        if not isinstance(schema, dict):
            return "Any"
        self.depth += 1
        try:
            return "Any" if self.depth > _DEEPEST else self._type(schema, name, within)
        finally:
            self.depth -= 1

    def _type(self, schema: dict[str, Any], name: str, within: str) -> str:
        if "$ref" in schema:
            return self.referred(schema["$ref"], name)
        if "const" in schema or "enum" in schema:
            return _literals(schema.get("enum", [schema.get("const")]))
        for word in "anyOf", "oneOf":
            if isinstance(schema.get(word), list):
                return self.union([one for one in schema[word] if one is not False], name, within)
        if isinstance(schema.get("allOf"), list):
            schema = self.merged(schema)
            if "allOf" in schema or "$ref" in schema:
                return self._type(schema, name, within) if "$ref" in schema else "Any"
        kinds = schema.get("type", "object" if "properties" in schema else [])
        if isinstance(kinds, str):
            kinds = [kinds]
        if not kinds:
            return "Any"
        if "number" in kinds:
            kinds = [kind for kind in kinds if kind != "integer"]
        return joined([self.of_kind(kind, schema, name, within) for kind in kinds])

    def of_kind(self, kind: str, schema: dict[str, Any], name: str, within: str) -> str:
        if kind == "object":
            return self.object(schema, name, within)
        if kind == "array":
            prefix = schema.get("prefixItems", [])
            if prefix and schema.get("items") is False and schema.get("minItems", 0) == len(prefix):
                return f"tuple[{', '.join(self.type(one, name, within) for one in prefix)}]"
            items = "Any" if prefix else self.type(schema.get("items"), singular(name), within)
            return _bounded(f"list[{items}]", schema, _ITEMS)
        if kind == "string":
            if schema.get("contentEncoding") == "base64":
                return "bytes"
            found = _FORMATS.get(schema.get("format", ""), "str")
            return _bounded("str", schema, _TEXT) if found == "str" else found
        if kind in ("integer", "number"):
            return _bounded(_SIMPLE[kind], schema, _BOUNDS)
        return _SIMPLE.get(kind, "Any")

    def object(self, schema: dict[str, Any], name: str, within: str) -> str:
        more = schema.get("additionalProperties")
        if not _has_fields(schema):
            more = None if schema.get("properties") else more
            values = "Any" if more in (None, True, False) else self.type(more, singular(name), within)
            return _bounded(f"dict[str, {values}]", schema, _KEYS)
        record = Record(
            self.source.free(class_name(name), within), [], schema.get("description", ""), more is False
        )
        self.fill(record, schema)
        return record.name

    def fill(self, record: Record, schema: dict[str, Any]) -> None:
        required = schema.get("required", [])
        for key, one in schema["properties"].items():
            kind = self.type(one, key, record.name)
            field = Field(key, kind)
            default = one.get("default", ...) if isinstance(one, dict) else ...
            if default in ([], {}):
                is_plain = kind.split("[")[0] in ("list", "dict")
                made = type(default).__name__ if is_plain else f"lambda: {literal(default)}"
                field = Field(key, kind, None, made)
            elif default is not ... and not isinstance(default, (list, dict)):
                field = Field(key, kind, literal(default))
            elif key not in required:
                field = Field(key, kind if kind == "Any" else f"{kind} | UnsetType", "UNSET")
            record.fields.append(field)
        self.source.records[record.name] = record

    def referred(self, ref: Any, name: str) -> str:
        """The type of what a reference within the document leads to."""
        found = self.found(ref)
        if found is None:
            return "Any"
        if ref in self.known:
            # An alias that holds itself has no name that it could be called by.
            return self.known[ref] or "Any"
        title = class_name(ref.rpartition("/")[2]) if "/" in ref else name
        self.known[ref] = None
        merged = self.merged(found) if isinstance(found, dict) and "allOf" in found else found
        if isinstance(merged, dict) and _has_fields(merged):
            more = merged.get("additionalProperties")
            record = Record(self.source.free(title), [], merged.get("description", ""), more is False)
            self.known[ref] = record.name
            self.fill(record, merged)
        else:
            self.known[ref] = self.type(found, title)
        return self.known[ref] or "Any"

    def found(self, ref: Any) -> Any:
        if not isinstance(ref, str) or not ref.startswith("#"):
            return None
        one = self.root
        for step in ref[1:].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(one, list) and step.isdecimal() and int(step) < len(one):
                one = one[int(step)]
            elif isinstance(one, dict) and step in one:
                one = one[step]
            else:
                return None
        return one

    def merged(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The parts of `allOf` as one, if they are objects, or one that says something."""
        rest = {key: one for key, one in schema.items() if key != "allOf"}
        parts = [one for one in schema["allOf"] if isinstance(one, dict)]
        if len(parts) == 1 and not rest.keys() - {*_ASIDE}:
            return parts[0]
        whole: dict[str, Any] = {"properties": {}, "required": []}
        for part in [*parts, rest]:
            seen = 0
            while isinstance(part, dict) and "$ref" in part and seen < _DEEPEST:
                part, seen = self.found(part["$ref"]), seen + 1
            if isinstance(part, dict) and "allOf" in part and part is not schema:
                part = self.merged(part)
            if not isinstance(part, dict) or part.keys() & {"allOf", "anyOf", "oneOf", "not", "if", "$ref"}:
                return schema
            whole |= {key: one for key, one in part.items() if key not in ("properties", "required")}
            whole["properties"] |= part.get("properties", {})
            whole["required"] += part.get("required", [])
        return whole

    def union(self, parts: list[Any], name: str, within: str) -> str:
        kinds = [*dict.fromkeys(self.type(one, name, within) for one in parts)]
        classes = [self.source.records[kind] for kind in kinds if kind in self.source.records]
        if len(classes) > 1 and not self.tag(classes):
            # Nothing tells them apart.
            return "Any"
        likes = [kind for kind in kinds if kind.split("[")[0] in _STRINGS]
        dicts = any(kind.startswith("dict[") for kind in kinds)
        arrays = [kind for kind in kinds if kind.startswith(("list[", "tuple["))]
        if len(likes) > 1 or (dicts and classes) or len(arrays) > 1:
            return "Any"
        return joined(kinds)

    def tag(self, classes: list[Record]) -> bool:
        """Gives classes the tags that a property of each has; whether there is such a property."""
        for field in classes[0].fields:
            tags = []
            for one in classes:
                if one.tag is not None and one.tag[0] == field.key:
                    tags.append(one.tag)
                    continue
                of = [
                    other
                    for other in one.fields
                    if other.key == field.key and other.default in (None, other.type[8:-1])
                ]
                value = _only(of[0].type) if of and one.tag is None else None
                if value is not None:
                    tags.append((field.key, value))
            if len({*tags}) == len(classes) and len({type(value) for _, value in tags}) == 1:
                for one, found in zip(classes, tags, strict=True):
                    one.tag = found
                    one.fields = [other for other in one.fields if other.key != field.key]
                return True
        # They may have tags already, of another union.
        shared = {one.tag and one.tag[0] for one in classes}
        return None not in shared and len(shared) == 1 and len({one.tag for one in classes}) == len(classes)


def _has_fields(schema: dict[str, Any]) -> bool:
    # Whether a class can be made of it.
    properties = schema.get("properties")
    plain = isinstance(properties, dict) and schema.get("type", "object") == "object"
    return plain and bool(properties) and not any(map(is_unsayable, properties or ()))


_STRINGS = (
    "str",
    "bytes",
    "Literal",
    "datetime",
    "date",
    "time",
    "timedelta",
    "UUID",
    "Decimal",
    "Annotated",
)


def _only(kind: str) -> Any:
    # The value of a Literal that has one.
    if kind.startswith("Literal[") and "," not in kind:
        from . import json

        value = kind[8:-1]
        return json.decode(value) if value[0] == '"' or value.lstrip("-").isdecimal() else None
    return None


def _literals(values: list[Any]) -> str:
    if not values or any(type(value) not in (str, int, bool, type(None)) for value in values):
        return "Any"
    plain = [literal(value) for value in values if value is not None]
    if {type(value) for value in values} >= {bool, int}:
        return "Any"
    return joined([f"Literal[{', '.join(plain)}]"] * bool(plain) + ["None"] * (None in values))


def _bounded(kind: str, schema: dict[str, Any], names: dict[str, str]) -> str:
    said = []
    for word, name in names.items():
        value = schema.get(word)
        fits = str if name == "pattern" else int if "length" in name else (int, float)
        if isinstance(value, fits) and not isinstance(value, bool):
            if kind == "int" and name == "multiple_of" and not isinstance(value, int):
                continue
            said.append(f"{name}={literal(value)}")
    # Of two bounds on one side, the narrower one is not looked for: types have one.
    for both in ("ge", "gt"), ("le", "lt"):
        if sum(part.startswith(both) for part in said) > 1:
            said = [part for part in said if not part.startswith(both[0])]
    return f"Annotated[{kind}, Meta({', '.join(said)})]" if said else kind


def from_schema(schema: Any, name: str, origin: str) -> str:
    """The source of classes for a JSON Schema."""
    if not isinstance(schema, (dict, bool)):
        raise EncodeError("a JSON Schema is an object")
    source = Source(origin)
    reader = _Reader(schema, source)
    found = "Any"
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            name = class_name(schema["title"])
        # References to the whole, and to all that has a name, whether anything refers to it or not.
        found = reader.referred("#", name)
        for place in ("$defs", "definitions"):
            for key in schema.get(place, {}):
                reader.referred(f"#/{place}/{key.replace('~', '~0').replace('/', '~1')}", key)
    if found not in source.records:
        source.aliases[source.free(name)] = found
    return source.text()
