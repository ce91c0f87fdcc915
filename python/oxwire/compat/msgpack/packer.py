# `Packer`: the keywords, types, limits and texts of msgpack over the native encoder.
#
# The encoder is told to write what msgpack writes (`_face`), and gives all else to its hook, also integers that do not
# fit and `ExtType`. So the hook made here around the caller's `default` says what becomes of those, and with which text. The
# stub beside it has the types.

import codecs
import datetime as moments
import io
from functools import lru_cache, partial
from operator import index
from types import FunctionType

from oxwire._oxwire import EncodeError, msgpack_Encoder
from oxwire.msgpack import Ext

from .ext import ExtType, Timestamp

__all__ = ["Packer", "pack", "packb"]


# The codec's own error, with the text and the place in it, where the encoder and decoder have one of theirs.
STRICT = "oxwire.compat.msgpack.strict"
codecs.register_error(STRICT, codecs.strict_errors)

# One value more than msgpack's limit lets the innermost container have members.
_MAX_DEPTH = 1025

# What is written as it is; and the same for classes that are exactly these, but for int, which may be too large.
_PLAIN = (type(None), bytes, bytearray, str, float, dict, list, tuple, memoryview)
_LOOSE = frozenset((*_PLAIN, bool, Timestamp, Ext))
_STRICT_TYPES = _LOOSE - {tuple}


def _class_name(value):
    # The name of a value's class as the interpreter's own texts have it: with the module, if it is written in C.
    other = "" if isinstance(value, list) else []
    try:
        # Which is refused by name, and runs no code of the value's.
        type(other).__add__(other, value)
    except TypeError as error:
        # It says: can only concatenate list (not "X") to list.
        name, after, _ = str(error).partition('(not "')[2].rpartition('") to ')
        if after:
            return name
    return type(value).__name__


def _converted(value, datetime, strict):
    # What the encoder writes for a value of two classes that it does not know.
    if type(value) is ExtType or (not strict and isinstance(value, ExtType)):
        return Ext(int(value.code), value.data)
    if datetime and type(value) is moments.datetime and value.tzinfo is not None:
        return Timestamp.from_datetime(value)
    return None


def _last(value, datetime, strict):
    # What is to be written for a value that no `default` is asked about any more.
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


def _encoder(default, single, raw, strict, datetime, errors):
    def written(value):
        result = _converted(value, datetime, strict)
        return _last(default(value), datetime, strict) if result is None else result

    return msgpack_Encoder(
        _face="msgpack",
        _strict_types=strict,
        enc_hook=partial(_last, datetime=datetime, strict=strict) if default is None else written,
        float32=single,
        max_depth=_MAX_DEPTH,
        old_spec=raw,
        passthrough=(ExtType,),
        str_errors=errors,
    )


_kept_encoder = lru_cache(maxsize=64)(_encoder)


def is_lasting(option):
    # Whether a cache may keep the value of an option: it is a key of a dict, and no object of a call goes with it.
    if type(option) is FunctionType:
        return option.__closure__ is None
    return option is None or isinstance(option, type) or type(option) in (bool, int, str)


def from_hook(error):
    # Whether an exception, caught where native code was called, comes from a hook: its trace goes beyond.
    trace = error.__traceback__
    return trace is not None and trace.tb_next is not None


def _refusal(error):
    # What msgpack raises where the encoder has raised `error`.
    if error._code == "depth":
        return ValueError("recursion limit exceeded.")
    if error._code == "float_range":
        return OverflowError("float too large to pack with f format")
    return (RuntimeError if error._code == "changed" else ValueError)(error.msg)


def _header(size, what, fix, marker):
    size = index(size)
    if size < 0:
        raise ValueError(f"{what} size must be non-negative")
    if size >= 1 << 32:
        # (Spelled as it always was.)
        raise ValueError("map too learge" if what == "map" else "array too large")
    if size < 16:
        return bytes((fix | size,))
    wide = size >= 1 << 16
    return bytes((marker + wide,)) + size.to_bytes(4 if wide else 2, "big")


class Packer:
    """Packs objects as MessagePack. The options are those of msgpack; `buf_size` is without effect."""

    __slots__ = ("__weakref__", "_encode", "_encode_into", "_held")

    def __init__(
        self,
        *,
        default=None,
        use_single_float=False,
        autoreset=True,
        use_bin_type=True,
        strict_types=False,
        datetime=False,
        unicode_errors=None,
        buf_size=256 * 1024,
    ):
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
            STRICT if unicode_errors in (None, "strict") else unicode_errors,
        )
        self._encode = encoder.encode
        self._encode_into = encoder.encode_into
        self._held = None if autoreset else bytearray()

    # Any is bytes, or None with `autoreset=False`.

    def pack(self, obj):
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

    def pack_array_header(self, size):
        """The head of an array; its `size` items are packed next."""
        return self._give(_header(size, "array", 0x90, 0xDC))

    def pack_map_header(self, size):
        """The head of a map; its `size` keys and values are packed next, in turn."""
        return self._give(_header(size, "map", 0x80, 0xDE))

    def pack_map_pairs(self, pairs):
        """Pack pairs of key and value as a map."""
        size = len(pairs)
        message = bytearray(_header(size, "map", 0x80, 0xDE))
        try:
            for key, value in pairs:
                self._encode_into(key, message, -1)
                self._encode_into(value, message, -1)
                size -= 1
        except EncodeError as error:
            if from_hook(error):
                raise
            raise _refusal(error) from None
        if size:
            raise RuntimeError("the pairs changed in number while they were being packed")
        return self._give(bytes(message))

    def pack_ext_type(self, typecode, data):
        """Pack an ext of any code from -128 to 127, of any buffer."""
        typecode = index(typecode)
        if not -128 <= typecode <= 127:
            raise OverflowError("value too large to convert to char")
        return self._give(self._encode(Ext(typecode, data)))

    def bytes(self):
        """What is held."""
        return bytes(self._held or b"")

    def getbuffer(self):
        """A view of what is held. While it is in use nothing can be packed."""
        return memoryview(b"" if self._held is None else self._held).toreadonly()

    def __buffer__(self, flags, /):
        return self.getbuffer()

    def reset(self):
        """Hold nothing any more."""
        self._change(bytearray.clear)

    def _give(self, message):
        if self._held is None:
            return message
        return self._change(bytearray.extend, message)

    def _change(self, method, *arguments):
        if self._held is not None:
            try:
                method(self._held, *arguments)
            except BufferError:
                raise BufferError("Existing exports of data: Packer cannot be changed") from None


_plain = Packer()._encode
# Most programs have the same options in each call.
_latest = ({}, _plain)


_kept_packer = lru_cache(maxsize=64)(Packer)


def _packing(options):
    # What packs with some options, as often as possible by a packer that was made before.
    global _latest
    if not options.get("autoreset", True) or not all(map(is_lasting, options.values())):
        return Packer(**options).pack
    encode = _kept_packer(**options)._encode
    _latest = options, encode
    return encode


def packb(o, **kwargs):
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


def pack(o, stream, **kwargs):
    """Pack an object and write it to `stream`."""
    data = packb(o, **kwargs)
    taken = stream.write(data)
    # A raw file may take less than it is given, and nothing at all if it would block.
    while isinstance(stream, io.RawIOBase) and taken != len(data):
        if not taken:
            raise BlockingIOError("the file takes no more")
        data = data[taken:]
        taken = stream.write(data)
