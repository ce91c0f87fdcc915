"""The trial: whether what the extension makes and reads by hand is what this interpreter makes and reads.

The extension runs it when it is imported, on versions of CPython whose objects it knows. It brings `ask`, which makes or reads one
thing by hand, or gives memory as it is; here the same is made by the interpreter, and both are compared: memory
byte by byte, but for what has no meaning, and what they do.

What may surprise: an object's address is its `id`, and its `__sizeof__` says how much is there. Whoever compares two objects holds as many
references to one as to the other, so that even their counts are the same.
"""

import gc
import sys

_WALKS, _ATTRIBUTES, _MEMORY, _TEXT, _INT, _LIST, _DICT, _INSTANCE, _PLAIN, _TRACK = range(10)


def tables(ask):
    """Dicts of every kind of table are walked as the interpreter walks them."""
    # The attributes of an instance may share their keys with other instances.
    shared = _Open()
    shared.a, shared.b = 1, 2
    made = [{}, vars(shared)]
    for n in (1, 5, 6, 10, 11, 100, 300):
        words = {f"k{i}": i for i in range(n)}
        thinned = words.copy()
        for i in range(0, n, 3):
            del thinned[f"k{i}"]
        mixed = {i if i % 7 == 3 else f"k{i}": i for i in range(n)}
        made += words, thinned, thinned.copy(), mixed
    return all(ask(_WALKS, one, 0) for one in made)


class _Open:
    pass


def instances(ask):
    """The attributes that stand in an instance are those that it has, in the order in which they came."""

    def same(one, *names):
        found = ask(_ATTRIBUTES, one, 0)
        return (
            found is not None
            and found[::2] == [*names]
            and all(getattr(one, name) is value for name, value in zip(names, found[1::2]))
        )

    a, b = _Open(), _Open()
    a.one, a.two, a.three = [1], [2], [3]
    b.three, b.one = [4], [5]
    agree = same(a, "one", "two", "three") and same(b, "three", "one")
    # With a dict made, they stay where they are; with one that is changed beyond what the class knows, they must say that
    # they are no longer valid.
    namespace = vars(a)
    agree = agree and same(a, "one", "two", "three")
    namespace["four"] = [6]
    return agree and (ask(_ATTRIBUTES, a, 0) is None or same(a, "one", "two", "three", "four"))


def values(ask):
    """Strings, integers and lists."""

    def memory(one):
        return ask(_MEMORY, id(one), size)

    for n in (2, 7, 8, 15, 16, 100, 1000):
        ours, theirs = ask(_TEXT, None, n), "x" * n
        size = theirs.__sizeof__()
        a, b = memory(ours), memory(theirs)
        # Of the state the first byte has a meaning, and what stands between it and the next word has none.
        if a[:33] != b[:33] or a[40:] != b[40:] or ours != theirs or hash(ours) != hash(theirs):
            return False
    for n in (257, -6, 1 << 15, (1 << 30) - 1, 1 << 30, -(1 << 30), (1 << 60) - 1, 1 - (1 << 60)):
        ours, theirs = ask(_INT, None, n), int(str(n))
        size = theirs.__sizeof__()
        if memory(ours) != memory(theirs) or ours != theirs or hash(ours) != hash(theirs):
            return False
    for n in (1, 5, 100):
        theirs = [n] * n
        ours = ask(_LIST, (n,) * n, 0)
        size = list.__basicsize__
        a, b = memory(ours), memory(theirs)
        # The items stand elsewhere.
        if a[:24] != b[:24] or a[32:] != b[32:] or gc.is_tracked(ours) != gc.is_tracked(theirs):
            return False
        for _ in range(n):
            ours.append(n)
            theirs.append(n)
            if ours != theirs or ours.__sizeof__() != theirs.__sizeof__():
                return False
    return True


def dicts(ask):
    """Dicts with all their entries at once."""
    for n in (1, 2, 5, 6, 10, 11, 22, 43, 85, 86, 170, 171, 300):
        # A list can be part of a cycle, a text cannot.
        pairs = [(f"k{i}", [] if n == 6 and i == 4 else "") for i in range(n)]
        theirs = dict(pairs)
        ours = ask(_DICT, sum(pairs, ()), 0)
        size = theirs.__sizeof__()
        if ours is None or ours.__sizeof__() != size:
            return False
        found = []
        for one in (ours, theirs):
            head = ask(_MEMORY, id(one), 48)
            at = int.from_bytes(head[32:40], sys.byteorder)
            table = ask(_MEMORY, at, size - 48)
            # The byte between the small fields has no value, the version of the dict none that is the same.
            found.append((head[:24], head[40:] == bytes(8), table[:11], table[12:], gc.is_tracked(one) == (n == 6)))
        if found[0] != found[1] or not found[0][1] or not found[0][4]:
            return False
        for change in (_grow, _thin, dict.copy, dict.clear):
            if change(ours) != change(theirs) or ours != theirs or ours.__sizeof__() != theirs.__sizeof__():
                return False
    return True


def _grow(one):
    one["more"] = one["k0"]
    return [*one]


def _thin(one):
    return one.pop("k0"), one.popitem(), one.setdefault("k0", 1), [*one]


class _Slots:
    __slots__ = ("one", "two")


def objects(ask):
    """Instances, with what stands before them for the collector."""

    def memory(one):
        return ask(_MEMORY, id(one) - 16, 16 + _Slots.__basicsize__)

    ours, theirs = ask(_INSTANCE, _Slots, 0), ask(_PLAIN, _Slots, 0)
    a = memory(ours)
    if a != memory(theirs) or a[:16] != bytes(16) or gc.is_tracked(ours):
        return False
    ours.one = theirs.one = ours
    ask(_TRACK, ours, 0)
    agree = gc.is_tracked(ours) and memory(ours)[:8] != bytes(8) and ours.one is ours and type(ours) is _Slots
    ours.one = None
    return agree


def ways(ask):
    """Which ways are as the interpreter's: a bit for each, as `_doctor` names them. Without the first there is none."""
    found = 0
    for bit, agrees in enumerate((tables, instances, values, dicts, objects)):
        try:
            found |= agrees(ask) << bit
        except Exception:
            # What is not even alive enough to be compared does not agree.
            pass
        if not found:
            break
    return found
