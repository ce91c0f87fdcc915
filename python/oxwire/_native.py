"""What the native format's codec asks Python for: seldom types, registered classes, and what waits until a graph stands.

What may surprise: nothing here is called for the built-in types, which the extension writes and makes itself.
"""

import sys
from functools import lru_cache, partial
from pickle import PickleBuffer
from types import FunctionType, MappingProxyType, SimpleNamespace

from ._errors import DecodeError, EncodeError
from ._leaves import (
    ATOMS,
    BUILTIN,
    FILLED,
    LEAVES,
    MADE,
    SPELLED,
    Raw,
    builtin,
    fill_dict,
    filled,
    found,
    scalar,
)
from ._registry import (
    SIMPLE,
    Registry,
    Unknown,
    attributes,
    blame,
    definition,
    is_name,
    is_simple,
    malformed,
    refused,
    sized,
    varint,
)

CYCLE, DICT, SET, FROZENSET = range(4)
IMMUTABLE = (tuple, frozenset)
DECIMAL, NUMPY, PATTERN = 1, (0x14, 0x15), 0x16
# The weight and depth of what holds nothing, and what is more than any may be.
LEAF, BEYOND = (1, 1), 10_001
REFERENCE = "the reference leads to nothing that can be referred to"


@lru_cache(200)
def asked(cls):
    """What gives the parts of an object of a class that its hash goes through, also by way of methods and properties."""
    base = next((base for base in IMMUTABLE if issubclass(cls, base)), None)
    if cls is base:
        return base.__iter__
    if cls is slice:
        return lambda o: (o.start, o.stop, o.step)
    module, name, _ = SPELLED.get(cls.__name__, (None, "", None))
    names = ["__hash__"]
    if not module or getattr(sys.modules.get(module), name, None) is not cls:
        for name in names:
            for one in [vars(one)[name] for one in cls.__mro__ if name in vars(one)]:
                if code := getattr(getattr(one, "fget", one), "__code__", None):
                    names += {*code.co_names}.difference(names)
                if "super" not in names:
                    break
    if names == ["__hash__"]:
        if hasattr(cls, "__struct_config__") and cls.__struct_config__.eq:
            return lambda o: [getattr(o, name) for name in cls.__struct_fields__]
        return base.__iter__ if base else lambda o: ()
    names, every = {*names}, not {"vars", "__dict__"}.isdisjoint(names)

    def parts(o):
        more = attributes(o)
        more = more.values() if every else [more[name] for name in more if name in names]
        return [*base.__iter__(o), *more] if base else more

    return parts


def hashed(one):
    """What the hash of a value goes through."""
    return asked(type(one))(one)


def itself(one):
    """What the hash of a tuple or frozenset goes through."""
    return one if type(one) in IMMUTABLE else ()


def weigh(one, parts_of, known, at):
    """Sees to it that a value does not hold itself. How many values are in it along all paths, and how deep, is known by its id then."""
    left = [(one, None)]
    while left:
        one, parts = left.pop()
        if parts:
            sizes = [known.get(id(part), LEAF) for part in parts]
            weights, depths = zip(*sizes, strict=True)
            # Beyond the limit it is no matter how far.
            known[id(one)] = min(1 + sum(weights), BEYOND), min(1 + max(depths), BEYOND)
        elif id(one) not in known:
            parts = [*parts_of(one)]
            known[id(one)] = None if parts else LEAF
            left.append((one, parts))
            left += [(part, None) for part in parts if type(part) not in SIMPLE]
        elif known[id(one)] is None:
            raise malformed(REFERENCE, at)


