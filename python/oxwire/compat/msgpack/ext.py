"""`ExtType`, a pair as in msgpack, and `Timestamp`, which is that of oxwire.msgpack."""

from collections import namedtuple

from oxwire.msgpack import Timestamp

__all__ = ["ExtType", "Timestamp"]


class ExtType(namedtuple("ExtType", ("code", "data"))):
    """A value of a type that the application gave a number: code from 0 to 127, data as bytes."""

    def __new__(cls, code, data):
        if not isinstance(code, int):
            raise TypeError("code must be int")
        if not isinstance(data, bytes):
            raise TypeError("data must be bytes")
        if not 0 <= code <= 127:
            raise ValueError("code must be 0~127")
        return super().__new__(cls, code, data)
