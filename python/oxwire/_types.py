"""Types as programs for the extension: which kinds of value each place takes, and what becomes of them.

A program is `(root, plans, arrays, maps, records)`, tuples that refer to one another by index; a type that holds
itself refers back. What may surprise: a union is one plan, whose alternatives are told apart by the kind of the
value alone, as they are in msgspec. Two of one kind are refused by `_Union`, with msgspec's words; what more can be told
apart than that is the affair of `_unions`, which is imported when it is needed.
"""

import enum
import math
import sys

from ._annotations import ABSENT, _opened, discriminators, members, read
from ._define import makes_tuples, others
from ._meta import _NUMBERS, _SIGNS

__all__ = ["enum_values", "narrow", "nodes", "program", "type_name"]

(
    ANY, NONE, BOOL, INT, FLOAT, STR, BYTES, BYTEARRAY, MEMORYVIEW, DATETIME, DATE, TIME, TIMEDELTA, UUID, DECIMAL,
    EXT, RAW, CUSTOM, VALUES_STR, VALUES_INT, ARRAY, MAP, TRUE, FALSE, NUMBERS,
) = (1 << i for i in range(25))  # fmt: skip
STRICT, LAX = 1 << 30, 1 << 31

# Of the checks, what makes a value by a call instead.
MAKES = 11

_words = str.split
_SCALARS = _words(
    "any none bool int float str bytes bytearray memoryview datetime date time timedelta uuid decimal ext raw custom"
)
_BITS = {word: 1 << i for i, word in enumerate(_SCALARS)}
_ARRAYS = {"list": 0, "vartuple": 1, "set": 2, "frozenset": 3, "tuple": 4}
_BITS |= dict.fromkeys((*_ARRAYS, "namedtuple"), ARRAY)
_BITS["numbers"] = NUMBERS
_BITS |= dict.fromkeys(("dict", "dataclass", "attrs", "typeddict"), MAP)
_NAMES = (
    (RAW, "raw"),
    (BOOL | TRUE | FALSE, "bool"),
    (INT | VALUES_INT, "int"),
    (FLOAT, "float"),
    (STR | VALUES_STR, "str"),
    (BYTES | BYTEARRAY | MEMORYVIEW, "bytes"),
    (DATETIME, "datetime"),
    (DATE, "date"),
    (TIME, "time"),
    (TIMEDELTA, "duration"),
    (UUID, "uuid"),
    (DECIMAL, "decimal"),
    (EXT, "ext"),
    (MAP, "object"),
    (ARRAY | NUMBERS, "array"),
    (NONE, "null"),
)
# Kinds that messages call otherwise than `_BITS` does.
_WORDS = {
    **dict.fromkeys((BYTEARRAY, MEMORYVIEW), "bytes"),
    **dict.fromkeys((ARRAY, NUMBERS), "array"),
    MAP: "object",
    TIMEDELTA: "duration",
}
_STRINGS = (
    STR | BYTES | BYTEARRAY | MEMORYVIEW | DATETIME | DATE | TIME | TIMEDELTA | UUID | DECIMAL | VALUES_STR
)
_MORE = "Type unions may not contain more than one "
_STRUCTS = "If a type union contains multiple Struct types, all Struct types must "
_LIKES = {
    "array": _MORE
    + "array-like type (`Struct(array_like=True)`, `list`, `set`, `frozenset`, `tuple`, `NamedTuple`)",
    "dict": _MORE + "dict-like type (`Struct`, `dict`, `TypedDict`, `dataclass`)",
    "int": _MORE + "int-like type (`int`, `Enum`, `Literal[int values]`)",
    "str": _MORE
    + "str-like type (`str`, `Enum`, `Literal[str values]`, `datetime`, `date`, `time`, `timedelta`, `uuid`, "
    "`decimal`, `bytes`, `bytearray`)",
}
# Of these a union may have one, which is said before anything else is.
_ONCE = {
    "custom": "custom",
    "dict": "dict",
    "typeddict": "TypedDict",
    "dataclass": "dataclass or attrs",
    "attrs": "dataclass or attrs",
    "namedtuple": "NamedTuple",
    **dict.fromkeys(_ARRAYS, "array-like (list, set, tuple)"),
}


def type_name(cls):
    """A class as messages call it."""
    heap = cls.__flags__ & 1 << 9 or cls.__module__ == "builtins"
    return cls.__name__ if heap else f"{cls.__module__}.{cls.__name__}"


def _names(takes, custom):
    if takes & ANY:
        return "any"
    if custom:
        return type_name(custom[1])
    return " | ".join(name for bits, name in _NAMES if takes & bits)


