"""`python -m oxwire convert`: JSON, NDJSON and MessagePack into each other, or laid out anew.

Nothing is lost in silence. JSON that stays JSON keeps its spelling unless an option takes it apart. Between JSON and
MessagePack, what the other cannot say is an error with its path, unless --lossy names it (LOSSES). Not counted as
lost: how long a number or a length was spelled, since a reader sees the value only. A float32 comes out as the same
number with more digits, and the number 1.50 as 1.5.

Values between the two formats are changed in place: nobody else holds them, and most need no change.
"""

import argparse
import binascii
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from . import EncodeError
from . import json as _json
from . import msgpack as _msgpack
from ._inspect import moment, quoted
from ._shell import Failure, Out, open_in, reporting

# Formats by the names that --from and --to take, and by the endings of files.
_FORMATS = {"json": "json", "ndjson": "ndjson", "jsonl": "ndjson", "msgpack": "msgpack"}
_ENDINGS = {
    ".json": "json",
    ".geojson": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".msgpack": "msgpack",
    ".mpk": "msgpack",
    ".mp": "msgpack",
}
LOSSES = {
    "bytes": "as base64 text",
    "timestamps": "as RFC 3339 text",
    "ext": 'as {"ext": code, "data": base64}',
    "keys": "that are no text as the text of their JSON",
    "nan": "and infinities as null",
    "utf8": "errors in text as U+FFFD",
    "duplicates": "of a key as the last of them",
    "digits": "that a float cannot hold rounded",
}
"""What --lossy can name, and how it is spelled then."""
_CHUNK = 1 << 16
_SPACE = b" \t\r\n"
_STEP = 80  # characters of a key that a path shows
# What both formats have. A float among them may still be none that JSON has.
_PLAIN: frozenset[type] = frozenset({str, int, float, bool, type(None)})
_TEXT: frozenset[type] = frozenset({str})
# Where a value stands: where what holds it stands, and its index or key there. None is the root.
_Trail = tuple["_Trail", Any] | None


