"""The types of the standard library in the native format: what they are written as, and what makes them of that.

What may surprise: modules are never imported for writing, since whoever has an instance has imported its class. Nothing of a message
names what is called: codes and tags are looked up in these tables.
"""

import sys
from contextlib import suppress
from functools import cache
from gc import get_referents
from pickle import PickleBuffer
from struct import pack, unpack

from ._errors import DecodeError, EncodeError
from ._registry import is_simple, malformed, refused, sized, varint


@cache
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
    raise ValueError(f"not the text of a {cls.__name__}")


def parts(body, *types):
    """A body that is a tuple of these types; `None` stands for any, a tuple for one of some."""
    if type(body) is tuple and len(body) == len(types):
        for value, wanted in zip(body, types, strict=True):
            if wanted is not None and type(value) not in (wanted if type(wanted) is tuple else (wanted,)):
                break
        else:
            return body
    raise ValueError("a body of another form")


DATA = (bytes, bytearray, memoryview)


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

    marks = str.maketrans("", "", "/-_+")
    if type(body) is not str or len(body) > 64 or not body.translate(marks).isalnum():
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
    if (o.format, o.ndim) == ("B", 1):
        return data
    body = o.format, o.shape, data
    try:
        make_view(body)
    except (TypeError, ValueError) as error:
        raise EncodeError(f"Cannot encode a memoryview that cannot be made again: {error}") from error
    return body


def make_view(body):
    if type(body) in DATA:
        return memoryview(body)
    form, shape, data = parts(body, str, tuple, DATA)
    if shape == (0,) and not data:
        # There is no other way to one without items.
        return memoryview(type(data)(16)).cast(form)[:0]
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
    if not dtype.itemsize:
        raise EncodeError("Cannot encode an array of items that have no bytes")
    if dtype.names is None:
        return dtype.str
    # Of what stands between the fields, or of another class of items, nothing would be left.
    with suppress(ValueError):
        if dtype.type is found("numpy", "void") and found("numpy", "dtype")(dtype.descr) == dtype:
            return dtype.descr
    raise EncodeError(f"Cannot encode items of the type {dtype}")


def scalar(o):
    """A scalar of numpy."""
    said, data = dtype_of(o.dtype), o.tobytes()
    # numpy takes zeros at the end for room that is left.
    if o.dtype.kind in "SU" and not any(data[-o.dtype.alignment :]):
        raise EncodeError("Cannot encode a text of numpy that ends with a zero")
    return b"\x12\x15", [(said, data)], None


def nd(o):
    """An array; its items are a buffer if they stand one behind the other, and then may travel beside the message."""
    dtype, more = dtype_of(o.dtype), ()
    if not o.flags.forc:
        data = o.tobytes()
        data = bytearray(data) if o.flags.writeable else data
    else:
        more = () if o.flags.c_contiguous else (True,)
        # Moments are no buffers by themselves.
        data = PickleBuffer(o.view(f"V{o.itemsize}") if o.dtype.kind in "mMV" else o)
    return dtype, o.shape, data, *more


def make_dtype(said, most):
    """A dtype that is said in its one spelling, of fewer fields than that: numpy would ask all objects in it for what they are."""
    import numpy as np

    left = [said]
    for one in left:
        if type(one) is list and len(left) < most:
            for field in one:
                name, kind, *shape = field if type(field) is tuple else ()
                left.append(kind if is_simple((name, *shape)) else None)
        elif type(one) is not str:
            raise ValueError("not a dtype")
    dtype = np.dtype(said)
    if repr(dtype_of(dtype)) != repr(said):
        raise ValueError("not how a dtype is spelled")
    return dtype


def make_nd(body, size):
    import numpy as np

    dtype, shape, data, *more = body if type(body) is tuple else ()
    parts((shape, data, *more), tuple, DATA, *[bool] * len(more))
    if not all(type(n) is int and n >= 0 for n in shape) or more not in ([], [True]):
        raise ValueError("no shape")
    return np.frombuffer(data, make_dtype(dtype, size)).reshape(shape, order="F" if more else "C")


def make_scalar(body, size):
    import numpy as np

    dtype, data = parts(body, None, DATA)
    [value] = np.frombuffer(data, make_dtype(dtype, size))
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
    ...,
    NotImplemented,
)


