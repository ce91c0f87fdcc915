"""`import oxwire.compat.orjson as orjson`: the names, options, limits and texts of orjson 3.13.

docs/compat-orjson.md lists what differs.
"""

from oxwire._oxwire import compat_orjson_dumps as dumps
from oxwire._oxwire import compat_orjson_Fragment as Fragment
from oxwire._oxwire import compat_orjson_loads as loads

# The version whose behaviour this module has, for programs that look.
__version__ = "3.13.0"

JSONEncodeError = TypeError

(
    OPT_INDENT_2, OPT_NAIVE_UTC, OPT_NON_STR_KEYS, OPT_OMIT_MICROSECONDS, OPT_SERIALIZE_NUMPY,
    OPT_SORT_KEYS, OPT_STRICT_INTEGER, OPT_UTC_Z, OPT_PASSTHROUGH_SUBCLASS, OPT_PASSTHROUGH_DATETIME,
    OPT_APPEND_NEWLINE, OPT_PASSTHROUGH_DATACLASS,
) = (1 << bit for bit in range(12))  # fmt: skip
# Accepted, and without effect: what they asked for is what happens.
OPT_SERIALIZE_DATACLASS = 0
OPT_SERIALIZE_UUID = 0

__all__ = (
    *sorted(name for name in globals() if name.startswith("OPT_")),
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
