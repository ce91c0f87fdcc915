# `unpackb` and `Unpacker`: the keywords, limits, exceptions and texts of msgpack over the native decoders.
#
# The decoders tell one fault from another by a word, and say where it is. What msgpack's texts say beyond that is read
# again from the input, so that it costs nothing where there is no fault. The stub beside it has the types.

from functools import lru_cache
from operator import index

from oxwire._oxwire import DecodeError, msgpack_Decoder, msgpack_StreamDecoder

from .exceptions import BufferFull, ExtraData, FormatError, OutOfData, StackError
from .ext import ExtType, Timestamp
from .packer import STRICT, from_hook, is_lasting

__all__ = ["Unpacker", "unpack", "unpackb"]


# What `timestamp` may be in the decoder's words, and the names of the classes.
_TIMESTAMPS = {"timestamp": "Timestamp", "float": "float", "ns": "int", "datetime": "datetime.datetime"}
_HOOKS = ("object_hook", "object_pairs_hook", "list_hook", "ext_hook")

# The heads that a length stands behind: what they begin, and the bytes of the length.
_HEADS = {
    first + n: (kind, width)
    for kind, first, widths in (
        ("bin", 0xC4, (1, 2, 4)),
        ("ext", 0xC7, (1, 2, 4)),
        ("str", 0xD9, (1, 2, 4)),
        ("array", 0xDC, (2, 4)),
        ("map", 0xDE, (2, 4)),
    )
    for n, width in enumerate(widths)
}


def _settings(
    _limit,
    /,
    *,
    object_hook=None,
    list_hook=None,
    use_list=True,
    raw=False,
    timestamp=0,
    strict_map_key=True,
    unicode_errors=None,
    object_pairs_hook=None,
    ext_hook=ExtType,
    max_str_len=-1,
    max_bin_len=-1,
    max_array_len=-1,
    max_map_len=-1,
    max_ext_len=-1,
):
    # The keywords of the decoders for those of msgpack. `_limit` is what the limits are if they are not given.
    given = locals()
    if object_hook is not None and object_pairs_hook is not None:
        raise TypeError("object_pairs_hook and object_hook are mutually exclusive.")
    timestamp = index(timestamp)
    if not 0 <= timestamp <= 3:
        raise ValueError("timestamp must be 0..3")
    settings = {
        "_face": "msgpack",
        "_map_keys": "text" if strict_map_key else "any",
        # No hook, since nobody's code runs.
        "_ext_class": ExtType,
        "max_depth": 1024,
        "old_spec": bool(raw),
        "str_errors": STRICT if unicode_errors in (None, "strict") else unicode_errors,
        "timestamp": [*_TIMESTAMPS][timestamp],
        "use_list": bool(use_list),
    }
    for name in _HOOKS:
        if (hook := given[name]) is not None:
            if not callable(hook):
                raise TypeError(f"{name} must be a callable.")
            if hook is not ExtType:
                settings[name] = hook
    for kind in ("str", "bin", "array", "map", "ext"):
        if (most := given[f"max_{kind}_len"]) != -1:
            settings[f"max_{kind}_len"] = index(most)
        elif _limit is not None:
            settings[f"max_{kind}_len"] = _limit // 2 if kind == "map" else _limit
    return settings


# Whose name is in the texts about its arguments.
_settings.__qualname__ = "unpackb"


