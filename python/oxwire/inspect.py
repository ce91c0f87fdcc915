"""Types described by objects: what a Decoder would read, for tools that make something of it. See the stub.

A type that holds itself is described by an object that holds itself.
"""

from typing import Any

from . import _annotations
from ._define import defstruct
from ._oxwire import Struct
from ._oxwire import structs_force_setattr as force_setattr
from ._struct import NODEFAULT, UNSET
from ._types import nodes, wire_value

_split = str.split
_BARE = "AnyType NoneType BoolType DateType TimeDeltaType UUIDType DecimalType ExtType RawType"
_NUMBER = "gt= ge= lt= le= multiple_of="
_LENGTH = "min_length= max_length="
# The classes are frozen Structs, and there is nothing to them but their fields.
_CLASSES = {
    "Metadata": "type extra_json_schema= extra=",
    **dict.fromkeys(("IntType", "FloatType"), _NUMBER),
    "StrType": f"{_LENGTH} pattern=",
    **dict.fromkeys(("BytesType", "ByteArrayType", "MemoryViewType"), _LENGTH),
    **dict.fromkeys(("DateTimeType", "TimeType"), "tz="),
    **dict.fromkeys(("EnumType", "CustomType"), "cls"),
    "LiteralType": "values",
    "CollectionType": f"item_type {_LENGTH}",
    "TupleType": "item_types",
    "DictType": f"key_type value_type {_LENGTH}",
    **dict.fromkeys(("TypedDictType", "NamedTupleType", "DataclassType"), "cls fields"),
    "CodecType": "cls wire_type",
    "NumbersType": "cls item_type dims=",
    "BoundType": f"type {_NUMBER} {_LENGTH} version=",
    "StructType": "cls fields tag_field= tag= array_like! forbid_unknown_fields!",
    **dict.fromkeys(_split(_BARE), ""),
}


def _make(name, words, *bases):
    fields = [
        (word[:-1], Any, None if word[-1] == "=" else False) if word[-1] in "=!" else word
        for word in _split(words)
    ]
    made = globals()[name] = defstruct(name, fields, bases=bases or None, module=__name__, frozen=True)
    return made


Type = _make("Type", "")
for _name, _words in _CLASSES.items():
    _make(_name, _words, Type)
for _name in ("ListType", "VarTupleType", "SetType", "FrozenSetType"):
    _make(_name, "", globals()["CollectionType"])


class UnionType(Type, frozen=True):
    types: tuple

    @property
    def includes_none(self):
        return any(isinstance(one, globals()["NoneType"]) for one in self.types)


class Field(Struct, frozen=True):
    name: str
    encode_name: str
    type: Type
    required: bool = True
    default: Any = NODEFAULT
    default_factory: Any = NODEFAULT
    alias: tuple = ()
    exclude: bool = False
    frozen: bool = False
    init: bool = True
    flatten: bool = False
    strict: Any = None
    message: Any = None


__all__ = [
    *_CLASSES,
    *("Type", "ListType", "VarTupleType", "SetType", "FrozenSetType", "UnionType", "Field"),
    *("is_struct", "is_struct_type", "multi_type_info", "type_info"),
]

# By what nodes call their kinds.
_KINDS = {name.removesuffix("Type").lower(): globals()[name] for name in __all__ if name.endswith("Type")}
_KINDS |= {"unset": _KINDS["custom"], "attrs": _KINDS["dataclass"]}


def is_struct(obj):
    return isinstance(obj, Struct)


def is_struct_type(tp):
    return isinstance(tp, type) and issubclass(tp, Struct)


def type_info(type, *, codecs=None):
    return multi_type_info([type], codecs=codecs)[0]


def multi_type_info(types, *, codecs=None):
    known = {}
    return tuple(_described(node, known) for node in nodes(types, codecs))


def _described(node, known):
    found = known.get(id(node))
    if found is not None:
        return found
    from ._schema import metadata

    words = metadata(node)
    if words == (None, None):
        return _bare(node, known, id(node))
    # What is described may lead back here, so it is known before it is complete.
    known[id(node)] = whole = globals()["Metadata"](None, *words)
    force_setattr(whole, "type", _bare(node, known, None))
    return whole


def _bare(node, known, key):
    # A node's description without what is said of it.
    bounds = {}
    if node.kind in ("union", "alias"):
        alternatives = _annotations.members(node, lambda one: one.metas)
        if len(alternatives) == 1:
            return _described(alternatives[0], known)
        if not alternatives:
            return globals()["CustomType"](type(UNSET))
        made, later = UnionType(()), {"types": lambda: tuple(_described(one, known) for one in alternatives)}
    else:
        cls = _KINDS[node.kind]
        args, later = {}, {}
        names = cls.__struct_fields__
        if "cls" in names:
            args["cls"] = (
                node.cls if node.kind in ("custom", "enum", "unset", "codec", "numbers") else node.type
            )
        if node.kind == "numbers":
            args["dims"] = node.make.dims
        if "values" in names:
            args["values"] = tuple(
                sorted(node.args, key=lambda one: (type(wire_value(one)).__name__, wire_value(one)))
            )
        if "fields" in names:
            later["fields"] = lambda: _fields(node, known)
        if node.kind == "tuple":
            later["item_types"] = lambda: tuple(_described(one, known) for one in node.args)
        for name, one in zip((name for name in names if name.endswith("_type")), node.args, strict=False):
            later[name] = lambda one=one: _described(one, known)
        if node.kind == "struct":
            config = node.cls.__struct_config__
            for name in ("tag_field", "tag", "array_like", "forbid_unknown_fields"):
                args[name] = getattr(config, name)
        bounds = {
            name: value for name, value in node.meta.items() if name not in (*names, "shape", "typecode")
        }
        args |= {name: value for name, value in node.meta.items() if name in names}
        made = cls(**args, **dict.fromkeys(later))
    if key is not None:
        known[key] = made
    for name, make in later.items():
        force_setattr(made, name, make())
    if bounds:
        made = globals()["BoundType"](made, **bounds)
        if key is not None:
            known[key] = made
    return made


def _fields(node, known):
    found = []
    told = getattr(node.cls, "__struct_more__", None)
    for name, outside, one, state, default, _ in node.fields:
        default = NODEFAULT if default is UNSET else default
        factory = NODEFAULT
        if state == _annotations.FACTORY:
            default, factory = NODEFAULT, default
        required = state == _annotations.REQUIRED
        more = _told(told[3][name]) if told and name in told[3] else {}
        found.append(Field(name, outside, _described(one, known), required, default, factory, **more))
    return tuple(sorted(found, key=lambda field: field.name) if node.kind == "typeddict" else found)


def _told(field):
    # What `field` was told beyond a default and a name.
    from ._fields import EXCLUDE, FLATTEN, FROZEN, NO_INIT

    marks = field.marks
    return {
        "alias": field.alias,
        "exclude": bool(marks & EXCLUDE),
        "frozen": bool(marks & FROZEN),
        "init": not marks & NO_INIT,
        "flatten": bool(marks & FLATTEN),
        "strict": field.strict,
        "message": field.message,
    }
