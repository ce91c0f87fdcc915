# The public face of the package.
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
    dataclass_transform,
    final,
    overload,
    type_check_only,
)

from typing_extensions import Buffer, TypeForm

from . import inspect as inspect
from . import json
from . import msgpack as msgpack
from . import structs as structs
from . import toml as toml
from . import yaml as yaml
from .structs import StructConfig

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
    offset: int | None
    """Byte offset from the start of the input (for str: of its UTF-8 form)."""
    line: int | None
    """Line, counted from 1; lines end with a line feed. None where the input is no text."""
    column: int | None
    """Column in characters, counted from 1. None where the input is no text."""

class ValidationError(DecodeError):
    """The input is well-formed, but not what its type says. `offset` is None, but with `errors="all"`.

    Then `str()` has a line for each fault; `path`, `msg` and the rest are those of the first.
    """

    path: str
    """Where the value stands, as in `$.users[3].age`; in or at a key, the text says so."""
    truncated: bool
    """With `errors="all"`: whether there may be more than were looked for, which is a hundred."""

    def errors(self) -> list[dict[str, Any]]:
        """Each fault: `code`, `expected`, `got`, `path`, `loc` (the path as a tuple), `msg`, `input` (how it begins), `offset` in
        bytes, and for JSON `line` and `column`. Without `errors="all"` it is one, of which less is known."""

    def pydantic_errors(self) -> list[dict[str, Any]]:
        """Each fault as pydantic has it: `type`, `loc`, `msg`, `input`."""

    def json(self) -> str:
        """What `errors` gives, as JSON."""

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

class _FieldOptions(TypedDict, total=False):
    name: str | None
    alias: str | Sequence[str] | None
    exclude: bool
    frozen: bool
    init: bool
    private: bool
    flatten: bool
    strict: bool | None
    message: str | None

@overload
def field(*, default: _T, **options: Unpack[_FieldOptions]) -> _T: ...
@overload
def field(*, default_factory: Callable[[], _T], **options: Unpack[_FieldOptions]) -> _T: ...
@overload
def field(**options: Unpack[_FieldOptions]) -> Any:
    """What a field of a Struct has beside its type: a default, or a function that makes one, and

    - `name`: what it is called outside; `alias`: what else it may be called in what is read.
    - `exclude`: it is read, but never written. `frozen`: it cannot be set again.
    - `init=False`: it is no argument of the class, and not read; it has its default, or UNSET.
    - `private`: it is neither, and not written, compared or shown; it has its default, or nothing.
    - `flatten`: the fields of a Struct, or the entries of a dict, stand beside the other fields.
    - `strict`: whether values of another type may do, whatever the decoder says.
    - `message`: what is said if its value is wrong, whatever is wrong with it.

    Raises TypeError for what excludes each other, and for what is of the wrong type.
    """

class _Computed(Generic[_T]):
    @overload
    def __get__(self, obj: None, owner: type | None = None, /) -> Self: ...
    @overload
    def __get__(self, obj: Any, owner: type | None = None, /) -> _T: ...

@overload
def computed(fget: Callable[[Any], _T], *, name: str | None = None) -> _Computed[_T]: ...
@overload
def computed(*, name: str | None = None) -> Callable[[Callable[[Any], _T]], _Computed[_T]]:
    """A property that is written after the fields, and never read: `@computed`, or `@computed(name="outside")`."""

class Validate:
    """Asks a function whether a value is right: `Annotated[int, Validate(is_even)]`.

    It is wrong if the function raises ValueError, TypeError or AssertionError, whose text is that of the
    ValidationError, or gives what is false and not None. `message` is what is said instead. before: the function is
    asked before the value is read by its type: of what a decoder gives without one.
    """

    def __init__(
        self, fn: Callable[[Any], Any], *, before: bool = False, message: str | None = None
    ) -> None: ...
    fn: Callable[[Any], Any]
    before: bool
    message: str | None
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class Convert(Validate):
    """The same, but the value becomes what the function gives."""

@final
class Discriminator:
    """Who says which member of a union an object or an array is: `Annotated[A | B, Discriminator(choose)]`.

    `choose` is called with the value as it is read without a type, and gives a member of the union, or the tag of one. What
    it raises as ValueError or TypeError becomes a ValidationError.
    """

    choose: Callable[[Any], Any]
    def __init__(self, choose: Callable[[Any], Any], /) -> None: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

_Bound = int | float | Decimal | Fraction | date | datetime | time | timedelta

