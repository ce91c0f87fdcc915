"""Types as JSON Schema (2020-12): `oxwire.json.schema` and `schema_components`. Their stub says what they promise.

Every class with fields, every enumeration, and every alias that holds itself is a component, for nothing else can
be referred to. What is said by `Meta` of a type goes around what its kind gives, and only for custom types before it.
What may surprise: what is read and what is written differ in which fields are sure to be there, and where
classes say more of their fields: in names, in what is computed, in what is left out.
"""

import contextlib
import enum
import re
from inspect import cleandoc

from ._annotations import _BYTES, _FIELDS, FACTORY, REQUIRED, VALUE, _opened, members
from ._define import others
from ._fields import _NOTHING, EXCLUDE, FLATTEN, NO_INIT
from ._meta import _NUMBERS, Discriminator
from ._struct import UNSET
from ._types import enum_values, nodes, wire_value

_PLAIN = {
    "any": {},
    "raw": {},
    "none": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    **{key: {"type": "string"} for key in ("str", "datetime", "time")},
    **{key: {"type": "string", "contentEncoding": "base64"} for key in _BYTES},
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
_ZONED = {("datetime", True): "date-time", ("time", True): "time", ("time", False): "partial-time"}
_EMPTY = (list, dict, set, bytearray)
# What is passed over where it is read.
_IGNORED = {"readOnly": True}


TEMPLATE = "#/$defs/{name}"


def schema(type, mode="validation", schema_hook=None, ref_template=TEMPLATE, inline_root=False, codecs=None):
    (found,), components = schema_components((type,), mode, schema_hook, ref_template, codecs)
    if inline_root and "$ref" in found:
        found, components = _inlined(found, components, ref_template)
    return found | {"$defs": components} if components else found


def schema_components(types, mode="validation", schema_hook=None, ref_template=TEMPLATE, codecs=None):
    if mode not in ("validation", "serialization", "msgspec"):
        raise ValueError(f"`mode` must be 'validation' or 'serialization', got {mode!r}")
    roots = nodes(types, codecs)
    writer = Writer(roots, mode, schema_hook, ref_template)
    return tuple(writer.write(node) for node in roots), writer.all()


def _inlined(found, components, template):
    """A schema that refers to a component as that component, which stays one only if something else refers to it."""
    name = next(name for name in components if template.format(name=name) == found["$ref"])
    whole = components[name] | {key: value for key, value in found.items() if key != "$ref"}
    # Whoever has the reference as a text, such as a description, keeps the component, too.
    if repr(found["$ref"]) not in repr(components):
        components = {key: value for key, value in components.items() if key != name}
    return whole, components


def _may_be_unset(node):
    """Whether a field may hold UNSET, which is not written."""
    return any(one.kind == "unset" for one in _opened(node))


def merged(one, other):
    """JSON of two sayings as one: dicts are merged and lists joined; otherwise the second goes."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one | {key: merged(one[key], value) if key in one else value for key, value in other.items()}
    if isinstance(one, list) and isinstance(other, list):
        return one + other
    return other


def metadata(node):
    """What is said of a node for schemas, and what is said beside; None for nothing."""
    schema = extra = None
    for meta in node.metas:
        if type(meta) is Discriminator:
            continue
        words = {
            name: value
            for name in ("title", "description", "examples")
            if (value := getattr(meta, name)) is not None
        }
        if words or meta.extra_json_schema is not None:
            schema = merged(merged(schema or {}, words), meta.extra_json_schema or {})
        if meta.extra is not None:
            extra = (extra or {}) | meta.extra
    return schema, extra


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


class Writer:
    """Writes nodes as schemas: of what is read, of what is written, or as `oxwire.compat.msgspec` has them."""

    def __init__(self, roots, mode, hook, template):
        self.output, self.msgspec = mode == "serialization", mode == "msgspec"
        self.hook, self.template = hook, template
        # What models of another library refer to.
        self.foreign = {}
        found, stack, seen = {}, list(reversed(roots)), set()
        while stack:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.kind in _FIELDS or node.kind == "enum" or (node.kind == "alias" and _holds_itself(node)):
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

    def all(self):
        """All components by name."""
        return self.foreign | {name: self.component(node) for name, node in self.components.items()}

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
        if found is None and hasattr(node.cls, "__pydantic_core_schema__"):
            found = self.model(node.cls)
        if found is None and not said:
            raise TypeError(
                "Generating JSON schema for custom types requires either:\n- specifying a `schema_hook`\n"
                f"- annotating the type with `Meta(extra_json_schema=...)`\n\ntype {node.cls!r} is not supported"
            )
        return merged(found or {}, said)

    def model(self, cls):
        """A model of pydantic says by itself what it is."""
        from pydantic import TypeAdapter

        mode = "serialization" if self.output else "validation"
        template = self.template.replace("{name}", "{model}")
        found = TypeAdapter(cls).json_schema(mode=mode, ref_template=template)
        for name, one in ({cls.__name__: found} | found.pop("$defs", {})).items():
            if name in self.components or self.foreign.get(name, one) != one:
                raise TypeError(f"Two classes would both be the component {name!r} of a schema")
            self.foreign[name] = one
        return {"$ref": self.template.format(name=cls.__name__)}

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
            configs = [one.cls.__struct_config__ for one in structs]
            (field,) = fields if len(fields := {one.tag_field for one in configs}) == 1 else (None,)
            if field is not None and not any(one.array_like for one in configs):
                mapping = {one.tag: ref["$ref"] for one, ref in zip(configs, refs, strict=True)}
                group["discriminator"] = {"propertyName": field, "mapping": mapping}
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
            if name in (*_NUMBERS, "version") and found["type"] == "string":
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
            if [one.kind for one in members(key)] == ["str"]:
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

    def component(self, node, flat=False):
        cls = node.cls
        if node.kind == "alias":
            return self.write(node, True)
        found = {"title": _title(node.type), **_description(cls)}
        if node.kind == "enum" and issubclass(cls, enum.Flag) and not self.msgspec:
            # Flags together are a value, too.
            return found | {"type": "integer"}
        if node.kind == "enum":
            return found | {"enum": sorted(enum_values(cls))}
        config = getattr(cls, "__struct_config__", None)
        properties, required = {}, []
        if config is not None and config.tag is not None:
            properties[config.tag_field] = {"enum": [config.tag]}
            required.append(config.tag_field)
        fields = sorted(node.fields) if node.kind == "typeddict" else node.fields
        array = node.kind == "namedtuple" or (config is not None and config.array_like)
        # Whether what need not be read need not be written either.
        omits = node.kind == "typeddict" or (config is not None and config.omit_defaults)
        _, computed, _, said = getattr(cls, "__struct_more__", None) or _NOTHING
        within, either = [], []
        for attribute, name, inner, state, default, _ in fields:
            marks, aliases = (said[attribute].marks, said[attribute].alias) if attribute in said else (0, ())
            if marks & (EXCLUDE if self.output else NO_INIT):
                continue
            if marks & FLATTEN:
                within.append((inner, state == REQUIRED))
                continue
            one = self.write(inner)
            sure = state == REQUIRED
            if self.output:
                unset = default is UNSET or _may_be_unset(inner)
                sure = array or ((sure or not omits) and not unset)
            aliases = () if self.output or array else aliases
            if sure and aliases:
                either.append({"anyOf": [{"required": [key]} for key in (name, *aliases)]})
            elif sure:
                required.append(name)
            if state == VALUE and default is not UNSET:
                one["default"] = _to_builtins(default)
            elif state == FACTORY and config is not None and default in _EMPTY:
                one["default"] = _to_builtins(default())
            properties |= dict.fromkeys((name, *aliases), one)
        forbid = config is not None and config.forbid_unknown_fields
        if array:
            # Without fields, msgspec's has a list here that a schema may not have.
            empty = {"prefixItems": []} if self.msgspec else {}
            least = max((i for i, name in enumerate(properties, 1) if name in required), default=0)
            found |= {"type": "array"} | empty | self.fixed([*properties.values()], least)
            if config is not None and not forbid:
                del found["maxItems"]
            return found
        found |= {"type": "object", "properties": properties, "required": required}
        if either:
            found["allOf"] = either
        if self.output:
            for one, key in computed.items():
                said, sure = self.computed(getattr(cls, one))
                properties[key] = {"readOnly": True} | said
                required += [key] * sure
        else:
            # What was written can be read again.
            ignored = (
                name
                for attribute, name, *_ in fields
                if attribute in said and said[attribute].marks & NO_INIT
            )
            properties |= dict.fromkeys((*computed.values(), *ignored), _IGNORED)
        if forbid or others(cls) == ():
            found["additionalProperties"] = False
        elif node.kind == "typeddict" and node.args:
            found["additionalProperties"] = self.write(node.args[0])
        for inner, sure in within:
            self.flatten(found, inner, sure)
        if not flat and "additionalProperties" not in found:
            # Other keys may be anything, and so these need not be named.
            named = {key: one for key, one in found["properties"].items() if one is not _IGNORED}
            found["properties"] = named
        return found

    def flatten(self, found, node, sure):
        """Puts what a field holds beside the others."""
        inner = members(node)
        for one in inner:
            if one.kind == "struct":
                other, tag = self.component(one, True), one.cls.__struct_config__.tag_field
                if tag and not self.output:
                    # It is passed over.
                    other["properties"][tag] = {}
                    other["required"].remove(tag)
                found["properties"] |= other["properties"]
                if sure and len(inner) == 1:
                    found["required"] += other["required"]
                    found.setdefault("allOf", []).extend(other.get("allOf", ()))
            elif one.kind == "dict":
                found["additionalProperties"] = self.write(one.args[1])
        if not found.get("allOf", True):
            del found["allOf"]

    def computed(self, one):
        """What a computed field says that it gives, unless that has components of its own; and whether it is written."""
        from typing import get_type_hints

        hint = get_type_hints(one.fget, include_extras=True).get("return")
        if hint is None:
            return {}, True
        (node,) = nodes((hint,))
        stack = [node]
        while stack:
            inner = stack.pop()
            if inner.kind in _FIELDS or inner.kind in ("enum", "alias", "custom"):
                return {}, not _may_be_unset(node)
            if inner.kind != "literal":
                stack.extend(inner.args)
        return self.write(node), not _may_be_unset(node)
