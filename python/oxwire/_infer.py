"""`python -m oxwire infer`: Struct classes for samples, or for a JSON Schema (`_unschema`), as Python source.

All that stands in one place of the samples is looked at together: a key that some lack may be left out, values of several kinds are a union,
texts that are all dates are dates. What may surprise: a type says what was seen, and no more; a few texts that come again and
again become a Literal, and a sample to come may have another one.
"""

import argparse
import os
import re
import sys
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from . import ValidationError, convert
from . import json as _json
from . import msgpack as _msgpack
from ._convert import format_of
from ._shell import Out, open_in, reporting
from ._source import Field, Record, Source, class_name, is_unsayable, joined, literal, singular

_DEEPEST = 100  # levels that are looked into; what nests deeper may be anything
_FEW, _OFTEN = 8, 4  # texts that are a Literal: how many, how often each on average; and what they look like
_WORD = re.compile(r"[A-Za-z][\w.:/+-]{,39}", re.ASCII).fullmatch
_MANY = 64  # keys that no class has, if most of its samples lack most of them
_TAGS = ("type", "kind", "tag", "event", "op", "action", "object", "__type__")
# Keys that are data and no names: numbers, dates, UUIDs, hashes.
_DATA = re.compile(r"\d[\d.:TZ-]*|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|(?=.*\d)[0-9a-f]{16,}")
_NAME = re.compile(r"[^\W\d][\w.-]*")
_KINDS: dict[type, str] = {one: one.__name__ for one in (bool, int, float, str, bytes, list, dict)}
_KINDS |= {type(None): "None", tuple: "list"}
_ORDER = ("bool", "int", "float", "str", "datetime", "bytes", "list", "dict", "None")


_DAY, _CLOCK = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?"
# What texts are that look like it, all of them.
_MOMENTS: dict[type, str] = {
    UUID: r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    datetime: f"{_DAY}[Tt ]{_CLOCK}",
    date: _DAY,
    time: _CLOCK,
}


