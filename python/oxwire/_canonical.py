"""The canonical form of the native format: equal values have equal bytes (docs/wire/native.md, section 13).

What may surprise: members and keys are ordered by the bytes that each would have alone, while the numbers of types count through
the message. So every value becomes pieces first, bytes and definitions of types, and the numbers come last.
"""

from datetime import UTC

from ._errors import EncodeError
from ._registry import varint

SCALARS = (bool, int, str, bytes, type(None))
# Tags: that for any count, and that for counts which stand in the tag itself, below a limit.
LIST, TUPLE, RECORD = (3, 0x40, 8), (4, 0x48, 4), (0x0B, 0x4C, 4)
DICT, SET, FROZENSET, TYPE = b"\5", b"\6", b"\7", b"\x0a"
ORDERED = b"\x12\x21"


class Definition(bytes):
    # A type where it is first met, and then a number.
    pass


def spelled(pieces):
    """The bytes of some pieces."""
    numbers, out = {}, []
    for piece in pieces:
        known = None if type(piece) is bytes else numbers.get(piece)
        if known is None and type(piece) is not bytes:
            numbers[piece] = len(numbers)
            if len(numbers) > 4096:
                raise EncodeError("Cannot encode more types than 4096")
        out.append(piece if known is None else headed(RECORD, known))
    return b"".join(out)


def headed(tags, n):
    tag, short, room = tags
    return bytes((short + n,)) if n < room else bytes((tag,)) + varint(n)


def plain(v):
    """The float that is written for all that equal it, or are no number."""
    return v + 0.0 if v == v else float("nan")


def encoder(helper, graph, max_depth):
    """What writes the canonical form; the codec writes scalars, and must not memoize."""
    helper.ordered = True

    def scalar(o):
        """The bytes of what contains no values."""
        kind = type(o)
        if kind in SCALARS:
            return graph.encode(o)[1:]
        if kind is float:
            return graph.encode(plain(o))[1:]
        if kind is complex:
            return graph.encode(complex(plain(o.real), plain(o.imag)))[1:]
        if kind in (list, tuple) and len(o) > 3:
            if all(type(v) is float for v in o):
                return graph.encode(kind(map(plain, o)))[1:]
            if all(type(v) is int and -(1 << 63) <= v < 1 << 63 for v in o):
                return graph.encode(o)[1:]
        return b"\x5d" if o is UTC else None

    def opened(o, frames):
        """What a value begins with, an iterator over what is in it now, and room for the pieces of each."""
        kind = type(o)
        if kind is dict:
            return DICT, iter([part for pair in o.items() for part in pair]), []
        if kind is list or kind is tuple:
            return headed(LIST if kind is list else TUPLE, len(o)), iter([*o]), []
        head, values, *_ = helper.describe(o)
        if type(values) is bytes:
            head, values = head + values, ()
        if head == ORDERED:
            # Its dict is a level of its own, and keeps its order.
            frames.append((head, iter(()), []))
            [pairs] = values
            head = DICT + varint(len(pairs))
            values = [part for pair in pairs.items() for part in pair]
        return Definition(head) if head[:1] == TYPE else head, iter(values), []

    def closed(head, parts):
        """The pieces of a value with others in it."""
        if head is DICT:
            pairs = sorted(zip(parts[::2], parts[1::2], strict=True), key=lambda pair: spelled(pair[0]))
            head, parts = DICT + varint(len(pairs)), [part for pair in pairs for part in pair]
        elif head[:1] in (SET, FROZENSET):
            parts.sort(key=spelled)
        return [head, *(piece for part in parts for piece in part)]

    def pieces_of(o):
        frames = [(b"", iter((o,)), [])]
        while True:
            head, rest, parts = frames[-1]
            for o in rest:
                known = scalar(o)
                if known is None:
                    frames.append(opened(o, frames))
                    # The first is no level.
                    if len(frames) > max_depth + 1:
                        raise EncodeError("Cannot encode what nests deeper")
                    break
                parts.append([known])
            else:
                frames.pop()
                if not frames:
                    return parts[0]
                frames[-1][2].append(closed(head, parts))

    def encode(obj, /):
        try:
            return b"\xb0" + spelled(pieces_of(obj))
        except EncodeError:
            # It finds the same, and says where.
            graph.encode(obj)
            raise

    return encode
