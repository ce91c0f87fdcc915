"""Read the vectors of vectors/, and check that they agree with the specification and with themselves.

    python tools/vectors.py     how many cases each file has, and every fault; exit 1 if there is one

Two parts. The first turns the notation of vectors/README.md into Python values and bytes; the tests use it. The
second is a second MessagePack codec, slow and small, written from the specification and from nothing else: each
case's bytes must be what it writes and must read back as the value. What may surprise: values are compared by
`exact`, since 1 == True and nan != nan.
"""

import json
import math
import re
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "vectors" / "msgpack"

MODES = ("float32", "old-spec", "big-int", "typed", "strict", "unique", "always")
REASONS = (
    "eof",
    "marker",
    "utf8",
    "trailing",
    "duplicate-key",
    "key",
    "timestamp",
    "body",
    "depth",
    "non-minimal",
    "range",
)
MAX_DEPTH = 1000
BIG_INT, TYPED = 38, 43


# The notation.


@dataclass(frozen=True)
class Map:
    """A map as its entries, since a dict has no room for some keys."""

    entries: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Ext:
    """An application type."""

    code: int
    body: bytes


@dataclass(frozen=True)
class Timestamp:
    """A moment: seconds since 1970, rounded down, and nanoseconds since then."""

    seconds: int
    nanoseconds: int


@dataclass(frozen=True)
class Typed:
    """A typed array: its type as vectors/ext-codes.md spells it, the dimensions, the items in C order."""

    type: str
    dims: tuple[int, ...]
    items: bytes


@dataclass(frozen=True)
class Case:
    """One line of a file. `data` is None if the value cannot be written, `why` if there is nothing wrong."""

    file: str
    name: str
    mode: str | None = None
    way: str | None = None
    value: Any = None
    data: bytes | None = None
    canonical: bytes | None = None
    also: list[bytes] = field(default_factory=list)
    also_strict: list[bytes] = field(default_factory=list)
    why: str | None = None
    offset: int | None = None


# A group with how often or for which numbers it stands, or what is outside of groups; and a part of either.
GROUP = re.compile(r"\((?P<group>[^()]*)\)\*(?P<first>\d+)(?:\.\.(?P<last>\d+))?|(?P<plain>[^()]+)")
PART = re.compile(r"(?:(?P<hex>[0-9a-f]{2})|'(?P<text>[^'()]*)'|@(?P<width>[124]))(?:\*(?P<times>\d+))?|\s+")
INTEGER = re.compile(r"(?P<plain>-?\d+)|(?P<sign>-?)2\*\*(?P<power>\d+)(?P<add>[+-]\d+)?")


def matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The text as matches of a pattern, with nothing between them."""
    found = list(pattern.finditer(text))
    if "".join(one[0] for one in found) != text:
        raise ValueError(f"no notation for bytes: {text!r}")
    return found


def parts_of(text: str) -> list[bytes | int]:
    """What stands in or outside of a group: bytes, or in how many of them the number of the turn stands."""
    parts: list[bytes | int] = []
    for found in matches(PART, text):
        if found["width"]:
            parts.append(int(found["width"]))
        else:
            one = bytes.fromhex(found["hex"] or "") + (found["text"] or "").encode("ascii")
            parts.append(one * int(found["times"] or 1))
    return parts


def octets(text: str) -> bytes:
    """The bytes that the notation stands for: `d9 20 'a'*32`, `(cd @2 c0)*256..999`."""
    out: list[bytes] = []
    for found in matches(GROUP, text):
        parts = parts_of(found["plain"] or found["group"])
        first, last = int(found["first"] or 1), found["last"]
        for n in range(first, int(last) + 1) if last else range(first):
            out += [part if isinstance(part, bytes) else n.to_bytes(part) for part in parts]
    return b"".join(out)


def integer(said: int | str) -> int:
    """A JSON number, or text: decimal digits, or a power of two as in `-2**63-1`."""
    if isinstance(said, int):
        return said
    found = INTEGER.fullmatch(said)
    if found is None:
        raise ValueError(f"no notation for an integer: {said!r}")
    if found["plain"]:
        return int(found["plain"])
    return int(found["sign"] + "1") * 2 ** int(found["power"]) + int(found["add"] or 0)


def value(said: Any) -> Any:
    """The value that a piece of JSON stands for."""
    if isinstance(said, list):
        return [value(item) for item in said]
    if not isinstance(said, dict):
        return said
    [(tag, of)] = said.items()
    match tag:
        case "int":
            return integer(of)
        case "f64":
            return struct.unpack(">d", octets(of))[0]
        case "text":
            return of[0] * of[1]
        case "bin":
            return octets(of)
        case "array":
            return [value(of[0])] * of[1]
        case "nest":
            nested = value(of[0])
            for _ in range(of[1]):
                nested = [nested]
            return nested
        case "nest-map":
            nested = value(of[0])
            for _ in range(of[1]):
                nested = Map(((0, nested),))
            return nested
        case "map":
            return Map(tuple((value(k), value(v)) for k, v in of))
        case "count":
            return Map(tuple((n, None) for n in range(of)))
        case "ext":
            return Ext(of[0], octets(of[1]))
        case "timestamp":
            return Timestamp(integer(of[0]), of[1])
        case "typed":
            return Typed(of[0], tuple(of[1]), octets(of[2]))
    raise ValueError(f"no such tag: {tag!r}")


def not_a_number(text: str) -> None:
    """JSON's own floats are not part of the notation: they cannot say every float."""
    raise ValueError(f"a float is said by its bits, not as {text}")


