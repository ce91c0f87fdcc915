"""Unions that the kind of a value alone does not decide: how their members are told apart.

`plan` gives what `_types` gives for any other place. Members that are text or numbers become tries, the most exact first.
Of objects and arrays there is a choice: a table that tells members by a tag or by `Literal` fields, by their keys or
their length, and what is left in doubt by trying. docs/unions.md has the rules as users see them.

What may surprise: `A | B` and `B | A` are one type to Python, so where it can be the order is that of how exact the members
are, and what is read by one whenever it could be read by the other is refused.
"""

import sys

from ._annotations import _BYTES, _FIELDS, REQUIRED, Node, discriminators, members
from ._define import others
from ._fields import _NOTHING, FLATTEN
from ._fields import checks as steps
from ._types import (
    ANY,
    ARRAY,
    CUSTOM,
    MAP,
    Refused,
    _all_bits,
    _is_told,
    _names,
    _Union,
    enum_values,
    type_name,
)

_LISTS = ("list", "vartuple", "set", "frozenset")
# What is tried when all others are not it.
_LAST = (*_LISTS, "dict", "custom")
# Text, the most exact first.
_TEXTS = ("datetime", "date", "time", "timedelta", "uuid", "decimal")
_STRINGS = ("str", *_TEXTS, *_BYTES)
# What the extension has room for: see `choose.rs` and `choice.rs`.
_MOST, _KEYS, _GUESSES = 50, 256, 4
_WORD = (1 << 64) - 1
_CURE = "give them different tags, keys or `Literal` fields, or name the member by a `Discriminator`"


def _is_row(node):
    """Whether it is a record that is written as an array."""
    return node.kind == "namedtuple" or (node.kind == "struct" and node.cls.__struct_config__.array_like)


def _tag(node):
    """The key of the tag of a Struct, and the tag."""
    config = node.cls.__struct_config__ if node.kind == "struct" else None
    return None if config is None or config.tag is None else (config.tag_field, config.tag)


def _forbids(node):
    if node.kind == "typeddict":
        return others(node.cls) == ()
    return node.kind == "struct" and node.cls.__struct_config__.forbid_unknown_fields


def _keys(node, by_name, inside=()):
    """{the names of a key: (whether one of them must be there, what its value is)} of a record, the tag first.

    What catches all other keys has no names; what is passed over has no value."""
    _, computed, _, said = getattr(node.cls, "__struct_more__", None) or _NOTHING
    tag = _tag(node)
    found = {(tag[0],): (not inside, None)} if tag else {}
    for name, outside, value, state, *_ in node.fields:
        field, must = said.get(name), state == REQUIRED
        if field and field.marks & FLATTEN:
            for one in members(value):
                if one.kind == "dict":
                    found[()] = False, one.args[1]
                elif one.fields and one not in inside:
                    more = _keys(one, by_name, (*inside, node))
                    found |= {names: (must and first, inner) for names, (first, inner) in more.items()}
        elif by_name:
            found[(name,)] = must, value
        else:
            found[outside, *(field.alias if field else ())] = must, value
    if node.kind == "typeddict" and node.args:
        found[()] = False, node.args[0]
    return found | {(name if by_name else key,): (False, None) for name, key in computed.items()}


def _literals(node):
    """The values that a place takes, if there is nothing else that it takes; only text and integers."""
    nodes = members(node)
    values = [value for one in nodes if one.kind == "literal" for value in one.args]
    plain = all(one.kind == "literal" for one in nodes) and {*map(type, values)} <= {str, int}
    return set(values) if plain else set()


def _values(node):
    """The values of an enumeration or a literal."""
    return enum_values(node.cls) if node.kind == "enum" else node.args


