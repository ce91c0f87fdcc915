# The face of msgspec.json.
from .codecs import JsonDecoder as Decoder
from .codecs import JsonEncoder as Encoder
from .codecs import decode_json as decode
from .codecs import encode_json as encode
from .codecs import format_json as format
from .codecs import schema, schema_components

__all__ = ["Decoder", "Encoder", "decode", "encode", "format", "schema", "schema_components"]
