"""What `oxwire` has: names that are there, and names that come when they are asked for."""

import sys

from . import _struct, json
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
    to_builtins,
)
from ._struct import NODEFAULT, UNSET, UnsetType, field

# What many programs do without, and where it is: names, and modules.
_LATER = {
    **dict.fromkeys(("Meta", "Validate", "Convert", "Discriminator"), "_meta"),
    "Codec": "_codecs",
    "computed": "_fields",
    "defstruct": "_define",
    "doctor": "_doctor",
}
_MODULES = ("inspect", "msgpack", "structs", "toml", "yaml")
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
    "ValidationError",
    "__version__",
    "convert",
    "field",
    "json",
    "to_builtins",
]
# That of the package, which has more.
ALL = [*__all__, *_LATER]
# The package, which has all of this.
_package = sys.modules[__package__]

_struct.answer(Struct)


def __getattr__(name: str) -> object:
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}")
    from importlib import import_module

    found = import_module(f".{_LATER.get(name, name)}", __package__)
    if name in _LATER:
        # A module is put here by whoever imports it.
        found = getattr(found, name)
        setattr(_package, name, found)
    return found


def __dir__() -> list[str]:
    return [*{*vars(_package), *_LATER, *_MODULES}]
