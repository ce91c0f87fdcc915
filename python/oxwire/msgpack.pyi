# The public face of oxwire.msgpack, with meanings, units, defaults and errors. docs/msgpack.md has the tables and examples.
from asyncio import StreamReader
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from os import PathLike
from types import GenericAlias
from typing import Any, BinaryIO, Final, Generic, Literal, Self, TypeVar, Unpack, final, overload

from typing_extensions import Buffer, TypeForm

from oxwire import DecodeError, EncodeError, Raw, _Decoding, _Encoding
from oxwire._clojure import Character, Date, Keyword, List, Record, Symbol
from oxwire._msgpack import Ext, Timestamp

__all__ = [
    "EXT_BIG_INT",
    "EXT_NDARRAY",
    "Character",
    "Date",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Ext",
    "Keyword",
    "List",
    "Raw",
    "Record",
    "StreamDecoder",
    "Symbol",
    "Timestamp",
    "aiter_messages",
    "decode",
    "decode_prefix",
    "dump",
    "dump_many",
    "encode",
    "encode_into",
    "encode_many",
    "iter_messages",
    "load",
]

EXT_BIG_INT: Final = 38
"""The ext code of integers beyond 64 bits: `big_int_ext=True`."""
EXT_NDARRAY: Final = 43
"""The ext code of typed arrays: `ndarray_ext=True`."""

_File = str | PathLike[str] | BinaryIO

_T = TypeVar("_T")

class _EncodeOptions(_Encoding, total=False):
    # Those of `encode`, for all that take them as `**options`.
    float32: bool
    datetime_format: Literal["timestamp", "text"]
    big_int_ext: int | None
    ndarray_ext: int | None
    ext_table: Literal["clojure"] | None
    str_errors: Literal["strict", "surrogateescape"]
    old_spec: bool

class _DecodeOptions(_Decoding, total=False):
    # Those of `decode`, but for `raw` and `type`.
    strict: bool | None
    str_errors: Literal["strict", "surrogateescape", "raw"]
    old_spec: bool
    timestamp: Literal["datetime", "timestamp", "float", "ns"]
    ext_hook: Callable[[int, bytes], Any] | None
    object_hook: Callable[[dict[Any, Any]], Any] | None
    object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None
    list_hook: Callable[[Any], Any] | None
    use_list: bool
    big_int_ext: int | None
    ndarray_ext: int | None
    ext_table: Literal["clojure"] | None
    record_hook: Callable[[str, Any], Any] | None
    max_depth: int
    max_str_len: int | None
    max_bin_len: int | None
    max_array_len: int | None
    max_map_len: int | None
    max_ext_len: int | None