class _Covers:
    """Whether all that one node takes another takes too. In doubt it does not."""

    def __init__(self, by_name):
        # What is being found out is taken to be so: a type may hold itself.
        self.by_name, self.seen = by_name, set()

    def all(self, x, y):
        return all(any(self.one(a, b) for a in members(x)) for b in members(y))

    def one(self, x, y):
        if x is y or x.kind in ("any", "raw") or (id(x), id(y)) in self.seen:
            return True
        self.seen.add((id(x), id(y)))
        if x.meta and (x.kind != y.kind or x.meta != y.meta):
            return False
        if x.kind in _LISTS:
            if y.kind in _LISTS or y.kind == "tuple":
                return all(self.all(x.args[0], arg) for arg in y.args)
            return _is_row(y) and not _tag(y) and all(self.all(x.args[0], field[2]) for field in y.fields)
        if x.kind == "dict":
            inside = y.fields if y.kind in _FIELDS and not _is_row(y) else ()
            if y.kind == "dict":
                return self.all(x.args[0], y.args[0]) and self.all(x.args[1], y.args[1])
            any_value = members(x.args[1])[0].kind == "any"
            return any_value and bool(inside) and members(x.args[0])[0].kind in ("any", "str")
        if x.kind == "tuple" or _is_row(x):
            if (y.kind != "tuple" and not _is_row(y)) or _tag(x) != _tag(y):
                return False
            ours, theirs = map(_items, (x, y))
            same = len(ours) == len(theirs) and _bounds(x) == _bounds(y)
            return same and all(map(self.all, ours, theirs))
        if x.kind in _FIELDS:
            return y.kind in _FIELDS and not _is_row(y) and self.record(x, y)
        return self.scalar(x, y)

    def record(self, x, y):
        ours, theirs = (_keys(one, self.by_name) for one in (x, y))
        if _tag(x) != _tag(y) or not ours.keys() <= theirs.keys():
            return False
        if _forbids(x) and not (_forbids(y) and ours.keys() == theirs.keys()):
            return False
        pairs = [(one, theirs[names]) for names, one in ours.items()]
        return all(
            must <= also and (inner is None or (other is not None and self.all(inner, other)))
            for (must, inner), (also, other) in pairs
        )

    def scalar(self, x, y):
        if y.kind in ("enum", "literal"):
            values = set(_values(y))
            if x.kind in ("enum", "literal"):
                return values <= set(_values(x))
            kinds = {"str": (str,), "int": (int,), "float": (int,), "bool": (bool,)}.get(x.kind, ())
            return all(type(value) in kinds for value in values)
        if x.kind == y.kind:
            return x.kind not in ("enum", "literal", "custom") or x.cls is y.cls
        wider = {
            "str": _STRINGS,
            "float": ("int",),
            "decimal": ("int", "float"),
            **dict.fromkeys(_BYTES, _BYTES),
        }
        return y.kind in wider.get(x.kind, ())


def _items(node):
    return node.args if node.kind == "tuple" else [field[2] for field in node.fields]


def _bounds(node):
    """The least and the most items of an array with a place for each, and whether more are refused."""
    if node.kind == "tuple":
        return len(node.args), len(node.args), True
    must = [i for i, field in enumerate(node.fields, 1) if field[3] == REQUIRED]
    tag = _tag(node) is not None
    closed = node.kind == "namedtuple" or _forbids(node)
    return (must[-1] if must else 0) + tag, len(node.fields) + tag, closed