def cases(folder: Path = FOLDER) -> Iterator[Case]:
    """Every case of every file, in order."""
    for path in sorted(folder.glob("*.json")):
        for said in json.loads(path.read_text("ascii"), parse_float=not_a_number)["cases"]:
            given = {name.replace("-", "_"): of for name, of in said.items()}
            if "value" in given:
                given["value"] = value(given["value"])
            if "bytes" in given:
                given["data"] = octets(given.pop("bytes"))
            if "canonical" in given:
                given["canonical"] = octets(given["canonical"])
            for name in ("also", "also_strict"):
                if name in given:
                    given[name] = [octets(one) for one in given[name]]
            yield Case(file=path.stem, **given)


def exact(v: Any) -> Any:
    """Something hashable that is equal for equal values of one type only: floats by their bits, maps without order."""
    # What stands in each other is laid side by side: how deep Python compares differs by version.
    flat: list[Any] = []
    stack = [v]
    while stack:
        v = stack.pop()
        if isinstance(v, float):
            flat.append((float, struct.pack(">d", v)))
        elif isinstance(v, list):
            flat.append((list, len(v)))
            stack.extend(reversed(v))
        elif isinstance(v, Map):
            # Of a key that stands twice the last value counts.
            entries = {exact(key): (key, of) for key, of in v.entries}
            flat.append((Map, len(entries)))
            for _, entry in sorted(entries.items(), key=lambda one: repr(one[0]), reverse=True):
                stack.extend(reversed(entry))
        else:
            flat.append((type(v), v))
    return tuple(flat)


# The specification once more.


class Refused(Exception):
    """What the codec will not write or read: the reason, and at which byte."""

    def __init__(self, why: str, offset: int | None = None) -> None:
        super().__init__(why, offset)
        self.why, self.offset = why, offset


# Each: the longest that the form can say, its marker, and how many bytes its length has.
HEADS = {
    "str": ((31, 0xA0, 0), (2**8 - 1, 0xD9, 1), (2**16 - 1, 0xDA, 2), (2**32 - 1, 0xDB, 4)),
    "bin": ((2**8 - 1, 0xC4, 1), (2**16 - 1, 0xC5, 2), (2**32 - 1, 0xC6, 4)),
    "ext": ((2**8 - 1, 0xC7, 1), (2**16 - 1, 0xC8, 2), (2**32 - 1, 0xC9, 4)),
    "array": ((15, 0x90, 0), (2**16 - 1, 0xDC, 2), (2**32 - 1, 0xDD, 4)),
    "map": ((15, 0x80, 0), (2**16 - 1, 0xDE, 2), (2**32 - 1, 0xDF, 4)),
}
SIZED = {marker: (kind, width) for kind, forms in HEADS.items() for _, marker, width in forms if width}
INTS = {0xCC + n: (1 << n, False) for n in range(4)} | {0xD0 + n: (1 << n, True) for n in range(4)}


