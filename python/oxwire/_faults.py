"""All that is wrong with a value, for `errors="all"`: what was read is read again, as objects, by an extension that notes
what is wrong and goes on; here it is made of what was noted what its users see.

What may surprise: places in bytes are looked for by a scan of its own, which knows no more of a format than where a value ends.
All work is linear in the input, whatever that is; where it cannot go on, the first fault is told alone.
Codes, and what was expected and what was there, are read off the words. The words are the engine's, and
nothing here makes any, so there is one place that says what is wrong.
"""

import re
from contextlib import suppress

from . import DecodeError, ValidationError
from . import json as _json
from . import msgpack as _msgpack

# As many as the extension notes.
MOST = 100
# What cannot be read to its end, or is nested deeper than can be gone into here.
_UNREADABLE = (DecodeError, EOFError, RecursionError)
# How much of the input is shown.
_SHOWN = 80
# Codes by what the words begin with, and what pydantic calls them.
_CODES = (
    ("Object missing required field", "missing", "missing"),
    ("Object contains unknown field", "unknown_field", "extra_forbidden"),
    ("Invalid enum value", "value", "enum"),
    ("Invalid value", "tag", "union_tag_invalid"),
    ("Object is none of", "union", "union_tag_not_found"),
    ("Array is none of", "union", "union_tag_not_found"),
    ("The discriminator names", "union", "union_tag_invalid"),
    ("Invalid RFC3339 encoded datetime", "format", "datetime_parsing"),
    ("Invalid RFC3339 encoded date", "format", "date_parsing"),
    ("Invalid RFC3339 encoded time", "format", "time_parsing"),
    ("Invalid ISO8601", "format", "time_delta_parsing"),
    ("Invalid UUID", "format", "uuid_parsing"),
    ("Invalid decimal", "format", "decimal_parsing"),
    ("Invalid base64", "format", "bytes_invalid_encoding"),
    ("Invalid epoch", "format", "datetime_parsing"),
    ("Duration is out", "range", "time_delta_parsing"),
    ("Timestamp is out", "range", "datetime_parsing"),
    ("Number out", "range", "finite_number"),
)
# What follows the type that was expected.
_BOUNDS = (
    (">=", "bound", "greater_than_equal"),
    (">", "bound", "greater_than"),
    ("<=", "bound", "less_than_equal"),
    ("<", "bound", "less_than"),
    ("that's a multiple", "bound", "multiple_of"),
    ("of length >=", "length", "too_short"),
    ("of length <=", "length", "too_long"),
    ("of length", "length", "too_short"),
    ("of at", "length", "too_short"),
    ("matching", "pattern", "string_pattern_mismatch"),
    ("with", "timezone", "timezone_aware"),
)
_EXPECTED = re.compile(r"Expected `([^`]*)`(?:, got (.*)| (.*?)(?:, got (\d+))?)", re.DOTALL)
_TYPES = {
    **{
        kind: f"{kind}_type" for kind in ("int", "bool", "float", "bytes", "datetime", "date", "time", "uuid")
    },
    "str": "string_type",
    "array": "list_type",
    "object": "dict_type",
    "null": "none_required",
    "duration": "time_delta_type",
}


def _sort(words, cause):
    """The code, pydantic's, what was expected, and what was there."""
    if cause is not None:
        return "custom", "value_error", None, None
    for start, code, other in _CODES:
        if words.startswith(start):
            return code, other, None, None
    match = _EXPECTED.fullmatch(words)
    if match is None:
        return "other", "value_error", None, None
    kind, got, more, count = match.groups()
    if got is not None:
        return "type", _TYPES.get(kind, "value_error"), kind, got.strip("`")
    for start, code, other in _BOUNDS:
        if more.startswith(start):
            return code, other, f"{kind} {more}", count
    return "other", "value_error", f"{kind} {more}", count


def _parts(path):
    """The parts of a path, or of the end of one."""
    parts = re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", path)
    return tuple(name or (int(index) if index.isdigit() else index) for name, index in parts)


def _below(path, places):
    """What a path says beyond what leads to a container, as far as it names keys."""
    if not path.startswith("$"):
        return ()
    path = path[1:]
    for place in places:
        known = f"[{place}]" if isinstance(place, int) else f".{place}"
        match = re.match(r"\[\.\.\.\]|\.[^.\[]*|\[\d+\]", path)
        path = path[len(known) if path.startswith(known) else match.end() if match else 0 :]
    return _parts(path.partition("[...]")[0])


def _rows(words, path, places, cause):
    """What is told of a fault, and of the others in a value that was read by a call of its own."""
    all_ = getattr(cause, "_all", None)
    if not all_ or not path.endswith(end := all_[0]["path"][1:]):
        return [(words, path, (*places, *_below(path, places)), cause)]
    path = path[: len(path) - len(end)]
    loc = *places, *_below(path, places)
    return [(one["msg"], path + one["path"][1:], (*loc, *one["loc"]), one["cause"]) for one in all_]