def look_at_keys(keys, known, at):
    """Sees to it that hashing and comparing them takes as long as reading them, more or less."""
    for key in keys:
        cls = type(key)
        if cls in SIMPLE or (
            is_simple(key) if cls is tuple else id(key) not in known and is_simple((*hashed(key),))
        ):
            continue
        weigh(key, hashed, known, at)
        weight, depth = known[id(key)]
        if weight > 10_000 or depth > 1000:
            raise malformed("the value is beyond a limit", at)
    if len(keys) > 64:
        counts = {}
        for key in keys:
            if type(key) is not str and type(key) is not bytes:
                n = counts[h] = counts.get(h := hash(key), 0) + 1
                if n > 64:
                    raise malformed("the value is beyond a limit", at)


def look_at_nesting(o, deep, at):
    """Sees to it that few of what the interpreter frees on the stack hold each other."""
    items = [*(o.values() if isinstance(o, dict) else o)]
    for one in items:
        if type(one) is slice:
            items += hashed(one)
    deep[id(o)] = depth = 1 + max((deep.get(id(one), 0) for one in items), default=0)
    if depth > 1000:
        raise malformed("the value is beyond a limit", at)


def called(what, o, parts, at):
    """What a function gives that waited for the graph."""
    try:
        return what(o, parts)
    except DecodeError as error:
        blame(error, at)
        raise


def finished(later):
    """Does what waited for the graph, and gives what must be filled by the extension."""
    known, steps = {}, []
    for what, o, parts, at in later:
        if what is CYCLE:
            weigh(o, itself, known, at)
        elif type(what) is FunctionType:
            # Attributes stand before anything is hashed. What there is to do beyond that waits for its turn.
            what = called(what, o, parts, at)
        if what:
            steps.append((what, o, parts, at))
    deep, known = {}, {id(o): None for _, o, _, _ in steps if isinstance(o, frozenset)}
    for what, o, parts, at in steps:
        if callable(what):
            members = called(what, o, parts, at)
            if len(steps) > 1000 and type(o).__name__ in ("deque", "defaultdict"):
                look_at_nesting(o, deep, at)
            # Those of a subclass of frozenset.
            if members is not None:
                del known[id(o)]
                yield o, members
            continue
        keys = parts[::2] if what is DICT else parts
        try:
            look_at_keys(keys, known, at)
            if what is DICT:
                made = o
                o.update(zip(keys, parts[1::2], strict=True))
            else:
                made = o if what is SET else set()
                made.update(keys)
        except (RecursionError, TypeError) as error:
            raise malformed("a key of this kind is not allowed", at) from error
        if len(made) != len(keys):
            raise malformed("the key stands twice in one object", at)
        if made is not o:
            del known[id(o)]
            yield o, made


def no_options(_, options):
    """What is called for the method of an encoder that was given options."""
    raise TypeError("encode() takes no keyword arguments")


def no_others(_, options):
    """What is called for the method of a decoder that was given others than `buffers`."""
    name = next(name for name in options if name != "buffers")
    raise TypeError(f"decode() got an unexpected keyword argument {name!r}")


def copied(o):
    """A buffer in the message."""
    try:
        view = o.raw()
    except (BufferError, ValueError) as error:
        raise EncodeError(f"Cannot encode a PickleBuffer: {error}") from error
    return bytes((0x0D + (not view.readonly),)) + varint(view.nbytes), bytes(view)


def from_beside(given, index, size, writable):
    """A view of a buffer beside the message."""
    if index >= len(given):
        raise refused(f"The buffer {index} beside the message is missing")
    try:
        view = PickleBuffer(given[index]).raw()
    except (BufferError, TypeError, ValueError) as error:
        raise refused(f"The buffer {index} is no contiguous buffer: {error}") from error
    if view.nbytes != size:
        raise refused(f"The buffer {index} has {view.nbytes} bytes, and the message says {size}")
    if writable and view.readonly:
        raise refused(f"The buffer {index} is read-only, and the message says that it is not")
    return view if writable else view.toreadonly()


