"""Struct classes: what some are declared with, and most are not; `_struct` has the rest.

The extension finds these there, where the package does not wait for them.
"""

import sys

from ._oxwire import Struct
from ._struct import NODEFAULT, checked


class StructConfig:
    __slots__ = ("_options",)

    def __init__(self, options):
        object.__setattr__(self, "_options", options)

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute {name!r} is read-only")

    def __getattr__(self, name):
        options = object.__getattribute__(self, "_options")
        if name not in options:
            raise AttributeError(f"'StructConfig' object has no attribute {name!r}")
        return options[name]

    def __reduce__(self):
        return StructConfig, (self._options,)

    def __dir__(self):
        return [*super().__dir__(), *self._options]

    def __repr__(self):
        return f"StructConfig({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


def _words(name, first):
    bare = name.lstrip("_")
    words = bare.split("_")
    return "_" * (len(name) - len(bare)) + "".join([first(words[0]), *(word.title() for word in words[1:])])


_RULES = {
    "lower": str.lower,
    "upper": str.upper,
    "camel": lambda name: _words(name, str),
    "pascal": lambda name: _words(name, str.title),
    "kebab": lambda name: name.strip("_").replace("_", "-"),
}


def renamed(rename, name):
    """What a field is called outside."""
    if isinstance(rename, str):
        if rename not in _RULES:
            raise ValueError(f"rename={rename!r} is unsupported")
        new = _RULES[rename](name)
    elif callable(rename) or hasattr(rename, "get"):
        new = (rename if callable(rename) else rename.get)(name)
        if new is None:
            return name
        if not isinstance(new, str):
            how = "calling `rename`" if callable(rename) else "`rename[field]`"
            raise TypeError(f"Expected {how} to return a `str` or `None`, got `{type(new).__name__}`")
    else:
        raise TypeError("`rename` must be a str, callable, or mapping")
    return checked(new)


def signature(cls):
    from inspect import Parameter, Signature

    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    missing = len(names) - len(defaults)
    types = {}
    for base in reversed(cls.__mro__):
        if hasattr(base, "__struct_fields__"):
            types |= annotations_of(base)
    parameters = []
    for i, name in enumerate(names):
        default = defaults[i - missing] if i >= missing else NODEFAULT
        parameters.append(
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD if name in cls.__match_args__ else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is NODEFAULT else default,
                annotation=types.get(name, Parameter.empty),
            )
        )
    return Signature(parameters)


def annotations_of(cls):
    """What the body of a class itself says of its names, as far as it can be said."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    return vars(cls).get("__annotations__", {})


def defstruct(name, fields, *, bases=None, module=None, namespace=None, **options):
    if not isinstance(name, str):
        raise TypeError(f"defstruct() argument 1 must be str, not {type(name).__name__}")
    from types import new_class
    from typing import Any

    bases = (Struct,) if bases is None else tuple(bases)
    if not any(hasattr(base, "__struct_fields__") for base in bases):
        bases = (*bases, Struct)
    body = dict(namespace or ())
    types = dict(body.get("__annotations__", ()))
    try:
        fields = list(fields)
    except TypeError:
        raise TypeError("`fields` must be an iterable") from None
    for item in fields:
        if isinstance(item, str):
            item = (item, Any)
        if not (isinstance(item, tuple) and 2 <= len(item) <= 3 and isinstance(item[0], str)):
            raise TypeError(
                "items in `fields` must be one of `str`, `tuple[str, type]`, or `tuple[str, type, Any]`"
            )
        types[item[0]] = item[1]
        if len(item) == 3:
            body[item[0]] = item[2]
    body["__annotations__"] = types
    if module is None:
        module = sys._getframe(1).f_globals.get("__name__")
    if module is not None:
        body.setdefault("__module__", module)
    return new_class(name, bases, options, lambda namespace: namespace.update(body))


defstruct.__module__ = "oxwire"
StructConfig.__module__ = "oxwire.structs"