class Codec:
    """How a type stands on the wire, for `codecs={T: Codec(...)}` of encoders, decoders, `convert`, `to_builtins` and schemas:
    as a value of the type `wire`.

    - `decode`: called with a value of `wire`, which has been read and checked as that, gives what it stands for. Without it
      the type is read as it is otherwise. What it raises as ValueError or TypeError becomes a ValidationError with the path.
    - `encode`: called with an object, gives what is written in its place. Without it objects are written as they are otherwise.
    - `schema`: what JSON Schema says of the type beside what it says of `wire`.

    A type stands for itself when it is read, and for its subclasses when it is written. What a codec says goes before
    what is built in, and that before hooks.
    """

    wire: Any
    decode: Callable[[Any], Any] | None
    encode: Callable[[Any], Any] | None
    schema: dict[str, Any] | None
    def __init__(
        self,
        wire: Any = ...,
        *,
        decode: Callable[[Any], Any] | None = None,
        encode: Callable[[Any], Any] | None = None,
        schema: dict[str, Any] | None = None,
    ) -> None: ...

_Parts = set[str] | frozenset[str] | Sequence[str] | dict[str, Any]

class _Encoding(TypedDict, total=False):
    # What encoders of all formats are told.
    enc_hook: Callable[[Any], Any] | None
    codecs: Mapping[Any, Codec] | None
    order: Literal["sorted"] | None
    sort: bool
    canonical: bool
    naive_utc: bool
    utc_z: bool
    omit_microseconds: bool
    int_bits: Literal[53, 64] | None
    max_depth: int
    passthrough: Iterable[type | str] | None
    omit_defaults: bool
    omit_none: bool
    by_name: bool
    include: _Parts | None
    exclude: _Parts | None

class _Typing(TypedDict, total=False):
    # What decoders of all formats are told of types.
    dec_hook: Callable[[Any, Any], Any] | None
    forbid_unknown_fields: bool | None
    by_name: bool
    codecs: Mapping[Any, Codec] | None

class _Decoding(_Typing, total=False):
    # What those of JSON and MessagePack are told.
    errors: Literal["first", "all"]
    extra: Literal["ignore", "forbid", "keep"] | None
    duplicate_keys: Literal["last", "error"]

@final
class Meta:
    """What `Annotated` says of a type beside its kind: `Annotated[int, Meta(ge=0)]`.

    - `gt`, `ge`, `lt`, `le`, `multiple_of`: bounds of int, float and Decimal; of datetime, date, time and timedelta, by
      values of the same type (`multiple_of` for timedelta); of types with a codec that can be compared. `multiple_of` of a
      float means no remainder.
    - `pattern`: a regular expression that is found somewhere in a str.
    - `min_length`, `max_length`: of str (in characters), bytes-likes, lists, sets, dicts, tuples of any length, deques (whose
      `maxlen` is the latter), arrays, and any other type with a length.
    - `tz`: whether a datetime or time must have a timezone, or must have none.
    - `strict`: whether values of another type may become one of this, whatever the decoder says.
    - `version`: which UUID (4 is a random one).
    - `shape`: of an array of numpy, the length of each dimension, None for any. `typecode`: what an `array.array` is of.
    - `title`, `description`, `examples`, `extra_json_schema`: for JSON Schema only.
    - `extra`: anything else; for `oxwire.inspect` only.
    - `message`: what is said where one of these bounds is not kept; without a bound, whatever is wrong with the value.

    Several may stand on one type, which sets each bound once. Immutable, compared and hashed by what is set. Raises
    TypeError or ValueError for what cannot be; a bound that does not fit its type is a TypeError where the type is used.
    """

    def __init__(
        self,
        *,
        gt: _Bound | None = None,
        ge: _Bound | None = None,
        lt: _Bound | None = None,
        le: _Bound | None = None,
        multiple_of: int | float | Decimal | Fraction | timedelta | None = None,
        pattern: str | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        tz: bool | None = None,
        strict: bool | None = None,
        title: str | None = None,
        description: str | None = None,
        examples: list[Any] | None = None,
        extra_json_schema: dict[str, Any] | None = None,
        extra: dict[Any, Any] | None = None,
        message: str | None = None,
        version: int | None = None,
        shape: tuple[int | None, ...] | None = None,
        typecode: str | None = None,
    ) -> None: ...
    gt: Final[_Bound | None]
    ge: Final[_Bound | None]
    lt: Final[_Bound | None]
    le: Final[_Bound | None]
    multiple_of: Final[int | float | Decimal | Fraction | timedelta | None]
    pattern: Final[str | None]
    min_length: Final[int | None]
    max_length: Final[int | None]
    tz: Final[bool | None]
    strict: Final[bool | None]
    title: Final[str | None]
    description: Final[str | None]
    examples: Final[list[Any] | None]
    extra_json_schema: Final[dict[str, Any] | None]
    extra: Final[dict[Any, Any] | None]
    message: Final[str | None]
    version: Final[int | None]
    shape: Final[tuple[int | None, ...] | None]
    typecode: Final[str | None]
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __rich_repr__(self) -> list[tuple[str, Any]]: ...

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
    - `forbid_unknown_fields`: reading refuses keys that are no field's.
    - `extra`: "forbid" is the same, "keep" has them in the dict `__extra__`, and writes them again.
    - `validate`, `validate_assignment`: values are looked at, as in reading, when an instance is made; when a field is set.
    - `mixin`: a class without instances, whose fields are for those that inherit from it beside another Struct.
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
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    """The fields as dataclasses has them, for what treats dataclasses and their like alike. Not of generic classes."""
    __get_pydantic_core_schema__: ClassVar[Callable[[Any, Any], Any]]
    __get_pydantic_json_schema__: ClassVar[Callable[[Any, Any], dict[str, Any]]]

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
        extra: Literal["ignore", "forbid", "keep"] = "ignore",
        validate: bool = False,
        validate_assignment: bool = False,
        mixin: bool = False,
    ) -> None: ...
    @property
    def __extra__(self) -> dict[str, Any]:
        """What was kept of unknown keys, with `extra="keep"`."""
    def __copy__(self) -> Self: ...
    def __replace__(self, /, **changes: Any) -> Self: ...
    def __rich_repr__(self) -> list[tuple[str, Any]]: ...

