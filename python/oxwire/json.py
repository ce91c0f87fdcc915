"""JSON (RFC 8259), strict both ways.

`encode` and `decode` are the whole of it for most programs; `Encoder` and `Decoder` fix their options once;
`dump`, `load`, `iter_lines`, `iter_items` and `StreamDecoder` work on files and streams. The stubs beside this
module and docs/json.md say what each option means.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager

from ._oxwire import (
    DecodeError,
    EncodeError,
    Raw,
)
from ._oxwire import JsonDecoder as Decoder
from ._oxwire import JsonEncoder as Encoder
from ._oxwire import JsonStreamDecoder as StreamDecoder
from ._oxwire import json_decode as decode
from ._oxwire import json_decode_lines as decode_lines
from ._oxwire import json_encode as encode
from ._oxwire import json_encode_into as encode_into
from ._oxwire import json_encode_lines as encode_lines
from ._oxwire import json_format as format
from ._oxwire import json_items as _items
from ._oxwire import json_lines as _lines

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Raw",
    "StreamDecoder",
    "decode",
    "decode_lines",
    "dump",
    "encode",
    "encode_into",
    "encode_lines",
    "format",
    "iter_items",
    "iter_lines",
    "load",
]

# How much of a file is read at once.
_CHUNK = 64 * 1024


@contextmanager
def _opened(file, mode):
    """The file itself, or the one at a path, which is closed at the end."""
    if isinstance(file, (str, os.PathLike)):
        with open(file, mode) as opened:
            yield opened
    else:
        yield file


def dump(obj, file, /, **options):
    """Write `obj` as JSON to a path or to a file open for writing, binary or text."""
    # Encoded first, so that a value that cannot be written leaves the file as it was.
    encoded = encode(obj, **options)
    with _opened(file, "wb") as out:
        if isinstance(out, io.TextIOBase):
            out.write(encoded.decode("utf-8"))
            return
        view = memoryview(encoded)
        while view:
            # A raw file may take less than it is given, and nothing at all if it would block.
            written = out.write(view)
            if not written and isinstance(out, io.RawIOBase):
                raise BlockingIOError("the file takes no more")
            view = view[written:] if isinstance(written, int) else view[len(view) :]


def load(file, /, **options):
    """Read one JSON document from a path or from a file open for reading, binary or text."""
    with _opened(file, "rb") as source:
        data = source.read()
    return decode(data, **options)


def _drain(stream, file):
    with _opened(file, "rb") as source:
        while chunk := source.read(_CHUNK):
            stream.feed(chunk)
            yield from stream
    stream.close()
    yield from stream


def iter_lines(file, /, **options):
    """Yield the documents of an NDJSON file one by one, in memory of the longest line."""
    return _drain(_lines(**options), file)


def iter_items(file, /, **options):
    """Yield the items of the array that is the whole of a file one by one, in memory of the longest item."""
    return _drain(_items(**options), file)
