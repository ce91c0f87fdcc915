"""What the extension is given when it is imported: first of all what Struct classes are declared with, which it makes itself.

What may surprise: `Struct` itself does not exist yet while this is imported.
"""

import sys


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
    # Few have an alias, a message, strict, or marks.
    __slots__ = ("alias", "default", "default_factory", "marks", "message", "name", "strict")

    def __init__(self, default, default_factory, name):
        self.default, self.default_factory, self.name, self.marks = default, default_factory, name, None

    def __repr__(self):
        return (
            f"field(default={self.default!r}, default_factory={self.default_factory!r}, name={self.name!r})"
        )

    def __reduce__(self):
        more = {
            name: getattr(self, name)
            for name in ("alias", "strict", "message", "marks")
            if hasattr(self, name)
        }
        return _declared, (self.default, self.default_factory, self.name), (None, more)


def _declared(*parts):
    return Field(*parts)


def field(
    *,
    default=NODEFAULT,
    default_factory=NODEFAULT,
    name=None,
    alias=None,
    exclude=False,
    frozen=False,
    init=True,
    private=False,
    flatten=False,
    strict=None,
    message=None,
):
    if default is not NODEFAULT and default_factory is not NODEFAULT:
        raise TypeError("Cannot set both `default` and `default_factory`")
    if default_factory is not NODEFAULT and not callable(default_factory):
        raise TypeError("default_factory must be callable")
    if name is not None and not isinstance(name, str):
        raise TypeError("name must be a str or None")
    made = Field(default, default_factory, name and checked(name))
    more = alias, exclude, frozen, init, private, flatten, strict, message
    if more == (None, False, False, True, False, False, None, None):
        return made
    from ._fields import told

    return told(made, *more)


class Factory:
    __slots__ = ("factory",)

    def __init__(self, factory):
        self.factory = factory

    def __repr__(self):
        return "<factory>"


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


def checked(new):
    if any(c < " " or c in '\\"' for c in new):
        words = (
            "Renamed field names must not contain '\\', '\"', or control characters ('\\u0000' to '\\u001F')"
        )
        raise ValueError(f"{words} - {new!r} is invalid")
    return sys.intern(str(new))


def rebuild(cls, fields, kept=()):
    """An instance out of what `__reduce__` gave."""
    if cls.__struct_more__ is None:
        return cls(**fields)
    from ._fields import rebuilt

    return rebuilt(cls, fields, kept)


for _class in (Field, field):
    _class.__module__ = "oxwire"


# What a class was made of (its namespace and its options, as a property's setter and deleter), under the name `__dict__`.
# That is where cloudpickle looks for a property that a class must be made with, before all else that it is given: so a
# class of `__main__` keeps its fields where it is read again. Its instances have no `__dict__` to be hidden.
# It is no docstring, since a property without a slot for one is slow to make.
class Portable(property):
    __slots__ = ("__doc__", "cls", "names")

    def __set__(self, instance, value):
        raise AttributeError(f"'{type(instance).__name__}' object has no attribute '__dict__'")

    def __delete__(self, instance):
        self.__set__(instance, None)

    def __reduce__(self):
        from ._define import parts

        return parts(self)

    def __setstate__(self, state):
        from ._define import completed

        completed(self, *state)


class Asked:
    """An attribute of all Struct classes that only other libraries ask for: `_pydantic` has what makes it."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, cls):
        from . import _pydantic

        return getattr(_pydantic, self.name)(cls)


def answer(first):
    """Gives the first Struct class what other libraries ask for."""
    for name in (
        "__get_pydantic_core_schema__",
        "__get_pydantic_json_schema__",
        "__dataclass_fields__",
        "__dataclass_params__",
    ):
        setattr(first, name, Asked(name))


_LATER = {
    "_define": ("Rooted", "abstract", "concrete", "config", "remade", "renamed", "signature"),
    "_fields": ("check", "told_of", "pairs", "reduced", "shown"),
    "_oxwire": ("structs_validate",),
}


def __getattr__(name):
    # What few classes need is not imported with the package.
    for home, names in _LATER.items():
        if name in names:
            from importlib import import_module

            found = globals()[name] = getattr(import_module(f".{home}", __package__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Open:
    pass


def _cases():
    """Objects of each kind that the extension reads or makes by hand: dicts to be read, instances with their attributes, values,
    dicts to be made. It does the same with them by hand, and what differs from what is here it leaves to the interpreter.
    """
    # The attributes of an instance may share their keys with other instances.
    shared = _Open()
    shared.a, shared.b = 1, 2
    read = [{}, vars(shared)]
    for n in (1, 5, 6, 10, 11, 100, 300):
        words = {f"k{i}": i for i in range(n)}
        thinned = words.copy()
        for i in range(0, n, 3):
            del thinned[f"k{i}"]
        mixed = {i if i % 7 == 3 else f"k{i}": i for i in range(n)}
        read += words, thinned, thinned.copy(), mixed
    a, b, c, d = _Open(), _Open(), _Open(), _Open()
    for one in (a, c, d):
        one.one, one.two, one.three = 1, 2, 3
    b.three, b.one = 4, 5
    # With a dict made, they stay where they are; with one that is changed beyond what the class knows, they need not.
    vars(c)
    vars(d)["four"] = 6
    named = "one", 1, "two", 2, "three", 3
    numbers = 257, -6, 1 << 15, (1 << 30) - 1, 1 << 30, -(1 << 30), (1 << 60) - 1, 1 - (1 << 60)
    return (
        (*read,),
        ((a, *named), (b, "three", 4, "one", 5), (c, *named), (d, *named, "four", 6, None)),
        (
            *("x" * n for n in (2, 7, 8, 15, 16, 100, 1000)),
            *(int(str(n)) for n in numbers),
            float("0.5"),
            *([n] * n for n in (1, 5, 100)),
        ),
        # A list can be part of a cycle, a text cannot.
        (
            *(
                {f"k{i}": [] if n == 6 and i == 4 else "" for i in range(n)}
                for n in (1, 2, 5, 6, 10, 11, 22, 43, 85, 86, 170, 171, 300)
            ),
        ),
    )


def given(module, known):
    """What the extension holds for as long as it lives, in the order in which it takes it."""
    import os
    from enum import EnumMeta

    from . import _errors, _msgpack

    try:
        # What stands in `datetime` itself may be the stand-ins of a library that freezes time for tests, of which no real
        # datetime is an instance.
        import _datetime as moments
    except ImportError:
        import datetime as moments

    errors = _errors.Error, _errors.EncodeError, _errors.DecodeError, _errors.ValidationError
    vars(module).update((one.__name__, one) for one in errors)
    # The environment variable forces the interpreter's way, so that both can be tested.
    plain = bool(os.getenv("OXWIRE_PLAIN"))
    return (
        _cases() if known and not plain else (),
        plain,
        int.from_bytes(os.urandom(8), "little", signed=True),
        # Of Struct classes.
        sys.modules[__name__], NODEFAULT, Field, rebuild, Portable,
        "__dict__", "__slots__", "__match_args__", "__annotations__", "__post_init__", "__computed__",
        "__init__", "__new__", "__slots__",
        _msgpack.Ext, _msgpack.Timestamp,
        moments.__name__ == "_datetime",
        moments.datetime, moments.date, moments.time, moments.timedelta, moments.UTC, "utcoffset",
        EnumMeta, "value", "_value_", "int", "__dict__", "tzinfo", UNSET,
    )  # fmt: skip
