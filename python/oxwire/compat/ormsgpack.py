"""`import oxwire.compat.ormsgpack as ormsgpack`: the names, options, limits and texts of ormsgpack 1.13.

docs/compat-ormsgpack.md lists what differs.
"""

from oxwire._oxwire import compat_ormsgpack_Fragment as Fragment
from oxwire._oxwire import compat_ormsgpack_packb as packb
from oxwire._oxwire import compat_ormsgpack_unpackb as unpackb
from oxwire.msgpack import Ext

# The version whose behaviour this module has, for programs that look.
__version__ = "1.13.1"

MsgpackEncodeError = TypeError
MsgpackDecodeError = ValueError

(
    OPT_NAIVE_UTC, OPT_NON_STR_KEYS, OPT_OMIT_MICROSECONDS, OPT_PASSTHROUGH_BIG_INT,
    OPT_PASSTHROUGH_DATACLASS, OPT_PASSTHROUGH_DATETIME, OPT_PASSTHROUGH_SUBCLASS, OPT_PASSTHROUGH_TUPLE,
    OPT_SERIALIZE_NUMPY, OPT_SERIALIZE_PYDANTIC, OPT_SORT_KEYS, OPT_UTC_Z, OPT_PASSTHROUGH_UUID,
    OPT_PASSTHROUGH_ENUM, OPT_DATETIME_AS_TIMESTAMP_EXT, OPT_REPLACE_SURROGATES,
) = (1 << bit for bit in range(16))  # fmt: skip

__all__ = (
    *sorted(name for name in globals() if name.startswith("OPT_")),
    "Ext",
    "Fragment",
    "MsgpackDecodeError",
    "MsgpackEncodeError",
    "__version__",
    "packb",
    "unpackb",
)
