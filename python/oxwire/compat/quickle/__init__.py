"""quickle, as a program knows it: `import oxwire.compat.quickle as quickle`. The format and the names are those of 0.4.0.

What may surprise: all of it is Python, for programs that have such data and for those that leave it; `oxwire.native` is the format
to go on with. docs/compat-quickle.md says what differs.
"""

import sys
from copy import deepcopy
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum
from inspect import Parameter, Signature
from pickle import PickleBuffer
from reprlib import recursive_repr
from struct import Struct as _Form
from typing import get_type_hints
from zoneinfo import ZoneInfo

from ._opcodes import COMMON, F64, I32, U16, U32, Machine

__version__ = "0.4.0"
__all__ = [
    "Decoder", "DecodingError", "Encoder", "EncodingError", "PickleBuffer", "QuickleError", "Struct", "dumps", "loads",
]  # fmt: skip


class QuickleError(Exception):
    """Base of the errors of this module."""


class EncodingError(QuickleError):
    """A value cannot be written."""


class DecodingError(QuickleError):
    """What was given is no message."""


_MISSING = object()
# Values that instances may share.
_SHARED = (
    type(None), bool, int, float, complex, str, bytes, PickleBuffer, Enum, date, time, timedelta, timezone, ZoneInfo,
)  # fmt: skip


class StructMeta(type):
    """Makes Struct classes: annotations are fields, required ones before those with a default."""

    def __new__(mcs, name, bases, namespace):
        if "Struct" in globals():
            for word in ("__init__", "__new__", "__slots__"):
                if word in namespace:
                    raise TypeError(f"Struct types cannot define {word}")
            if not all(isinstance(base, StructMeta) for base in bases):
                raise TypeError("All base classes must be subclasses of quickle.Struct")
        fields = {}
        for base in reversed(bases):
            fields.update(base.__struct_fields_and_defaults__)
        own = _annotations(namespace)
        new = sorted(one for one in own if one not in fields)
        for one in own:
            fields.pop(one, None)
            fields[one] = namespace.pop(one, _MISSING)
        # Stable, so that each half keeps the order in which it was declared.
        ordered = dict(sorted(fields.items(), key=lambda item: item[1] is not _MISSING))
        cls = super().__new__(mcs, name, bases, {**namespace, "__slots__": tuple(new)})
        cls.__struct_fields_and_defaults__ = ordered
        cls.__struct_fields__ = tuple(ordered)
        cls.__struct_defaults__ = tuple(one for one in ordered.values() if one is not _MISSING)
        return cls

    @property
    def __signature__(cls):
        hints = get_type_hints(cls)
        return Signature(
            Parameter(
                one,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=Parameter.empty if default is _MISSING else default,
                annotation=hints[one],
            )
            for one, default in cls.__struct_fields_and_defaults__.items()
        )


def _annotations(namespace):
    if "__annotations__" in namespace:
        return namespace["__annotations__"]
    if sys.version_info >= (3, 14):
        from annotationlib import Format, call_annotate_function, get_annotate_from_class_namespace

        annotate = get_annotate_from_class_namespace(namespace)
        return call_annotate_function(annotate, Format.FORWARDREF) if annotate else {}
    return {}


def _own(default):
    # A default for one instance.
    if isinstance(default, _SHARED):
        return default
    return (
        default.copy() if type(default) in (list, dict, set, frozenset) and not default else deepcopy(default)
    )


class Struct(metaclass=StructMeta):
    """Base of classes whose fields are their annotations, and their class attributes the defaults."""

    def __init__(self, *args, **kwargs):
        fields = self.__struct_fields_and_defaults__
        if len(args) > len(fields):
            raise TypeError("Extra positional arguments provided")
        for at, (name, default) in enumerate(fields.items()):
            if at < len(args):
                if name in kwargs:
                    raise TypeError(f"Argument '{name}' given by name and position")
                value = args[at]
            elif name in kwargs:
                value = kwargs.pop(name)
            elif default is not _MISSING:
                value = _own(default)
            else:
                raise TypeError(f"Missing required argument '{name}'")
            setattr(self, name, value)
        if kwargs:
            raise TypeError("Extra keyword arguments provided")

    @recursive_repr()
    def __repr__(self):
        inside = ", ".join(
            f"{name}={value!r}" for name, value in zip(self.__struct_fields__, _values(self), strict=True)
        )
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return _values(self) == _values(other)

    __hash__ = None

    def __copy__(self):
        return type(self)(*_values(self))

    def __reduce__(self):
        return type(self), _values(self)


def _values(struct):
    try:
        return tuple(getattr(struct, name) for name in struct.__struct_fields__)
    except AttributeError as e:
        raise AttributeError(f"Struct field {e.name!r} is unset") from None


def _micro(n):
    return n.to_bytes(3, "little")


