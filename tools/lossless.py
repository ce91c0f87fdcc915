"""Check the vectors of vectors/lossless, as tools/vectors.py checks the others.

    python tools/lossless.py     how many cases there are, and every fault; exit 1 if there is one

The notation and the codec of vectors.py with what the table `clojure` of vectors/ext-codes.md adds, written from that page
alone. What may surprise: bodies that hold messages are read by the same reader, and whatever is wrong in them is a
fault of the ext.
"""

import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import vectors
from vectors import Ext, Map, Refused

FOLDER = vectors.FOLDER.parent / "lossless"
MODE = "clojure"
KEYWORD, SYMBOL, SET, LIST, CHARACTER, RATIO, BIG_INT, DECIMAL = range(32, 40)
UUID_CODE, RECORD, PATTERN, TYPED, DATE, KEY_MAP = range(40, 46)
LONGEST = 8192
FLAGS = "imsxud"
# The reader of files asks for `vectors.value` by its name, which `cases` borrows.
plain = vectors.value
TEXTS = {"keyword": KEYWORD, "symbol": SYMBOL, "char": CHARACTER}


@dataclass(frozen=True, eq=False)
class Said:
    """A value that only the table has: the word of the notation, and what it is made of, perhaps lists and maps."""

    kind: str
    of: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Said) and exact(self) == exact(other)

    def __hash__(self) -> int:
        return hash(exact(self))


def value(said: Any) -> Any:
    """The value that a piece of JSON stands for."""
    if isinstance(said, list):
        return [value(item) for item in said]
    if not isinstance(said, dict):
        return said
    [(tag, of)] = said.items()
    match tag:
        case "map":
            return Map(tuple((value(k), value(v)) for k, v in of))
        case "set" | "list":
            return Said(tag, tuple(value(item) for item in of))
        case "ratio" | "decimal":
            return Said(tag, tuple(vectors.integer(one) for one in of))
        case "record":
            return Said(tag, (of[0], value(of[1])))
        case "date":
            return Said(tag, vectors.integer(of))
        case "keyword" | "symbol" | "char" | "uuid" | "pattern":
            return Said(tag, tuple(of) if isinstance(of, list) else of)
    return plain(said)


def exact(v: Any) -> Any:
    """Something hashable that is equal for equal values of one type only."""
    if isinstance(v, list):
        return ("array", tuple(exact(item) for item in v))
    if isinstance(v, Map):
        return ("map", frozenset((exact(k), exact(of)) for k, of in v.entries))
    if isinstance(v, Said) and v.kind == "set":
        return ("set", frozenset(exact(item) for item in v.of))
    if isinstance(v, Said) and v.kind in ("list", "record"):
        return (v.kind, tuple(exact(item) for item in v.of))
    return (v.kind, v.of) if isinstance(v, Said) else vectors.exact(v)


