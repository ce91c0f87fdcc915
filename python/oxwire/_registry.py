"""Registered classes: their names, how their objects are taken apart, and how they are made.

What may surprise: no `__init__` and no `__new__` of a registered class runs. Objects are made as `object` makes them (or the
built-in type that they extend), and their attributes are set as `object` sets them. How a class is taken apart is found out
when it is registered, so that what cannot work is refused there.
"""

import sys
from collections import OrderedDict, defaultdict
from contextlib import suppress
from dataclasses import MISSING
from enum import Enum, Flag
from functools import cached_property, lru_cache

from ._errors import DecodeError, EncodeError
from ._struct import NODEFAULT

RECORD, BY_NAME, BY_VALUE, CARRIER = range(4)
PLAIN, AT_ONCE, OPENED, STRUCT = range(4)


def fill_ordered(o, body):
    # Its own `update` asks the class.
    for item in body.items():
        OrderedDict.__setitem__(o, *item)


# What subclasses of these hold is taken and put in by the types' own functions.
MUTABLE = {
    list: list.extend,
    OrderedDict: fill_ordered,
    defaultdict: lambda o, body: defaultdict.__init__(o, body.default_factory, body),
    dict: dict.update,
    set: set.update,
    bytearray: bytearray.extend,
}
IMMUTABLE = (str, int, float, complex, bytes, tuple, frozenset)
# Values of these hold nothing, and hashing and comparing them is nobody's code.
SIMPLE = frozenset((*IMMUTABLE[:5], bool, type(None)))
# What of an object stands beside its fields and is no part of its value.
ASIDE = "__orig_class__", "_attrs_cached_hash", "__oxwire_cached_hash__"
FIELDED = "struct", "record", "namedtuple"
EVERYWHERE: dict = {}


def refused(words, offset=None, message=None):
    """The exception for a message that says nothing that exists."""
    error = DecodeError(message or words)
    error.msg, error.offset = words, offset
    return error


def malformed(words, at=None):
    """The exception for what the extension refuses in these words."""
    error = refused(words, message=f"Malformed message: {words}")
    if at is not None:
        blame(error, at)
    return error


def blame(error, place):
    """Tells an exception of ours where it was raised, if it does not know yet: a path, or an offset."""
    if type(error) is DecodeError and error.offset is None:
        error.offset = place
        error.args = (f"{error} (byte {place})",)
        return None
    if type(place) is not list:
        return None
    path = "$"
    for step in place:
        if type(step) is str and step.isidentifier():
            path += f".{step}"
        else:
            path += f"[{dumped(step)}]"
    if type(error) is EncodeError and not hasattr(error, "path"):
        error.msg, error.path = str(error), path
        error.args = (f"{error} - at `{path}`",)
    return path


def dumped(key):
    """A key as a path shows it."""
    if type(key) is str:
        return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
    try:
        return "..." if key is ... else repr(key)[:60]
    except Exception:
        return "..."


def varint(n):
    out = b""
    while n > 127:
        out += bytes((n & 127 | 128,))
        n >>= 7
    return out + bytes((n,))


def sized(tag, data):
    """A tag, the length of what follows, and that."""
    return bytes((tag,)) + varint(len(data)) + data


