# Types as programs for the extension.
from collections.abc import Iterable
from typing import Any

from ._annotations import Node

__all__ = ["enum_values", "narrow", "nodes", "program", "type_name"]

ANY: int
ARRAY: int
CUSTOM: int
MAP: int

class Refused(TypeError): ...

class _Union:
    takes: int
    values: dict[str | int, Any]
    missing: Any
    checks: list[tuple[int, int, Any, str]]
    def __init__(self, node: Node) -> None: ...

def _names(takes: int, custom: Any) -> str: ...
def enum_values(cls: Any) -> dict[str | int, Any]: ...
def narrow(*types: Any) -> None: ...
def nodes(types: Iterable[Any], narrow: bool = False) -> list[Node]: ...
def program(type: Any) -> tuple[Any, ...] | None: ...
def type_name(cls: type) -> str: ...
