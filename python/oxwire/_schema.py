"""Types as JSON Schema (2020-12): `oxwire.json.schema` and `schema_components`. Their stub says what they promise.

Every class with fields, every enumeration, and every alias that holds itself is a component, for nothing else can
be referred to. What is said by
`Meta` of a type goes around what its kind gives, and only for custom types before it.
"""

import contextlib
import re
from inspect import cleandoc

from ._annotations import FACTORY, REQUIRED, VALUE, members, merged, metadata
from ._struct import UNSET
from ._types import enum_values, nodes, wire_value

_words = str.split
_PLAIN = {
    "any": {},
    "raw": {},
    "none": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    **{key: {"type": "string"} for key in ("str", "datetime", "time")},
    **{key: {"type": "string", "contentEncoding": "base64"} for key in ("bytes", "bytearray", "memoryview")},
    "date": {"type": "string", "format": "date"},
    "timedelta": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
    "decimal": {"type": "string", "format": "decimal"},
    **{key: {"type": "array"} for key in ("list", "vartuple", "tuple")},
    **{key: {"type": "array", "uniqueItems": True} for key in ("set", "frozenset")},
    "dict": {"type": "object"},
}
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_SPELLED = _words("ge gt le lt multiple_of version")
_ZONED = {("datetime", True): "date-time", ("time", True): "time", ("time", False): "partial-time"}
_RECORDS = _words("struct dataclass attrs typeddict namedtuple")
_EMPTY = (list, dict, set, bytearray)


def schema(type, *, schema_hook=None, ref_template="#/$defs/{name}", codecs=None):
    (found,), components = schema_components(
        (type,), schema_hook=schema_hook, ref_template=ref_template, codecs=codecs
    )
    return found | {"$defs": components} if components else found


def schema_components(types, *, schema_hook=None, ref_template="#/$defs/{name}", codecs=None):
    roots = nodes(types, codecs)
    writer = _Writer(roots, schema_hook, ref_template)
    return (
        tuple(writer.write(node) for node in roots),
        {name: writer.component(node) for name, node in writer.components.items()},
    )


def _title(t):
    """What a class is called, with its arguments."""
    if not hasattr(t, "__args__"):
        return t.__name__
    args = ", ".join(arg.__name__ if isinstance(arg, type) else repr(arg) for arg in t.__args__)
    return f"{t.__origin__.__name__}[{args}]"


def _full(t):
    return f"{t.__module__}.{t.__qualname__}" if isinstance(t, type) else repr(t)


def _holds_itself(node):
    """Whether an alias leads back to itself, by other ways than through a class."""
    stack, seen = [*node.args], set()
    while stack:
        one = stack.pop()
        if one is node:
            return True
        if id(one) not in seen and one.kind != "literal":
            seen.add(id(one))
            stack.extend(one.args)
    return False


def _to_builtins(value):
    from . import to_builtins

    return to_builtins(value, str_keys=True)


def _description(cls):
    """What the class says of itself, and not what was made up for it."""
    doc = getattr(cls, "__doc__", None)
    made_up = (
        not doc or (doc.startswith(f"{cls.__name__}(") and doc.endswith(")")) or doc == "An enumeration."
    )
    return {} if made_up else {"description": cleandoc(doc)}


