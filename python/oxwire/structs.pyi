# What can be done with instances of Struct classes.
from typing import Any, TypeVar, final

from . import NODEFAULT, Struct

__all__ = [
    "FieldInfo",
    "StructConfig",
    "asdict",
    "astuple",
    "fields",
    "force_setattr",
    "partial",
    "patch",
    "replace",
    "validate",
]

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

def partial(cls: type[_S], /, *, nested: bool = False) -> type[Any]:
    """A class with the fields of another, all of which may be missing: then they are UNSET. The same each time.

    It is named `Partial...`, and takes over names outside, tag, `frozen` and what is said of unknown keys, but neither defaults nor
    methods. nested: Struct classes in the annotations become partial too.

    Raises TypeError for what is no Struct class, or is written as an array.
    """

def patch(struct: _S, changes: Any, /) -> _S:
    """A copy of a struct with all fields changed that an instance of its partial class has; so are structs in it, where
    the class was made with `nested`."""

def validate(struct: Struct, /) -> None:
    """Make the fields of a struct what their types say, as decoding would, in place: also of a frozen one.

    Raises ValidationError, with `.path`.
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
