# For the checks of this project only: what the module gives to others.
from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any

U16: Struct
I32: Struct
U32: Struct
F64: Struct
COMMON: dict[int, Callable[[Machine], Any]]

class Machine:
    table: dict[int, Callable[[Any], Any]]
    stack: list[Any]
    def __init__(
        self, data: Any, fault: Callable[[str, int], Exception], buffers: Iterator[Any] | None = None
    ) -> None: ...
    def run(self) -> Any: ...
    def done(self) -> Any: ...
