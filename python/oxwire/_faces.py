"""The exceptions of the native faces, `oxwire.compat.orjson` and `oxwire.compat.ormsgpack`, as `_raised` has ours."""

from ._raised import CODE_NAMES, CODES, WHAT_NAMES, words

_SURROGATES = "str is not valid UTF-8: surrogates not allowed"
_ORJSON_REFUSED = (
    "Input must be bytes, bytearray, memoryview, or str",
    _SURROGATES,
    "Input is a zero-length, empty document",
)
_NO_VALUE = "unexpected character, expected a JSON value"
_NO_DIGIT = "no digit after sign"
_ORJSON_CODES = {
    "empty": "input data is empty",
    "eof": "unexpected end of data",
    "value": _NO_VALUE,
    "not_finite": _NO_VALUE,
    "comma_or_bracket": "unexpected character, expected ',' or ']'",
    "comma_or_brace": "unexpected character, expected ',' or '}'",
    "trailing_comma": "trailing comma is not allowed",
    "key": "unexpected character, expected a string key",
    "colon": "unexpected character, expected ':' after key",
    "digit": _NO_DIGIT,
    "fraction_digit": "no digit after decimal point",
    "exponent_digit": "no digit after exponent sign",
    "leading_zero": "number with leading zero is not allowed",
    "float_range": "number is infinity when parsed as double",
    "control": "unexpected control character in string",
    "escape": "invalid escaped sequence in string",
    "bom": "UTF-8 byte order mark (BOM) is not supported",
    "trailing": "unexpected content after document",
    "depth": "depth limit exceeded",
}
_LITERALS = {b"n": "null", b"t": "true"}
_ORMSGPACK_CODES = {
    "empty": "unexpected end of file",
    "eof": "unexpected end of file",
    "not_utf8": "invalid UTF-8 string",
    "timestamp": "invalid value",
    "time_range": "invalid value",
    "depth": "Recursion limit reached",
}
# What a first byte says, from 0xc0 on.
_MARKERS = [
    "Null",
    "Reserved",
    "False",
    "True",
    "Bin8",
    "Bin16",
    "Bin32",
    "Ext8",
    "Ext16",
    "Ext32",
    "F32",
    "F64",
    "U8",
    "U16",
    "U32",
    "U64",
    "I8",
    "I16",
    "I32",
    "I64",
    "FixExt1",
    "FixExt2",
    "FixExt4",
    "FixExt8",
    "FixExt16",
    "Str8",
    "Str16",
    "Str32",
    "Array16",
    "Array32",
    "Map16",
    "Map32",
]
_WRITTEN = {
    "depth": "Recursion limit reached",
    "int_range": "Integer exceeds {}-bit range",
    "key_not_str": "Dict key must be str",
    "key": "Dict key must a type serializable with OPT_NON_STR_KEYS",
    "time_with_zone": "datetime.time must not have tzinfo set",
}
_ORJSON_WRITTEN = _WRITTEN | {
    "chain": "default serializer exceeds recursion limit",
    "surrogate": _SURROGATES,
    "fragment": "orjson.Fragment's content is not of type bytes or str",
    "key_range": "Dict integer key must be within 64-bit range",
}
_ORMSGPACK_WRITTEN = _WRITTEN | {
    "chain": "Recursion limit for default hook reached",
    "surrogate": "string contains surrogates",
    "key_order": "OPT_NON_STR_KEYS is not compatible with OPT_SORT_KEYS",
    "ext": "Extension type out of range",
    "length": "write error",
}


def _not_written(form, table, cause, what, text, number, code):
    name = WHAT_NAMES[what]
    if name in ("unsupported", "hook_raised"):
        said = f"Type is not {form} serializable: {text}"
    elif name in table:
        said = table[name].format(number)
    else:
        said = words(what, text, number, code)
    return _caused(TypeError(said), cause if name == "hook_raised" else None)


def _caused(error, cause):
    if cause is not None:
        error.__cause__ = error.__context__ = cause
    return error


def orjson_encode(*told):
    return _not_written("JSON", _ORJSON_WRITTEN, *told)


def ormsgpack_encode(*told):
    return _not_written("msgpack", _ORMSGPACK_WRITTEN, *told)


def json_decode_error():
    """The class. Its base is the standard library's, which takes longer to import than all of this."""
    known = globals().get("JSONDecodeError")
    if known is None:
        from json import JSONDecodeError

        doc = "The input is not valid JSON."
        made = {"__module__": "oxwire.compat.orjson", "__doc__": doc}
        # Two threads may both make it.
        known = globals().setdefault("JSONDecodeError", type("JSONDecodeError", (JSONDecodeError,), made))
    return known


