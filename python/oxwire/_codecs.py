"""Types that stand on the wire as another type: those of the standard library, arrays of numbers, and `Codec`.

`_annotations` asks `found` for a class that is no other kind, `suits` and `question` what `Meta` may ask of types that
have no bounds in the extension. What may surprise: nothing is imported for a type that is not asked for, so the
classes are known by name first, and then must be what stands there.
"""

import re
import sys
import typing
from functools import partial
from typing import Any

from ._annotations import Node, _unpacked, _unsupported, members
from ._fields import Ready, reread
from ._meta import _SIGNS

_MOMENTS = ("datetime", "date", "time", "timedelta")
_NETWORK = "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface"
_WHERE = {
    name: module
    for module, names in (
        ("pathlib", "PurePath PurePosixPath PureWindowsPath Path PosixPath WindowsPath"),
        ("ipaddress", _NETWORK),
        ("collections", "deque Counter OrderedDict defaultdict"),
        ("fractions", "Fraction"),
        ("builtins", "complex"),
        ("re", "Pattern"),
        ("zoneinfo", "ZoneInfo"),
        ("array", "array"),
        ("numpy", "ndarray generic"),
    )
    for name in names.split()
}
_FORMATS = {
    **{name: {"format": name[:4].lower()} for name in _NETWORK.split()[:2]},
    **{name: {"format": name.lower()} for name in _NETWORK.split()[2:]},
    "Pattern": {"format": "regex"},
}
# What a defaultdict can make of nothing.
_EMPTY = {
    "vartuple": tuple,
    **{cls.__name__: cls for cls in (bool, int, float, str, bytes, bytearray, list, set, frozenset, dict)},
}
_RECORDS = ["struct", "dataclass", "attrs"]
# Digits are counted, since a short text can be a number that fills the memory.
_RATIO = re.compile(r"[-+]?\d{1,4300}(/\d{1,4300}|(\.\d{1,4300})?([eE][-+]?\d{1,3})?)", re.ASCII)
_COMPLEX = re.compile(r"[-+0-9.eEjJa-zA-Z]{1,100}", re.ASCII)


class Codec:
    """See the stub."""

    __slots__ = ("decode", "encode", "schema", "wire")

    def __init__(self, wire=Any, *, decode=None, encode=None, schema=None):
        for name, f in ("decode", decode), ("encode", encode):
            if f is not None and not callable(f):
                raise TypeError(f"`{name}` must be callable or None, got `{type(f).__name__}`")
        self.wire, self.decode, self.encode, self.schema = wire, decode, encode, schema

    def __repr__(self):
        shown = "".join(
            f", {name}={value!r}"
            for name in ("decode", "encode", "schema")
            if (value := getattr(self, name)) is not None
        )
        return f"oxwire.Codec({self.wire!r}{shown})"


Codec.__module__ = "oxwire"


def checked(codecs):
    """A registry as it is used: a dict of its own."""
    try:
        found = dict(codecs)
    except (TypeError, ValueError):
        raise TypeError(f"`codecs` must map types to oxwire.Codec, got {codecs!r}") from None
    for cls, codec in found.items():
        if not isinstance(codec, Codec):
            raise TypeError(f"`codecs` must map types to oxwire.Codec, got {codec!r} for {cls!r}")
    return found


# Reading


def registered(reader, codec, cls, t, scope, whole, metas):
    """The node of a type that has a codec; None if that says nothing of reading."""
    if codec.decode is None and codec.schema is None:
        return None
    # What stands on the wire may be the same class, as it is without the codec.
    codecs, reader.codecs = reader.codecs, {one: c for one, c in reader.codecs.items() if c is not codec}
    wire = reader.read(t if codec.decode is None else codec.wire, scope)
    reader.codecs = codecs
    return _codec(reader, whole, metas, cls, wire, codec.decode, codec.schema)


