# The public part of unpacker.py, whose code an installed package has in its archive (docs/decisions/0013-archive.md).
from typing import Any, Self

__all__ = ["Unpacker", "unpack", "unpackb"]

def unpackb(packed: Any, **options: Any) -> Any:
    """Unpack one object, which must be all there is. The options are those of Unpacker."""

def unpack(stream: Any, **kwargs: Any) -> Any:
    """Unpack the one object that is all there is to read from `stream`."""

class Unpacker:
    """Unpacks one object after the other, out of what `feed` is given or out of a file. The options are msgpack's."""

    def __init__(
        self, file_like: Any = None, *, read_size: int = 0, max_buffer_size: int = 104857600, **options: Any
    ) -> None: ...
    def feed(self, next_bytes: Any) -> None:
        """Add bytes."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Any:
        """The next object; StopIteration if it is not complete yet."""

    def unpack(self) -> Any:
        """The next object; OutOfData if it is not complete yet."""

    def skip(self) -> None:
        """Pass over the next object."""

    def read_array_header(self) -> int:
        """Enter an array: how many objects follow."""

    def read_map_header(self) -> int:
        """Enter a map: how many pairs of objects follow."""

    def read_bytes(self, nbytes: int) -> bytes:
        """The next bytes as they stand; fewer if there are no more."""

    def tell(self) -> int:
        """How many bytes were used up."""
