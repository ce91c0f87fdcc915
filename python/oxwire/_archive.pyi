# How an installed package finds the modules that are no files.
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

PATH: str
_CODES: tuple[int, ...]

class Archive:
    steps: ClassVar[tuple[int, ...]]
    packed: bytes
    words: list[int | str]
    paths: dict[str, None]
    files: dict[str, tuple[str, ...]]
    def read(self, most: int) -> dict[str, tuple[str, ...]]: ...
    def spelled(self, text: str) -> str: ...

class Finder:
    place: ClassVar[str]
    archive: ClassVar[Archive | None]
    more: ClassVar[dict[str, Any]]
    path: str
    def __init__(self, path: str) -> None: ...
    def asked(self, what: str, *of: Any) -> Any: ...
    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None: ...
    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]: ...
