# What `oxwire.compat.msgspec` does in another way than oxwire: options, and the words of faults.
#
# The codecs are told to write only what msgspec writes (`_closed`), to give all else to a hook, and to show every fault to
# `_fault`, so that only what fails costs anything. What may surprise: the methods of codecs that are called often
# are those of oxwire's own, kept in slots.

from operator import index
from typing import Any

from oxwire import DecodeError, EncodeError, Raw, ValidationError, _oxwire, json

# How deep containers may nest.
_DEPTH = {"max_depth": 10000}
_CODECS = {
    "json": (_oxwire.json_Encoder, {"nan": "null"}, _oxwire.json_Decoder, {"max_int_digits": 4300}),
    "msgpack": (_oxwire.msgpack_Encoder, {}, _oxwire.msgpack_Decoder, {}),
}
_ORDERS = {None: "stored", "deterministic": "keys", "sorted": "all"}
_DEEP = (RecursionError, "maximum recursion depth exceeded")
_TRUNCATED = "Input data was truncated"
# By what the words of oxwire begin with; those that are not here stand as they are.
_JSON_WORDS = {
    "expected a value, but": _TRUNCATED,
    "unexpected end": _TRUNCATED,
    "expected a value after": "trailing comma",
    "expected a value": "invalid character",
    "expected `null`": "invalid character",
    "expected `,` or `]`": "expected ',' or ']'",
    "expected `,` or `}`": "expected ',' or '}'",
    "expected a key": "object keys must be strings",
    "expected `:`": "expected ':'",
    "expected a digit": "invalid number",
    "a number may not": "invalid number",
    "the number is beyond": (ValidationError, "Number out of range"),
    "the integer has more": (ValidationError, "Integer value out of range"),
    "NaN and": "invalid character",
    "control": "invalid character",
    "a byte order": "invalid character",
    "invalid escape": "invalid escape character in string",
    "an escaped surrogate": "invalid utf-16 surrogate pair",
    "expected the end": "trailing characters",
    "containers nest": _DEEP,
}
_MSGPACK = {
    "eof": _TRUNCATED,
    "length": _TRUNCATED,
    "trailing": "trailing characters",
    "key": "map keys must be hashable",
    "timestamp": (ValidationError, "Invalid MessagePack timestamp"),
    "depth": _DEEP,
}
_WRITING = {
    "int_range": (OverflowError, "can't serialize ints < -2**63 or > 2**64 - 1"),
    "key": (TypeError, "Only dicts with str-like or number-like keys are supported"),
    "depth": _DEEP,
    "chain": _DEEP,
}


def _fault(error):
    # The exception for an exception of oxwire. All others, of hooks, stay as they are.
    code = getattr(error, "_code", None)
    if isinstance(error, EncodeError):
        found = _WRITING.get(code)
    elif type(error) is not DecodeError:
        return error
    elif code == "marker":
        found = f"invalid opcode '\\x{error._head[0]:02x}'"
    elif code:
        found = _MSGPACK.get(code, error.msg)
    else:
        found = next(
            (words for start, words in _JSON_WORDS.items() if error.msg.startswith(start)), error.msg
        )
    if found is None:
        return error
    if found == "trailing comma":
        found += " in object" if error._head == b"}" else " in array"
    if isinstance(found, str):
        kind = "MessagePack data" if code else "JSON"
        words = found if found is _TRUNCATED else f"{kind} is malformed: {found} (byte {error.offset})"
        found = (DecodeError, words)
    cls, words = found
    # Only what stands in lines has a path here.
    path = error._path if cls is ValidationError else ""
    made = cls(f"{words} - at `{path}`" if path else words)
    made.__dict__.update({**vars(error), "path": path or "$", "msg": words})
    return made


def _unsupported(o):
    # The hook where there is none.
    cls = type(o)
    # A class that was not made by a class statement, and cannot be changed, is known by its full name.
    name = cls.__name__
    if cls.__flags__ & 1 << 8 and cls.__module__ != "builtins":
        name = f"{cls.__module__}.{name}"
    raise TypeError(f"Encoding objects of type {name} is unsupported")


def _hook(enc_hook):
    return _unsupported if enc_hook is None else _callable("enc_hook", enc_hook)


def _callable(name, given):
    if given is not None and not callable(given):
        raise TypeError(f"{name} must be callable")
    return given


def _containing(o):
    raise TypeError("callable returned a value containing a Decimal")