def _found(source, loc):
    """What stands at a place of live objects; `_AT` if that is not known, as where names outside are other ones."""
    for part in loc:
        try:
            source = source[part]
        except (TypeError, LookupError):
            source = getattr(source, part, _AT) if isinstance(part, str) else _AT
    return source


def _shown(data, start, end):
    cut = data[start:end] if end - start <= _SHOWN else data[start : start + _SHOWN - 3] + b"..."
    return cut.decode("utf-8", "replace")


def _repr(value):
    try:
        text = repr(value)
    except Exception:
        text = object.__repr__(value)
    data = text.encode("utf-8", "replace")
    return _shown(data, 0, len(data))


# Places that are looked for are a tree by keys and indexes; below this key is where one begins and ends.
_AT = object()
# Text that has no end is one, too. Nothing is tried twice, and so nothing is remembered for that.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[][{},:]|[^][{},:"\s]++', re.DOTALL)
# How often the end of what is malformed is looked for: before the last value, or what holds it.
_TRIES = 8


def _scan(data, wanted, all_keys=False):
    """Finds places in JSON. Gives what is open at its end, from the root on: (key, whether it is a map); and where a
    value could have ended last."""
    inner, key, is_map, stack, cut = {0: wanted}, 0, False, [], 0
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in b"]}":
            if _AT in inner:
                inner[_AT][1] = match.end()
            if stack:
                inner, key, is_map = stack.pop()
        elif token == b",":
            cut = match.start()
            key = None if is_map else key + 1
        elif is_map and key is None:
            try:
                key = _json.decode(token) if inner or all_keys else token
            except DecodeError:
                break
        elif token != b":":
            node = inner.get(key, {})
            if _AT in node:
                node[_AT][:] = match.span()
            if token in b"[{":
                stack.append((inner, key, is_map))
                inner, is_map, cut = node, token == b"{", match.end()
                key = None if is_map else 0
    return [*((key, is_map) for _, key, is_map in stack[1:]), (key, is_map)][: len(stack)], cut


def _mended(data, at):
    """What stands before the place where JSON is malformed, and the paths of what is open there. Raises DecodeError if
    there is nothing."""
    for _ in range(_TRIES):
        open_, cut = _scan(data[:at], {}, True)
        ends = "".join("}" if is_map else "]" for _, is_map in reversed(open_))
        try:
            value = _json.decode(data[:at] + ends.encode(), nan="literal")
        except DecodeError:
            at = max(min(cut, at - 1), 0)
            continue
        keys = [key for key, _ in open_]
        return value, {tuple(keys[:i]) for i in range(len(keys))}
    raise DecodeError


def _stream(data):
    stream = _msgpack.StreamDecoder()
    stream.feed(data)
    return stream


def _enter(stream, data):
    """Enters the container that a stream is about to read: how many values follow, None if it is none, and whether it is
    a map."""
    # What is cut there has no head.
    head = data[stream.tell()] if stream.tell() < len(data) else 0
    if 0x90 <= head <= 0x9F or head in (0xDC, 0xDD):
        return stream.read_array_header(), False
    if 0x80 <= head <= 0x8F or head in (0xDE, 0xDF):
        return stream.read_map_header(), True
    return None, False


def _look(stream, data, node):
    """Finds places in a MessagePack message that a stream is about to read."""
    start = stream.tell()
    count, is_map = _enter(stream, data)
    if count is None:
        stream.skip()
    for key in range(count or 0):
        if is_map:
            key = stream.read()
        found = node.get(key) if getattr(key, "__hash__", None) else None
        _look(stream, data, found) if found else stream.skip()
    if _AT in node:
        node[_AT][:] = start, stream.tell()


def _places(data, is_json, locs):
    """Where in bytes what the paths lead to begins and ends; nothing of what is not found."""
    wanted, spans = {}, []
    for loc in locs:
        node = wanted
        for part in loc:
            node = node.setdefault(part, {})
        spans.append(node.setdefault(_AT, []))
    try:
        if is_json:
            _scan(data, wanted)
        else:
            _look(_stream(data), data, wanted)
    except (*_UNREADABLE, TypeError):
        pass
    return spans


def _cut(stream, data, path, open_):
    """What can be read of a message that is cut short or malformed further on; the paths of what is cut are added."""
    count, is_map = _enter(stream, data)
    if count is None:
        raise DecodeError
    open_.add(path)
    made = {}
    for key in range(count):
        try:
            if is_map:
                key = stream.read()
                hash(key)
        except (DecodeError, EOFError, TypeError):
            break
        try:
            made[key] = stream.read()
        except (DecodeError, EOFError):
            with suppress(DecodeError, EOFError):
                made[key] = _cut(stream, data, (*path, key), open_)
            break
    return made if is_map else [*made.values()]


def _plain(data, is_json):
    """The value of bytes without a type, as much of it as can be read; and the paths of what is cut."""
    try:
        return (_json.decode(data, nan="literal") if is_json else _msgpack.decode(data)), ()
    except DecodeError as e:
        if is_json:
            return _mended(data, e.offset)
        open_ = set()
        return _cut(_stream(data), data, (), open_), open_


