"""What Struct classes are declared with; the classes themselves are made by the extension, which imports this.

What may surprise: `Struct` itself does not exist yet while this is imported; the extension puts it here.
"""

import sys

# Put here when it is made.
Struct = None


class _Single:
    """A class with one instance, which stands for nothing else."""

    __slots__ = ()

    def __init_subclass__(cls):
        cls.__module__ = "oxwire"
        one = object.__new__(cls)
        cls.__new__ = lambda cls: one

    def __repr__(self):
        return self._name

    def __reduce__(self):
        return self._name

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class NoDefault(_Single):
    __slots__ = ()
    _name = "NODEFAULT"


class UnsetType(_Single):
    __slots__ = ()
    _name = "UNSET"

    def __bool__(self):
        return False


NODEFAULT = NoDefault()
UNSET = UnsetType()


class Field:
    __slots__ = ("default", "default_factory", "name")

    def __init__(self, default, default_factory, name):
        self.default, self.default_factory, self.name = default, default_factory, name

    def __repr__(self):
        return (
            f"field(default={self.default!r}, default_factory={self.default_factory!r}, name={self.name!r})"
        )


def field(*, default=NODEFAULT, default_factory=NODEFAULT, name=None):
    if default is not NODEFAULT and default_factory is not NODEFAULT:
        raise TypeError("Cannot set both `default` and `default_factory`")
    if default_factory is not NODEFAULT and not callable(default_factory):
        raise TypeError("default_factory must be callable")
    if name is not None and not isinstance(name, str):
        raise TypeError("name must be a str or None")
    return Field(default, default_factory, name and _checked(name))


class Factory:
    __slots__ = ("factory",)

    def __init__(self, factory):
        self.factory = factory

    def __repr__(self):
        return "<factory>"


class StructConfig:
    __slots__ = (
        *("frozen", "eq", "order", "array_like", "gc", "repr_omit_defaults", "omit_defaults"),
        *("forbid_unknown_fields", "weakref", "dict", "cache_hash", "tag", "tag_field"),
    )

    def __init__(self, options):
        for name in self.__slots__:
            object.__setattr__(self, name, options[name])

    def __setattr__(self, name, value=None):
        raise AttributeError(f"attribute {name!r} is read-only")

    __delattr__ = __setattr__

    def _options(self):
        return {name: getattr(self, name) for name in self.__slots__}

    def __reduce__(self):
        return StructConfig, (self._options(),)

    def __repr__(self):
        return f"StructConfig({', '.join(f'{name}={value!r}' for name, value in self._options().items())})"


def annotations(namespace):
    """The annotations of a class body that holds a function for them instead (PEP 649)."""
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    if annotate is None:
        return {}
    from annotationlib import Format, call_annotate_function

    return call_annotate_function(annotate, Format.FORWARDREF)


def is_class_var(annotation):
    """Whether an annotation that is no class says that a name is the class's own."""
    # What is not resolved yet says its text.
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", None)
    if isinstance(text, str):
        return text.removeprefix("typing.").split("[")[0] == "ClassVar"
    typing = sys.modules.get("typing")
    return typing is not None and (
        annotation is typing.ClassVar or getattr(annotation, "__origin__", None) is typing.ClassVar
    )


def _checked(new):
    if any(c < " " or c in '\\"' for c in new):
        words = (
            "Renamed field names must not contain '\\', '\"', or control characters ('\\u0000' to '\\u001F')"
        )
        raise ValueError(f"{words} - {new!r} is invalid")
    return sys.intern(str(new))


def renamed(rename, name):
    """What a field is called outside, where that is no rule with a name."""
    if not (callable(rename) or hasattr(rename, "get")):
        raise TypeError("`rename` must be a str, callable, or mapping")
    new = (rename if callable(rename) else rename.get)(name)
    if new is None:
        return name
    if not isinstance(new, str):
        how = "calling `rename`" if callable(rename) else "`rename[field]`"
        raise TypeError(f"Expected {how} to return a `str` or `None`, got `{type(new).__name__}`")
    return _checked(new)


def rebuild(cls, fields):
    """An instance out of what `__reduce__` gave."""
    return cls(**fields)


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
    bases = () if bases is None else tuple(bases)
    if not (bases and any(hasattr(base, "__struct_fields__") for base in bases)):
        bases = (*bases, Struct)
    body = dict(namespace) if namespace else {}
    types = dict(body["__annotations__"]) if "__annotations__" in body else {}
    try:
        fields = list(fields)
    except TypeError:
        raise TypeError("`fields` must be an iterable") from None
    for item in fields:
        if isinstance(item, str):
            item = (item, _any())
        if not (isinstance(item, tuple) and len(item) in (2, 3) and isinstance(item[0], str)):
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
    if len(bases) == 1 and type(bases[0]) is type(Struct):
        return type(Struct)(name, bases, body, **options)
    from types import new_class

    return new_class(name, bases, options, lambda namespace: namespace.update(body))


def _any():
    from typing import Any

    return Any


for _class in (Field, field, defstruct):
    _class.__module__ = "oxwire"
StructConfig.__module__ = "oxwire.structs"
