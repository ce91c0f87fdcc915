"""`unpackb` and `Unpacker`: the keywords, limits, exceptions and texts of msgpack over the native decoders.

The decoders tell one fault from another by a word, and say where it is. What msgpack's texts say beyond that is read
again from the input, so that it costs nothing where there is no fault.
"""

from __future__ import annotations

from operator import index

from oxwire._oxwire import DecodeError, MsgpackDecoder, MsgpackStreamDecoder

from .exceptions import BufferFull, ExtraData, FormatError, OutOfData, StackError
from .ext import ExtType, Timestamp
from .packer import STRICT, from_hook, is_lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, Self, TypedDict, Unpack

    class _Buffer(Protocol):
        def __buffer__(self, flags: int, /) -> memoryview: ...

    class _Readable(Protocol):
        def read(self, n: int = -1, /) -> bytes: ...

    class _Options(TypedDict, total=False):
        object_hook: Callable[[dict[Any, Any]], Any] | None
        list_hook: Callable[[Any], Any] | None
        use_list: bool
        raw: bool
        timestamp: int
        strict_map_key: bool
        unicode_errors: str | None
        object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None
        ext_hook: Callable[[int, bytes], Any]
        max_str_len: int
        max_bin_len: int
        max_array_len: int
        max_map_len: int
        max_ext_len: int


