"""Native messages whose references stand for more than they weigh: hashing, errors, dtypes and walks end soon, and run nobody's code."""

import collections
import dataclasses
import enum
import subprocess
import sys
from decimal import Decimal

import pytest
from soon import ends_soon
from test_native_safety import HEADER, new, quick, ref, varint

from oxwire import DecodeError, Struct
from oxwire.native import Decoder, decode, encode, register

NONE = b"\x58"


class FrozenStruct(Struct, frozen=True):
    x: object
    y: object


class ByIdentity(Struct, frozen=True, eq=False):
    x: object
    y: object


Named = collections.namedtuple("Named", "x y")


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object
    y: object


class Plain:
    def __hash__(self):
        return hash((self.x, self.y))

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)


class Slotted(Plain):
    __slots__ = ("x", "y")

    def __hash__(self):
        return super().__hash__()


class ByProperty(Plain):
    @property
    def key(self):
        return self.x, self.y

    def made(self):
        return self.key

    def __hash__(self):
        return hash(self.made())


class ByDict(Plain):
    def __hash__(self):
        return hash(tuple(vars(self).values()))


CLASSES = [FrozenStruct, Named, Frozen, Plain, Slotted, ByProperty, ByDict]


class Member(enum.Enum):
    A = 1
    PAIR = (1, 2)


class Watched:
    """It must not be asked for anything while a message is read."""

    def asked(self, *_):
        raise AssertionError("code of a user ran")

    __hash__ = __eq__ = __repr__ = __len__ = __iter__ = __getattr__ = asked


def doubled(n, first, head):
    """Values of which each but the first holds the one before twice."""
    parts = [first]
    for i in range(n):
        parts.append(head + new(len(parts[-1]) + 1) + ref(i))
    return parts


def with_last(parts, *before):
    """A tuple of a list of these and of what stands before a reference to the last, and that reference."""
    message = HEADER + b"\x4a\x03" + varint(len(parts)) + b"".join(parts)
    tail = b"".join(before)
    return message + tail + new(len(message) + len(tail) - (len(message) - len(parts[-1])))


def tuples(n):
    return doubled(n, b"\xca\x58\x58", b"\xca")


def lists(n):
    return doubled(n, b"\xc0", b"\xc2")


RECORD = b"\x8a\x00\xe0\x00\x02\x21x\x21y\x58\x58"


def chained(n, first, head, tail=b""):
    """Values of which each but the first holds the one before once."""
    parts = [first]
    for _ in range(n):
        parts.append(head + new(len(parts[-1]) + len(head)) + tail)
    return parts


@pytest.mark.parametrize("cls", CLASSES)
def test_keys_of_every_kind_are_weighed(cls):
    assert decode(with_last(doubled(9, RECORD, b"\xcc"), b"\x05\x01") + NONE, registry=[cls])
    for n in (14, 60, 200):
        message = with_last(doubled(n, RECORD, b"\xcc"), b"\x05\x01") + NONE
        assert "beyond a limit" in quick(message, registry=[cls], profile="strict")


@pytest.mark.parametrize("cls", CLASSES)
def test_chains_of_keys_do_not_end_the_stack(cls):
    message = with_last(chained(100_000, RECORD, b"\xcc", NONE), b"\x05\x01") + NONE
    with ends_soon(), pytest.raises(DecodeError, match="beyond a limit"):
        decode(message, registry=[cls])
    short = with_last(chained(100, RECORD, b"\xcc", NONE), b"\x05\x01") + NONE
    assert decode(short, registry=[cls])


@pytest.mark.parametrize("cls", [FrozenStruct, Frozen, Plain, Slotted, ByProperty, ByDict])
def test_keys_that_hold_themselves(cls):
    head = b"\x05\x01\x8a\x00\xe0\x00\x02\x21x\x21y"
    message = HEADER + head + new(len(head) - 2) + b"\x58\x58"
    assert "reference leads to nothing" in quick(message, registry=[cls])
    # A tuple in between, and what is no key, are held by the same.
    assert decode(HEADER + head[2:] + new(len(head) - 2) + NONE, registry=[cls]).y is None
    inside = HEADER + head + b"\x49" + new(len(head) - 1) + b"\x58\x58"
    assert "reference leads to nothing" in quick(inside, registry=[cls])


