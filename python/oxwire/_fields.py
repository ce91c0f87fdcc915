"""Fields that are more than a name, a type and a default: what `oxwire.field` says of few, what `Annotated` says of values,
computed fields; and what becomes of them in programs.

What may surprise: the extension calls `told_of` and `check` when a class is made that has any of these, and no other
does; so this is imported late.
"""

from ._struct import NODEFAULT, UNSET, Factory, Field, UnsetType, checked, rebuild

# What is said of a field, as bits. They are those of the extension.
EXCLUDE, NO_INIT, FROZEN, PRIVATE, FLATTEN = 1, 2, 4, 8, 16
# Options of a class, as bits. They are those of the extension.
ASSIGNED, MIXIN, SHAPED, GUARDED, KEEP, CLOSED, OPEN = (1 << bit for bit in range(12, 19))
# What is told of most classes.
_NOTHING = b"", {}, 0, {}


def told(field, alias, exclude, frozen, init, private, flatten, strict, message):
    """Puts into a field what is said of it beyond a default and a name."""
    alias = (alias,) if isinstance(alias, str) else tuple(alias or ())
    if not all(isinstance(one, str) for one in alias):
        raise TypeError("`alias` must be a str or a sequence of str")
    if message is not None and not isinstance(message, str):
        raise TypeError("`message` must be a str")
    if flatten and message is not None:
        raise TypeError("A flattened field has no value of its own that a message could be of")
    read = alias or flatten or strict is not None or message is not None
    if private and (field.name is not None or read):
        raise TypeError("A private field has no name outside, and is neither read nor flattened")
    if not init and read:
        raise TypeError("A field with `init=False` is not read")
    if not (init or private) and field.default is NODEFAULT and field.default_factory is NODEFAULT:
        field.default = UNSET
    field.alias, field.strict, field.message = tuple(map(checked, alias)), strict, message
    bits = (exclude, EXCLUDE), (not init, NO_INIT), (frozen, FROZEN), (private, PRIVATE), (flatten, FLATTEN)
    field.marks = sum(bit for on, bit in bits if on)
    return field


class computed(property):
    def __init__(self, fget=None, *, name=None):
        super().__init__(getattr(fget, "fget", fget))
        self.name = name and checked(name)

    def __call__(self, fget):
        return type(self)(fget, name=self.name)

    def __set_name__(self, owner, name):
        owner.__computed__ = {**vars(owner).get("__computed__", {}), name: self}


computed.__module__ = "oxwire"


def told_of(cls, names, described, rename, options, hides):
    """`__struct_more__` of a class that is being made: what is said of each field, as bytes; the keys of its computed
    fields; its options; and the fields of which something is said. The first three are for the extension."""
    found = {}
    for base in reversed(cls.__mro__):
        for name in vars(base):
            found.pop(name, None)
        found |= vars(base).get("__computed__", {})
    keys = {name: one.name or _renamed(rename, name) for name, one in found.items()}
    for name in described.keys() - set(names):
        del described[name]
    marks, any_mark = [], 0
    for name in names:
        marks.append(described[name].marks if name in described else 0)
        any_mark |= marks[-1]
    if keys or options & KEEP or any_mark & (EXCLUDE | FLATTEN):
        options |= SHAPED
    if hides or options & ASSIGNED or any_mark & FROZEN:
        options |= GUARDED
    if any_mark & NO_INIT:
        options |= CLOSED
    if any_mark & FLATTEN:
        options |= OPEN
    return bytes(marks), keys, options, described


def _renamed(rename, name):
    if rename is None:
        return name
    from ._define import defstruct, renamed

    if not isinstance(rename, str):
        return renamed(rename, name)
    # What the rules make of names is in the extension.
    return defstruct("_", [name], rename=rename).__struct_encode_fields__[0]


def check(cls):
    """Raises ValueError for what cannot be."""
    _, computed_fields, flags, options = cls.__struct_more__
    config, taken = cls.__struct_config__, {}

    def take(key, of):
        if taken.setdefault(key, of) != of:
            raise ValueError(f"Two fields of `{cls.__name__}` are both called {key!r} outside")

    take(config.tag_field, None)
    for name, outside in zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True):
        take(outside, name)
    for name, field in options.items():
        for alias in field.alias:
            take(alias, name)
    for name, key in computed_fields.items():
        take(key, name)
    if config.array_like and (computed_fields or flags & KEEP or any(map(_shapes, options.values()))):
        raise ValueError(
            "`array_like` goes with no field that is excluded, flattened, computed or not read, nor with `extra='keep'`"
        )