def named_as(name):
    """A name of a type or a field as a value: text, or an int."""
    if type(name) is int:
        size = max(1, (name.bit_length() + 7) // 8)
        return bytes((0xE0 + name,)) if name < 32 else bytes((0x5F + size,)) + name.to_bytes(size, "little")
    try:
        text = name.encode()
    except UnicodeEncodeError:
        return sized(2, name.encode("utf-8", "surrogatepass"))
    return bytes((0x20 + len(text),)) + text if len(text) < 32 else sized(1, text)


def is_name(name):
    return type(name) is str or (type(name) is int and 0 <= name < 2**31)


# As many as a message may have.
@lru_cache(4096)
def definition(kind, name, version, fields):
    """The bytes of a type definition: always the same object, by which the extension knows it again."""
    for field in fields:
        if not isinstance(field, str):
            raise EncodeError(f"Cannot encode an object with the attribute {field!r}: it is no text")
    head = bytes((0x0A, kind)) + named_as(name) + varint(version) + varint(len(fields))
    return head + b"".join(map(named_as, fields))


class Unknown:
    """An object of a class, or of a type of the standard library, that the reader does not know: it is written again as it was.

    What may surprise: two are equal only if they are the same object.
    """

    __slots__ = ("__weakref__", "fields", "kind", "name", "values", "version")

    def __init__(self, kind, name, version, fields, values=()):
        self.kind, self.name, self.version, self.fields, self.values = kind, name, version, fields, values

    def __repr__(self):
        return f"Unknown({self.name!r}, {dict(zip(self.fields, self.values, strict=False)) or self.values!r})"


def fill_unknown(o, values):
    o.values = tuple(values)


class Entry:
    """A class with its name, and the names that its fields had once."""

    def __init__(self, cls, name, version, renamed=None):
        if not isinstance(cls, type):
            raise TypeError(f"{cls!r} is not a class")
        if not isinstance(name, str) and not is_name(name):
            raise TypeError("a class is registered with a name or an int from 0 to 2**31-1")
        self.cls, self.name, self.version = cls, name, version
        self.renamed = dict(renamed or ())
        self.kind, self.of = kind_of(cls)
        if self.kind == "record":
            check_fields(cls, self.of)
        self.slots, dicts = slots_of(cls), cls.__dictoffset__
        # Whether what stands beside the fields is made of them.
        self.loose = hasattr(cls, "__post_init__") or hasattr(cls, "__attrs_post_init__")
        # Whether all objects are taken apart alike. If not, what stands there has to be looked for: in each, or by the extension.
        self.alike = self.kind in FIELDED and (
            self.loose or not (dicts if self.kind == "struct" else {*self.slots} - {*self.of, *ASIDE})
        )
        self.look = dicts and not self.loose

    def definition(self, kind, fields):
        """The bytes of the type definition with these fields."""
        return definition(kind, self.name, self.version, fields)


def kind_of(cls):
    """What a class is, and its fields or the built-in type that it extends."""
    if hasattr(cls, "__struct_fields__"):
        return "struct", tuple(cls.__struct_fields__)
    if issubclass(cls, Enum):
        return "enum", None
    if issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
        for name in cls._fields:
            if type(held(cls, name)).__name__ != "_tuplegetter":
                raise TypeError(
                    f"{cls.__qualname__}.{name} is not what the tuple has, and so cannot be a field"
                )
        return "namedtuple", cls._fields
    for base in (*MUTABLE, *IMMUTABLE, BaseException):
        if issubclass(cls, base):
            made_by(base, cls)
            return "carrier", base
    if "__dataclass_fields__" in dir(cls):
        from dataclasses import fields

        return "record", tuple(field.name for field in fields(cls))
    if "__attrs_attrs__" in dir(cls):
        return "record", tuple(field.name for field in cls.__attrs_attrs__)
    made_by(object, cls)
    return "object", None


def made_by(base, cls):
    """Sees to it that a type can make objects of a class that extends it."""
    with suppress(TypeError):
        # What these hold is believed by the interpreter, and comes from their own `__init__`.
        if not issubclass(cls, (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)):
            return base.__new__(cls)
    raise TypeError(f"objects of {cls.__qualname__} cannot be made of attributes")


def held(cls, name):
    """What a class or its bases hold under a name."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def check_fields(cls, names):
    for name in names:
        there = held(cls, name)
        if hasattr(type(there), "__set__") and type(there).__name__ != "member_descriptor":
            raise TypeError(f"{cls.__qualname__}.{name} is set by code of its own, and so cannot be a field")


@lru_cache(200)
def slots_of(cls):
    """The slots of a class, by name; of exceptions also what those that are built in have beside their `args`."""
    found, error = {}, issubclass(cls, BaseException)
    for base in reversed(cls.__mro__):
        slots = vars(base).get("__slots__", vars(base) if error and base is not BaseException else ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if type(slot := vars(base).get(name)).__name__ == "member_descriptor":
                found[name] = slot
    return found


def attributes(o, slots=None):
    """All that an object has, by name: slots, then its `__dict__`."""
    all_of = {}
    for name, slot in (slots_of(type(o)) if slots is None else slots).items():
        with suppress(AttributeError):
            value = slot.__get__(o)
            # Those of built-in exceptions are `None` if they are not set. What lacked an attribute is left out, as pickle does.
            if slot.__objclass__.__module__ != "builtins" or (value is not None and name != "obj"):
                all_of[name] = value
    all_of.update(getattr(o, "__dict__", ()))
    return all_of


def defaults_of(cls):
    """What stands in for fields that are missing: values, and functions that make them."""
    if hasattr(cls, "__struct_fields__"):
        from .structs import fields

        every = [(f.name, f.default, f.default_factory) for f in fields(cls)]
    elif "__dataclass_fields__" in dir(cls):
        from dataclasses import fields

        every = [(f.name, f.default, f.default_factory) for f in fields(cls)]
    elif hasattr(cls, "__attrs_attrs__"):
        nothing = sys.modules["attr"].NOTHING
        every = []
        for f in cls.__attrs_attrs__:
            factory = getattr(f.default, "factory", None)
            if factory is not None and getattr(f.default, "takes_self", False):
                continue
            value = MISSING if f.default is nothing or factory else f.default
            every.append((f.name, value, factory or MISSING))
    else:
        every = []
    made = {}
    for name, value, factory in every:
        if value is not MISSING and value is not NODEFAULT:
            made[name] = lambda value=value: value
        elif factory is not MISSING and factory is not NODEFAULT:
            made[name] = factory
    return made


class Registry:
    """Classes by name, and names by class."""

    # Whether attributes are written in the order of their names.
    ordered = False

    def __init__(self, registry=None, extra="forbid", unknown="forbid", patterns=False):
        for option, given, other in (("extra", extra, "ignore"), ("unknown", unknown, "keep")):
            if given not in ("forbid", other):
                raise ValueError(f'`{option}` must be "forbid" or "{other}", got {given!r}')
        self.extra, self.unknown, self.patterns = extra == "ignore", unknown == "keep", patterns
        self.names, self.classes, self.makers = {}, {}, {}
        self.shared = registry is None
        if registry is None:
            registry = {}
        elif not isinstance(registry, dict):
            registry = dict(enumerate(registry))
        for name, cls in registry.items():
            known = EVERYWHERE.get(cls)
            self.add(Entry(cls, name, known.version if known else 0, known and known.renamed))

    def add(self, entry):
        if entry.name in self.names or entry.cls in self.classes:
            raise ValueError(f"{entry.name!r} or {entry.cls.__qualname__} is registered twice")
        self.names[entry.name] = self.classes[entry.cls] = entry

    def entry_of(self, cls):
        entry = self.classes.get(cls)
        return EVERYWHERE.get(cls) if entry is None and self.shared else entry

    def name_of(self, cls):
        entry = self.entry_of(cls)
        if entry is None:
            raise EncodeError(f"Cannot encode the class `{cls.__qualname__}`: it is not registered")
        return entry.name

    def entry_named(self, name):
        entry = self.names.get(name)
        if entry is None and self.shared:
            entry = EVERYWHERE.get(name)
        if entry is None:
            raise refused(f"There is no class registered with the name {name!r}")
        return entry

    def class_of(self, name):
        if not is_name(name):
            raise refused("The name of a class is neither text nor an int from 0 to 2**31-1")
        return self.entry_named(name).cls

    def plan_of(self, cls):
        entry = self.entry_of(cls)
        if entry is None or not entry.alike:
            return None
        names = None if entry.kind == "struct" else entry.of
        return entry.definition(RECORD, entry.of), names, *(() if entry.look else (False,))

    def taken_apart(self, o):
        """The type and the values of an object whose class has no plan."""
        cls = type(o)
        entry = self.entry_of(cls)
        if entry is None:
            raise EncodeError(f"Cannot encode an object of type `{cls.__qualname__}`: it is not registered")
        kind, of = entry.kind, entry.of
        if kind == "enum":
            if o._name_ in cls.__members__:
                return entry.definition(BY_NAME, ()), [o._name_]
            return entry.definition(BY_VALUE, ()), [o._value_]
        if kind in FIELDED:
            # It was registered after its objects were met first, lacks a field, or may have more.
            for name in () if entry.loose else attributes(o, entry.slots):
                if name not in (*of, *ASIDE) and not isinstance(held(cls, name), cached_property):
                    raise EncodeError(
                        f"Cannot encode an object of type `{cls.__qualname__}`: it has {name!r}, which is no field"
                    )
            try:
                return entry.definition(RECORD, of), [getattr(o, field) for field in of]
            except AttributeError as error:
                raise EncodeError(f"Cannot encode an object of type `{cls.__qualname__}`: {error}") from error
        more = attributes(o, entry.slots)
        if self.ordered:
            more = {name: more[name] for name in sorted(more, key=str)}
        fields, values = tuple(more), list(more.values())
        if kind == "carrier":
            return entry.definition(CARRIER, fields), [base_of(o, of), *values]
        return entry.definition(RECORD, fields), values

    def resolved(self, kind, name, version, fields):
        """How objects of a type are made, which is a type here."""
        if self.unknown and name not in self.names and not (self.shared and name in EVERYWHERE):
            return OPENED, lambda: Unknown(kind, name, version, fields), (), fill_unknown
        entry = self.entry_named(name)
        cls, of = entry.cls, entry.of
        fields = tuple([entry.renamed.get(field, field) for field in fields])
        if len(set(fields)) < len(fields):
            raise refused(f"{name!r} has a field twice, under two names")
        if kind in (BY_NAME, BY_VALUE):
            if entry.kind != "enum":
                raise refused(f"{name!r} is no enumeration here")
            return AT_ONCE, member(cls, kind == BY_NAME), (), None
        if kind == CARRIER:
            if entry.kind != "carrier":
                raise refused(f"{name!r} extends no built-in type here")
            return carrier(cls, of, fields)
        if entry.kind in ("enum", "carrier"):
            raise refused(f"{name!r} is not made of fields here")
        if entry.kind == "object":
            check_fields(cls, fields)
            return PLAIN, cls, fields, None
        surplus = [field for field in fields if field not in of]
        if surplus and not self.extra:
            raise refused(f"{name!r} has no field {surplus[0]!r}")
        missing = [field for field in of if field not in fields]
        defaults = defaults_of(cls) if missing else {}
        for field in missing:
            if field not in defaults and not (entry.kind == "namedtuple" and field in cls._field_defaults):
                raise refused(f"{name!r} lacks the field {field!r}")
        if entry.kind == "namedtuple":
            return AT_ONCE, lambda values: named(cls, dict(zip(fields, values, strict=True))), (), None
        finish = None
        if missing:

            def finish(o, _):
                for field in missing:
                    put(o, field, defaults[field]())

        if entry.kind == "struct":
            return STRUCT, cls, tuple(of.index(f) if f in of else None for f in fields), finish
        return PLAIN, cls, tuple(f if f in of else None for f in fields), finish


def base_of(o, of):
    """The value of the built-in type that an object is as well, whatever its class says of that."""
    if of is BaseException:
        return of.args.__get__(o)
    if issubclass(of, dict):
        body = ((key, dict.__getitem__(o, key)) for key in of.__iter__(o))
        return of(of.default_factory.__get__(o), body) if of is defaultdict else of(body)
    if of is str or of is bytes or of is int or of is float:
        return of.__getnewargs__(o)[0]
    if of is complex:
        return of.__complex__(o)
    return of(of.__iter__(o))


def put(o, field, value):
    """Sets an attribute, whatever the class says of that."""
    if hasattr(o, "__struct_fields__"):
        from .structs import force_setattr

        force_setattr(o, field, value)
    else:
        object.__setattr__(o, field, value)


def named(cls, values):
    return tuple.__new__(cls, [values[f] if f in values else cls._field_defaults[f] for f in cls._fields])


def is_simple(value):
    """Whether a value is small, and hashing and comparing it is nobody's code."""
    left = [value]
    for one in left:
        if type(one) is tuple and len(left) + len(one) < 100:
            left += one
        elif type(one) not in SIMPLE:
            return False
    return True


def member(cls, by_name):
    """What finds a member among those that there are."""

    def find(values):
        [said], found = values, None
        if by_name:
            found = cls.__members__.get(said) if type(said) is str else None
        # A frozenset may still have to be filled.
        elif is_simple(said):
            found = next(
                (one for one in cls if type(one._value_) is type(said) and one._value_ == said), None
            )
            if found is None and type(said) is int and issubclass(cls, Flag):
                if cls._missing_.__func__ is not Flag._missing_.__func__:
                    raise refused(f"{cls.__qualname__} makes members by code of its own")
                with suppress(ValueError):
                    found = cls(said)
                    # What the class makes of other bits is another value.
                    if type(found) is not cls or found._value_ != said:
                        found = None
        if found is None:
            raise refused(f"{cls.__qualname__} has no such member")
        return found

    return find


def carrier(cls, of, fields):
    """How a subclass of a built-in type is made."""
    check_fields(cls, fields)

    def set_all(o, values):
        try:
            for field, value in zip(fields, values, strict=True):
                object.__setattr__(o, field, value)
        except (AttributeError, TypeError) as error:
            raise refused(f"{cls.__qualname__} cannot have such an attribute: {error}") from error

    if of is BaseException:

        def fill(o, values):
            if type(values[0]) is not tuple:
                raise refused("The args of an exception are no tuple")
            of.args.__set__(o, values[0])
            set_all(o, values[1:])

        return OPENED, lambda: BaseException.__new__(cls), (), fill
    if of in MUTABLE:

        def fill(o, values):
            if type(values[0]) is not of:
                raise refused(f"A {cls.__qualname__} is made of another type")
            set_all(o, values[1:])
            # Its attributes stand at once, what it holds when that stands.
            return lambda o, values: MUTABLE[of](o, values[0])

        return OPENED, lambda: of.__new__(cls), (), fill

    def make(values):
        if type(values[0]) is not of:
            raise refused(f"A {cls.__qualname__} is made of another type")
        o = of.__new__(cls, values[0])
        set_all(o, values[1:])
        return o

    # The members of a frozenset may still be to come.
    return AT_ONCE, make, (), (lambda *_: lambda _, values: {*values[0]}) if of is frozenset else None


def register(name, *, version=0, aliases=(), renamed=None):
    """Register a class with a name that messages have for it: `@register("acme.user", version=2)`."""

    if isinstance(aliases, str):
        raise TypeError("`aliases` must be several names, got a text")
    names = name, *aliases

    def add(cls):
        entry = Entry(cls, name, version, renamed)
        for one in names:
            if EVERYWHERE.get(one, entry).cls is not cls:
                raise ValueError(f"{one!r} is the name of another class")
        EVERYWHERE.update(dict.fromkeys((*names, cls), entry))
        return cls

    return add