class _Samples:
    """Makes types of values, and classes of dicts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        # Dicts within dicts of the same class, by identity.
        self.claimed: dict[int, str] = {}

    def type(self, values: list[Any], name: str, within: str = "", depth: int = 0) -> str:
        """The type of what stands in one place, and after what its classes are called."""
        if depth > _DEEPEST:
            return "Any"
        kinds: dict[str, list[Any]] = {}
        for value in values:
            kind = _KINDS.get(type(value)) or ("datetime" if hasattr(value, "isoformat") else "Any")
            kinds.setdefault(kind, []).append(value)
        if "Any" in kinds or len(kinds.keys() & {"str", "bytes", "datetime"}) > 1:
            return "Any"
        if "float" in kinds:
            kinds.pop("int", None)
        made = []
        for kind in sorted(kinds, key=_ORDER.index):
            of = kinds[kind]
            if kind == "str":
                made.append(self.text(of))
            elif kind == "list":
                items = [item for one in of for item in one]
                made.append(f"list[{self.type(items, singular(name), within, depth + 1)}]")
            elif kind == "dict":
                made.append(self.dicts(of, name, within, depth + 1))
            else:
                made.append(kind)
        return joined(made)

    def text(self, values: list[str]) -> str:
        for type, looks in _MOMENTS.items():
            if all(map(re.compile(looks).fullmatch, values)):
                try:
                    convert(values, list[type])  # type: ignore[valid-type]
                except ValidationError:
                    continue
                return type.__name__
        few = sorted({*values})
        if 2 <= len(few) <= _FEW and len(few) * _OFTEN <= len(values) and all(map(_WORD, few)):
            return f"Literal[{', '.join(map(literal, few))}]"
        return "str"

    def dicts(self, values: list[dict[Any, Any]], name: str, within: str, depth: int) -> str:
        claims = {self.claimed.get(id(one)) for one in values}
        if len(claims) == 1 and None not in claims:
            return claims.pop() or "Any"
        keys = list(dict.fromkeys(key for one in values for key in one))
        if not keys:
            return "dict[str, Any]"
        are_texts = all(type(key) is str for key in keys)
        if not are_texts or _is_data(keys, values):
            inner = self.type(
                [value for one in values for value in one.values()], singular(name), within, depth
            )
            outer = "str" if are_texts else self.type(keys, name, within, depth)
            return f"dict[{outer}, {inner}]"
        for tag in _TAGS:
            groups = _tagged(tag, values)
            if groups:
                names = [
                    self.record(of, class_name(value), name, depth, (tag, value))
                    for value, of in groups.items()
                ]
                return joined(names)
        return self.record(values, class_name(name), within, depth)

    def record(
        self, values: list[dict[str, Any]], name: str, within: str, depth: int, tag: Any = None
    ) -> str:
        whole = self.gathered(values)
        keys = list(dict.fromkeys(key for one in whole for key in one if tag is None or key != tag[0]))
        record = Record(self.source.free(name, within), [])
        record.tag = tag
        self.claimed |= {id(one): record.name for one in whole[len(values) :]}
        for key in keys:
            found = [one[key] for one in whole if key in one]
            kind = self.type(found, key, record.name, depth)
            default = None
            if len(found) < len(whole):
                default = "None" if kind.endswith("None") else "UNSET"
                kind = kind if kind in ("Any", "None") or default == "None" else f"{kind} | UnsetType"
            record.fields.append(Field(key, kind, default))
        for other in self.source.records.values():
            if other.base == name and other.same() == record.same():
                self.source.taken.discard(record.name)
                return other.name
        record.base = name
        self.source.records[record.name] = record
        return record.name

    def gathered(self, values: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """With dicts of the same keys that stand under a key which they have themselves: a tree is of one class."""
        keys = {key for one in values for key in one}
        found = list(values)
        for key in sorted(keys, key=str):
            layer, below = values, _within(values, key)
            if (
                not below
                or not any(key in one for one in below)
                or not all(one.keys() <= keys for one in below)
            ):
                continue
            for _ in range(_DEEPEST):
                layer = [one for one in _within(layer, key) if one.keys() <= keys]
                found += layer
        return found


def _within(values: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    # The dicts that stand under a key, alone or in lists.
    inside = [one[key] for one in values if key in one]
    items = [item for one in inside for item in (one if isinstance(one, list) else [one])]
    return [item for item in items if isinstance(item, dict)]


def _is_data(keys: list[str], values: list[dict[str, Any]]) -> bool:
    # Whether keys are data, and so what is under them is all of one type.
    if all(map(_DATA.fullmatch, keys)) or any(map(is_unsayable, keys)):
        return True
    if len(keys) > 2 and sum(not _NAME.fullmatch(key) for key in keys) * 2 > len(keys):
        return True
    return len(keys) > _MANY and sum(map(len, values)) * 2 < len(keys) * len(values)


def _tagged(tag: str, values: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    # The dicts by what a key says, if that tells which other keys they have.
    if not all(isinstance(one.get(tag), str) for one in values):
        return {}
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in values:
        groups.setdefault(one[tag], []).append(one)
    if not 2 <= len(groups) <= 4 * _FEW:
        return {}
    of_all = _lacked(values)
    return groups if of_all and 2 * sum(map(_lacked, groups.values())) <= of_all else {}


def _lacked(values: list[dict[str, Any]]) -> int:
    # How many keys some of the dicts lack.
    keys = {key for one in values for key in one}
    return sum(not all(key in one for one in values) for key in keys)


def documents(name: str, kind: str, limit: int | None = None) -> list[Any]:
    """The documents of a file: of NDJSON and MessagePack as many as there are, of JSON one."""
    with reporting(name), open_in(name) as opened:
        if kind == "json":
            return [_json.decode(opened.read())]
        found: list[Any] = []
        for one in _json.iter_lines(opened) if kind == "ndjson" else _msgpack.iter_messages(opened):
            if len(found) == limit:
                break
            found.append(one)
        return found


def inferred(values: list[Any], name: str, origin: str) -> str:
    """The source of classes for some documents, which may also be lists of what is of one class."""
    root = class_name(name)
    source = Source(origin)
    found = _Samples(source).type(values, name)
    if found != root:
        # The name is that of a document. If a class has taken it, another is found for that.
        if root in source.records:
            source = Source(origin)
            source.taken.add(root)
            found = _Samples(source).type(values, name)
            source.taken.discard(root)
        source.aliases[source.free(root)] = found
    return source.text()


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command with the options that the parser took."""
    if options.schema and len(options.files) > 1:
        parser.error("--schema takes one FILE")
    base = os.path.basename(options.files[0]).split(".")[0] if options.files[0] != "-" else ""
    name = class_name(options.name or base or "model")
    values: list[Any] = []
    for file in options.files:
        kind = "json" if options.schema else format_of(file, options.source, "--from", parser)
        values += documents(file, kind, options.limit)
    origin = ", ".join(
        os.path.basename(file).encode("ascii", "backslashreplace").decode() for file in options.files
    )
    origin = origin.replace("\n", "\\n") if origin != "-" else "standard input"
    if options.schema:
        from ._unschema import from_schema

        with reporting(options.files[0]):
            text = from_schema(values[0], name, origin)
    else:
        text = inferred(values, name, origin)
    with Out(options.output) as sink:
        sink.write(text.encode())
    sys.stdout.flush()
    return 0