def _fault(error, settings, head):
    # What msgpack raises where a decoder has raised `error`. `head` is the input from its place on, if it is known.
    code = error._code
    head = bytes(head)
    plain = {
        "eof": ValueError("Unpack failed: incomplete input"),
        "marker": FormatError(),
        "depth": StackError(),
    }
    if code in plain:
        return plain[code]
    if code == "key" and settings["_map_keys"] == "any":
        # It is a map: all else may be one.
        return TypeError("unhashable type: 'dict'")
    if code not in ("key", "length", "timestamp") or not head:
        return ValueError(error.msg)
    kind, size, start = _first(head)
    if code == "key":
        name = _class_name(kind, head, start, settings)
        return ValueError(f"{name} is not allowed for map key when strict_map_key=True")
    if code == "length":
        # (For an ext the byte of its code is counted too.)
        return ValueError(f"{size + (kind == 'ext')} exceeds max_{kind}_len({settings[f'max_{kind}_len']})")
    if size not in (4, 8, 12):
        return ValueError(f"invalid timestamp data (length {size})")
    try:
        Timestamp.from_bytes(head[start : start + size]).to_datetime()
    except OverflowError as beyond:
        return beyond
    except ValueError:
        pass
    return ValueError("nanoseconds must be a non-negative integer not greater than 999999999.")


def _first(head):
    # What a value is, of those that have a length; its length, and where its body begins.
    first = head[0]
    if first in _HEADS:
        kind, width = _HEADS[first]
        return kind, int.from_bytes(head[1 : 1 + width], "big"), 1 + width + (kind == "ext")
    if 0xD4 <= first <= 0xD8:
        return "ext", 1 << (first - 0xD4), 2
    if 0x80 <= first < 0xC0:
        kind = ("map", "array", "str", "str")[first - 0x80 >> 4]
        return kind, first & (31 if kind == "str" else 15), 1
    return "", 0, 1


def _class_name(kind, head, start, settings):
    # The name of the class of what is no key.
    if kind == "ext" and head[start - 1] == 0xFF:
        return _TIMESTAMPS[settings["timestamp"]]
    if kind:
        return {"map": "dict", "ext": "ExtType"}.get(kind, "list" if settings["use_list"] else "tuple")
    return {0xC0: "NoneType", 0xC2: "bool", 0xC3: "bool", 0xCA: "float", 0xCB: "float"}.get(head[0], "int")


def _contiguous(data):
    # A buffer of which `len` is the number of bytes.
    if isinstance(data, (bytes, bytearray)):
        return data
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'") from None
    if view.itemsize != 1:
        raise BufferError("cannot unpack from multi-byte object")
    return view if view.ndim == 1 and view.contiguous else view.tobytes("A")