def encode(obj: Any, /, **options: Unpack[_EncodeOptions]) -> bytes:
    """Write `obj` as one MessagePack message, each value in its shortest form.

    enc_hook: called with a value of a type that is not written natively; what it returns is
        written in its place. Its exceptions come out unchanged. Keys are not shown to it.
    order: "sorted" writes the keys of every map in order: text by its UTF-8 bytes; where other keys stand among them,
        all by their encoded bytes.
    sort: True is `order="sorted"`.
    canonical: equal values give equal bytes: keys of maps and members of sets in the order of their encoded bytes,
        floats in 32 bits where that is exact, -0.0 as 0.0, NaN in one form.
    float32: write every float in 32 bits, rounded to the nearest; one beyond their range is refused. With `canonical`
        nothing is rounded.
    datetime_format: an aware datetime as "timestamp" (ext -1, to the nanosecond) or as RFC 3339 "text". A naive one is
        text, unless `naive_utc`.
    naive_utc: take a datetime or time without tzinfo to be UTC.
    utc_z: in text, spell an offset of zero as `Z` instead of `+00:00`.
    omit_microseconds: in text, leave the fraction of seconds out.
    int_bits: 53 refuses integers beyond 2**53 - 1 either way, for readers in JavaScript. Keys count too.
    big_int_ext: write integers below -2**63 or above 2**64 - 1 as ext of this code (True: EXT_BIG_INT), in big-endian
        two's complement; without it they are refused.
    ndarray_ext: write each array of numpy as one ext of this code (True: EXT_NDARRAY) instead of nested arrays.
    ext_table: "clojure" writes what Clojure has (Keyword, sets, Fraction, UUID ...) by that table, as exts.
    str_errors: text with surrogates is refused by "strict"; "surrogateescape" turns those that stand for bytes back
        into them (PEP 383).
    old_spec: the specification before 2013: bytes in the forms of str, no str 8; for readers that know no other.
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
def decode(buf: Buffer, /, *, type: TypeForm[_T], **options: Unpack[_DecodeOptions]) -> _T: ...
@overload
def decode(buf: Buffer, /, *, type: Any = ..., raw: bool = False, **options: Unpack[_DecodeOptions]) -> Any:
    """Read one MessagePack message, which must be all there is in `buf`: bytes or any contiguous buffer.

    type: what the input must be: any annotation that docs/typed.md lists; the value is of it. Else anything goes.
    strict: False converts where no doubt is, as text of a number to an int (with a type); True also refuses what has a
        shorter form, and keys that stand twice in one map.
    dec_hook: called as `dec_hook(type, obj)` for types that are not known otherwise.
    forbid_unknown_fields: whether keys that are no field's are refused, whatever the classes say.
    extra: the same in one word, "ignore" or "forbid"; with "keep" they are kept, in TypedDicts and in `__extra__`. A class
        that has no place for them is a TypeError then.
    by_name: the keys are the names of the attributes.
    errors: "all" looks for everything that is not of the type once something is; see `ValidationError.errors`.
    raw: check the message and return it undecoded, as a Raw.
    duplicate_keys: "last" keeps the last value of a key that stands twice; "error" refuses.
    str_errors: text that is not UTF-8 is refused by "strict"; "surrogateescape" reads each byte that is wrong as a
        surrogate (PEP 383), "raw" gives the whole text as bytes.
    old_spec: the specification before 2013, which has one form for text and bytes: every str comes as bytes.
    timestamp: what ext -1 comes as: an aware "datetime" in UTC; a "timestamp", a Timestamp; a "float" in seconds; "ns",
        an int in nanoseconds. A moment that a datetime cannot hold (parts of a microsecond, years outside 1 to 9999)
        is refused, not rounded.
    ext_hook: called with code and bytes of every other ext; without it they come as Ext.
    object_hook: called with each dict, inner ones first; what it returns stands in its place.
    object_pairs_hook: the same, with a list of pairs. Only one of the two can be given.
    list_hook: the same for each list (or tuple).
    use_list: False gives tuples instead of lists.
    big_int_ext: read ext of this code (True: EXT_BIG_INT) as integers.
    ndarray_ext: read ext of this code (True: EXT_NDARRAY) as arrays of numpy, which share the memory of `buf` if that
        is bytes, and are read-only.
    ext_table: "clojure" reads exts by that table: Keyword, sets, Fraction, UUID ... `ext_hook` gets the others.
    record_hook: with `ext_table`, called with name and fields of each record; NotImplemented leaves it an Ext.
    max_depth: how many containers may nest (default 1000).
    max_str_len, max_bin_len, max_ext_len: the longest text, bytes and ext body, in bytes; None for no limit.
    max_array_len, max_map_len: the most items of an array, entries of a map; None for no limit.

    Arrays that are (parts of) keys come as tuples; maps cannot be keys.
    Raises ValidationError with `.path` for what is not of the type, DecodeError with `.offset` (bytes) and `.msg`.
    """

def decode_prefix(buf: Buffer, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> tuple[Any, int]:
    """Read the message that `buf` begins with: the value, and how many bytes it took."""

def encode_into(obj: Any, buffer: bytearray, offset: int = 0, /, **options: Unpack[_EncodeOptions]) -> None:
    """Write `obj` into `buffer` from `offset` (default 0; -1 is its end).

    The bytearray is cut or grown to end with the output. If the value cannot be written it stays as it was.
    """

def encode_many(items: Iterable[Any], /, **options: Unpack[_EncodeOptions]) -> bytes:
    """Write each item as one message, one behind the other."""

def dump(obj: Any, file: _File, /, **options: Unpack[_EncodeOptions]) -> None:
    """Write `obj` as one message to a path or to a binary file open for writing."""

def dump_many(items: Iterable[Any], file: _File, /, **options: Unpack[_EncodeOptions]) -> int:
    """Write each item as one message to a path or a binary file, in memory of the longest; how many they were."""

def load(file: _File, /, *, raw: bool = False, **options: Unpack[_DecodeOptions]) -> Any:
    """Read one message, which must be all there is, from a path or from a binary file open for reading."""

def iter_messages(
    file: _File,
    /,
    *,
    raw: bool = False,
    max_buffer: int | None = None,
    **options: Unpack[_DecodeOptions],
) -> Iterator[Any]:
    """Yield the messages of a file one by one, in memory of the longest. DecodeError has `.offset` in the file."""

def aiter_messages(
    reader: StreamReader,
    /,
    *,
    raw: bool = False,
    max_buffer: int | None = None,
    **options: Unpack[_DecodeOptions],
) -> AsyncIterator[Any]:
    """Yield the messages of an asyncio reader (anything with `async read(n)`) as they come."""

@final
class Encoder:
    """`encode` with its options fixed: immutable, picklable, safe to share among threads."""

    def __new__(cls, **options: Unpack[_EncodeOptions]) -> Self: ...
    def encode(self, obj: Any, /) -> bytes:
        """Write `obj` as one message."""
    def encode_into(self, obj: Any, buffer: bytearray, offset: int = 0, /) -> None:
        """Write `obj` into `buffer` from `offset` (-1 is its end)."""
    def encode_many(self, items: Iterable[Any], /) -> bytes:
        """Write each item as one message, one behind the other."""
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
    def decode(self, buf: Buffer, /) -> _T:
        """Read one message."""
    def decode_prefix(self, buf: Buffer, /) -> tuple[_T, int]:
        """Read the message that `buf` begins with: the value, and how many bytes it took."""
    @property
    def options(self) -> dict[str, Any]:
        """The keywords that it was made with, as a new dict."""
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class StreamDecoder:
    """Messages out of chunks, for sockets and files: `feed` bytes as they come, iterate the messages that are complete.

    file: a binary file (anything with `read(n)`) that more is read from when a message is not complete; then `feed` is
        not needed.
    read_size: how many bytes are asked of the file at once (default 65536).
    max_buffer: the longest message, in bytes; None for no limit.
    """

    def __new__(
        cls,
        file: BinaryIO | None = None,
        /,
        *,
        raw: bool = False,
        read_size: int = 65536,
        max_buffer: int | None = None,
        **options: Unpack[_DecodeOptions],
    ) -> Self: ...
    def feed(self, data: Buffer, /) -> None:
        """Add a chunk. Raises DecodeError if the next message is longer than `max_buffer`, ValueError after `close`."""
    def close(self) -> None:
        """No more is to come. Raises DecodeError when a message is left incomplete."""
    def read(self) -> Any:
        """The next message; EOFError if it is not complete yet. After more `feed`s it can be asked for again."""
    def skip(self) -> None:
        """Pass over the next message without making objects of it; EOFError if it is not complete yet."""
    def read_bytes(self, n: int, /) -> bytes:
        """The next `n` bytes as they stand, fewer at the end of what has come."""
    def read_array_header(self) -> int:
        """Enter the array that stands next: how many items follow. ValueError if no array does, EOFError as `read`."""
    def read_map_header(self) -> int:
        """Enter the map that stands next: how many pairs of key and value follow."""
    def tell(self) -> int:
        """How many bytes of the whole input were used up."""
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any:
        """The next complete message; StopIteration if there is none yet. After more `feed`s iteration goes on."""
    @property
    def pending(self) -> int:
        """How many bytes are held that were not given back yet."""
