"""Pickles of plain data, read without running what they name: protocols 0 to 5, also those of Python 2.

A pickle is a program. The machine that reads quickle's part of it reads the rest here, and knows no way to import or to call: a
name is looked for among our own makers, and whatever is not there is refused with the name and the byte. What may surprise: a
name is an object on the stack, which only calls may take; and what calls are given is counted, since a pickle can give one long
text to many of them.
"""

import ast
import collections
import datetime
import decimal
import fractions
import ipaddress
import math
import pathlib
import re
import types
import uuid
import zoneinfo
from array import array

from . import DecodeError
from .compat.quickle._opcodes import COMMON, I32, U32, Machine

# How many bytes and items calls may be given for each byte of the pickle.
_GIVEN = 100


class _Name:
    """What a pickle calls, or gives to a call: never part of a value."""

    def __init__(self, dotted):
        self.dotted = dotted


class _Dtype(_Name):
    """What the items of a numpy array are."""

    dotted = "numpy.dtype"

    def __init__(self, spelled, *_):
        self.spelled = spelled

    def told(self, state):
        """Takes its state: how it is laid out, and of moments in which unit."""
        _, order, subarray, names, fields, *_ = state
        if (subarray, names, fields) != (None, None, None):
            raise TypeError("a dtype with fields")
        self.spelled = order + self.spelled
        if len(state) > 8 and state[8] is not None:
            unit, count, *_ = state[8][1]
            self.spelled += f"[{int(count)}{str(_latin(unit), 'ascii')}]"

    def array(self, shape, data, order="C"):
        import numpy as np

        # None that holds objects or fields: whatever the parts of it were, this is all that it may say.
        if not re.fullmatch(r"[<>|=]?[biufcSUmM]\d+(\[\d+[a-zA-Z]+])?", self.spelled):
            raise TypeError(f"`{self.spelled}` is no dtype of plain data")
        dtype, data = np.dtype(self.spelled), _latin(data)
        if (
            # Few and small, before they are multiplied.
            len(shape) > 64
            or not all(type(n) is int and 0 <= n < 1 << 63 for n in shape)
            or len(data) != math.prod(shape) * dtype.itemsize
        ):
            raise ValueError("another size than its items")
        return np.ndarray(shape, dtype, data, order=order)


class _Args(tuple):
    """A tuple with a name in it, which only a call may take."""

    __slots__ = ()


def _typed(make, *kinds, least=0):
    """`make`, for at least `least` arguments of just these types."""

    def checked(*args):
        if not least <= len(args) <= len(kinds) or not all(map(isinstance, args, kinds)):
            raise TypeError("these are not the arguments of plain data")
        return make(*args)

    return checked


def _named(kinds, given):
    """The one of these types that a name stands for."""
    return {f"{kind.__module__}.{kind.__qualname__}": kind for kind in kinds}[given.dotted]


def _latin(text, _=""):
    # Pickles without bytes of their own spell them as text.
    return text.encode("latin-1") if isinstance(text, str) else text


def _moment(make):
    return _typed(lambda state, *zone: make(_latin(state), *zone), _BYTES, datetime.tzinfo, least=1)


def _defaultdict(factory=None):
    return collections.defaultdict(factory and _named(_FACTORIES, factory))


def _array(kind, code, form, data):
    from array import _array_reconstructor

    return _array_reconstructor(_named((array,), kind), code, form, _latin(data))


def _attribute(of, name):
    if (of.dotted, name) != ("zoneinfo.ZoneInfo", "_unpickle"):
        raise TypeError(f"plain data needs no attribute `{name}`")
    return _Name(f"{of.dotted}.{name}")


def _ndarray(kind, *_):
    import numpy as np

    return _named((np.ndarray,), kind)(0, "i1")


def _uuid(*names):
    if names:
        _named((uuid.UUID,), names[0])
    return uuid.UUID(int=0)


