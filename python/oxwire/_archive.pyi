# How an installed package finds the modules that are no files.
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

PATH: str

class Archive:
    packed: bytes
    words: dict[int, str]
    paths: list[str]
    files: dict[str, str]
    def read(self, most: int) -> dict[str, str]: ...
    def spelled(self, text: str) -> str: ...
    def source(self, path: str) -> str: ...

class Finder:
    place: ClassVar[str]
    archive: ClassVar[Archive | None]
    more: ClassVar[dict[str, Any]]
    path: str
    def __init__(self, path: str) -> None: ...
    def opened(self) -> Archive: ...
    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None: ...
    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]: ...
