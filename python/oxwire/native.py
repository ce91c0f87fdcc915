"""The native format: any graph of Python data, exactly, and no code that a message names.

`encode` and `decode` (also called `dumps` and `loads`) are the whole of it for most programs; `Encoder` and `Decoder` fix their
options once, and `register` gives classes the names by which messages know them. docs/wire/native.md is the format.
"""

from __future__ import annotations

from copy import copy as _copy
from functools import partial as _partial

from ._native import Helper, Raw
from ._oxwire import DecodeError, EncodeError
from ._oxwire import native_Graph as Graph
from ._registry import refused as _refused
from ._registry import register

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "FileWriter",  # noqa: F822
    "Raw",
    "StreamDecoder",  # noqa: F822
    "decode",
    "decode_prefix",
    "dumps",
    "encode",
    "loads",
    "read",  # noqa: F822
    "register",
]

_MAX_DEPTH, _MAX_INT_BYTES = 1000, 65536


class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    __slots__ = ("encode",)

    def __init__(self, *, memoize=True, registry=None, max_depth=_MAX_DEPTH, collect_buffers=False):
        helper, limits = Helper(registry), (memoize, max_depth, _MAX_INT_BYTES)
        self.encode = Graph(helper.calls(), *limits).encode
        if collect_buffers:
            self.encode = _partial(_collect, helper, limits)


class Decoder:
    """`decode` with its options fixed. Safe to share among threads."""

    __slots__ = ("decode", "decode_prefix")

    def __init__(self, *, registry=None, max_depth=_MAX_DEPTH, max_int_bytes=_MAX_INT_BYTES):
        helper, limits = Helper(registry), (max_depth, max_int_bytes)
        with_buffers = _partial(_with_buffers, helper, limits)
        self.decode = Graph(helper.calls(decode=with_buffers), True, *limits).decode
        self.decode_prefix = Graph(helper.calls(), False, *limits).decode


def _collect(helper, limits, obj, /):
    """The message, and what travels beside it."""
    helper = _copy(helper)
    taken = helper.taken = []
    data = Graph(helper.calls(), *limits).encode(obj)
    # The header says whether there is anything.
    return bytes((data[0] | bool(taken),)) + data[1:] if taken else data, taken


def _with_buffers(helper, limits, buf, options):
    """What is read of a message and what travelled beside it."""
    helper = _copy(helper)
    helper.given = list(options.pop("buffers", None) or ())
    for name in options:
        raise TypeError(f"decode() has no option {name!r}")
    value = Graph(helper.calls(), True, *limits).decode(buf)
    if helper.used < len(helper.given):
        raise _refused("There are more buffers than the message uses")
    return value


def _encode(obj, options):
    return Encoder(**options).encode(obj)


def _decode(buf, options):
    buffers = options.pop("buffers", None)
    return Decoder(**options).decode(buf, buffers=buffers)


def decode_prefix(buf, /, **options):
    """Read the message that a buffer begins with: the value, and how many bytes it took."""
    return (Decoder(**options) if options else _DECODER).decode_prefix(buf)


# The codec for calls without keywords, which need no function in between.
_plain = Graph(Helper().calls(_encode, _decode), True, _MAX_DEPTH, _MAX_INT_BYTES)
_DECODER = Decoder()
encode = dumps = _plain.encode
decode = loads = _plain.decode


def __getattr__(name):
    if name in ("FileWriter", "StreamDecoder", "read"):
        from . import _frames

        return getattr(_frames, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