_BYTES = bytes, str
_INT_OR_NONE = int, type(None)
_FACTORIES = list, dict, set, int, float, str, bytes, tuple, bool, frozenset
# What is called by a name. None may be given to calls only.
_MAKERS = {
    **{f"builtins.{kind.__name__}": None for kind in (*_FACTORIES, object)},
    "builtins.set": _typed(set, list),
    "builtins.frozenset": _typed(frozenset, list),
    "builtins.bytes": _typed(bytes),
    "builtins.bytearray": _typed(lambda *args: bytearray(_latin(*args) if args else b""), _BYTES, str),
    "builtins.complex": _typed(complex, float, float, least=2),
    "builtins.range": _typed(range, int, int, int, least=1),
    "builtins.slice": _typed(slice, _INT_OR_NONE, _INT_OR_NONE, _INT_OR_NONE, least=3),
    "builtins.getattr": _attribute,
    "_codecs.encode": _typed(_latin, str, str, least=1),
    "copyreg._reconstructor": _uuid,
    "uuid.UUID": _uuid,
    "types.SimpleNamespace": _typed(types.SimpleNamespace),
    "array.array": _typed(array, str, (list, bytes), least=1),
    "array._array_reconstructor": _array,
    "datetime.date": _moment(datetime.date),
    "datetime.time": _moment(datetime.time),
    "datetime.datetime": _moment(datetime.datetime),
    "datetime.timedelta": _typed(datetime.timedelta, int, int, int, least=3),
    "datetime.timezone": _typed(datetime.timezone, datetime.timedelta, str, least=1),
    "zoneinfo.ZoneInfo": None,
    "zoneinfo.ZoneInfo._unpickle": _typed(lambda key, _: zoneinfo.ZoneInfo(key), str, int, least=2),
    "decimal.Decimal": _typed(decimal.Decimal, str, least=1),
    "fractions.Fraction": _typed(fractions.Fraction, (int, str), int, least=1),
    "collections.OrderedDict": _typed(collections.OrderedDict),
    "collections.Counter": _typed(collections.Counter, dict),
    "collections.deque": _typed(collections.deque, (tuple, list), _INT_OR_NONE),
    "collections.defaultdict": _defaultdict,
    **{
        f"{module}.{kind}": _typed(getattr(pathlib, kind), *[str] * 256)
        for module in ("pathlib", "pathlib._local")
        for kind in ("PurePosixPath", "PureWindowsPath", "PosixPath", "WindowsPath")
    },
    **{
        f"ipaddress.{kind}": _typed(getattr(ipaddress, kind), (str, int), least=1)
        for kind in (
            f"IPv{version}{kind}" for version in "46" for kind in ("Address", "Network", "Interface")
        )
    },
}
for _core in ("numpy.core", "numpy._core"):
    _MAKERS |= {
        "numpy.ndarray": None,
        "numpy.dtype": _Dtype,
        f"{_core}.multiarray._reconstruct": _ndarray,
        f"{_core}.multiarray.scalar": lambda dtype, data: dtype.array((), data)[()],
        f"{_core}.numeric._frombuffer": lambda data, dtype, shape, order: dtype.array(shape, data, order),
    }
# What is filled, or told its attributes, after it was made.
_OPEN = (
    collections.OrderedDict,
    collections.defaultdict,
    collections.deque,
    types.SimpleNamespace,
    uuid.UUID,
)
# Names of Python 2.
_OLD = {"__builtin__": "builtins", "copy_reg": "copyreg", "builtins.xrange": "builtins.range"}


def _refused(what):
    def refuse(m):
        raise m.fault(f"{what} would run code: only plain data can be converted", m.at - 1)

    return refuse


