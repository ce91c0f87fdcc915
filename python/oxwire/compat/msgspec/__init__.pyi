# The face of msgspec 0.22. docs/compat-msgspec.md lists what differs.
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
    field,
)
from oxwire import Error as MsgspecError

from . import inspect, json, msgpack, structs, toml, yaml
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

__version__: str
"""The version of msgspec whose behaviour this module has."""
