# The public part of packer.py, whose code an installed package has in its archive (docs/decisions/0013-archive.md).
import builtins
from collections.abc import Callable, Collection
from typing import Any

__all__ = ["Packer", "pack", "packb"]

class Packer:
    """Packs objects as MessagePack. The options are those of msgpack; `buf_size` is without effect."""

    def __init__(
        self,
        *,
        default: Callable[[Any], Any] | None = None,
        use_single_float: bool = False,
        autoreset: bool = True,
        use_bin_type: bool = True,
        strict_types: bool = False,
        datetime: bool = False,
        unicode_errors: str | None = None,
        buf_size: int = 262144,
    ) -> None: ...

    # Any is bytes, or None with `autoreset=False`.

    def pack(self, obj: Any) -> Any:
        """Pack one object. If that fails, nothing is held any more."""

    def pack_array_header(self, size: int) -> Any:
        """The head of an array; its `size` items are packed next."""

    def pack_map_header(self, size: int) -> Any:
        """The head of a map; its `size` keys and values are packed next, in turn."""

    def pack_map_pairs(self, pairs: Collection[tuple[Any, Any]]) -> Any:
        """Pack pairs of key and value as a map."""

    def pack_ext_type(self, typecode: int, data: Any) -> Any:
        """Pack an ext of any code from -128 to 127, of any buffer."""

    def bytes(self) -> builtins.bytes:
        """What is held."""

    def getbuffer(self) -> memoryview:
        """A view of what is held. While it is in use nothing can be packed."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def reset(self) -> None:
        """Hold nothing any more."""

def packb(o: Any, **kwargs: Any) -> bytes:
    """Pack an object. The options are those of Packer."""

def pack(o: Any, stream: Any, **kwargs: Any) -> None:
    """Pack an object and write it to `stream`."""
