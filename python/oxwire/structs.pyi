# What can be done with instances of Struct classes.
from typing import Any, TypeVar, final

from . import NODEFAULT, Struct

__all__ = ["FieldInfo", "StructConfig", "asdict", "astuple", "fields", "force_setattr", "replace"]

_S = TypeVar("_S", bound=Struct)

@final
class StructConfig:
    """The options of a Struct class, as `__struct_config__` has them. All are read-only."""

    frozen: bool
    eq: bool
    order: bool
    array_like: bool
    gc: bool
    repr_omit_defaults: bool
    omit_defaults: bool
    forbid_unknown_fields: bool
    weakref: bool
    dict: bool
    cache_hash: bool
    tag: str | int | None
    tag_field: str | None

def replace(struct: _S, /, **changes: Any) -> _S:
    """A copy with some fields changed. `__post_init__` is run. Raises TypeError for a name that is no field."""

def asdict(struct: Struct, /) -> dict[str, Any]:
    """The fields by name, in order. The values are those of the struct and no copies."""

def astuple(struct: Struct, /) -> tuple[Any, ...]:
    """The values of the fields, in order."""

def force_setattr(struct: Struct, name: str, value: Any, /) -> None:
    """Set a field, also of a frozen struct. Whoever has hashed the struct before finds it no more.

    Raises TypeError for what is no struct, AttributeError for a name that is no field.
    """

class FieldInfo(Struct):
    """A field of a Struct class."""

    name: str
    encode_name: str
    """What the field is called outside."""
    type: Any
    """Its annotation, with names and type variables put in."""
    default: Any = NODEFAULT
    default_factory: Any = NODEFAULT

    @property
    def required(self) -> bool:
        """Whether there is neither a default nor a factory."""

def fields(type_or_instance: Any, /) -> tuple[FieldInfo, ...]:
    """The fields of a Struct class, of a generic one with its arguments, or of an instance; in order.

    Raises TypeError for anything else, NameError for an annotation with an unknown name.
    """
