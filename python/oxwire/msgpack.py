"""MessagePack, all of the specification and nothing else.

`encode` and `decode` are the whole of it for most programs; `Encoder` and `Decoder` fix their options once;
`dump`, `load`, `dump_many`, `iter_messages`, `aiter_messages` and `StreamDecoder` work on files and streams. The stubs
beside this module and docs/msgpack.md say what each option means.
"""

from ._files import CHUNK, drain, opened, write_all
from ._msgpack import Ext, Timestamp
from ._oxwire import (
    DecodeError,
    EncodeError,
    Raw,
)
from ._oxwire import msgpack_decode as decode
from ._oxwire import msgpack_decode_prefix as decode_prefix
from ._oxwire import msgpack_Decoder as Decoder
from ._oxwire import msgpack_encode as encode
from ._oxwire import msgpack_encode_into as encode_into
from ._oxwire import msgpack_encode_many as encode_many
from ._oxwire import msgpack_Encoder as Encoder
from ._oxwire import msgpack_StreamDecoder as StreamDecoder

__all__ = [
    "EXT_BIG_INT",
    "EXT_NDARRAY",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Ext",
    "Raw",
    "StreamDecoder",
    "Timestamp",
    "aiter_messages",
    "decode",
    "decode_prefix",
    "dump",
    "dump_many",
    "encode",
    "encode_into",
    "encode_many",
    "iter_messages",
    "load",
]

EXT_BIG_INT = 38
EXT_NDARRAY = 43
_CLOJURE = ["Character", "Date", "Keyword", "List", "Record", "Symbol"]
__all__ += _CLOJURE


def __getattr__(name):
    if name not in _CLOJURE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Whoever needs none of these classes need not wait for what they import.
    from . import _clojure

    return getattr(_clojure, name)


def __dir__():
    return [*globals(), *_CLOJURE]


def dump(obj, file, /, **options):
    """Write `obj` as one message to a path or to a binary file open for writing."""
    # Encoded first, so that a value that cannot be written leaves the file as it was.
    encoded = encode(obj, **options)
    with opened(file, "wb") as out:
        write_all(out, encoded)


def dump_many(items, file, /, **options):
    """Write each item as one message to a path or a binary file, in memory of the longest; how many they were."""
    one = Encoder(**options).encode
    items = iter(items)
    count = size = 0
    batch = []
    with opened(file, "wb") as out:
        try:
            for item in items:
                message = one(item)
                batch.append(message)
                count += 1
                size += len(message)
                if size >= CHUNK:
                    # Out of `batch` before it is written: what a file failed to take is not tried twice.
                    full, batch, size = batch, [], 0
                    write_all(out, b"".join(full))
        finally:
            # Also when an item could not be written: those before it are complete.
            write_all(out, b"".join(batch))
    return count


def load(file, /, **options):
    """Read one message, which must be all there is, from a path or from a binary file open for reading."""
    with opened(file, "rb") as source:
        data = source.read()
    return decode(data, **options)


def iter_messages(file, /, **options):
    """Yield the messages of a file one by one, in memory of the longest."""
    return drain(StreamDecoder(**options), file)


def aiter_messages(reader, /, **options):
    """Yield the messages of an asyncio reader (anything with `async read(n)`) as they come."""
    return _drain_async(StreamDecoder(**options), reader)


async def _drain_async(stream, reader):
    while chunk := await reader.read(CHUNK):
        stream.feed(chunk)
        for message in stream:
            yield message
    stream.close()
