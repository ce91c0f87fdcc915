"""What a message of the native format says: values, their text in the vectors, and which bodies an EXT may have.

What may surprise: values are nodes and not Python objects, since much that a message can say has no class here; two nodes
are equal only if they are the same.
"""

import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import gcd
from typing import Any

# The types of EXT, by code. Those below 0x10 are leaves: no matter which of two equal ones is meant.
EXTS = {
    0x01: "Decimal",
    0x02: "Fraction",
    0x03: "SafeUUID",
    0x04: "timezone",
    0x05: "ZoneInfo",
    0x06: "PurePosixPath",
    0x07: "PureWindowsPath",
    0x08: "PosixPath",
    0x09: "WindowsPath",
    0x0A: "IPv4Address",
    0x0B: "IPv6Address",
    0x0C: "IPv4Network",
    0x0D: "IPv6Network",
    0x0E: "IPv4Interface",
    0x0F: "IPv6Interface",
    0x10: "range",
    0x11: "slice",
    0x12: "memoryview",
    0x13: "array",
    0x14: "ndarray",
    0x15: "scalar",
    0x16: "pattern",
    0x17: "builtin",
    0x18: "registered",
    0x19: "opaque",
    0x20: "deque",
    0x21: "OrderedDict",
    0x22: "defaultdict",
    0x23: "Counter",
    0x24: "ChainMap",
    0x25: "SimpleNamespace",
    0x26: "MappingProxyType",
    0x27: "frozendict",
}


@dataclass(eq=False)
class Node:
    """One value. `what` is its type; `of` what it holds: nodes, text, bytes or numbers."""

    what: str
    of: Any = None
    more: Any = None
    shared: bool = False
    bare: bool = True  # not a reference
    complete: bool = False


# The text of a value.


def spell_text(text: str) -> str:
    """Text as the vectors have it: ASCII, and other code points by number."""
    if len(text) > 40 and len(set(text)) == 1:
        return f"{spell_text(text[0])}*{len(text)}"
    spelled = "".join(
        f"\\{c}" if c in '"\\' else c if " " <= c <= "~" else f"\\u{{{ord(c):x}}}" for c in text
    )
    return f'"{spelled}"'


def spell_bytes(data: bytes) -> str:
    """Bytes as hexadecimal digits."""
    return f"{data[:1].hex()}*{len(data)}" if len(data) > 40 and len(set(data)) == 1 else data.hex()


def spell_int(v: int) -> str:
    """Decimal digits for what 64 bits hold, hexadecimal ones beyond."""
    return str(v) if -(2**63) <= v < 2**64 else hex(v)


