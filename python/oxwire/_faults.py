"""All that is wrong with a value, for `errors="all"`: what the extension noted, as its users see it.

What may surprise: codes, and what was expected and what was there, are read off the words. The words are the engine's, and
nothing here makes any, so there is one place that says what is wrong.
"""

import re

# As many as the extension notes.
MOST = 100
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
    "int": "int_type",
    "str": "string_type",
    "bool": "bool_type",
    "float": "float_type",
    "bytes": "bytes_type",
    "array": "list_type",
    "object": "dict_type",
    "null": "none_required",
    "datetime": "datetime_type",
    "date": "date_type",
    "time": "time_type",
    "duration": "time_delta_type",
    "uuid": "uuid_type",
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


def _found(source, loc):
    """What stands at a place of live objects."""
    for part in loc:
        try:
            source = source[part]
        except (TypeError, LookupError):
            source = getattr(source, part, None) if isinstance(part, str) else None
    return source


def _shown(data):
    cut = data if len(data) <= _SHOWN else data[: _SHOWN - 3] + b"..."
    return cut.decode("utf-8", "replace")


def tell(error, found, source, place):
    """Gives an exception all that was found. `place` is where bytes begin, and whether they have lines."""
    all_, prefix = [], ""
    first = found[0]
    if place is not None and error.path != first[1]:
        # A document among others.
        match = re.search(r"\$(\[\d+\])", error.path)
        prefix = match[1] if match else ""
    for words, path, loc, below, start, end, cause in found:
        loc = (*loc, *_parts(below))
        one = {"msg": words, "path": path.replace("$", f"${prefix}", 1), "cause": cause}
        one["loc"] = (int(prefix[1:-1]), *loc) if prefix else loc
        one |= dict.fromkeys(("offset", "line", "column"))
        if place is None:
            one["value"] = _found(source, loc)
            one["input"] = _shown(repr(one["value"]).encode("utf-8", "replace"))
        else:
            offset, lines, chars, has_lines = place
            one["offset"], data = offset + start, source[start:end]
            one["input"] = _shown(data if has_lines else repr(data).encode())
            one["data"] = data, has_lines
            if has_lines:
                before = source[:start]
                last = before.rfind(b"\n")
                one["line"] = lines + before.count(b"\n") + 1
                count = len(before[last + 1 :].decode("utf-8", "replace"))
                one["column"] = count + 1 + (0 if last >= 0 else chars)
        all_.append(one)
    error._all, error.truncated = all_, len(found) >= MOST
    lines = [_line(one) for one in all_]
    if error.truncated:
        lines.append("... and perhaps more")
    error.args = ("\n".join([str(error), *lines[1:]]),)
    for name in "offset", "line", "column":
        setattr(error, name, all_[0][name])


def _line(one):
    path = one["path"]
    return one["msg"] if path == "$" else f"{one['msg']} - at `{path}`"


def _all(error):
    found = getattr(error, "_all", None)
    if found is None:
        # Reading ended at the first.
        names = "msg", "path", "offset", "line", "column"
        one = {name: getattr(error, name, None) for name in names}
        found = [one | {"loc": _parts(one["path"] or ""), "input": None, "cause": error.__cause__}]
    return found


def errors(error):
    made = []
    for one in _all(error):
        code, _, expected, got = _sort(one["msg"], one["cause"])
        names = "path", "loc", "msg", "input", "offset", "line", "column"
        made.append({"code": code, "expected": expected, "got": got} | {name: one[name] for name in names})
    return made


def pydantic_errors(error):
    made = []
    for one in _all(error):
        _, code, _, _ = _sort(one["msg"], one["cause"])
        loc, value = one["loc"], one.get("value")
        if code == "missing":
            loc = (*loc, one["msg"].split("`")[1])
        if "data" in one:
            from . import json, msgpack

            data, has_lines = one["data"]
            value = json.decode(data) if has_lines else msgpack.decode(data)
        made.append({"type": code, "loc": loc, "msg": one["msg"], "input": value})
    return made
