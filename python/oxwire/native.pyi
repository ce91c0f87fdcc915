"""The native format: any graph of Python data, exactly, and no code that a message names.

docs/native.md is the manual, docs/wire/native.md the format.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from . import DecodeError, EncodeError

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "decode",
    "dumps",
    "encode",
    "loads",
    "register",
]

_T = TypeVar("_T", bound=type)
# Classes: each with the place in a list for a code, or by names or codes of their own.
_Registry = Sequence[type] | dict[str, type] | dict[int, type] | dict[str | int, type]

class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    def __init__(
        self, *, memoize: bool = True, registry: _Registry | None = None, max_depth: int = 1000
    ) -> None: ...
    @property
    def encode(self) -> Callable[[Any], bytes]:
        """Write an object as one message."""

class Decoder:
    """`decode` with its options fixed. Safe to share among threads."""

    def __init__(
        self, *, registry: _Registry | None = None, max_depth: int = 1000, max_int_bytes: int = 65536
    ) -> None: ...
    @property
    def decode(self) -> Callable[[Any], Any]:
        """Read one message, which must be all there is in a buffer."""

def encode(
    obj: Any, /, *, memoize: bool = True, registry: _Registry | None = None, max_depth: int = 1000
) -> bytes:
    """Write an object as one message.

    With `memoize`, what is one object is written once and comes back as one; without, cycles are refused. `registry` has the
    classes whose objects may be written, if not those of `register`. Raises EncodeError for everything else.
    """

def decode(
    buf: Any, /, *, registry: _Registry | None = None, max_depth: int = 1000, max_int_bytes: int = 65536
) -> Any:
    """Read one message, which must be all there is in a buffer. Raises DecodeError with `offset`."""

def dumps(
    obj: Any, /, *, memoize: bool = True, registry: _Registry | None = None, max_depth: int = 1000
) -> bytes:
    """The same as `encode`."""

def loads(
    buf: Any, /, *, registry: _Registry | None = None, max_depth: int = 1000, max_int_bytes: int = 65536
) -> Any:
    """The same as `decode`."""

def register(name: str | int, *, version: int = 0) -> Callable[[_T], _T]:
    """Register a class with a name by which messages know its objects: `@register("acme.user", version=2)`."""
