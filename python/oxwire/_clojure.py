"""The table `clojure` of vectors/ext-codes.md: the values that Clojure has beyond MessagePack's, both ways.

`ext_table="clojure"` imports it, and so does whoever asks oxwire.msgpack for a class that stands here. The engine calls a
`_Reader` with each ext and a `_Writer` with each object that it does not write itself. What may surprise: what neither dict
nor set can hold as a key, and what Python's own type cannot hold exactly, stays code and body, so that nothing is lost.
"""

import re
from copy import copy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from uuid import UUID

from ._msgpack import Ext, _Immutable
from ._oxwire import DecodeError, EncodeError
from ._oxwire import msgpack_decode as decode
from ._oxwire import msgpack_decode_prefix as decode_prefix
from ._oxwire import msgpack_encode as encode

_KEYWORD, _SYMBOL, _SET, _LIST, _CHARACTER, _RATIO, _BIG_INT, _DECIMAL = range(32, 40)
_UUID, _RECORD, _PATTERN, _TYPED, _DATE, _MAP = range(40, 46)
# The most bytes of a number whose reading takes more than linear time, and of a word that is kept.
_LONGEST = 8192
_KEPT = 64
# How many bodies may be read one in the other: that takes the stack of the thread, as nothing else does.
_NESTED = 64
_FLAGS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class _Word(str):
    # Equal to its own kind only, or a map with :a and "a" as keys would lose one of them.
    __slots__ = ()

    def __new__(cls, text, /):
        if not isinstance(text, str):
            raise TypeError(f"{cls.__name__} needs a str, not {type(text).__name__}")
        self = super().__new__(cls, text)
        self.encode()
        return self

    def __eq__(self, other):
        return type(self) is type(other) and str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self):
        return f"{type(self).__name__}({str.__repr__(self)})"


class _Named(_Word):
    __slots__ = ()

    @property
    def namespace(self):
        """What stands before the first `/`; None if there is none."""
        return self.partition("/")[0] if self._divided() else None

    @property
    def name(self):
        """What stands behind the first `/`, or all."""
        return self.partition("/")[2] if self._divided() else str(self)

    def _divided(self):
        return "/" in self and len(self) > 1


class Keyword(_Named):
    """A keyword: its text without the colon, namespace and name with `/` between them."""

    __module__ = "oxwire.msgpack"
    __slots__ = ()
    _code = _KEYWORD


class Symbol(_Named):
    """A symbol: its text, namespace and name with `/` between them."""

    __module__ = "oxwire.msgpack"
    __slots__ = ()
    _code = _SYMBOL


class Character(_Word):
    """One character, as opposed to a text of one."""

    __module__ = "oxwire.msgpack"
    __slots__ = ()
    _code = _CHARACTER

    def __new__(cls, text, /):
        if len(text) != 1:
            raise ValueError("Character needs one character")
        return super().__new__(cls, text)


class List(tuple):
    """A list as opposed to an array: immutable, and equal to a tuple of its items."""

    __module__ = "oxwire.msgpack"
    __slots__ = ()

    def __repr__(self):
        return f"List({tuple.__repr__(self)})"


class Date(datetime):
    """A moment of whole milliseconds, as opposed to a timestamp."""

    __module__ = "oxwire.msgpack"
    __slots__ = ()


class Record(_Immutable):
    """A record: its name, and its fields as a dict."""

    __module__ = "oxwire.msgpack"
    __slots__ = ("fields", "name")
    __match_args__ = ("name", "fields")

    def __new__(cls, name, fields):
        self = super().__new__(cls)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "fields", fields)
        return self

    def __repr__(self):
        return f"Record({self.name!r}, {self.fields!r})"

    def __eq__(self, other):
        if type(other) is not Record:
            return NotImplemented
        return self.name == other.name and self.fields == other.fields

    def __hash__(self):
        return hash((self.name, frozenset(self.fields.items())))

    def __reduce__(self):
        return Record, (self.name, self.fields)


_WORDS = {kind._code: kind for kind in (Keyword, Symbol, Character)}


class _WrongBody(Exception):
    pass


def _need(right):
    if not right:
        raise _WrongBody


def _word(code, body):
    try:
        text = str(body, "utf-8")
    except UnicodeDecodeError:
        raise _WrongBody from None
    _need(code != _CHARACTER or len(text) == 1)
    return _WORDS[code](text)


_kept_word = lru_cache(1024)(_word)


def _shortest(twos):
    return len(twos) == 1 or (twos[0], twos[1] >> 7) not in ((0, 0), (255, 1))