def test_keys_by_identity_may_hold_themselves():
    @dataclasses.dataclass(eq=False)
    class Node:
        x: object
        y: object

    @dataclasses.dataclass(eq=False)
    class Called(Node):
        def __hash__(self):
            return hash(self.y)

    head = b"\x05\x01\x8a\x00\xe0\x00\x02\x21x\x21y"
    for cls in (ByIdentity, Node, Called):
        [key] = decode(HEADER + head + new(len(head) - 2) + b"\x58\x58", registry=[cls])
        assert key.x is key
        # What is heavy and not hashed is no matter.
        nodes = [cls(list(range(20_000)), i) for i in range(3)]
        assert len(decode(encode(set(nodes), registry=[cls]), registry=[cls])) == 3


def test_slices_of_slices():
    first, head = b"\x92\x11\x4b\x58\x58\x58", b"\x92\x11\x4b"
    for parts in (
        doubled(0, first, head) + chained(1000, first, head, b"\x58\x58")[1:],
        tuples(60),
    ):
        quick(with_last(parts, b"\x05\x01\x12\x11\x4b") + b"\x58\x58\x58", profile="strict")
    nested = slice(slice(1), slice(2, slice(3)))
    assert decode(encode([nested, nested])) == [nested, nested]


CHAINS = """
import sys
from oxwire.native import DecodeError, decode, encode
from test_native_safety import HEADER, varint

first, head, tail = eval(sys.argv[1])
count = 200_000
message, last = bytearray(HEADER + b"\\x05" + varint(count)), 0
for i in range(count):
    key = encode(str(i))[1:]
    part = head + b"\\x5c" + varint(last + len(key) + len(head)) + tail if i else first
    message += key + part
    last = len(part)
try:
    decode(message, profile="trusted")
except DecodeError as error:
    assert "beyond a limit" in str(error) or "too many" in str(error), error
else:
    raise SystemExit("it was read")
"""


