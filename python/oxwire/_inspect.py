"""What `python -m oxwire inspect` shows: MessagePack value by value, with the bytes that each one stands in.

It reads the bytes by itself: what it is for is input that a decoder refuses or misunderstands. Each row is handed out
as soon as it is read, so memory grows with how deep containers nest (up to DEEPEST) and with nothing else, whatever
lengths the input claims. What leaves open where the next value begins is a Fault; all else is noted and passed over.
"""

import argparse
import codecs
import contextlib
import datetime
import struct
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from typing import IO, NamedTuple

from ._shell import Failure, escaping, open_in, optional, reporting

DEEPEST = 200_000  # containers that may nest: each takes about 100 bytes while it is open
_HEAD = 10  # bytes of a value that are shown: all of every number, and of most timestamps
_CUT = 48  # characters of a text, or bytes of binary data, that are shown
_CUT_KEY = 24  # the same for a key, before the value that belongs to it
_CHUNK = 1 << 16
_INDENTED = 16  # levels that are indented; beyond them the depth is told as a number


class Fault(Exception):
    """What makes the rest of the input unreadable, and the byte where it shows."""

    def __init__(self, msg: str, offset: int) -> None:
        super().__init__(msg)
        self.msg, self.offset = msg, offset


class Row(NamedTuple):
    """One value: its first bytes (of a container those of its header), how many there are in full, and the name of its
    form; `label` says which value it is: `message 1`, `[3]` in an array, `key 0` in a map, and then the key itself."""

    offset: int
    head: bytes
    size: int
    marker: str
    depth: int
    label: str
    value: str
    note: str


class _Marker(NamedTuple):
    name: str
    kind: str
    width: int = 0  # of the number or the length behind the marker, in bytes
    told: int = 0  # the value or the length that the marker itself tells


def _markers() -> list[_Marker]:
    table = [_Marker("positive fixint", "fixed", 0, n) for n in range(128)]
    for kind, count in ("map", 16), ("array", 16), ("str", 32):
        table += [_Marker(f"fix{kind}", kind, 0, n) for n in range(count)]
    table += [_Marker(name, name) for name in ("nil", "never used", "false", "true")]
    for kind, widths in (
        ("bin", (1, 2, 4)),
        ("ext", (1, 2, 4)),
        ("float", (4, 8)),
        ("uint", (1, 2, 4, 8)),
        ("int", (1, 2, 4, 8)),
        ("fixext", (1, 2, 4, 8, 16)),
        ("str", (1, 2, 4)),
        ("array", (2, 4)),
        ("map", (2, 4)),
    ):
        fixed = kind == "fixext"
        table += [
            _Marker(f"fixext {n}", "ext", 0, n) if fixed else _Marker(f"{kind} {8 * n}", kind, n)
            for n in widths
        ]
    return table + [_Marker("negative fixint", "fixed", 0, n) for n in range(-32, 0)]


# What each first byte begins.
MARKERS = _markers()


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str, limit: int = _CUT) -> str:
    r"""Text in quotes, cut. What does not print is escaped, also bytes that stand in it as surrogates: `\xff`."""
    out = []
    for letter in text[:limit]:
        code = ord(letter)
        if letter in _ESCAPES or letter.isprintable():
            out.append(_ESCAPES.get(letter, letter))
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        else:
            out.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return f'"{"".join(out)}"' + ("..." if len(text) > limit else "")


def moment(seconds: int, nanoseconds: int) -> str | None:
    """A moment as RFC 3339 spells it, to the nanosecond; None if its year does not have four digits."""
    try:
        day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return None
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    return f"{day.isoformat()}{fraction}Z"


def _narrowest(number: int) -> tuple[int, str]:
    # How many bytes the shortest form of an integer takes, and its name.
    if -32 <= number < 128:
        return 1, "a fixint"
    kind = "int" if number < 0 else "uint"
    # What is negative needs a bit for its sign.
    bits = (number + (number < 0)).bit_length() + (number < 0)
    width = next(width for width in (8, 16, 32, 64) if bits <= width)
    return 1 + width // 8, f"{kind} {width}"


def _shorter(kind: str, width: int, length: int) -> str:
    # The name of a form with a shorter header that could tell this length; empty if there is none.
    if not width:
        return ""
    if kind == "ext" and length in (1, 2, 4, 8, 16):
        return f"fixext {length}"
    if length < {"str": 32, "array": 16, "map": 16}.get(kind, 0):
        return f"fix{kind}"
    for narrow in (2,) if kind in ("array", "map") else (1, 2):
        if narrow < width and length < 1 << 8 * narrow:
            return f"{kind} {8 * narrow}"
    return ""


