# Types described by objects.
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeGuard

from . import NODEFAULT, Codec, Struct

__all__ = [
    "AnyType",
    "BoolType",
    "BoundType",
    "ByteArrayType",
    "BytesType",
    "CodecType",
    "CollectionType",
    "CustomType",
    "DataclassType",
    "DateTimeType",
    "DateType",
    "DecimalType",
    "DictType",
    "EnumType",
    "ExtType",
    "Field",
    "FloatType",
    "FrozenSetType",
    "IntType",
    "ListType",
    "LiteralType",
    "MemoryViewType",
    "Metadata",
    "NamedTupleType",
    "NoneType",
    "NumbersType",
    "RawType",
    "SetType",
    "StrType",
    "StructType",
    "TimeDeltaType",
    "TimeType",
    "TupleType",
    "Type",
    "TypedDictType",
    "UUIDType",
    "UnionType",
    "VarTupleType",
    "is_struct",
    "is_struct_type",
    "multi_type_info",
    "type_info",
]

class Type(Struct, frozen=True):
    """The base of all descriptions."""

class Metadata(Type, frozen=True):
    """A type with what `Meta` says of it beside its bounds: for JSON Schema (its title, too), and `extra`."""

    type: Type
    extra_json_schema: dict[str, Any] | None = None
    extra: dict[Any, Any] | None = None

class AnyType(Type, frozen=True): ...
class NoneType(Type, frozen=True): ...
class BoolType(Type, frozen=True): ...
class DateType(Type, frozen=True): ...
class TimeDeltaType(Type, frozen=True): ...
class UUIDType(Type, frozen=True): ...
class DecimalType(Type, frozen=True): ...
class ExtType(Type, frozen=True): ...
class RawType(Type, frozen=True): ...

class IntType(Type, frozen=True):
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    multiple_of: float | None = None

class FloatType(Type, frozen=True):
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    multiple_of: float | None = None

class StrType(Type, frozen=True):
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None

class BytesType(Type, frozen=True):
    min_length: int | None = None
    max_length: int | None = None

class ByteArrayType(Type, frozen=True):
    min_length: int | None = None
    max_length: int | None = None

class MemoryViewType(Type, frozen=True):
    min_length: int | None = None
    max_length: int | None = None

class DateTimeType(Type, frozen=True):
    tz: bool | None = None

class TimeType(Type, frozen=True):
    tz: bool | None = None

class EnumType(Type, frozen=True):
    cls: type[Enum]

class CustomType(Type, frozen=True):
    """A class that only a hook can make."""

    cls: type

class LiteralType(Type, frozen=True):
    """The values are sorted, by type and then by value."""

    values: tuple[Any, ...]

class UnionType(Type, frozen=True):
    """Alternatives, in order. UNSET is none of them."""

    types: tuple[Type, ...]

    @property
    def includes_none(self) -> bool: ...

class CollectionType(Type, frozen=True):
    item_type: Type
    min_length: int | None = None
    max_length: int | None = None

class ListType(CollectionType, frozen=True): ...
class VarTupleType(CollectionType, frozen=True): ...
class SetType(CollectionType, frozen=True): ...
class FrozenSetType(CollectionType, frozen=True): ...

class TupleType(Type, frozen=True):
    """A tuple of fixed length."""

    item_types: tuple[Type, ...]

class DictType(Type, frozen=True):
    key_type: Type
    value_type: Type
    min_length: int | None = None
    max_length: int | None = None

class Field(Struct, frozen=True):
    """A field of a class. From `alias` on, it is what `field` was told."""

    name: str
    encode_name: str
    type: Type
    required: bool = True
    default: Any = NODEFAULT
    default_factory: Any = NODEFAULT
    alias: tuple[str, ...] = ()
    exclude: bool = False
    frozen: bool = False
    init: bool = True
    flatten: bool = False
    strict: bool | None = None
    message: str | None = None

class TypedDictType(Type, frozen=True):
    """The fields are sorted by name."""

    cls: Any
    fields: tuple[Field, ...]

class NamedTupleType(Type, frozen=True):
    cls: Any
    fields: tuple[Field, ...]

class DataclassType(Type, frozen=True):
    """A dataclass, or a class of attrs."""

    cls: Any
    fields: tuple[Field, ...]

class CodecType(Type, frozen=True):
    """A type that stands on the wire as another: of the standard library, or one with a codec."""

    cls: Any
    wire_type: Type

class NumbersType(Type, frozen=True):
    """An array of numpy or an `array.array`. `dims` are the lengths of its dimensions, None for any."""

    cls: Any
    item_type: Type
    dims: tuple[int | None, ...] | None = None

class BoundType(Type, frozen=True):
    """A type of which more is asked than its description has a place for."""

    type: Type
    gt: Any = None
    ge: Any = None
    lt: Any = None
    le: Any = None
    multiple_of: Any = None
    min_length: int | None = None
    max_length: int | None = None
    version: int | None = None

class StructType(Type, frozen=True):
    """`cls` is the class, or a generic one with its arguments."""

    cls: Any
    fields: tuple[Field, ...]
    tag_field: str | None = None
    tag: str | int | None = None
    array_like: bool = False
    forbid_unknown_fields: bool = False

def is_struct(obj: Any) -> TypeGuard[Struct]:
    """Whether an object is an instance of a Struct class."""

def is_struct_type(tp: Any) -> TypeGuard[type[Struct]]:
    """Whether an object is a Struct class."""

def type_info(type: Any, *, codecs: Mapping[Any, Codec] | None = None) -> Type:
    """Describe a type, as it would be read. A type that holds itself is described by an object that holds itself.

    Raises TypeError for a type that cannot be read, NameError for an annotation with an unknown name.
    """

def multi_type_info(types: Iterable[Any], *, codecs: Mapping[Any, Codec] | None = None) -> tuple[Type, ...]:
    """Describe several types; what they share is described once."""
