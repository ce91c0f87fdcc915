"""oxwire: one serialization engine for Python."""

# ruff: noqa: E402 - the imports look where the first one says.

from . import _archive

# Where an installed package has the modules that this one does not import (docs/decisions/0013-archive.md).
__path__.append(_archive.PATH)

from . import json
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
from ._struct import NODEFAULT, UNSET, UnsetType, field

__all__ = [
    "NODEFAULT",
    "UNSET",
    "Codec",
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


# What many programs do without, and where it is.
_LATER = {"Codec": "_codecs", "Meta": "_meta", "defstruct": "_define", "to_builtins": "_builtins"}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
    return found


def __dir__():
    return [*globals(), *_LATER]