class _Encoder:
    __slots__ = ("decimal_format", "enc_hook", "encode", "encode_into", "order", "uuid_format")

    def __init__(self, *, enc_hook=None, decimal_format="string", uuid_format="canonical", order=None):
        is_json = self._format == "json"
        if decimal_format not in ("string", "number") and not callable(decimal_format):
            raise ValueError(
                f"`decimal_format` must be 'string', 'number', or a callable, got {decimal_format!r}"
            )
        if uuid_format not in ("canonical", "hex") and (is_json or uuid_format != "bytes"):
            words = "'canonical' or 'hex'" if is_json else "'canonical', 'hex' or 'bytes'"
            raise ValueError(f"`uuid_format` must be {words}, got {uuid_format!r}")
        if order not in _ORDERS:
            raise ValueError(f"`order` must be one of `{{None, 'deterministic', 'sorted'}}`, got {order!r}")
        encoder, options, _, _ = _CODECS[self._format]
        given = _hook(enc_hook)
        options = options | _DEPTH | {"utc_z": True, "_fault": _fault, "enc_hook": given}
        options["_closed"] = _ORDERS[order]
        special = {}
        if order is not None:
            special[set, frozenset] = sorted
        if uuid_format != "canonical":
            from uuid import UUID

            special[UUID] = lambda o: getattr(o, uuid_format)
        if decimal_format != "string":
            from decimal import Decimal

            if decimal_format is _containing:
                special[Decimal] = _containing
            elif callable(decimal_format):
                inner = type(self)(
                    enc_hook=enc_hook, decimal_format=_containing, uuid_format=uuid_format, order=order
                ).encode
                special[Decimal] = lambda o: Raw(inner(decimal_format(o)))
            elif is_json:
                options["decimal_format"] = "number"
            else:
                special[Decimal] = float
        if special:
            # Sets are the hook's wherever there is an order.
            options["passthrough"] = [cls for cls in special if isinstance(cls, type)]

            def options_hook(o):
                for cls, make in special.items():
                    if isinstance(o, cls):
                        return make(o)
                return given(o)

            options["enc_hook"] = options_hook
        made = encoder(**options)
        self.enc_hook, self.decimal_format = enc_hook, decimal_format
        self.uuid_format, self.order = uuid_format, order
        self.encode, self.encode_into = made.encode, made.encode_into
        if is_json:
            self.encode_lines = made.encode_lines


class JsonEncoder(_Encoder):
    __slots__ = ("encode_lines",)
    _format = "json"


class MsgpackEncoder(_Encoder):
    __slots__ = ()
    _format = "msgpack"


class _Decoder:
    __slots__ = ("_made", "dec_hook", "decode", "strict", "type")

    def __class_getitem__(cls, item):
        from types import GenericAlias

        return GenericAlias(cls, item)

    def _make(self, type, strict, dec_hook, **hooks):
        _, _, decoder, options = _CODECS[self._format]
        if not strict:
            options = options | {"strict": False}
        self.type, self.strict, self.dec_hook = type, strict, _callable("dec_hook", dec_hook)
        self._made = decoder(
            type, dec_hook=dec_hook, _fault=_fault, _narrow=True, **hooks, **options, **_DEPTH
        )
        self.decode = self._made.decode

    def __repr__(self):
        return f"msgspec.{self._format}.Decoder({self.type!r})"


class JsonDecoder(_Decoder):
    __slots__ = ("float_hook",)
    _format = "json"

    def __init__(self, type=Any, *, strict=True, dec_hook=None, float_hook=None):
        self.float_hook = _callable("float_hook", float_hook)
        self._make(type, strict, dec_hook, float_hook=float_hook)

    def decode_lines(self, buf, /):
        return self._made.decode_lines(buf)


class MsgpackDecoder(_Decoder):
    __slots__ = ("ext_hook",)
    _format = "msgpack"

    def __init__(self, type=Any, *, strict=True, dec_hook=None, ext_hook=None):
        self.ext_hook = _callable("ext_hook", ext_hook)
        self._make(
            type,
            strict,
            dec_hook,
            ext_hook=ext_hook and (lambda code, data: ext_hook(code, memoryview(data))),
        )


_write_json, _write_msgpack = JsonEncoder().encode, MsgpackEncoder().encode
_read_json, _read_msgpack = JsonDecoder().decode, MsgpackDecoder().decode


class _Reading(dict):
    # What reads a type, by the type.

    def __init__(self, decoder):
        self.decoder = decoder

    def __missing__(self, type):
        if len(self) >= 256:
            self.clear()
        made = self[type] = self.decoder(type).decode
        return made