def doctor() -> dict[str, str]:
    """Which of its ways oxwire goes in this process, and why.

    Objects are read and made by hand ("directly") where each kind, tried at import, was exactly as the interpreter makes
    it; otherwise by the interpreter's own functions, which is slower and gives the same. The environment variable `OXWIRE_PLAIN`,
    set before the import, forces the latter.

    Returns what is found by what it is about: "oxwire" and "python" (versions), "platform", "long texts" (the instruction
    set) and five ways, as "dicts are made", each "directly" or "by the interpreter: " and the reason.
    """

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

@overload
def convert(
    obj: Any,
    type: TypeForm[_T],
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    builtin_types: Iterable[type] | None = None,
    str_keys: bool = False,
    forbid_unknown_fields: bool | None = None,
    extra: Literal["ignore", "forbid", "keep"] | None = None,
    by_name: bool = False,
    errors: Literal["first", "all"] = "first",
    codecs: Mapping[Any, Codec] | None = None,
) -> _T: ...
@overload
def convert(
    obj: Any,
    type: Any,
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    builtin_types: Iterable[type] | None = None,
    str_keys: bool = False,
    forbid_unknown_fields: bool | None = None,
    extra: Literal["ignore", "forbid", "keep"] | None = None,
    by_name: bool = False,
    errors: Literal["first", "all"] = "first",
    codecs: Mapping[Any, Codec] | None = None,
) -> Any:
    """Make of an object what a type says, as decoding would: of dicts, lists and scalars, or of what is of the type already.

    strict, dec_hook, errors: as for decoding. from_attributes: objects of other classes are read by their attributes.
    forbid_unknown_fields, extra, by_name: as for decoding.
    str_keys: keys may be spelled as text, as in JSON. builtin_types: types that need not be spelled as text; all are taken.
    codecs: as for decoding.

    Raises ValidationError, with `.path`; TypeError for a type that cannot be.
    """

def to_builtins(
    obj: Any,
    /,
    *,
    str_keys: bool = False,
    builtin_types: Iterable[type] | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
    order: Literal["deterministic", "sorted"] | None = None,
    omit_defaults: bool = False,
    omit_none: bool = False,
    by_name: bool = False,
    codecs: Mapping[Any, Codec] | None = None,
) -> Any:
    """Make of an object dicts, lists, tuples and scalars that any serializer knows; moments and their like become text.

    str_keys: keys become text, as in JSON. builtin_types: types that are left as they are. enc_hook: called with what
    is not known otherwise. order: "deterministic" sorts keys and sets, "sorted" fields too. omit_defaults, omit_none,
    by_name, codecs: as for encoding.

    Raises EncodeError, with `.path`.
    """