class Helper(Registry):
    """Answers for one registry."""

    max_digits = 65536

    def calls(self, encode=no_options, decode=no_others):
        """What the extension calls, in its order."""
        return (
            self.describe, self.plan, self.make, self.open, self.resolve, self.finish,
            object.__new__, blame, encode, decode,
        )  # fmt: skip

    def describe(self, o):
        """What an object begins with, in bytes, and a list of what follows, or bytes; a third item says that it has no identity."""
        cls = type(o)
        module, name, spell = SPELLED.get(cls.__name__, (None, "", None))
        if module and getattr(sys.modules.get(module), name, None) is cls:
            return spell(o)
        if isinstance(o, type):
            if o in BUILTIN:
                return builtin(o)
            return b"\x12\x18", [self.name_of(o)], None
        if cls is PickleBuffer:
            return copied(o)
        if cls is Raw:
            return sized(0x11, o.message), []
        if cls is Unknown:
            if o.kind is None:
                return bytes((0x12, o.name)), [*o.values], None
            return definition(o.kind, o.name, o.version, o.fields), [*o.values]
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(o, numpy.generic) and o.dtype.type is cls:
            return scalar(o)
        return self.taken_apart(o)

    def plan(self, cls):
        """How all objects of a class are taken apart; nothing if each must be asked for."""
        return cls in ATOMS or self.plan_of(cls)

    def resolve(self, kind, said):
        """How objects of a type are made: how, of what, with which names, and what is called at the end."""
        name = said[0]
        if not is_name(name):
            raise malformed("a key of this kind is not allowed")
        made = self.makers.get((kind, said))
        if made is None:
            fields = said[2:]
            if len(set(fields)) < len(fields):
                raise malformed("the key stands twice in one object")
            if len(self.makers) > 1000:
                self.makers.clear()
            made = self.resolved(kind, name, said[1], tuple(map(sys.intern, fields)))
            self.makers[kind, said] = made
        return made

    def make(self, tag, raw, value, at):
        """An object of what stands behind a tag."""
        if tag & 255 == 0x12:
            return self.leaf(raw[0], value, tag >> 8)
        if tag == 0x10:
            if value is None:
                raise refused("There are more buffers than the message uses")
            return from_beside(raw, *value)
        if tag in (0x16, 0x18) and not issubclass(type(value), found("datetime", "tzinfo")):
            raise refused("The zone of a moment is no tzinfo")
        try:
            return MADE[tag](raw, value)
        except UnicodeDecodeError as error:
            size = len(varint(len(raw)))
            raise malformed("the text is not valid UTF-8", at + 1 + size + error.start) from None
        except (OverflowError, ValueError) as error:
            raise malformed(str(error), at) from None

    def leaf(self, code, body, size):
        """An object of the standard library that is made of its body, of so many bytes."""
        if code == 0x18:
            return self.class_of(body)
        if code not in LEAVES:
            if self.unknown and code < 0x80:
                return Unknown(None, code, 0, (), (body,))
            raise refused(f"There is no type of the standard library with the code {code:#x}")
        if code == PATTERN and not self.patterns:
            raise refused("A `re.Pattern` is read only with `patterns=True`")
        _, name, _, make = LEAVES[code]
        try:
            made = make(body, size) if code in NUMPY else make(body)
        except DecodeError:
            raise
        except Exception as error:
            raise refused(f"The body of a {name} says nothing that exists: {error}") from error
        if code == DECIMAL and len(body) > self.max_digits < len(made.as_tuple().digits):
            raise malformed("the value is beyond a limit")
        return made

    def open(self, code):
        """An object that will be filled, and what fills it."""
        said = FILLED.get(code)
        if said is None:
            return None
        if code == 0x26:
            inside = {}
            return MappingProxyType(inside), partial(filled, said[1], lambda _, body: fill_dict(inside, body))
        cls = SimpleNamespace if code == 0x25 else found(said[0], said[1])
        return cls.__new__(cls), partial(filled, said[1], said[3])

    def finish(self, later):
        """Whatever gives the next frozenset to fill, with its members, until there is none."""
        fours = iter(later)
        return partial(next, finished(list(zip(fours, fours, fours, fours, strict=True))), None)