def enum_values(cls):
    """{value on the wire: member} of an enumeration, all str or all int."""
    values = {member._value_: member for member in cls.__members__.values()}
    if not values:
        raise TypeError("Enum types must have at least one item, {} is invalid")
    if set(map(type, values)) not in ({str}, {int}):
        raise TypeError(
            f"Enums must contain either all str or all int values - type `{cls!r}` is not supported"
        )
    return values


def wire_value(value):
    """A value of a Literal as it stands on the wire."""
    return value._value_ if isinstance(value, enum.Enum) else value


def _checks(node, bits=None):
    """The checks of one node. Bounds include themselves, and those of ints are whole."""
    meta = node.meta
    if bits is None:
        bits = _BITS.get(node.kind, 0)
    word = _WORDS.get(bits, node.kind)
    if node.kind in ("codec", "custom"):
        word = type_name(node.cls)
    checks = []

    def add(op, operand, text, *more):
        checks.append((bits, op, operand, node.words.get(name) or f"Expected `{word}` {text}", *more))

    for name, value in meta.items():
        if name in ("shape", "typecode"):
            # They are part of what the type is.
            continue
        if name == "version" or (name in _NUMBERS and node.kind not in ("int", "float")):
            from ._codecs import question

            add(13, *question(node, name, value))
        elif name in _SIGNS:
            op, sign = [*_SIGNS].index(name), _SIGNS[name]
            if node.kind == "float":
                bound = value = float(value)
                if op % 2:
                    bound = math.nextafter(value, (2 - op) * math.inf)
            elif op < 2:
                sign, bound = ">=", math.floor(value) + 1 if op else math.ceil(value)
            else:
                sign, bound = "<=", math.ceil(value) - 1 if op == 3 else math.floor(value)
            add(op & 2, bound, f"{sign} {(value if node.kind == 'float' else bound)!r}")
        elif name == "multiple_of":
            value = float(value) if node.kind == "float" else value
            add(4, value, f"that's a multiple of {value!r}")
        elif name == "pattern":
            import re

            from ._patterns import table

            add(7, re.compile(value).search, f"matching regex {value!r}", table(value) or b"")
        elif name == "tz":
            add(8 if value else 9, None, f"with {'a' if value else 'no'} timezone component")
        else:
            op, sign = (5, ">=") if name == "min_length" else (6, "<=")
            add(op, value, f"of length {sign} {value}")
    return checks


def _holds(check, value):
    _, op, operand, *_ = check
    if op == 7:
        return operand(value) is not None
    return (
        (value >= operand, 0, value <= operand, 0, value % (operand or 1) == 0)[op]
        if op < 5
        else (len(value) >= operand if op == 5 else len(value) <= operand)
    )


def _kept(cls):
    return lambda o: o if isinstance(o, cls) else NotImplemented


class Refused(TypeError):
    # A union that the kinds of values alone do not decide.
    pass


