"""JSON as `msgspec.json` has it."""

from oxwire import json as _json

from .codecs import JsonDecoder as Decoder
from .codecs import JsonEncoder as Encoder
from .codecs import decode_json as decode
from .codecs import encode_json as encode
from .codecs import format_json as format
from .codecs import narrow as _narrow

__all__ = ["Decoder", "Encoder", "decode", "encode", "format", "schema", "schema_components"]


def schema(type, *, schema_hook=None, ref_template="#/$defs/{name}"):
    _narrow(type)
    return _json.schema(type, mode="msgspec", schema_hook=schema_hook, ref_template=ref_template)


def schema_components(types, *, schema_hook=None, ref_template="#/$defs/{name}"):
    types = tuple(types)
    _narrow(*types)
    return _json.schema_components(types, mode="msgspec", schema_hook=schema_hook, ref_template=ref_template)
