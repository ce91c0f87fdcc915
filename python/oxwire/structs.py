"""What can be done with instances of Struct classes. The stub beside this says what each function does."""

from ._define import StructConfig
from ._oxwire import Struct
from ._oxwire import structs_asdict as asdict
from ._oxwire import structs_astuple as astuple
from ._oxwire import structs_force_setattr as force_setattr
from ._oxwire import structs_replace as replace
from ._oxwire import structs_validate as validate
from ._struct import NODEFAULT

__all__ = [
    "FieldInfo",
    "StructConfig",
    "asdict",
    "astuple",
    "fields",
    "force_setattr",
    "partial",  # noqa: F822 - it is looked for when it is asked for, as is the next
    "patch",  # noqa: F822
    "replace",
    "validate",
]


def __getattr__(name):
    if name not in ("partial", "patch"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _fields

    found = globals()[name] = getattr(_fields, name)
    return found


class FieldInfo(Struct):
    name: str
    encode_name: str
    type: object
    default: object = NODEFAULT
    default_factory: object = NODEFAULT

    @property
    def required(self):
        return self.default is NODEFAULT and self.default_factory is NODEFAULT


def fields(type_or_instance, /):
    given = type(type_or_instance) if isinstance(type_or_instance, Struct) else type_or_instance
    cls = getattr(given, "__origin__", given)
    if not (isinstance(cls, type) and issubclass(cls, Struct)):
        raise TypeError("Must be called with a struct type or instance")
    if given is not cls:
        return _described(cls, given)
    # A class keeps them; these are copies, since whoever has them may change them.
    return tuple([one.__copy__() for one in cls.__oxwire_fields__])


def _described(cls, given=None):
    from ._annotations import FACTORY, declared

    return tuple(
        FieldInfo(name, outside, t, *((NODEFAULT, default) if state == FACTORY else (default,)))
        for name, outside, state, default, t in declared(cls, given or cls)
    )
