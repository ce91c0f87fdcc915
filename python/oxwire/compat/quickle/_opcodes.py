"""The opcodes of pickle that plain data needs, which quickle shares: a machine that reads them.

It is a loop over a stack of its own, so depth is bounded by the input's length only. What may surprise: nothing that a message
names is imported or called here, and what was finished is not changed by later bytes: an opcode that fills a container
works only where that container was begun. Hashing is bounded too: tuples that hold each other are counted before they
become keys, and so are keys whose hashes are all the same.
"""

from struct import Struct

# How much may be hashed for one key, and how deep it may be: Python does both by recursion, as often as a part is met.
HASHED, DEEP = 100_000, 500
# How many keys of one hash a container may have, of those types whose hashes anybody can foretell.
ALIKE = 200
SEEDED = frozenset({str, bytes, bool, type(None)})

U16, I32, U32, U64, F64 = map(Struct, ("<H", "<i", "<I", "<Q", ">d"))


class Machine:
    """Reads one message. `fault` makes the exception of what is malformed, with where it stands."""

    table = {}

    def __init__(self, data, fault, buffers=None):
        view = memoryview(data)
        if not view.c_contiguous:
            raise BufferError("the data must be contiguous")
        self.data, self.at, self.fault = view.cast("B"), 0, fault
        self.buffers = buffers
        self.stack, self.memo, self.marks = [], {}, []
        # By id: where on the stack a container was begun that is not part of another yet, how many of its keys have
        # which hash, and what tuples cost to hash.
        self.open, self.alike, self.costs = {}, {}, {}

    def run(self):
        data, table = self.data, self.table
        end = len(data)
        while self.at < end:
            code = data[self.at]
            self.at += 1
            if code == 0x2E:
                return self.done()
            step = table.get(code)
            if step is None:
                self.at -= 1
                shown = chr(code) if 32 <= code < 127 else f"\\x{code:02x}"
                raise self.fault(f"invalid load key, '{shown}'.", self.at)
            step(self)
        raise self.short()

    def done(self):
        if self.marks:
            raise self.fault("unexpected MARK found", self.at - 1)
        value = self.pop()
        if self.stack:
            raise self.fault("values are left over", self.at - 1)
        if self.at != len(self.data):
            raise self.fault("bytes are left over", self.at)
        return value

    def short(self):
        return self.fault("quickle data was truncated", len(self.data))

    def take(self, n):
        """The next `n` bytes. Asked before anything is made of them, so a length costs no more than it brings."""
        at = self.at
        if n < 0 or n > len(self.data) - at:
            raise self.short()
        self.at = at + n
        return self.data[at : at + n]

    def number(self, form):
        (value,) = form.unpack(self.take(form.size))
        return value

    def byte(self):
        return self.take(1)[0]

    def push(self, value):
        self.stack.append(value)

    def begin(self, value):
        self.open[id(value)] = len(self.stack)
        self.stack.append(value)

    def pop(self):
        floor = self.marks[-1] if self.marks else 0
        if len(self.stack) <= floor:
            raise self.fault("decoder stack underflow", self.at - 1)
        value = self.stack.pop()
        if self.open and self.open.get(id(value)) == len(self.stack):
            self.close(value)
        return value

    def close(self, value):
        """A container is part of another, or the whole, from now on."""
        del self.open[id(value)]
        self.alike.pop(id(value), None)

    def marked(self):
        """What stands above the last mark."""
        if not self.marks:
            raise self.fault("could not find MARK", self.at - 1)
        at = self.marks.pop()
        values = self.stack[at:]
        if self.open:
            for place, value in enumerate(values, at):
                if self.open.get(id(value)) == place:
                    self.close(value)
        del self.stack[at:]
        return values

    def top(self, kinds, name):
        """The container that is being filled."""
        floor = self.marks[-1] if self.marks else 0
        if len(self.stack) <= floor:
            raise self.fault("decoder stack underflow", self.at - 1)
        value = self.stack[-1]
        if type(value) not in kinds:
            raise self.fault(f"Invalid {name} opcode on object of type {type(value).__name__}", self.at - 1)
        if self.open.get(id(value)) != len(self.stack) - 1:
            raise self.fault(f"{name} would change what is finished", self.at - 1)
        return value

    def cost(self, value):
        return self.costs.get(id(value), (1, 0))[:2]

    def counted(self, value):
        """A tuple or frozenset, with what it costs to hash. It is kept, so that its id stays its own."""
        parts = [self.costs[id(part)] for part in value if id(part) in self.costs]
        total = len(value) + 1 + sum(part[0] for part in parts)
        depth = 1 + max((part[1] for part in parts), default=0)
        self.costs[id(value)] = total, depth, value
        return value

    def keyed(self, keys, into=None):
        """Keys that may be hashed, of a container."""
        alike = self.alike.setdefault(id(into), {}) if into is not None else {}
        for key in keys:
            total, depth = self.cost(key)
            if total > HASHED or depth > DEEP:
                raise self.fault("a key takes too long to hash", self.at - 1)
            if type(key) not in SEEDED:
                h = hash(key)
                seen = alike[h] = alike.get(h, 0) + 1
                if seen > ALIKE:
                    raise self.fault("too many keys have the same hash", self.at - 1)
        return keys

    def text(self, n):
        self.stack.append(str(self.take(n), "utf-8", "surrogatepass"))

    def long(self, n):
        self.stack.append(int.from_bytes(self.take(n), "little", signed=True))

    def remember(self):
        if not self.stack:
            raise self.fault("decoder stack underflow", self.at - 1)
        self.memo[len(self.memo)] = self.stack[-1]

    def known(self, index):
        try:
            self.stack.append(self.memo[index])
        except KeyError:
            raise self.unknown(index) from None

    def unknown(self, index):
        return KeyError(index)

    def append(self, values, name="APPEND(S)"):
        self.top((list,), name).extend(values)

    def put(self, pairs, name="SETITEM(S)"):
        if len(pairs) % 2:
            raise self.fault("odd number of items for SETITEMS", self.at - 1)
        into = self.top((dict,), name)
        into.update(zip(self.keyed(pairs[::2], into), pairs[1::2], strict=True))

    def add(self, values):
        into = self.top((set,), "ADDITEMS")
        into.update(self.keyed(values, into))

    def entry(self):
        value = self.pop()
        key = self.pop()
        self.put([key, value])

    def several(self, n):
        values = [self.pop() for _ in range(n)]
        self.stack.append(self.counted(tuple(reversed(values))))

    def buffer(self):
        if self.buffers is None:
            raise self.fault(
                "quickle stream refers to out-of-band data but no *buffers* argument was given", self.at - 1
            )
        try:
            self.stack.append(next(self.buffers))
        except StopIteration:
            raise self.fault("not enough out-of-band buffers", self.at - 1) from None

    def readonly(self):
        # What may not be written to as it is comes back itself.
        given = self.pop()
        view = memoryview(given)
        self.stack.append(given if view.readonly else view.toreadonly())


