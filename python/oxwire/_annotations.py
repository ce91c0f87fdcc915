"""Type annotations as nodes: the one place that knows how Python's types are spelled.

`read` gives a graph of `Node`s, of which `_types` makes programs, `inspect` descriptions and `_schema` schemas.
Names in strings are looked up here, type variables put in, and classes with fields opened, each once, so that a
graph may lead back to itself. What may surprise: unions are kept as they are written, for an alias may stand in
its own members; `members` flattens them when all is read.
"""

import builtins
import enum
import sys
import types
import typing
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NewType,
    Self,
    TypeVar,
    TypeVarTuple,
    Union,
    Unpack,
)

from ._define import _defaults, annotations_of, others
from ._meta import _NUMBERS, Discriminator, Meta, Validate, worded
from ._struct import NODEFAULT, Factory

_KINDS = {
    "typing.Any": "any",
    "uuid.UUID": "uuid",
    "decimal.Decimal": "decimal",
    "oxwire.Raw": "raw",
    "oxwire.UnsetType": "unset",
    "oxwire.msgpack.Ext": "ext",
    "builtins.tuple": "tuple",
}
for _module, _kind, _names in (
    ("builtins", "", "bool int float str bytes bytearray memoryview list set frozenset dict"),
    ("datetime", "", "datetime date time timedelta"),
    # What there is where the other cannot be imported: in isolated interpreters of 3.12.
    ("_pydatetime", "", "datetime date time timedelta"),
    ("collections.abc", "list", "Collection Sequence MutableSequence Iterable"),
    ("collections.abc", "set", "Set MutableSet"),
    ("collections.abc", "dict", "Mapping MutableMapping"),
):
    for _name in _names.split():
        _KINDS[f"{_module}.{_name}"] = _kind or _name

# What each constraint may stand on, and how that is called.
_BYTES = ("bytes", "bytearray", "memoryview")
_ON = {
    "pattern": (("str",), "str"),
    "version": ((), "UUID"),
    "shape": ((), "array of numbers"),
    "typecode": ((), "array.array"),
    "tz": (("datetime", "time"), "datetime or time"),
    **dict.fromkeys(_NUMBERS, (("int", "float"), "numeric")),
    **dict.fromkeys(
        ("min_length", "max_length"),
        (("str", *_BYTES, "list", "set", "frozenset", "vartuple", "dict"), "str, bytes, or collection"),
    ),
}

# How often one generic class may stand in a graph: one that holds itself with ever larger arguments has no end.
_MOST = 400

REQUIRED, VALUE, FACTORY, ABSENT = range(4)


class Node:
    """`kind` is a word of `_KINDS` or none, literal, enum, custom, tuple (of fixed length), vartuple, union, alias,
    struct, dataclass, attrs, typeddict, namedtuple, codec, numbers. `args` are nodes (literal: the values; codec:
    what stands on the wire); `meta` are the constraints, `words` what is said where they are not kept; `steps` are
    validators and converters; `fields` are (name, name outside, node, state, default, type). Of a codec, `make` makes a
    value, `anew` also where there is one already, and `schema` is said of it."""

    __slots__ = (
        "anew", "args", "cls", "fields", "kind", "make", "meta", "metas", "schema", "steps", "type", "words",
    )  # fmt: skip

    def __init__(self, kind, type, cls=None, args=(), metas=(), meta=None):
        self.kind, self.type, self.cls, self.args = kind, type, cls, args
        self.metas, self.meta, self.fields, self.steps = metas, meta or {}, (), ()
        self.make = self.schema = None
        self.anew, self.words = False, {}


class _Scope:
    """Where an annotation stands: a class (or alias), and what its type variables are."""

    __slots__ = ("owner", "vars")

    def __init__(self, owner, vars):
        self.owner, self.vars = owner, vars


_NOWHERE = _Scope(None, {})


def _unsupported(t):
    return TypeError(f"Type '{t!r}' is not supported")


def _is_text(t):
    return isinstance(t, str) or type(t).__name__ == "ForwardRef"


def _is_alias(t):
    return type(t).__name__ == "TypeAliasType"


def _is_union(origin):
    return origin is Union or origin is types.UnionType


def _unpacked(t):
    """The tuple, or the variable, that a star stands before; None if there is no star."""
    if typing.get_origin(t) is Unpack:
        return typing.get_args(t)[0]
    return t if getattr(t, "__unpacked__", False) else None


