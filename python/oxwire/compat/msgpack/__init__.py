"""`import oxwire.compat.msgpack as msgpack`: the names, keywords, limits, exceptions and texts of msgpack 1.2.

docs/compat-msgpack.md lists what differs.
"""
# ruff: noqa: E402 - the imports look where the line above them says.

from oxwire import __path__ as _places

# An installed package has the packer and the unpacker in its archive (docs/decisions/0013-archive.md).
__path__.append(f"{_places[-1]}/compat/msgpack")

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