def found(reader, cls, t, args, scope, whole, metas):
    """The node of a type of the standard library or an array library; None if it is none that is known."""
    name = cls.__name__
    if not _stands(cls):
        return None
    module = _WHERE[name]
    make, schema = _MAKERS.get(name), _FORMATS.get(name)
    if module == "pathlib":
        # A path of another system.
        make = _refusing(cls, NotImplementedError, f"No {name} here")
    if module in ("pathlib", "ipaddress"):
        return _codec(reader, whole, metas, cls, Node("str", str), make or cls, schema or {"format": "path"})
    if module in ("array", "numpy"):
        from ._numbers import numbers

        return numbers(reader, cls, typing.get_args(reader.deep(t, scope)), whole, metas)
    if module == "collections":
        wanted = 2 if name in ("OrderedDict", "defaultdict") else 1
        inner = [reader.read(arg, scope) for arg in args or (Any,) * wanted]
        if len(inner) != wanted:
            return None
        if name == "deque":
            wire = Node("list", list[args] if args else list, list, inner)
            # A bound of the type is one of the object.
            bounds = (one.max_length for one in metas if one.max_length is not None)
            make = partial(cls, maxlen=next(bounds, None))
        else:
            if name == "Counter":
                inner.append(Node("int", int))
            elif name == "defaultdict":
                make = partial(cls, _factory(inner[1]))
            wire = Node("dict", t, dict, inner)
        node = _codec(reader, whole, metas, cls, wire, make or cls, None)
        node.anew = True
        if name == "deque":
            # A deque that is bounded would drop what is too much.
            wire.meta, wire.words, node.meta = node.meta, node.words, {}
        return node
    if name == "Pattern" and args not in ((), (str,)):
        return None
    wire = Node("str", str)
    if name in ("Fraction", "complex"):
        wire = Node("union", cls, None, [Node(kind, kind) for kind in ("str", "int", "float")])
    return _codec(reader, whole, metas, cls, wire, make, schema)


def _stands(cls):
    module = _WHERE.get(cls.__name__)
    return module is not None and getattr(sys.modules.get(module), cls.__name__, None) is cls


def known(cls):
    """The name of the class of ours that a class is, or inherits from."""
    return next((one.__name__ for one in cls.__mro__ if _stands(one)), None)


def _codec(reader, whole, metas, cls, wire, make, schema):
    node = reader.node("codec", whole, metas, [wire], cls)
    node.make, node.schema = make, schema
    return node


def variadic(reader, t, scope, whole, metas):
    """The node of a tuple with a star in it."""
    items, many = [], None
    for arg in typing.get_args(t):
        inner = _unpacked(arg)
        if inner is None:
            items.append(arg)
            continue
        if isinstance(inner, typing.TypeVarTuple):
            inner = tuple[Any, ...]
        args = typing.get_args(inner)
        if typing.get_origin(inner) is not tuple or (many is not None and ... in args):
            raise _unsupported(t)
        if ... in args:
            many, args = len(items), args[:1]
        items += args
    if many is None:
        return reader.read(tuple[tuple(items)], scope, metas)
    if len(items) == 1:
        return reader.read(tuple[items[0], ...], scope, metas)
    wire = Node("list", list, list, [Node("any", Any)])
    nodes = [reader.read(one, scope) for one in items]
    node = _codec(reader, whole, metas, tuple, wire, partial(_around, [*map(Ready, nodes)], many), None)
    # The items are told in the schema.
    node.args += nodes
    node.anew = True
    return node


def _around(items, many, values, told, hook):
    """A tuple of items that stand around the many, which is known only when all are there."""
    from ._oxwire import ValidationError

    if len(values) < len(items) - 1:
        raise ValueError(f"Expected `array` of at least length {len(items) - 1}, got {len(values)}")
    types = items[:many] + [items[many]] * (len(values) - len(items) + 1) + items[many + 1 :]
    made = []
    for value, t in zip(values, types, strict=True):
        try:
            made.append(reread(value, t, told, hook))
        except ValidationError as error:
            if error.path[0] == "$":
                error.path = f"$[{len(made)}]{error.path[1:]}"
            raise
    return tuple(made)


def _factory(node):
    """What makes the value that a defaultdict lacks: its class, where that is beyond doubt."""
    found = members(node)
    if len(found) > 1:
        return None
    (one,) = found
    if one.kind == "codec":
        return one.make if one.anew else None
    if one.kind in _RECORDS:
        return one.cls
    return _EMPTY.get(one.kind)


def _refusing(make, errors, words):
    def made(value):
        try:
            return make(value)
        except errors as error:
            raise ValueError(f"{words}: {error}" if str(error) else words) from error

    return made


