# The public face of oxwire.json, with meanings, units, defaults and errors. docs/json.md has the tables and examples.
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from types import GenericAlias
from typing import Any, BinaryIO, Generic, Literal, Self, TextIO, TypeVar, Unpack, final, overload

from typing_extensions import Buffer, TypeForm

from oxwire import Codec, DecodeError, EncodeError, Raw, _Decoding, _Encoding

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Raw",
    "StreamDecoder",
    "decode",
    "decode_lines",
    "dump",
    "encode",
    "encode_into",
    "encode_lines",
    "format",
    "iter_items",
    "iter_lines",
    "load",
    "schema",
    "schema_components",
]

_Input = Buffer | str
_Nan = Literal["error", "null", "literal"]
_SchemaMode = Literal["validation", "serialization"]
_File = str | PathLike[str] | BinaryIO | TextIO

_T = TypeVar("_T")

class _EncodeOptions(_Encoding, total=False):
    # Those of `encode`, for all that take them as `**options`.
    indent: int | str | None
    newline: bool
    ensure_ascii: bool
    nan: _Nan
    decimal_format: Literal["string", "number"]

class _DecodeOptions(_Decoding, total=False):
    # Those of `decode`, but for `raw` and `type`.
    strict: bool
    float_hook: Callable[[str], Any] | None
    nan: _Nan
    int_bits: Literal[53, 64] | None
    max_depth: int
    max_int_digits: int | None

def encode(obj: Any, /, **options: Unpack[_EncodeOptions]) -> bytes:
    """Write `obj` as JSON (RFC 8259), in UTF-8.

    enc_hook: called with a value of a type that is not written natively; what it returns is
        written in its place. Its exceptions come out unchanged. Keys are not shown to it.
    codecs: how classes and their subclasses are written, by class; it goes before all else.
    order: "sorted" writes the keys of every dict, and the fields of every record, in the order of their UTF-8 bytes.
    sort: True is `order="sorted"`.
    canonical: RFC 8785: keys in UTF-16 order, numbers as ECMAScript prints them, no space;
        integers beyond 2**53 - 1 either way are refused, since a canonical reader rounds them.
    indent: 0 to 8 spaces, or a string of spaces and tabs, for each level; None is compact.
    newline: end the output with a line feed.
    ensure_ascii: escape everything above U+007F.
    naive_utc: take a datetime or time without tzinfo to be UTC.
    utc_z: spell an offset of zero as `Z` instead of `+00:00`.
    omit_microseconds: leave the fraction of seconds out.
    nan: what becomes of NaN and infinities: an error, `null`, or `NaN`, `Infinity`,
        `-Infinity` (which no strict reader takes).
    int_bits: 53 refuses integers beyond 2**53 - 1 either way; 64 refuses integers below -2**63
        or above 2**64 - 1; None writes any integer. Keys count too.
    decimal_format: a Decimal as "string" (default) or as "number", digit for digit.
    max_depth: how many containers may nest (default 1000).
    passthrough: types that go to `enc_hook` although they could be written, each a class or one
        of the words "dataclass", "attrs", "enum", "pydantic", "numpy", "subclass".
    omit_defaults, omit_none: fields of Structs that have their default, or are None, are left out.
    by_name: their keys are the names of the attributes.
    include, exclude: names that are written, or left out, of records and dicts as they stand in the output: a set of them,
        or a dict from names to what is meant inside of each, None for all; lists hand them on to their items.

    Raises EncodeError, with `.path`, for what cannot be written.
    """

@overload
def decode(buf: _Input, /, *, type: TypeForm[_T], **options: Unpack[_DecodeOptions]) -> _T: ...
@overload
def decode(buf: _Input, /, *, type: Any = ..., raw: bool = False, **options: Unpack[_DecodeOptions]) -> Any:
    """Read one JSON document (RFC 8259) from bytes, any contiguous buffer, or str.

    type: what the input must be: any annotation that docs/typed.md lists; the value is of it. Else anything goes.
    strict: False converts where no doubt is, as text of a number to an int. Of use with a type only.
    dec_hook: called as `dec_hook(type, obj)` for types that are not known otherwise.
    forbid_unknown_fields: whether keys that are no field's are refused, whatever the classes say.
    extra: the same in one word, "ignore" or "forbid"; with "keep" they are kept, in TypedDicts and in `__extra__`. A class
        that has no place for them is a TypeError then.
    by_name: the keys are the names of the attributes.
    errors: "all" looks for everything that is not of the type once something is; see `ValidationError.errors`.
    codecs: how types are read, by type; it goes before all else. With it, a type is looked through each time: make a Decoder.
    raw: check the document and return it undecoded, as a Raw.
    float_hook: called with the text of each number that has a fraction or an exponent, and with `NaN`, `Infinity`,
        `-Infinity` where they are read as literals.
    nan: "error" refuses `NaN`, `Infinity`, `-Infinity`; "literal" reads them as floats, "null" as None.
    duplicate_keys: "last" keeps the last value of a key that stands twice; "error" refuses.
    int_bits: 53 refuses integers beyond 2**53 - 1 either way, 64 beyond 64 bits.
    max_depth: how many containers may nest (default 1000).
    max_int_digits: the longest integer, in digits (default 100000); None for no limit.

    Raises ValidationError with `.path` for what is not of the type, DecodeError with `.offset` (bytes), `.line`, `.column` (from 1, in characters), `.msg`.
    """

