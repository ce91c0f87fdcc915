"""oxwire: one serialization engine for Python."""

from . import json
from ._meta import Meta
from ._oxwire import (
    DecodeError,
    EncodeError,
    Error,
    Raw,
    Struct,
    StructMeta,
    ValidationError,
    __version__,
    convert,
)
from ._struct import NODEFAULT, UNSET, UnsetType, defstruct, field

__all__ = [
    "NODEFAULT",
    "UNSET",
    "DecodeError",
    "EncodeError",
    "Error",
    "Meta",
    "Raw",
    "Struct",
    "StructMeta",
    "UnsetType",
    "ValidationError",
    "__version__",
    "convert",
    "defstruct",
    "field",
    "json",
    "to_builtins",
]


def to_builtins(obj, /, *, str_keys=False, builtin_types=None, enc_hook=None, order=None, _text=None):
    """Make of an object the values that every serializer knows: see the documentation."""
    from ._builtins import to_builtins

    return to_builtins(
        obj, str_keys=str_keys, builtin_types=builtin_types, enc_hook=enc_hook, order=order, _text=_text
    )


# Where an installed package has the modules that this one does not import (docs/decisions/0013-archive.md).
__path__.append(f"{__path__[0]}/_modules.zip")