class Speller:
    """The text of a graph. What is met twice has a label where it is met first."""

    def __init__(self, root: Node) -> None:
        self.times: Counter[int] = Counter()
        self.labels: dict[int, int] = {}
        self.count(root)
        self.text = self.spell(root)

    @staticmethod
    def parts(n: Node) -> list[Node]:
        """The values inside of a value, in order."""
        match n.what:
            case "list" | "tuple" | "set" | "frozenset":
                return list(n.of)
            case "dict":
                return [part for entry in n.of for part in entry]
            case "ext" | "time" | "datetime":
                return [n.more] if isinstance(n.more, Node) else []
            case "typed":
                return list(n.of)
        return []

    @staticmethod
    def has_identity(n: Node) -> bool:
        """Whether it can be told from an equal one."""
        match n.what:
            case "list" | "dict" | "set" | "frozenset" | "bytearray":
                return True
            case "tuple":
                return bool(n.of)
            case "ext":
                return bool(n.of >= 0x10)
            case "typed":
                return n.more.kind in (0, 3)
        return False

    def count(self, n: Node) -> None:
        """Find what is met twice."""
        self.times[id(n)] += 1
        if self.times[id(n)] == 1:
            for part in self.parts(n):
                self.count(part)

    def spell(self, n: Node) -> str:
        """The text of one value."""
        if id(n) in self.labels:
            return f"*{self.labels[id(n)]}"
        if self.times[id(n)] > 1 and self.has_identity(n):
            label = self.labels[id(n)] = len(self.labels)
            return f"&{label} {self.plain(n)}"
        return self.plain(n)

    def several(self, nodes: list[Node]) -> str:
        """Values with commas, and a shorter form for many that are one."""
        spelled = [self.spell(one) for one in nodes]
        if len(spelled) > 16 and len(set(spelled)) == 1:
            return f"{spelled[0]} *{len(spelled)}"
        return ", ".join(spelled)

    def plain(self, n: Node) -> str:
        """The text of one value, without a label."""
        match n.what:
            case "atom":
                return str(n.of)
            case "int":
                return spell_int(n.of)
            case "float":
                return f"float({n.of:016x})"
            case "complex":
                return f"complex({n.of:016x}, {n.more:016x})"
            case "str":
                return spell_text(n.of)
            case "bytes" | "bytearray" | "sealed" | "uuid":
                return f"{n.what}({spell_bytes(n.of)})"
            case "list":
                return f"[{self.several(n.of)}]"
            case "tuple":
                return f"({self.several(n.of)}{',' if len(n.of) == 1 else ''})"
            case "set" | "frozenset":
                return f"{n.what}({self.several(n.of)})"
            case "dict":
                return "{" + ", ".join(f"{self.spell(k)}: {self.spell(v)}" for k, v in n.of) + "}"
            case "date" | "timedelta":
                return f"{n.what}({n.of})"
            case "time" | "datetime":
                return f"{n.what}({n.of}{'' if n.more is None else ' ' + self.spell(n.more)})"
            case "outside":
                return f"outside({n.of})"
            case "ext":
                return f"{EXTS[n.of]}({self.spell(n.more)})"
            case "typed":
                return self.typed(n)
        raise AssertionError(n.what)

    def typed(self, n: Node) -> str:
        """An object of a registered class."""
        of: Type = n.more
        head = f"{('record', 'member', 'member', 'carrier')[of.kind]} {of.name} v{of.version}"
        values = list(n.of)
        if of.kind == 3:
            head += f" {self.spell(values.pop(0))}"
        if of.kind in (1, 2):
            return f"{head} {('name', 'value')[of.kind - 1]} {self.spell(values[0])}"
        fields = (f"{spell_text(name)}: {self.spell(v)}" for name, v in zip(of.fields, values, strict=True))
        return f"{head} {{{', '.join(fields)}}}"


@dataclass
class Type:
    """A type definition. The name is as it is spelled."""

    kind: int
    name: str
    version: int
    fields: list[str]


MAX_WEIGHT = 10000


class Unfit(Exception):
    """Why a value can be no key and no member."""


def weigh(n: Node, weights: dict[int, int | None]) -> int:
    """How many values there are in a key, by every path to them."""
    if n.what not in ("tuple", "frozenset"):
        return 1
    if not n.complete or weights.get(id(n), 0) is None:
        raise Unfit("reference")
    if id(n) not in weights:
        weights[id(n)] = None
        weights[id(n)] = 1 + sum(weigh(part, weights) for part in n.of)
    return weights[id(n)] or 0


def equality(n: Node) -> Any:
    """Something that is equal for equal keys. Immutable values are looked into; no more than a limit allows."""

    def form(n: Node) -> Any:
        match n.what:
            case "list" | "dict" | "set" | "bytearray":
                raise Unfit("key")
            case "atom" if n.of in ("True", "False"):
                return int(n.of == "True")
            case "int" | "str" | "bytes":
                return n.of
            case "float":
                v = struct.unpack("<d", n.of.to_bytes(8, "little"))[0]
                return v if v == v else object()
            case "tuple":
                return (n.what, *map(form, n.of))
            case "frozenset":
                return (n.what, frozenset(map(form, n.of)))
            case "atom" | "uuid" | "date":
                return (n.what, n.of)
        return n

    if weigh(n, {}) > MAX_WEIGHT:
        raise Unfit("limit")
    return form(n)


