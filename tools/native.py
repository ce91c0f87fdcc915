"""Read the vectors of vectors/native, and check that they agree with the specification and with themselves.

    python tools/native.py     how many cases each file has, and every fault; exit 1 if there is one

A reader of the format that is small and slow, written from docs/wire/native.md and from nothing else: it gives a message
as the text that the vectors have for its value, or refuses it, with the place. What may surprise: it builds no Python
objects, since much that a message can say has no class here.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from native_values import BODIES, EXTS, Node, Speller, Type, Unfit, equality, weigh

import vectors

FOLDER = Path(__file__).resolve().parent.parent / "vectors" / "native"
REASONS = (
    "eof",
    "header",
    "tag",
    "non-minimal",
    "utf8",
    "key",
    "duplicate",
    "reference",
    "undefined",
    "body",
    "depth",
    "limit",
    "trailing",
)
MAX_DEPTH, MAX_INT_BYTES = 1000, 65536
WIDTHS = (1, 2, 3, 4, 6, 8)
ATOMS = {
    0x58: "None",
    0x59: "False",
    0x5A: "True",
    0x5D: "UTC",
}


class Refused(Exception):
    """Why, and where."""

    def __init__(self, why: str, offset: int) -> None:
        super().__init__(why, offset)
        self.why, self.offset = why, offset


# The reader.


def is_reference(tag: int) -> bool:
    """Whether a tag, without its S bit, is that of a reference."""
    return tag in (0x5B, 0x5C) or 0x6D <= tag < 0x80 or 0xD8 <= tag < 0xDF


class Reader:
    """One message, from its header on."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.depth = data, 0, 0
        self.defined: dict[int, Node] = {}
        self.numbers: list[Node] = []
        self.shapes: list[list[Node]] = []
        self.types: list[Type] = []
        self.outside = 0
        # Tuples and frozensets that were referred to before they were complete.
        self.early: list[tuple[Node, int]] = []

    def message(self) -> Node:
        """The value; nothing may follow."""
        header = self.take(1)[0]
        if header not in (0xB0, 0xB1):
            raise Refused("header", 0)
        root = self.value()
        if self.at < len(self.data):
            raise Refused("trailing", self.at)
        if (header == 0xB1) != (self.outside > 0):
            raise Refused("header", 0)
        for node, at in self.early:
            try:
                weigh(node, {})
            except Unfit:
                raise Refused("reference", at) from None
        return root

    def take(self, n: int) -> bytes:
        """The next bytes."""
        if n > len(self.data) - self.at:
            raise Refused("eof", len(self.data))
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self, start: int, least: int = 0) -> int:
        """A varint of a value that began at `start`."""
        v = 0
        for shift in range(0, 63, 7):
            b = self.take(1)[0]
            v |= (b & 0x7F) << shift
            if b < 0x80:
                if (b == 0 and shift) or v < least:
                    raise Refused("non-minimal", start)
                return v
        raise Refused("non-minimal", start)

    def values(self, n: int, each: int = 1) -> list[Node]:
        """So many values."""
        if n * each > len(self.data) - self.at:
            raise Refused("eof", len(self.data))
        return [self.value() for _ in range(n * each)]

    def value(self) -> Node:
        """The next value."""
        start = self.at
        tag = self.take(1)[0]
        node = Node("")
        if 0x80 <= tag < 0xD8:
            tag &= 0x7F
            node.shared = True
            self.defined[start] = node
        if is_reference(tag):
            found = self.reference(tag, start)
            if not found.complete:
                self.early.append((found, start))
            return found
        if tag >= 0xDF:
            node.what, node.of = "int", tag - 0xE0
        elif tag in ATOMS:
            node.what, node.of = "atom", ATOMS[tag]
        elif tag in (0x5E, 0x5F):
            bits = [int.from_bytes(self.take(8), "little") for _ in range(tag - 0x5D)]
            node.what, node.of, node.more = ("float", "complex")[tag - 0x5E], bits[0], bits[-1]
        elif 0x60 <= tag < 0x6D:
            node.what, node.of = "int", self.integer(tag, start)
        elif not self.leaf(node, tag, start):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise Refused("depth", start)
            self.container(node, tag, start)
            self.depth -= 1
        node.complete = True
        return node

    def reference(self, tag: int, start: int) -> Node:
        """What a reference refers to."""
        if tag == 0x5C:
            node = self.defined.get(start - self.varint(start, 1))
            if node is None or node in self.numbers:
                raise Refused("reference", start)
            self.numbers.append(node)
            return node
        if tag == 0x5B:
            number = self.varint(start, 26)
        else:
            number = tag - 0x6D if tag < 0x80 else tag - 0xC5
        if number >= len(self.numbers):
            raise Refused("reference", start)
        return self.numbers[number]

    def integer(self, tag: int, start: int) -> int:
        """An integer that is not in its tag."""
        if tag == 0x6C:
            n = self.varint(start, 9)
            if n > MAX_INT_BYTES:
                raise Refused("limit", start)
            v = int.from_bytes(self.take(n), "little", signed=True)
            # A byte less must not hold it, nor any other form.
            if -(2**63) <= v < 2**64 or -(1 << 8 * n - 9) <= v < 1 << 8 * n - 9:
                raise Refused("non-minimal", start)
            return v
        index = (tag - 0x60) % 6
        v = int.from_bytes(self.take(WIDTHS[index]), "little")
        floor = 1 << 8 * WIDTHS[index - 1] if index else (32 if tag < 0x66 else 1)
        if v < floor or (tag == 0x6B and v >= 1 << 63):
            raise Refused("non-minimal", start)
        return v if tag < 0x66 else -1 - v

    def text(self, n: int, surrogates: bool, start: int) -> str:
        """Text of so many bytes."""
        data = self.take(n)
        try:
            text = data.decode("utf-8", "surrogatepass" if surrogates else "strict")
        except UnicodeDecodeError as error:
            raise Refused("utf8", self.at - n + error.start) from None
        if surrogates and not any("\ud800" <= c <= "\udfff" for c in text):
            raise Refused("non-minimal", start)
        return text

    def leaf(self, node: Node, tag: int, start: int) -> bool:
        """Whether it is a leaf with an S bit; then it is read."""
        if tag in (1, 2) or 0x20 <= tag < 0x40:
            n = tag - 0x20 if tag >= 0x20 else self.varint(start, 32 if tag == 1 else 0)
            node.what, node.of = "str", self.text(n, tag == 2, start)
        elif tag in (0x0D, 0x0E):
            node.what, node.of = ("bytes", "bytearray")[tag - 0x0D], self.take(self.varint(start))
        elif tag == 0x0F:
            access = self.access(start)
            n = self.varint(start)
            if any(self.take(-self.at % 64)):
                raise Refused("body", start)
            node.what, node.of = ("bytes", "bytearray")[access], self.take(n)
        elif tag == 0x10:
            access = self.access(start)
            n, index = self.varint(start), self.varint(start)
            if index > self.outside:
                raise Refused("body", start)
            self.outside = max(self.outside, index + 1)
            node.what, node.of = "outside", f"{index}, {n}, {'rw'[access]}"
        elif tag == 0x11:
            node.what, node.of = "sealed", self.take(self.varint(start, 2))
            if node.of[0] != 0xB0:
                raise Refused("header", start)
        elif tag == 0x13:
            node.what, node.of = "uuid", self.take(16)
        elif tag in (0x14, 0x15, 0x17, 0x19):
            self.moment(node, tag, start)
        elif tag == 0x0C:
            self.packed(node, start)
        else:
            return False
        return True

    def access(self, start: int) -> int:
        """An access byte."""
        b = self.take(1)[0]
        if b > 1:
            raise Refused("body", start)
        return b

    def moment(self, node: Node, tag: int, start: int) -> None:
        """The fields of a date, a time, both, or a span."""

        def check(held: bool) -> None:
            if not held:
                raise Refused("body", start)

        def date(v: int) -> str:
            year, month, day = v >> 9, v >> 5 & 15, v & 31
            check(1 <= year <= 9999 and 1 <= month <= 12 and day >= 1)
            leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
            check(day <= (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1])
            return f"{year:04}-{month:02}-{day:02}"

        def time(v: int) -> str:
            hour, minute, second = v >> 33, v >> 27 & 63, v >> 21 & 63
            micro, fold = v >> 1 & 0xFFFFF, v & 1
            check(hour < 24 and minute < 60 and second < 60 and micro < 1000000)
            return f"{hour:02}:{minute:02}:{second:02}.{micro:06}{' fold' if fold else ''}"

        def number(n: int) -> int:
            return int.from_bytes(self.take(n), "little")

        match tag:
            case 0x14:
                node.what, node.of = "date", date(number(3))
            case 0x15 | 0x16:
                node.what, node.of = "time", time(number(5))
            case 0x17 | 0x18:
                v = number(8)
                node.what, node.of = "datetime", f"{date(v >> 38)} {time(v & (1 << 38) - 1)}"
            case _:
                days = int.from_bytes(self.take(4), "little", signed=True)
                v = number(5)
                check(abs(days) <= 999999999 and v >> 20 < 86400 and v & 0xFFFFF < 1000000)
                node.what, node.of = "timedelta", f"{days}, {v >> 20}, {v & 0xFFFFF}"

    def packed(self, node: Node, start: int) -> None:
        """A list or tuple of numbers."""
        element = self.take(1)[0]
        if element & 7 > 4 or element > 15:
            raise Refused("body", start)
        width = (1, 2, 4, 8, 8)[element & 7]
        n = self.varint(start, 1)
        data = self.take(n * width)
        items = [data[at : at + width] for at in range(0, n * width, width)]
        if element & 7 == 4:
            node.of = [Node("float", int.from_bytes(one, "little")) for one in items]
        else:
            numbers = [int.from_bytes(one, "little", signed=True) for one in items]
            half = 1 << 4 * width - 1
            if width > 1 and all(-half <= v < half for v in numbers):
                raise Refused("non-minimal", start)
            node.of = [Node("int", v) for v in numbers]
        node.what = "tuple" if element & 8 else "list"

    def names(self, n: int) -> list[Node]:
        """The keys of a shape, the fields of a type."""
        if n > len(self.data) - self.at:
            raise Refused("eof", len(self.data))
        found: dict[str, Node] = {}
        for _ in range(n):
            at = self.at
            name = self.value()
            if name.what != "str":
                raise Refused("key", at)
            if name.of in found:
                raise Refused("duplicate", at)
            found[name.of] = name
        return list(found.values())

    def container(self, node: Node, tag: int, start: int) -> None:
        """A value with values in it."""
        match tag:
            case 3 | 4:
                node.what = ("list", "tuple")[tag - 3]
                node.of = []
                node.of += self.values(self.varint(start, (8, 4)[tag - 3]))
            case _ if 0x40 <= tag < 0x4C:
                node.what = "list" if tag < 0x48 else "tuple"
                node.of = []
                node.of += self.values(tag & (7 if tag < 0x48 else 3))
            case 5:
                node.what, node.of = "dict", []
                n = self.varint(start)
                if 2 * n > len(self.data) - self.at:
                    raise Refused("eof", len(self.data))
                seen: set[Any] = set()
                for _ in range(n):
                    key = self.member(seen)
                    node.of.append((key, self.value()))
            case 6 | 7:
                node.what, node.of = ("set", "frozenset")[tag - 6], []
                n = self.varint(start)
                if n > len(self.data) - self.at:
                    raise Refused("eof", len(self.data))
                seen = set()
                node.of += [self.member(seen) for _ in range(n)]
            case 8:
                node.what, node.of = "dict", []
                keys = self.names(self.varint(start, 1))
                self.shapes.append(keys)
                node.of += zip(keys, self.values(len(keys)), strict=True)
            case _ if tag == 9 or 0x50 <= tag < 0x58:
                number = self.varint(start, 8) if tag == 9 else tag - 0x50
                if number >= len(self.shapes):
                    raise Refused("undefined", start)
                node.what, node.of, keys = "dict", [], self.shapes[number]
                node.of += zip(keys, self.values(len(keys)), strict=True)
            case 0x0A:
                of = self.definition(start)
                self.types.append(of)
                self.typed(node, of)
            case _ if tag == 0x0B or 0x4C <= tag < 0x50:
                number = self.varint(start, 4) if tag == 0x0B else tag - 0x4C
                if number >= len(self.types):
                    raise Refused("undefined", start)
                self.typed(node, self.types[number])
            case 0x12:
                node.what, node.of = "ext", self.take(1)[0]
                if node.of not in EXTS:
                    raise Refused("tag", start)
                at = self.at
                body = self.value()
                node.more = body
                if body.shared or is_reference(self.data[at]):
                    raise Refused("body", start)
                if not BODIES[node.of](body):
                    raise Refused("body", start)
            case 0x16 | 0x18:
                self.moment(node, tag, start)
                node.more = self.value()
                if not node.more.complete:
                    raise Refused("reference", start)
            case _:
                raise Refused("tag", start)

    def member(self, seen: set[Any]) -> Node:
        """A key of a dict or a member of a set, which is not equal to those before it."""
        at = self.at
        node = self.value()
        try:
            form = equality(node)
        except Unfit as unfit:
            raise Refused(str(unfit), at) from None
        if form in seen:
            raise Refused("duplicate", at)
        seen.add(form)
        return node

    def definition(self, start: int) -> Type:
        """A type definition."""
        kind = self.take(1)[0]
        if kind > 3:
            raise Refused("body", start)
        at = self.at
        name = self.value()
        if not (name.what == "str" or (name.what == "int" and 0 <= name.of < 2**31)):
            raise Refused("key", at)
        version, n = self.varint(start), self.varint(start)
        if n and kind in (1, 2):
            raise Refused("body", start)
        fields = [one.of for one in self.names(n)]
        return Type(kind, Speller(name).text, version, fields)

    def typed(self, node: Node, of: Type) -> None:
        """The values of an object."""
        node.what, node.more, node.of = "typed", of, []
        at = self.at
        node.of += self.values(len(of.fields) + (of.kind > 0))
        if of.kind == 1 and node.of[0].what != "str":
            raise Refused("body", at)


# The cases.


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case with the file that it is in."""
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text("ascii"))["cases"]:
            yield path.stem, case


def answer(data: bytes) -> tuple[str, int] | str:
    """What a message says, or why it is refused."""
    try:
        return Speller(Reader(data).message()).text
    except Refused as refused:
        return refused.why, refused.offset


def main() -> int:
    """Check every case."""
    sys.setrecursionlimit(20000)
    counts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    faults = []
    for file, case in cases():
        counts[file] += 1
        names[case["name"]] += 1
        data = vectors.octets(case["bytes"])
        wanted = case["value"] if "value" in case else (case["why"], case["offset"])
        if (got := answer(data)) != wanted:
            faults.append(f"{file}: {case['name']}: {got!r}, not {wanted!r}")
        if case.get("why", REASONS[0]) not in REASONS:
            faults.append(f"{file}: {case['name']}: no such reason")
        if case.get("way", "read") != "read":
            faults.append(f"{file}: {case['name']}: no such way")
    faults += [f"{name} stands twice" for name, n in names.items() if n > 1]
    for file, n in counts.items():
        print(f"{file}: {n} cases")
    print(*faults, sep="\n")
    print(f"native vectors: {sum(counts.values())} cases, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