def _shapes(field):
    return field.marks & (EXCLUDE | NO_INIT | FLATTEN)


def pairs(struct):
    """The names and values that are shown of what keeps unknown keys."""
    found = [(name, getattr(struct, name)) for name in struct.__struct_fields__]
    if struct.__struct_config__.repr_omit_defaults:
        from ._define import _defaults

        both = zip(found, _defaults(struct), strict=True)
        found = [one for one, default in both if not _is_default(one[1], default)]
    return [*found, ("__extra__", struct.__extra__)] if struct.__extra__ else found


def _is_default(value, default):
    if type(default) is Factory:
        return type(value) is default.factory and default.factory in (list, dict, set) and not value
    return value is default


def shown(struct):
    return f"{type(struct).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs(struct))})"


def reduced(struct):
    """What `__reduce__` gives."""
    values = {name: getattr(struct, name) for name in struct.__struct_fields__}
    kept = struct.__extra__ if struct.__struct_more__[2] & KEEP else ()
    given = rebuild, (type(struct), values, kept)
    state = getattr(struct, "__dict__", None)
    return (*given, state) if state else given


def rebuilt(cls, fields, kept):
    """An instance out of what `__reduce__` gave, of a class with more than fields."""
    from ._oxwire import structs_force_setattr as force_setattr

    options = cls.__struct_more__[3]
    later = {name for name in fields if name in options and options[name].marks & NO_INIT}
    made = cls(**{name: value for name, value in fields.items() if name not in later})
    for name in later:
        force_setattr(made, name, fields[name])
    if kept:
        made.__extra__.update(kept)
    return made


def partial(cls, /, *, nested=False):
    made = _PARTIAL.get((cls, nested))
    if made is not None:
        return made
    from typing import Union

    from ._annotations import declared
    from ._define import defstruct

    if not hasattr(cls, "__struct_config__") or cls.__struct_config__.array_like:
        raise TypeError("`partial` takes a Struct class that is written as a map")
    config, (_, _, flags, options) = cls.__struct_config__, cls.__struct_more__ or _NOTHING
    fields = []
    for name, outside, _, _, t in declared(cls, cls):
        said = options.get(name)
        marks = said.marks if said else 0
        if marks & NO_INIT:
            continue
        if nested or marks & FLATTEN:
            try:
                t = _partial_type(t)
            except RecursionError:
                raise TypeError(f"`{cls.__name__}` holds itself, so it cannot be partial in itself") from None
        new = Field(UNSET, NODEFAULT, outside)
        if said:
            marks = marks & EXCLUDE, marks & FROZEN, True, False, marks & FLATTEN
            told(new, said.alias, *marks, said.strict, said.message)
        fields.append((name, Union[t, UnsetType], new))  # noqa: UP007 - it may be text
    extra = "keep" if flags & KEEP else "forbid" if config.forbid_unknown_fields else "ignore"
    made = defstruct(
        f"Partial{cls.__name__}",
        fields,
        module=cls.__module__,
        kw_only=True,
        tag=config.tag,
        tag_field=config.tag_field,
        frozen=config.frozen,
        extra=extra,
    )
    _PARTIAL[cls, nested] = made
    _WHOLE[made] = cls
    return made


# By class, so that what is asked for twice is one type; and which class each of them is of.
_PARTIAL, _WHOLE = {}, {}


def _partial_type(t):
    from typing import Union, get_args, get_origin

    from ._annotations import _is_union

    if isinstance(t, type) and hasattr(t, "__struct_config__"):
        return t if t.__struct_config__.array_like else partial(t, nested=True)
    if _is_union(get_origin(t)):
        return Union[tuple(map(_partial_type, get_args(t)))]  # noqa: UP007 - of any number
    return t


def patch(struct, changes, /):
    from ._oxwire import structs_replace as replace

    new, kept = {}, getattr(changes, "__extra__", {})
    for name in changes.__struct_fields__:
        value = getattr(changes, name)
        whole = _WHOLE.get(type(value))
        if whole is not None:
            # Where there is none that could be changed, one is made.
            old = getattr(struct, name, None)
            value = patch(old if isinstance(old, whole) else whole, value)
        if value is not UNSET:
            new[name] = value
    if isinstance(struct, type):
        return rebuilt(struct, new, kept) if kept else struct(**new)
    if kept:
        # A copy would share what it keeps.
        old = {name: getattr(struct, name) for name in struct.__struct_fields__}
        return rebuilt(type(struct), old | new, struct.__extra__ | kept)
    return replace(struct, **new)


