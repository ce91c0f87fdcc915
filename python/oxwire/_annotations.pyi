# Type annotations as nodes.
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import Codec, Discriminator, Meta

REQUIRED: int
VALUE: int
FACTORY: int
ABSENT: int

class Node:
    kind: str
    type: Any
    cls: Any
    args: Any
    metas: tuple[Meta, ...]
    meta: Mapping[str, Any]
    words: Mapping[str | None, str]
    steps: tuple[Any, ...]
    fields: tuple[tuple[str, str, Node, int, Any, Any], ...]
    make: Any
    anew: bool
    schema: dict[str, Any] | None
    def __init__(
        self,
        kind: str,
        type: Any,
        cls: Any = None,
        args: Any = (),
        metas: tuple[Meta, ...] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> None: ...

def declared(cls: type, t: Any) -> Iterator[tuple[str, str, int, Any, Any]]: ...
def discriminators(node: Node) -> list[Discriminator]: ...
def members(node: Node, whole: Callable[[Node], Any] | None = None) -> list[Node]: ...
def read(*given: Any, codecs: Mapping[Any, Codec] | bool | None = None) -> list[Node]: ...
