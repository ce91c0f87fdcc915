# Fields that are more than a name, a type and a default. What is public is declared where it is public.
from collections.abc import Callable
from typing import Any

from . import computed as computed
from ._annotations import Node
from ._struct import Field
from .structs import partial as partial
from .structs import patch as patch

EXCLUDE: int
NO_INIT: int
FROZEN: int
PRIVATE: int
FLATTEN: int
ASSIGNED: int
MIXIN: int
SHAPED: int
GUARDED: int
KEEP: int
CLOSED: int
OPEN: int

def told(
    field: Field,
    alias: Any,
    exclude: bool,
    frozen: bool,
    init: bool,
    private: bool,
    flatten: bool,
    strict: bool | None,
    message: str | None,
) -> Field: ...
def told_of(
    cls: type, names: tuple[str, ...], described: dict[str, Field], rename: Any, options: int, hides: bool
) -> tuple[bytes, dict[str, str], int, dict[str, Field]]: ...
def pairs(struct: Any) -> list[tuple[str, Any]]: ...
def shown(struct: Any) -> str: ...
def reduced(struct: Any) -> tuple[Any, ...]: ...
def check(cls: type) -> None: ...
def rebuilt(cls: type, fields: dict[str, Any], kept: Any) -> Any: ...
def record(program: Any, node: Node, row: tuple[Any, ...], apart: bool) -> tuple[Any, ...]: ...

class Ready:
    node: Node
    def __init__(self, node: Node) -> None: ...

def values(cls: type) -> Ready: ...
def outermost(node: Node) -> list[Node]: ...
def reread(value: Any, inner: Any, told: int, hook: Any) -> Any: ...
def checks(node: Node, bits_of: Callable[[Node], int]) -> list[tuple[int, int, Any, str]]: ...
def strict(node: Node) -> bool | None: ...
def is_said(node: Node) -> bool: ...
def before(
    node: Node, all_steps: bool = False
) -> tuple[Callable[[Any, int, Any], Any], list[tuple[int, int, Any, str]] | None, Node] | None: ...
