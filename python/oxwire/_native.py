"""What the native format's codec asks Python for: the types of the standard library, and registered classes.

What may surprise: nothing here is called for the built-in types, which the extension writes and makes itself. Modules are never
imported for writing: whoever has an instance has imported its class. Nothing of a message names what is called: codes and names
are looked up in tables.
"""

from __future__ import annotations

import sys
from functools import partial
from types import MappingProxyType, SimpleNamespace

from ._errors import DecodeError, EncodeError
from ._registry import Registry, refused


def found(module, name):
    """A class of the standard library."""
    return getattr(__import__(module), name)


def spelled(module, name):
    """How a type is written whose value is its text, and made of it."""
    return lambda o: str(o), lambda body: exactly(found(module, name), body)


def exactly(cls, text):
    """An object of a class, if the text is the one that it has itself."""
    if type(text) is str and str(value := cls(text)) == text:
        return value
    raise ValueError(f"not the text of a {cls.__name__}: {text!r}")


def parts(body, *types):
    """A body that is a tuple of these types; `None` stands for any, a tuple for one of some."""
    if type(body) is tuple and len(body) == len(types):
        for value, wanted in zip(body, types, strict=True):
            if wanted is not None and type(value) not in (wanted if type(wanted) is tuple else (wanted,)):
                break
        else:
            return body
    raise ValueError("a body of another form")


DATA = (bytes, bytearray)


def zone(o):
    """A timezone: its offset in microseconds, and its name if it was given one."""
    offset, *name = o.__getinitargs__()
    micros = (offset.days * 86400 + offset.seconds) * 10**6 + offset.microseconds
    return (micros, *name) if name else micros


def make_zone(body):
    from datetime import timedelta, timezone

    if type(body) is int and body:
        return timezone(timedelta(microseconds=body))
    micros, name = parts(body, int, str)
    return timezone(timedelta(microseconds=micros), name)


def zone_key(o):
    if o.key is None:
        raise EncodeError("Cannot encode a ZoneInfo that has no key")
    return o.key


def make_key(body):
    from zoneinfo import ZoneInfo

    if (
        type(body) is not str
        or len(body) > 64
        or not body.replace("/", "").replace("-", "").replace("_", "").replace("+", "").isalnum()
    ):
        raise ValueError("not the key of a zone")
    return ZoneInfo(body)


def make_fraction(body):
    from fractions import Fraction

    n, d = parts(body, int, int)
    value = Fraction(n, d)
    if (value.numerator, value.denominator) != body:
        raise ValueError("not in lowest terms")
    return value


def make_safe_uuid(body):
    from uuid import UUID, SafeUUID

    data, safe = parts(body, bytes, int)
    return UUID(bytes=data, is_safe=SafeUUID(safe))


def view(o):
    data = (bytes if o.readonly else bytearray)(o.tobytes())
    return data if (o.format, o.ndim) == ("B", 1) else (o.format, tuple(o.shape), data)


def make_view(body):
    if type(body) in DATA:
        return memoryview(body)
    form, shape, data = parts(body, str, tuple, DATA)
    return memoryview(data).cast(form, shape)


def items(o):
    if sys.byteorder == "big":
        o = o[:]
        o.byteswap()
    return o.typecode, o.itemsize, o.tobytes()


def make_items(body):
    from array import array

    code, size, data = parts(body, str, int, DATA)
    made = array(code)
    if made.itemsize != size:
        raise ValueError(f"items of {size} bytes, which are of {made.itemsize} here")
    made.frombytes(data)
    if sys.byteorder == "big":
        made.byteswap()
    return made


def dtype_of(dtype):
    if dtype.hasobject:
        raise EncodeError("Cannot encode an array of objects")
    return dtype.str if dtype.names is None else dtype.descr


def nd(o):
    if o.flags.f_contiguous and not o.flags.c_contiguous:
        data, more = o.tobytes("F"), (True,)
    else:
        data, more = o.tobytes(), ()
    return dtype_of(o.dtype), o.shape, bytearray(data) if o.flags.writeable else data, *more


def make_dtype(said):
    import numpy as np

    dtype = np.dtype(said if type(said) is str else [tuple(field) for field in said])
    if dtype.hasobject:
        raise ValueError("an array of objects")
    return dtype


def make_nd(body):
    import numpy as np

    dtype, shape, data, *more = body
    parts((shape, data, *more), tuple, DATA, *[bool] * len(more))
    if not all(type(n) is int and n >= 0 for n in shape) or more not in ([], [True]):
        raise ValueError("no shape")
    return np.frombuffer(data, make_dtype(dtype)).reshape(shape, order="F" if more else "C")


def make_scalar(body):
    import numpy as np

    dtype, data = body
    [value] = np.frombuffer(data, make_dtype(dtype))
    return value


BUILTIN = (
    object,
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    tuple,
    list,
    dict,
    set,
    frozenset,
)


def make_builtin(body):
    if type(body) is not int or not 0 <= body < len(BUILTIN):
        raise ValueError("no built-in class")
    return BUILTIN[body]


def make_slice(body):
    return slice(*parts(body, None, None, None))


def make_range(body):
    return range(*parts(body, int, int, int))


