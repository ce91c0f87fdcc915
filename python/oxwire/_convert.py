"""`python -m oxwire convert`: JSON, NDJSON and MessagePack into each other, or laid out anew; pickles of plain data into the native format.

Nothing is lost in silence. JSON that stays JSON keeps its spelling unless an option takes it apart. Between JSON and
MessagePack, what the other cannot say is an error with its path, unless --lossy names it (LOSSES). How long a number
or a length was spelled is no loss: a float32 comes out as the same number with more digits, and 1.50 as 1.5.
"""

import argparse
import binascii
import math
import os
from collections.abc import Callable, Iterable
from typing import IO, Any

from . import EncodeError
from . import json as _json
from . import msgpack as _msgpack
from ._inspect import moment, quoted
from ._shell import Failure, Out, open_in, reporting

# Formats by the names that --from and --to take, and by the endings of files.
_FORMATS = {name: name for name in ("json", "ndjson", "jsonl", "msgpack", "pickle", "native")}
_FORMATS["jsonl"] = "ndjson"
_ENDINGS = {f".{name}": kind for name, kind in _FORMATS.items()} | {
    ".geojson": "json",
    ".mpk": "msgpack",
    ".mp": "msgpack",
    ".pkl": "pickle",
    ".oxn": "native",
}
# What --lossy can name, and how it is spelled then.
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
_CHUNK = 1 << 16
_SPACE = b" \t\r\n"
_STEP = 80  # characters of a key that a path shows
# What both formats have, but for the floats that JSON has not.
_PLAIN: frozenset[type] = frozenset({str, int, float, bool, type(None)})
# Where a value stands: where what holds it stands, and its index or key there. None is the root.
_Trail = tuple["_Trail", Any] | None


class _Peeked:
    """A stream of JSON that tells whether it holds an array, before it is read."""

    def __init__(self, rest: IO[bytes]) -> None:
        self.rest = rest
        # Only white space is skipped, so that lines and columns of errors stay those of the file.
        self.head = chunk = rest.read(_CHUNK)
        while chunk and not chunk.strip(_SPACE):
            chunk = rest.read(_CHUNK)
            self.head += chunk
        self.is_array = self.head.lstrip(_SPACE)[:1] == b"["

    def read(self, size: int = -1, /) -> bytes:
        if not self.head:
            return self.rest.read(size)
        if size < 0:
            size = len(self.head)
            return self.read(size) + self.rest.read()
        part, self.head = self.head[:size], self.head[size:]
        return part