def _mark(m):
    m.marks.append(len(m.stack))


COMMON = {
    0x28: _mark,
    0x30: lambda m: m.marks.pop() if m.marks and m.marks[-1] == len(m.stack) else m.pop(),
    0x31: lambda m: m.marked(),
    0x4E: lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    0x4B: lambda m: m.push(m.byte()),
    0x4D: lambda m: m.push(m.number(U16)),
    0x4A: lambda m: m.push(m.number(I32)),
    0x8A: lambda m: m.long(m.byte()),
    0x8B: lambda m: m.long(m.number(I32)),
    0x47: lambda m: m.push(m.number(F64)),
    0x8C: lambda m: m.text(m.byte()),
    0x58: lambda m: m.text(m.number(U32)),
    0x8D: lambda m: m.text(m.number(U64)),
    0x43: lambda m: m.push(bytes(m.take(m.byte()))),
    0x42: lambda m: m.push(bytes(m.take(m.number(U32)))),
    0x8E: lambda m: m.push(bytes(m.take(m.number(U64)))),
    0x96: lambda m: m.push(bytearray(m.take(m.number(U64)))),
    0x97: Machine.buffer,
    0x98: Machine.readonly,
    0x29: lambda m: m.push(()),
    0x85: lambda m: m.several(1),
    0x86: lambda m: m.several(2),
    0x87: lambda m: m.several(3),
    0x74: lambda m: m.push(m.counted(tuple(m.marked()))),
    0x5D: lambda m: m.begin([]),
    0x61: lambda m: m.append([m.pop()]),
    0x65: lambda m: m.append(m.marked()),
    0x7D: lambda m: m.begin({}),
    0x73: Machine.entry,
    0x75: lambda m: m.put(m.marked()),
    0x8F: lambda m: m.begin(set()),
    0x90: lambda m: m.add(m.marked()),
    0x91: lambda m: m.push(m.counted(frozenset(m.keyed(m.marked())))),
    0x94: Machine.remember,
    0x68: lambda m: m.known(m.byte()),
    0x6A: lambda m: m.known(m.number(U32)),
    0x80: Machine.byte,
    0x95: lambda m: m.number(U64),
}
