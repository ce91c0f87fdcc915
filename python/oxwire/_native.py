"""What the native format's codec asks Python for: seldom types, registered classes, and what waits until a graph stands.

What may surprise: nothing here is called for the built-in types, which the extension writes and makes itself.
"""

import sys
from functools import partial
from pickle import PickleBuffer
from types import MappingProxyType, SimpleNamespace

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
    dtype_of,
    fill_dict,
    filled,
    found,
)
from ._registry import Registry, Unknown, blame, definition, malformed, refused, sized, varint

CYCLE, DICT, SET, FROZENSET = range(4)
IMMUTABLE = (tuple, frozenset)
PATTERN = 0x16
REFERENCE = "the reference leads to nothing that can be referred to"


def look_for_cycles(later):
    """Sees to it that no tuple holds itself by way of tuples and frozensets: its hash would not end."""
    done = {}
    for what, root, _, at in later:
        if what is not CYCLE or id(root) in done:
            continue
        path, done[id(root)] = [(root, iter(root))], False
        while path:
            one, items = path[-1]
            for item in items:
                if type(item) in IMMUTABLE and not done.get(id(item), False):
                    if id(item) in done:
                        raise malformed(REFERENCE, at)
                    done[id(item)] = False
                    path.append((item, iter(item)))
                    break
            else:
                done[id(one)] = True
                path.pop()


def look_at_keys(keys, unfilled, at):
    """Sees to it that hashing and comparing them takes as long as reading them, more or less."""
    for key in keys:
        left, weight = [key], 1
        while left:
            one = left.pop()
            if type(one) in IMMUTABLE:
                if id(one) in unfilled:
                    raise malformed(REFERENCE, at)
                weight += len(one)
                if weight > 10_000:
                    raise malformed("the value is beyond a limit", at)
                left += one
    if len(keys) > 64:
        counts = {}
        for key in keys:
            if type(key) is not str and type(key) is not bytes:
                n = counts[h] = counts.get(h := hash(key), 0) + 1
                if n > 64:
                    raise malformed("the value is beyond a limit", at)


def finished(later):
    """Does what waited for the graph, and gives what must be filled by the extension."""
    look_for_cycles(later)
    unfilled = {id(o) for what, o, _, _ in later if what is FROZENSET}
    for what, o, parts, at in later:
        if callable(what):
            try:
                what(o, parts)
            except DecodeError as error:
                blame(error, at)
                raise
        elif what is not CYCLE:
            keys = parts[::2] if what is DICT else parts
            try:
                look_at_keys(keys, unfilled, at)
                if what is DICT:
                    made = o
                    o.update(zip(keys, parts[1::2], strict=True))
                else:
                    made = o if what is SET else set()
                    made.update(keys)
            except TypeError as error:
                raise malformed("a key of this kind is not allowed", at) from error
            if len(made) != len(keys):
                raise malformed("the key stands twice in one object", at)
            if made is not o:
                unfilled.discard(id(o))
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
        if numpy is not None and isinstance(o, numpy.generic):
            return b"\x12\x15", [(dtype_of(o.dtype), o.tobytes())], None
        return self.taken_apart(o)

    def plan(self, cls):
        """How all objects of a class are taken apart; nothing if each must be asked for."""
        return cls in ATOMS or self.plan_of(cls)

    def resolve(self, kind, said):
        """How objects of a type are made: how, of what, with which names, and what is called at the end."""
        name = said[0]
        if type(name) is not str and not (type(name) is int and 0 <= name < 2**31):
            raise malformed("a key of this kind is not allowed")
        try:
            made = self.makers.get((kind, said))
        except TypeError:
            raise malformed("a key of this kind is not allowed") from None
        if made is None:
            fields = said[2:]
            if not all(type(field) is str for field in fields):
                raise malformed("a key of this kind is not allowed")
            if len(set(fields)) < len(fields):
                raise malformed("the key stands twice in one object")
            if len(self.makers) > 1000:
                self.makers.clear()
            made = self.resolved(kind, name, said[1], tuple(map(sys.intern, fields)))
            self.makers[kind, said] = made
        return made

    def make(self, tag, raw, value, at):
        """An object of what stands behind a tag."""
        if tag == 0x12:
            return self.leaf(raw[0], value)
        if tag == 0x10:
            if value is None:
                raise refused("There are more buffers than the message uses")
            return from_beside(raw, *value)
        if tag in (0x16, 0x18) and not isinstance(value, found("datetime", "tzinfo")):
            raise refused("The zone of a moment is no tzinfo")
        try:
            return MADE[tag](raw, value)
        except UnicodeDecodeError as error:
            size = len(varint(len(raw)))
            raise malformed("the text is not valid UTF-8", at + 1 + size + error.start) from None
        except (OverflowError, ValueError) as error:
            raise malformed(str(error), at) from None

    def leaf(self, code, body):
        """An object of the standard library that is made of its body."""
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
            return make(body)
        except DecodeError:
            raise
        except Exception as error:
            raise refused(f"The body of a {name} says nothing that exists: {error}") from error

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