def _between_json(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # JSON or NDJSON to one of the two.
    # What need not be taken apart is laid out anew as it is spelled: 1.10 stays 1.10, and so does \u00e9.
    apart = options.sort or options.canonical or options.ensure_ascii
    # A converter that drops one of two values is silent loss, so a key that stands twice is refused.
    strict: dict[str, Any] = {"duplicate_keys": "error"} if apart else {"raw": True}
    chosen = _layout(options)

    def write(value: Any) -> bytes:
        return _json.encode(value, **chosen) if apart else _json.format(value, indent=options.indent)

    end = b"" if options.canonical else b"\n"
    if options.source == "ndjson":
        values: Iterable[Any] = _json.iter_lines(source, **strict)
    else:
        if options.target == "ndjson":
            source = _Peeked(source)
        if options.target != "ndjson" or not source.is_array:
            data = source.read()
            sink.write(write(_json.decode(data, **strict) if apart else data))
            sink.write(b"\n" if options.target == "ndjson" else end)
            return
        values = _json.iter_items(source, **strict)
    if options.target == "ndjson":
        for value in values:
            sink.write(write(value) + b"\n")
        return
    # Strings hold no bare line feed, so each one in an item begins a line of the layout.
    unit = b"" if options.indent is None else b"\n" + options.indent.encode()
    between = b"["
    for value in values:
        sink.write(between + unit + write(value).replace(b"\n", unit))
        between = b","
    if between == b"[":
        sink.write(between)
    elif unit:
        sink.write(b"\n")
    sink.write(b"]" + end)


def _layout(options: argparse.Namespace) -> dict[str, Any]:
    # The options of json.encode.
    if options.canonical:
        return {"canonical": True}
    return {"indent": options.indent, "sort": options.sort, "ensure_ascii": options.ensure_ascii}


class _Unsayable(Exception):
    """A value that the other format cannot say. It has the attributes of an EncodeError."""

    def __init__(self, msg: str, where: str | _Trail) -> None:
        super().__init__(msg)
        self.msg = msg
        self.path = where if isinstance(where, str) else _path(where)


def _path(trail: _Trail) -> str:
    steps = []
    while trail is not None:
        trail, step = trail
        if type(step) is str and step.isascii() and step.isidentifier() and len(step) <= _STEP:
            steps.append(f".{step}")
            continue
        shown = quoted(step, _STEP) if type(step) is str else repr(step)
        steps.append(f"[{shown if len(shown) <= 2 * _STEP else shown[:_STEP] + '...'}]")
    return "$" + "".join(reversed(steps))


class _Inexact:
    """A number that would be another one as a float."""

    def __init__(self, text: str) -> None:
        self.text = text


def _float(text: str) -> float | _Inexact:
    """The float that a number of JSON stands for: printed with as many digits, it must give the number back."""
    value = float(text)
    # With up to 15 digits that is always so, but for the smallest floats, which have less than 53 bits.
    if (len(text) < 17 and 1e-290 < abs(value) < 1e300) or repr(value) == text:
        return value
    mantissa = text.lower().partition("e")[0]
    digits = mantissa.translate(str.maketrans("", "", "-.")).strip("0")
    if not digits:
        return value
    if value == 0 or math.isinf(value):
        return _Inexact(text)
    from decimal import Decimal

    return value if Decimal(format(value, f".{len(digits) - 1}e")) == Decimal(text) else _Inexact(text)


def _plainly(value: Any, lossy: frozenset[str], plain: frozenset[type], trail: _Trail = None) -> Any:
    """The value with all that JSON does not have spelled another way, or _Unsayable. Types in `plain` stay as they are.

    It is changed in place, and without recursion, since values nest deeper than Python calls itself.
    """
    texts = plain & {str}
    whole = [value]
    todo: list[tuple[Any, Any, _Trail]] = [(whole, 0, trail)]
    while todo:
        where, at, trail = todo.pop()
        value = where[at]
        if type(value) is tuple:
            value = where[at] = list(value)
        if type(value) is dict and not texts.issuperset(map(type, value)):
            value = where[at] = _with_text_keys(value, lossy, plain, trail)
        if type(value) in (dict, list):
            inside = value.values() if type(value) is dict else value
            if not plain.issuperset(map(type, inside)):
                steps = value.items() if type(value) is dict else enumerate(value)
                found = [(value, step, (trail, step)) for step, item in steps if type(item) not in plain]
                # What comes first is on top, so that the first fault is the one that is told.
                todo += reversed(found)
        elif type(value) not in plain:
            where[at] = _spelled(value, lossy, trail)
    return whole[0]


def _with_text_keys(
    value: dict[Any, Any], lossy: frozenset[str], plain: frozenset[type], trail: _Trail
) -> dict[str, Any]:
    new: dict[str, Any] = {}
    for key, item in value.items():
        here = (trail, key)
        if type(key) is not str and "keys" not in lossy:
            raise _Unsayable(
                "a key that is no text has no JSON; --lossy keys writes the text of its JSON", here
            )
        text = _plainly(key, lossy, plain - {float}, here)
        if type(text) is not str:
            text = _json.encode(text).decode()
        if text in new and "duplicates" not in lossy:
            raise _Unsayable("another key has the same text; --lossy duplicates keeps the last value", here)
        new[text] = item
    return new


def _spelled(value: Any, lossy: frozenset[str], trail: _Trail) -> Any:
    # One value that is no container.
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        if "nan" in lossy:
            return None
        raise _Unsayable(f"{value} has no JSON; --lossy nan writes null", trail)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, bytes):
        if "bytes" in lossy:
            return _base64(value)
        raise _Unsayable("bytes have no JSON; --lossy bytes writes base64 text", trail)
    if isinstance(value, _msgpack.Timestamp):
        text = moment(value.seconds, value.nanoseconds)
        if text is None and {"timestamps", "ext"} <= lossy:
            value = _msgpack.Ext(-1, value.to_bytes())
        elif text is not None and "timestamps" in lossy:
            return text
        else:
            what = "a timestamp has no JSON; --lossy timestamps writes RFC 3339 text"
            if text is None:
                what = "a timestamp outside of the years 1 to 9999 has no text; --lossy timestamps,ext writes its bytes"
            raise _Unsayable(what, trail)
    if isinstance(value, _msgpack.Ext):
        if "ext" in lossy:
            return {"ext": value.code, "data": _base64(value.data)}
        hint = ", and --big-ints ext an integer" if value.code == _msgpack.EXT_BIG_INT else ""
        what = f'ext {value.code} has no JSON; --lossy ext writes {{"ext": code, "data": base64}}{hint}'
        raise _Unsayable(what, trail)
    if isinstance(value, _Inexact):
        shown = value.text if len(value.text) < 50 else f"{value.text[:40]}..."
        hint = "" if math.isinf(float(value.text)) else "; --lossy digits takes the nearest that it can"
        raise _Unsayable(f"a float cannot hold {shown}{hint}", trail)
    return value


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _write_each(
    sink: Out,
    values: Iterable[Any],
    make: Callable[[Any], bytes],
    options: argparse.Namespace,
    unit: str = "",
    end: bytes = b"",
) -> None:
    # Write what `make` makes of each value. `unit` is what they are called in errors, if there may be many.
    for number, value in enumerate(values, 1):
        try:
            made = make(value)
        except (EncodeError, _Unsayable) as error:
            which = f"{unit} {number}, " if unit else ""
            raise Failure(f"{options.input}: {error.msg} ({which}at {error.path})") from error
        sink.write(made + end)