class _Many:
    def __init__(self, program, node):
        self.program, self.node = program, node

    def apart(self, one, other, why):
        names = " and ".join(f"`{one.type!r}`" for one in (one, other))
        raise TypeError(
            f"{names} cannot be told apart: {why}; {_CURE} - type `{self.node.type!r}` is not supported"
        )

    def ordered(self, nodes):
        """The more exact before what takes all that they take, else as they are declared."""
        found = []
        for one in nodes:
            at = len(found)
            for i, other in enumerate(found):
                if _Covers(self.program.by_name).one(other, one):
                    if _Covers(self.program.by_name).one(one, other):
                        self.apart(other, one, "each takes what the other takes")
                    at = min(at, i)
            found.insert(at, one)
        return found

    def merged(self, nodes):
        """Members as one place that kinds decide."""
        return _Union(Node("union", self.node.type, args=nodes))

    def scalars(self, nodes):
        """The members that need no try, and the tries."""
        groups = {}
        for one in nodes:
            if one.kind == "literal":
                # The values of each kind apart.
                for kind in (str, int, bool, type(None)):
                    values = [value for value in one.args if type(value) is kind]
                    if values:
                        part = one if len(values) == len(one.args) else Node("literal", one.type, args=values)
                        like = "none" if kind is type(None) else kind.__name__
                        groups.setdefault(like, []).append(part)
                continue
            like = "str" if one.kind in _STRINGS else one.kind
            if like == "enum":
                like = type(next(iter(enum_values(one.cls)))).__name__
            groups.setdefault(like, []).append(one)
        plain, tries = [], []
        for group in groups.values():
            try:
                self.merged(group)
                plain += group
            except Refused:
                tries += self.tries(group)
        return plain, tries

    def tries(self, group):
        """Members of one kind, the most exact first."""

        def rank(node):
            if node.kind in ("enum", "literal"):
                # What is asked for its members may take anything.
                return (10 if _Union(node).missing else 0), len(_values(node))
            if node.kind in _TEXTS:
                return 1 + _TEXTS.index(node.kind), 0
            return (11 if node.kind in ("str", "int", "float") else 13), not node.meta

        group = sorted(group, key=rank)
        for i, one in enumerate(group):
            for other in group[:i]:
                both = one.kind in _BYTES and other.kind in _BYTES
                same = one.kind in ("enum", "literal") and other.kind in ("enum", "literal")
                if both or (same and set(_values(one)) == set(_values(other))):
                    self.apart(
                        other, one, "both are read from the same bytes" if both else "the values are the same"
                    )
        return group

    def told(self, nodes, places):
        """Which members a key (or the first item) tells: the key, and {value: node}.

        `places` gives for a member what may tell it: {key: values}."""
        best = None, {}
        found = [(one, places(one)) for one in nodes]
        for key in dict.fromkeys(key for _, of in found for key in of):
            owners = {}
            for one, of in found:
                for value in of.get(key, ()):
                    owners.setdefault(value, []).append(one)
            shared = {id(one) for same in owners.values() if len(same) > 1 for one in same}
            tags = {value: same[0] for value, same in owners.items() if id(same[0]) not in shared}
            if len({*map(id, tags.values())}) > len({*map(id, best[1].values())}):
                best = key, tags
        return best

    def choice(self, nodes, is_map, places, member):
        """The table of a choice: see `model::Choice`."""
        customs = [one for one in nodes if one.kind == "custom"]
        last = [one for one in nodes if one.kind in (*_LISTS, "dict")]
        nodes = [one for one in nodes if one.kind not in _LAST]
        key, tags = self.told(nodes, places)
        apart = {id(one) for one in tags.values()}
        told = [one for one in nodes if id(one) in apart]
        rest = [one for one in nodes if id(one) not in apart]
        # Where the user names the member, they need not differ.
        if not discriminators(self.node):
            rest, last = self.ordered(rest), self.ordered(last)
        last += customs
        if len(rest + last) > 1:
            self.program.ordered = True
        found = rest + last + told
        if len(found) - len(told) > _MOST:
            raise TypeError(
                f"A union may have no more than {_MOST} members that no tag tells apart"
                f" - type `{self.node.type!r}` is not supported"
            )
        # The key of a tag is the first. Where all have the same other names for it, those are it, too.
        keys = {key: 0} if isinstance(key, str) else {}
        known = [member(one)[3] for one in found]
        tagged = [set(names) for one in told for names in member(one)[3] if key in names]
        same = set.intersection(*tagged) if tagged else set()
        orders = [[names[0] for names in has if names] for has in known]
        for name in (name for has in known for names in has for name in names):
            if name not in same:
                keys.setdefault(name, len(keys))
        # One of several names is a key of its own, which is there with each of them; all members know it.
        several = dict.fromkeys(names for has in known for names in has if has[names][0] and names[1:])
        several = {names: 1 << len(keys) + i for i, names in enumerate(several)}
        if len(keys) + len(several) > _KEYS and len(found) > len(told):
            raise TypeError(
                f"The members of a union may have no more than {_KEYS} keys together"
                f" - type `{self.node.type!r}` is not supported"
            )
        keys |= dict.fromkeys(same, 0)
        rows = []
        for one, has in zip(found, known, strict=True):
            least, most, closed, _ = member(one)
            bits = {1 << keys[name] for names in has for name in names}
            needs = {several.get(names) or 1 << keys[names[0]] for names in has if has[names][0]}
            rows += self.program.alone(one), one.kind in _LAST, id(one) in apart, least, most, closed
            rows += _words({*bits, *several.values()}) + _words(needs)
        owners = []
        for name, number in keys.items():
            of = [i for i, has in enumerate(known) if any(name in names for names in has)]
            noted = {1 << number, *(bit for names, bit in several.items() if name in names)}
            owners += of[0] if len(of) == 1 else -1, *_words(noted)
        guesses = []
        for i in range(max(map(len, orders), default=0)):
            guess = dict.fromkeys(keys[order[i]] for order in orders if i < len(order))
            guesses += [*guess, *[-1] * _GUESSES][:_GUESSES]
        places = {id(one): i for i, one in enumerate(found)}
        return (
            _numbers(rows),
            " | ".join(map(_name, rest + told + last)),
            keys,
            _numbers(guesses),
            key,
            {value: places[id(one)] for value, one in tags.items()} or None,
            self.ask(found),
            _numbers(owners),
            is_map,
            self.asking(),
        )

    def asking(self):
        """The plan of any container, which is shown to the user when it is read."""
        if not discriminators(self.node):
            return 0
        self.program.plans.append(
            (ANY | ARRAY | MAP, "any", 0, 0, None, None, ((ARRAY | MAP, 12, None, ""),), None)
        )
        return len(self.program.plans) - 1

    def ask(self, found):
        """The function that gives the place of the member which a discriminator names."""
        given = discriminators(self.node)
        if not given:
            return None
        if len(given) > 1:
            raise TypeError(
                f"A union may have one discriminator - type `{self.node.type!r}` is not supported"
            )
        choose = given[0].choose
        names = {}
        for i, one in enumerate(found):
            names[one.type] = i
            if _tag(one):
                names.setdefault(_tag(one)[1], i)

        def ask(value):
            name = choose(value)
            try:
                return names[name]
            except (KeyError, TypeError):
                raise ValueError(f"The discriminator names {name!r}, which is no member") from None

        return ask

    def map(self, nodes):
        def places(one):
            keys, tag = _keys(one, self.program.by_name), _tag(one)
            found = {name: _literals(of[1]) for names, of in keys.items() if of[1] for name in names}
            return found | ({tag[0]: {tag[1]}} if tag else {})

        def member(one):
            return 0, 0, _forbids(one), _keys(one, self.program.by_name) if one.kind in _FIELDS else {}

        return self.choice(nodes, True, places, member)

    def array(self, nodes):
        def places(one):
            tag = _tag(one)
            first = _items(one)[:1]
            return {0: {tag[1]} if tag else _literals(first[0]) if first else ()}

        def member(one):
            return *((0, 0, False) if one.kind in (*_LISTS, "custom") else _bounds(one)), {}

        return self.choice(nodes, False, places, member)

    def plan(self):
        nodes = members(self.node)
        customs = [one for one in nodes if one.kind == "custom"]
        rows = [one for one in nodes if one.kind in (*_LISTS, "tuple") or _is_row(one)]
        maps = [one for one in nodes if one.kind == "dict" or (one.kind in _FIELDS and not _is_row(one))]
        aside = {id(one) for one in customs + rows + maps}
        plain, tries = self.scalars([one for one in nodes if id(one) not in aside])
        told, plain = ([one for one in plain if _is_told(one) is told] for told in (True, False))
        row = self.program.row_of
        # An integer may be a member before it is a float.
        tries = [*map(row, tries), *(row(one) for one in told if one.kind == "int")]
        tries += [self.program.row(self.merged(plain))] if plain else ()
        tries += [row(one) for one in told if one.kind != "int"]
        main = 0, "", -1, -1, None, None, None
        if len(tries) > 1 or customs:
            tries += map(row, customs)
        elif tries:
            (main, *tries) = tries
        takes, _, _, _, values, missing, checks, *_ = main
        checks = [*(checks or ())]
        places, choices = [], []
        for bit, group, ordinary, many in (
            (ARRAY, rows, self.program.array, self.array),
            (MAP, maps, self.program.map, self.map),
        ):
            whole = group + customs
            at = -1
            if whole:
                takes |= bit if group else 0
                try:
                    if customs or discriminators(self.node):
                        raise Refused
                    found = self.merged(group)
                except Refused:
                    choices.append(many(whole))
                else:
                    # What is refused of what stands in it is refused for good.
                    if any(map(_is_told, group)):
                        found.apart = True
                        for one in group:
                            found.checks += steps(one, _all_bits)
                    checks += found.checks
                    at = ordinary(found)
            places.append(at)
        for one in tries:
            takes |= one[0]
        named = [_names(takes & ~CUSTOM, None)] if takes & ~CUSTOM else []
        name = " | ".join(named + [type_name(one.cls) for one in customs])
        return (
            # What a class of the user takes is tried when nothing else was it.
            takes & ~CUSTOM,
            name,
            *places,
            values or None,
            missing,
            tuple(checks) or None,
            None,
            tuple(tries),
            choices,
        )


def _words(bits):
    """A set of keys, as numbers of 64 bits."""
    return [sum(bits) >> at & _WORD for at in range(0, _KEYS, 64)]


def _numbers(values):
    """Words of 64 bits."""
    return b"".join((int(value) & _WORD).to_bytes(8, sys.byteorder) for value in values)


def _name(node):
    return type_name(node.cls) if node.kind in (*_FIELDS, "custom") else str(node.kind)


def plan(program, node):
    """The plan of a place, as the extension takes it. Raises TypeError for members that cannot be told apart."""
    return _Many(program, node).plan()
