# What can be done with instances of Struct classes.
from typing import Any, TypeVar, final

from . import Struct

__all__ = ["StructConfig", "asdict", "astuple", "force_setattr", "replace"]

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
