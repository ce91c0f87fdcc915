"""What can be done with instances of Struct classes. The stub beside this says what each function does."""

from ._oxwire import Struct, force_setattr
from ._struct import StructConfig

__all__ = ["StructConfig", "asdict", "astuple", "force_setattr", "replace"]


def _fields(struct):
    if not isinstance(struct, Struct):
        raise TypeError("`struct` must be a `oxwire.Struct`")
    return struct.__struct_fields__


def replace(struct, /, **changes):
    _fields(struct)
    return struct.__replace__(**changes)


def asdict(struct, /):
    return {name: getattr(struct, name) for name in _fields(struct)}


def astuple(struct, /):
    return tuple(getattr(struct, name) for name in _fields(struct))