_MAX_DEPTH = 1024
_TIMESTAMPS = ("timestamp", "float", "ns", "datetime")
_NO_HEADER = "Unexpected type header on stream"
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
    *,
    object_hook: Callable[[dict[Any, Any]], Any] | None = None,
    list_hook: Callable[[Any], Any] | None = None,
    use_list: bool = True,
    raw: bool = False,
    timestamp: int = 0,
    strict_map_key: bool = True,
    unicode_errors: str | None = None,
    object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None = None,
    ext_hook: Callable[[int, bytes], Any] | None = ExtType,
    max_str_len: int = -1,
    max_bin_len: int = -1,
    max_array_len: int = -1,
    max_map_len: int = -1,
    max_ext_len: int = -1,
    limit: int | None = None,
) -> dict[str, Any]:
    """The keywords of the decoders for those of msgpack. `limit` is what the limits are if they are not given."""
    if object_hook is not None and object_pairs_hook is not None:
        raise TypeError("object_pairs_hook and object_hook are mutually exclusive.")
    timestamp = index(timestamp)
    if not 0 <= timestamp <= 3:
        raise ValueError("timestamp must be 0..3")
    settings: dict[str, Any] = {
        "_face": "msgpack",
        "_map_keys": "text" if strict_map_key else "any",
        # Not a hook: nobody's code runs, so nothing must be made ready for it.
        "_ext_class": ExtType,
        "max_depth": _MAX_DEPTH,
        "old_spec": bool(raw),
        "str_errors": STRICT if unicode_errors is None or unicode_errors == "strict" else unicode_errors,
        "timestamp": _TIMESTAMPS[timestamp],
        "use_list": bool(use_list),
    }
    for name, hook in (
        ("object_hook", object_hook),
        ("object_pairs_hook", object_pairs_hook),
        ("list_hook", list_hook),
        ("ext_hook", ext_hook),
    ):
        if hook is not None:
            if not callable(hook):
                raise TypeError(f"{name} must be a callable.")
            if hook is not ExtType:
                settings[name] = hook
    for name, given, usual in (
        ("max_str_len", max_str_len, limit),
        ("max_bin_len", max_bin_len, limit),
        ("max_array_len", max_array_len, limit),
        ("max_map_len", max_map_len, limit and limit // 2),
        ("max_ext_len", max_ext_len, limit),
    ):
        if given != -1 or usual is not None:
            settings[name] = usual if given == -1 else index(given)
    return settings


# Whose name is in the texts about its arguments.
_settings.__qualname__ = "unpackb"


def _fault(error: DecodeError, settings: dict[str, Any], head: _Buffer) -> Exception:
    """What msgpack raises where a decoder has raised `error`. `head` is the input from its place on, if it is known."""
    code = error._code
    head = bytes(head)
    if code == "eof":
        return ValueError("Unpack failed: incomplete input")
    if code == "marker":
        return FormatError()
    if code == "depth":
        return StackError()
    if code == "key" and settings["_map_keys"] == "any":
        # It is a map: all else may be one.
        return TypeError("unhashable type: 'dict'")
    if code not in ("key", "length", "timestamp") or not head:
        return ValueError(error.msg)
    kind, size, start = _first(head)
    if code == "key":
        name = _class_name(kind, head, settings)
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


def _first(head: bytes) -> tuple[str, int, int]:
    """What a value is, of those that have a length; its length, and where its body begins."""
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


def _class_name(kind: str, head: bytes, settings: dict[str, Any]) -> str:
    """The name of the class of what is no key."""
    if kind == "ext" and head[_first(head)[2] - 1] == 0xFF:
        return {"timestamp": "Timestamp", "float": "float", "ns": "int", "datetime": "datetime.datetime"}[
            settings["timestamp"]
        ]
    if kind:
        return {"map": "dict", "ext": "ExtType"}.get(kind, "list" if settings["use_list"] else "tuple")
    return {0xC0: "NoneType", 0xC2: "bool", 0xC3: "bool", 0xCA: "float", 0xCB: "float"}.get(head[0], "int")


def _contiguous(data: _Buffer) -> bytes | bytearray | memoryview:
    """A buffer of which `len` is the number of bytes."""
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
    """A decoder that fits some options of unpackb."""

    __slots__ = ("decode", "decode_prefix", "hooked", "settings")

    def __init__(self, **options: Unpack[_Options]) -> None:
        self.settings = _settings(**options)
        decoder = MsgpackDecoder(**self.settings)
        self.decode = decoder.decode
        self.decode_prefix = decoder.decode_prefix
        # Code of the caller's must not run twice.
        self.hooked = any(options.get(name) not in (None, ExtType) for name in _HOOKS)

    def fault(self, error: DecodeError, packed: bytes | bytearray | memoryview) -> Exception:
        """What msgpack raises where the decoder has raised `error`."""
        settings = self.settings
        if error._code == "eof":
            # An array or map of more items than there are bytes is refused for that.
            settings = {"max_array_len": len(packed), "max_map_len": len(packed) // 2, **settings}
            settings.update(object_hook=None, object_pairs_hook=None, list_hook=None, ext_hook=None)
            try:
                MsgpackDecoder(**settings).decode(packed)
            except DecodeError as again:
                error = again
        return _fault(error, settings, packed[error.offset : error.offset + 32])


_plain = _Reader()
_known: dict[Any, _Reader] = {}
# Most programs have the same options in each call.
_latest: tuple[Any, _Reader] = ({}, _plain)


def _reader(options: _Options) -> _Reader:
    """The decoder for some options, as often as possible one that was made before."""
    global _latest
    key = tuple(options.items())
    try:
        reader = _known[key]
    except (KeyError, TypeError):
        reader = _Reader(**options)
        if not all(is_lasting(options.get(name)) for name in _HOOKS):
            return reader
        if len(_known) == 64:
            _known.clear()
        _known[key] = reader
    _latest = options, reader
    return reader


def unpackb(packed: _Buffer, **options: Unpack[_Options]) -> Any:
    """Unpack one object, which must be all there is: ExtraData has it and what is behind it.

    The options are those of Unpacker.
    """
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


def unpack(stream: _Readable, **kwargs: Unpack[_Options]) -> Any:
    """Unpack the one object that is all there is to read from `stream`."""
    return unpackb(stream.read(), **kwargs)


class Unpacker:
    """Unpacks one object after the other, out of what `feed` is given or out of a file.

    file_like: has `read(n)`; then `feed` is not needed.
    read_size: how many bytes are asked of the file at once; 0 is 1 MiB, or `max_buffer_size` if that is less.
    max_buffer_size: how many bytes may be held that are not unpacked; 0 is 2**31 - 1. More is BufferFull.
    use_list: False gives tuples instead of lists.
    raw: True gives str as bytes.
    timestamp: what a timestamp comes as: 0 a Timestamp, 1 a float, 2 an int in nanoseconds, 3 an aware datetime.
    strict_map_key: allow only str and bytes as keys.
    object_hook, object_pairs_hook: called with each map, as a dict or as a list of pairs.
    list_hook: called with each array.
    ext_hook: called with the code and the bytes of each ext that is no timestamp.
    unicode_errors: the codec's error handler for text that is not UTF-8; None is "strict".
    max_str_len, max_bin_len, max_array_len, max_map_len, max_ext_len: the longest of each; -1 is `max_buffer_size`, and
        half of that for maps.
    """

    __slots__ = ("__weakref__", "_max", "_next", "_read", "_read_size", "_settings", "_stream")

    def __init__(
        self,
        file_like: _Readable | None = None,
        *,
        read_size: int = 0,
        max_buffer_size: int = 100 * 1024 * 1024,
        **options: Unpack[_Options],
    ) -> None:
        read = None if file_like is None else file_like.read
        if read is not None and not callable(read):
            raise TypeError("`file_like.read` must be a callable.")
        self._max = index(max_buffer_size) or 2**31 - 1
        if not 0 <= index(read_size) <= self._max:
            raise ValueError("read_size should be less or equal to max_buffer_size")
        self._settings = _settings(limit=self._max, **options)
        self._stream = MsgpackStreamDecoder(**self._settings)
        self._next = self._stream.__next__
        self._read = read
        self._read_size = index(read_size) or min(self._max, 1024 * 1024)

    def feed(self, next_bytes: _Buffer) -> None:
        """Add bytes."""
        if self._read is not None:
            raise AssertionError("unpacker.feed() is not be able to use with `file_like`.")
        data = _contiguous(next_bytes)
        if len(data) > self._room():
            raise BufferFull
        self._stream.feed(data)

    def _room(self) -> int:
        room: int = self._max - self._stream.pending
        return room

    def _more(self) -> bool:
        """Read on in the file; whether there was more."""
        if self._read is None:
            return False
        room = self._room()
        if room <= 0:
            raise BufferFull
        return self._take(self._read(min(self._read_size, room)), room)

    def _take(self, data: Any, room: int) -> bool:
        if not data:
            self._read = None
            return False
        if not isinstance(data, bytes):
            raise TypeError(f"expected bytes, {type(data).__name__} found")
        if len(data) > room:
            raise BufferFull
        self._stream.feed(data)
        return True

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        """The next object; StopIteration if it is not complete yet."""
        while True:
            try:
                return self._next()
            except StopIteration as end:
                if from_hook(end) or not self._more():
                    raise
            except DecodeError as error:
                if from_hook(error):
                    raise
                raise _fault(error, self._settings, getattr(error, "_head", b"")) from None

    def _call(self, method: Callable[[], Any], refusal: str = "") -> Any:
        while True:
            try:
                return method()
            except EOFError as end:
                if from_hook(end):
                    raise
                if not self._more():
                    raise OutOfData("No more data to unpack.") from None
            except DecodeError as error:
                if from_hook(error):
                    raise
                raise _fault(error, self._settings, getattr(error, "_head", b"")) from None

            except ValueError as error:
                if not refusal or from_hook(error):
                    raise
                raise ValueError(refusal) from None

    def unpack(self) -> Any:
        """The next object; OutOfData if it is not complete yet."""
        return self._call(self._stream.read)

    def skip(self) -> None:
        """Pass over the next object."""
        self._call(self._stream.skip)

    def read_array_header(self) -> int:
        """Enter an array: how many objects follow."""
        size: int = self._call(self._stream.read_array_header, _NO_HEADER)
        return size

    def read_map_header(self) -> int:
        """Enter a map: how many pairs of objects follow."""
        size: int = self._call(self._stream.read_map_header, _NO_HEADER)
        return size

    def read_bytes(self, nbytes: int) -> bytes:
        """The next bytes as they stand; fewer if there are no more."""
        data: bytes = self._stream.read_bytes(nbytes)
        missing = nbytes - len(data)
        if missing and self._read is not None and self._take(self._read(missing), nbytes):
            data += self._stream.read_bytes(missing)
        return data

    def tell(self) -> int:
        """How many bytes were used up."""
        position: int = self._stream.tell()
        return position