def tell(error, source, place, told):
    """Gives an exception all that is wrong. `place` is whether bytes have lines, and what is before them."""
    from ._oxwire import convert

    value, open_, is_json = source, (), place is not None and place[0]
    program, hook, strict, unknown, attributes, text_keys = told
    found, wanted = [], (error.msg, error.path)
    try:
        if place is not None:
            value, open_ = _plain(source, is_json)
        convert(
            value,
            program,
            dec_hook=hook,
            strict=strict,
            forbid_unknown_fields=unknown,
            from_attributes=attributes,
            str_keys=text_keys or is_json,
            _bytes=place is not None and not is_json,
            _found=found,
        )
    except _UNREADABLE as e:
        if not found and type(e) is ValidationError:
            found.append((e.msg, e.path, (), e.__cause__))
    rows = [row for one in found for row in _rows(*one) if row[2] not in open_]
    # A document among others.
    match = re.match(r"\$(\[\d+\])", error.path)
    prefix = match[1] if match else ""
    inside = error.msg, error.path.replace(prefix, "", 1)
    if wanted in (row[:2] for row in rows) or inside not in (row[:2] for row in rows):
        prefix, inside = "", wanted
    # What reading ended at is the first, whatever the second reading found.
    rows.sort(key=lambda row: row[:2] != inside)
    again = any(row[:2] == inside for row in rows)
    if not again:
        rows[:0] = _rows(*inside, (), error.__cause__)
    spans = _places(source, is_json, [row[2] for row in rows]) if place is not None else rows
    if not (again or open_):
        # It is of a key that stands there twice, of which the other is found.
        spans[0] = ()
    # The place that was told of before: how far it is, how many lines stand before it, and how many characters in its own.
    at = newlines = before = 0
    all_ = []
    for (words, path, loc, cause), span in zip(rows, spans, strict=True):
        one = {"msg": words, "path": path.replace("$", f"${prefix}", 1), "cause": cause}
        one["loc"] = (int(prefix[1:-1]), *loc) if prefix else loc
        one |= dict.fromkeys(("offset", "line", "column", "input"))
        if place is None:
            if (value := _found(source, loc)) is not _AT:
                one["value"], one["input"] = value, _repr(value)
        elif span:
            start, end = span
            _, offset, lines, chars = place
            one["offset"], one["data"] = offset + start, (source, start, end, is_json)
            if is_json:
                one["input"] = _shown(source, start, end)
                if start < at:
                    at = newlines = before = 0
                part, at = source[at:start], start
                if b"\n" in part:
                    newlines, before = newlines + part.count(b"\n"), 0
                    part = part[part.rindex(b"\n") + 1 :]
                before += len(part.decode("utf-8", "replace"))
                one["line"] = lines + newlines + 1
                one["column"] = before + 1 + (0 if newlines else chars)
            else:
                one["input"] = _repr(source[start : min(end, start + _SHOWN)])
        all_.append(one)
    _list(error, all_, len(found) >= MOST)
    for name in "offset", "line", "column":
        setattr(error, name, all_[0][name])


def _list(error, all_, more):
    error._all, error.truncated = all_, more
    lines = [_line(one) for one in all_]
    if more:
        lines.append("... and perhaps more")
    error.args = ("\n".join([str(error), *lines[1:]]),)


def joined(found):
    """One exception for several: the first of them."""
    error = found[0]
    all_ = [one for other in found for one in of(other)]
    more = len(all_) > MOST or any(getattr(other, "truncated", False) for other in found)
    error.args = (_line(all_[0]),)
    _list(error, all_[:MOST], more)
    return error


def _line(one):
    path = one["path"]
    return one["msg"] if path == "$" else f"{one['msg']} - at `{path}`"


def of(error):
    """What an exception tells of."""
    found = getattr(error, "_all", None)
    if found is None:
        # Reading ended at the first.
        names = "msg", "path", "offset", "line", "column"
        one = {name: getattr(error, name, None) for name in names}
        found = [one | {"loc": _parts(one["path"] or ""), "input": None, "cause": error.__cause__}]
    return found


def errors(error):
    made = []
    for one in of(error):
        code, _, expected, got = _sort(one["msg"], one["cause"])
        names = "path", "loc", "msg", "input", "offset", "line", "column"
        made.append({"code": code, "expected": expected, "got": got} | {name: one[name] for name in names})
    return made


def pydantic_errors(error):
    # A value may be told of several times.
    made, values = [], {}
    for one in of(error):
        _, code, _, _ = _sort(one["msg"], one["cause"])
        loc, value = one["loc"], one.get("value")
        if code == "missing":
            loc = (*loc, one["msg"].split("`")[1])
        if "data" in one:
            source, start, end, is_json = one["data"]
            if (start, end) not in values:
                try:
                    values[start, end] = _plain(source[start:end], is_json)[0]
                except _UNREADABLE:
                    values[start, end] = None
            value = values[start, end]
        made.append({"type": code, "loc": loc, "msg": one["msg"], "input": value})
    return made