_DATE = _Form("<HBB")


def _clock(value):
    return bytes((value.hour | value.fold << 7, value.minute, value.second)) + _micro(value.microsecond)


def _delta(value):
    return I32.pack(value.days) + _micro(value.seconds) + _micro(value.microseconds)


def _offset(value):
    # Seconds, and the day that a negative offset begins with as the highest bit.
    delta = value.utcoffset(None)
    return _micro(delta.seconds | (0x800000 if delta.days else 0)) + _micro(delta.microseconds)


def _coded(registry):
    # The codes of classes.
    if registry is None:
        return {}
    if isinstance(registry, list):
        return {cls: code for code, cls in enumerate(registry)}
    if not isinstance(registry, dict):
        raise TypeError("registry must be a list or a dict")
    for code in registry.values():
        if not isinstance(code, int):
            raise TypeError("an integer is required")
        if not 0 <= code < 1 << 31:
            raise ValueError("registry values must be between 0 and 2147483647")
    return dict(registry)


class _Writing:
    # One message that is being written.

    def __init__(self, codes, memoize, collect):
        self.out, self.codes, self.memoize = bytearray(), codes, memoize
        self.memo, self.buffers, self.refs = {}, [] if collect else None, 0

    def note(self, o):
        # It is kept, so that its id stays its own.
        self.memo[id(o)] = len(self.memo), o
        self.out.append(0x94)

    def known(self, index):
        self.head((0x68, 0x6A, None), index)

    def head(self, codes, n):
        # An opcode and a length, of one, four or eight bytes.
        one, four, eight = codes
        if n < 256 and one:
            self.out += bytes((one, n))
        elif n < 1 << 32 and four:
            self.out += bytes((four,)) + U32.pack(n)
        else:
            self.out += bytes((eight,)) + n.to_bytes(8, "little")

    def sized(self, codes, data):
        self.head(codes, len(data))
        self.out += data

    def save(self, o, shared=False, whole=False):
        cls, out = type(o), self.out
        if (atom := _ATOMS.get(cls)) is not None:
            atom(self, o)
            return
        # What only its container holds is not noted: nothing can refer to it. A tuple that is shared says so of the
        # containers in it, since a cycle through it ends in one of those.
        self.refs = sys.getrefcount(o)
        noted = whole or self.refs > _ALONE or (shared and (cls in _CONTAINERS or cls in self.codes))
        noted = noted and self.memoize
        if self.memoize and id(o) in self.memo:
            self.known(self.memo[id(o)][0])
        elif cls is tuple or cls is frozenset:
            self.fixed(o, noted, cls is frozenset)
        elif cls in _CONTAINERS:
            begin, one, many = _CONTAINERS[cls]
            out.append(begin)
            if noted:
                self.note(o)
            self.items(list(o.items() if cls is dict else o), cls is dict, one, many)
        elif isinstance(cls, StructMeta):
            self.code((0xB1, 0xB2, 0xB3), cls)
            if noted:
                self.note(o)
            out.append(0x28)
            values = list(_values(o))
            for value in values:
                self.save(value)
            out.append(0xB0)
        elif isinstance(o, Enum):
            if cls not in self.codes:
                raise _unregistered(cls)
            self.save(o._value_ if isinstance(o, int) else o._name_)
            self.code((0xB4, 0xB5, 0xB6), cls)
            if self.memoize:
                self.note(o)
        elif (writer := _WRITERS.get(cls)) is not None:
            if writer(self, o) is not False and noted:
                self.note(o)
        else:
            raise TypeError(f"quickle doesn't support objects of type {cls.__name__}")

    def fixed(self, o, noted, frozen):
        # A tuple or frozenset: its items come first, so one that holds itself is known when they are written.
        mark = frozen or len(o) > 3
        if mark:
            self.out.append(0x28)
        values = list(o)
        for value in values:
            self.save(value, noted)
        if id(o) in self.memo:
            self.out += b"1" if mark else b"0" * len(o)
            self.known(self.memo[id(o)][0])
            return
        self.out.append(0x91 if frozen else 0x74 if mark else 0x84 + len(o) if o else 0x29)
        if noted and (frozen or o):
            self.note(o)

    def items(self, items, paired, one, many):
        left = alone = len(items)
        for item in items:
            if (alone != 1 or not one) and (alone - left) % 1000 == 0:
                self.out.append(0x28)
            if paired:
                key, value = item
                self.save(key)
                self.save(value)
            else:
                self.save(item)
            left -= 1
            if left == 0 or (alone - left) % 1000 == 0:
                self.out.append(one if alone == 1 and one else many)

    def code(self, ops, cls):
        code = self.codes.get(cls)
        if code is None:
            raise _unregistered(cls)
        one, two, four = ops
        if code < 0xFF:
            self.out += bytes((one, code))
        elif code < 1 << 16:
            self.out += bytes((two,)) + U16.pack(code)
        else:
            self.out += bytes((four,)) + U32.pack(code)


