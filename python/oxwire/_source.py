"""Struct classes as Python source, for `python -m oxwire infer`: what samples or a schema have said, written down.

`Source` gathers classes and gives each a name that nothing else has; its text is the same whenever it is made of the same. What may
surprise: the module begins with `from __future__ import annotations`, so that classes may stand in any order and a field may
have the name of a type.
"""

import keyword
import re
import unicodedata
from typing import Any, NamedTuple

from . import json

_FROM = {
    "typing": ("Annotated", "Any", "Literal"),
    "datetime": ("date", "datetime", "time", "timedelta"),
    "decimal": ("Decimal",),
    "uuid": ("UUID",),
    "oxwire": ("UNSET", "Meta", "Struct", "UnsetType", "field"),
}
_MODULES = {name: module for module, names in _FROM.items() for name in names}
_BUILTIN = ("bool", "bytes", "dict", "float", "int", "list", "None", "set", "str", "tuple")
_WIDTH = 88
# How classes may spell all their names at once: how a name is split, and made again.
_RULES = {
    "camel": lambda words: words[0] + "".join(map(str.capitalize, words[1:])),
    "pascal": lambda words: "".join(map(str.capitalize, words)),
    "kebab": "-".join,
}


_TEXT = re.compile(r'"(\\.|[^"\\])*"')


def literal(value: Any) -> str:
    """A value of JSON as Python spells it, with double quotes."""
    if isinstance(value, str):
        return json.encode(value).decode()
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(one)}' for key, one in value.items())}}}"
    return repr(value)


