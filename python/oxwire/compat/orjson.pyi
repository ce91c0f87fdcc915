# The face of orjson 3.13. docs/compat-orjson.md lists what differs.
import json
from collections.abc import Callable
from typing import Any, Final, Self, final

__all__ = (
    "OPT_APPEND_NEWLINE",
    "OPT_INDENT_2",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_SERIALIZE_DATACLASS",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_UUID",
    "OPT_SORT_KEYS",
    "OPT_STRICT_INTEGER",
    "OPT_UTC_Z",
    "Fragment",
    "JSONDecodeError",
    "JSONEncodeError",
    "__version__",
    "dumps",
    "loads",
)

__version__: str
"""The version of orjson whose behaviour this module has."""

OPT_INDENT_2: Final[int]
"""Lay the output out with two spaces for each level."""
OPT_NAIVE_UTC: Final[int]
"""Take a datetime without tzinfo to be UTC."""
OPT_NON_STR_KEYS: Final[int]
"""Take keys of other types than str: int, float, bool, None, datetime, date, time, UUID, members of enums."""
OPT_OMIT_MICROSECONDS: Final[int]
"""Leave the fraction of seconds out."""
OPT_SERIALIZE_NUMPY: Final[int]
"""Write numpy's arrays and scalars."""
OPT_SORT_KEYS: Final[int]
"""Write the keys of every dict in the order of their UTF-8 bytes."""
OPT_STRICT_INTEGER: Final[int]
"""Refuse integers beyond 2**53 - 1 either way."""
OPT_UTC_Z: Final[int]
"""Spell an offset of zero as `Z`."""
OPT_PASSTHROUGH_SUBCLASS: Final[int]
"""Give instances of subclasses of str, int, list and dict to `default`."""
OPT_PASSTHROUGH_DATETIME: Final[int]
"""Give datetime, date and time to `default`."""
OPT_APPEND_NEWLINE: Final[int]
"""End the output with a line feed."""
OPT_PASSTHROUGH_DATACLASS: Final[int]
"""Give dataclasses to `default`."""
OPT_SERIALIZE_DATACLASS: Final[int]
"""Zero: what it asked for is what happens."""
OPT_SERIALIZE_UUID: Final[int]
"""Zero: what it asked for is what happens."""

JSONEncodeError = TypeError

class JSONDecodeError(json.JSONDecodeError):
    """The input is not valid JSON. Has `msg`, `doc`, `pos`, `lineno`, `colno`."""

@final
class Fragment:
    """JSON that is already encoded, as bytes or str: it goes into the output unseen."""

    def __new__(cls, contents: bytes | str, /) -> Self: ...

def dumps(obj: Any, /, default: Callable[[Any], Any] | None = None, option: int | None = None) -> bytes:
    """Serialize Python objects to JSON.

    default: called with a value of a type that is not supported; what it returns is written in its place.
    option: the sum of `OPT_` numbers, or None.

    Raises JSONEncodeError, which is TypeError.
    """

def loads(obj: bytes | bytearray | memoryview | str, /) -> Any:
    """Deserialize JSON to Python objects.

    Raises JSONDecodeError for what is not valid JSON, and for what is none of bytes, bytearray, memoryview and str.
    """
