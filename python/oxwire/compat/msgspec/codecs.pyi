# The codecs of msgspec 0.22, under names that tell them apart.
import builtins
from collections.abc import Callable, Iterable
from decimal import Decimal
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar, overload

from typing_extensions import Buffer, TypeForm

_T = TypeVar("_T")
_Enc = Callable[[Any], Any] | None
_Dec = Callable[[type, Any], Any] | None
_Ext = Callable[[int, memoryview], Any] | None
_Float = Callable[[str], Any] | None
_Uuids = Literal["canonical", "hex", "bytes"]
_Order = Literal["deterministic", "sorted"] | None
_Decimals = Literal["string", "number"] | Callable[[Decimal], Any]

class _Encoder:
    enc_hook: _Enc
    decimal_format: _Decimals
    uuid_format: _Uuids
    order: _Order
    encode: Callable[[Any], bytes]
    """Write an object."""
    encode_into: Callable[..., None]
    """Write an object into a bytearray, from an offset (-1 is its end)."""

    def __init__(
        self,
        *,
        enc_hook: _Enc = None,
        decimal_format: _Decimals = "string",
        uuid_format: _Uuids = "canonical",
        order: _Order = None,
    ) -> None: ...

class JsonEncoder(_Encoder):
    """Writes JSON. The options are those of msgspec; `uuid_format` is not "bytes"."""

    encode_lines: Callable[[Iterable[Any]], bytes]
    """Write each item as a line."""

class MsgpackEncoder(_Encoder):
    """Writes MessagePack. The options are those of msgspec."""

class JsonDecoder(Generic[_T]):
    """Reads JSON as a type."""

    type: builtins.type[_T]
    strict: bool
    dec_hook: _Dec
    float_hook: _Float
    decode: Callable[[Buffer | str], _T]
    """Read one document."""

    @overload
    def __init__(
        self,
        type: TypeForm[_T],
        *,
        strict: bool = True,
        dec_hook: _Dec = None,
        float_hook: _Float = None,
    ) -> None: ...
    @overload
    def __init__(
        self: JsonDecoder[Any],
        type: Any = ...,
        *,
        strict: bool = True,
        dec_hook: _Dec = None,
        float_hook: _Float = None,
    ) -> None: ...
    def decode_lines(self, buf: Buffer | str, /) -> list[_T]:
        """Read a document of each line that is not blank."""

class MsgpackDecoder(Generic[_T]):
    """Reads MessagePack as a type."""

    type: builtins.type[_T]
    strict: bool
    dec_hook: _Dec
    ext_hook: _Ext
    decode: Callable[[Buffer], _T]
    """Read one message."""

    @overload
    def __init__(
        self,
        type: TypeForm[_T],
        *,
        strict: bool = True,
        dec_hook: _Dec = None,
        ext_hook: _Ext = None,
    ) -> None: ...
    @overload
    def __init__(
        self: MsgpackDecoder[Any],
        type: Any = ...,
        *,
        strict: bool = True,
        dec_hook: _Dec = None,
        ext_hook: _Ext = None,
    ) -> None: ...

def encode_json(obj: Any, /, *, enc_hook: _Enc = None, order: _Order = None) -> bytes:
    """Write an object as JSON."""

def encode_msgpack(obj: Any, /, *, enc_hook: _Enc = None, order: _Order = None) -> bytes:
    """Write an object as MessagePack."""

@overload
def decode_json(
    buf: Buffer | str, /, *, type: TypeForm[_T], strict: bool = True, dec_hook: _Dec = None
) -> _T: ...
@overload
def decode_json(buf: Buffer | str, /, *, type: Any = ..., strict: bool = True, dec_hook: _Dec = None) -> Any:
    """Read JSON as a type."""

@overload
def decode_msgpack(
    buf: Buffer,
    /,
    *,
    type: TypeForm[_T],
    strict: bool = True,
    dec_hook: _Dec = None,
    ext_hook: _Ext = None,
) -> _T: ...
@overload
def decode_msgpack(
    buf: Buffer,
    /,
    *,
    type: Any = ...,
    strict: bool = True,
    dec_hook: _Dec = None,
    ext_hook: _Ext = None,
) -> Any:
    """Read MessagePack as a type."""

@overload
def format_json(buf: str, *, indent: int = 2) -> str: ...
@overload
def format_json(buf: Buffer, *, indent: int = 2) -> bytes:
    """Lay JSON out again: 0 is one line with spaces, less is none without."""

@overload
def convert(
    obj: Any,
    type: type[_T],
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: _Dec = None,
    builtin_types: Iterable[type] | None = None,
    str_keys: bool = False,
) -> _T: ...
@overload
def convert(
    obj: Any,
    type: Any,
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: _Dec = None,
    builtin_types: Iterable[type] | None = None,
    str_keys: bool = False,
) -> Any:
    """Make of an object what a type says, as decoding would."""

def schema(
    type: Any,
    *,
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
) -> dict[str, Any]:
    """The JSON Schema of a type."""

def schema_components(
    types: Iterable[Any],
    *,
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """The JSON Schemas of several types, and the components of all by name."""

def to_builtins(
    obj: Any,
    *,
    str_keys: bool = False,
    builtin_types: Iterable[type] | None = None,
    enc_hook: _Enc = None,
    order: _Order = None,
) -> Any:
    """Make of an object the values that every serializer knows."""

def text_format(
    module: ModuleType, *kept: type, **options: bool
) -> tuple[Callable[..., bytes], Callable[..., Any]]:
    """`encode` and `decode` of a format that has values of some more classes."""
