"""What went wrong becomes an exception: the extension tells of it in numbers, and here are the words.

What may surprise: functions give exceptions, which the extension raises, so that no line of this file stands in a traceback. The
tables stand in the order of the enums `Code` (crates/wire/src/error.rs) and `What` (crates/engine/src/fault.rs), by which they are asked for.
"""

from ._oxwire import DecodeError, EncodeError, ValidationError

FORMS = ("JSON", "MessagePack", "message")
# What is wrong with bytes, as the middle of a sentence.
CODES = {
    "empty": "expected a value, but the input is empty",
    "eof": "unexpected end of input",
    "value": "expected a value",
    "literal": "expected `null`, `true` or `false`",
    "comma_or_bracket": "expected `,` or `]`",
    "comma_or_brace": "expected `,` or `}`",
    "trailing_comma": "expected a value after `,`: a trailing comma is not allowed",
    "key": "expected a key in double quotes",
    "colon": "expected `:` after the key",
    "digit": "expected a digit after the sign",
    "fraction_digit": "expected a digit after the decimal point",
    "exponent_digit": "expected a digit in the exponent",
    "leading_zero": "a number may not begin with a superfluous zero",
    "float_range": "the number is beyond the range of a 64-bit float",
    "int_range": "the integer is beyond the range set by `int_bits`",
    "int_digits": "the integer has more digits than `max_int_digits` allows",
    "not_finite": "NaN and infinities are not allowed unless `nan` says so",
    "control": "control characters must be escaped in a string",
    "escape": "invalid escape sequence in a string",
    "surrogate": "an escaped surrogate must be half of a pair",
    "not_utf8": "the text is not valid UTF-8",
    "bom": "a byte order mark is not allowed",
    "trailing": "expected the end of the input after the value",
    "duplicate_key": "the key stands twice in one object",
    "depth": "containers nest deeper than `max_depth` allows",
    "length": "a length is beyond the limit, or beyond the input",
    "memory": "not enough memory for the value",
    "marker": "the byte begins no value",
    "forbidden": "the form is not allowed here",
    "array": "expected an array",
    "map_key": "a map cannot be a key, or part of one",
    "key_kind": "a key of this kind is not allowed",
    "not_shortest": "the value has a shorter form, which `strict` demands",
    "timestamp": "a timestamp has 4, 8 or 12 bytes, and fewer nanoseconds than a second",
    "time_range": "the timestamp has parts of a microsecond or a year that a datetime cannot hold: "
    "`timestamp` chooses another type",
    "long_str": "the text is longer than `max_str_len` allows",
    "long_bytes": "the bytes are longer than `max_bin_len` allows",
    "long_array": "the array has more items than `max_array_len` allows",
    "long_map": "the map has more entries than `max_map_len` allows",
    "long_ext": "the ext is longer than `max_ext_len` allows",
    "ext_body": "the ext does not hold what its code says",
    "header": "the message does not begin as one of a version that is known",
    "reference": "the reference leads to nothing that can be referred to",
    "undefined": "the shape or type was not defined before",
    "body": "the value says nothing that exists",
    "limit": "the value is beyond a limit",
}
CODE_NAMES = (*CODES,)
# What is wrong with a value: words into which a text, a number and words from above go.
_WHATS = {
    "raised": "an exception was raised",
    "memory": "not enough memory",
    "wire": "{2}",
    "unsupported": "Cannot encode an object of type `{0}`",
    "hook_raised": "Cannot encode an object of type `{0}`: the hook raised",
    "chain": "Hooks and enums lead from value to value without an end",
    "depth": "Containers nest deeper than `max_depth` ({1}), or contain themselves",
    "inner": "Keys or sorted sets nest deeper than {1}",
    "int_range": "Integer is beyond the range of {1} bits",
    "non_finite": "NaN and infinities cannot be encoded unless `nan` says how",
    "surrogate": "Text has a surrogate at character {1}, which UTF-8 cannot spell",
    "key": "A key cannot be of type `{0}`",
    "key_not_str": "A key must be a `str`",
    "key_order": "Keys of any type cannot be sorted",
    "key_range": "An integer key is beyond the range of 64 bits",
    "same_key": "Two keys are both spelled {0}",
    "changed": "The {0} changed size while it was being encoded",
    "raw": "Raw does not hold one valid value: {2} (byte {1})",
    "fragment": "A fragment's content must be bytes or str",
    "array": "{0}",
    "time_with_zone": "A time with tzinfo cannot be encoded",
    "float_range": "Float is beyond the range of 32 bits",
    "length": "The value is longer than the format can say",
    "ext": "An Ext needs a code from -128 to 127 and bytes",
    "time_range": "The moment is beyond what the format can say",
    "invalid": "{0}",
    "undeclared": "The model holds another than it declares",
}
WHAT_NAMES = (*_WHATS,)
# What the faces know a fault by, where that is another word.
_SHORT = {
    name: short
    for short, names in {
        "eof": "empty",
        "depth": "inner",
        "length": "long_str long_bytes long_array long_map long_ext",
        "key": "map_key key_kind key_not_str key_order key_range same_key",
        "timestamp": "time_range",
        "float_range": "non_finite",
    }.items()
    for name in names.split()
}
# How much is shown of where a long path begins, and of where it ends.
_SHOWN = 100
_ESCAPES = {code: f"\\u{{{code:x}}}" for code in (*range(32), 127)}
_ESCAPES |= str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def quoted(text):
    """A text in double quotes, with what would break a line escaped."""
    return f'"{text.translate(_ESCAPES)}"'


def words(what, text, number, code):
    """What is wrong with a value, without its place."""
    name = WHAT_NAMES[what]
    if name == "same_key":
        text = quoted(text)
    return _WHATS[name].format(text, number, CODES[CODE_NAMES[code]])


def _at(said, path):
    if len(path) > 2 * _SHOWN + 1:
        path = f"{path[:_SHOWN]} ... {path[-_SHOWN - 1 :]}"
    return f"{said} - at `{path}`"


def _faced(face, error, path):
    """An exception, or what a compatible face in Python makes of it."""
    if face is None:
        return error
    error._path = path
    return face(error)


def encode(face, path, what, text, number, code):
    said = words(what, text, number, code)
    error = EncodeError(_at(said, path))
    error.msg, error.path = said, path
    name = WHAT_NAMES[what]
    error._code = _SHORT.get(name, name)
    return _faced(face, error, path)


def invalid(said, path, cause, all_):
    # What is wrong with the whole may lie in it.
    path = f"${path}" if path[:1] in ".[" else path
    error = ValidationError(said if path == "$" else _at(said, path))
    error.msg, error.path = said, path
    error.offset = error.line = error.column = None
    if cause is not None:
        error.__cause__ = error.__context__ = cause
    if all_ is not None:
        from ._faults import tell

        tell(error, *all_)
    return error


def malformed(face, path, form, code, offset, lines, chars, head):
    name = CODE_NAMES[code]
    said, line, column, place = CODES[name], None, None, f"(byte {offset})"
    if form == 0:
        line, column = lines + 1, chars + 1
        place = f"- at line {line}, column {column} {place}"
    elif name == "duplicate_key":
        said = "the key stands twice in one map"
    error = DecodeError(f"Malformed {FORMS[form]}: {said} {place}")
    error.msg, error.offset, error.line, error.column = said, offset, line, column
    if form:
        error._code = _SHORT.get(name, name)
    error._head = head
    return _faced(face, error, path)
