"""The native format: any graph of Python data, exactly, and no code that a message names.

`encode` and `decode` (also called `dumps` and `loads`) are the whole of it for most programs; `Encoder` and `Decoder` fix their
options once, and `register` gives classes the names by which messages know them. docs/wire/native.md is the format.
"""

from copy import copy as _copy
from functools import partial as _partial

from ._native import Helper, Raw
from ._oxwire import DecodeError, EncodeError
from ._oxwire import native_Graph as Graph
from ._registry import Unknown, register
from ._registry import refused as _refused

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "FileWriter",  # noqa: F822
    "Raw",
    "StreamDecoder",  # noqa: F822
    "Unknown",
    "decode",
    "decode_prefix",
    "dumps",
    "encode",
    "loads",
    "read",  # noqa: F822
    "register",
]

_NO_LIMIT = 1 << 62
# Depth, bytes of an integer, and memory, where 0 stands for what suits the message.
_SAFE = (1000, 65536, 0)
_PROFILES = {"safe": _SAFE, "strict": (100, 1024, 16 << 20), "trusted": (100_000, _NO_LIMIT, _NO_LIMIT)}
# What a type may need, as for other formats.
_TYPING = ("strict", "dec_hook", "forbid_unknown_fields", "by_name", "codecs", "errors")
# Codecs for calls with options, which are often the same ones.
_CODECS: dict = {}


class Encoder:
    """`encode` with its options fixed. Safe to share among threads."""

    __slots__ = ("encode",)

    def __init__(
        self, *, memoize=True, registry=None, max_depth=_SAFE[0], collect_buffers=False, canonical=False
    ):
        helper, limits = Helper(registry), (max_depth, *_SAFE[1:])
        if canonical:
            if collect_buffers:
                raise ValueError("the canonical form has no buffers beside it")
            from ._canonical import encoder

            self.encode = encoder(helper, Graph(helper.calls(), 0, *limits), max_depth)
        else:
            how = bool(memoize) | 2 * bool(collect_buffers)
            self.encode = Graph(helper.calls(), how, *limits).encode


class Decoder:
    """`decode` with its options fixed. Safe to share among threads."""

    __slots__ = ("decode", "decode_prefix")

    def __init__(
        self,
        *,
        type=...,
        registry=None,
        extra="forbid",
        unknown="forbid",
        patterns=False,
        post_init=False,
        canonical=False,
        profile="safe",
        max_depth=None,
        max_int_bytes=None,
        max_memory=None,
        max_expanded=None,
        **typing,
    ):
        if profile not in _PROFILES:
            raise ValueError(f"`profile` must be one of {', '.join(_PROFILES)}, got {profile!r}")
        limits = [*_PROFILES[profile]]
        for i, limit in enumerate((max_depth, max_int_bytes, max_memory)):
            if limit is not None:
                # No memory at all is not what 0 stands for there.
                limits[i] = limit or i // 2
        if max_expanded is None and profile == "strict":
            max_expanded = 1 << 22
        make, ends = Helper, []
        if max_expanded is not None:
            # First, since what comes then may walk along all paths.
            from ._native_typed import bounded

            ends.append(_partial(bounded, max_expanded))
        for name in typing:
            if type is ... or name not in _TYPING:
                raise TypeError(
                    f"unexpected keyword argument `{name}`" + " without `type`" * (name in _TYPING)
                )
        if post_init or type is not ...:
            from ._native_typed import Held as make
            from ._native_typed import finished, holder

            if type is not ...:
                ends.append(holder(type, typing))
            if post_init:
                ends.append(finished)
        helper = make(registry, extra, unknown, patterns)
        helper.max_digits = limits[1]
        if canonical:
            ends.append(
                _partial(_as_written, Encoder(registry=registry, canonical=True, max_depth=limits[0]))
            )
        for name, whole in (("decode", True), ("decode_prefix", False)):
            apart = _partial(_apart, [], helper, (whole, *limits), ends)
            setattr(self, name, apart if ends else Graph(helper.calls(), whole, *limits).decode)


def _own(idle, helper, limits):
    # A helper that no other call has meanwhile, and its codec.
    try:
        return idle.pop()
    except IndexError:
        helper = _copy(helper)
        return helper, Graph(helper.calls(), *limits)


def _apart(idle, helper, limits, ends, buf, /, **options):
    # What is read of a message and what travelled beside it, when it has been looked at as it has to be.
    own = helper, graph = _own(idle, helper, limits)
    helper.made = []
    value = made = graph.decode(buf, **options)
    size = None
    if not limits[0]:
        value, size = made
    for end in ends:
        value = end(value, helper.made, buf, size)
    helper.made = None
    idle.append(own)
    return value if size is None else (value, size)


def _as_written(encoder, value, _, buf, size):
    # Sees to it that a value was written in the canonical form.
    from ._native_typed import bounded

    data = bytes(memoryview(buf).cast("B")[:size])
    try:
        # What was written along all paths has few parts for each byte.
        bounded(8 * len(data) + 1000, value)
    except DecodeError:
        raise _refused("The message is not in the canonical form: it has references") from None
    again = encoder.encode(value)
    if data != again:
        at = next((at for at, (a, b) in enumerate(zip(data, again, strict=False)) if a != b), len(again))
        raise _refused(f"The message is not in the canonical form (byte {at})", at)
    return value


def _codec(cls, name, options):
    # A codec with these options, for a function of this name.
    try:
        key = (cls, *options.items())
        codec = _CODECS.get(key)
    except TypeError:
        # Lists and dicts may be others the next time.
        key = codec = None
    if codec is None:
        try:
            codec = cls(**options)
        except TypeError as error:
            raise TypeError(str(error).replace(f"{cls.__name__}.__init__", name)) from None
        if key and "dec_hook" not in options:
            if len(_CODECS) > 60:
                _CODECS.clear()
            _CODECS[key] = codec
    return codec


def _encode(obj, options):
    return _codec(Encoder, "encode", options).encode(obj)


def _decode(buf, options):
    beside = {"buffers": options.pop("buffers")} if "buffers" in options else {}
    return _codec(Decoder, "decode", options).decode(buf, **beside)


def decode_prefix(buf, /, **options):
    """Read the message that a buffer begins with: the value, and how many bytes it took."""
    return _codec(Decoder, "decode_prefix", options).decode_prefix(buf)


# The codec for calls without keywords, which need no function in between.
_plain = Graph(Helper().calls(_encode, _decode), 5, *_SAFE)
encode = dumps = _plain.encode
decode = loads = _plain.decode


def __getattr__(name):
    if name in ("FileWriter", "StreamDecoder", "read"):
        from . import _frames

        return getattr(_frames, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