def _fraction(value):
    from fractions import Fraction

    text = repr(value) if isinstance(value, float) else value
    if isinstance(text, str) and not _RATIO.fullmatch(text):
        raise ValueError("Invalid fraction")
    return Fraction(text)


def _complex(value):
    if isinstance(value, str) and not _COMPLEX.fullmatch(value):
        raise ValueError("Invalid complex number")
    return complex(value)


def _zone(name):
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


_MAKERS = {
    "Fraction": _refusing(_fraction, (ZeroDivisionError,), "Invalid fraction"),
    "complex": _complex,
    "Pattern": _refusing(re.compile, (re.error, OverflowError, RecursionError), "Invalid pattern"),
    "ZoneInfo": _refusing(_zone, (KeyError, OSError, ValueError), "Invalid time zone"),
}


# Places of a program


def merge(union, node, likes):
    """A type that stands on the wire as another does, or an array of numbers."""
    from . import _types

    if node.kind == "numbers":
        bits, union.array = _types.NUMBERS, node
        checks = [(bits, _types.MAKES, None, node.make.given), *_types._checks(node)]
    else:
        inner = _types._Union(node.args[0])
        bits, made = inner.takes, (node.make, _none if node.anew else _types._kept(node.cls))
        if bits & (_types.ANY | _types.CUSTOM | _types.VALUES_STR | _types.VALUES_INT):
            # What is not told apart by the extension is read as anything, and looked at then.
            made = _converting(node), made[1]
            bits, inner = _types.CUSTOM, _types._Union(Node("none", None))
            union.custom = node.type, node.cls
        checks = inner.checks
        if node.make is not None:
            # What reads by a type is told how.
            reads = b"." if bits == _types.CUSTOM or node.args[1:] else b""
            checks += [(bits, _types.MAKES, *made, reads)]
        checks += _types._checks(node, bits)
        union.array, union.map = inner.array or union.array, inner.map or union.map
        union.made = inner.structs or union.made
    union.shared |= union.owned & bits
    union.owned |= bits
    union.checks += checks
    likes["int"] += bool(bits & _types.INT)
    likes["str"] += bool(bits & _types._STRINGS)
    likes["array"] += bool(bits & (_types.ARRAY | _types.NUMBERS))
    likes["dict"] += bool(bits & _types.MAP)


def _none(o):
    return NotImplemented


def _converting(node):
    """What makes a value of a type of anything that was read."""
    wire, make = Ready(node.args[0]), node.make

    def made(value, told, hook):
        return make(reread(value, wire, told, hook))

    return (lambda value, *_: make(value)) if members(node.args[0])[0].kind in ("any", "custom") else made


# What is asked of values


def _has(cls, name):
    return isinstance(cls, type) and getattr(cls, name, None) not in (None, getattr(object, name, None))


def suits(name, value, kind, cls):
    """Whether `Meta` may ask this of a type that the extension has no bounds for."""
    if name in _SIGNS or name == "multiple_of":
        if kind in ("int", "float"):
            return type(value).__module__ in ("decimal", "fractions")
        if kind == "decimal":
            return type(value).__module__ not in ("datetime", "_pydatetime")
        if kind in _MOMENTS:
            # A datetime is no date, as in reading.
            return type(value).__name__ == kind and (name in _SIGNS or kind == "timedelta")
        return kind in ("codec", "custom") and _has(cls, "__mod__" if name == "multiple_of" else "__lt__")
    if name in ("min_length", "max_length"):
        return kind == "numbers" or (kind in ("codec", "custom") and _has(cls, "__len__"))
    return {"version": "uuid", "shape": "numbers", "typecode": "numbers"}.get(name) == kind


def schema(writer, node):
    """The schema of a type that stands as another, or of an array of numbers."""
    found = writer.write(node.args[0])
    if node.kind == "numbers":
        dims = node.make.dims
        if dims is None:
            return {"type": "array"}
        for n in reversed(dims):
            found = {"type": "array", "items": found}
            if n is not None:
                found |= {"minItems": n, "maxItems": n}
    else:
        if node.schema is not None:
            found |= node.schema
        if node.args[1:]:
            items, many = [writer.write(one) for one in node.args[1:]], node.make.args[1]
            found["minItems"] = len(items) - 1
            if many:
                found["prefixItems"] = items[:many]
            if many == len(items) - 1:
                found["items"] = items[many]
    sized = {"string": "Length", "array": "Items", "object": "Properties"}.get(found.get("type"))
    return found | {
        name[:3] + sized: n for name, n in node.meta.items() if sized and name.endswith("_length")
    }


