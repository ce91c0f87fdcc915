"""Arrays of anything but plain numbers, taken apart with the methods of their own library; and arrays as one
typed run of bytes (vectors/ext-codes.md).

The engine calls `plain` for arrays of text, of objects and of records, `unit` for those of moments, `numbers` for arrays
of the standard library, `pack` and `unpack` where arrays are to be an ext. Whoever has an array has imported its library.
"""

import math
from typing import Any

# Booleans, integers, floats, complex numbers, moments, spans, and text of fixed width.
_KINDS = "biufcmMSU"


def plain(array: Any) -> Any:
    """Built-in values for an array or array scalar; the thing itself if it cannot be taken apart."""
    names = array.dtype.names
    if names is None:
        value = array.tolist()
        # A dtype may give itself back for what Python has no value for.
        return array if value is array or type(value) is type(array) else value
    if array.ndim == 0:
        return {name: array[name] for name in names}
    return [plain(row) for row in array]


# How many nanoseconds each is, as a fraction, and what many are called. What has no such number is so many months over 0.
_UNITS = {
    "Y": (12, 0, "years"),
    "M": (1, 0, "months"),
    "W": (604800 * 10**9, 1, "weeks"),
    "D": (86400 * 10**9, 1, "days"),
    "h": (3600 * 10**9, 1, "hours"),
    "m": (60 * 10**9, 1, "minutes"),
    "s": (10**9, 1, "seconds"),
    "ms": (10**6, 1, "milliseconds"),
    "us": (1000, 1, "microseconds"),
    "ns": (1, 1, "nanoseconds"),
    "ps": (1, 1000, "picoseconds"),
    "fs": (1, 10**6, "femtoseconds"),
    "as": (1, 10**9, "attoseconds"),
}


def unit(array: Any) -> tuple[int, int, int, str] | None:
    """What a step of moments or spans is, as their dtype says it (`<M8[25us]`): how many, and of what."""
    text = array.dtype.str
    inside = text[text.find("[") + 1 : -1]
    name = inside.lstrip("0123456789")
    if name not in _UNITS:
        return None
    return int(inside[: -len(name)] or 1), *_UNITS[name]


# Of the standard library's letters, what they are to `dtype.kind`.
_LETTERS = dict(zip("bhilqBHILQfd", "iiiiiuuuuuff", strict=True))


def numbers(array: Any) -> bytes | list[Any]:
    """The numbers of an `array.array` as bytes, behind a letter that says what they are (as `dtype.kind`) and how many
    bytes each has; its items if they are none."""
    view = memoryview(array)
    kind = _LETTERS.get(view.format)
    if kind is None:
        return list(array)
    return b"".join(((kind + chr(view.itemsize)).encode(), view))


def pack(array: Any) -> bytes | None:
    """The type, the shape and the items of an array; None if its items are no fixed number of bytes of their own."""
    import numpy

    # Without what a subclass says of itself.
    array = numpy.asarray(array)
    # A long double is laid out as its machine likes.
    if array.dtype.kind not in _KINDS or array.dtype.char in "gG":
        return None
    dtype = array.dtype.newbyteorder("<")
    kind = dtype.str.encode("ascii")
    shape = b"".join(n.to_bytes(8, "big") for n in array.shape)
    return b"%c%b%c%b%b" % (len(kind), kind, array.ndim, shape, array.astype(dtype, copy=False).tobytes())


def unpack(body: Any) -> Any:
    """The array that `pack` gave as `body`, which it shares the memory of; None if it is no such thing."""
    import numpy

    view = memoryview(body)
    try:
        n = view[0]
        kind, ndim = str(view[1 : 1 + n], "ascii"), view[1 + n]
        start = 2 + n + 8 * ndim
        shape = [int.from_bytes(view[at : at + 8], "big") for at in range(2 + n, start, 8)]
        dtype = numpy.dtype(kind)
        if dtype.str != kind or dtype.kind not in _KINDS or dtype.char in "gG" or kind[0] == ">":
            return None
        # Counted here, since a library that multiplies in machine integers could be made to wrap around.
        if not dtype.itemsize or start > len(view) or math.prod(shape) * dtype.itemsize != len(view) - start:
            return None
        # Other bytes than these two would be truths of a third kind.
        if dtype.kind == "b" and (numpy.frombuffer(view[start:], "u1") > 1).any():
            return None
        return numpy.frombuffer(view[start:], dtype).reshape(shape)
    except (IndexError, ValueError, TypeError, SyntaxError):
        return None