def _bound(params, args):
    """{type variable: argument}; that of a TypeVarTuple are as many as are left."""
    many = next((i for i, one in enumerate(params) if isinstance(one, TypeVarTuple)), None)
    if many is not None and len(args) >= len(params) - 1:
        after = len(args) - (len(params) - many - 1)
        args = (*args[:many], tuple(args[many:after]), *args[after:])
    return dict(zip(params, args, strict=False))


def _form(t):
    """The name of a special form such as Required."""
    return None if isinstance(t, type) else getattr(t, "_name", None)


def members(node, whole=None):
    """What a node may be: its alternatives, in order, without aliases, and without UNSET.

    Those of which `whole` is true are not opened."""
    found, stack, seen, real = [], [node], set(), False
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.kind in ("alias", "union") and (one is node or not (whole and whole(one))):
            stack.extend(reversed(one.args))
        else:
            real = True
            if one.kind != "unset":
                found.append(one)
    if not real:
        raise _unsupported(node.type)
    return found


def _opened(node):
    """A node, and what stands in it if it is a union or an alias, each once."""
    stack, seen = [node], set()
    while stack:
        one = stack.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            if one.kind in ("alias", "union"):
                stack.extend(one.args)


def discriminators(node):
    """Those of a union, and of the unions in it."""
    unions = [one for one in _opened(node) if one.kind in ("alias", "union")]
    return [meta for one in unions for meta in one.metas if type(meta) is Discriminator]


def read(*given, codecs=None):
    """The nodes of some types. `codecs` are by their types; False stands for none, not even our own."""
    reader = _Reader(codecs)
    nodes = [reader.read(t, _NOWHERE) for t in given]
    reader.finish()
    return nodes


def declared(cls, t):
    """The fields of a Struct class as they are declared: (name, name outside, state, default, type)."""
    reader = _Reader()
    hints = reader.hints(Node("struct", t, cls))
    for name, outside, state, default in _struct_fields(cls):
        yield name, outside, state, default, reader.deep(*hints.get(name, (Any, _NOWHERE)))


