"""quickle's names, options and format, for programs that have such data."""

from collections.abc import Iterable
from pickle import PickleBuffer as PickleBuffer
from typing import Any, ClassVar, Literal, Self, dataclass_transform, overload

from _typeshed import ReadableBuffer

__version__: str
__all__ = [
    "Decoder",
    "DecodingError",
    "Encoder",
    "EncodingError",
    "PickleBuffer",
    "QuickleError",
    "Struct",
    "dumps",
    "loads",
]

class QuickleError(Exception):
    """Base of the errors of this module."""

class EncodingError(QuickleError):
    """A value cannot be written."""

class DecodingError(QuickleError):
    """What was given is no message."""

@dataclass_transform()
class StructMeta(type): ...

class Struct(metaclass=StructMeta):
    """Base of classes whose fields are their annotations, and their class attributes the defaults."""

    __struct_fields__: ClassVar[tuple[str, ...]]
    __struct_defaults__: ClassVar[tuple[Any, ...]]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __copy__(self) -> Self: ...
    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]: ...

class Encoder:
    """Writes messages.

    `memoize`: shared objects are written once, and come back shared; cycles need it. `collect_buffers`: PickleBuffers
    stand beside the message. `registry`: Struct and Enum classes, as a list or a dict of codes (from 0 to 2**31 - 1).
    `write_buffer_size` is accepted.
    """

    def __init__(
        self,
        *,
        memoize: bool = True,
        collect_buffers: bool = False,
        registry: list[type] | dict[type, int] | None = None,
        write_buffer_size: int = 4096,
    ) -> None: ...
    @property
    def memoize(self) -> bool: ...
    @property
    def collect_buffers(self) -> bool: ...
    def dumps(self, obj: Any, *, memoize: bool | None = None, collect_buffers: bool | None = None) -> Any:
        """The message of an object; with `collect_buffers` also a list of buffers, or None.

        Raises TypeError for what is of no type of the format or not registered, EncodingError, RecursionError.
        """

class Decoder:
    """Reads messages. `registry`: Struct and Enum classes, as a list or a dict by codes."""

    def __init__(self, *, registry: list[type] | dict[int, type] | None = None) -> None: ...
    def loads(self, data: ReadableBuffer, *, buffers: Iterable[Any] | None = None) -> Any:
        """The object of a message. `buffers`: what was collected when it was written.

        Raises DecodingError for what is no message, ValueError and TypeError for what is not registered or no value of
        its type, AttributeError and KeyError for unknown members and references.
        """

@overload
def dumps(
    obj: Any,
    *,
    memoize: bool = True,
    collect_buffers: Literal[False] = False,
    registry: list[type] | dict[type, int] | None = None,
) -> bytes: ...
@overload
def dumps(
    obj: Any,
    *,
    memoize: bool = True,
    collect_buffers: Literal[True],
    registry: list[type] | dict[type, int] | None = None,
) -> tuple[bytes, list[PickleBuffer] | None]:
    """The message of an object, as by an `Encoder`."""

def loads(
    data: ReadableBuffer,
    *,
    buffers: Iterable[Any] | None = None,
    registry: list[type] | dict[int, type] | None = None,
) -> Any:
    """The object of a message, as by a `Decoder`."""
