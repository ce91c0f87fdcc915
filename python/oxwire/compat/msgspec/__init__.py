"""`import oxwire.compat.msgspec as msgspec`: the names, options, limits and texts of msgspec 0.22.

docs/compat-msgspec.md lists what differs.
"""

from oxwire import (
    NODEFAULT,
    UNSET,
    DecodeError,
    EncodeError,
    Meta,
    Raw,
    Struct,
    StructMeta,
    UnsetType,
    ValidationError,
    defstruct,
)
from oxwire import Error as MsgspecError
from oxwire import field as _field

from . import json, msgpack
from .codecs import convert, to_builtins

__all__ = [
    "NODEFAULT",
    "UNSET",
    "DecodeError",
    "EncodeError",
    "Meta",
    "MsgspecError",
    "Raw",
    "Struct",
    "StructMeta",
    "UnsetType",
    "ValidationError",
    "convert",
    "defstruct",
    "field",
    "inspect",
    "json",
    "msgpack",
    "structs",
    "to_builtins",
    "toml",
    "yaml",
]

# The version whose behaviour this module has, for programs that look.
__version__ = "0.22.0"


def field(*, default=NODEFAULT, default_factory=NODEFAULT, name=None):
    return _field(default=default, default_factory=default_factory, name=name)


def __getattr__(name):
    # Modules that are seldom wanted are imported when they are.
    if name in ("inspect", "structs", "toml", "yaml"):
        from importlib import import_module

        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*__all__, "__version__"]
