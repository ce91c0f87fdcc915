"""oxwire: one serialization engine for Python."""

# ruff: noqa: E402 - the imports look where the first one says.

from . import _archive

# Where an installed package has all other modules (docs/decisions/0013-archive.md).
__path__.append(_archive.PATH)

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

# isort: split
# The extension reads the archive, and has these imported while it is made.
from . import _struct, json
from ._struct import NODEFAULT, UNSET, UnsetType, field

__all__ = [
    "NODEFAULT",
    "UNSET",
    "Codec",
    "Convert",
    "DecodeError",
    "Discriminator",
    "EncodeError",
    "Error",
    "Meta",
    "Raw",
    "Struct",
    "StructMeta",
    "UnsetType",
    "Validate",
    "ValidationError",
    "__version__",
    "computed",
    "convert",
    "defstruct",
    "doctor",
    "field",
    "json",
    "to_builtins",
]


_struct.answer(Struct)

# What many programs do without, and where it is: names, and modules.
_LATER = {
    **dict.fromkeys(("Meta", "Validate", "Convert", "Discriminator"), "_meta"),
    "Codec": "_codecs",
    "computed": "_fields",
    "defstruct": "_define",
    "doctor": "_doctor",
}
_MODULES = ("inspect", "msgpack", "structs", "toml", "yaml")


def __getattr__(name):
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = import_module(f".{_LATER.get(name, name)}", __name__)
    if name in _LATER:
        # A module is put here by whoever imports it.
        found = globals()[name] = getattr(found, name)
    return found


def __dir__():
    return [*{*globals(), *_LATER, *_MODULES}]
