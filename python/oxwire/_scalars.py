"""What typed reading seldom meets, for the extension: conversions of single values.

The bits are those of `oxwire._types`. Functions give None, or NotImplemented where None is a value, for
what is none of the kind.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal, InvalidOperation, Overflow
from enum import Enum
from math import inf, isinf
from uuid import UUID, SafeUUID

from ._oxwire import json_encode

NONE, BOOL, INT, FLOAT, STR, BYTES, BYTEARRAY, MEMORYVIEW = (1 << i for i in range(1, 9))
DATETIME, DATE, TIME, TIMEDELTA, UUIDS, DECIMAL, EXT, RAW = (1 << i for i in range(9, 17))
VALUES_INT = 1 << 19

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = {"nan", "-nan", "inf", "-inf", "infinity", "-infinity"}
_WORDS = {"true": True, "1": True, "false": False, "0": False}
# What is text in formats that have nothing else for it.
_SPELLED = {
    bytes: BYTES,
    bytearray: BYTEARRAY,
    memoryview: MEMORYVIEW,
    datetime: DATETIME,
    date: DATE,
    time: TIME,
    timedelta: TIMEDELTA,
    UUID: UUIDS,
    Decimal: DECIMAL,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Users may have set up theirs in another way.
_EXACT = Context(prec=60, traps=[InvalidOperation, Overflow])


def number(value):
    """An integer, or the text of a number, as a float."""
    try:
        made = float(value)
    except OverflowError:
        made = inf
    if isinf(made) and not (isinstance(value, Decimal) and value.is_infinite()):
        raise ValueError("Number out of range")
    return made


def decimal(value):
    try:
        return Decimal(repr(value) if isinstance(value, float) else value, _EXACT)
    except InvalidOperation:
        return None


# What the extension makes instances of by itself.
PARTS = UUID, SafeUUID.unknown, "is_safe", Decimal, _EXACT


def of_bytes(data, kind):
    return bytearray(data) if kind == BYTEARRAY else memoryview(data) if kind == MEMORYVIEW else data


def given(value, kinds, values):
    """What has a kind of its own already: its bit, and the value."""
    for member in values.values() if values is not None else ():
        if member is value:
            return 0, value
    for kind, cls in (UUIDS, UUID), (DECIMAL, Decimal):
        if kinds & kind and isinstance(value, cls):
            return kind, value
    if isinstance(value, Enum) and isinstance(value, (str, int)):
        value = value.value
    if values is not None and isinstance(value, (str, int)) and value in values:
        return 0, values[value]
    for kind, cls in (STR, str), (INT, int), (FLOAT, float):
        if kinds & kind and isinstance(value, cls):
            return kind, int.__int__(value) if kind == INT else value
    if kinds & FLOAT and isinstance(value, (int, Decimal)):
        return FLOAT, number(value)
    if isinstance(value, (str, int)) and any(isinstance(value, type(v)) for v in values or ()):
        raise ValueError(f"Invalid enum value {value!r}")
    if isinstance(value, (bytes, bytearray, memoryview)):
        for kind in BYTES, BYTEARRAY, MEMORYVIEW:
            if kinds & kind:
                same = type(value) is (bytes, bytearray, memoryview)[(kind >> 7).bit_length()]
                return kind, value if same and kind != BYTEARRAY else of_bytes(bytes(value), kind)
        if kinds & UUIDS:
            if len(value) != 16:
                raise ValueError("Invalid UUID bytes")
            return UUIDS, UUID(bytes=bytes(value))
        return None
    if kinds & EXT:
        from ._msgpack import Ext

        if type(value) is Ext:
            return EXT, value
    if kinds & RAW:
        from ._oxwire import Raw

        if type(value) is Raw:
            return RAW, value
    return None


def _moment(value, kinds):
    # A float is the number that its shortest text says, so that nothing is added by binary fractions.
    seconds = decimal(value)
    if seconds is not None and not seconds.is_finite():
        raise ValueError("Invalid epoch timestamp")
    try:
        if seconds is None or seconds.copy_abs() > 10**14:
            raise OverflowError
        micros = _EXACT.scaleb(seconds, 6).to_integral_value("ROUND_HALF_UP")
        span = timedelta(microseconds=int(micros))
        return span if kinds & TIMEDELTA else _EPOCH + span
    except OverflowError:
        raise ValueError(
            "Duration is out of range" if kinds & TIMEDELTA else "Timestamp is out of range"
        ) from None


def lax(value, kinds):
    """A value of another type as one of these kinds."""
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value)
        if match:
            if kinds & (INT | VALUES_INT):
                if not match[1] and not match[2]:
                    if len(value) <= 4300:
                        return int(value)
                else:
                    whole = float(value)
                    if whole.is_integer() and abs(whole) <= 2**53:
                        return int(whole)
            if kinds & FLOAT:
                return number(value)
            if kinds & (DATETIME | TIMEDELTA):
                return _moment(value, kinds)
        word = value.lower()
        if kinds & FLOAT and word in _NOT_FINITE:
            return float(word)
        if kinds & BOOL and word in _WORDS:
            return _WORDS[word]
        return None if kinds & NONE and word == "null" else NotImplemented
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NotImplemented
    if kinds & (DATETIME | TIMEDELTA):
        return _moment(value, kinds)
    if isinstance(value, int):
        return bool(value) if kinds & BOOL and value in (0, 1) else NotImplemented
    return int(value) if kinds & INT and value.is_integer() and abs(value) <= 2**53 else NotImplemented


def pairs(mapping):
    """The keys and values of a mapping, in turn."""
    return [one for key, value in list(mapping.items()) for one in (key, value)]


def simple_key(key, text_keys):
    """What `to_builtins` makes a key of; with `text_keys`, None if it can be none."""
    for _ in range(255):
        if not isinstance(key, Enum):
            break
        key = key.value
    if isinstance(key, str):
        return str(key)
    if text_keys and type(key) in (int, float):
        return json_encode(key).decode()
    return key if not text_keys or type(key) in _SPELLED else None


def simple_dict(items, sort):
    """A dict of keys and values in turn, or what is wrong with the keys."""
    keys = items[::2]
    made = dict(zip(keys, items[1::2], strict=True))
    if len(made) != len(keys):
        return f"Two keys are both spelled {next(key for key in keys if keys.count(key) > 1)!r}"
    if not sort:
        return made
    try:
        return {key: made[key] for key in sorted(made)}
    except TypeError:
        return "Only dicts with keys that are ordered can be put in order"


def mapping(value):
    """A mapping that is no dict, as one; None if it is none."""
    return dict(value.items()) if isinstance(value, Mapping) else None


def kept_types(types):
    """The types that values of others are not made into."""
    kept = 0
    try:
        types = list(types or ())
    except TypeError:
        raise TypeError("builtin_types must be an iterable of types") from None
    for cls in types:
        if cls not in _SPELLED:
            raise TypeError(f"Cannot treat {cls!r} as a builtin type")
        kept |= _SPELLED[cls]
    return kept


def has_items(value):
    """Whether an object has items by name, though it is no mapping."""
    cls = type(value)
    return hasattr(cls, "__getitem__") and (hasattr(cls, "keys") or not hasattr(cls, "__len__"))


def item(value, name):
    """What an object that has items gives for a name."""
    get = getattr(type(value), "__getitem__", None)
    if get is None:
        return NotImplemented
    try:
        return get(value, name)
    except Exception:
        return NotImplemented


def is_a(value, cls):
    try:
        return isinstance(value, cls)
    except TypeError:
        # What cannot be asked has been looked at by the hook.
        return True


def worded(error):
    """What an exception of a user says, and how far below it is: what reading has raised says where."""
    from . import DecodeError, ValidationError

    if isinstance(error, DecodeError) and type(error) not in (DecodeError, ValidationError):
        # A class of the user's own is not taken for one of ours.
        raise error
    path, words = getattr(error, "path", None), getattr(error, "msg", None)
    if isinstance(path, str) and isinstance(words, str) and path[:1] == "$":
        return words, path[1:]
    return str(error), ""


# A text of a subclass as plain text, whatever the class makes of it.
exact = str.__str__


def items(value):
    """What has items in order without being a list, as one; None if it is nothing of the kind."""
    from collections import deque

    return list(value) if isinstance(value, deque) else None