def twos(n: int) -> bytes:
    """Two's complement in as few bytes as the sign allows."""
    return n.to_bytes((n if n >= 0 else ~n).bit_length() // 8 + 1, signed=True)


def write(v: Any, canonical: bool = False, in_key: bool = False) -> bytes:
    """The shortest form of a value, by the table."""
    if isinstance(v, list):
        return vectors.head("array", len(v)) + b"".join(write(item, canonical, in_key) for item in v)
    if isinstance(v, Map):
        if in_key:
            return write(Ext(KEY_MAP, write(v, canonical)))
        entries = [(write(k, canonical, True), write(of, canonical)) for k, of in v.entries]
        body = b"".join(k + of for k, of in (sorted(entries) if canonical else entries))
        return vectors.head("map", len(entries)) + body
    if isinstance(v, vectors.Typed):
        return vectors.write(v, "typed")
    if not isinstance(v, Said):
        return vectors.write(v, "big-int", canonical)
    return vectors.write(Ext(*body_of(v, canonical, in_key)))


def body_of(v: Said, canonical: bool, in_key: bool) -> tuple[int, bytes]:
    """Code and body of what only the table has."""
    match v.kind:
        case "keyword" | "symbol" | "char":
            return TEXTS[v.kind], v.of.encode()
        case "set":
            members = [write(item, canonical, True) for item in v.of]
            members = sorted(members) if canonical else members
            return SET, vectors.head("array", len(members)) + b"".join(members)
        case "list":
            return LIST, write(list(v.of), canonical, in_key)
        case "ratio":
            return RATIO, write(v.of[0]) + write(v.of[1])
        case "decimal":
            return DECIMAL, write(v.of[1]) + twos(v.of[0])
        case "uuid":
            return UUID_CODE, UUID(v.of).bytes
        case "record":
            return RECORD, write(v.of[0]) + write(v.of[1], canonical)
        case "pattern":
            return PATTERN, write(v.of[0]) + write(v.of[1])
        case _:
            return DATE, v.of.to_bytes(8, signed=True)


class Reader(vectors.Reader):
    """The reader of vectors.py, which knows the table."""

    is_key = False
    depth = 0

    def value(self, depth: int, is_key: bool) -> Any:
        """The next value; the ext that may come is told where it stands."""
        self.is_key, self.depth = is_key, depth
        return super().value(depth, is_key)

    def ext(self, n: int, start: int) -> Any:
        """An ext of `n` bytes, or what it stands for."""
        is_key, depth = self.is_key, self.depth
        code = int.from_bytes(self.take(1), signed=True)
        body = self.take(n)
        if not KEYWORD <= code <= KEY_MAP:
            self.at -= n + 1
            return super().ext(n, start)
        # The form of the ext itself, whatever is in it.
        self.shortest(start, vectors.write(Ext(code, body)))
        inner = Reader(body, self.modes)
        try:
            made = inner.meaning(code, body, is_key, depth + 1)
            if inner.at != len(body):
                raise Refused("body")
        except (Refused, UnicodeDecodeError, ValueError):
            raise Refused("body", start) from None
        # Entries and members may stand in any order; the messages that hold them have been asked.
        flat = code not in (SET, LIST, RECORD, KEY_MAP) and not isinstance(made, Ext)
        if flat and "strict" in self.modes:
            self.shortest(start, write(made, in_key=is_key))
        return made

    def rest(self) -> bytes:
        """What is left."""
        return self.take(len(self.data) - self.at)

    def need(self, right: bool) -> None:
        """Refuses the body if something is not as it should be."""
        if not right:
            raise Refused("body")

    def number(self) -> int:
        """A message that is an integer."""
        made = self.value(0, False)
        self.need(type(made) is int)
        return made

    def meaning(self, code: int, body: bytes, is_key: bool, depth: int) -> Any:
        """What a body stands for."""
        match code:
            case 32 | 33 | 36:
                text = self.rest().decode()
                self.need(code != CHARACTER or len(text) == 1)
                return Said({c: kind for kind, c in TEXTS.items()}[code], text)
            case 34 | 35:
                items = self.value(depth, is_key or code == SET)
                self.need(isinstance(items, list))
                self.need(code == LIST or len({exact(item) for item in items}) == len(items))
                return Said("set" if code == SET else "list", tuple(items))
            case 37:
                n, d = self.number(), self.number()
                self.need(len(body) <= LONGEST and d > 1 and math.gcd(n, d) == 1)
                return Said("ratio", (n, d))
            case 38:
                self.need(bool(body))
                return int.from_bytes(self.rest(), signed=True)
            case 39:
                exponent = self.number()
                self.need(len(body) <= LONGEST and abs(exponent) < 2**31 and self.at < len(body))
                return Said("decimal", (int.from_bytes(self.rest(), signed=True), exponent))
            case 40:
                return Said("uuid", str(UUID(bytes=self.rest())))
            case 41:
                name = self.value(depth, False)
                self.need(isinstance(name, str))
                if name != "point":
                    self.rest()
                    return Ext(code, body)
                fields = self.value(depth, False)
                self.need(isinstance(fields, Map))
                return Said("record", (name, fields))
            case 42:
                pattern, flags = self.value(depth, False), self.value(depth, False)
                self.need(isinstance(pattern, str) and isinstance(flags, str))
                self.need(re.fullmatch(f"[{FLAGS}]*", flags) is not None)
                return Said("pattern", (pattern, flags))
            case 43:
                self.rest()
                return vectors.typed(body, 0)
            case 44:
                self.need(len(body) == 8)
                return Said("date", int.from_bytes(self.rest(), signed=True))
            case _:
                made = self.value(depth, False)
                self.need(isinstance(made, Map))
                return made


def read(data: bytes, *modes: str | None) -> Any:
    """The value of one message, which is all there is."""
    return vectors.read(data, *modes, kind=Reader)


def refusal(data: bytes, *modes: str | None) -> tuple[str, int | None] | None:
    """Why and where a message is refused, or None."""
    return vectors.refusal(data, *modes, kind=Reader)


def cases() -> Iterator[vectors.Case]:
    """Every case, with its value as this page knows it."""
    vectors.value = value
    try:
        yield from vectors.cases(FOLDER)
    finally:
        vectors.value = plain


def faults(case: vectors.Case) -> Iterator[str]:
    """What is wrong with one case."""
    assert case.data is not None
    if case.mode != MODE:
        yield f"mode {case.mode}"
    if case.why is not None:
        if refusal(case.data) != (case.why, case.offset):
            yield f"got {refusal(case.data)}"
        return
    if case.way != "read" and write(case.value) != case.data:
        yield f"is written as {write(case.value).hex(' ')}"
    if case.way != "read" and write(case.value, canonical=True) != (case.canonical or case.data):
        yield f"is canonically {write(case.value, canonical=True).hex(' ')}"
    for form in (case.data, *case.also):
        if exact(read(form)) != exact(case.value):
            yield f"{form.hex(' ')} is read as {read(form)}"
        if (refusal(form, "strict") is not None) != (form in case.also):
            yield f"{form.hex(' ')} is taken or refused by strict: {refusal(form, 'strict')}"


def main() -> int:
    """Check every case."""
    kept, wrong = vectors.checked(cases(), faults)
    print(f"{len(kept):5} cases of the table clojure, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