for _function in (partial, patch):
    _function.__module__ = "oxwire.structs"


# Records


def record(program, node, row, apart):
    """A record as the extension takes it, of a class of which more is to be said, or whose instances are looked at
    before anything is made of them."""
    _, _, flags, options = node.cls.__struct_more__ or _NOTHING
    if flags & MIXIN:
        raise TypeError(f"`{node.cls.__name__}` is a mixin, of which there are no instances")
    layout = _Layout(program)
    parts = apart or flags & KEEP or any(field.marks & FLATTEN for field in options.values())
    layout.add(node, None, not parts)
    # What is written and not read is passed over, as the key of a tag is.
    beyond = dict.fromkeys(layout.ignored, len(layout.fields) + 1)
    more = beyond | dict(layout.aliases), tuple(layout.parts), layout.extra
    cls, flavour, name, _, *rest = row
    return cls, 4 if parts else flavour, name, tuple(layout.fields), *rest, more


class _Layout:
    """The keys of a record, with those of the classes that are flattened into it."""

    def __init__(self, program):
        self.program, self.fields, self.aliases, self.ignored = program, [], [], []
        self.parts, self.extra, self.keys, self.inside = [], None, set(), []

    def take(self, key):
        if key in self.keys:
            raise TypeError(
                f"Two fields are both called {key!r} in `{self.inside[0].__name__}`, where they stand together"
            )
        self.keys.add(key)

    def ignore(self, key):
        self.take(key)
        self.ignored.append(key)

    def put(self, outside, name, plan, state, default, hidden=0):
        self.fields.append((outside, name, plan, state | hidden, default))
        return len(self.fields) - 1

    def add(self, node, into, alone=False):
        """Adds a class; where an instance of it goes is a place among the fields, or None."""
        cls = node.cls
        if cls in self.inside:
            raise TypeError(f"`{cls.__name__}` is flattened into itself")
        self.inside.append(cls)
        _, computed_fields, flags, options = cls.__struct_more__ or _NOTHING
        config, places = cls.__struct_config__, []
        if config.tag_field:
            (self.take if into is None else self.ignore)(config.tag_field)
        by_name = self.program.by_name
        for name, outside, inner, state, default, _ in node.fields:
            outside = name if by_name else outside
            field = options.get(name)
            marks = field.marks if field else 0
            if marks & FLATTEN:
                places.append(self.flatten(name, outside, inner, state, default))
                continue
            place = self.put(
                outside, name, self.program.plan(inner), state, default, 4 * bool(marks & NO_INIT)
            )
            places.append(place)
            (self.ignore if marks & NO_INIT else self.take)(outside)
            for alias in field.alias if field and not by_name else ():
                self.take(alias)
                self.aliases.append((alias, place))
        for name, key in computed_fields.items():
            self.ignore(name if by_name else key)
        if flags & KEEP:
            places.append(self.keep(0, self.put("", "__extra__", 0, 2, dict, 4)))
        if not alone:
            self.parts.append((cls, tuple(places), -1 if into is None else into))
        self.inside.pop()

    def flatten(self, name, outside, node, state, default):
        from ._annotations import FACTORY, REQUIRED, members

        inner = [one for one in members(node) if one.kind != "none"]
        kind = inner[0].kind if len(inner) == 1 else None
        if kind == "dict":
            if {one.kind for one in members(inner[0].args[0])} - {"str", "any"}:
                raise TypeError(f"The keys of `{name}` must be str: it is flattened")
            if state == REQUIRED:
                state, default = FACTORY, dict
            return self.keep(
                self.program.plan(inner[0].args[1]), self.put(outside, name, 0, state, default, 4)
            )
        if kind != "struct" or inner[0].cls.__struct_config__.array_like:
            raise TypeError(
                f"`{name}` cannot be flattened: it is neither a Struct that is written as a map nor a dict"
            )
        place = self.put(outside, name, 0, state, default, 4)
        self.add(inner[0], place)
        return place

    def keep(self, plan, place):
        if self.extra is not None:
            raise TypeError(f"Two fields of `{self.inside[0].__name__}` would hold unknown keys")
        self.extra = plan, place
        return place


