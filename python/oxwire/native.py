"""The native format: any graph of Python data, exactly, and no code that a message names.

`encode` and `decode` (also called `dumps` and `loads`) are the whole of it for most programs; `Encoder` and `Decoder` fix their
options once, and `register` gives classes the names by which messages know them. docs/wire/native.md is the format.
"""

from __future__ import annotations

from ._native import Helper
from ._oxwire import DecodeError, EncodeError, Graph
from ._registry import register

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "decode",
    "dumps",
    "encode",
    "loads",
    "register",
]

_MAX_DEPTH, _MAX_INT_BYTES = 1000, 65536


class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    __slots__ = ("encode",)

    def __init__(self, *, memoize=True, registry=None, max_depth=_MAX_DEPTH):
        self.encode = Graph(Helper(registry).calls(), None, memoize, max_depth, _MAX_INT_BYTES).encode


class Decoder:
    """`decode` with its options fixed. Safe to share among threads."""

    __slots__ = ("decode",)

    def __init__(self, *, registry=None, max_depth=_MAX_DEPTH, max_int_bytes=_MAX_INT_BYTES):
        self.decode = Graph(Helper(registry).calls(), None, True, max_depth, max_int_bytes).decode


# The codec for calls without keywords, which need no function in between.
_plain = Graph(
    Helper().calls(),
    (
        lambda obj, /, **options: Encoder(**options).encode(obj),
        lambda buf, /, **options: Decoder(**options).decode(buf),
    ),
    True,
    _MAX_DEPTH,
    _MAX_INT_BYTES,
)
encode = dumps = _plain.encode
decode = loads = _plain.decode