def head(kind: str, n: int, old_spec: bool = False) -> bytes:
    """The shortest beginning of something of length `n`."""
    if kind == "ext" and n in (1, 2, 4, 8, 16):
        return bytes([0xD4 + n.bit_length() - 1])
    for most, marker, width in HEADS[kind]:
        if n <= most and not (old_spec and marker == 0xD9):
            return bytes([marker]) + n.to_bytes(width) if width else bytes([marker + n])
    raise Refused("range")


def int_bytes(n: int) -> bytes:
    """The shortest form of an integer."""
    if -32 <= n < 128:
        return n.to_bytes(1, signed=n < 0)
    for marker, (width, signed) in INTS.items():
        if signed == (n < 0) and n.bit_length() <= 8 * width - (signed and n != -(2 ** (8 * width - 1))):
            return bytes([marker]) + n.to_bytes(width, signed=signed)
    raise Refused("range")


def write(v: Any, mode: str | None = None, canonical: bool = False) -> bytes:
    """The shortest form of a value."""
    old_spec = mode == "old-spec"
    if v is None:
        return b"\xc0"
    if isinstance(v, bool):
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        if mode == "big-int" and not -(2**63) <= v < 2**64:
            length = (v if v >= 0 else ~v).bit_length() // 8 + 1
            return write(Ext(BIG_INT, v.to_bytes(length, signed=True)))
        return int_bytes(v)
    if isinstance(v, float):
        return write_float(v, mode, canonical)
    if isinstance(v, str):
        return head("str", len(v.encode()), old_spec) + v.encode()
    if isinstance(v, bytes):
        return head("str" if old_spec else "bin", len(v), old_spec) + v
    if isinstance(v, list):
        return head("array", len(v)) + b"".join([write(item, mode, canonical) for item in v])
    if isinstance(v, Map):
        for key, _ in v.entries:
            if has_map(key):
                raise Refused("key")
        entries = [(write(key, mode, canonical), write(of, mode, canonical)) for key, of in v.entries]
        return head("map", len(entries)) + b"".join(
            k + of for k, of in (sorted(entries) if canonical else entries)
        )
    if isinstance(v, Timestamp):
        return write(Ext(-1, timestamp_body(v)))
    if isinstance(v, Typed):
        dims = b"".join(dim.to_bytes(8) for dim in v.dims)
        return write(
            Ext(TYPED, bytes([len(v.type)]) + v.type.encode() + bytes([len(v.dims)]) + dims + v.items)
        )
    return head("ext", len(v.body)) + v.code.to_bytes(1, signed=True) + v.body


def write_float(v: float, mode: str | None, canonical: bool) -> bytes:
    """A float in 64 bits; in 32 if that is asked for, or if it is canonical and exact."""
    if canonical and v != v:
        return b"\xca\x7f\xc0\x00\x00"
    if canonical and v == 0:
        v = 0.0
    try:
        short = struct.pack(">f", v)
    except OverflowError:
        if mode == "float32":
            raise Refused("range") from None
        short = b""
    if mode == "float32" or (canonical and short and struct.unpack(">f", short)[0] == v):
        return b"\xca" + short
    return b"\xcb" + struct.pack(">d", v)


def timestamp_body(v: Timestamp) -> bytes:
    """The shortest of the three forms."""
    if not 0 <= v.seconds < 2**34:
        return struct.pack(">Iq", v.nanoseconds, v.seconds)
    both = v.nanoseconds << 34 | v.seconds
    return both.to_bytes(4 if both < 2**32 else 8)


def has_map(v: Any) -> bool:
    """Whether a value is a map or an array with one in it."""
    stack = [v]
    while stack:
        v = stack.pop()
        if isinstance(v, Map):
            return True
        if isinstance(v, list):
            stack.extend(v)
    return False


def read(data: bytes, *modes: str | None, kind: "type[Reader] | None" = None) -> Any:
    """The value of one message, which is all there is."""
    reader = (kind or Reader)(data, modes)
    v = reader.value(0, False)
    if reader.at < len(data):
        raise Refused("trailing", reader.at)
    return v


