# Registered classes, as oxwire.native sees them.
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T", bound=type)

def register(name: str | int, *, version: int = 0) -> Callable[[_T], _T]: ...
