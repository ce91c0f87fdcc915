# The values of msgpack that Python has not.
from typing import NamedTuple, Self

from oxwire.msgpack import Timestamp

__all__ = ["ExtType", "Timestamp"]

class _Pair(NamedTuple):
    code: int
    data: bytes

class ExtType(_Pair):
    """A value of a type that the application gave a number: code from 0 to 127, data as bytes."""

    def __new__(cls, code: int, data: bytes) -> Self: ...
