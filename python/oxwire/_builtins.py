"""`to_builtins`: objects as the values that every serializer knows.

What is done with objects of a class is found out when the first is met, and kept for the call. What may surprise: the
path of what cannot be written is put together on the way out, by each container that it stands in.
"""

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from operator import attrgetter
from uuid import UUID

from . import _codecs
from ._oxwire import EncodeError, Raw, Struct, json_decode, json_encode
from ._struct import UNSET, Factory

_PLAIN = frozenset((type(None), bool, int, float, str))
_TEXTS = (bytes, bytearray, memoryview, datetime, date, time, timedelta, UUID, Decimal)


class _Cannot(Exception):
    """Something cannot be written; the path grows on the way out."""

    def put_before(self, where):
        self.args = (self.args[0], where, *self.args[1:])


def _key(name):
    return f".{name}" if isinstance(name, str) and name.isidentifier() else f"[{name!r}]"


def _is_default(value, default):
    if type(default) is Factory:
        return type(value) is default.factory and default.factory in (list, dict, set) and not value
    return value is default


def _values(names):
    """What gives the attributes of that name of an object, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda o: tuple(getattr(o, name) for name in names)


class _Walk:
    def __init__(self, str_keys, builtin_types, enc_hook, order, codecs, text):
        self.str_keys, self.hook, self.text = str_keys, enc_hook, text or json_encode
        # The face of msgspec leaves out private fields of attrs classes.
        self.public = text is not None
        if order not in (None, "deterministic", "sorted"):
            raise ValueError(f"`order` must be None, 'deterministic' or 'sorted', got {order!r}")
        self.sorts, self.sorts_fields = order is not None, order == "sorted"
        self.kept = tuple(builtin_types or ())
        if not all(isinstance(one, type) for one in self.kept):
            raise TypeError("`builtin_types` must be an iterable of types")
        self.plain = _PLAIN.union(self.kept)
        self.codecs = _codecs.hook(codecs) if codecs else None
        self.ways = {list: self.items, dict: self.dict, tuple: lambda o: tuple(self.items(o))}

    def any(self, o):
        cls = type(o)
        if cls in self.plain:
            return o
        way = self.ways.get(cls)
        if way is None:
            way = self.ways[cls] = self.way(cls)
        return way(o)

    def way(self, cls):
        """What is done with objects of a class."""
        if self.codecs and any(one in self.codecs.classes for one in cls.__mro__):
            return lambda o: self.any(self.codecs(o))
        if issubclass(cls, Struct):
            return self.struct(cls)
        if issubclass(cls, enum.Enum):
            return lambda o: self.any(o.value)
        if cls in _TEXTS:
            return lambda o: self.text(o)[1:-1].decode()
        if cls is Raw:
            return self.cannot
        if issubclass(cls, set | frozenset):
            return self.set
        if issubclass(cls, tuple):
            return lambda o: tuple(self.items(o))
        if issubclass(cls, list):
            return self.items
        if issubclass(cls, dict):
            return self.dict
        names = None
        if hasattr(cls, "__dataclass_fields__"):
            import dataclasses

            names = [one.name for one in dataclasses.fields(cls)]
        elif hasattr(cls, "__attrs_attrs__"):
            names = [one.name for one in cls.__attrs_attrs__ if not (self.public and one.name[0] == "_")]
        if names is not None:
            return lambda o: self.fields(names, [getattr(o, name, UNSET) for name in names])
        if not self.public and (name := _codecs.known(cls)):
            if name == "deque":
                return self.items
            if name in ("array", "ndarray", "generic"):
                return lambda o: self.any(o.tolist())
            return self.leaf
        return self.hooked

    def hooked(self, o):
        return self.cannot(o) if self.hook is None else self.any(self.hook(o))

    def leaf(self, o):
        """What has a text of its own."""
        try:
            return json_decode(json_encode(o))
        except EncodeError:
            return self.hooked(o)

    def cannot(self, o):
        cls = type(o)
        name = "oxwire.Raw" if cls is Raw else f"{cls.__module__}.{cls.__qualname__}"
        raise _Cannot(f"Cannot encode an object of type `{name}`")

    def items(self, o):
        made, plain, any_ = [], self.plain, self.any
        try:
            for one in tuple(o):
                made.append(one if type(one) in plain else any_(one))
        except _Cannot as e:
            e.put_before(f"[{len(made)}]")
            raise
        return made

    def set(self, o):
        made = self.items(o)
        return sorted(made) if self.sorts else made

    def key(self, key):
        if isinstance(key, enum.Enum):
            return self.key(key.value)
        if type(key) in _TEXTS and type(key) not in self.kept:
            return self.any(key)
        if not self.str_keys or isinstance(key, str):
            return str(key) if isinstance(key, str) else self.any(key)
        if type(key) in (int, float):
            return json_encode(key).decode()
        self.no_key(key)

    def no_key(self, key):
        raise _Cannot(f"A key cannot be of type `{type(key).__name__}`")

    def dict(self, o):
        made, plain, any_ = {}, self.plain, self.any
        pairs, spelled = tuple(o.items()), False
        try:
            for key, value in pairs:
                if type(key) is str:
                    new = key
                else:
                    new, spelled = self.key(key), True
                    if isinstance(new, list | dict):
                        self.no_key(key)
                made[new] = value if type(value) in plain else any_(value)
        except _Cannot as e:
            e.put_before(_key(key))
            raise
        if spelled and len(made) != len(pairs):
            self.same_key(pairs)
        if not self.sorts:
            return made
        if not all(type(key) is str for key in made):
            raise _Cannot("Only dicts with str keys can be put in order")
        return dict(sorted(made.items()))

    def same_key(self, pairs):
        met = set()
        for key, _ in pairs:
            new = key if type(key) is str else self.key(key)
            if new in met:
                raise _Cannot(f"Two keys are both spelled {new!r}")
            met.add(new)

    def fields(self, names, values, tag=None):
        made, plain, any_ = {} if tag is None else {tag[0]: tag[1]}, self.plain, self.any
        name = None
        try:
            for name, value in zip(names, values, strict=True):
                if type(value) in plain:
                    made[name] = value
                elif value is not UNSET:
                    made[name] = any_(value)
        except _Cannot as e:
            e.put_before(f".{name}")
            raise
        return dict(sorted(made.items())) if self.sorts_fields else made

    def struct(self, cls):
        config, values = cls.__struct_config__, _values(cls.__struct_fields__)
        if config.array_like:
            if config.tag is None:
                return lambda o: self.items(values(o))
            return lambda o: [config.tag, *self.items(values(o))]
        names = cls.__struct_encode_fields__
        tag = None if config.tag is None else (config.tag_field, config.tag)
        if not config.omit_defaults:
            return lambda o: self.fields(names, values(o), tag)
        defaults = cls.__struct_defaults__
        first = len(names) - len(defaults)

        def sparse(o):
            kept = [
                UNSET if i >= first and _is_default(v, defaults[i - first]) else v
                for i, v in enumerate(values(o))
            ]
            return self.fields(names, kept, tag)

        return sparse


def to_builtins(
    obj, /, *, str_keys=False, builtin_types=None, enc_hook=None, order=None, codecs=None, _text=None
):
    try:
        return _Walk(str_keys, builtin_types, enc_hook, order, codecs, _text).any(obj)
    except RecursionError:
        msg, path = "Containers nest too deep, or contain themselves", "$"
    except _Cannot as e:
        msg, path = e.args[0], "$" + "".join(e.args[1:])
    error = EncodeError(f"{msg} - at `{path}`")
    error.msg, error.path = msg, path
    raise error


to_builtins.__module__ = "oxwire"