class _Union:
    """The alternatives of a place, merged: at most one for each kind of value."""

    def __init__(self, node):
        self.type, self.takes, self.checks, self.values, self.apart = node.type, 0, [], {}, False
        self.missing = self.custom = self.array = self.map = None
        # What types that stand as others take, what of it more than one does, and the Structs among them.
        self.owned = self.shared = 0
        self.made = ()
        self.structs, self.literals = [], {}
        once, likes, kept, askers = set(), {"int": 0, "str": 0, "array": 0, "dict": 0}, {}, {}
        nodes = members(node)
        if any(one.kind == "any" for one in nodes):
            self.takes = ANY
            return
        if node.kind in ("union", "alias") and discriminators(node):
            self.refuse("A discriminator has no meaning here")
        for one in nodes:
            kind, bits = one.kind, _BITS.get(one.kind, 0)
            if kind == "struct":
                self.struct(one)
            elif kind == "literal":
                for value in one.args:
                    self.literal(value)
            elif kind == "enum":
                values = enum_values(one.cls)
                bits = VALUES_STR if isinstance(next(iter(values)), str) else VALUES_INT
                word = "str" if bits == VALUES_STR else "int"
                if self.takes & bits:
                    self.refuse(f"{_MORE}{word} enum type")
                likes[word] += 1
                self.values |= values
                if getattr(one.cls._missing_, "__func__", None) is not enum.Enum._missing_.__func__:
                    askers[word] = one.cls
            elif kind in ("codec", "numbers"):
                from ._codecs import merge

                merge(self, one, likes)
                continue
            elif kind in _ONCE:
                if _ONCE[kind] in once:
                    self.refuse(f"{_MORE}{_ONCE[kind]} type")
                once.add(_ONCE[kind])
                if bits == CUSTOM:
                    self.custom = one.type, one.cls
                    if hasattr(one.cls, "__pydantic_validator__"):
                        from ._pydantic import maker

                        self.checks.append((CUSTOM, MAKES, maker(one.cls), _kept(one.cls)))
                elif bits == ARRAY:
                    self.array = one
                    likes["array"] += 1
                else:
                    self.map = one
                    likes["dict"] += 1
            elif kind in kept:
                # The same again says nothing new; without bounds, it takes what the other does.
                old = kept[kind]
                if old.meta != one.meta and old.meta and one.meta:
                    word = {INT: "int", FLOAT: "float"}.get(bits, "str")
                    self.refuse(_LIKES.get(word, f"{_MORE}`float` type with bounds"))
                if not one.meta:
                    self.checks = [check for check in self.checks if check[0] != bits]
                    kept[kind] = one
                continue
            else:
                kept[kind] = one
                likes["int"] += bits == INT
                likes["str"] += bool(bits & _STRINGS)
            self.takes |= bits
            self.checks += _checks(one)
        if self.structs:
            arrays = self.structs[0].cls.__struct_config__.array_like
            likes["array" if arrays else "dict"] += 1
            self.takes |= ARRAY if arrays else MAP
        self.merge(likes)
        if self.owned & (self.takes | self.shared):
            self.refuse("Type unions may not contain a type that stands on the wire as another of them does")
        if self.owned & NUMBERS and (self.takes | self.owned) & MAP:
            self.refuse("Type unions may not contain an array of numbers and an object")
        self.takes |= self.owned
        self.structs = self.structs or self.made
        self.apart = bool(self.made)
        self.missing = (
            _asked(askers) if len({*map(type, self.values)}) > 1 else next(iter(askers.values()), None)
        )
        if self.takes & CUSTOM and self.takes & ~(CUSTOM | NONE):
            self.refuse(
                "Type unions containing a custom type may not contain any additional types other than `None`"
            )
        for like in "array", "dict", "int", "str":
            if likes[like] > 1:
                self.refuse(_LIKES[like])

    def refuse(self, why):
        raise Refused(f"{why} - type `{self.type!r}` is not supported")

    def struct(self, node):
        config = node.cls.__struct_config__
        for other in (one.cls.__struct_config__ for one in self.structs):
            if config.tag is None or other.tag is None:
                self.refuse(_STRUCTS + "be tagged (via `tag` or `tag_field` kwarg)")
            if config.tag_field != other.tag_field:
                self.refuse(_STRUCTS + "have the same `tag_field`")
            if config.array_like != other.array_like:
                self.refuse(
                    "Type unions may not contain Struct types with `array_like=True` and `array_like=False`"
                )
            if isinstance(config.tag, str) != isinstance(other.tag, str):
                self.refuse("Type unions may not contain Struct types with both `int` and `str` tags")
            if config.tag == other.tag:
                self.refuse(_STRUCTS + "have unique `tag` values")
        self.structs.append(node)

    def literal(self, value):
        if value is None or isinstance(value, bool):
            self.takes |= NONE if value is None else TRUE if value else FALSE
        else:
            self.literals[wire_value(value)] = value

    def merge(self, likes):
        """Literals join the rest: they say nothing where any value of their kind is taken."""
        if self.takes & BOOL:
            self.takes &= ~(TRUE | FALSE)
        for kind, bits, values_bit in ("int", INT, VALUES_INT), ("str", STR, VALUES_STR):
            values = [value for value in self.literals if type(value).__name__ == kind]
            if not values:
                continue
            checks = [check for check in self.checks if check[0] == bits]
            found = {value: self.literals[value] for value in values}
            members = any(isinstance(value, enum.Enum) for value in found.values())
            if (
                self.takes & bits
                and not members
                and all(_holds(c, value) for c in checks for value in values)
            ):
                continue
            likes[kind] += 1
            self.takes |= values_bit
            self.values |= found


def _asked(askers):
    """Where there are values of both kinds, an enumeration is asked for its own kind only."""
    if not askers:
        return None

    def missing(value):
        cls = askers.get("str" if isinstance(value, str) else "int")
        return None if cls is None else cls(value)

    return missing


def _has_codec(node):
    return any(one.kind in ("codec", "numbers") for one in members(node))


def _is_told(node):
    """Whether there is more to be said of what may stand at a place than which kinds of value do."""
    return any(
        one.steps or any(meta.strict is not None for meta in one.metas) or None in one.words
        for one in _opened(node)
    )