class _Reader:
    # A decoder that fits some options of unpackb.

    __slots__ = ("decode", "decode_prefix", "hooked", "settings")

    def __init__(self, **options):
        self.settings = _settings(None, **options)
        decoder = msgpack_Decoder(**self.settings)
        self.decode = decoder.decode
        self.decode_prefix = decoder.decode_prefix
        # Code of the caller's must not run twice.
        self.hooked = not self.settings.keys().isdisjoint(_HOOKS)

    def fault(self, error, packed):
        # What msgpack raises where the decoder has raised `error`.
        settings = self.settings
        if error._code == "eof":
            # An array or map of more items than there are bytes is refused for that.
            settings = {"max_array_len": len(packed), "max_map_len": len(packed) // 2, **settings}
            try:
                msgpack_Decoder(**settings | dict.fromkeys(_HOOKS)).decode(packed)
            except DecodeError as again:
                error = again
        return _fault(error, settings, packed[error.offset : error.offset + 32])


_kept_reader = lru_cache(maxsize=64)(_Reader)
_plain = _Reader()
# Most programs have the same options in each call.
_latest = ({}, _plain)


def _reader(options):
    # The decoder for some options, as often as possible one that was made before.
    global _latest
    if not all(map(is_lasting, options.values())):
        return _Reader(**options)
    reader = _kept_reader(**options)
    _latest = options, reader
    return reader


def unpackb(packed, **options):
    """Unpack one object, which must be all there is. The options are those of Unpacker."""
    reader = _plain
    if options:
        known, reader = _latest
        if options != known:
            reader = _reader(options)
    if type(packed) is not bytes:
        packed = _contiguous(packed)
        if reader.hooked:
            # Which might change the buffer.
            packed = bytes(packed)
    try:
        if not reader.hooked:
            return reader.decode(packed)
        obj, size = reader.decode_prefix(packed)
        if size == len(packed):
            return obj
    except DecodeError as error:
        if from_hook(error):
            raise
        if error._code != "trailing":
            raise reader.fault(error, packed) from None
        obj, size = reader.decode_prefix(packed)
    raise ExtraData(obj, bytes(packed[size:]))


def unpack(stream, **kwargs):
    """Unpack the one object that is all there is to read from `stream`."""
    return unpackb(stream.read(), **kwargs)


class Unpacker:
    """Unpacks one object after the other, out of what `feed` is given or out of a file. The options are msgpack's."""

    __slots__ = ("__weakref__", "_max", "_next", "_read", "_read_size", "_settings", "_stream")

    def __init__(
        self,
        file_like=None,
        *,
        read_size=0,
        max_buffer_size=100 * 1024 * 1024,
        **options,
    ):
        self._read = None if file_like is None else file_like.read
        if self._read is not None and not callable(self._read):
            raise TypeError("`file_like.read` must be a callable.")
        self._max = index(max_buffer_size) or 2**31 - 1
        if not 0 <= index(read_size) <= self._max:
            raise ValueError("read_size should be less or equal to max_buffer_size")
        self._settings = _settings(self._max, **options)
        self._stream = msgpack_StreamDecoder(**self._settings)
        self._next = self._stream.__next__
        self._read_size = index(read_size) or min(self._max, 1024 * 1024)

    def feed(self, next_bytes):
        """Add bytes."""
        if self._read is not None:
            raise AssertionError("unpacker.feed() is not be able to use with `file_like`.")
        data = _contiguous(next_bytes)
        if len(data) > self._max - self._stream.pending:
            raise BufferFull
        self._stream.feed(data)

    def _more(self):
        # Read on in the file; whether there was more.
        if self._read is None:
            return False
        room = self._max - self._stream.pending
        if room <= 0:
            raise BufferFull
        return self._take(min(self._read_size, room), room)

    def _take(self, size, room):
        data = self._read(size)
        if not data:
            self._read = None
            return False
        if not isinstance(data, bytes):
            raise TypeError(f"expected bytes, {type(data).__name__} found")
        if len(data) > room:
            raise BufferFull
        self._stream.feed(data)
        return True

    def __iter__(self):
        return self

    def __next__(self):
        """The next object; StopIteration if it is not complete yet."""
        while True:
            try:
                return self._next()
            except StopIteration as end:
                if from_hook(end) or not self._more():
                    raise
            except DecodeError as error:
                self._refuse(error)

    def _call(self, method, refusal=""):
        while True:
            try:
                return method()
            except EOFError as end:
                if from_hook(end):
                    raise
                if not self._more():
                    raise OutOfData("No more data to unpack.") from None
            except DecodeError as error:
                self._refuse(error)
            except ValueError as error:
                if not refusal or from_hook(error):
                    raise
                raise ValueError(refusal) from None

    def _refuse(self, error):
        # Raise what msgpack raises where the decoder has raised `error`.
        if from_hook(error):
            raise error
        raise _fault(error, self._settings, getattr(error, "_head", b"")) from None

    def unpack(self):
        """The next object; OutOfData if it is not complete yet."""
        return self._call(self._stream.read)

    def skip(self):
        """Pass over the next object."""
        self._call(self._stream.skip)

    def read_array_header(self):
        """Enter an array: how many objects follow."""
        return self._enter(self._stream.read_array_header)

    def read_map_header(self):
        """Enter a map: how many pairs of objects follow."""
        return self._enter(self._stream.read_map_header)

    def _enter(self, method):
        return self._call(method, "Unexpected type header on stream")

    def read_bytes(self, nbytes):
        """The next bytes as they stand; fewer if there are no more."""
        data = self._stream.read_bytes(nbytes)
        missing = nbytes - len(data)
        if missing and self._read is not None and self._take(missing, nbytes):
            data += self._stream.read_bytes(missing)
        return data

    def tell(self):
        """How many bytes were used up."""
        return self._stream.tell()