class _Reader(Machine):
    """Reads one pickle."""

    given = 0

    def short(self):
        return self.fault("the pickle is cut off", len(self.data))

    def unknown(self, index):
        return self.fault(f"nothing was remembered as {index}", self.at - 1)

    def plain(self, values):
        """Values, none of which is a name."""
        if any(isinstance(value, (_Name, _Args)) for value in values):
            raise self.fault("what would be called is used as a value", self.at - 1)
        return values

    def done(self):
        return self.plain([super().done()])[0]

    def top(self, kinds, name):
        more = (
            kind for kind in _OPEN if issubclass(kind, kinds) or (kind is collections.deque and list in kinds)
        )
        return super().top((*kinds, *more), name)

    def counted(self, value):
        if type(value) is tuple and any(isinstance(part, (_Name, _Args)) for part in value):
            return _Args(value)
        return super().counted(value)

    def keyed(self, keys, into=None):
        return super().keyed(self.plain(keys), into)

    def append(self, values, name="APPEND(S)"):
        super().append(self.plain(values), name)

    def put(self, pairs, name="SETITEM(S)"):
        super().put(self.plain(pairs), name)

    def line(self):
        end = self.data.obj.find(b"\n", self.at)
        if end < 0:
            raise self.short()
        text = str(self.take(end - self.at), "latin-1")
        self.at += 1
        return text

    def name(self, module, name):
        dotted = f"{_OLD.get(module, module)}.{name}"
        dotted = _OLD.get(dotted, dotted)
        if dotted not in _MAKERS:
            raise self.fault(f"`{dotted}` would be called: only plain data can be converted", self.at - 1)
        self.push(_Name(dotted))

    def stacked(self):
        name = self.pop()
        self.name(self.pop(), name)

    def count(self, args):
        """Counts what a call is given, or what an array or a dtype is told."""
        for arg in args:
            self.given += (
                arg.bit_length() >> 3 if isinstance(arg, int) else len(arg) if hasattr(arg, "__len__") else 1
            )
        if self.given > _GIVEN * len(self.data):
            raise self.fault("calls are given too much", self.at - 1)

    def call(self):
        args, callee = self.pop(), self.pop()
        make = _MAKERS[callee.dotted] if type(callee) is _Name else None
        if make is None or not isinstance(args, tuple):
            raise self.fault("what would be called makes no plain data", self.at - 1)
        self.plain([arg for arg in args if type(arg) is _Args])
        self.count(args)
        if make in (_MAKERS["builtins.set"], _MAKERS["builtins.frozenset"]):
            for items in args:
                self.keyed(items, args)
        value = make(*args)
        if isinstance(value, _OPEN):
            self.begin(value)
        else:
            self.push(self.counted(value) if type(value) is frozenset else value)

    def build(self):
        state = self.pop()
        value = self.stack[-1] if self.stack else None
        if type(value) is _Dtype:
            value.told(state)
            self.count([value.spelled])
        elif type(value).__name__ == "ndarray":
            self.count(state)
            _, shape, dtype, fortran, data = state
            array = dtype.array(shape, data)
            value.__setstate__((1, shape, array.dtype, bool(fortran), array.tobytes()))
        elif type(value := self.top((types.SimpleNamespace, uuid.UUID), "BUILD")) is uuid.UUID:
            object.__setattr__(value, "int", uuid.UUID(int=state["int"]).int)
        else:
            vars(value).update(**state)

    def several_of(self, make, fill):
        values = self.marked()
        self.begin(make())
        fill(values)

    def integer(self):
        text = self.line()
        self.push(text == "01" if text in ("00", "01") else int(text))

    def protocol(self):
        if self.byte() > 5:
            raise self.fault("the protocol is newer than 5", self.at - 1)

    def give(self, index):
        if not self.stack:
            raise self.fault("decoder stack underflow", self.at - 1)
        self.memo[index] = self.stack[-1]

    table = {
        **COMMON,
        0x49: integer,
        0x4C: lambda m: m.push(int(m.line().removesuffix("L"))),
        0x46: lambda m: m.push(float(m.line())),
        0x56: lambda m: m.push(m.line().encode("latin-1").decode("raw-unicode-escape")),
        0x53: lambda m: m.push(ast.literal_eval(f"b{m.line()}").decode("ascii")),
        0x55: lambda m: m.push(str(m.take(m.byte()), "ascii")),
        0x54: lambda m: m.push(str(m.take(m.number(I32)), "ascii")),
        0x67: lambda m: m.known(int(m.line())),
        0x70: lambda m: m.give(int(m.line())),
        0x71: lambda m: m.give(m.byte()),
        0x72: lambda m: m.give(m.number(U32)),
        0x6C: lambda m: m.several_of(list, m.append),
        0x64: lambda m: m.several_of(dict, m.put),
        0x32: lambda m: m.push(m.stack[-1]),
        0x63: lambda m: m.name(m.line(), m.line()),
        0x93: stacked,
        0x52: call,
        0x81: call,
        0x62: build,
        0x80: protocol,
        **{
            code: _refused(name)
            for code, name in zip(
                b"io\x92\x82\x83\x84PQ\x97",
                ["INST", "OBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER"],
                strict=True,
            )
        },
    }


def _fault(what, at):
    error = DecodeError(f"{what} (byte {at})")
    error.msg, error.offset, error.line, error.column = what, at, None, None
    return error


def loads(data):
    """The plain data that a pickle holds. Raises DecodeError, with the name, for any that would import or call something else."""
    reader = _Reader(data, _fault)
    try:
        return reader.run()
    except DecodeError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        RuntimeError,
        SyntaxError,
        TypeError,
        ValueError,
    ) as error:
        raise _fault(f"invalid pickle: {error}", reader.at) from error