def spelled(name, value):
    """The bound of a type that is spelled as text, in the words of JSON Schema's extensions for formats."""
    if name == "version":
        return {"format": f"uuid{value}"}
    from ._schema import _BOUNDS

    word = _BOUNDS[name]
    return {f"format{word[0].upper()}{word[1:]}": _spelled(value)}


def _spelled(value):
    if type(value).__module__ in ("datetime", "_pydatetime"):
        from . import to_builtins

        return to_builtins(value)
    return str(value)


def question(node, name, value):
    """What is called with a value of a node, and what is said if it does not give something true."""
    if name == "version":
        return lambda o: o.version == value, f"of version {value}"
    if node.kind == "decimal" and isinstance(value, float):
        # As decimals are read: the digits that it is written with.
        from decimal import Decimal

        value = Decimal(repr(value))
    if name == "multiple_of":
        ask = partial(_is_multiple, value) if node.kind == "decimal" else lambda o: not o % value
        return ask, f"that's a multiple of {_spelled(value)}"
    less, equal = name in ("lt", "le"), name in ("ge", "le")

    def ask(o):
        try:
            return (o < value if less else o > value) or (equal and o == value)
        except ArithmeticError:
            # What is not a number is beyond every bound.
            return False

    return ask, f"{_SIGNS[name]} {_spelled(value)}"


def _is_multiple(of, value):
    """Whether a decimal number is a multiple of another, however large it is, and whatever the context."""
    if not value.is_finite():
        return False
    from decimal import Decimal

    _, digits, exponent = value.as_tuple()
    _, of_digits, of_exponent = Decimal(of).as_tuple()
    # Not by way of text, whose digits Python bounds.
    number, divisor = (int(Decimal((0, some, 0))) for some in (digits, of_digits))
    exponent -= of_exponent
    if exponent >= 0:
        return number * pow(10, exponent, divisor) % divisor == 0
    return number == 0 or (-exponent <= len(digits) and number % (divisor * 10**-exponent) == 0)


# Writing


def text(o):
    """What is written for an object of a type that has no form of its own; None if it cannot be."""
    if isinstance(o, complex):
        # Not what a subclass shows.
        return complex.__repr__(o).strip("()")
    if isinstance(o, re.Pattern):
        return _pattern(o)
    return getattr(o, "key", None)


def simple(o):
    """What a value of ours is without its class; NotImplemented if it is none, or cannot be said."""
    name = known(type(o))
    if name == "deque":
        return list(o)
    if name in ("array", "ndarray", "generic"):
        return o.tolist()
    if name is None:
        return NotImplemented
    from ._oxwire import EncodeError, json_decode, json_encode

    try:
        return json_decode(json_encode(o))
    except EncodeError:
        return NotImplemented


def _pattern(o):
    """A pattern with its flags in it, which make it the same again; None if they cannot be said."""
    if not isinstance(o.pattern, str):
        return None
    inline = re.match(r"\(\?([aiLmsux]+)\)", o.pattern)
    said = set(inline[1]) if inline else set()
    said |= {letter for letter in "aimsx" if o.flags & re.RegexFlag[letter.upper()]}
    if not said:
        return o.pattern
    pattern = o.pattern[inline.end() :] if inline else o.pattern
    whole = f"(?{''.join(sorted(said))}){pattern}"
    try:
        return whole if re.compile(whole).flags == o.flags & ~re.DEBUG else None
    except re.error:
        return None


class hook:
    """What writes the classes of a registry, and gives the rest to a hook. What it gives back cannot be written."""

    def __init__(self, codecs, enc_hook=None):
        known = {cls: codec.encode for cls, codec in checked(codecs).items() if codec.encode is not None}
        if not all(isinstance(cls, type) for cls in known):
            raise TypeError("`codecs` must map classes to codecs that encode")
        self.classes, self.rest = known, enc_hook

    def __call__(self, o):
        for cls in type(o).__mro__:
            if cls in self.classes:
                return self.classes[cls](o)
        return o if self.rest is None else self.rest(o)
