"""`Packer`: the keywords, types, limits and texts of msgpack over the native encoder.

The encoder is told to write what msgpack writes (`_face`), and gives all else to its hook, as also integers that do not
fit and `ExtType`. So the hook made here around the caller's `default` says what becomes of those, and with which text.
"""

from __future__ import annotations

import builtins
import codecs
import datetime as moments
import io
from functools import lru_cache, partial
from operator import index
from types import FunctionType

from oxwire._oxwire import EncodeError, MsgpackEncoder
from oxwire.msgpack import Ext

from .ext import ExtType, Timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, Protocol, TypedDict, Unpack

    class _Buffer(Protocol):
        def __buffer__(self, flags: int, /) -> memoryview: ...

    class _Writable(Protocol):
        def write(self, data: bytes, /) -> Any: ...

    class _Options(TypedDict, total=False):
        default: Callable[[Any], Any] | None
        use_single_float: bool
        autoreset: bool
        use_bin_type: bool
        strict_types: bool
        datetime: bool
        unicode_errors: str | None
        buf_size: int


# The codec's own error, with the text and the place in it, where the encoder and decoder have one of theirs.
STRICT = "oxwire.compat.msgpack.strict"
codecs.register_error(STRICT, codecs.strict_errors)

# One value more than msgpack's limit lets the innermost container have members.
_MAX_DEPTH = 1025
_MAX_COUNT = 2**32 - 1
_IN_USE = "Existing exports of data: Packer cannot be changed"

# What is written as it is; and the same for classes that are exactly these, but for int, which may be too large.
_PLAIN = (type(None), bytes, bytearray, str, float, dict, list, tuple, memoryview)
_LOOSE = frozenset((*_PLAIN, bool, Timestamp, Ext))
_STRICT_TYPES = _LOOSE - {tuple}


def _class_name(value: Any) -> str:
    """The name of a value's class as the interpreter's own texts have it: with the module, if it is written in C."""
    other: Any = "" if isinstance(value, list) else []
    try:
        # Which is refused by name, and runs no code of the value's.
        type(other).__add__(other, value)
    except TypeError as error:
        kind = type(other).__name__
        before, after = f'can only concatenate {kind} (not "', f'") to {kind}'
        text = str(error)
        if text.startswith(before) and text.endswith(after):
            return text[len(before) : -len(after)]
    return type(value).__name__


def _converted(value: Any, datetime: bool, strict: bool) -> Ext | Timestamp | None:
    """What the encoder writes for a value of two classes that it does not know."""
    if type(value) is ExtType or (not strict and isinstance(value, ExtType)):
        return Ext(int(value.code), value.data)
    if datetime and type(value) is moments.datetime and value.tzinfo is not None:
        return Timestamp.from_datetime(value)
    return None


def _last(value: Any, datetime: bool, strict: bool) -> Any:
    """What is to be written for a value that no `default` is asked about any more."""
    result = _converted(value, datetime, strict)
    if result is not None:
        return result
    if type(value) is int or (not strict and isinstance(value, int)):
        if -(2**63) <= value < 2**64:
            return value
        raise OverflowError("Integer value out of range")
    if type(value) in (_STRICT_TYPES if strict else _LOOSE) or (not strict and isinstance(value, _PLAIN)):
        return value
    if datetime and type(value) is moments.datetime:
        raise ValueError("can not serialize 'datetime.datetime' object where tzinfo=None")
    raise TypeError(f"can not serialize '{_class_name(value)}' object")


def _hook(default: Callable[[Any], Any] | None, datetime: bool, strict: bool) -> Callable[[Any], Any]:
    """What is to be written for a value that the encoder does not write by itself."""
    if default is None:
        return partial(_last, datetime=datetime, strict=strict)

    def written(value: Any) -> Any:
        result = _converted(value, datetime, strict)
        return _last(default(value), datetime, strict) if result is None else result

    return written


def _encoder(
    default: Callable[[Any], Any] | None, single: bool, raw: bool, strict: bool, datetime: bool, errors: str
) -> Any:
    return MsgpackEncoder(
        _face="msgpack",
        _strict_types=strict,
        enc_hook=_hook(default, datetime, strict),
        float32=single,
        max_depth=_MAX_DEPTH,
        old_spec=raw,
        passthrough=(ExtType,),
        str_errors=errors,
    )


_kept_encoder = lru_cache(maxsize=64)(_encoder)


def is_lasting(hook: Any) -> bool:
    """Whether a hook may be kept by a cache: no object of a call goes with it."""
    return hook is None or isinstance(hook, type) or (type(hook) is FunctionType and hook.__closure__ is None)


def from_hook(error: BaseException) -> bool:
    """Whether an exception, caught where native code was called, comes from a hook: then it has a trace beyond."""
    trace = error.__traceback__
    return trace is not None and trace.tb_next is not None


def _refusal(error: EncodeError) -> Exception:
    """What msgpack raises where the encoder has raised `error`."""
    code = error._code
    if code == "depth":
        return ValueError("recursion limit exceeded.")
    if code == "float_range":
        return OverflowError("float too large to pack with f format")
    if code == "changed":
        return RuntimeError(error.msg)
    return ValueError(error.msg)


def _header(size: int, what: str, fix: int, marker: int) -> bytes:
    size = index(size)
    if size < 0:
        raise ValueError(f"{what} size must be non-negative")
    if size > _MAX_COUNT:
        # (Spelled as it always was.)
        raise ValueError("map too learge" if what == "map" else "array too large")
    if size < 16:
        return bytes((fix | size,))
    if size < 1 << 16:
        return bytes((marker,)) + size.to_bytes(2, "big")
    return bytes((marker + 1,)) + size.to_bytes(4, "big")


