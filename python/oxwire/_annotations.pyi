# Type annotations as nodes.
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import Discriminator, Meta

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
    steps: tuple[Any, ...]
    fields: tuple[tuple[str, str, Node, int, Any, Any], ...]
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
def merged(one: Any, other: Any) -> Any: ...
def metadata(node: Node) -> tuple[dict[str, Any] | None, dict[Any, Any] | None]: ...
def read(*given: Any) -> list[Node]: ...
