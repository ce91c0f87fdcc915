"""The native format: any graph of Python data, exactly, and no code that a message names.

docs/native.md is the manual, docs/wire/native.md the format.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from . import DecodeError, EncodeError

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "FileWriter",
    "Raw",
    "StreamDecoder",
    "decode",
    "decode_prefix",
    "dumps",
    "encode",
    "loads",
    "read",
    "register",
]

_T = TypeVar("_T", bound=type)
# Classes: each with the place in a list for a code, or by names or codes of their own.
_Registry = Sequence[type] | dict[str, type] | dict[int, type] | dict[str | int, type]

class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    def __init__(
        self,
        *,
        memoize: bool = True,
        registry: _Registry | None = None,
        max_depth: int = 1000,
        collect_buffers: bool = False,
    ) -> None: ...
    @property
    def encode(self) -> Callable[[Any], Any]:
        """Write an object as one message; with `collect_buffers`, the message and a list of buffers."""

class Decoder:
    """`decode` with its options fixed. Safe to share among threads."""

    def __init__(
        self, *, registry: _Registry | None = None, max_depth: int = 1000, max_int_bytes: int = 65536
    ) -> None: ...
    @property
    def decode(self) -> Callable[..., Any]:
        """Read one message, which must be all there is in a buffer. `buffers` are those beside it."""
    @property
    def decode_prefix(self) -> Callable[[Any], tuple[Any, int]]:
        """Read the message that a buffer begins with: the value, and how many bytes it took."""

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
        checked: bool = True,
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
    registry: _Registry | None = None,
    max_depth: int = 1000,
    collect_buffers: bool = False,
) -> Any:
    """Write an object as one message.

    With `memoize`, what is one object is written once and comes back as one; without, cycles are refused. `registry` has the
    classes whose objects may be written, if not those of `register`. With `collect_buffers`, arrays and PickleBuffers travel
    beside the message: the result is the message and a list of buffers. Raises EncodeError, with `path`, for everything else.
    """

def decode(
    buf: Any,
    /,
    *,
    buffers: Iterable[Any] | None = None,
    registry: _Registry | None = None,
    max_depth: int = 1000,
    max_int_bytes: int = 65536,
) -> Any:
    """Read one message, which must be all there is in a buffer. Raises DecodeError with `offset`."""

def decode_prefix(buf: Any, /, **options: Any) -> tuple[Any, int]:
    """Read the message that a buffer begins with: the value, and how many bytes it took."""

dumps = encode
loads = decode

def register(name: str | int, *, version: int = 0) -> Callable[[_T], _T]:
    """Register a class with a name by which messages know its objects: `@register("acme.user", version=2)`."""