_json_of, _msgpack_of = _Reading(JsonDecoder), _Reading(MsgpackDecoder)


def encode_json(obj, /, *, enc_hook=None, order=None):
    if enc_hook is None and order is None:
        return _write_json(obj)
    return JsonEncoder(enc_hook=enc_hook, order=order).encode(obj)


def encode_msgpack(obj, /, *, enc_hook=None, order=None):
    if enc_hook is None and order is None:
        return _write_msgpack(obj)
    return MsgpackEncoder(enc_hook=enc_hook, order=order).encode(obj)


def decode_json(buf, /, *, type=Any, strict=True, dec_hook=None):
    if not strict or dec_hook is not None:
        return JsonDecoder(type, strict=strict, dec_hook=dec_hook).decode(buf)
    if type is Any:
        return _read_json(buf)
    try:
        read = _json_of[type]
    except TypeError:
        # A type without a hash; one that is none is refused again.
        read = JsonDecoder(type).decode
    return read(buf)


def decode_msgpack(buf, /, *, type=Any, strict=True, dec_hook=None, ext_hook=None):
    if not strict or dec_hook is not None or ext_hook is not None:
        return MsgpackDecoder(type, strict=strict, dec_hook=dec_hook, ext_hook=ext_hook).decode(buf)
    if type is Any:
        return _read_msgpack(buf)
    try:
        read = _msgpack_of[type]
    except TypeError:
        read = MsgpackDecoder(type).decode
    return read(buf)


def format_json(buf, *, indent=2):
    """Existing JSON laid out: 0 is one line with spaces, less is none without."""
    indent = index(indent)
    try:
        out = json.format(buf, indent=None if indent < 0 else " " * indent)
    except DecodeError as e:
        raise _fault(e) from None
    if indent == 0:
        # No text holds a line feed.
        out = out.replace(b",\n", b", ").replace(b"\n", b"")
    return out.decode() if isinstance(buf, str) else out


def convert(
    obj, type, *, strict=True, from_attributes=False, dec_hook=None, builtin_types=None, str_keys=False
):
    return _oxwire.convert(
        obj,
        type,
        strict=strict,
        from_attributes=from_attributes,
        dec_hook=dec_hook,
        builtin_types=builtin_types,
        str_keys=str_keys,
        _narrow=True,
    )


def schema(type, *, schema_hook=None, ref_template="#/$defs/{name}"):
    return json.schema(type, mode="msgspec", schema_hook=schema_hook, ref_template=ref_template, codecs=False)


def schema_components(types, *, schema_hook=None, ref_template="#/$defs/{name}"):
    return json.schema_components(
        types, mode="msgspec", schema_hook=schema_hook, ref_template=ref_template, codecs=False
    )


def to_builtins(obj, *, str_keys=False, builtin_types=None, enc_hook=None, order=None):
    from oxwire import to_builtins

    try:
        return to_builtins(
            obj,
            str_keys=str_keys,
            builtin_types=builtin_types,
            enc_hook=_hook(enc_hook),
            order=order,
            _text=_write_json,
        )
    except EncodeError as e:
        raise _unwritten(e) from None


def _unwritten(error):
    # The same of `to_builtins`, which knows no codes.
    if error.msg.startswith("A key"):
        return TypeError("Only dicts with str-like or number-like keys are supported")
    if error.msg.startswith("Only dicts"):
        return TypeError("Only dicts with str keys are supported when `order` is not `None`")
    if error.msg.startswith("Cannot encode"):
        return TypeError(f"Encoding objects of type {error.msg.split('`')[1]} is unsupported")
    if error.msg.startswith("Containers"):
        return RecursionError(_DEEP[1])
    return error


def text_format(module, *kept, **options):
    # `encode` and `decode` of a format that has values of some more classes.

    def encode(obj, *, enc_hook=None, order=None):
        return module.encode(to_builtins(obj, builtin_types=kept, enc_hook=enc_hook, order=order, **options))

    def decode(buf, *, type=Any, strict=True, dec_hook=None):
        return convert(module.decode(buf), type, strict=strict, dec_hook=dec_hook, **options)

    return encode, decode


for _name, _things in {
    "json": (JsonEncoder, JsonDecoder, encode_json, decode_json, format_json),
    "msgpack": (MsgpackEncoder, MsgpackDecoder, encode_msgpack, decode_msgpack),
}.items():
    for _one in _things:
        _one.__module__ = f"oxwire.compat.msgspec.{_name}"
        _one.__name__ = _one.__qualname__ = _one.__name__.removeprefix(_name.title()).split("_")[0]
