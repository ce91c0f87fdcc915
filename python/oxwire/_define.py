"""Struct classes: what some are declared with, and most are not; `_struct` has the rest.

The extension finds these there, where the package does not wait for them.
"""

import sys

from ._oxwire import Struct
from ._struct import NODEFAULT, Portable, annotations, checked, is_class_var


class StructConfig:
    __slots__ = (
        *("frozen", "eq", "order", "array_like", "gc", "repr_omit_defaults", "omit_defaults"),
        *("forbid_unknown_fields", "weakref", "dict", "cache_hash", "tag", "tag_field"),
    )

    def __init__(self, options):
        for name in self.__slots__:
            object.__setattr__(self, name, options[name])

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute {name!r} is read-only")

    def __delattr__(self, name):
        self.__setattr__(name, None)

    def _options(self):
        return {name: getattr(self, name) for name in self.__slots__}

    def __reduce__(self):
        return StructConfig, (self._options(),)

    def __repr__(self):
        return f"StructConfig({', '.join(f'{name}={value!r}' for name, value in self._options().items())})"


def config(bits, tag, tag_field):
    """What a class was told: its options are bits, in the order of the names."""
    options = {name: bits >> i & 1 == 1 for i, name in enumerate(StructConfig.__slots__[:-2])}
    return StructConfig({**options, "tag": tag, "tag_field": tag_field})


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
    return checked(new)


def signature(cls):
    from inspect import Parameter, Signature

    types = {}
    for base in reversed(cls.__mro__):
        if hasattr(base, "__struct_fields__"):
            types |= annotations_of(base)
    parameters = []
    for name, default in zip(cls.__struct_fields__, _defaults(cls), strict=True):
        parameters.append(
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD if name in cls.__match_args__ else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is NODEFAULT else default,
                annotation=types.get(name, Parameter.empty),
            )
        )
    return Signature(parameters)


def _defaults(cls):
    """The default of each field, or NODEFAULT."""
    given = cls.__struct_defaults__
    return (NODEFAULT,) * (len(cls.__struct_fields__) - len(given)) + given


