"""oxwire: one serialization engine for Python."""

from . import json
from ._oxwire import (
    DecodeError,
    EncodeError,
    Error,
    Raw,
    Struct,
    StructMeta,
    __version__,
)
from ._struct import NODEFAULT, UNSET, UnsetType, defstruct, field

__all__ = [
    "NODEFAULT",
    "UNSET",
    "DecodeError",
    "EncodeError",
    "Error",
    "Raw",
    "Struct",
    "StructMeta",
    "UnsetType",
    "__version__",
    "defstruct",
    "field",
    "json",
]

# Where an installed package has the modules of its command line (docs/decisions/0013-archive.md).
__path__.append(f"{__path__[0]}/_commands.zip")
