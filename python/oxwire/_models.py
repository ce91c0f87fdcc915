"""What the engine asks of a class that is not built in, once for each: which fields it has, or what it is by its name;
and which models of a validation library are written as what their instances hold.

A model says how it is written by its own `model_dump`, which takes its time. Where that does nothing but copy what
the instance holds (no aliases, serializers, computed or excluded fields), the engine may read the instance instead.
`plan` finds out, once for each class; nothing of the library is imported, only what a class says of itself is read.
"""

import sys
from contextlib import suppress
from typing import Any

_words = str.split
# Classes by module and name, each line of one sort (`NAMED` of `engine::out::sort`). A class that inherits from one of
# them is of that sort, too, but a UUID of another class is of the next.
_NAMED = {
    name.rpartition(".")[2]: (name.rpartition(".")[0], sort)
    for sort, names in enumerate(
        (
            "uuid.UUID",
            "",
            "decimal.Decimal",
            "fractions.Fraction",
            "pathlib.PurePath collections.UserString ipaddress.IPv4Address ipaddress.IPv6Address ipaddress.IPv4Network "
            "ipaddress.IPv6Network ipaddress.IPv4Interface ipaddress.IPv6Interface",
            "re.Pattern zoneinfo.ZoneInfo",
            "array.array",
            "collections.deque collections.UserList",
            "collections.UserDict collections.ChainMap",
            "numpy.ma.MaskedArray",
            "numpy.ndarray",
            "numpy.generic",
        )
    )
    for name in _words(names)
}
# The same of built-in classes, which stand in no module: their names are enough, because nobody else can make a static
# class of the module `builtins`.
_ITERABLE = 7
_BUILT_IN = {
    "complex": 5,
    **dict.fromkeys(_words("mappingproxy frozendict"), 8),
    **dict.fromkeys(
        _words(
            "range dict_keys dict_values dict_items generator map filter zip enumerate reversed str_iterator "
            "str_ascii_iterator bytes_iterator bytearray_iterator memory_iterator longrange_iterator list_iterator "
            "list_reverseiterator tuple_iterator range_iterator set_iterator dict_keyiterator dict_valueiterator "
            "dict_itemiterator odict_keys odict_values odict_items"
        ),
        _ITERABLE,
    ),
}


def named(classes: list[type], names: list[str]) -> int | bool | None:
    """The sort of a class by its bases and their names, as the interpreter has them. False if only the name is known, which
    can be anybody's: the class must stand under it in the module, which is loaded by then."""
    # What is asked for anything has a number for its state, by which it is remembered as nothing that we know.
    type.__getattribute__(classes[0], "__hash__")
    found = None
    for cls, name in zip(classes, names, strict=True):
        last = name.rpartition(".")[2]
        module = None
        if name in _BUILT_IN:
            sort = _BUILT_IN[name]
        # The iterators that have an end; whoever writes the others means something else.
        elif name.startswith("itertools.") and last not in ("count", "cycle", "repeat"):
            module, sort = "itertools", _ITERABLE
        elif last in _NAMED:
            module, sort = _NAMED[last]
        else:
            continue
        with suppress(Exception):
            if module is None:
                known = cls.__module__ == "builtins"
            else:
                found = False
                known = getattr(sys.modules.get(module), last) is cls
            if known:
                return 1 if sort == 0 and cls is not classes[0] else sort
    return found


def dataclass(cls: Any) -> tuple[list[str], list[type], bool]:
    """As `plan`, of a dataclass."""
    from dataclasses import _FIELD  # type: ignore[attr-defined]

    fields = dict(cls.__dataclass_fields__).items()
    return _fields(name for name, field in fields if field._field_type is _FIELD)


def attrs(cls: Any) -> tuple[list[str], list[type], bool]:
    """As `plan`, of an attrs class."""
    return _fields(field.name for field in cls.__attrs_attrs__)


def _fields(names: Any) -> tuple[list[str], list[type], bool]:
    return [sys.intern(str.__str__(name)) for name in names if isinstance(name, str)], [], False


# Parts of a schema that say nothing of how values are written.
_ASIDE = frozenset(
    {"cls", "config", "metadata", "ref", "schema_ref", "default", "default_factory", "function"}
)
# The sorts of schema whose values are dumped as they are, if those inside them are.
_PLAIN = frozenset(
    _words(
        "any none bool int float decimal str bytes date time datetime timedelta uuid literal enum is-instance "
        "is-subclass callable list tuple set frozenset dict nullable default chain union tagged-union model-field "
        "model-fields model definitions definition-ref function-before function-after function-wrap function-plain "
        "no-info with-info"
    )
)


def _is_plain(schema: Any, models: list[type]) -> bool:
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, (list, tuple)):
            stack.extend(one)
            continue
        if not isinstance(one, dict):
            continue
        kind = one.get("type")
        if isinstance(kind, str) and kind not in _PLAIN:
            return False
        if one.get("root_model") or one.get("computed_fields"):
            return False
        if any(isinstance(key, str) and key.startswith("serialization") for key in one):
            return False
        if kind == "model":
            models.append(one["cls"])
        # A literal's values, and the members of an enumeration, are no schemas.
        if kind not in ("literal", "enum"):
            stack.extend(value for key, value in one.items() if key not in _ASIDE)
    return True


def plan(model: type) -> tuple[list[str], list[type], bool] | None:
    """The names of the fields, all models that may stand inside, and whether extra fields are kept; None if the
    instances must dump themselves."""
    owner = next(base for base in model.__mro__ if "model_dump" in base.__dict__)
    schema = model.__dict__.get("__pydantic_core_schema__")
    if (owner.__module__, owner.__qualname__) != ("pydantic.main", "BaseModel") or not isinstance(
        schema, dict
    ):
        return None
    models: list[type] = []
    if not _is_plain(schema, models):
        return None
    extra = getattr(model, "model_config", {}).get("extra") == "allow"
    return list(model.__pydantic_fields__), models, extra  # type: ignore[attr-defined]