def _hashable(obj):
    try:
        hash(obj)
    except TypeError:
        return False
    return True


def _guarded(hook):
    # What a hook raises comes out as it is, while a DecodeError of a body speaks of another place.
    if hook is not None and not callable(hook):
        raise TypeError(f"`record_hook` must be callable or None, got `{type(hook).__name__}`")

    def call(*args):
        try:
            return hook(*args)
        except (DecodeError, RecursionError) as error:
            error._of_hook = True
            raise

    return hook and call


class _Reader:
    # What the engine asks what an ext means, and gives the options of a decoder.

    __slots__ = ("ext_hook", "inner", "key_options", "level", "options", "plain", "record_hook", "strict")

    def __init__(self, options, level=0):
        self.level = level
        self.inner = None
        self.strict = options.get("strict") or False
        self.ext_hook = _guarded(options.pop("ext_hook", None)) or Ext
        self.record_hook = _guarded(options.pop("record_hook", None))
        for name in ("ext_table", "max_depth", "raw", "read_size", "max_buffer", "type", "dec_hook"):
            options.pop(name, None)
        self.key_options = {}
        self.plain = {}
        for name, value in options.items():
            if name in ("object_hook", "object_pairs_hook", "list_hook"):
                options[name] = _guarded(value)
            elif name != "max_map_len":
                self.key_options[name] = value
            if name in ("strict", "max_str_len"):
                self.plain[name] = value
        self.options = options

    def __call__(self, code, body, place):
        # What an ext means where so many more containers may nest (times two, and one more in a key); this reader itself
        # for a body that is wrong.
        try:
            if code in _WORDS:
                return (_kept_word if len(body) <= _KEPT else _word)(code, body)
            read = _READ.get(code)
            return self.ext_hook(code, body) if read is None else read(self, body, place >> 1, place & 1)
        except _WrongBody:
            return self
        except (DecodeError, RecursionError) as error:
            if hasattr(error, "_of_hook"):
                raise
            return self

    def one(self, body, left, in_key):
        # The one message that is a body.
        _need(left > 0 and self.level < _NESTED)
        inner = self.inner
        if inner is None:
            inner = copy(self)
            inner.level, inner.inner = self.level + 1, None
            self.inner = inner
        if not in_key:
            return decode(body, _table=inner, max_depth=left - 1, **self.options)
        # As the key of a map, which stands for the ext among the containers that are open.
        [made] = decode(b"\x81%b\xc0" % body, _table=inner, max_depth=left, **self.key_options)
        return made

    def array(self, body, left, in_key):
        _need(body and (body[0] >> 4 == 9 or body[0] in (0xDC, 0xDD)))
        return self.one(body, left, in_key)

    def map(self, body, left):
        _need(body and (body[0] >> 4 == 8 or body[0] in (0xDE, 0xDF)))
        return self.one(body, left, False)

    def text(self, body):
        # The text that a body begins with, and the rest.
        made, end = decode_prefix(body, max_depth=0, **self.plain)
        _need(type(made) is str)
        return made, body[end:]

    def integer(self, body):
        made, end = decode_prefix(body, max_depth=0, strict=self.strict, big_int_ext=True)
        _need(type(made) is int)
        return made, body[end:]

    def set(self, body, left, in_key):
        members = self.array(body, left, True)
        made = frozenset(members)
        _need(len(made) == len(members))
        return made if in_key else set(made)

    def list(self, body, left, in_key):
        made = self.array(body, left, in_key)
        # Anything else is what a hook made of it.
        return List(made) if type(made) in (list, tuple) else made

    def ratio(self, body, left, in_key):
        _need(len(body) <= _LONGEST)
        numerator, rest = self.integer(body)
        denominator, rest = self.integer(rest)
        _need(denominator > 1 and not rest)
        made = Fraction(numerator, denominator)
        _need(made.denominator == denominator)
        return made

    def decimal(self, body, left, in_key):
        _need(len(body) <= _LONGEST)
        exponent, twos = self.integer(body)
        _need(twos and abs(exponent) < 2**31 and (_shortest(twos) or not self.strict))
        # Neither rounded by a context nor spelled as text.
        sign, digits, _ = Decimal(int.from_bytes(twos, "big", signed=True)).as_tuple()
        return Decimal((sign, digits, exponent))

    def uuid(self, body, left, in_key):
        _need(len(body) == 16)
        return UUID(bytes=body)

    def record(self, body, left, in_key):
        name, rest = self.text(body)
        if self.record_hook is not None:
            made = self.record_hook(name, self.map(rest, left))
            if made is not NotImplemented and (not in_key or _hashable(made)):
                return made
        return self.ext_hook(_RECORD, body)

    def pattern(self, body, left, in_key):
        text, rest = self.text(body)
        letters, rest = self.text(rest)
        in_order = "".join(letter for letter in "imsxud" if letter in letters)
        _need(not rest and (letters == in_order if self.strict else set(letters) == set(in_order)))
        flags = re.U if "u" in letters else re.A
        for letter, flag in _FLAGS.items():
            flags |= flag if letter in letters else 0
        try:
            made = re.compile(text, flags)
            # Lines that end otherwise are not said by a flag here, but a flag can be said in the text.
            if "d" not in letters and made.flags == flags:
                return made
        except (re.error, OverflowError, RecursionError, Warning):
            pass
        return self.ext_hook(_PATTERN, body)

    def typed(self, body, left, in_key):
        from ._arrays import unpack

        try:
            made = unpack(body)
        except ImportError:
            return self.ext_hook(_TYPED, body)
        _need(made is not None)
        return self.ext_hook(_TYPED, body) if in_key else made

    def date(self, body, left, in_key):
        _need(len(body) == 8)
        try:
            return Date(1970, 1, 1, tzinfo=UTC) + int.from_bytes(body, "big", signed=True) * _MILLISECOND
        except OverflowError:
            return self.ext_hook(_DATE, body)

    def key_map(self, body, left, in_key):
        if not in_key:
            return self.map(body, left)
        # Read for what may be wrong with it, without a hook.
        _Reader({**self.key_options}, self.level).map(body, left)
        return self.ext_hook(_MAP, body)


