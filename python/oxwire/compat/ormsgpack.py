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

OPT_NAIVE_UTC = 1 << 0
OPT_NON_STR_KEYS = 1 << 1
OPT_OMIT_MICROSECONDS = 1 << 2
OPT_PASSTHROUGH_BIG_INT = 1 << 3
OPT_PASSTHROUGH_DATACLASS = 1 << 4
OPT_PASSTHROUGH_DATETIME = 1 << 5
OPT_PASSTHROUGH_SUBCLASS = 1 << 6
OPT_PASSTHROUGH_TUPLE = 1 << 7
OPT_SERIALIZE_NUMPY = 1 << 8
OPT_SERIALIZE_PYDANTIC = 1 << 9
OPT_SORT_KEYS = 1 << 10
OPT_UTC_Z = 1 << 11
OPT_PASSTHROUGH_UUID = 1 << 12
OPT_PASSTHROUGH_ENUM = 1 << 13
OPT_DATETIME_AS_TIMESTAMP_EXT = 1 << 14
OPT_REPLACE_SURROGATES = 1 << 15

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