def _unregistered(cls):
    return TypeError(f"Type {cls.__name__} isn't in type registry")


def _int(w, n):
    if 0 <= n < 1 << 16:
        w.out += bytes((0x4B, n)) if n < 256 else b"M" + U16.pack(n)
    elif -1 << 31 <= n < 1 << 31:
        w.out += b"J" + I32.pack(n)
    else:
        # As short as two's complement may be.
        data = n.to_bytes((n + (n < 0)).bit_length() // 8 + 1, "little", signed=True)
        w.out += (bytes((0x8A, len(data))) if len(data) < 256 else b"\x8b" + I32.pack(len(data))) + data


def _buffer(w, o):
    with memoryview(o) as view:
        if w.buffers is not None:
            w.buffers.append(o)
            w.out += b"\x97\x98" if view.readonly else b"\x97"
            return False
        if not view.contiguous:
            raise EncodingError("PickleBuffer can not be serialized when pointing to a non-contiguous buffer")
        _WRITERS[bytes if view.readonly else bytearray](w, o.raw())
        return None


def _zoned(w, o, plain, zoned, body):
    if o.tzinfo is not None:
        w.save(o.tzinfo)
    w.out += bytes((plain if o.tzinfo is None else zoned,)) + body


def _datetime(w, o):
    _zoned(w, o, 0xBB, 0xBD, _DATE.pack(o.year, o.month, o.day) + _clock(o))


def _zone(w, o):
    if o is UTC:
        w.out.append(0xBE)
        return False
    w.out += b"\xbf" + _offset(o)
    return None


def _place(w, o):
    if o.key is None:
        raise EncodingError("Cannot serialize ZoneInfo objects without a key")
    w.save(o.key)
    w.out.append(0xC0)


_ATOMS = {
    type(None): lambda w, _: w.out.append(0x4E),
    bool: lambda w, o: w.out.append(0x88 if o else 0x89),
    int: _int,
    float: lambda w, o: w.out.extend(b"G" + F64.pack(o)),
    complex: lambda w, o: w.out.extend(b"\xb7" + F64.pack(o.real) + F64.pack(o.imag)),
}
_WRITERS = {
    str: lambda w, s: w.sized((0x8C, 0x58, 0x8D), s.encode("utf-8", "surrogatepass")),
    bytes: lambda w, data: w.sized((0x43, 0x42, 0x8E), data),
    bytearray: lambda w, data: w.sized((0, 0, 0x96), data),
    PickleBuffer: _buffer,
    timedelta: lambda w, o: w.out.extend(b"\xb8" + _delta(o)),
    date: lambda w, o: w.out.extend(b"\xb9" + _DATE.pack(o.year, o.month, o.day)),
    time: lambda w, o: _zoned(w, o, 0xBA, 0xBC, _clock(o)),
    datetime: _datetime,
    timezone: _zone,
    ZoneInfo: _place,
}
# How each begins, and how one item and several are put into it.
_CONTAINERS = {
    list: (0x5D, 0x61, 0x65),
    dict: (0x7D, 0x73, 0x75),
    set: (0x8F, None, 0x90),
    tuple: (),
    frozenset: (),
}


class Encoder:
    """Writes messages.

    `memoize`: shared objects are written once, and come back shared; cycles need it. `collect_buffers`: PickleBuffers stand
    beside the message. `registry`: Struct and Enum classes, as a list or a dict of codes. `write_buffer_size` is accepted.
    """

    def __init__(self, *, memoize=True, collect_buffers=False, registry=None, write_buffer_size=4096):
        self._memoize, self._collect, self._codes = bool(memoize), bool(collect_buffers), _coded(registry)
        int(write_buffer_size)

    @property
    def memoize(self):
        return self._memoize

    @property
    def collect_buffers(self):
        return self._collect

    def dumps(self, obj, *, memoize=None, collect_buffers=None):
        """The message of an object; with `collect_buffers` also a list of buffers, or None.

        Raises TypeError for what is of no type of the format or not registered, EncodingError, RecursionError.
        """
        memoize = self._memoize if memoize is None else memoize
        collect = self._collect if collect_buffers is None else collect_buffers
        writing = _Writing(self._codes, memoize, collect)
        writing.save(obj, whole=True)
        writing.out.append(0x2E)
        data = bytes(writing.out)
        return (data, writing.buffers or None) if collect else data


def dumps(obj, *, memoize=True, collect_buffers=False, registry=None):
    """The message of an object, as by an `Encoder`."""
    return Encoder(memoize=memoize, collect_buffers=collect_buffers, registry=registry).dumps(obj)


class _Reading(Machine):
    def __init__(self, data, buffers, classes):
        try:
            super().__init__(data, lambda words, at: DecodingError(words), buffers)
        except TypeError:
            raise TypeError(f"a bytes-like object is required, not {type(data).__name__!r}") from None
        self.classes, self.unbuilt = classes, {}

    def done(self):
        value = super().done()
        if self.unbuilt:
            raise DecodingError("a struct has no fields")
        return value

    def of(self, code, kind, name):
        if self.classes is None:
            raise ValueError(f"Typecode {code} isn't in type registry")
        try:
            if code < 0:
                raise IndexError
            cls = self.classes[code]
        except LookupError:
            raise ValueError(f"Typecode {code} isn't in type registry") from None
        if not isinstance(cls, kind):
            raise TypeError(f"Value for typecode {code} isn't {name} type")
        return cls

    def struct(self, code):
        made = object.__new__(self.of(code, StructMeta, "a Struct"))
        self.unbuilt[id(made)] = made
        self.begin(made)

    def build(self):
        values = self.marked()
        made = self.stack[-1] if self.stack else None
        # Once: what is whole is not changed by what comes later.
        if self.unbuilt.pop(id(made), None) is None:
            raise DecodingError(f"Invalid BUILDSTRUCT opcode on object of type {type(made).__name__}")
        # What the class has no field for any more is left out.
        Struct.__init__(made, *values[: len(made.__struct_fields__)])

    def enum(self, code):
        cls = self.of(code, type(Enum), "an Enum")
        value = self.pop()
        if isinstance(value, str) and not issubclass(cls, int):
            # By the table of members: a name is never looked for among attributes.
            member = cls._member_map_.get(value)
            if member is None:
                raise AttributeError(value)
        elif type(value) is int:
            member = cls(value)
        else:
            raise DecodingError(f"a member of {cls.__name__} is not {type(value).__name__}")
        self.push(member)

    def micro(self):
        return int.from_bytes(self.take(3), "little")

    def moment(self, cls, zoned):
        day = _DATE.unpack(self.take(4)) if cls is datetime else ()
        hour, minute, second = self.take(3)
        clock = hour & 0x7F, minute, second, self.micro()
        zone = self.pop() if zoned else None
        self.push(cls(*day, *clock, zone, fold=hour >> 7))

    def zone(self):
        seconds, micro = self.micro(), self.micro()
        self.push(timezone(timedelta(-(seconds >> 23), seconds & 0x7FFFFF, micro)))

    def place(self):
        key = self.pop()
        if type(key) is not str:
            raise DecodingError(f"a time zone's name is no {type(key).__name__}")
        self.push(ZoneInfo(key))

    table = COMMON | {
        0xB0: build,
        0xB1: lambda m: m.struct(m.byte()),
        0xB2: lambda m: m.struct(m.number(U16)),
        0xB3: lambda m: m.struct(m.number(U32)),
        0xB4: lambda m: m.enum(m.byte()),
        0xB5: lambda m: m.enum(m.number(U16)),
        0xB6: lambda m: m.enum(m.number(U32)),
        0xB7: lambda m: m.push(complex(m.number(F64), m.number(F64))),
        0xB8: lambda m: m.push(timedelta(m.number(I32), m.micro(), m.micro())),
        0xB9: lambda m: m.push(date(*_DATE.unpack(m.take(4)))),
        0xBA: lambda m: m.moment(time, False),
        0xBB: lambda m: m.moment(datetime, False),
        0xBC: lambda m: m.moment(time, True),
        0xBD: lambda m: m.moment(datetime, True),
        0xBE: lambda m: m.push(UTC),
        0xBF: zone,
        0xC0: place,
    }


class Decoder:
    """Reads messages. `registry`: Struct and Enum classes, as a list or a dict by codes."""

    def __init__(self, *, registry=None):
        if registry is not None and type(registry) not in (list, dict):
            raise TypeError("registry must be a list or a dict")
        self._classes = registry

    def loads(self, data, *, buffers=None):
        """The object of a message, which is any buffer of bytes. `buffers`: what was collected when it was written.

        Raises DecodingError for what is no message, ValueError and TypeError for what is not registered or no value of
        its type, AttributeError and KeyError for unknown members and references.
        """
        buffers = None if buffers is None else iter(buffers)
        return _Reading(data, buffers, self._classes).run()


def loads(data, *, buffers=None, registry=None):
    """The object of a message, as by a `Decoder`."""
    return Decoder(registry=registry).loads(data, buffers=buffers)


def _alone():
    # What the interpreter counts of references to an object that only its container holds, in `save`.
    writing = _Writing({}, False, False)
    writing.save([[]])
    return writing.refs


_ALONE = sys.maxsize
_ALONE = _alone()