# Code: module and name of the class, what it is written as, what makes it of that.
LEAVES = {
    0x01: ("decimal", "Decimal", *spelled("decimal", "Decimal")),
    0x02: ("fractions", "Fraction", lambda o: (o.numerator, o.denominator), make_fraction),
    0x03: ("uuid", "UUID", lambda o: (o.bytes, o.is_safe.value), make_safe_uuid),
    0x04: ("datetime", "timezone", zone, make_zone),
    0x05: ("zoneinfo", "ZoneInfo", zone_key, make_key),
    0x10: ("builtins", "range", lambda o: (o.start, o.stop, o.step), make_range),
    0x11: ("builtins", "slice", lambda o: (o.start, o.stop, o.step), make_slice),
    0x12: ("builtins", "memoryview", view, make_view),
    0x13: ("array", "array", items, make_items),
    0x14: ("numpy", "ndarray", nd, make_nd),
    # These have no class of their own.
    0x15: ("numpy", "numpy scalar", None, make_scalar),
    0x17: ("builtins", "built-in class", None, make_builtin),
}
for n, name in enumerate(("PurePosixPath", "PureWindowsPath", "PosixPath", "WindowsPath"), 6):
    LEAVES[n] = ("pathlib", name, *spelled("pathlib", name))
for n, name in enumerate(("Address", "Network", "Interface")):
    for version in (4, 6):
        one = f"IPv{version}{name}"
        LEAVES[0x06 + 2 * n + version // 2 + 2] = ("ipaddress", one, *spelled("ipaddress", one))


def fill_deque(o, body):
    most, body = (None, body) if type(body) is list else parts(body, int, list)
    if most is not None and not 0 <= len(body) <= most:
        raise refused("A deque has more items than it may")
    type(o).__init__(o, body, most)


def fill_default(o, body):
    factory, body = parts(body, None, dict)
    if not (factory is None or isinstance(factory, type)):
        raise refused("The factory of a defaultdict is no class")
    type(o).__init__(o, factory, body)


def fill_ordered(o, body):
    type(o).update(o, *parts((body,), dict))


def fill_dict(o, body):
    dict.update(o, *parts((body,), dict))


def fill_maps(o, body):
    [o.maps] = parts((body,), list)


def fill_names(o, body):
    [body] = parts((body,), dict)
    if not all(type(key) is str for key in body):
        raise refused("A namespace has a name that is no text")
    vars(o).update(body)


def limited(o):
    return list(o) if o.maxlen is None else (o.maxlen, list(o))


# The same, for what exists before it is filled: with what fills it.
FILLED = {
    0x20: ("collections", "deque", limited, fill_deque),
    0x21: ("collections", "OrderedDict", dict, fill_ordered),
    0x22: ("collections", "defaultdict", lambda o: (o.default_factory, dict(o)), fill_default),
    0x23: ("collections", "Counter", dict, fill_dict),
    0x24: ("collections", "ChainMap", lambda o: o.maps, fill_maps),
    0x25: ("types", "SimpleNamespace", lambda o: vars(o).copy(), fill_names),
    0x26: ("types", "MappingProxyType", lambda o: o.copy(), None),
}
CODES = {said[1]: (code, said[0], said[2]) for table in (LEAVES, FILLED) for code, said in table.items()}
CODES["mappingproxy"] = CODES.pop("MappingProxyType")


def proxied(o):
    """A plain dict of what a proxy stands for."""
    if type(body := o | {}) is not dict:
        raise EncodeError("Cannot encode a MappingProxyType of anything but a dict")
    return body


def filled(name, fill, o, body):
    """Fills an object with a body that may be none for it."""
    try:
        fill(o, body)
    except DecodeError:
        raise
    except (TypeError, ValueError) as error:
        raise refused(f"The body of a {name} says nothing that exists: {error}") from error


class Helper(Registry):
    """Answers for one registry."""

    def describe(self, o):
        """What an object consists of: the code and the body of a type of the standard library; or a type and values."""
        cls = type(o)
        said = CODES.get(cls.__name__)
        if said is not None:
            code, module, take = said
            name = "MappingProxyType" if code == 0x26 else cls.__name__
            if getattr(sys.modules.get(module), name, None) is cls:
                if code == 3 and o.is_safe.value is None:
                    return 0x13, o.bytes, None
                return code, proxied(o) if code == 0x26 else take(o)
        if isinstance(o, type):
            return (0x17, BUILTIN.index(o)) if o in BUILTIN else (0x18, self.name_of(o))
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(o, numpy.generic):
            return 0x15, (dtype_of(o.dtype), o.tobytes())
        return self.taken_apart(o)

    def leaf(self, code, body):
        """An object of the standard library that is made of its body."""
        if code == 0x113:
            from uuid import UUID

            return UUID(bytes=body)
        if code == 0x18:
            return self.class_of(body)
        if code not in LEAVES:
            raise refused(f"There is no type of the standard library with the code {code:#x}")
        _, name, _, make = LEAVES[code]
        try:
            return make(body)
        except DecodeError:
            raise
        except Exception as error:
            raise refused(f"The body of a {name} says nothing that exists: {error}") from error

    def open(self, code):
        """An object that will be filled, and what fills it."""
        said = FILLED.get(code)
        if said is None:
            return None
        if code == 0x26:
            inside = {}
            return MappingProxyType(inside), partial(filled, said[1], lambda _, body: fill_dict(inside, body))
        cls = SimpleNamespace if code == 0x25 else found(said[0], said[1])
        return cls.__new__(cls), partial(filled, said[1], said[3])

    def moment(self, bare, fold, tzinfo):
        """A time or datetime with a fold and a zone."""
        from datetime import tzinfo as base

        if not (tzinfo is None or isinstance(tzinfo, base)):
            raise refused("The zone of a moment is no tzinfo")
        return bare.replace(fold=fold, tzinfo=tzinfo)