# The bodies of EXT.


def is_a(*whats: str) -> Callable[[Node], bool]:
    """A body of these types."""
    return lambda n: n.what in whats


def is_tuple(*parts: Callable[[Node], bool]) -> Callable[[Node], bool]:
    """A body that is a tuple of these."""
    return lambda n: (
        n.what == "tuple"
        and len(n.of) == len(parts)
        and all(check(one) for check, one in zip(parts, n.of, strict=True))
    )


def either(*checks: Callable[[Node], bool]) -> Callable[[Node], bool]:
    """A body that is one of these."""
    return lambda n: any(check(n) for check in checks)


def anything(_: Node) -> bool:
    """Any body."""
    return True


def is_decimal(n: Node) -> bool:
    """What str() gives of a Decimal."""
    try:
        return n.what == "str" and str(Decimal(n.of)) == n.of
    except (InvalidOperation, ValueError):
        return False


def is_fraction(n: Node) -> bool:
    """In lowest terms."""
    return INTS2(n) and n.of[1].of > 0 and gcd(n.of[0].of, n.of[1].of) == 1


def is_shape(n: Node) -> bool:
    """The dimensions of an array."""
    return n.what == "tuple" and all(INT(one) and one.of >= 0 for one in n.of)


def is_dtype(n: Node) -> bool:
    """A dtype as far as its form goes."""
    return n.what == "str" or (
        n.what == "list"
        and all(
            one.what == "tuple"
            and len(one.of) in (2, 3)
            and one.of[0].what == "str"
            and is_dtype(one.of[1])
            and all(map(is_shape, one.of[2:]))
            for one in n.of
        )
    )


def is_offset(n: Node) -> bool:
    """Less than a day."""
    return INT(n) and abs(n.of) < 86400 * 10**6


STR, INT, DICT, LIST = is_a("str"), is_a("int"), is_a("dict"), is_a("list")
BYTES = is_a("bytes", "bytearray", "outside")
INTS2 = is_tuple(INT, INT)
BODIES: dict[int, Callable[[Node], bool]] = {
    0x01: is_decimal,
    0x02: is_fraction,
    0x03: lambda n: is_tuple(BYTES, INT)(n) and len(n.of[0].of) == 16 and n.of[1].of in (0, -1),
    0x04: either(lambda n: is_offset(n) and n.of != 0, is_tuple(is_offset, STR)),
    **dict.fromkeys(range(0x05, 0x10), STR),
    0x10: lambda n: is_tuple(INT, INT, INT)(n) and n.of[2].of != 0,
    0x11: is_tuple(anything, anything, anything),
    0x12: either(BYTES, is_tuple(STR, is_shape, BYTES)),
    0x13: is_tuple(STR, INT, BYTES),
    0x14: either(
        is_tuple(is_dtype, is_shape, BYTES),
        is_tuple(is_dtype, is_shape, BYTES, lambda n: n.what == "atom" and n.of == "True"),
    ),
    0x15: is_tuple(is_dtype, BYTES),
    0x16: is_tuple(is_a("str", "bytes"), INT),
    0x17: lambda n: INT(n) and 0 <= n.of <= 15,
    0x18: either(STR, lambda n: INT(n) and 0 <= n.of < 2**31),
    0x19: is_tuple(STR, BYTES),
    0x20: either(LIST, lambda n: is_tuple(INT, LIST)(n) and len(n.of[1].of) <= n.of[0].of),
    0x21: DICT,
    0x22: is_tuple(
        lambda n: (
            (n.what == "atom" and n.of == "None")
            or (n.what == "ext" and (n.of == 0x18 or (n.of == 0x17 and n.more.of <= 13)))
        ),
        DICT,
    ),
    0x23: DICT,
    0x24: LIST,
    0x25: lambda n: DICT(n) and all(k.what == "str" for k, _ in n.of),
    0x26: DICT,
    0x27: DICT,
}
