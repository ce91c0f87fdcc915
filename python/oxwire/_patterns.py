"""Patterns as tables that the extension walks, for text that is all ASCII: whether `re` finds them there.

What may surprise: only whether there is a match anywhere is asked, so repeats that take little are as those that take
much, and what is tried at each place is tried at all at once. Which characters one part of a pattern takes is asked of
`re` itself. What looks around or back, or is large, has no table, and `re` is asked as ever.
"""

from functools import lru_cache

_MOST = 200
# What may follow: anything, nothing, or one line feed and nothing.
_ANY, _END, _LINE = range(3)


@lru_cache
def table(pattern):
    """How many states there are, of which kind each character is, and for each kind what follows on each state; last,
    whether there is a match if the text ends there. The first state is where it begins. None if that cannot be said."""
    try:
        import re._compiler as compiler
        import re._parser as parser

        tree = parser.parse(pattern)
        # What each takes, as bits or as a word; and which are next.
        nodes, taken = [("end", ())], {}

        def node(what, *then):
            if len(nodes) > 2 * _MOST:
                raise OverflowError
            nodes.append((what, then))
            return len(nodes) - 1

        def build(items, then):
            for item in [*items][::-1]:
                op, arg = str(item[0]), item[1]
                if op == "BRANCH":
                    then = node("", *[build(one, then) for one in arg[1]])
                elif op == "SUBPATTERN" and not arg[1] | arg[2]:
                    then = build(arg[3], then)
                elif op in ("MAX_REPEAT", "MIN_REPEAT"):
                    least, most, body = arg
                    if most > 1 and not body.getwidth()[0]:
                        raise OverflowError
                    after = then
                    if most is parser.MAXREPEAT:
                        then = node("", after)
                        nodes[then] = "", (build(body, then), after)
                        most = least
                    for i in range(most):
                        then = node("", build(body, then), *[after][: i < most - least])
                elif op == "AT" and not tree.state.flags & 8:
                    then = node(str(arg), then)
                elif op in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
                    bits = taken.get(str(item))
                    if bits is None:
                        takes = compiler.compile(parser.SubPattern(tree.state, [item])).match
                        bits = taken[str(item)] = sum(1 << c for c in range(128) if takes(chr(c)))
                    then = node(bits, then)
                else:
                    raise OverflowError
            return then

        def closed(todo, begins):
            nonlocal work
            found, seen = set(), set()
            while todo:
                one = at, rest = todo.pop()
                if one in seen:
                    continue
                seen.add(one)
                what, then = nodes[at]
                rests = [rest]
                if what == "end" or type(what) is int:
                    found.add(one)
                    continue
                if what == "AT_END":
                    rests = [rest] if rest else [_END, _LINE]
                elif what == "AT_END_STRING":
                    rests = [_END][: rest < _LINE]
                elif what:
                    if what not in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                        raise OverflowError
                    rests = [rest][:begins]
                todo += [(one, rest) for one in then for rest in rests]
            work += len(seen)
            if work > 50 * _MOST:
                raise OverflowError
            return frozenset([(0, _ANY)] if (0, _ANY) in found else found)

        first, work = build(tree, 0), 0
        kinds = {}
        kind = bytes(
            kinds.setdefault((c == 10, *(bits >> c & 1 for bits in taken.values())), len(kinds))
            for c in range(128)
        )
        firsts = [kind.index(k) for k in range(len(kinds))]
        states = {closed([(first, _ANY)], True): 0}
        rows = []
        for state in (todo := [*states]):
            row = []
            for c in firsts:
                next = [(first, _ANY)]
                for at, rest in state:
                    what, then = nodes[at]
                    if rest == _END or (rest == _LINE and c != 10):
                        continue
                    if what == "end":
                        next.append((at, rest and _END))
                    elif what >> c & 1:
                        next.append((then[0], rest and _END))
                next = closed(next, False)
                if next not in states:
                    if len(states) == _MOST:
                        raise OverflowError
                    states[next] = len(states)
                    todo.append(next)
                row.append(states[next])
            rows.append(row)
        ends = (any(at == 0 and rest < _LINE for at, rest in state) for state in states)
        return bytes([len(states), *kind, *(s for column in zip(*rows, strict=True) for s in column), *ends])
    except Exception:
        # Whatever is not as it is known here: other Pythons may have other trees.
        return None
