"""Annotations of arrays of numbers, and what makes such arrays of what the extension has read.

What may surprise: `array.array` and numpy are imported only where a type names them.
"""

import typing

from ._annotations import Node


class Numbers:
    """What makes an array of numbers that were read, or looks at one that is there.

    `code` says of an item how many bytes it has, times 4, and whether it is a truth value, an integer, an unsigned one, or a
    float; `dims` are the lengths that must be, None for any, or are None where there may be any number of them."""

    __slots__ = ("code", "dims", "dtype")

    def __init__(self, code, dims, dtype):
        self.code, self.dims, self.dtype = code, dims, dtype

    def __call__(self, data, shape):
        import numpy

        if not data:
            return numpy.empty(shape, self.dtype)
        if self.code == 11:
            # Floats of two bytes are rounded here.
            made = numpy.frombuffer(data).astype(self.dtype)
        else:
            made = numpy.frombuffer(data, self.dtype)
        return made if len(shape) == 1 else made.reshape(shape)

    def given(self, array):
        from numpy import can_cast, ndarray

        if not isinstance(array, ndarray):
            return NotImplemented
        dtype = array.dtype
        if dtype != self.dtype and ("b" in (dtype.kind, self.dtype.kind) or not can_cast(dtype, self.dtype)):
            raise ValueError(f"Expected `array` of {self.dtype}, got {dtype}")
        dims = self.dims
        if dims is not None and (
            len(dims) != array.ndim or any(n not in (None, m) for n, m in zip(dims, array.shape, strict=True))
        ):
            raise ValueError(f"Expected `array` of shape {_shape(dims)}, got {_shape(array.shape)}")
        return array.astype(self.dtype, copy=False)


class _Typed(Numbers):
    """The same for `array.array`; its `dtype` is a typecode."""

    __slots__ = ()

    def __call__(self, data, shape):
        from array import array

        made = array(self.dtype)
        made.frombytes(data)
        return made

    def given(self, array):
        if type(array).__module__ != "array":
            return NotImplemented
        if array.typecode != self.dtype:
            raise ValueError(f"Expected `array` of typecode {self.dtype!r}, got {array.typecode!r}")
        return array


def _shape(dims):
    return f"({', '.join('*' if n is None else str(n) for n in dims)})"


def numbers(reader, cls, args, whole, metas):
    """The node of an annotation of an array of numbers; None if it does not say of which."""
    found = _typed(cls, args, metas) if cls.__name__ == "array" else _numpy(args, metas)
    if found is None:
        return None
    made, item = found
    node = reader.node("numbers", whole, metas, [item], cls)
    node.make = made
    return node


def _item(code, low, high):
    kind = (bool, int, int, float)[code % 4]
    return Node(kind.__name__, kind, meta={"ge": low, "le": high} if high else {})


def _said(metas, name):
    return next((value for one in metas if (value := getattr(one, name)) is not None), None)


def _typed(cls, args, metas):
    code = _said(metas, "typecode") or {(int,): "q", (float,): "d"}.get(tuple(args))
    if code is None or code in "uw":
        return None
    size = cls(code).itemsize
    sort = 3 if code in "fd" else 2 if code.isupper() else 1
    low, high = (0, (1 << 8 * size) - 1) if sort == 2 else (-1 << 8 * size - 1, (1 << 8 * size - 1) - 1)
    if sort == 3:
        low, high = (-_SINGLE, _SINGLE) if size == 4 else (0, 0)
    return _Typed(4 * size + sort, (None,), code), _item(sort, low, high)


# The largest float of four bytes.
_SINGLE = (2 - 2**-23) * 2.0**127


def _numpy(args, metas):
    import numpy

    if len(args) != 2:
        return None
    item = typing.get_args(args[1])
    if len(item) != 1 or not isinstance(item[0], type) or not issubclass(item[0], numpy.generic):
        return None
    try:
        dtype = numpy.dtype(item[0])
    except TypeError:
        return None
    # Abstract types stand for no width.
    if dtype.type is not item[0] or dtype.kind not in "biuf" or dtype.itemsize > 8:
        return None
    sort = "biuf".index(dtype.kind)
    low = high = 0
    if sort in (1, 2):
        low, high = int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)
    elif sort == 3 and dtype.itemsize < 8:
        low, high = float(numpy.finfo(dtype).min), float(numpy.finfo(dtype).max)
    return Numbers(4 * dtype.itemsize + sort, _said(metas, "shape") or _dims(args[0]), dtype), _item(
        sort, low, high
    )


def _dims(shape):
    """The lengths that a type says; None where it says not even how many."""
    while hasattr(shape, "__value__"):
        shape = shape.__value__
    sizes = typing.get_args(shape)
    if typing.get_origin(shape) is not tuple or ... in sizes:
        return None
    return tuple(
        typing.get_args(one)[0] if typing.get_origin(one) is typing.Literal else None for one in sizes
    )
