"""JSON (RFC 8259), strict both ways.

`encode` and `decode` are the whole of it for most programs; `Encoder` and `Decoder` fix their options once;
`dump`, `load`, `iter_lines`, `iter_items` and `StreamDecoder` work on files and streams. docs/json.md says what
each option means.
"""

import io

from ._files import drain, opened, write_all
from ._oxwire import (
    DecodeError,
    EncodeError,
    Raw,
)
from ._oxwire import json_decode as decode
from ._oxwire import json_decode_lines as decode_lines
from ._oxwire import json_Decoder as Decoder
from ._oxwire import json_encode as encode
from ._oxwire import json_encode_into as encode_into
from ._oxwire import json_encode_lines as encode_lines
from ._oxwire import json_Encoder as Encoder
from ._oxwire import json_format as format
from ._oxwire import json_items as _items
from ._oxwire import json_lines as _lines
from ._oxwire import json_StreamDecoder as StreamDecoder

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
    "schema",
    "schema_components",
]


def dump(obj, file, /, **options):
    """Write `obj` as JSON to a path or to a file open for writing, binary or text."""
    # Encoded first, so that a value that cannot be written leaves the file as it was.
    encoded = encode(obj, **options)
    with opened(file, "wb") as out:
        if isinstance(out, io.TextIOBase):
            out.write(encoded.decode("utf-8"))
        else:
            write_all(out, encoded)


def load(file, /, **options):
    """Read one JSON document from a path or from a file open for reading, binary or text."""
    with opened(file, "rb") as source:
        data = source.read()
    return decode(data, **options)


def iter_lines(file, /, **options):
    """Yield the documents of an NDJSON file one by one, in memory of the longest line."""
    return drain(_lines(**options), file)


def iter_items(file, /, **options):
    """Yield the items of the array that is the whole of a file one by one, in memory of the longest item."""
    return drain(_items(**options), file)


def schema(
    type,
    *,
    mode="validation",
    schema_hook=None,
    ref_template="#/$defs/{name}",
    inline_root=False,
    codecs=None,
):
    """The JSON Schema of a type."""
    from ._schema import schema

    return schema(type, mode, schema_hook, ref_template, inline_root, codecs)


def schema_components(
    types, *, mode="validation", schema_hook=None, ref_template="#/$defs/{name}", codecs=None
):
    """The JSON Schemas of some types, and the components that they refer to."""
    from ._schema import schema_components

    return schema_components(types, mode, schema_hook, ref_template, codecs)