def _from_msgpack(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # MessagePack to JSON or NDJSON.
    lossy: frozenset[str] = options.lossy
    reading: dict[str, Any] = {
        "timestamp": "timestamp",
        "duplicate_keys": "last" if "duplicates" in lossy else "error",
        "str_errors": "surrogateescape" if "utf8" in lossy else "strict",
        "big_int_ext": options.big_ints,
    }
    # Types that some values of need a look at are not plain.
    looked_at = {kind for word, kind in (("nan", float), ("utf8", str)) if word in lossy}
    plain = _PLAIN - looked_at
    chosen = _layout(options)

    def make(value: Any) -> bytes:
        value = _plainly(value, lossy, plain)
        try:
            return _json.encode(value, **chosen)
        except EncodeError:
            # It was a float: what is said of it here names the option of this command.
            _plainly(value, lossy, plain - {float})
            raise

    if options.target == "ndjson":
        _write_each(sink, _msgpack.iter_messages(source, **reading), make, options, "message", b"\n")
        return
    data = source.read()
    value, end = _msgpack.decode_prefix(data, **reading)
    if end < len(data):
        hint = "JSON is one document; --to ndjson makes a line of each message"
        raise Failure(f"{options.input}: a second message begins here: {hint} (byte {end})")
    _write_each(sink, [value], make, options, end=b"" if options.canonical else b"\n")


def _to_msgpack(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # JSON to one message, or each line of NDJSON to one.
    lossy: frozenset[str] = options.lossy
    inexact = False

    def read_float(text: str) -> float | _Inexact:
        nonlocal inexact
        value = _float(text)
        inexact = inexact or isinstance(value, _Inexact)
        return value

    reading: dict[str, Any] = {"duplicate_keys": "last" if "duplicates" in lossy else "error"}
    if "digits" not in lossy:
        reading["float_hook"] = read_float

    def make(value: Any) -> bytes:
        # A stream may have read ahead, so that what was found need not be in this value.
        if inexact:
            _plainly(value, lossy, _PLAIN)
        try:
            return _msgpack.encode(
                value, canonical=options.canonical, sort=options.sort, big_int_ext=options.big_ints
            )
        except EncodeError as error:
            if options.big_ints:
                raise
            # All else that JSON says can be written.
            raise _Unsayable(f"{error.msg}; --big-ints ext writes it", error.path) from error

    if options.source == "json":
        _write_each(sink, [_json.decode(source.read(), **reading)], make, options)
    else:
        _write_each(sink, _json.iter_lines(source, **reading), make, options, "document")


def _anew(source: Any, sink: Out, options: argparse.Namespace) -> None:
    # MessagePack that stays MessagePack. What need not be taken apart is checked and copied as it is spelled.
    if not (options.sort or options.canonical):
        for message in _msgpack.iter_messages(source, raw=True):
            sink.write(bytes(message))
        return

    def make(value: Any) -> bytes:
        return _msgpack.encode(
            value, canonical=options.canonical, sort=options.sort, str_errors="surrogateescape"
        )

    messages = _msgpack.iter_messages(
        source, timestamp="timestamp", duplicate_keys="error", str_errors="surrogateescape"
    )
    _write_each(sink, messages, make, options, "message")


def _from_pickle(source: Any, sink: Any, _: argparse.Namespace) -> None:
    # A pickle to a file of the native format, with one message.
    from . import native
    from ._pickles import loads

    with native.FileWriter(sink) as file:
        file.write(loads(source.read()))


def format_of(name: str, given: str | None, option: str, parser: argparse.ArgumentParser) -> str:
    """The format of a file, by what the option or else its name says."""
    if given is not None:
        if given.lower() in _FORMATS:
            return _FORMATS[given.lower()]
        parser.error(f"no format is called {given!r}; there are {', '.join(_FORMATS)}")
    if name == "-":
        return "json"
    ending = os.path.splitext(name.removesuffix(".gz"))[1].lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    known = f"the ending {ending!r} of {name} is not known"
    what = known if ending else f"{name} has no ending that names a format"
    parser.error(f"{what} ({', '.join(_ENDINGS)}); say {option} with one of {', '.join(_FORMATS)}")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command with the options that the parser took."""
    options.source = format_of(options.input, options.source, "--from", parser)
    options.target = format_of(options.output, options.target, "--to", parser)
    indented = options.indent is not None
    laid_out = indented or options.ensure_ascii
    if options.canonical and (laid_out or options.sort):
        parser.error("--canonical fixes the layout: it goes with none of --indent, --ensure-ascii, --sort")
    if options.target == "ndjson" and indented:
        parser.error("NDJSON holds one document for each line: it goes without --indent")
    if options.target == "msgpack" and laid_out:
        parser.error("MessagePack has no layout: it goes without --indent and --ensure-ascii")
    pickled = options.source == "pickle"
    if pickled != (options.target == "native"):
        parser.error("a pickle becomes a file of the native format, and nothing else does")
    if pickled and (laid_out or options.sort or options.canonical):
        parser.error("--indent, --sort, --canonical and --ensure-ascii are for JSON and MessagePack")
    unpacks, packs = options.source == "msgpack", options.target == "msgpack"
    if unpacks == packs and (options.lossy or options.big_ints):
        parser.error("--lossy and --big-ints are for conversions between JSON and MessagePack")
    options.lossy = frozenset().union(*options.lossy)
    options.big_ints = True if options.big_ints else None
    way = _from_pickle if pickled else ((_between_json, _to_msgpack), (_from_msgpack, _anew))[unpacks][packs]
    # IN is opened first, so that one that cannot be read leaves no trace of OUT.
    with reporting(options.input):
        opened = open_in(options.input)
    with opened as source, Out(options.output) as sink, reporting(options.input):
        way(source, sink, options)
    return 0
