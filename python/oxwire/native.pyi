"""The native format: any graph of Python data, exactly, and no code that a message names.

docs/native.md is the manual, docs/wire/native.md the format.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, Unpack, overload

from typing_extensions import TypeForm

from . import DecodeError, EncodeError, _Typing

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "FileWriter",
    "Raw",
    "StreamDecoder",
    "Unknown",
    "decode",
    "decode_prefix",
    "dumps",
    "encode",
    "loads",
    "read",
    "register",
]

_C = TypeVar("_C", bound=type)
_T = TypeVar("_T")
# Classes: each with the place in a list for a code, or by names or codes of their own.
_Registry = Sequence[type] | dict[str, type] | dict[int, type] | dict[str | int, type] | None

class _DecodeOptions(_Typing, total=False):
    registry: _Registry
    extra: Literal["forbid", "ignore"]
    unknown: Literal["forbid", "keep"]
    patterns: bool
    post_init: bool
    errors: Literal["first", "all"]
    canonical: bool
    profile: Literal["safe", "strict", "trusted"]
    max_depth: int | None
    max_int_bytes: int | None
    max_memory: int | None
    max_expanded: int | None
    strict: bool

class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    def __init__(
        self,
        *,
        memoize: bool = True,
        registry: _Registry = None,
        max_depth: int = 1000,
        collect_buffers: bool = False,
        canonical: bool = False,
    ) -> None: ...
    @property
    def encode(self) -> Callable[[Any], Any]:
        """Write an object as one message; with `collect_buffers`, the message and a list of buffers."""

class Decoder(Generic[_T]):
    """`decode` with its options fixed, which are those of the function. Safe to share among threads.

    Raises TypeError for a type that cannot be read.
    """

    @overload
    def __init__(self, *, type: TypeForm[_T], **options: Unpack[_DecodeOptions]) -> None: ...
    @overload
    def __init__(self: Decoder[Any], *, type: Any = ..., **options: Unpack[_DecodeOptions]) -> None: ...
    @property
    def decode(self) -> Callable[..., _T]:
        """Read one message, which must be all there is in a buffer. `buffers` are those beside it."""
    @property
    def decode_prefix(self) -> Callable[[Any], tuple[_T, int]]:
        """Read the message that a buffer begins with: the value, and how many bytes it took."""

class Unknown:
    """An object of a class or a type of the standard library that the reader does not know. It is written again as it was.

    Two are equal only if they are the same object.
    """

    kind: int | None
    """0 an object by its fields, 1 and 2 a member of an enumeration by name and by value, 3 an object that is also of a built-in
    type, whose value stands first; None a type of the standard library."""
    name: str | int
    """What the class is registered with; or the code of the type."""
    version: int
    fields: tuple[str, ...]
    values: tuple[Any, ...]

class Raw:
    """A message that is not read: it is written into another as it is, and comes out of it as it is."""

    def __init__(self, message: Any) -> None: ...
    @property
    def message(self) -> bytes:
        """The bytes."""
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...

class StreamDecoder:
    """Messages out of pieces: `feed` it, iterate over what is complete, `close` it at the end."""

    def __init__(
        self,
        *,
        header: bool = True,
        checked: bool = False,
        max_buffer: int = 1 << 30,
        **options: Any,
    ) -> None: ...
    def feed(self, chunk: Any, /) -> None: ...
    def __iter__(self) -> StreamDecoder: ...
    def __next__(self) -> Any: ...
    def close(self) -> None:
        """Raises DecodeError if there is half a message, or a file that does not end."""

class FileWriter:
    """Writes messages into a file, which `close` or the end of a `with` block completes."""

    def __init__(
        self,
        file: Any,
        /,
        *,
        append: bool = False,
        header: bool = True,
        checked: bool | None = None,
        **options: Any,
    ) -> None: ...
    def write(self, obj: Any, /) -> None:
        """Write an object as the next message."""
    def close(self) -> None: ...
    def __enter__(self) -> FileWriter: ...
    def __exit__(self, *_: object) -> None: ...

def read(file: Any, /, **options: Any) -> Iterator[Any]:
    """The messages of a file, one after another: a path, or what has `read`."""

def encode(
    obj: Any,
    /,
    *,
    memoize: bool = True,
    registry: _Registry = None,
    max_depth: int = 1000,
    collect_buffers: bool = False,
    canonical: bool = False,
) -> Any:
    """Write an object as one message.

    With `memoize`, what is one object is written once and comes back as one; without, cycles are refused. `registry` has the
    classes whose objects may be written, if not those of `register`. With `collect_buffers`, arrays and PickleBuffers travel
    beside the message: the result is the message and a list of buffers. `canonical` gives equal bytes for equal values, and keeps
    nothing of what is shared. Raises EncodeError, with `path`, for everything else.
    """

@overload
def decode(
    buf: Any,
    /,
    *,
    type: TypeForm[_T],
    buffers: Iterable[Any] | None = None,
    **options: Unpack[_DecodeOptions],
) -> _T: ...
@overload
def decode(
    buf: Any, /, *, type: Any = ..., buffers: Iterable[Any] | None = None, **options: Unpack[_DecodeOptions]
) -> Any:
    """Read one message, which must be all there is in a buffer.

    With `type` the value is of that type, and the objects of registered classes in it have what their annotations say; `strict`,
    `dec_hook`, `forbid_unknown_fields`, `by_name`, `codecs` and `errors` are as for `oxwire.convert`, and `__post_init__` is not run for objects of
    registered classes. `buffers` are those beside the message. `registry` has the classes whose objects may be made, if
    not those of `register`. `extra="ignore"` leaves fields out that a class does not have; `unknown="keep"` gives `Unknown` for objects of
    classes that are not registered. `patterns` allows `re.Pattern`. `post_init` calls `__post_init__` (or `__attrs_post_init__`) of each object
    of a registered class when all of them stand, the innermost first; what it raises comes out. `canonical` refuses what `encode(..., canonical=True)` would not write.

    `profile` sets the limits: "safe" to a depth of 1,000, integers of 65,536 bytes and memory (estimated, in bytes) of 64 MiB plus 64 times the
    message, at most 1 GiB; "strict" to 100, 1,024 and 16 MiB, and to 4,194,304 values along all paths; "trusted" to a depth of 100,000 and
    nothing else. `max_depth`, `max_int_bytes`, `max_memory` and `max_expanded` say otherwise.

    Raises DecodeError with `offset`; ValidationError, which is one, with `path` for what is not of the type.
    """

@overload
def decode_prefix(
    buf: Any, /, *, type: TypeForm[_T], **options: Unpack[_DecodeOptions]
) -> tuple[_T, int]: ...
@overload
def decode_prefix(buf: Any, /, *, type: Any = ..., **options: Unpack[_DecodeOptions]) -> tuple[Any, int]:
    """Read the message that a buffer begins with: the value, and how many bytes it took."""

dumps = encode
loads = decode

def register(
    name: str | int,
    *,
    version: int = 0,
    aliases: Iterable[str | int] = (),
    renamed: Mapping[str, str] | None = None,
) -> Callable[[_C], _C]:
    """Register a class with a name by which messages know its objects: `@register("acme.user", version=2)`.

    `aliases` are names that it had once, and `renamed` says of fields what they are called now: {"old": "new"}. Both are for reading.
    """
