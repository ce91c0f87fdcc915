# The public face of the package.
from collections.abc import Callable, Iterable, Mapping
from typing import (
    Any,
    ClassVar,
    Literal,
    Self,
    TypeVar,
    dataclass_transform,
    final,
    overload,
    type_check_only,
)

from typing_extensions import Buffer

from . import json as json
from .structs import StructConfig

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
    "__version__",
    "defstruct",
    "field",
    "json",
]

__version__: str

class Error(Exception):
    """Whatever oxwire raises of its own."""

class EncodeError(Error, TypeError, ValueError):
    """A value cannot be written faithfully.

    It is a TypeError and a ValueError, so that code written for either catches it.
    """

    msg: str
    """What is wrong, without the path."""
    path: str
    """Where the value stands: `$` is the root, as in `$.users[3].born`."""

class DecodeError(Error, ValueError):
    """The input is malformed."""

    msg: str
    """What was expected, without the place."""
    offset: int
    """Byte offset from the start of the input (for str: of its UTF-8 form)."""
    line: int | None
    """Line, counted from 1; lines end with a line feed. None where the input is no text."""
    column: int | None
    """Column in characters, counted from 1. None where the input is no text."""

@final
class Raw:
    """A value that is already encoded: written as it stands, and given back undecoded where `raw` asks for it.

    `Raw(data)` takes bytes, any contiguous buffer (copied), or str. When it is written it is checked
    to be one complete value of the format. Supports `bytes()`, `len()`, `==`, `hash()`, the buffer protocol and pickle.
    """

    def __new__(cls, data: Buffer | str = b"", /) -> Self: ...
    def __bytes__(self) -> bytes: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def copy(self) -> Raw:
        """A Raw that holds only its own bytes, so that the document it was cut from can be freed."""

_T = TypeVar("_T")
_Rename = (
    Literal["lower", "upper", "camel", "pascal", "kebab"]
    | Callable[[str], str | None]
    | Mapping[str, str]
    | None
)

@final
@type_check_only
class NoDefault:
    """The class of NODEFAULT."""

NODEFAULT: NoDefault
"""Stands for a default that is not there."""

@final
class UnsetType:
    """The class of UNSET."""

    def __bool__(self) -> Literal[False]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any) -> Self: ...

UNSET: UnsetType
"""A field with this value is left out of what is written, as if there were no such field."""

@overload
def field(*, default: _T, name: str | None = None) -> _T: ...
@overload
def field(*, default_factory: Callable[[], _T], name: str | None = None) -> _T: ...
@overload
def field(*, name: str | None = None) -> Any:
    """What a field of a Struct has beside its type: a default, or a function that makes one, and its name outside.

    Raises TypeError if there are both, and for what is of the wrong type.
    """

class StructMeta(type):
    """The metaclass of Struct classes. Its keywords are the options of a class."""

    @property
    def __struct_fields__(cls) -> tuple[str, ...]: ...
    @property
    def __struct_encode_fields__(cls) -> tuple[str, ...]: ...
    @property
    def __struct_defaults__(cls) -> tuple[Any, ...]: ...
    @property
    def __struct_config__(cls) -> StructConfig: ...

@dataclass_transform(field_specifiers=(field,))
class Struct(metaclass=StructMeta):
    """A base for classes with fields, declared by annotations.

    Instances are made by position or by name, compared by their fields, shown, copied and pickled; written by every
    format as a map of their fields. The options, as keywords of the class:

    - `frozen`: fields cannot be set, and instances can be hashed.
    - `order`: `<` and its kin compare as tuples of the fields do. `eq=False`: instances equal only themselves.
    - `kw_only`: the fields of this class must be named, and stand after all others.
    - `rename`: what fields are called outside: a rule (`"camel"`), a function, or a mapping.
    - `tag`, `tag_field`: a key with a value that tells the class from others; `tag=True` takes its name.
    - `omit_defaults`: fields that have their default are not written. `repr_omit_defaults`: nor shown.
    - `array_like`: written as an array of the fields.
    - `forbid_unknown_fields`: for reading by type, which is to come.
    - `gc=False`: the collector never looks at instances, which saves 16 bytes of each; for fields that cannot lead back.
    - `weakref`, `dict`: instances can be referred to weakly; have a `__dict__`. `cache_hash`: the hash is kept.

    Raises TypeError for wrong arguments. A class body raises TypeError or ValueError for what cannot be.
    """

    __struct_fields__: ClassVar[tuple[str, ...]]
    """The names of the fields: positional ones, then those that must be named."""
    __struct_encode_fields__: ClassVar[tuple[str, ...]]
    """What they are called outside."""
    __struct_defaults__: ClassVar[tuple[Any, ...]]
    """What stands in for missing values, for the last fields; NODEFAULT for a field without."""
    __struct_config__: ClassVar[StructConfig]
    """The options."""
    __match_args__: ClassVar[tuple[str, ...]]

    def __init_subclass__(
        cls,
        *,
        tag: str | int | bool | Callable[[str], str | int] | None = None,
        tag_field: str | None = None,
        rename: _Rename = None,
        omit_defaults: bool = False,
        forbid_unknown_fields: bool = False,
        frozen: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
        repr_omit_defaults: bool = False,
        array_like: bool = False,
        gc: bool = True,
        weakref: bool = False,
        dict: bool = False,
        cache_hash: bool = False,
    ) -> None: ...
    def __copy__(self) -> Self: ...
    def __replace__(self, /, **changes: Any) -> Self: ...
    def __rich_repr__(self) -> list[tuple[str, Any]]: ...

def defstruct(
    name: str,
    fields: Iterable[str | tuple[str, Any] | tuple[str, Any, Any]],
    *,
    bases: tuple[type, ...] | None = None,
    module: str | None = None,
    namespace: Mapping[str, Any] | None = None,
    **options: Any,
) -> type[Struct]:
    """Make a Struct class at run time: `fields` are names, (name, type), or (name, type, default).

    `bases`, `module` and `namespace` are what a class statement would say; the options are those of Struct. Raises what the
    class statement would.
    """