@pytest.mark.parametrize(
    "kind",
    [
        (b"\x92\x11\x4b\x58\x58\x58", b"\x92\x11\x4b", b"\x58\x58"),
        (b"\x92\x20\x40", b"\x92\x20\x41", b""),
        (b"\x92\x22\x4a\x58\x05\x00", b"\x92\x22\x4a\x58\x05\x01\xe1", b""),
    ],
    ids=["slice", "deque", "defaultdict"],
)
def test_what_is_freed_on_the_stack(kind):
    done = subprocess.run(
        [sys.executable, "-c", CHAINS, repr(kind)],
        cwd=__file__.rpartition("/")[0] or ".",
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_many_deques_that_hold_few():
    value = [collections.deque([collections.deque([i]), slice(i)]) for i in range(2000)]
    assert decode(encode(value)) == value


def test_fields_that_are_no_text_are_not_hashed():
    message = with_last(tuples(60), b"\x0a\x00\x21x\x00\x01") + NONE
    assert "key of this kind" in quick(message, profile="strict")
    message = HEADER + b"\x4a\x8a\x00\xe0\x00\x00\x0a\x00\xe1\x00\x01\x5c\x0a" + NONE
    assert "key of this kind" in quick(message, registry=[Watched, Member])


def test_errors_do_not_show_what_is_in_messages():
    for code in (1, 6, 10):
        assert len(quick(with_last(lists(60), bytes((0x12, code, 0x41))), profile="strict")) < 200
    message = with_last(lists(60), b"\x0a\x02\xe0\x00\x00")
    assert len(quick(message, registry=[Member], profile="strict")) < 200
    big = encode(1 << 20_000)[1:]
    for body in (big, b"\x49" + big, b"\x49\x8a\x00\xe1\x00\x00"):
        assert "no such member" in quick(HEADER + b"\x0a\x02\xe0\x00\x00" + body, registry=[Member, Watched])
    assert "neither text nor an int" in quick(HEADER + b"\x12\x18" + big)
    assert decode(HEADER + b"\x0a\x02\xe0\x00\x00" + encode((1, 2))[1:], registry=[Member]) is Member.PAIR


def test_members_are_compared_without_code_of_users():
    message = HEADER + b"\x0a\x02\xe0\x00\x00\x4a\x8a\x00\xe1\x00\x00\xe2"
    assert "no such member" in quick(message, registry=[Member, Watched])


def test_sets_of_one_heavy_tuple():
    n, heavy = 10_000, b"\x84" + varint(9000) + NONE * 9000
    back = len(heavy) + 1 + len(varint(n))
    quick(HEADER + b"\x42" + heavy + b"\x06" + varint(n) + new(back) + b"\x6d" * (n - 1))
    message = HEADER + b"\x42" + heavy + b"\x03" + varint(n) + b"\x06\x01" + new(back + 2)
    with ends_soon():
        assert len(decode(message + b"\x06\x01\x6d" * (n - 1))[1]) == n


def test_canonical_messages_have_no_references():
    parts = lists(60)
    message = HEADER + b"\x03" + varint(len(parts)) + b"".join(parts)
    assert "canonical form" in quick(message, canonical=True)
    values = [Member.A, "a" * 1000, [[[[]]]] * 200, Decimal(5), slice(1), {"a": (1, {2})}, Named(1, 2)]
    data = encode(values * 20, canonical=True, registry=[Member, Named])
    assert decode(data, canonical=True, registry=[Member, Named]) == values * 20


def test_what_is_too_large_is_refused_before_it_is_converted():
    value = [1] * 300
    for _ in range(3):
        value = [value] * 300
    kind = list[list[list[list[int]]]]
    assert "max_expanded" in quick(encode(value), profile="strict", type=kind)


def test_all_that_objects_hold_counts():
    value = []
    for _ in range(40):
        value = [value, value]

    class Items(list):
        pass

    class Text(str):
        pass

    class Failed(Exception):
        pass

    items, text, failed = Items(), Text("a"), Failed()
    items.x = text.x = failed.x = value
    classes = [Items, Text, Failed]
    for one in (slice(value, None), Failed(value), items, text, failed):
        data = encode(one, registry=classes)
        assert "max_expanded" in quick(data, registry=classes, profile="strict")


def test_dtypes_have_few_fields_and_one_spelling():
    np = pytest.importorskip("numpy")

    def array(dtype):
        return HEADER + b"\x12\x14\x4b" + encode(dtype)[1:] + b"\x49\xe0\x0d\x00"

    fields = [("a", "|i1")]
    for _ in range(60):
        fields = [("a", fields), ("b", fields)]
    quick(array(fields), profile="strict")
    for said in (
        "float64",
        "f8",
        "=f8",
        "d",
        "|f8",
        "i4,i4",
        [("a", "f8")],
        [["a", "<f8"]],
        [("a", "<i4", 2)],
    ):
        with pytest.raises(DecodeError):
            decode(array(said))
    for said in (Watched(), [Watched()], [("a", Watched())], [(Watched(), "<f8")], [("a", "<f8", Watched())]):
        with pytest.raises(DecodeError):
            decode(
                HEADER + b"\x12\x14\x4b" + encode(said, registry=[Watched])[1:] + b"\x49\xe0\x0d\x00",
                registry=[Watched],
            )
    for dtype in ("<f8", [("a", "<i4"), ("b", [("c", ">f8", (2,))])], [(("title", "a"), "<M8[ns]")]):
        made = np.zeros(2, dtype)
        assert decode(encode(made)).dtype == made.dtype
        assert decode(encode(made[0])).dtype == made.dtype


def test_digits_of_a_decimal():
    most = Decimal("-1." + "9" * 1023 + "E+5")
    assert decode(encode(most), profile="strict") == most
    for text in ("9" * 1025, "NaN" + "9" * 1025):
        data = encode(Decimal(text))
        assert "beyond a limit" in quick(data, profile="strict")
        assert str(decode(data)) == text
    assert "beyond a limit" in quick(encode(Decimal("9" * 65537)))
    assert Decoder(max_int_bytes=70_000).decode(encode(Decimal("9" * 65537))) == Decimal("9" * 65537)


def test_attributes_stand_before_anything_is_hashed():
    class Key(dict):
        def __hash__(self):
            return hash(self.name)

        def __eq__(self, other):
            return self is other

    class Failed(Exception):
        __hash__, __eq__ = Key.__hash__, Key.__eq__

    key, failed = Key(), Failed(1)
    key.name = failed.name = "a"
    key["d"] = failed.d = {key: 1, failed: 2}
    again = decode(encode(key, registry=[Key, Failed]), registry=[Key, Failed])
    assert [type(one) for one in again["d"]] == [Key, Failed]
    assert again["d"][again] == 1


def test_defaults_stand_before_anything_is_hashed():
    @dataclasses.dataclass(frozen=True)
    class Old:
        a: object

    @dataclasses.dataclass(frozen=True)
    class New:
        a: object
        b: int = 5

        def __hash__(self):
            return self.b

    owner = []
    owner.append({Old(1): owner})
    [key] = decode(encode(owner, registry=[Old]), registry=[New])[0]
    assert key.b == hash(key) == 5


def test_registered_names_are_what_they_were():
    with pytest.raises(TypeError, match="registered with a name"):
        register(1.5)(type("C", (), {}))