class _Reader:
    def __init__(self, codecs=None):
        self.codecs = codecs
        # The type whose fields are being read.
        self.own = None
        self.memo = {}
        self.todo = []
        self.seen = {}

    # Names and variables

    def spaces(self, owner, module):
        """Where a name may be found, nearest first."""
        where = vars(sys.modules.get(owner.__module__, builtins))
        yield {p.__name__: p for p in getattr(owner, "__type_params__", ())}
        qualname = getattr(owner, "__qualname__", "")
        around, local, name = qualname.rpartition(".<locals>.")
        if local:
            if "." not in name:
                yield {name: owner}
            # The function that made the class may be running still; it is another call if it knows another class by that name.
            frame = sys._getframe(1)
            while frame is not None:
                inside = qualname.startswith(frame.f_code.co_qualname + ".") and frame.f_globals is where
                if inside and (names := frame.f_locals).get(name, owner) is owner:
                    yield names
                frame = frame.f_back
            for cls in self.seen:
                if (
                    cls.__module__ == owner.__module__
                    and cls.__qualname__ == f"{around}.<locals>.{cls.__name__}"
                ):
                    yield {cls.__name__: cls}
        if module in sys.modules:
            yield vars(sys.modules[module])
        yield where
        # What came with a class that was pickled by value: its module knows nothing of it.
        yield getattr(getattr(owner, "__dict__", {}).get("__dict__"), "names", {})
        yield vars(builtins)
        yield {getattr(owner, "__name__", ""): owner}
        yield getattr(owner, "__dict__", {})

    def evaluate(self, t, scope):
        if scope.owner is None:
            raise _unsupported(t)
        if hasattr(t, "evaluate"):
            try:
                return t.evaluate()
            except NameError:
                pass
        text = getattr(t, "__forward_arg__", t)
        code = compile(f"({text}\n)", "<annotation>", "eval")
        names = {"__builtins__": builtins}
        for name in code.co_names:
            for space in self.spaces(scope.owner, getattr(t, "__forward_module__", None)):
                if name in space:
                    names[name] = space[name]
                    break
        return eval(code, names)

    def variable(self, t, scope):
        """What a type variable stands for, and where that is to be read."""
        if t in scope.vars and scope.vars[t] is not t:
            return scope.vars[t], _NOWHERE
        where = _Scope(t, scope.vars)
        if getattr(t, "has_default", bool)():
            return t.__default__, where
        if t.__constraints__:
            raise TypeError(
                f"Unbound TypeVar `{t!r}` has constraints `{t.__constraints__!r}` - constraints are currently "
                "unsupported. If possible, either explicitly bind the parameter, or use `bound` instead of constraints."
            )
        return Any if t.__bound__ is None else t.__bound__, where

    def deep(self, t, scope):
        """A type with every name and variable in it put in."""
        if _is_text(t) and scope.owner is not None:
            return self.deep(self.evaluate(t, scope), scope)
        if isinstance(t, TypeVar):
            return scope.vars.get(t, t)
        if t is Self and self.codecs is not False:
            return t if self.own is None else self.own
        origin, args = typing.get_origin(t), typing.get_args(t)
        if origin is None or origin is Literal:
            return t
        if origin is Annotated:
            inner = self.deep(t.__origin__, scope)
            return t if inner is t.__origin__ else Annotated[(inner, *t.__metadata__)]
        new = []
        for arg in args:
            some = scope.vars.get(_unpacked(arg))
            new += some if isinstance(some, tuple) else [arg if arg is ... else self.deep(arg, scope)]
        if len(new) == len(args) and all(map(lambda a, b: a is b, args, new)):
            return t
        made = (Union if _is_union(origin) else origin)[new[0] if len(new) == 1 else tuple(new)]
        return Unpack[made] if getattr(t, "__unpacked__", False) else made

    # Types

    def read(self, t, scope, metas=()):
        if type(t).__name__ == "Ready":
            return t.node
        whole = t
        while True:
            origin = typing.get_origin(t)
            if _is_text(t):
                t = whole = self.evaluate(t, scope)
            elif isinstance(t, TypeVar):
                t, scope = self.variable(t, scope)
                whole = t
            elif isinstance(t, NewType):
                t, scope = t.__supertype__, _Scope(t, {})
            elif origin is Annotated:
                ours = [one for one in t.__metadata__ if isinstance(one, (Meta, Validate, Discriminator))]
                metas = (*ours, *metas)
                t = t.__origin__
            elif origin is Final:
                (t,) = typing.get_args(t)
            else:
                break
        if t is None:
            t = type(None)
        args = typing.get_args(t)
        if getattr(t, "__unpacked__", False):
            raise _unsupported(t)
        if _is_alias(origin or t):
            return self.alias(origin or t, self.deep(t, scope), scope, metas)
        if _is_union(origin):
            return self.node("union", whole, metas, [self.read(arg, scope) for arg in args])
        if origin is Literal:
            return self.literal(t, whole, metas)
        cls = origin or t
        if not isinstance(cls, type):
            raise _unsupported(t)
        if cls is type(None):
            return self.node("none", whole, metas)
        if self.codecs and (codec := self.codecs.get(cls)):
            from ._codecs import registered

            if node := registered(self, codec, cls, t, scope, whole, metas):
                return node
        module = cls.__module__
        kind = _KINDS.get(f"{module}.{cls.__qualname__}")
        if kind and getattr(sys.modules.get(module), cls.__qualname__, None) is cls:
            return self.plain(kind, cls, t, args, scope, whole, metas)
        if module == "collections.abc" and cls.__name__ not in ("Callable", "Buffer"):
            raise _unsupported(t)
        kind = _class_kind(cls)
        if kind == "custom" and self.codecs is not False:
            from ._codecs import found

            if node := found(self, cls, t, args, scope, whole, metas):
                return node
        return self.shared(kind, cls, self.deep(t, scope), whole, metas)

    def plain(self, kind, cls, t, args, scope, whole, metas):
        if kind == "tuple" and self.codecs is not False and any(_unpacked(arg) is not None for arg in args):
            from ._codecs import variadic

            return variadic(self, self.deep(t, scope), scope, whole, metas)
        if kind == "tuple":
            if len(args) == 2 and args[1] is ...:
                kind, args = "vartuple", args[:1]
            elif not args and t in (tuple, typing.Tuple):  # noqa: UP006 - it is the spelling that is asked for
                kind = "vartuple"
        wanted = 2 if kind == "dict" else kind in ("list", "set", "frozenset", "vartuple")
        if kind != "tuple":
            args = args or (Any,) * wanted
            if len(args) != wanted:
                raise _unsupported(t)
        return self.node(kind, whole, metas, [self.read(arg, scope) for arg in args], cls)

    def literal(self, t, whole, metas):
        values = typing.get_args(t)
        if not values:
            raise TypeError(f"Literal types must have at least one item, {t!r} is invalid")
        members = () if self.codecs is False else enum.Enum
        if any(
            value is not None
            and type(value._value_ if isinstance(value, members) else value)
            not in ((int, str) if isinstance(value, members) else (bool, int, str))
            for value in values
        ):
            raise TypeError(
                f"Literal may only contain None/booleans/integers/strings - {t!r} is not supported"
            )
        return self.node("literal", whole, metas, values)

    def node(self, kind, whole, metas, args=(), cls=None):
        meta, steps = {}, tuple(one for one in metas if isinstance(one, Validate))
        metas = tuple(one for one in metas if not isinstance(one, Validate))
        for one in metas:
            for name in _ON:
                value = getattr(one, name, None)
                if value is None:
                    continue
                if name in meta:
                    raise TypeError(
                        f"Multiple `Meta` annotations setting `{name}` found, type `{whole!r}` is invalid"
                    )
                kinds, words = _ON[name]
                if not self.suits(kind in kinds, name, value, kind, cls):
                    raise TypeError(f"Can only set `{name}` on a {words} type - type `{whole!r}` is invalid")
                meta[name] = value
        for one, other in ("gt", "ge"), ("lt", "le"):
            if one in meta and other in meta:
                raise TypeError(
                    f"Cannot set both `{one}` and `{other}` on the same annotated type, type `{whole!r}` is invalid"
                )
        if kind == "int" and isinstance(meta.get("multiple_of"), float):
            raise TypeError(f"`multiple_of` must be an int on an int type - type `{whole!r}` is invalid")
        made = Node(kind, whole, cls, args, metas, meta)
        made.steps, made.words = steps, worded(metas)
        return made

    def suits(self, plain, name, value, kind, cls):
        """Whether a constraint may be said of a kind."""
        if plain and (name not in _NUMBERS or type(value) in (int, float)):
            return True
        if self.codecs is False:
            return False
        from ._codecs import suits

        return suits(name, value, kind, cls)

    def kept(self, kind, t, metas=()):
        """A key that finds the node of a type again, and the node if there is one."""
        try:
            hash(t)
        except TypeError:
            t = id(t)
        key = (kind, t, *map(id, metas))
        return key, self.memo.get(key)

    def alias(self, alias, t, scope, metas):
        key, node = self.kept("alias", t, metas)
        if node is None:
            node = self.memo[key] = Node("alias", t)
            given = _bound(alias.__type_params__, typing.get_args(t))
            node.args = [self.read(alias.__value__, _Scope(alias, given), metas)]
        return node

    # Classes with fields

    def shared(self, kind, cls, t, whole, metas):
        """The one node of a class; what `Annotated` says of it stands around it."""
        if kind == "custom" and metas:
            node = self.node(kind, whole, metas, (), cls)
            node.type = t
            return node
        key, node = self.kept(kind, t)
        if node is None:
            node = self.memo[key] = Node(kind, t, cls)
            if kind in _FIELDS:
                self.seen[cls] = self.seen.get(cls, 0) + 1
                if self.seen[cls] > _MOST:
                    raise _unsupported(t)
                self.todo.append(node)
        return self.node("alias", whole, metas, [node]) if metas else node

    def finish(self):
        while self.todo:
            node = self.todo.pop()
            self.own = node.type
            hints = self.hints(node)
            node.fields = tuple(self.field(node, hints, *one) for one in _FIELDS[node.kind](node.cls))
            if node.kind == "typeddict":
                scope = _Scope(node.cls, {})
                node.args = tuple(
                    self.read(self.qualified(t, scope, 0)[0], scope) for t in others(node.cls) or ()
                )

    def field(self, node, hints, name, outside, state, default, declared=Any):
        t, scope = hints.get(name, (declared, _Scope(node.cls, {})))
        if node.kind == "typeddict":
            t, state = self.qualified(t, scope, state)
        t, metas = self.deep(t, scope), ()
        if node.kind == "struct" and (more := node.cls.__struct_more__) and name in more[3]:
            said = Meta(strict=more[3][name].strict, message=more[3][name].message)
            metas = (said,) if said.__rich_repr__() else ()
        return name, outside, self.read(t, scope, metas), state, default, t

    def qualified(self, t, scope, state):
        """A TypedDict's annotation without Required and its kin."""
        around = ()
        while True:
            origin = typing.get_origin(t)
            if _is_text(t):
                t = self.evaluate(t, scope)
            elif origin is Annotated:
                t, around = t.__origin__, (*t.__metadata__, *around)
            elif _form(origin) in ("Required", "NotRequired", "ReadOnly"):
                state = {"Required": REQUIRED, "NotRequired": ABSENT}.get(_form(origin), state)
                (t,) = typing.get_args(t)
            else:
                return Annotated[(t, *around)] if around else t, state

    def hints(self, node):
        """{name: (annotation, scope)} of all that a class and its bases say."""
        scopes = {}

        def walk(cls, args):
            scope = scopes[cls] = _Scope(cls, _bound(getattr(cls, "__parameters__", ()), args))
            for base in vars(cls).get("__orig_bases__") or cls.__bases__:
                origin = typing.get_origin(base) or base
                if (
                    isinstance(origin, type)
                    and origin is not Generic
                    and (origin is not base or origin not in scopes)
                ):
                    walk(origin, [self.deep(arg, scope) for arg in typing.get_args(base)])

        walk(node.cls, typing.get_args(node.type))
        # A TypedDict's bases are no classes of its own, and its annotations are also theirs.
        dicts = node.kind == "typeddict"
        order = reversed(list(scopes) if dicts else [cls for cls in node.cls.__mro__ if cls in scopes])
        found = {}
        for cls in order:
            if hasattr(cls, _MARKS[node.kind]):
                for name, t in annotations_of(cls).items():
                    if not (dicts and name in found and found[name][0] == t):
                        found[name] = t, scopes[cls]
        return found


