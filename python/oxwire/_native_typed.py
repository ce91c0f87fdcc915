"""Reading the native format by type: what was read is held to its annotations.

What may surprise: this is done when the graph stands. Objects of registered classes stay the objects that they are, so that what
is shared stays shared and cycles are no hindrance: their fields are converted in place. Everything else that the type
speaks of is converted as `oxwire.convert` does, and so made anew.
"""

from __future__ import annotations

from typing import Any

from . import ValidationError, convert, msgpack
from ._annotations import read
from ._native import Helper
from ._registry import PLAIN, STRUCT, attributes, blame
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


def path_of(wanted, root):
    """Where an object stands in a graph, as steps; none if it is in a set or in a key."""
    seen, ahead = set(), [(root, [])]
    for one, path in ahead:
        if one is wanted:
            return path
        if id(one) in seen or isinstance(one, (str, bytes, int, float, type(None))):
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            steps = one.items()
        elif isinstance(one, (list, tuple)):
            steps = enumerate(one)
        else:
            steps = attributes(one).items()
        ahead += [(inner, [*path, step]) for step, inner in steps]
    return [...]


def holder(type, options):
    """What converts a graph to a type; a TypeError if that cannot be."""
    msgpack.Decoder(type, **options)
    known = {}

    def hold(o):
        cls = o.__class__
        if hasattr(cls, "__struct_fields__"):
            return validate(o)
        if cls not in known:
            known[cls] = fields_of(cls)
        for name, kind in known[cls]:
            value = getattr(o, name)
            if value.__class__ is not kind:
                try:
                    made = convert(value, kind, **options)
                except ValidationError as error:
                    error.path = f"$.{name}{error.path[1:]}"
                    raise
                if made is not value:
                    object.__setattr__(o, name, made)
        return None

    def end(value, made, *_):
        for o in made:
            try:
                hold(o)
            except ValidationError as error:
                path = error.path
                error.path = blame(None, path_of(o, value)) + path[1:]
                error.args = (f"{error.msg} - at `{error.path}`",)
                raise
        return convert(value, type, **options)

    return end


def finished(value, made, *_):
    """Calls what classes want to have called when their fields stand, of the innermost objects first."""
    for o in made:
        for name in ("__post_init__", "__attrs_post_init__"):
            if hasattr(o.__class__, name):
                getattr(o, name)()
    return value


def fields_of(cls):
    """The fields of a class with their types, but for those of which nothing is said."""
    if "__dataclass_fields__" in dir(cls) or "__attrs_attrs__" in dir(cls):
        [node] = read(cls)
        return [(name, kind) for name, *_, kind in node.fields if kind is not Any]
    return []
