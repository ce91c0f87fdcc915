# The face of ormsgpack 1.13. docs/compat-ormsgpack.md lists what differs.
from collections.abc import Callable
from typing import Any, Final, Self, final

from oxwire.msgpack import Ext as Ext

__all__ = (
    "OPT_DATETIME_AS_TIMESTAMP_EXT",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_BIG_INT",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_ENUM",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_PASSTHROUGH_TUPLE",
    "OPT_PASSTHROUGH_UUID",
    "OPT_REPLACE_SURROGATES",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_PYDANTIC",
    "OPT_SORT_KEYS",
    "OPT_UTC_Z",
    "Ext",
    "Fragment",
    "MsgpackDecodeError",
    "MsgpackEncodeError",
    "__version__",
    "packb",
    "unpackb",
)

__version__: str
"""The version of ormsgpack whose behaviour this module has."""

OPT_NAIVE_UTC: Final[int]
"""Take a datetime without tzinfo to be UTC."""
OPT_NON_STR_KEYS: Final[int]
"""Take keys of other types than str: bytes, int, float, bool, None, datetime, date, time, tuple, UUID, members of
enums. For `unpackb`: give keys of the types that these are packed as; arrays come as tuples."""
OPT_OMIT_MICROSECONDS: Final[int]
"""Leave the fraction of seconds out of text."""
OPT_PASSTHROUGH_BIG_INT: Final[int]
"""Give integers beyond 64 bits to `default`."""
OPT_PASSTHROUGH_DATACLASS: Final[int]
"""Give dataclasses to `default`."""
OPT_PASSTHROUGH_DATETIME: Final[int]
"""Give datetime, date and time to `default`."""
OPT_PASSTHROUGH_SUBCLASS: Final[int]
"""Give instances of subclasses of str, int, list and dict to `default`."""
OPT_PASSTHROUGH_TUPLE: Final[int]
"""Give tuples to `default`."""
OPT_SERIALIZE_NUMPY: Final[int]
"""Pack numpy's arrays and scalars."""
OPT_SERIALIZE_PYDANTIC: Final[int]
"""Pack pydantic's models as what they hold."""
OPT_SORT_KEYS: Final[int]
"""Pack the keys of every dict in the order of their UTF-8 bytes."""
OPT_UTC_Z: Final[int]
"""Spell an offset of zero as `Z`."""
OPT_PASSTHROUGH_UUID: Final[int]
"""Give UUIDs to `default`."""
OPT_PASSTHROUGH_ENUM: Final[int]
"""Give members of enums to `default`."""
OPT_DATETIME_AS_TIMESTAMP_EXT: Final[int]
"""Pack aware datetimes as timestamps (ext -1). For `unpackb`: give these as datetimes in UTC, cut to microseconds."""
OPT_REPLACE_SURROGATES: Final[int]
"""Pack each lone surrogate as `?`, but for keys."""

MsgpackEncodeError = TypeError
MsgpackDecodeError = ValueError

@final
class Fragment:
    """One message that is already packed: it goes into the output as it is.

    Raises MsgpackDecodeError if `data` is not exactly one message.
    """

    def __new__(cls, data: bytes, /) -> Self: ...

def packb(obj: Any, /, default: Callable[[Any], Any] | None = None, option: int | None = None) -> bytes:
    """Serialize Python objects to msgpack.

    default: called with a value of a type that is not supported; what it returns is packed in its place.
    option: the sum of `OPT_` numbers, or None.

    Raises MsgpackEncodeError, which is TypeError.
    """

def unpackb(
    obj: bytes | bytearray | memoryview,
    /,
    *,
    ext_hook: Callable[[int, bytes], Any] | None = None,
    option: int | None = None,
) -> Any:
    """Deserialize msgpack to Python objects.

    ext_hook: called with code and bytes of every ext; without it they are refused.
    option: the sum of OPT_NON_STR_KEYS and OPT_DATETIME_AS_TIMESTAMP_EXT, one of them, or None.

    Raises MsgpackDecodeError, which is ValueError, for what is not one message, and for what is none of bytes,
    bytearray and memoryview.
    """
