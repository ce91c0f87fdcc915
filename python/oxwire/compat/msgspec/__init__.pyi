# The face of msgspec 0.22. docs/compat-msgspec.md lists what differs.
from oxwire import NODEFAULT as NODEFAULT
from oxwire import UNSET as UNSET
from oxwire import DecodeError as DecodeError
from oxwire import EncodeError as EncodeError
from oxwire import Error as MsgspecError
from oxwire import Meta as Meta
from oxwire import Raw as Raw
from oxwire import Struct as Struct
from oxwire import StructMeta as StructMeta
from oxwire import UnsetType as UnsetType
from oxwire import ValidationError as ValidationError
from oxwire import convert as convert
from oxwire import defstruct as defstruct
from oxwire import field as field

from . import inspect as inspect
from . import json as json
from . import msgpack as msgpack
from . import structs as structs
from . import toml as toml
from . import yaml as yaml
from .codecs import to_builtins as to_builtins

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
