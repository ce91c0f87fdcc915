# The face of msgspec.json.
from collections.abc import Callable, Iterable
from typing import Any

from .codecs import JsonDecoder as Decoder
from .codecs import JsonEncoder as Encoder
from .codecs import decode_json as decode
from .codecs import encode_json as encode
from .codecs import format_json as format

__all__ = ["Decoder", "Encoder", "decode", "encode", "format", "schema", "schema_components"]

def schema(
    type: Any,
    *,
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
) -> dict[str, Any]: ...
def schema_components(
    types: Iterable[Any],
    *,
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]: ...