@dataclass
class Reader:
    """A cursor over a message."""

    data: bytes
    modes: tuple[str | None, ...]
    at: int = 0

    def take(self, n: int) -> bytes:
        """The next `n` bytes."""
        self.at += n
        if self.at > len(self.data):
            raise Refused("eof", len(self.data))
        return self.data[self.at - n : self.at]

    def shortest(self, start: int, form: bytes) -> None:
        """Refuses what was taken since `start` if it is not this."""
        if "strict" in self.modes and self.data[start : self.at] != form:
            raise Refused("non-minimal", start)

    def value(self, depth: int, is_key: bool) -> Any:
        """The next value."""
        start = self.at
        first = self.take(1)[0]
        if first < 0x80 or first >= 0xE0:
            return first if first < 0x80 else first - 256
        if first < 0xC0:
            kind, n = (("map", first & 15), ("array", first & 15), ("str", first & 31))[
                min((first >> 4) - 8, 2)
            ]
            return self.sized(kind, n, start, depth, is_key)
        if first in SIZED:
            kind, width = SIZED[first]
            n = int.from_bytes(self.take(width))
            self.shortest(start, head(kind, n))
            return self.sized(kind, n, start, depth, is_key)
        if first in INTS:
            width, signed = INTS[first]
            number = int.from_bytes(self.take(width), signed=signed)
            self.shortest(start, int_bytes(number))
            return number
        if 0xD4 <= first <= 0xD8:
            return self.ext(1 << (first - 0xD4), start)
        if first == 0xCA:
            return widened(self.take(4))
        if first == 0xCB:
            return struct.unpack(">d", self.take(8))[0]
        if first == 0xC1:
            raise Refused("marker", start)
        return {0xC0: None, 0xC2: False, 0xC3: True}[first]

    def sized(self, kind: str, n: int, start: int, depth: int, is_key: bool) -> Any:
        """What comes after a length."""
        if kind == "ext":
            return self.ext(n, start)
        if kind in ("str", "bin"):
            body = self.take(n)
            if kind == "bin" or "old-spec" in self.modes:
                return body
            try:
                return body.decode()
            except UnicodeDecodeError as fault:
                raise Refused("utf8", self.at - n + fault.start) from None
        if kind == "map" and is_key:
            raise Refused("key", start)
        if depth == MAX_DEPTH:
            raise Refused("depth", start)
        if kind == "array":
            return [self.value(depth + 1, is_key) for _ in range(n)]
        entries: list[tuple[Any, Any]] = []
        seen = set()
        for _ in range(n):
            place = self.at
            key = self.value(depth + 1, True)
            if exact(key) in seen and {"strict", "unique"} & set(self.modes):
                raise Refused("duplicate-key", place)
            seen.add(exact(key))
            entries.append((key, self.value(depth + 1, False)))
        return Map(tuple(entries))

    def ext(self, n: int, start: int) -> Any:
        """An ext of `n` bytes, or what it stands for."""
        code = int.from_bytes(self.take(1), signed=True)
        body = self.take(n)
        v: Any = Ext(code, body)
        if code == -1:
            v = timestamp(body, start)
        elif code == BIG_INT and "big-int" in self.modes:
            if not body:
                raise Refused("body", start)
            v = int.from_bytes(body, signed=True)
        elif code == TYPED and "typed" in self.modes:
            return typed(body, start)
        self.shortest(start, write(v, "big-int"))
        return v


