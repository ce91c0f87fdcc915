# Files and streams of the native format: users have the names from oxwire.native.
from typing import Any

from .native import FileWriter as FileWriter
from .native import StreamDecoder as StreamDecoder
from .native import read as read

class Frames:
    def __init__(self, header: bool = True, max_buffer: int = 1 << 30) -> None: ...
    def feed(self, piece: Any) -> None: ...
    def next(self) -> bytes | None: ...