def orjson_refused(why):
    return json_decode_error()(_ORJSON_REFUSED[why], "", 0)


def orjson_malformed(code, at, data):
    try:
        doc = data.decode()
    except UnicodeDecodeError:
        # All of the input is text before any of it is JSON.
        return orjson_refused(1)
    name, here = CODE_NAMES[code], data[at : at + 1]
    said = _ORJSON_CODES.get(name) or CODES[name]
    if name == "empty":
        at = 0
    elif name in ("value", "not_finite") and here and here in b"+.":
        said = _NO_DIGIT
    elif name == "not_finite" and here == b"-":
        said, at = _NO_DIGIT, at + 1
    elif name == "literal":
        said = f"invalid literal, expected '{_LITERALS.get(here, 'false')}'"
    elif name == "trailing_comma":
        comma = data.rfind(b",", 0, at)
        at = comma if comma >= 0 else at
    elif name == "surrogate":
        # Which half of a pair is wrong, at the escape that begins it.
        if data[at + 3 : at + 4].lower() in (b"c", b"d", b"e", b"f"):
            said = "invalid high surrogate in string"
        else:
            half = "invalid" if data[at + 6 : at + 8] == rb"\u" else "no"
            said = f"{half} low surrogate in string"
    elif name == "depth":
        # Behind the bracket.
        at += 1
    return json_decode_error()(said, doc, len(data[:at].decode("utf-8", "replace")))


def ormsgpack_malformed(code, at, here, plain):
    name = CODE_NAMES[code]
    if name == "key_kind" and plain and here in (0xC7, 0xD6, 0xD7):
        # What could be a timestamp is refused for what it holds.
        name = "timestamp"
    if name in ("marker", "key_kind", "map_key"):
        said = f"invalid type {_marker(here)}"
    elif name == "trailing":
        said = f"trailing bytes after the message, from byte {at} on"
    else:
        said = _ORMSGPACK_CODES.get(name) or CODES[name]
    return ValueError(said)


def _marker(byte):
    if byte >= 0xE0:
        return f"FixNeg(-{256 - byte})"
    if byte >= 0xC0:
        return _MARKERS[byte - 0xC0]
    kind, least = next(
        (kind, least)
        for kind, least in (("Str", 0xA0), ("Array", 0x90), ("Map", 0x80), ("Pos", 0))
        if byte >= least
    )
    return f"Fix{kind}({byte - least})"


def ormsgpack_failed(cause):
    """The exception for what a hook raised."""
    return _caused(ValueError("ext_hook failed"), cause)


def _wrong(known, count, names, twice, unknown):
    """What is wrong with the names of arguments, of which the first few that are `known` count by position, too."""
    given = [*known[: max(count - 1, 0)]]
    for name in names:
        if name in given:
            return twice.format(name)
        if name not in known:
            return unknown.format(name)
        given.append(name)
    return None


def orjson_dumps(args):
    count, *names = args
    if count == 0:
        said = "missing 1 required positional argument: 'obj'"
    elif count > 3:
        said = "takes at most 3 positional arguments"
    else:
        twice, unknown = "got multiple values for argument: '{}'", "got an unexpected keyword argument"
        said = _wrong(("default", "option"), count, names, twice, unknown)
    return TypeError(f"dumps() {said}")


def orjson_loads(args):
    said = "no keyword arguments" if len(args) > 1 else f"exactly one argument ({args[0]} given)"
    return TypeError(f"orjson.loads() takes {said}")


def _ormsgpack(function, args, known, most, obj="obj"):
    count, *names = args
    if count > most:
        takes = "1" if most == 1 else f"from 1 to {most}"
        said = f"takes {takes} positional arguments but {count} were given"
    else:
        twice, unknown = "got multiple values for argument '{}'", "got an unexpected keyword argument '{}'"
        said = _wrong(known, count, [name for name in names if name != obj], twice, unknown)
        if said is None and obj in names:
            said = f"got some positional-only arguments passed as keyword arguments: '{obj}'"
        elif said is None:
            said = f"missing 1 required positional argument: '{obj}'"
    return TypeError(f"{function}() {said}")


def ormsgpack_packb(args):
    return _ormsgpack("packb", args, ("default", "option"), 3)


def ormsgpack_unpackb(args):
    return _ormsgpack("unpackb", args, ("ext_hook", "option"), 1)


def ormsgpack_fragment(args):
    # Names are looked at first here.
    count, *names = args
    if not names and count == 1:
        return TypeError("Fragment.__new__() first argument must be bytes")
    return _ormsgpack("Fragment.__new__", (0, *names[:1]) if names else args, (), 1, "data")