def widened(four: bytes) -> float:
    """A float of 32 bits as one of 64. A NaN by hand, since the machine might change its bits."""
    bits = int.from_bytes(four)
    if bits & 0x7FFFFFFF <= 0x7F800000:
        return struct.unpack(">f", four)[0]
    wide = (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    return struct.unpack(">d", wide.to_bytes(8))[0]


def timestamp(body: bytes, start: int) -> Timestamp:
    """Ext -1, in its three lengths."""
    if len(body) == 12:
        nanoseconds, seconds = struct.unpack(">Iq", body)
    else:
        both = int.from_bytes(body)
        nanoseconds, seconds = both >> 34, both & (2**34 - 1)
    if len(body) not in (4, 8, 12) or nanoseconds > 999_999_999:
        raise Refused("timestamp", start)
    return Timestamp(seconds, nanoseconds)


def item_size(kind: bytes) -> int:
    """How many bytes an item of a type has; 0 if there is no such type."""
    if re.fullmatch(rb"\|[biu]1|<[iuf][248]|<c(8|16)|<[Mm]8\[\w+\]|\|S[1-9]\d*", kind):
        return int(re.findall(rb"\d+", kind)[0])
    characters = re.fullmatch(rb"<U([1-9]\d*)", kind)
    return 4 * int(characters[1]) if characters else 0


def typed(body: bytes, start: int) -> Typed:
    """Ext 43: vectors/ext-codes.md."""
    reader = Reader(body, ())
    try:
        kind = reader.take(reader.take(1)[0])
        dims = tuple(int.from_bytes(reader.take(8)) for _ in range(reader.take(1)[0]))
    except Refused:
        raise Refused("body", start) from None
    size = item_size(kind) * math.prod(dims)
    if not item_size(kind) or size != len(body) - reader.at:
        raise Refused("body", start)
    return Typed(kind.decode(), dims, body[reader.at :])


# The check.


def refusal(data: bytes, *modes: str | None, kind: type[Reader] = Reader) -> tuple[str, int | None] | None:
    """Why and where a message is refused, or None."""
    try:
        read(data, *modes, kind=kind)
    except Refused as refused:
        return refused.why, refused.offset
    return None


def faults(case: Case) -> Iterator[str]:
    """What is wrong with one case."""
    if case.mode not in (None, *MODES) or case.way not in (None, "read", "write"):
        yield f"mode {case.mode}, way {case.way}"
    if case.why is not None:
        yield from faults_of_refused(case)
        return
    if case.data is None:
        yield "neither bytes nor a reason"
        return
    if case.way != "read":
        if write(case.value, case.mode) != case.data:
            yield f"is written as {write(case.value, case.mode).hex(' ')}"
        if case.mode in (None, "big-int", "typed"):
            canonical = case.data if case.canonical is None else case.canonical
            if write(case.value, case.mode, canonical=True) != canonical:
                yield f"is canonically {write(case.value, case.mode, canonical=True).hex(' ')}"
            if write(read(canonical, case.mode, "strict"), case.mode, canonical=True) != canonical:
                yield "canonical bytes change when they are read and written"
    if case.way == "write":
        return
    strict = None if case.mode == "old-spec" else "strict"
    forms = [case.data, *case.also, *case.also_strict]
    if len(set(forms)) < len(forms) or case.canonical == case.data:
        yield "an encoding stands twice"
    for form in forms:
        if exact(read(form, case.mode)) != exact(case.value):
            yield f"{form.hex(' ')} is read as something else"
        if strict and (refusal(form, case.mode, strict) is not None) != (form in case.also):
            yield f"{form.hex(' ')} is taken or refused by strict: {refusal(form, case.mode, strict)}"


def faults_of_refused(case: Case) -> Iterator[str]:
    """What is wrong with a case that must be refused."""
    if case.why not in REASONS:
        yield f"no such reason: {case.why}"
    if case.data is None:
        try:
            yield f"is written as {write(case.value, case.mode).hex(' ')}"
        except Refused as refused:
            if refused.why != case.why:
                yield f"is refused for {refused.why}"
        return
    always = case.mode == "always"
    got = refusal(case.data, None if always else case.mode)
    if got != (case.why, case.offset) and got != (case.why, None):
        yield f"got {got}"
    if always and refusal(case.data, "strict") is None:
        yield "is taken by strict"
    if not always and refusal(case.data) is not None:
        yield f"is refused in every mode: {refusal(case.data)}"


def checked(all_cases: Iterable[Case], faults_of: Callable[[Case], Iterable[str]]) -> tuple[list[Case], int]:
    """All cases, and how many faults they have, which are told."""
    kept: list[Case] = []
    names: set[str] = set()
    wrong = 0
    for case in all_cases:
        kept.append(case)
        found = list(faults_of(case))
        if case.name in names:
            found.append("another case has this name")
        names.add(case.name)
        for fault in found:
            wrong += 1
            print(f"{case.file}: {case.name}: {fault[:300]}")
    return kept, wrong


def main() -> int:
    """Check every case."""
    sys.setrecursionlimit(20_000)
    kept, wrong = checked(cases(), faults)
    counts = Counter(case.file for case in kept)
    firsts = {form[0] for case in kept if case.data for form in (case.data, *case.also, *case.also_strict)}
    missing = set(range(0xC0, 0xE1)) | {0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xFF}
    for first in sorted(missing - firsts):
        wrong += 1
        print(f"no case begins with {first:02x}")
    for file, count in counts.items():
        print(f"{count:5} {file}")
    print(f"{len(kept):5} cases, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