def _all_bits(node):
    if node.kind == "codec":
        return 2 * NUMBERS - 1
    if node.kind == "struct":
        return ARRAY if node.cls.__struct_config__.array_like else MAP
    if node.kind in ("literal", "enum"):
        return VALUES_STR | VALUES_INT | NONE | TRUE | FALSE
    return ANY | ARRAY | MAP if node.kind == "any" else _BITS.get(node.kind, 0)


class _Program:
    """The tables; `narrow` ones are of types that msgspec has too."""

    def __init__(self, by_name=False, narrow=False, keep=False):
        self.by_name, self.narrow, self.keep, self.ordered = by_name, narrow, keep, False
        self.plans, self.arrays, self.maps, self.records = (
            [(ANY | ARRAY | MAP, "any", 0, 0, None, None, None, None)],
            [(0, (0,), -1, None)],
            [(0, 0, 0, -1, None, None)],
            [],
        )
        # By identity; the nodes are held by the graph.
        self.known, self.kinds, self.made, self.todo = {}, {ANY: 0}, {}, []

    def plan(self, node):
        told = _is_told(node)
        if not told:
            nodes = members(node)
            if len(nodes) == 1:
                node = nodes[0]
            if node.kind == "any":
                return 0
        index = self.known.get(id(node))
        if index is None:
            index = self.known[id(node)] = len(self.plans)
            self.plans.append(None)
            if told:
                self.plans[index] = self.told_row(node)
                return index
            try:
                union = _Union(node)
            except Refused:
                if self.narrow or _has_codec(node):
                    raise
                from ._unions import plan

                self.plans[index] = plan(self, node)
                return index
            if not (union.values or union.checks or union.custom or union.takes & (ARRAY | MAP | NUMBERS)):
                # What is nothing but its kinds is written down once.
                index = self.known[id(node)] = self.kinds.setdefault(union.takes, index)
                if self.plans[index] is not None:
                    self.plans.pop()
                    return index
            self.plans[index] = self.row(union)
        return index

    def told_row(self, node):
        """The plan of what is looked at, or strict, by words of its own."""
        from . import _fields

        found = _fields.before(node)
        if found is None:
            try:
                union = _Union(node)
            except Refused:
                if self.narrow or _has_codec(node):
                    raise
                if not _fields.is_said(node):
                    from ._unions import plan

                    return plan(self, node)
                found = _fields.before(node, True)
        if found is not None:
            # What can be said of the type is said now; the extension takes by it what one look settles.
            run, steps, bare = found
            inner = self.told_row(bare)
            looks = steps is not None and all(check[1] < MAKES for check in inner[6] or ())
            return CUSTOM, "any", -1, -1, None, None, steps, (run, None), (inner,) if looks else (), ()
        if union.takes == ANY:
            union.takes = ANY | ARRAY | MAP
        strict = _fields.strict(node)
        union.checks = checks = [*union.checks, *_fields.checks(node, _all_bits)]
        # An instance that is looked at is not made where its fields are read.
        union.apart = bool(checks or union.made)
        return self.row(union, 0 if strict is None else STRICT if strict else LAX)

    def alone(self, node):
        """A plan that is of one place only."""
        index = len(self.plans)
        self.plans.append(None)
        self.plans[index] = self.row_of(node)
        return index

    def row_of(self, node):
        return self.told_row(node) if _is_told(node) else self.row(_Union(node))

    def row(self, union, bits=0):
        """A plan as the extension takes it."""
        is_any = union.takes & ANY
        return (
            union.takes | bits,
            _names(union.takes, union.custom) or "unset",
            0 if is_any else self.array(union),
            0 if is_any else self.map(union),
            union.values or None,
            union.missing,
            tuple(union.checks) or None,
            union.custom,
        )

    def tagged(self, union, flavour, add):
        """One Struct, or several told apart by their tags."""
        structs = union.structs
        if len(structs) == 1:
            return add(flavour, self.record(structs[0], union.apart), None)
        tags = {one.cls.__struct_config__.tag: self.record(one, union.apart) for one in structs}
        return add(flavour + 1, tags, structs[0].cls.__struct_config__.tag_field)

    def array(self, union):
        if not union.takes & (ARRAY | NUMBERS):
            return -1
        node = union.array
        if node is not None and node.kind == "numbers":
            code, dims = node.make.code, node.make.dims
            lengths = (0 if n is None else n + 1 for n in dims or ())
            plans = (code, self.plan(node.args[0]), self.plan(node), *lengths)
            self.arrays.append((7, plans, None, node.make))
            return len(self.arrays) - 1
        if node is None:
            return self.tagged(union, 5, self.add_array)
        if node.kind == "namedtuple":
            return self.add_array(5, self.record(node))
        plans = tuple(self.plan(one) for one in node.args)
        return self.add_array(_ARRAYS[node.kind], -1, None, plans)

    def map(self, union):
        if not union.takes & MAP:
            return -1
        node = union.map
        if node is None:
            return self.tagged(union, 1, self.add_map)
        if node.kind == "dict":
            return self.add_map(0, -1, None, self.plan(node.args[0]), self.plan(node.args[1]))
        return self.add_map(1, self.record(node))

    def add_array(self, flavour, record, tag_field=None, plans=()):
        self.arrays.append((flavour, plans, record, None))
        return len(self.arrays) - 1

    def add_map(self, flavour, record, tag_field=None, key=-1, value=-1):
        self.maps.append((flavour, key, value, record, tag_field, None))
        return len(self.maps) - 1

    def record(self, node, apart=False):
        index = self.made.get((id(node), apart))
        if index is None:
            index = self.made[id(node), apart] = len(self.records)
            self.records.append(None)
            self.todo.append((index, node, apart))
        return index

    def finish(self):
        while self.todo:
            index, node, apart = self.todo.pop()
            fields = tuple(
                (name if self.by_name else outside, name, self.plan(field), state, default)
                for name, outside, field, state, default, _ in node.fields
            )
            cls, tag, forbid, post, kept = node.cls, None, False, None, None
            if node.kind == "struct":
                config = cls.__struct_config__
                tag = None if config.tag is None else (config.tag_field, config.tag)
                forbid = config.forbid_unknown_fields
            elif node.kind == "typeddict":
                forbid = others(cls) == ()
                if node.args or (self.keep and not forbid):
                    kept = self.plan(*node.args) if node.args else 0, len(fields)
                    fields = *fields, ("", "", 0, ABSENT | 4, None)
            elif node.kind in ("dataclass", "attrs"):
                marks, validate = ("", "__post_init__"), None
                if node.kind == "attrs":
                    marks = "__attrs_pre_init__", "__attrs_post_init__"
                    if any(field.validator is not None for field in cls.__attrs_attrs__):
                        validate = sys.modules["attr"].validate
                post = (*(mark if hasattr(cls, mark) else None for mark in marks), validate)
                post = post if any(post) else None
            elif makes_tuples(cls):
                # So the engine knows that nothing but a tuple is to be made.
                cls = (cls,)
            flavour = {"struct": 0, "dataclass": 1, "attrs": 1, "typeddict": 2, "namedtuple": 3}[node.kind]
            row = cls, flavour, node.cls.__name__, fields, tag, forbid, post
            row += (({}, (), kept),) if kept else ()
            if node.kind == "struct" and (apart or cls.__struct_more__ is not None):
                from ._fields import record

                row = record(self, node, row, apart)
            array = flavour == 3 or (node.kind == "struct" and config.array_like)
            if self.keep and not (array or (forbid and flavour == 2) or (len(row) > 7 and row[7][2])):
                raise TypeError(
                    f"`{cls.__name__}` has no place for the unknown keys that `extra='keep'` keeps"
                )
            self.records[index] = row


def _registry(codecs):
    if not codecs:
        return codecs
    from ._codecs import checked

    return checked(codecs)


def program(type, codecs=None):
    """What the extension runs for a type. Raises TypeError for a type that cannot be, NameError for an unknown name."""
    asked = 0
    if isinstance(type, tuple):
        # Either what is asked: by names, unknown keys kept; or the class whose fields have the values that are to be.
        type, asked = type
        if asked is None:
            from ._fields import values

            type, asked = values(type), 0
    made = _Program(bool(asked & 1), codecs is False, asked > 1)
    root = made.plan(*read(type, codecs=_registry(codecs)))
    made.finish()
    if not root:
        # What anything may be needs no program.
        return None
    tables = root, made.plans, made.arrays, made.maps, made.records
    # Whether it matters in which order members are declared.
    return (*tables, repr(type)) if made.ordered else tables


def narrow(*types):
    """Raises TypeError for types that msgspec refuses."""
    nodes(types, False)


def nodes(types, codecs=None):
    """The nodes of types, each of which can be read by. Raises as `program` does."""
    found = read(*types, codecs=_registry(codecs))
    made = _Program(narrow=codecs is False)
    for node in found:
        made.plan(node)
    made.finish()
    return found
