# Arrays of numbers.
from typing import Any

from . import Meta
from ._annotations import Node

class Numbers:
    code: int
    dims: tuple[int | None, ...] | None
    dtype: Any
    def __init__(self, code: int, dims: tuple[int | None, ...] | None, dtype: Any) -> None: ...
    def __call__(self, data: bytearray, shape: tuple[int, ...]) -> Any: ...
    def given(self, array: Any) -> Any: ...

def numbers(
    reader: Any, cls: type, args: tuple[Any, ...], whole: Any, metas: tuple[Meta, ...]
) -> Node | None: ...