def class_name(text: str) -> str:
    """What a class is called after a key, a title or a file."""
    words = re.findall(r"[^\W_]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name.isidentifier() else f"Item{name}"


def singular(text: str) -> str:
    """What one of many is called."""
    for ending, one in ("ies", "y"), ("sses", "ss"), ("tuses", "tus"), ("s", ""):
        if text.endswith(ending) and len(text) > len(ending) + 1 and not text.endswith(("ss", "us", "is")):
            return text[: -len(ending)] + one
    return text


def joined(parts: list[str]) -> str:
    """A union of types, each once; anything joined with `Any` is that."""
    found = list(dict.fromkeys(part for whole in parts for part in _split(whole)))
    if "Any" in found:
        return "Any"
    if "None" in found:
        found.remove("None")
        found.append("None")
    return " | ".join(found) or "Any"


def _split(union: str) -> list[str]:
    # Its members: the bars that stand in no brackets and no quotes part them.
    found, part = [], ""
    for piece in union.split(" | "):
        part += f" | {piece}" if part else piece
        bare = _TEXT.sub("", part)
        if '"' not in bare and bare.count("[") == bare.count("]"):
            found.append(part)
            part = ""
    return found


class Field(NamedTuple):
    """A field: its name outside, its type, and its default: None for none, else `= ...` or, as a function, `default_factory=`."""

    key: str
    type: str
    default: str | None = None
    factory: str | None = None


class Record:
    """A class to be written."""

    def __init__(self, name: str, fields: list[Field], doc: str = "", forbid: bool = False) -> None:
        self.name, self.fields, self.doc, self.forbid = name, fields, doc, forbid
        self.tag: tuple[str, Any] | None = None
        # What it would be called if nothing else were.
        self.base = name

    def same(self) -> Any:
        """What two classes of one name share if they are one."""
        return self.fields, self.doc, self.forbid, self.tag


class Source:
    """The classes and aliases of a module."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.records: dict[str, Record] = {}
        self.aliases: dict[str, str] = {}
        self.taken = {*_MODULES, *_BUILTIN, *keyword.kwlist}

    def free(self, name: str, within: str = "") -> str:
        """A name that nothing had: with that of what it is in before it, or else a number behind."""
        tried, count = name, 2
        while tried in self.taken:
            if tried == name and within:
                tried = within + name
            else:
                tried, count = f"{name}{count}", count + 1
        self.taken.add(tried)
        return tried

    def text(self) -> str:
        """The module."""
        blocks = [self._record(one) for one in self.records.values()]
        aliases = [f"{name} = {text}" for name, text in self.aliases.items()]
        fields = [field for one in self.records.values() for field in one.fields]
        said = " ".join([*self.aliases.values(), *(f"{one.type} {one.default}" for one in fields)])
        used = _mentioned(said) | {"Struct" if blocks else ""}
        # As a call: a text or a name that looks alike is not followed by one.
        used |= {"field"} if any(" = field(" in block for block in blocks) else {*()}
        groups = [f"# Made by `oxwire infer` from {self.origin}.\nfrom __future__ import annotations"]
        imports = []
        for module, names in sorted(_FROM.items()):
            wanted = ", ".join(name for name in names if name in used)
            imports += [f"from {module} import {wanted}"] * bool(wanted)
        ours = [one for one in imports if one.startswith("from oxwire")]
        groups += filter(None, ("\n".join(one for one in imports if one not in ours), *ours))
        body = "\n\n\n".join([*blocks, *filter(None, ["\n".join(aliases)])])
        return "\n\n".join(groups) + f"\n\n\n{body}\n"

    def _record(self, record: Record) -> str:
        keys = [field.key for field in record.fields]
        rule, names = _named(keys)
        types = _mentioned(" ".join(field.type for field in record.fields))
        options = ["Struct"]
        if rule:
            options.append(f'rename="{rule}"')
        if record.tag is not None:
            name, value = record.tag
            options += [f"tag_field={literal(name)}"] * (name != "type") + [f"tag={literal(value)}"]
        if record.forbid:
            options.append("forbid_unknown_fields=True")
        lines = [_fitting(f"class {record.name}(", options, "):")]
        if record.doc:
            lines.append(_words(record.doc))
            lines += [""] * bool(record.fields)
        taken: set[str] = set()
        both = zip(record.fields, names, strict=True)
        # What has no default goes first.
        for field, name in sorted(both, key=lambda one: bool(one[0].default or one[0].factory)):
            # What annotations and defaults are said with must stay what it is.
            if name in types or name in self.records or name in ("UNSET", "dict", "field", "list"):
                name += "_"
            while name in taken:
                name += "_"
            taken.add(name)
            told = "" if spelled(rule, name) == field.key else f"name={literal(field.key)}"
            lines.append(_field(name, field, told))
        if not record.fields and not record.doc:
            lines.append("    pass")
        return "\n".join(lines)


def _mentioned(code: str) -> set[str]:
    # The names in code, and not what looks alike in its texts.
    return set(re.findall(r"\w+", _TEXT.sub("", code)))


def _named(keys: list[str]) -> tuple[str, list[str]]:
    # The rule that gives the keys which are to be had by a rule, if there is one, and the names of the fields.
    plain = [_identifier(key) for key in keys]
    for rule, signs in ("camel", r"\w+"), ("pascal", r"\w+"), ("kebab", r"[\w-]+"):
        names = list(plain)
        for at, key in enumerate(keys):
            snaked = key.replace("-", "_")
            if rule != "kebab":
                snaked = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
            if re.fullmatch(signs, key) and _identifier(snaked) == snaked:
                names[at] = snaked
        gives = [spelled(rule, name) == key for name, key in zip(names, keys, strict=True)]
        # One that is no identifier may be told apart, if the rule still tells most.
        told = all(given or name == was for given, name, was in zip(gives, names, plain, strict=True))
        useful = any(given and name != key for given, name, key in zip(gives, names, keys, strict=True))
        if useful and told and sum(gives) * 2 > len(keys) and len({*names}) == len(names):
            return rule, names
    return "", plain


def spelled(rule: str, name: str) -> str | None:
    """What a field is called outside; None if rules differ on that."""
    if not rule:
        return name
    return None if name.endswith("_") else _RULES[rule](name.split("_"))


def _identifier(key: str) -> str:
    # Python takes an identifier in its normal form.
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", key))
    if not name.isidentifier() or not name[0].isalpha():
        name = f"field_{name.strip('_')}".rstrip("_")
    if not name.isidentifier():
        name = re.sub(r"[^A-Za-z0-9_]+", "_", name)
    return f"{name}_" if keyword.iskeyword(name) else name


def is_unsayable(key: str) -> bool:
    """Whether no field can have this name."""
    return any(letter < " " or letter in '\\"' for letter in key)


def _field(name: str, field: Field, told: str) -> str:
    given = [f"default_factory={field.factory}"] if field.factory else []
    if told and field.default is not None:
        given.append(f"default={field.default}")
    given += [told] * bool(told)
    line = f"    {name}: {field.type}"
    if given:
        return _fitting(f"{line} = field(", given, ")")
    line += "" if field.default is None else f" = {field.default}"
    # Values that are told apart are a list like arguments.
    values = re.fullmatch(r'(    \w+: Literal\[)("[^|\]]+")(\])', line)
    return _fitting(values[1], values[2].split(", "), values[3]) if values else line


def _fitting(head: str, parts: list[str], tail: str) -> str:
    # On one line, or on three, or on one for each part, as formatters have it.
    line = head + ", ".join(parts) + tail
    if len(line) <= _WIDTH:
        return line
    indent = " " * (len(head) - len(head.lstrip()))
    inner = f"{indent}    {', '.join(parts)}"
    if len(inner) <= _WIDTH:
        return f"{head}\n{inner}\n{indent}{tail}"
    return head + "".join(f"\n{indent}    {part}," for part in parts) + f"\n{indent}{tail}"


def _words(doc: str) -> str:
    # A docstring of whatever text: nothing in it ends it.
    lines = [literal(line.strip())[1:-1] for line in doc.strip().splitlines()]
    end = "\n    " if len(lines) > 1 else ""
    text = "\n    ".join(lines).replace("\n    \n", "\n\n")
    return f'    """{text}{end}"""'