# Steps


class Ready:
    """A node that stands for a type."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node


def values(cls):
    """A type whose items are the values of a class's fields."""
    from ._annotations import Node, read

    (node,) = read(cls)
    return Ready(Node("tuple", cls, tuple, [field[2] for field in node.fields]))


def outermost(node):
    """A node and what stands around it alone, aliases and unions with UNSET: those whose words are for whatever it is."""
    chain = [node]
    while node.kind in ("alias", "union"):
        inner = [one for one in node.args if one.kind != "unset"]
        if len(inner) != 1 or inner[0] in chain:
            break
        (node,) = inner
        chain.append(node)
    return chain


def checks(node, bits_of):
    """The checks of all that may stand at a place, in order."""
    found = []

    def walk(one, steps, above):
        if any(one is other for other in above):
            return
        if None in one.words or any(step.before for step in one.steps):
            raise TypeError(
                "What comes before reading, and a message for whatever is wrong, must stand at the whole of a union"
            )
        steps = (*one.steps, *steps)
        if one.kind in ("alias", "union"):
            for inner in one.args:
                walk(inner, steps, (*above, one))
            return
        for step in steps:
            check = bits_of(one), step.op, step.called(), step.words()
            # Of several of one kind each is asked, once.
            if check not in found:
                found.append(check)

    walk(node, (), ())
    return found


def strict(node):
    """Whether other types will do, if the outermost that says so says it."""
    said = [meta.strict for one in outermost(node) for meta in one.metas]
    return next((one for one in said if one is not None), None)


def is_said(node):
    """Whether anything is said of whatever may stand at a place."""
    return strict(node) is not None or any(one.steps for one in outermost(node))


def before(node, all_steps=False):
    """What is called with a value, whether other types will do, and the hook for what is no type of ours, instead of
    reading it by a type; the checks that come before that, or None if they are in it; and what it is read by. Nothing if
    there is nothing to be done before that. With `all_steps` what is to be done after is done here, too."""
    chain = outermost(node)
    steps = [step for one in chain for step in one.steps if step.before]
    later = [step for one in reversed(chain) for step in one.steps if all_steps and not step.before]
    words = next((one.words[None] for one in chain if None in one.words), None)
    if not steps and not all_steps and words is None:
        return None
    is_strict = strict(node) if all_steps else None
    from ._meta import Validate

    inner = Ready(_without(chain, all_steps))
    checks = None
    if not (all_steps or (steps and words)):
        # One that refuses does so by an exception here.
        checks = [(0, 22 if step.op == 20 else step.op, step.called(), step.words()) for step in steps]
        steps = ()

    def run(value, told, hook):
        for step in steps:
            value = step.apply(value)
        value = reread(value, inner, told if is_strict is None else told & ~1 | (not is_strict), hook)
        for step in later:
            value = step.apply(value)
        return value

    return run if words is None else Validate(run, message=words).called(), checks, inner.node


def reread(value, inner, told, hook):
    """What was read as anything, by a type. The extension tells how the call at hand reads."""
    from ._oxwire import convert

    names = "strict", "from_attributes", "str_keys", "_bytes", "by_name"
    options = {name: bool(told >> i & 1) != (not i) for i, name in enumerate(names)}
    errors, extra = ("first", "all")[told >> 5 & 1], (None, "ignore", "forbid", "keep")[told >> 6]
    return convert(value, inner, dec_hook=hook, errors=errors, extra=extra, **options)


def _without(chain, all_steps):
    """The last of some nodes with what is said after it is read, and nothing of before; or nothing of either."""
    from ._annotations import Node

    made = chain[-1]
    for one in reversed(chain):
        last = one is chain[-1]
        # Of a class there is one node, of which nothing is said.
        if last and one.fields:
            continue
        metas = one.metas
        if all_steps:
            metas = tuple(meta for meta in metas if meta.strict is None)
        bare = Node(one.kind, one.type, one.cls, one.args if last else [made], metas, one.meta)
        bare.steps = tuple(step for step in one.steps if not (step.before or all_steps))
        bare.make, bare.schema, bare.anew = one.make, one.schema, one.anew
        bare.words = {name: said for name, said in one.words.items() if name is not None}
        made = bare
    return made