def make_builtin(body):
    if type(body) is not int or not 0 <= body < len(BUILTIN):
        raise ValueError("nothing that is built in")
    return BUILTIN[body]


def builtin(o):
    return b"\x12\x17", [BUILTIN.index(o)], None


def make_pattern(body):
    from re import compile, error

    pattern, flags = parts(body, (str, bytes), int)
    try:
        return compile(pattern, flags)
    except (error, RecursionError) as fault:
        raise ValueError(str(fault)) from None


def steps(o):
    return o.start, o.stop, o.step


def make_slice(body):
    """A slice with few others in it along all paths: the interpreter frees them on the stack."""
    left = [*parts(body, None, None, None)]
    for one in left:
        if type(one) is slice:
            left += steps(one)
            if len(left) > 300:
                raise ValueError("too many in each other")
    return slice(*body)


# Code: module and name of the class, what it is written as, what makes it of that.
LEAVES = {
    0x01: ("decimal", "Decimal", *spelled("decimal", "Decimal")),
    0x02: ("fractions", "Fraction", lambda o: (o.numerator, o.denominator), make_fraction),
    0x03: ("uuid", "UUID", None, make_safe_uuid),
    0x04: ("datetime", "timezone", zone, make_zone),
    0x05: ("zoneinfo", "ZoneInfo", zone_key, make_key),
    0x10: ("builtins", "range", steps, lambda body: range(*parts(body, int, int, int))),
    0x11: ("builtins", "slice", steps, make_slice),
    0x12: ("builtins", "memoryview", view, make_view),
    0x13: ("array", "array", items, make_items),
    0x14: ("numpy", "ndarray", nd, make_nd),
    0x16: ("re", "Pattern", lambda o: (o.pattern, o.flags), make_pattern),
    # These have no class of their own.
    0x15: ("numpy", "numpy scalar", None, make_scalar),
    0x17: ("builtins", "built-in class", None, make_builtin),
}
paths = [("pathlib", name) for name in ("PurePosixPath", "PureWindowsPath", "PosixPath", "WindowsPath")]
kinds = ("Address", "Network", "Interface")
networks = [("ipaddress", f"IPv{version}{kind}") for kind in kinds for version in "46"]
for code, one in enumerate(paths + networks, 6):
    LEAVES[code] = (*one, *spelled(*one))


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


def bare(o):
    """A plain dict of what a subclass of dict holds."""
    if vars(o):
        raise EncodeError(f"Cannot encode an object of type `{type(o).__name__}` that has attributes")
    return dict(o)


def limited(o):
    return list(o) if o.maxlen is None else (o.maxlen, list(o))


# The same, for what exists before it is filled: with what fills it.
FILLED = {
    0x20: ("collections", "deque", limited, fill_deque),
    0x21: ("collections", "OrderedDict", bare, fill_ordered),
    0x22: ("collections", "defaultdict", lambda o: (o.default_factory, dict(o)), fill_default),
    0x23: ("collections", "Counter", bare, fill_dict),
    0x24: ("collections", "ChainMap", lambda o: o.maps, fill_maps),
    0x25: ("types", "SimpleNamespace", lambda o: vars(o).copy(), fill_names),
    0x26: ("types", "MappingProxyType", None, None),
}


def proxied(o):
    """A plain dict of what a proxy stands for."""
    [body] = get_referents(o)
    if type(body) is not dict:
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


def extended(code, take):
    """How a type of the table is written."""
    start = bytes((0x12, code))
    return lambda o: (start, [take(o)], None)


def day(o):
    return o.year << 9 | o.month << 5 | o.day


def clock(o):
    return o.hour << 33 | o.minute << 27 | o.second << 21 | o.microsecond << 1 | o.fold


def zoned(tag, number, size, zone):
    return (bytes((tag,)) + number.to_bytes(size, "little"), []) if zone is None else (
        bytes((tag + 1,)) + number.to_bytes(size, "little"), [zone])  # fmt: skip


def span(o):
    return b"\x19" + pack("<i", o.days) + (o.seconds << 20 | o.microseconds).to_bytes(5, "little"), []


def identity(o):
    known = o.is_safe.value
    return (b"\x13" + o.bytes, []) if known is None else (b"\x12\3", [(o.bytes, known)], None)


