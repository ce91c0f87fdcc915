"""`import oxwire.compat.orjson as orjson`: the names, options, limits and texts of orjson 3.13.

docs/compat-orjson.md lists what differs.
"""

from oxwire._oxwire import compat_orjson_dumps as dumps
from oxwire._oxwire import compat_orjson_Fragment as Fragment
from oxwire._oxwire import compat_orjson_loads as loads

# The version whose behaviour this module has, for programs that look.
__version__ = "3.13.0"

JSONEncodeError = TypeError

OPT_INDENT_2 = 1 << 0
OPT_NAIVE_UTC = 1 << 1
OPT_NON_STR_KEYS = 1 << 2
OPT_OMIT_MICROSECONDS = 1 << 3
OPT_SERIALIZE_NUMPY = 1 << 4
OPT_SORT_KEYS = 1 << 5
OPT_STRICT_INTEGER = 1 << 6
OPT_UTC_Z = 1 << 7
OPT_PASSTHROUGH_SUBCLASS = 1 << 8
OPT_PASSTHROUGH_DATETIME = 1 << 9
OPT_APPEND_NEWLINE = 1 << 10
OPT_PASSTHROUGH_DATACLASS = 1 << 11
# Accepted, and without effect: what they asked for is what happens.
OPT_SERIALIZE_DATACLASS = 0
OPT_SERIALIZE_UUID = 0

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
    "JSONDecodeError",  # noqa: F822 - made below when it is asked for
    "JSONEncodeError",
    "__version__",
    "dumps",
    "loads",
)


def __getattr__(name):
    # Its base is the standard library's, which takes longer to import than all of this.
    if name != "JSONDecodeError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        loads(b"")
    except ValueError as error:
        return globals().setdefault(name, type(error))


def __dir__():
    return [*{*globals(), "JSONDecodeError"}]