class _Rejoined:
    """A stream whose first bytes have been looked at already, whole again for the next reader."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head, self.rest = head, rest

    def read(self, size: int = -1, /) -> bytes:
        if not self.head:
            return self.rest.read(size)
        if size < 0:
            head, self.head = self.head, b""
            return head + self.rest.read()
        part, self.head = self.head[:size], self.head[size:]
        return part


def _starts_array(source: IO[bytes]) -> tuple[bool, Any]:
    # Only white space is skipped, so that lines and columns of errors stay those of the file.
    head = chunk = source.read(_CHUNK)
    while chunk and not chunk.strip(_SPACE):
        chunk = source.read(_CHUNK)
        head += chunk
    return head.lstrip(_SPACE)[:1] == b"[", _Rejoined(head, source)


def _between_json(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # JSON or NDJSON to one of the two.
    indent = options.indent
    # What need not be taken apart is laid out anew as it is spelled: 1.10 stays 1.10, and so does \u00e9.
    apart = options.sort or options.canonical or options.ensure_ascii
    chosen: dict[str, Any] = {"indent": indent}
    if options.canonical:
        chosen = {"canonical": True}
    elif apart:
        chosen |= {"sort": options.sort, "ensure_ascii": options.ensure_ascii}
    # A converter that drops one of two values is silent loss, so a key that stands twice is refused.
    strict: dict[str, Any] = {"duplicate_keys": "error"} if apart else {"raw": True}

    def write(value: Any) -> bytes:
        return _json.encode(value, **chosen) if apart else _json.format(value, indent=indent)

    if options.source == "json":
        is_array = False
        if options.target == "ndjson":
            is_array, source = _starts_array(source)
        if not is_array:
            data = source.read()
            sink.write(write(_json.decode(data, **strict) if apart else data))
            if not options.canonical or options.target == "ndjson":
                sink.write(b"\n")
            return
        values: Iterable[Any] = _json.iter_items(source, **strict)
    else:
        values = _json.iter_lines(source, **strict)
    if options.target == "ndjson":
        for value in values:
            sink.write(write(value))
            sink.write(b"\n")
        return
    # Strings hold no bare line feed, so each one in an item begins a line of the layout.
    unit = b"" if indent is None else b"\n" + _indent_unit(indent)
    between = b"["
    for value in values:
        item = write(value)
        sink.write(between + unit + (item.replace(b"\n", unit) if unit else item))
        between = b","
    if between == b"[":
        sink.write(b"[]")
    else:
        sink.write(b"]" if indent is None else b"\n]")
    if not options.canonical:
        sink.write(b"\n")


def _indent_unit(indent: int | str) -> bytes:
    return b" " * indent if isinstance(indent, int) else indent.encode()


class _Unsayable(Exception):
    """A value that the other format cannot say. It has the attributes of an EncodeError."""

    def __init__(self, msg: str, path: str) -> None:
        super().__init__(msg)
        self.msg, self.path = msg, path


def _path(trail: _Trail) -> str:
    steps = []
    while trail is not None:
        trail, step = trail
        steps.append(_step(step))
    return "$" + "".join(reversed(steps))


def _step(step: Any) -> str:
    if type(step) is str and step.isascii() and step.isidentifier() and len(step) <= _STEP:
        return f".{step}"
    shown = quoted(step, _STEP) if type(step) is str else repr(step)
    return f"[{shown}]" if len(shown) <= 2 * _STEP else f"[{shown[:_STEP]}...]"


class _Inexact:
    """A number that would be another one as a float."""

    def __init__(self, text: str) -> None:
        self.text = text


def _float(text: str) -> float | _Inexact:
    """The float that a number of JSON stands for.

    That is so if the float, printed with as many digits, gives the number back: then it is what was printed (17 digits
    are usual), or has so few digits that the shortest spelling of the float is the number again.
    """
    value = float(text)
    # With up to 15 digits that is always so, but for the smallest floats, which have less than 53 bits.
    if (len(text) < 17 and 1e-290 < abs(value) < 1e300) or repr(value) == text:
        return value
    mantissa = text.lower().partition("e")[0]
    digits = mantissa.translate({ord(mark): None for mark in "-."}).strip("0")
    if not digits:
        return value
    if value == 0 or math.isinf(value):
        return _Inexact(text)
    from decimal import Decimal

    return value if Decimal(format(value, f".{len(digits) - 1}e")) == Decimal(text) else _Inexact(text)


def _plainly(value: Any, lossy: frozenset[str], plain: frozenset[type], trail: _Trail = None) -> Any:
    """The value with all that JSON does not have spelled another way, or _Unsayable. Types in `plain` stay as they are.

    It uses no recursion: values nest deeper than Python calls itself.
    """
    texts = _TEXT & plain
    whole = [value]
    todo: list[tuple[Any, Any, _Trail]] = [(whole, 0, trail)]
    while todo:
        where, at, trail = todo.pop()
        value = where[at]
        kind = type(value)
        if kind is tuple:
            value = where[at] = list(value)
        # What comes first is on top, so that the first fault is the one that is told.
        if kind is list or kind is tuple:
            if not plain.issuperset(map(type, value)):
                found = range(len(value) - 1, -1, -1)
                todo.extend((value, i, (trail, i)) for i in found if type(value[i]) not in plain)
        elif kind is dict:
            if not texts.issuperset(map(type, value)):
                value = where[at] = _with_text_keys(value, lossy, plain, trail)
            if not plain.issuperset(map(type, value.values())):
                found = reversed(value.items())
                todo.extend((value, key, (trail, key)) for key, item in found if type(item) not in plain)
        elif kind not in plain:
            where[at] = _spelled(value, lossy, trail)
    return whole[0]


def _with_text_keys(
    value: dict[Any, Any], lossy: frozenset[str], plain: frozenset[type], trail: _Trail
) -> dict[str, Any]:
    new: dict[str, Any] = {}
    for key, item in value.items():
        here = (trail, key)
        if type(key) is not str and "keys" not in lossy:
            hint = "--lossy keys writes the text of its JSON"
            raise _Unsayable(f"a key that is no text has no JSON; {hint}", _path(here))
        spelled = _plainly(key, lossy, plain - {float}, here)
        text = spelled if type(spelled) is str else _json.encode(spelled).decode()
        if text in new and "duplicates" not in lossy:
            hint = "--lossy duplicates keeps the last value"
            raise _Unsayable(f"another key has the same text; {hint}", _path(here))
        new[text] = item
    return new


def _spelled(value: Any, lossy: frozenset[str], trail: _Trail) -> Any:
    # One value that is no container.
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        if "nan" in lossy:
            return None
        raise _Unsayable(f"{value} has no JSON; --lossy nan writes null", _path(trail))
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, bytes):
        if "bytes" in lossy:
            return _base64(value)
        raise _Unsayable("bytes have no JSON; --lossy bytes writes base64 text", _path(trail))
    if isinstance(value, _msgpack.Timestamp):
        text = moment(value.seconds, value.nanoseconds)
        if text is not None and "timestamps" in lossy:
            return text
        if text is not None:
            raise _Unsayable("a timestamp has no JSON; --lossy timestamps writes RFC 3339 text", _path(trail))
        if not {"timestamps", "ext"} <= lossy:
            known = "a timestamp outside of the years 1 to 9999 has no text; --lossy timestamps,ext writes its bytes"
            raise _Unsayable(known, _path(trail))
        value = _msgpack.Ext(-1, value.to_bytes())
    if isinstance(value, _msgpack.Ext):
        if "ext" in lossy:
            return {"ext": value.code, "data": _base64(value.data)}
        hint = '--lossy ext writes {"ext": code, "data": base64}'
        if value.code == _msgpack.EXT_BIG_INT:
            hint += ", and --big-ints ext an integer"
        raise _Unsayable(f"ext {value.code} has no JSON; {hint}", _path(trail))
    if isinstance(value, _Inexact):
        shown = value.text if len(value.text) < 50 else f"{value.text[:40]}..."
        hint = "" if math.isinf(float(value.text)) else "; --lossy digits takes the nearest that it can"
        raise _Unsayable(f"a float cannot hold {shown}{hint}", _path(trail))
    return value


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _each(values: Iterable[Any], make: Callable[[Any], bytes], name: str, unit: str) -> Iterator[bytes]:
    # What `make` makes of each value. `unit` is what they are called in errors, if there may be many.
    for number, value in enumerate(values, 1):
        try:
            made = make(value)
        except (EncodeError, _Unsayable) as error:
            which = f"{unit} {number}, " if unit else ""
            raise Failure(f"{name}: {error.msg} ({which}at {error.path})") from error
        yield made


def _from_msgpack(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # MessagePack to JSON or NDJSON.
    lossy: frozenset[str] = options.lossy
    reading: dict[str, Any] = {
        "timestamp": "timestamp",
        "duplicate_keys": "last" if "duplicates" in lossy else "error",
        "str_errors": "surrogateescape" if "utf8" in lossy else "strict",
        "big_int_ext": True if options.big_ints else None,
    }
    # Types that some values of need a look at are not plain.
    plain: frozenset[type] = (
        _PLAIN - ({float} if "nan" in lossy else set()) - ({str} if "utf8" in lossy else set())
    )
    chosen: dict[str, Any] = {"canonical": True}
    if not options.canonical:
        chosen = {"indent": options.indent, "sort": options.sort, "ensure_ascii": options.ensure_ascii}

    def make(value: Any) -> bytes:
        value = _plainly(value, lossy, plain)
        try:
            return _json.encode(value, **chosen)
        except EncodeError:
            # It was a float: what is said of it here names the option of this command.
            _plainly(value, lossy, plain - {float})
            raise

    if options.target == "ndjson":
        for line in _each(_msgpack.iter_messages(source, **reading), make, options.input, "message"):
            sink.write(line)
            sink.write(b"\n")
        return
    data = source.read()
    value, end = _msgpack.decode_prefix(data, **reading)
    if end < len(data):
        hint = "JSON is one document; --to ndjson makes a line of each message"
        raise Failure(f"{options.input}: a second message begins here: {hint} (byte {end})")
    for document in _each([value], make, options.input, ""):
        sink.write(document)
    if not options.canonical:
        sink.write(b"\n")


def _to_msgpack(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # JSON to one message, or each line of NDJSON to one.
    lossy: frozenset[str] = options.lossy
    inexact: list[_Inexact] = []

    def read_float(text: str) -> float | _Inexact:
        value = _float(text)
        if isinstance(value, _Inexact):
            inexact[:] = [value]
        return value

    reading: dict[str, Any] = {"duplicate_keys": "last" if "duplicates" in lossy else "error"}
    if "digits" not in lossy:
        reading["float_hook"] = read_float
    chosen: dict[str, Any] = {"canonical": True} if options.canonical else {"sort": options.sort}
    chosen["big_int_ext"] = True if options.big_ints else None

    def make(value: Any) -> bytes:
        # A stream may have read ahead, so that what was found need not be in this value.
        if inexact:
            _plainly(value, lossy, _PLAIN)
        try:
            return _msgpack.encode(value, **chosen)
        except EncodeError as error:
            if options.big_ints:
                raise
            # All else that JSON says can be written.
            raise _Unsayable(f"{error.msg}; --big-ints ext writes it", error.path) from error

    if options.source == "json":
        made = _each([_json.decode(source.read(), **reading)], make, options.input, "")
    else:
        made = _each(_json.iter_lines(source, **reading), make, options.input, "document")
    for message in made:
        sink.write(message)


def _anew(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # MessagePack that stays MessagePack. What need not be taken apart is checked and copied as it is spelled.
    if not (options.sort or options.canonical):
        for message in _msgpack.iter_messages(source, raw=True):
            sink.write(bytes(message))
        return
    reading: dict[str, Any] = {
        "timestamp": "timestamp",
        "duplicate_keys": "error",
        "str_errors": "surrogateescape",
    }
    chosen: dict[str, Any] = {"canonical": True} if options.canonical else {"sort": True}
    chosen["str_errors"] = "surrogateescape"

    def make(value: Any) -> bytes:
        return _msgpack.encode(value, **chosen)

    for message in _each(_msgpack.iter_messages(source, **reading), make, options.input, "message"):
        sink.write(message)


def _format_of(name: str, given: str | None, option: str, parser: argparse.ArgumentParser) -> str:
    if given is not None:
        if given.lower() in _FORMATS:
            return _FORMATS[given.lower()]
        parser.error(f"no format is called {given!r}; there are {', '.join(_FORMATS)}")
    if name == "-":
        return "json"
    base = name.removesuffix(".gz")
    ending = os.path.splitext(base)[1].lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    what = (
        f"the ending {ending!r} of {name} is not known"
        if ending
        else f"{name} has no ending that names a format"
    )
    parser.error(f"{what} ({', '.join(_ENDINGS)}); say {option} with one of {', '.join(_FORMATS)}")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command with the options that the parser took."""
    options.source = _format_of(options.input, options.source, "--from", parser)
    options.target = _format_of(options.output, options.target, "--to", parser)
    if options.canonical and (options.indent is not None or options.ensure_ascii or options.sort):
        parser.error("--canonical fixes the layout: it goes with none of --indent, --ensure-ascii, --sort")
    if options.target == "ndjson" and options.indent is not None:
        parser.error("NDJSON holds one document for each line: it goes without --indent")
    if options.target == "msgpack" and (options.indent is not None or options.ensure_ascii):
        parser.error("MessagePack has no layout: it goes without --indent and --ensure-ascii")
    packed = options.source == "msgpack", options.target == "msgpack"
    if packed[0] == packed[1] and (options.lossy or options.big_ints):
        parser.error("--lossy and --big-ints are for conversions between JSON and MessagePack")
    options.lossy = frozenset().union(*options.lossy)
    ways = {
        (False, False): _between_json,
        (False, True): _to_msgpack,
        (True, False): _from_msgpack,
        (True, True): _anew,
    }
    # IN is opened first, so that one that cannot be read leaves no trace of OUT.
    with reporting(options.input):
        opened = open_in(options.input)
    with opened as source, Out(options.output) as sink, reporting(options.input):
        ways[packed](source, sink, options)
    return 0
