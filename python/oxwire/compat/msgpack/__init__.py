"""`import oxwire.compat.msgpack as msgpack`: the names, keywords, limits, exceptions and texts of msgpack 1.2.

docs/compat-msgpack.md lists what differs.
"""

from . import exceptions, ext
from .exceptions import (
    BufferFull,
    ExtraData,
    FormatError,
    OutOfData,
    PackException,
    PackOverflowError,
    PackValueError,
    StackError,
    UnpackException,
    UnpackValueError,
)
from .ext import ExtType, Timestamp
from .packer import Packer, pack, packb
from .unpacker import Unpacker, unpack, unpackb

__all__ = [
    "BufferFull",
    "ExtType",
    "ExtraData",
    "FormatError",
    "OutOfData",
    "PackException",
    "PackOverflowError",
    "PackValueError",
    "Packer",
    "StackError",
    "Timestamp",
    "UnpackException",
    "UnpackValueError",
    "Unpacker",
    "dump",
    "dumps",
    "exceptions",
    "ext",
    "load",
    "loads",
    "pack",
    "packb",
    "unpack",
    "unpackb",
    "version",
]

# The version whose behaviour this module has, for programs that look.
version = (1, 2, 4)
__version__ = "1.2.4"

dump = pack
dumps = packb
load = unpack
loads = unpackb