def annotations_of(cls):
    """What the body of a class itself says of its names, as far as it can be said."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    return vars(cls).get("__annotations__", {})


def makes_tuples(cls):
    """Whether calling the class of a named tuple only makes a tuple: `collections.namedtuple` wrote its `__new__`."""
    code = getattr(cls.__new__, "__code__", None)
    return (
        code is not None
        and code.co_names == ("_tuple_new",)
        and cls.__new__.__module__.startswith("namedtuple_")
        and (type(cls), cls.__init__) == (type, object.__init__)
    )


def others(cls):
    """The type of the values that a TypedDict does not name (PEP 728), alone; nothing if there may be none, None if it does not say."""
    found = getattr(cls, "__extra_items__", None)
    if getattr(cls, "__closed__", None) or getattr(found, "_name", None) == "Never":
        return ()
    if hasattr(cls, "__extra_items__") and type(found).__name__ != "NoExtraItemsType":
        return (found,)
    # A base says it for those that do not.
    for base in getattr(cls, "__orig_bases__", ()):
        said = others(getattr(base, "__origin__", base))
        if said is not None:
            return said
    return None


# Of a namespace, what is not sent along: what the interpreter puts there for itself, and annotations.
_LEFT = ("__module__", "__classcell__", "__annotations__", "__annotate__", "__annotate_func__")
# Whether cloudpickle leaves annotations to whoever makes the class.
_LATE = sys.version_info >= (3, 14)


def parts(portable):
    """A class as `Portable` pickles it: the names of its fields, and all else that its body gave. What may refer to the class
    follows when there is something to refer to: what names in annotations mean, and annotations, if nobody else sends them."""
    namespace, options = portable.fset, portable.fdel
    said = namespace.get("__annotations__") or annotations(namespace)
    fields = [name for name, t in said.items() if not is_class_var(t)]
    body = {name: value for name, value in namespace.items() if name not in _LEFT}
    known = {**vars(sys.modules.get(namespace.get("__module__"), object)), **getattr(portable, "names", {})}
    names = {name: known[name] for t in said.values() for name in _names(t) if name in known}
    made = _apart, (fields, body, options)
    return (*made, (names, said if _LATE else None)) if names or _LATE else made


def _names(t):
    """The names in the parts of an annotation that are text."""
    text = t if isinstance(t, str) else getattr(t, "__forward_arg__", None)
    if text is None:
        for arg in getattr(t, "__args__", ()):
            yield from _names(arg)
        return
    try:
        yield from compile(f"({text}\n)", "<annotation>", "eval").co_names
    except SyntaxError:
        # A value of Literal, which is no name.
        return


def _apart(names, body, options):
    from typing import Any

    return Portable(None, {**body, "__annotations__": dict.fromkeys(names, Any)}, options)


def remade(meta, name, bases, namespace):
    """The class that `parts` took apart, in the module that cloudpickle names."""
    was = namespace["__dict__"]
    body = {**was.fset, "__module__": namespace.get("__module__")}
    was.cls = cls = type(Struct).__new__(meta, name, bases, body, **(was.fdel or {}))
    vars(cls)["__dict__"].names = getattr(was, "names", {})
    return cls


def completed(was, names, said):
    """What `parts` sends after a class, which may be made already."""
    was.names = names
    cls = getattr(was, "cls", None)
    if cls is not None:
        vars(cls)["__dict__"].names = names
    if said is not None and cls is not None:
        cls.__annotations__ = said
    elif said is not None:
        was.fset["__annotations__"] = said


def abstract(cls):
    """Whether the metaclass is one of abstract classes too. What that does when a class is made is done here."""
    abc = sys.modules.get("abc")
    if abc is None or not isinstance(cls, abc.ABCMeta):
        return False
    from _abc import _abc_init

    _abc_init(cls)
    return True


def concrete(cls):
    """Refuses a class that has abstract methods, as `object` does."""
    names = sorted(getattr(cls, "__abstractmethods__", ()))
    if names:
        raise TypeError(
            f"Can't instantiate abstract class {cls.__name__} without an implementation for abstract "
            f"method{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"
        )


class Rooted(tuple):
    """The `__slots__` of a class that has a `__dict__`, and so nothing to keep its fields with it."""

    __slots__ = ()

    def __reduce__(self):
        raise TypeError("a Struct class with a `__dict__` cannot be pickled by value: define it in a module")


def defstruct(name, fields, *, bases=None, module=None, namespace=None, **options):
    if not isinstance(name, str):
        raise TypeError(f"defstruct() argument 1 must be str, not {type(name).__name__}")
    bases = tuple(bases or ())
    if not bases or not any(hasattr(base, "__struct_fields__") for base in bases):
        bases += (Struct,)
    if module is None:
        module = sys._getframe(1).f_globals.get("__name__")
    body = {} if module is None else {"__module__": module}
    if namespace:
        body |= namespace
    types = {**body["__annotations__"]} if "__annotations__" in body else {}
    try:
        fields = iter(fields)
    except TypeError:
        raise TypeError("`fields` must be an iterable") from None
    for item in fields:
        # Most are pairs, and all of this takes a tenth of what the class takes to be made.
        key, kind = item if type(item) is tuple and len(item) == 2 else _other(item, body)
        if not isinstance(key, str):
            raise TypeError(_ITEMS)
        types[key] = kind
    body["__annotations__"] = types
    meta = type(Struct)
    if len(bases) == 1 and type(bases[0]) is meta:
        return meta(name, bases, body, **options)
    from types import new_class

    return new_class(name, bases, options, lambda namespace: namespace.update(body))


_ITEMS = "items in `fields` must be one of `str`, `tuple[str, type]`, or `tuple[str, type, Any]`"


def _other(item, body):
    """A field of `defstruct` that is no pair, of which a default goes to the body."""
    if isinstance(item, str):
        from typing import Any

        return item, Any
    if not (isinstance(item, tuple) and len(item) in (2, 3) and isinstance(item[0], str)):
        raise TypeError(_ITEMS)
    if len(item) == 3:
        body[item[0]] = item[2]
    return item[:2]


defstruct.__module__ = "oxwire"
StructConfig.__module__ = "oxwire.structs"
