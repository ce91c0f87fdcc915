"""A serializer for Redis: for django-redis, Django's own cache, and redis-py. docs/ext.md is the manual."""

from typing import Any

from oxwire.native import _Registry

class Serializer:
    """`dumps` and `loads` of values; ints of 64 bits as Redis counts them. `options` are those of django-redis, and of no effect."""

    def __init__(self, options: object = None, *, registry: _Registry = None) -> None: ...
    def dumps(self, value: Any, /) -> bytes:
        """Raises EncodeError."""
    def loads(self, data: bytes, /) -> Any:
        """Raises DecodeError, or ValueError for what begins as an int and is none."""