def big(o):
    return sized(0x6C, o.to_bytes((o + (o < 0)).bit_length() // 8 + 1, "little", signed=True)), []


# Class by name: where it is, and how its objects are written: see `describe` in crates/graph/src/lib.rs.
SPELLED = {
    said[1]: (said[0], said[1], extended(code, said[2]))
    for table in (LEAVES, FILLED)
    for code, said in table.items()
    if said[2]
}
SPELLED |= {
    "mappingproxy": ("types", "MappingProxyType", extended(0x26, proxied)),
    "ellipsis": ("types", "EllipsisType", builtin),
    "NotImplementedType": ("types", "NotImplementedType", builtin),
}
for module, ways in {
    "builtins": {
        "complex": lambda o: (b"\x5f" + pack("<dd", o.real, o.imag), []),
        "bytearray": lambda o: (b"\x0e" + varint(len(o)), bytes(o)),
        "set": lambda o: (b"\6" + varint(len(o)), list(o)),
        "frozenset": lambda o: (b"\7" + varint(len(o)), list(o)),
        # Beyond 64 bits, and with surrogates.
        "int": big,
        "str": lambda o: (sized(2, o.encode("utf-8", "surrogatepass")), []),
    },
    "uuid": {"UUID": identity},
    "datetime": {
        "date": lambda o: zoned(0x14, day(o), 3, None),
        "time": lambda o: zoned(0x15, clock(o), 5, o.tzinfo),
        "datetime": lambda o: zoned(0x17, day(o) << 38 | clock(o), 8, o.tzinfo),
        "timedelta": span,
    },
}.items():
    SPELLED |= {name: (module, name, way) for name, way in ways.items()}
# Never referred to.
ATOMS = (complex,)


def little(raw):
    return int.from_bytes(raw, "little")


def make_day(v):
    return v >> 9, v >> 5 & 15, v & 31


def make_clock(v):
    return v >> 33, v >> 27 & 63, v >> 21 & 63, v >> 1 & 0xFFFFF


def make_date(raw, _):
    return found("datetime", "date")(*make_day(little(raw)))


def make_time(raw, zone):
    v = little(raw)
    return found("datetime", "time")(*make_clock(v), zone, fold=v & 1)


def make_datetime(raw, zone):
    v = little(raw)
    day, clock = make_day(v >> 38), make_clock(v & (1 << 38) - 1)
    return found("datetime", "datetime")(*day, *clock, zone, fold=v & 1)


def make_span(raw, _):
    [days], v = unpack("<i", raw[:4]), little(raw[4:])
    if v >> 20 >= 86400 or v & 0xFFFFF >= 10**6:
        raise ValueError("no span of time")
    return found("datetime", "timedelta")(days, v >> 20, v & 0xFFFFF)


def make_text(raw, _):
    text = raw.decode("utf-8", "surrogatepass")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text
    raise ValueError("the value has a shorter form")


class Raw:
    """A message that is not read: it is written into another as it is, and comes out of it as it is."""

    __slots__ = ("message",)

    def __init__(self, message):
        self.message = bytes(message)
        if len(self.message) < 2 or self.message[0] != 0xB0:
            raise ValueError("Raw needs a message of the native format without buffers beside it")

    def __bytes__(self):
        return self.message

    def __eq__(self, other):
        return self.message == other.message if type(other) is Raw else NotImplemented

    def __hash__(self):
        return hash(self.message)

    def __repr__(self):
        return f"Raw({self.message!r})"


def make_sealed(raw, _):
    if raw[:1] != b"\xb0":
        raise malformed("the message does not begin as one of a version that is known")
    return Raw(raw)


# What is made of the bytes behind a tag, and of the value inside.
MADE = {
    0x02: make_text,
    0x0D: lambda raw, _: raw,
    0x0E: lambda raw, _: bytearray(raw),
    0x11: make_sealed,
    0x13: lambda raw, _: found("uuid", "UUID")(bytes=raw),
    0x14: make_date,
    0x15: make_time,
    0x16: make_time,
    0x17: make_datetime,
    0x18: make_datetime,
    0x19: make_span,
    0x5D: lambda raw, _: found("datetime", "timezone").utc,
    0x5F: lambda raw, _: complex(*unpack("<dd", raw)),
    0x6C: lambda raw, _: int.from_bytes(raw, "little", signed=True),
}
