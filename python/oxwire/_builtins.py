"""`to_builtins`: objects as the values that every serializer knows."""

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from ._oxwire import EncodeError, Raw, Struct, json_encode
from ._struct import UNSET, Factory

_PLAIN = (type(None), bool, int, float, str)
_TEXTS = (bytes, bytearray, memoryview, datetime, date, time, timedelta, UUID, Decimal)


class _Cannot(Exception):
    """Something cannot be written; the path grows on the way out."""


def _key(name):
    return f".{name}" if isinstance(name, str) and name.isidentifier() else f"[{name!r}]"


def _is_default(value, default):
    if type(default) is Factory:
        return type(value) is default.factory and default.factory in (list, dict, set) and not value
    return value is default


class _Walk:
    def __init__(self, str_keys, builtin_types, enc_hook, order, text):
        self.str_keys, self.hook, self.text = str_keys, enc_hook, text or json_encode
        # The face of msgspec leaves out private fields of attrs classes.
        self.public = text is not None
        if order not in (None, "deterministic", "sorted"):
            raise ValueError(f"`order` must be None, 'deterministic' or 'sorted', got {order!r}")
        self.sorts, self.sorts_fields = order is not None, order == "sorted"
        self.kept = tuple(builtin_types or ())
        if not all(isinstance(one, type) for one in self.kept):
            raise TypeError("`builtin_types` must be an iterable of types")

    def any(self, o):
        cls = type(o)
        if cls in _PLAIN or cls in self.kept:
            return o
        if cls is list or cls is tuple:
            return cls(self.items(o))
        if cls is dict:
            return self.dict(o)
        if isinstance(o, Struct):
            return self.struct(o)
        if isinstance(o, enum.Enum):
            return self.any(o.value)
        if cls in _TEXTS:
            return self.text(o)[1:-1].decode()
        if cls is Raw:
            raise _Cannot("Cannot encode an object of type `oxwire.Raw`")
        if isinstance(o, set | frozenset):
            return self.set(o)
        if isinstance(o, list | tuple):
            return (tuple if isinstance(o, tuple) else list)(self.items(o))
        if isinstance(o, dict):
            return self.dict(o)
        names = None
        if hasattr(cls, "__dataclass_fields__"):
            import dataclasses

            names = [one.name for one in dataclasses.fields(cls)]
        elif hasattr(cls, "__attrs_attrs__"):
            names = [one.name for one in cls.__attrs_attrs__ if not (self.public and one.name[0] == "_")]
        if names is not None:
            return self.fields((name, getattr(o, name, UNSET)) for name in names)
        if self.hook is not None:
            return self.any(self.hook(o))
        raise _Cannot(f"Cannot encode an object of type `{cls.__module__}.{cls.__qualname__}`")

    def inside(self, o, where):
        try:
            return self.any(o)
        except _Cannot as e:
            e.args = (e.args[0], where, *e.args[1:])
            raise

    def items(self, o):
        return [self.inside(one, f"[{i}]") for i, one in enumerate(list(o))]

    def set(self, o):
        made = self.items(o)
        return sorted(made) if self.sorts else made

    def key(self, key):
        if type(key) is str:
            return key
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
        made = {}
        for key, value in list(o.items()):
            new = self.inside_key(key)
            if new in made:
                raise _Cannot(f"Two keys are both spelled {new!r}")
            made[new] = self.inside(value, _key(key))
        if not self.sorts:
            return made
        if not all(type(key) is str for key in made):
            raise _Cannot("Only dicts with str keys can be put in order")
        return dict(sorted(made.items()))

    def inside_key(self, key):
        try:
            new = self.key(key)
            if isinstance(new, list | dict):
                self.no_key(key)
            return new
        except _Cannot as e:
            e.args = (e.args[0], _key(key), *e.args[1:])
            raise

    def fields(self, pairs, tag=None):
        made = {} if tag is None else {tag[0]: tag[1]}
        for name, value in pairs:
            if value is not UNSET:
                made[name] = self.inside(value, f".{name}")
        return dict(sorted(made.items())) if self.sorts_fields else made

    def struct(self, o):
        config, names = o.__struct_config__, o.__struct_fields__
        if config.array_like:
            made = [self.inside(getattr(o, name), f"[{i}]") for i, name in enumerate(names)]
            return made if config.tag is None else [config.tag, *made]
        pairs = zip(o.__struct_encode_fields__, [getattr(o, name) for name in names], strict=True)
        if config.omit_defaults:
            pairs = list(pairs)
            defaults = o.__struct_defaults__
            first = len(names) - len(defaults)
            pairs = [
                p for i, p in enumerate(pairs) if i < first or not _is_default(p[1], defaults[i - first])
            ]
        return self.fields(pairs, None if config.tag is None else (config.tag_field, config.tag))


def to_builtins(obj, /, *, str_keys=False, builtin_types=None, enc_hook=None, order=None, _text=None):
    """Make of an object the values that every serializer knows: see the documentation."""
    try:
        return _Walk(str_keys, builtin_types, enc_hook, order, _text).any(obj)
    except RecursionError:
        msg, path = "Containers nest too deep, or contain themselves", "$"
    except _Cannot as e:
        msg, path = e.args[0], "$" + "".join(e.args[1:])
    error = EncodeError(f"{msg} - at `{path}`")
    error.msg, error.path = msg, path
    raise error


to_builtins.__module__ = "oxwire"