class _Writer:
    def __init__(self, roots, hook, template):
        self.hook, self.template = hook, template
        found, stack, seen = {}, list(reversed(roots)), set()
        while stack:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.kind in _RECORDS or node.kind == "enum" or (node.kind == "alias" and _holds_itself(node)):
                found.setdefault(_title(node.type), []).append(node)
            if node.kind != "literal":
                stack.extend(reversed((*node.args, *(field[2] for field in node.fields))))
        self.components, self.refs = {}, {}
        for title, same in found.items():
            for node in same:
                name = plain = re.sub(r"[^A-Za-z0-9.\-_]", "_", title if len(same) == 1 else _full(node.type))
                count = 1
                while name in self.components:
                    count += 1
                    name = f"{plain}_{count}"
                self.components[name] = node
                self.refs[id(node)] = {"$ref": template.format(name=name)}

    def write(self, node, opened=False):
        if id(node) in self.refs and not opened:
            return dict(self.refs[id(node)])
        said = metadata(node)[0] or {}
        alternatives = members(node, lambda one: one.metas or id(one) in self.refs)
        if len(alternatives) != 1:
            return said | self.union(alternatives)
        (one,) = alternatives
        if one.kind == "custom":
            return self.custom(one, said)
        return said | (self.bare(one) if one is node else self.write(one))

    def custom(self, node, said):
        found = None
        if self.hook is not None:
            with contextlib.suppress(NotImplementedError):
                found = self.hook(node.cls)
        if found is None and not said:
            raise TypeError(
                "Generating JSON schema for custom types requires either:\n- specifying a `schema_hook`\n"
                f"- annotating the type with `Meta(extra_json_schema=...)`\n\ntype {node.cls!r} is not supported"
            )
        return merged(found or {}, said)

    def union(self, alternatives):
        """The plain ones, the Structs (of several, one is found by its tag), and null."""
        written, structs, null = [], [], []
        for one in alternatives:
            inner = members(one)
            if len(inner) == 1 and inner[0].kind == "struct":
                structs += inner
            else:
                (null if one.kind == "none" else written).append(self.write(one))
        refs = [self.refs[id(one)] for one in structs]
        if len(refs) > 1:
            group = {"anyOf": refs}
            config = structs[0].cls.__struct_config__
            if not config.array_like:
                mapping = {
                    one.cls.__struct_config__.tag: ref["$ref"] for one, ref in zip(structs, refs, strict=True)
                }
                group["discriminator"] = {"propertyName": config.tag_field, "mapping": mapping}
            refs = [group]
        written += refs + null
        if not written:
            # UNSET alone, which nothing on the wire is.
            return {"not": {}}
        return written[0] if len(written) == 1 else {"anyOf": written}

    def bare(self, node):
        """A node without what is said of it."""
        kind = node.kind
        if kind in ("codec", "numbers"):
            from ._codecs import schema

            return schema(self, node)
        if kind == "ext":
            raise TypeError("json-schema doesn't support msgpack Ext types")
        if kind == "literal":
            values = map(wire_value, node.args)
            return {"enum": sorted(values, key=lambda value: (type(value).__name__, value))}
        found = dict(_PLAIN[kind])
        for name, value in node.meta.items():
            if name in _SPELLED and found["type"] == "string":
                from ._codecs import spelled

                found |= spelled(name, value)
            elif name == "tz":
                if (kind, value) in _ZONED:
                    found["format"] = _ZONED[kind, value]
            elif name in _BOUNDS:
                found[_BOUNDS[name]] = value
            else:
                of = {"string": "Length", "array": "Items", "object": "Properties"}[found["type"]]
                # Three bytes are four characters.
                found[name[:3] + of] = 4 * ((value + 2) // 3) if "contentEncoding" in found else value
        if kind == "tuple":
            found |= self.fixed([self.write(one) for one in node.args], len(node.args))
            if node.args:
                found["items"] = False
        elif kind == "dict":
            key, value = node.args
            if members(key)[0].kind == "str" and len(members(key)) == 1:
                names = self.write(key)
                names.pop("type", None)
                if names:
                    found["propertyNames"] = names
            if values := self.write(value):
                found["additionalProperties"] = values
        elif node.args and (items := self.write(node.args[0])):
            found["items"] = items
        return found

    def fixed(self, items, least):
        found = {"minItems": least, "maxItems": len(items)}
        return found | {"prefixItems": items} if items else found

    def component(self, node):
        cls = node.cls
        if node.kind == "alias":
            return self.write(node, True)
        found = {"title": _title(node.type), **_description(cls)}
        if node.kind == "enum":
            return found | {"enum": sorted(enum_values(cls))}
        config = cls.__struct_config__ if node.kind == "struct" else None
        properties, required = {}, []
        if config is not None and config.tag is not None:
            properties[config.tag_field] = {"enum": [config.tag]}
            required.append(config.tag_field)
        fields = sorted(node.fields) if node.kind == "typeddict" else node.fields
        for _, name, inner, state, default, _ in fields:
            one = self.write(inner)
            if state == REQUIRED:
                required.append(name)
            elif state == VALUE and default is not UNSET:
                one["default"] = _to_builtins(default)
            elif state == FACTORY and config is not None and default in _EMPTY:
                one["default"] = _to_builtins(default())
            properties[name] = one
        forbid = config is not None and config.forbid_unknown_fields
        if node.kind == "namedtuple" or (config is not None and config.array_like):
            found |= {"type": "array", "prefixItems": [], **self.fixed([*properties.values()], len(required))}
            if config is not None and not forbid:
                del found["maxItems"]
            return found
        found |= {"type": "object", "properties": properties, "required": required}
        return found | {"additionalProperties": False} if forbid else found
