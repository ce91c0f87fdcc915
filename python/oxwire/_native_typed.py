"""Reading the native format by type: what was read is held to its annotations.

What may surprise: this is done when the graph stands. Objects of registered classes stay the objects that they are, so that what
is shared stays shared and cycles are no hindrance: their fields are converted in place. Everything else that the type
speaks of is converted as `oxwire.convert` does, and so made anew.
"""

from collections import deque
from enum import Enum
from types import MappingProxyType
from typing import Any

from . import ValidationError, convert, msgpack
from ._annotations import read
from ._leaves import steps
from ._native import Helper
from ._registry import PLAIN, STRUCT, attributes, blame, refused
from .structs import validate


class Held(Helper):
    """Remembers which objects were made."""

    def __copy__(self):
        # What makes objects belongs to one of us.
        one = object.__new__(Held)
        vars(one).update(vars(self), makers={})
        return one

    def resolved(self, kind, name, version, fields):
        how, cls, names, finish = super().resolved(kind, name, version, fields)
        if how in (PLAIN, STRUCT):

            def remember(o, parts, finish=finish):
                if finish:
                    finish(o, parts)
                self.made.append(o)

            finish = remember
        return how, cls, names, finish


def paths_of(wanted, root):
    """Where objects stand in a graph, as steps, by their ids; none of what is in a set or in a key."""
    left, found, seen, ahead = {*map(id, wanted)}, {}, set(), [(root, [])]
    for one, path in ahead:
        if id(one) in seen or isinstance(one, (str, bytes, int, float, type(None))):
            continue
        seen.add(id(one))
        if id(one) in left:
            found[id(one)] = path
            if len(found) == len(left):
                break
        if isinstance(one, dict):
            steps = one.items()
        elif isinstance(one, (list, tuple)):
            steps = enumerate(one)
        else:
            steps = attributes(one).items()
        ahead += [(inner, [*path, step]) for step, inner in steps]
    return found


def moved(error, path, loc):
    """Says where a fault is by where that stands in which it was found."""
    from ._faults import of

    error._all = [one | {"path": path + one["path"][1:], "loc": (*loc, *one["loc"])} for one in of(error)]
    error.path = path + error.path[1:]
    error.args = (f"{error.msg} - at `{error.path}`",)
    return error


def holder(type, options):
    """What converts a graph to a type; a TypeError if that cannot be."""
    msgpack.Decoder(type, **options)
    known, every = {}, options.get("errors") == "all"

    def hold(o):
        """Converts the fields of an object, and gives its faults."""
        cls, faults = o.__class__, []
        struct = hasattr(cls, "__struct_fields__")
        if struct:
            try:
                validate(o)
                return faults
            except ValidationError as error:
                if not every:
                    return [error]
                first = error
        if cls not in known:
            known[cls] = fields_of(cls)
        for name, kind in known[cls]:
            value = getattr(o, name)
            if value.__class__ is not kind:
                try:
                    made = convert(value, kind, **options)
                except ValidationError as error:
                    faults.append(moved(error, f"$.{name}", (name,)))
                    if not every:
                        break
                else:
                    if made is not value and not struct:
                        object.__setattr__(o, name, made)
        return [first] if struct and not faults else faults

    def end(value, made, *_):
        found = []
        for o in made:
            if errors := hold(o):
                from ._faults import MOST

                found.append((o, errors))
                if not every or len(found) > MOST:
                    break
        paths = paths_of((o for o, _ in found), value) if found else {}
        faults = []
        for o, errors in found:
            steps = paths.get(id(o), [...])
            loc = [step for step in steps if step is not ...]
            faults += [moved(error, blame(None, steps), loc) for error in errors]
        if every or not faults:
            try:
                value = convert(value, type, **options)
            except ValidationError as error:
                faults.append(error)
        if len(faults) > 1:
            from ._faults import joined

            raise joined(faults)
        if faults:
            raise faults[0]
        return value

    return end


def finished(value, made, *_):
    """Calls what classes want to have called when their fields stand, of the innermost objects first."""
    for o in made:
        name = f"__{'attrs_' * hasattr(o, '__attrs_attrs__')}post_init__"
        if hasattr(o.__class__, name):
            getattr(o, name)()
    return value


# What holds nothing, and what has no attributes.
_ONE = {int, float, bool, type(None)}
_BARE = {list, dict, tuple, set, frozenset, str, bytes, bytearray}


def inside(one):
    """What a value holds."""
    if isinstance(one, (type, Enum)):
        return []
    if isinstance(one, (dict, MappingProxyType)):
        held = [*one, *one.values()]
    elif isinstance(one, (list, tuple, set, frozenset, deque)):
        held = one
    elif isinstance(one, slice):
        held = steps(one)
    else:
        held = one.args if isinstance(one, BaseException) else ()
    return held if type(one) in _BARE else [*held, *attributes(one).values()]


def bounded(most, value, *_):
    """Refuses a value that is too large if it is walked along each path. A text counts by its length; what holds itself does so once."""
    # Sizes by ids: 0 as long as it is not known.
    sizes, ahead = {}, [value]
    while ahead:
        one = ahead[-1]
        key = id(one)
        if sizes.get(key):
            ahead.pop()
        elif key in sizes or type(one) is str:
            text = len(one) // 16 if isinstance(one, (str, bytes, bytearray)) else 0
            sizes[key] = size = 1 + text + sum(sizes.get(id(part), 1) for part in inside(one))
            if size > most:
                raise refused(f"The value has more than {most} parts along all paths (`max_expanded`)")
        else:
            sizes[key] = 0
            ahead += [part for part in inside(one) if part.__class__ not in _ONE and id(part) not in sizes]
    return value


def fields_of(cls):
    """The fields of a class with their types, but for those of which nothing is said."""
    if {"__dataclass_fields__", "__attrs_attrs__", "__struct_fields__"} & {*dir(cls)}:
        [node] = read(cls)
        return [(name, kind) for name, *_, kind in node.fields if kind is not Any]
    return []