def _class_kind(cls):
    if issubclass(cls, enum.Enum):
        return "enum"
    for kind, mark in _MARKS.items():
        # What is asked of a metaclass may be told of its classes.
        if (
            hasattr(cls, mark)
            and not issubclass(cls, type)
            and (kind != "namedtuple" or issubclass(cls, tuple))
        ):
            return kind
    return "custom"


# What tells the classes of each kind.
_MARKS = {
    "struct": "__struct_fields__",
    "dataclass": "__dataclass_fields__",
    "attrs": "__attrs_attrs__",
    "typeddict": "__required_keys__",
    "namedtuple": "_fields",
}


def _struct_fields(cls):
    names, defaults = cls.__struct_fields__, _defaults(cls)
    for name, outside, default in zip(names, cls.__struct_encode_fields__, defaults, strict=True):
        if isinstance(default, Factory):
            yield name, outside, FACTORY, default.factory
        else:
            yield name, outside, REQUIRED if default is NODEFAULT else VALUE, default


def _dataclass_fields(cls):
    missing = sys.modules["dataclasses"].MISSING
    for field in cls.__dataclass_fields__.values():
        sort = field._field_type.name
        if sort == "_FIELD_INITVAR":
            raise TypeError("dataclasses with `InitVar` fields are not supported")
        if sort == "_FIELD":
            state, default = ABSENT if not field.init else REQUIRED, NODEFAULT
            if field.default is not missing:
                state, default = VALUE, field.default
            elif field.default_factory is not missing:
                state, default = FACTORY, field.default_factory
            yield field.name, field.name, state, default, field.type


def _attrs_fields(cls):
    attr = sys.modules["attr"]
    for field in cls.__attrs_attrs__:
        state, default = ABSENT if not field.init else REQUIRED, NODEFAULT
        if isinstance(field.default, attr.Factory):
            if field.default.takes_self:
                raise NotImplementedError("Default factories with `takes_self=True` are not supported")
            state, default = FACTORY, field.default.factory
        elif field.default is not attr.NOTHING:
            state, default = VALUE, field.default
        yield field.name, field.name, state, default, Any if field.type is None else field.type


def _typed_dict_fields(cls):
    for name in annotations_of(cls):
        yield name, name, REQUIRED if name in cls.__required_keys__ else ABSENT, NODEFAULT


def _named_tuple_fields(cls):
    for name in cls._fields:
        has = name in cls._field_defaults
        yield name, name, VALUE if has else REQUIRED, cls._field_defaults.get(name, NODEFAULT)


_FIELDS = {
    "struct": _struct_fields,
    "dataclass": _dataclass_fields,
    "attrs": _attrs_fields,
    "typeddict": _typed_dict_fields,
    "namedtuple": _named_tuple_fields,
}