_READ = {
    _SET: _Reader.set,
    _LIST: _Reader.list,
    _RATIO: _Reader.ratio,
    _DECIMAL: _Reader.decimal,
    _UUID: _Reader.uuid,
    _RECORD: _Reader.record,
    _PATTERN: _Reader.pattern,
    _TYPED: _Reader.typed,
    _DATE: _Reader.date,
    _MAP: _Reader.key_map,
}


class _Writer:
    # What the engine asks what to write for an object.

    __slots__ = ("hook",)

    def __init__(self, hook):
        self.hook = hook

    def __call__(self, obj):
        # What the engine's `told` explains, another object, or the same if it cannot be written.
        for kind, write in _WRITE.items():
            if isinstance(obj, kind):
                return write(obj)
        if self.hook is None:
            return obj
        made = self.hook(obj)
        return list(made) if type(made) is tuple else made


def _told(code, body):
    return (b"%c\0%b" % (code, body),)


def _ratio(obj):
    if obj.denominator == 1:
        return obj.numerator
    body = b"".join(encode(part, big_int_ext=True) for part in (obj.numerator, obj.denominator))
    return _told(_RATIO, body) if len(body) <= _LONGEST else obj


def _decimal(obj):
    sign, digits, exponent = obj.as_tuple()
    if not isinstance(exponent, int) or abs(exponent) >= 2**31 or (sign and not any(digits)):
        return obj
    n = int(Decimal((sign, digits, 0)))
    body = encode(exponent) + n.to_bytes((n + (n < 0)).bit_length() // 8 + 1, "big", signed=True)
    return _told(_DECIMAL, body) if len(body) <= _LONGEST else obj


def _pattern(obj):
    if not isinstance(obj.pattern, str) or obj.flags & re.DEBUG:
        return obj
    letters = "".join(letter for letter, flag in _FLAGS.items() if obj.flags & flag)
    letters += "" if obj.flags & re.A else "u"
    try:
        return _told(_PATTERN, encode(obj.pattern) + encode(letters))
    except EncodeError:
        return obj


def _date(obj):
    if obj.utcoffset() is not None:
        since, rest = divmod(obj - _EPOCH, _MILLISECOND)
        if not rest:
            return _told(_DATE, since.to_bytes(8, "big", signed=True))
    return datetime.combine(obj.date(), obj.timetz())


_WRITE = {
    _Word: lambda obj: _told(obj._code, obj.encode()),
    # Its members are keys.
    **dict.fromkeys((set, frozenset), lambda obj: (bytes((_SET, 2)), list(obj))),
    List: lambda obj: (bytes((_LIST, 0)), list(obj)),
    UUID: lambda obj: _told(_UUID, obj.bytes),
    Decimal: _decimal,
    Fraction: _ratio,
    Date: _date,
    Record: lambda obj: (bytes((_RECORD, 1)) + encode(obj.name), obj.fields),
    re.Pattern: _pattern,
}
# What would be written as something else: to the engine, what the hook is asked for.
_CLASSES = [cls for cls in _WRITE if cls is not Record]