def encode_into(obj: Any, buffer: bytearray, offset: int = 0, /, **options: Unpack[_EncodeOptions]) -> None:
    """Write `obj` as JSON into `buffer` from `offset` (default 0; -1 is its end).

    The bytearray is cut or grown to end with the output. If the value cannot be written it stays as it was.
    """

def encode_lines(items: Iterable[Any], /, **options: Unpack[_EncodeOptions]) -> bytes:
    """Write each item as one line of NDJSON, each ended with a line feed."""

def decode_lines(buf: _Input, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> list[Any]:
    """Read NDJSON: one document for each line that is not blank."""

def format(buf: _Input, /, *, indent: int | str | None = 2, newline: bool = False) -> bytes:
    """Lay existing JSON out again: indented, or compact if `indent` is None.

    Numbers and strings stay as they are spelled. (str in gives bytes out.)
    """

def schema(
    type: Any,
    *,
    mode: _SchemaMode = "validation",
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
    inline_root: bool = False,
    codecs: Mapping[Any, Codec] | None = None,
) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a type, as it is read and written as JSON.

    Classes with fields and enumerations are components, under `$defs` and referred to by name.

    mode: "validation" describes what is read, "serialization" what is written: there a field with a default is
        required, unless it may be left out.
    schema_hook: gives the schema of a class that is not known otherwise, or raises NotImplementedError; so does
        `Meta(extra_json_schema=...)`.
    inline_root: the schema of a class begins with the class itself, not with a reference to it.

    Raises TypeError for a type without a schema.
    """

def schema_components(
    types: Iterable[Any],
    *,
    mode: _SchemaMode = "validation",
    schema_hook: Callable[[Any], dict[str, Any]] | None = None,
    ref_template: str = "#/$defs/{name}",
    codecs: Mapping[Any, Codec] | None = None,
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """The JSON Schemas of several types, and the components of all by name. `ref_template` says where those are kept:
    "#/components/schemas/{name}" for OpenAPI 3.1."""

def dump(obj: Any, file: _File, /, **options: Unpack[_EncodeOptions]) -> None:
    """Write `obj` as JSON to a path or to a file open for writing, binary or text."""

def load(file: _File, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> Any:
    """Read one JSON document from a path or from a file open for reading, binary or text."""

def iter_lines(file: _File, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> Iterator[Any]:
    """Yield the documents of an NDJSON file one by one, in memory of the longest line.

    DecodeError has `.offset` and `.line` in the file.
    """

def iter_items(file: _File, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> Iterator[Any]:
    """Yield the items of the array that is the whole of a file one by one, in memory of the longest item."""

@final
class Encoder:
    """`encode` with its options fixed: immutable, picklable, safe to share among threads."""

    def __new__(cls, **options: Unpack[_EncodeOptions]) -> Self: ...
    def encode(self, obj: Any, /) -> bytes:
        """Write `obj` as JSON."""
    def encode_into(self, obj: Any, buffer: bytearray, offset: int = 0, /) -> None:
        """Write `obj` as JSON into `buffer` from `offset` (-1 is its end)."""
    def encode_lines(self, items: Iterable[Any], /) -> bytes:
        """Write each item as one line of NDJSON."""
    @property
    def options(self) -> dict[str, Any]:
        """The keywords that it was made with, as a new dict."""
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class Decoder(Generic[_T]):
    """`decode` with its options fixed: immutable, picklable, safe to share among threads."""

    @overload
    def __new__(cls, type: TypeForm[_T], **options: Unpack[_DecodeOptions]) -> Decoder[_T]: ...
    @overload
    def __new__(
        cls, type: Any = ..., *, raw: bool = False, **options: Unpack[_DecodeOptions]
    ) -> Decoder[Any]: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def decode(self, buf: _Input, /) -> _T:
        """Read one JSON document."""
    def decode_lines(self, buf: _Input, /) -> list[_T]:
        """Read NDJSON."""
    @property
    def options(self) -> dict[str, Any]:
        """The keywords that it was made with, as a new dict."""
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class StreamDecoder:
    """Documents out of chunks, for sockets: `feed` bytes as they come, iterate the documents that are complete.

    Documents may be separated by white space or by nothing; a number or literal at the top level is complete only when
    something follows it or `close` is called.
    """

    def __new__(
        cls, *, raw: bool = False, max_buffer: int | None = None, **options: Unpack[_DecodeOptions]
    ) -> Self: ...
    def feed(self, data: _Input, /) -> None:
        """Add a chunk.

        Raises DecodeError if the next document is longer than `max_buffer` bytes, however it is cut into chunks, and
        ValueError after `close`.
        """
    def close(self) -> None:
        """No more is to come: a number at the end is complete now.

        Raises DecodeError when a document is left incomplete.
        """
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any:
        """The next complete document; StopIteration if there is none yet. After more `feed`s iteration goes on."""
    @property
    def pending(self) -> int:
        """How many bytes are held that were not given back as documents yet."""
