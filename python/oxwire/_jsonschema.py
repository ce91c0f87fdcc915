"""Documents before a JSON Schema (2020-12, and what older ones spell otherwise): `python -m oxwire validate --schema`.

It asks the schema itself and not types made of it, so it says all that is wrong. Formats are words only, as the specification has
it. What may surprise: what a schema says in ways that are not known here (other files, `unevaluatedProperties`) is an Unknown, for a
document must not be called valid by a reader that has not understood.
"""

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

_Faults = Iterator[tuple[str, str]]
_UNKNOWN = ("$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties")


class Unknown(Exception):
    """What a schema says that nothing is known of."""


def _kind(value: Any) -> str:
    for kind, types in _TYPES.items():
        if isinstance(value, types) and not (isinstance(value, bool) and kind != "boolean"):
            return kind
    return type(value).__name__


_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (float,),
    "string": (str,),
    "array": (list, tuple),
    "object": (dict,),
}


def _is(kind: str, value: Any) -> bool:
    found = _kind(value)
    whole = found == "number" and value == value // 1
    return found == kind or (kind == "number" and found == "integer") or (kind == "integer" and whole)


def _frozen(value: Any) -> Any:
    # Equal for values that are one in JSON: 1 and 1.0, but not 1 and true.
    if isinstance(value, dict):
        return "object", frozenset((key, _frozen(one)) for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return "array", tuple(map(_frozen, value))
    return isinstance(value, bool), value


def _step(path: str, key: Any) -> str:
    if isinstance(key, str) and key.isidentifier():
        return f"{path}.{key}"
    return f"{path}[{key!r}]"


class Validator:
    """One schema, in which references are looked up."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.anchors: dict[str, Any] = {}
        stack = [root]
        while stack:
            one = stack.pop()
            if isinstance(one, dict):
                if isinstance(one.get("$anchor"), str):
                    self.anchors[one["$anchor"]] = one
                stack.extend(one.values())
            elif isinstance(one, list):
                stack.extend(one)

    def faults(self, value: Any, schema: Any = None, path: str = "$") -> _Faults:
        """(path, message) of all that is wrong with a value. Raises Unknown."""
        schema = self.root if schema is None else schema
        if schema is False:
            yield path, "Nothing may stand here"
        if not isinstance(schema, dict):
            return
        for word in _UNKNOWN:
            if word in schema:
                raise Unknown(f"`{word}` is not known here")
        if "$ref" in schema:
            yield from self.faults(value, self.found(schema["$ref"]), path)
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(_is(kind, value) for kind in kinds):
            yield path, f"Expected {' or '.join(f'`{kind}`' for kind in kinds)}, got `{_kind(value)}`"
            return
        allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if allowed is not None and _frozen(value) not in [_frozen(one) for one in allowed]:
            yield path, f"Expected one of {allowed!r}" if len(allowed) != 1 else f"Expected {allowed[0]!r}"
        yield from self.combined(value, schema, path)
        kind = _kind(value).replace("integer", "number")
        if kind in _OF:
            yield from self.sized(kind, value, schema, path)
            yield from _OF[kind](self, value, schema, path)

    def found(self, ref: str) -> Any:
        if not ref.startswith("#"):
            raise Unknown(f"the reference {ref!r} leads to another document")
        if not ref[1:].startswith("/"):
            if ref[1:] and ref[1:] not in self.anchors:
                raise Unknown(f"the reference {ref!r} leads nowhere")
            return self.anchors[ref[1:]] if ref[1:] else self.root
        one = self.root
        try:
            for step in ref[2:].split("/"):
                step = step.replace("~1", "/").replace("~0", "~")
                one = one[int(step)] if isinstance(one, list) else one[step]
        except (LookupError, TypeError, ValueError):
            raise Unknown(f"the reference {ref!r} leads nowhere") from None
        return one

    def takes(self, value: Any, schema: Any) -> bool:
        return next(self.faults(value, schema), None) is None

    def combined(self, value: Any, schema: dict[str, Any], path: str) -> _Faults:
        for one in schema.get("allOf", ()):
            yield from self.faults(value, one, path)
        for word in "anyOf", "oneOf":
            if word not in schema:
                continue
            told = [list(self.faults(value, one, path)) for one in schema[word]]
            if all(told):
                # That which goes deepest into the value is what was most likely meant.
                best = max(told, key=lambda one: (max(len(where) for where, _ in one), -len(one)))
                if len(told) == 1 or any(where != path for where, _ in best):
                    yield from best
                else:
                    yield path, " or ".join(dict.fromkeys(message for one in told for _, message in one))
            elif word == "oneOf" and sum(not one for one in told) > 1:
                yield path, "More than one of the alternatives fit"
        if "not" in schema and self.takes(value, schema["not"]):
            yield path, "It is what it must not be"
        if "if" in schema:
            yield from self.faults(
                value, schema.get("then" if self.takes(value, schema["if"]) else "else", True), path
            )

    def sized(self, kind: str, value: Any, schema: dict[str, Any], path: str) -> _Faults:
        for word, (of, sign, good) in _BOUNDS.items():
            if of == kind and word in schema:
                size = value if kind == "number" else len(value)
                if not good(size, schema[word]):
                    what = "" if kind == "number" else "length "
                    yield path, f"Expected {what}{sign} {schema[word]!r}, got {size!r}"

    def number(self, value: Any, schema: dict[str, Any], path: str) -> _Faults:
        step = schema.get("multipleOf")
        if step and (value / step) % 1 and value % step:
            yield path, f"Expected a multiple of {step!r}, got {value!r}"

    def string(self, value: str, schema: dict[str, Any], path: str) -> _Faults:
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield path, f"Expected text that matches {schema['pattern']!r}"

    def array(self, value: list[Any], schema: dict[str, Any], path: str) -> _Faults:
        prefix, rest = schema.get("prefixItems", []), schema.get("items", True)
        if isinstance(rest, list):
            prefix, rest = rest, schema.get("additionalItems", True)
        for at, one in enumerate(value):
            yield from self.faults(one, prefix[at] if at < len(prefix) else rest, f"{path}[{at}]")
        if schema.get("uniqueItems") and len({_frozen(one) for one in value}) < len(value):
            yield path, "Expected items that are all different"
        if "contains" in schema:
            count = sum(self.takes(one, schema["contains"]) for one in value)
            if not schema.get("minContains", 1) <= count <= schema.get("maxContains", count):
                yield path, f"{count} of the items are what some must be"

    def object(self, value: dict[Any, Any], schema: dict[str, Any], path: str) -> _Faults:
        for key in schema.get("required", ()):
            if key not in value:
                yield path, f"Object missing required field `{key}`"
        after = (
            schema.get("dependentRequired", {})
            | schema.get("dependentSchemas", {})
            | schema.get("dependencies", {})
        )
        for key, wanted in after.items():
            if key in value:
                wanted = {"required": wanted} if isinstance(wanted, list) else wanted
                yield from self.faults(value, wanted, path)
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        rest = schema.get("additionalProperties", True)
        for key, one in value.items():
            where = _step(path, key)
            if "propertyNames" in schema:
                yield from ((f"key in {path}", said) for _, said in self.faults(key, schema["propertyNames"]))
            of = [known[key]] if key in known else []
            of += [
                inner
                for pattern, inner in patterns.items()
                if isinstance(key, str) and re.search(pattern, key)
            ]
            if not of and rest is False:
                yield path, f"Object contains unknown field `{key}`"
                continue
            for inner in of or [rest]:
                yield from self.faults(one, inner, where)


_OF: dict[str, Callable[[Validator, Any, dict[str, Any], str], _Faults]] = {
    kind: getattr(Validator, kind) for kind in ("number", "string", "array", "object")
}
# What is compared, by which kind has it: the number itself, or how many characters, items or keys there are.
_BOUNDS = {
    f"{word}{of}": (kind, sign, good)
    for of, kind in {"imum": "number", "Length": "string", "Items": "array", "Properties": "object"}.items()
    for word, sign, good in (("min", ">=", operator.ge), ("max", "<=", operator.le))
}
_BOUNDS["exclusiveMinimum"] = "number", ">", operator.gt
_BOUNDS["exclusiveMaximum"] = "number", "<", operator.lt
