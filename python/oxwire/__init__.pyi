# The public face of the package.
from typing import Self, final

from typing_extensions import Buffer

from . import json as json

__all__ = ["DecodeError", "EncodeError", "Error", "Raw", "__version__", "json"]

__version__: str

class Error(Exception):
    """Whatever oxwire raises of its own."""

class EncodeError(Error, TypeError, ValueError):
    """A value cannot be written faithfully.

    It is a TypeError and a ValueError, so that code written for either catches it.
    """

    msg: str
    """What is wrong, without the path."""
    path: str
    """Where the value stands: `$` is the root, as in `$.users[3].born`."""

class DecodeError(Error, ValueError):
    """The input is malformed."""

    msg: str
    """What was expected, without the place."""
    offset: int
    """Byte offset from the start of the input (for str: of its UTF-8 form)."""
    line: int | None
    """Line, counted from 1; lines end with a line feed. None where the input is no text."""
    column: int | None
    """Column in characters, counted from 1. None where the input is no text."""

@final
class Raw:
    """A value that is already encoded: written as it stands, and given back undecoded where `raw` asks for it.

    `Raw(data)` takes bytes, any contiguous buffer (copied), or str. When it is written it is checked
    to be one complete value of the format. Supports `bytes()`, `len()`, `==`, `hash()`, the buffer protocol and pickle.
    """

    def __new__(cls, data: Buffer | str = b"", /) -> Self: ...
    def __bytes__(self) -> bytes: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def copy(self) -> Raw:
        """A Raw that holds only its own bytes, so that the document it was cut from can be freed."""