class Packer:
    """Packs objects as MessagePack.

    default: called with an object of a type that is not supported, and with an int beyond 64 bits; what it returns
        is packed in its place.
    use_single_float: pack floats in 32 bits.
    autoreset: True returns each message; False gathers all, for `bytes()` and `getbuffer()`, until `reset()`.
    use_bin_type: False packs bytes in the forms of str, as before 2013, and no str 8.
    strict_types: give subclasses, and tuples, to `default`.
    datetime: pack an aware datetime as a Timestamp.
    unicode_errors: the codec's error handler for str with surrogates; None is "strict".
    buf_size: without effect.
    """

    __slots__ = ("__weakref__", "_encode", "_encode_into", "_held")

    def __init__(
        self,
        *,
        default: Callable[[Any], Any] | None = None,
        use_single_float: bool = False,
        autoreset: bool = True,
        use_bin_type: bool = True,
        strict_types: bool = False,
        datetime: bool = False,
        unicode_errors: str | None = None,
        buf_size: int = 256 * 1024,
    ) -> None:
        if default is not None and not callable(default):
            raise TypeError("default must be a callable.")
        index(buf_size)
        make = _kept_encoder if is_lasting(default) else _encoder
        encoder = make(
            default,
            bool(use_single_float),
            not use_bin_type,
            bool(strict_types),
            bool(datetime),
            STRICT if unicode_errors is None or unicode_errors == "strict" else unicode_errors,
        )
        self._encode: Callable[[Any], builtins.bytes] = encoder.encode
        self._encode_into = encoder.encode_into
        self._held = None if autoreset else bytearray()

    # Those that give Any give bytes, or None with `autoreset=False`.

    def pack(self, obj: Any) -> Any:
        """Pack one object. If that fails, nothing is held any more."""
        try:
            if self._held is None:
                return self._encode(obj)
            return self._encode_into(obj, self._held, -1)
        except BaseException as error:
            self.reset()
            if isinstance(error, EncodeError) and not from_hook(error):
                raise _refusal(error) from None
            raise

    def pack_array_header(self, size: int) -> Any:
        """The head of an array; then its `size` items are to be packed."""
        return self._give(_header(size, "array", 0x90, 0xDC))

    def pack_map_header(self, size: int) -> Any:
        """The head of a map; then its `size` keys and values are to be packed in turn."""
        return self._give(_header(size, "map", 0x80, 0xDE))

    def pack_map_pairs(self, pairs: Collection[tuple[Any, Any]]) -> Any:
        """Pack pairs of key and value as a map."""
        size = len(pairs)
        message = bytearray(_header(size, "map", 0x80, 0xDE))
        count = 0
        try:
            for key, value in pairs:
                self._encode_into(key, message, -1)
                self._encode_into(value, message, -1)
                count += 1
        except EncodeError as error:
            if from_hook(error):
                raise
            raise _refusal(error) from None
        if count != size:
            raise RuntimeError("the pairs changed in number while they were being packed")
        return self._give(bytes(message))

    def pack_ext_type(self, typecode: int, data: _Buffer) -> Any:
        """Pack an ext of any code from -128 to 127."""
        typecode = index(typecode)
        if not -128 <= typecode <= 127:
            raise OverflowError("value too large to convert to char")
        return self._give(self._encode(Ext(typecode, data)))

    def bytes(self) -> builtins.bytes:
        """What is held."""
        return bytes(self._held or b"")

    def getbuffer(self) -> memoryview:
        """A view of what is held. While it is in use nothing can be packed."""
        return memoryview(b"" if self._held is None else self._held).toreadonly()

    def __buffer__(self, flags: int, /) -> memoryview:
        return self.getbuffer()

    def reset(self) -> None:
        """Hold nothing any more."""
        if self._held is not None:
            try:
                self._held.clear()
            except BufferError:
                raise BufferError(_IN_USE) from None

    def _give(self, message: builtins.bytes) -> Any:
        if self._held is None:
            return message
        try:
            self._held += message
        except BufferError:
            raise BufferError(_IN_USE) from None
        return None


_plain: Callable[[Any], bytes] = Packer()._encode
_known: dict[Any, Callable[[Any], bytes]] = {}
# Most programs have the same options in each call.
_latest: tuple[Any, Callable[[Any], bytes]] = ({}, _plain)


def _packing(options: _Options) -> Callable[[Any], bytes]:
    """What packs with some options, as often as possible by an encoder that was made before."""
    global _latest
    key = tuple(options.items())
    try:
        encode = _known[key]
    except (KeyError, TypeError):
        packer = Packer(**options)
        if packer._held is not None:
            return packer.pack
        encode = packer._encode
        if not is_lasting(options.get("default")):
            return encode
        if len(_known) == 64:
            _known.clear()
        _known[key] = encode
    _latest = options, encode
    return encode


def packb(o: Any, **kwargs: Unpack[_Options]) -> bytes:
    """Pack an object. The options are those of Packer."""
    encode = _plain
    if kwargs:
        known, encode = _latest
        if kwargs != known:
            encode = _packing(kwargs)
    try:
        return encode(o)
    except EncodeError as error:
        if from_hook(error):
            raise
        raise _refusal(error) from None


def pack(o: Any, stream: _Writable, **kwargs: Unpack[_Options]) -> None:
    """Pack an object and write it to `stream`."""
    data = packb(o, **kwargs)
    if isinstance(stream, io.RawIOBase):
        # Which may take less than it is given, and nothing at all if it would block.
        view = memoryview(data)
        while view:
            written = stream.write(view)
            if not written:
                raise BlockingIOError("the file takes no more")
            view = view[written:]
    else:
        stream.write(data)