def _timestamp(data: bytes) -> tuple[str, str]:
    # The body of an ext of code -1, and what is to be noted of it.
    if len(data) == 4:
        seconds, nanoseconds = int.from_bytes(data, "big"), 0
    elif len(data) == 8:
        both = int.from_bytes(data, "big")
        seconds, nanoseconds = both & (1 << 34) - 1, both >> 34
    else:
        nanoseconds, seconds = struct.unpack(">Iq", data)
    note, text = "", moment(seconds, nanoseconds)
    if nanoseconds > 999_999_999:
        note, text = "no moment: above 999999999 nanoseconds", None
    elif len(data) > 4 and not nanoseconds and 0 <= seconds < 1 << 32:
        note = "timestamp 32 would do"
    elif len(data) > 8 and 0 <= seconds < 1 << 34:
        note = "timestamp 64 would do"
    return f"timestamp {8 * len(data)}, " + (text or f"{seconds} s + {nanoseconds} ns"), note


class _Frame:
    # A container that is open: `total` values come in it, `begun` of them have come.
    __slots__ = ("begun", "is_map", "key", "start", "total")

    def __init__(self, start: int, total: int, is_map: bool) -> None:
        self.start, self.total, self.is_map = start, total, is_map
        self.begun, self.key = 0, ""

    def label(self) -> str:
        """Which one the value is that comes next."""
        if not self.is_map:
            return f"[{self.begun}]"
        index, is_value = divmod(self.begun, 2)
        return (self.key or f"value {index}") if is_value else f"key {index}"


class _Reader:
    # The bytes of the input, and how many there were.

    def __init__(self, source: IO[bytes], start: int) -> None:
        self.source, self.at = source, start

    def take(self, size: int) -> bytes:
        """So many bytes (few); fewer only at the end of the input."""
        data = self.source.read(size)
        self.at += len(data)
        return data


class _Value:
    """One value without what is inside it: read, spelled and judged."""

    def __init__(self, reader: _Reader, first: bytes) -> None:
        self.offset = reader.at - 1
        marker = MARKERS[first[0]]
        self.kind, self.marker = marker.kind, marker.name
        self.text = self.key = self.note = ""
        # How many values come inside it. `missing` is how many bytes the input is too short to hold it.
        self.items = 0
        number = reader.take(marker.width)
        self.head = first + number
        self.missing = marker.width - len(number)
        if self.missing:
            pass
        elif self.kind in ("fixed", "uint", "int", "float"):
            self._number(number, marker)
        elif self.kind in ("str", "bin", "ext", "array", "map"):
            length = int.from_bytes(number, "big") if number else marker.told
            if self.kind != "ext" or marker.width:
                self.marker = f"{marker.name} ({length})"
            narrower = _shorter(self.kind, marker.width, length)
            self.note = narrower and f"{narrower} would do"
            if self.kind == "array":
                self.items, self.text = length, f"{length} item{'s' * (length != 1)}"
            elif self.kind == "map":
                self.items, self.text = 2 * length, f"{length} {'entry' if length == 1 else 'entries'}"
            else:
                self._body(reader, length)
        elif self.kind == "never used":
            self.text = "no value begins with this byte"
        else:
            self.text = self.key = self.kind
        self.size = max(len(self.head), reader.at - self.offset)

    def _number(self, data: bytes, marker: _Marker) -> None:
        if self.kind == "float":
            self.text = repr(struct.unpack(">f" if len(data) == 4 else ">d", data)[0])
        else:
            number = int.from_bytes(data, "big", signed=self.kind == "int") if data else marker.told
            size, name = _narrowest(number)
            self.text = str(number)
            # Of two forms of one length, a number that is not negative has the unsigned one.
            longer = size < 1 + len(data) or (self.kind == "int" and number >= 0)
            self.note = f"{name} would do" if longer else ""
        self.key = self.text

    def _body(self, reader: _Reader, length: int) -> None:
        code = b""
        if self.kind == "ext":
            code = reader.take(1)
            self.head += code
            if not code:
                self.missing = 1 + length
                return
        # A character takes up to four bytes, and one more than is shown tells that there are more.
        kept, keep, wrong = b"", 4 * _CUT + 4, None
        decoder = codecs.getincrementaldecoder("utf-8")()
        self.missing = length
        while self.missing and (part := reader.take(min(self.missing, _CHUNK))):
            self.missing -= len(part)
            kept += part[: keep - len(kept)]
            if self.kind == "str" and wrong is None:
                # The decoder holds back a character that is not whole yet.
                start = reader.at - len(part) - len(decoder.getstate()[0])
                try:
                    decoder.decode(part, not self.missing)
                except UnicodeDecodeError as error:
                    wrong = start + error.start
        self.head += kept[:_HEAD]
        if self.missing:
            return
        if self.kind == "str":
            text = kept.decode("utf-8", "surrogateescape")
            self.text, self.key = quoted(text), quoted(text, _CUT_KEY)
            if wrong is not None:
                self._remark(f"not UTF-8 at byte {wrong}")
            return
        data = repr(kept[:_CUT]) + ("..." if length > _CUT else "")
        if self.kind == "bin":
            self.text = self.key = data
            return
        number = int.from_bytes(code, "big", signed=True)
        if number != -1:
            self.text = f"code {number}, {data}"
        elif length in (4, 8, 12):
            self.text, note = _timestamp(kept)
            self._remark(note)
        else:
            self.text = f"code -1, {data}"
            self._remark("no timestamp: these have 4, 8 or 12 bytes")
        self.key = self.text

    def _remark(self, note: str) -> None:
        self.note = "; ".join(filter(None, (self.note, note)))


