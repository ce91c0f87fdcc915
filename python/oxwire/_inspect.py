"""What `python -m oxwire inspect` shows: MessagePack value by value, with the bytes that each one stands in.

It reads the bytes by itself, in plain Python: what it is for is input that a decoder refuses or misunderstands.
Each row is handed out as soon as it is read. So memory grows with how deep containers nest (up to DEEPEST) and
with nothing else, whatever lengths the input claims, and all that stands before a fault is seen.

Bytes that are no UTF-8 and timestamps that say no moment are noted and passed over, since it is clear where the
next value begins. A fault is what leaves that open.
"""

import argparse
import codecs
import contextlib
import datetime
import io
import struct
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from typing import IO, NamedTuple

from ._shell import Failure, open_in, optional, reporting

DEEPEST = 200_000
"""How many containers may nest: each takes about 100 bytes while it is open."""
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
    """One value."""

    offset: int
    head: bytes
    """The first bytes that it stands in; of a container, those of its header."""
    size: int
    """How many bytes these are in full."""
    marker: str
    """The name that the specification gives to this form, with the length that it tells."""
    depth: int
    label: str
    """Which value it is: `message 1`, `[3]` in an array, `key 0` in a map, and then the key itself."""
    value: str
    note: str
    """What is unusual about it; empty if nothing is."""


class _Marker(NamedTuple):
    name: str
    kind: str
    # How wide the number or the length behind the marker is, in bytes.
    width: int
    # The value or the length that the marker itself tells.
    told: int = 0


def _markers() -> list[_Marker]:
    table = [_Marker("positive fixint", "fixed", 0, n) for n in range(128)]
    table += [_Marker("fixmap", "map", 0, n) for n in range(16)]
    table += [_Marker("fixarray", "array", 0, n) for n in range(16)]
    table += [_Marker("fixstr", "str", 0, n) for n in range(32)]
    table += [_Marker(name, name, 0) for name in ("nil", "never used", "false", "true")]
    table += [_Marker(f"bin {8 * n}", "bin", n) for n in (1, 2, 4)]
    table += [_Marker(f"ext {8 * n}", "ext", n) for n in (1, 2, 4)]
    table += [_Marker(f"float {8 * n}", "float", n) for n in (4, 8)]
    table += [_Marker(f"uint {8 * n}", "uint", n) for n in (1, 2, 4, 8)]
    table += [_Marker(f"int {8 * n}", "int", n) for n in (1, 2, 4, 8)]
    table += [_Marker(f"fixext {n}", "ext", 0, n) for n in (1, 2, 4, 8, 16)]
    table += [_Marker(f"str {8 * n}", "str", n) for n in (1, 2, 4)]
    table += [_Marker(f"array {8 * n}", "array", n) for n in (2, 4)]
    table += [_Marker(f"map {8 * n}", "map", n) for n in (2, 4)]
    return table + [_Marker("negative fixint", "fixed", 0, n) for n in range(-32, 0)]


MARKERS = _markers()
"""What each first byte begins."""


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str, limit: int = _CUT) -> str:
    r"""Text in quotes, cut. What does not print is escaped, and so are bytes that stand in it as surrogates: `\xff`."""
    out = []
    for letter in text[:limit]:
        code = ord(letter)
        if letter in _ESCAPES:
            out.append(_ESCAPES[letter])
        elif letter.isprintable():
            out.append(letter)
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
    for bits in (8, 16, 32):
        if 0 <= number < 1 << bits:
            return 1 + bits // 8, f"uint {bits}"
        if -1 << (bits - 1) <= number < 0:
            return 1 + bits // 8, f"int {bits}"
    return 9, "uint 64" if number > 0 else "int 64"


def _shorter(kind: str, width: int, length: int) -> str:
    # The name of a form with a shorter header that could tell this length; empty if there is none.
    if not width:
        return ""
    if kind == "ext" and length in (1, 2, 4, 8, 16):
        return f"fixext {length}"
    least = {"str": 32, "array": 16, "map": 16}.get(kind, 0)
    if length < least:
        return f"fix{kind}"
    for narrow in (1, 2):
        if narrow < width and length < 1 << 8 * narrow and (narrow > 1 or kind not in ("array", "map")):
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
    note = ""
    if nanoseconds > 999_999_999:
        note = "no moment: above 999999999 nanoseconds"
    elif len(data) > 4 and not nanoseconds and 0 <= seconds < 1 << 32:
        note = "timestamp 32 would do"
    elif len(data) > 8 and 0 <= seconds < 1 << 34:
        note = "timestamp 64 would do"
    text = None if nanoseconds > 999_999_999 else moment(seconds, nanoseconds)
    return f"timestamp {8 * len(data)}, " + (text or f"{seconds} s + {nanoseconds} ns"), note


class _Frame:
    # A container that is open.
    __slots__ = ("begun", "is_map", "key", "start", "total")

    def __init__(self, start: int, total: int, is_map: bool) -> None:
        self.start, self.total, self.is_map = start, total, is_map
        self.begun = 0
        self.key = ""

    def label(self) -> str:
        """Which one the item is that comes next."""
        if not self.is_map:
            return f"[{self.begun}]"
        index, is_value = divmod(self.begun, 2)
        return (self.key or f"value {index}") if is_value else f"key {index}"


class _Reader:
    """The bytes of the input, and how many there were."""

    def __init__(self, source: IO[bytes], start: int) -> None:
        self.source, self.at = source, start

    def take(self, size: int) -> bytes:
        """So many bytes (few); fewer only at the end of the input."""
        data = self.source.read(size)
        self.at += len(data)
        return data

    def body(
        self, size: int, keep: int, see: Callable[[bytes, bool], None] | None = None
    ) -> tuple[bytes, int]:
        """Pass over so many bytes (any claim), showing each part to `see`. The first ones, and how many are missing."""
        kept = b""
        while size:
            part = self.take(min(size, _CHUNK))
            if not part:
                break
            size -= len(part)
            kept += part[: keep - len(kept)]
            if see is not None:
                see(part, not size)
        return kept, size


class _Utf8:
    """Whether text that comes in parts is UTF-8."""

    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.seen = 0
        self.wrong: int | None = None

    def see(self, part: bytes, last: bool) -> None:
        """Look at the next part."""
        if self.wrong is None:
            # The decoder holds back a character that is not whole yet.
            held = len(self.decoder.getstate()[0])
            try:
                self.decoder.decode(part, last)
            except UnicodeDecodeError as error:
                self.wrong = self.seen - held + error.start
        self.seen += len(part)


class _Value:
    """One value without what is inside it: read, spelled and judged."""

    def __init__(self, reader: _Reader, first: bytes) -> None:
        self.offset = reader.at - 1
        marker = MARKERS[first[0]]
        self.kind, self.marker = marker.kind, marker.name
        self.text = self.key = self.note = ""
        # How many bytes the input would have to be longer to hold this value, and how many values come inside it.
        self.missing = self.items = 0
        self.is_container = self.kind in ("array", "map")
        self.head = first
        number = reader.take(marker.width)
        self.head += number
        if len(number) < marker.width:
            self.missing = marker.width - len(number)
        elif self.kind in ("fixed", "uint", "int", "float"):
            self._number(number, marker)
        elif self.kind in ("str", "bin", "ext", "array", "map"):
            length = int.from_bytes(number, "big") if number else marker.told
            if self.kind != "ext" or marker.width:
                self.marker = f"{marker.name} ({length})"
            narrower = _shorter(self.kind, marker.width, length)
            self.note = narrower and f"{narrower} would do"
            if self.is_container:
                self.items = 2 * length if self.kind == "map" else length
                what = ("entry", "entries") if self.kind == "map" else ("item", "items")
                self.text = f"{length} {what[length != 1]}"
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
        utf8 = _Utf8()
        # A character takes up to four bytes, and one more than is shown tells that there are more.
        kept, self.missing = reader.body(length, 4 * _CUT + 4, utf8.see if self.kind == "str" else None)
        self.head += kept[:_HEAD]
        if self.missing:
            return
        if self.kind == "str":
            text = kept.decode("utf-8", "surrogateescape")
            self.text = quoted(text)
            self.key = quoted(text, _CUT_KEY)
            if utf8.wrong is not None:
                self._remark(f"not UTF-8 at byte {reader.at - length + utf8.wrong}")
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
        what = "the map" if frame.is_map else "the array"
        of = f"{frame.total} keys and values" if frame.is_map else f"{frame.total} items"
        rest = f"{frame.total - frame.begun} of its {of} are missing"
        raise Fault(f"the input ends within {what} at byte {frame.start}: {rest}", reader.at)


def _cells(row: Row) -> tuple[str, ...]:
    # A row as text that is aligned: offset, bytes, type, value with label and indentation, note.
    whole = row.size <= _HEAD
    shown = row.head[: _HEAD if whole else _HEAD - 1].hex(" ") + ("" if whole else " ..")
    indent = "  " * min(row.depth, _INDENTED)
    if row.depth > _INDENTED:
        indent += f"<{row.depth}> "
    note = f"({row.note})" if row.note else ""
    return f"{row.offset:>8}", f"{shown:<29}", f"{row.marker:<16}", f"{indent}{row.label}: {row.value}", note


def _writer(out: IO[str]) -> Callable[[Sequence[str], Sequence[str]], None]:
    # What writes the cells of a line, in the styles that are given if `out` is a terminal and rich is there.
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


_HEADING = (f"{'offset':>8}", f"{'bytes':<29}", f"{'type':<16}", "value", "")
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
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A text may hold letters that the terminal's encoding has not.
        sys.stdout.reconfigure(errors="backslashreplace")
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