def rows(source: IO[bytes], start: int = 0) -> Iterator[Row]:
    """The values of a binary file, each before those inside it. `start` is the offset that its first byte has."""
    reader = _Reader(source, start)
    frames: list[_Frame] = []
    messages = 0
    while first := reader.take(1):
        if frames:
            label = frames[-1].label()
            frames[-1].begun += 1
        else:
            messages += 1
            label = f"message {messages}"
        value = _Value(reader, first)
        text = "cut short" if value.missing else value.text
        yield Row(value.offset, value.head, value.size, value.marker, len(frames), label, text, value.note)
        if value.missing:
            rest = f"{value.missing} byte{'s are' if value.missing > 1 else ' is'} missing"
            raise Fault(
                f"the input ends within a value, the {value.marker} at byte {value.offset}: {rest}", reader.at
            )
        if value.kind == "never used":
            raise Fault(f"no value of MessagePack begins with 0x{first.hex()}", value.offset)
        if frames:
            frames[-1].key = value.key
        if value.items:
            if len(frames) == DEEPEST:
                raise Fault(f"containers nest deeper than {DEEPEST} levels, too deep to be shown", reader.at)
            frames.append(_Frame(value.offset, value.items, value.kind == "map"))
        while frames and frames[-1].begun == frames[-1].total:
            frames.pop()
    if frames:
        frame = frames[-1]
        # Of a map keys and values are counted, since it may lack the value of a key.
        what, of = ("map", "keys and values") if frame.is_map else ("array", "items")
        rest = f"{frame.total - frame.begun} of its {frame.total} {of} are missing"
        raise Fault(f"the input ends within the {what} at byte {frame.start}: {rest}", reader.at)


def _cells(row: Row) -> tuple[str, ...]:
    # A row as text that is aligned: offset, bytes, type, value with label and indentation, note.
    whole = row.size <= _HEAD
    shown = row.head[: _HEAD if whole else _HEAD - 1].hex(" ") + ("" if whole else " ..")
    indent = "  " * min(row.depth, _INDENTED)
    if row.depth > _INDENTED:
        indent += f"<{row.depth}> "
    note = f"({row.note})" if row.note else ""
    return _aligned(row.offset, shown, row.marker, f"{indent}{row.label}: {row.value}", note)


def _aligned(offset: object, shown: str, marker: str, value: str, note: str) -> tuple[str, ...]:
    return f"{offset:>8}", f"{shown:<29}", f"{marker:<16}", value, note


def _writer(out: IO[str]) -> Callable[[Sequence[str], Sequence[str]], None]:
    # What writes the cells of a line, with rich in the styles that are given.
    rich = optional("rich.text", out)
    if rich is None:
        return lambda cells, styles: print("  ".join(cells).rstrip(), file=out)
    console = import_module("rich.console").Console(highlight=False)

    def write(cells: Sequence[str], styles: Sequence[str]) -> None:
        line = rich.Text("  ").join(map(rich.Text, cells, styles))
        line.rstrip()
        # Wide lines are left to the terminal, so that a copy of them is what a pipe would have got.
        console.print(line, soft_wrap=True)

    return write


_HEADING = _aligned("offset", "bytes", "type", "value", "")
_STYLES = ("dim", "cyan", "green", "", "yellow")


def _rows_of(options: argparse.Namespace) -> Generator[Row, None, None]:
    name = options.input
    with reporting(name), open_in(name) as source:
        # Not by seek(), which a pipe has not.
        left = options.offset
        while left:
            passed = source.read(min(left, _CHUNK))
            if not passed:
                raise Failure(
                    f"{name}: the input ends before byte {options.offset} (byte {options.offset - left})"
                )
            left -= len(passed)
        try:
            yield from rows(source, options.offset)
        except Fault as fault:
            raise Failure(f"{name}: {fault.msg} (byte {fault.offset})") from fault


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command with the options that the parser took."""
    escaping()
    shown = _rows_of(options)
    with reporting("-"), contextlib.closing(shown):
        write = _writer(sys.stdout)
        try:
            for number, row in enumerate(shown):
                if not number:
                    write(_HEADING, ["dim"] * len(_HEADING))
                if number == options.limit:
                    write(["..."], ["dim"])
                    break
                write(_cells(row), _STYLES)
        finally:
            # What stands before a fault comes before it also where both go to one file.
            sys.stdout.flush()
    return 0
