"""Types of every kind for the tests of typed reading, and what looks into their programs."""

import dataclasses
import enum
from typing import (
    Annotated,
    ClassVar,
    Generic,
    NamedTuple,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
)

import pytest

from oxwire import Meta, Struct, ValidationError, convert, json, msgpack
from oxwire._types import narrow, program

T = TypeVar("T")
U = TypeVar("U")
Bound = TypeVar("Bound", bound="Later")
Choice = TypeVar("Choice", int, str)


class IntEnum(enum.Enum):
    A = 1


class IntEnum2(enum.Enum):
    A = 1


class StrEnum(enum.Enum):
    A = "a"


class StrEnum2(enum.Enum):
    A = "a"


class Mixed(enum.Enum):
    A = "a"
    B = 1


class Nothing(enum.Enum):
    pass


class Floats(enum.Enum):
    A = 1.5


class Booleans(enum.Enum):
    A = True


class Asked(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value):
        return cls.A


class Bits(enum.Flag):
    A = 1
    B = 2


class Plain(Struct):
    x: int


class Plain2(Struct):
    x: int


class Cat(Struct, tag=True):
    x: int


class Dog(Struct, tag=True):
    y: str


class SameTag(Struct, tag="Cat"):
    x: int


class IntTag(Struct, tag=3):
    x: int


class OtherField(Struct, tag=True, tag_field="k"):
    x: int


class TagArray(Struct, tag=True, array_like=True):
    x: int


class TagArray2(Struct, tag=True, array_like=True):
    x: int


class Array(Struct, array_like=True, forbid_unknown_fields=True):
    x: int


class Custom:
    pass


class Custom2:
    pass


@dataclasses.dataclass
class Data:
    x: int
    y: "list[Data]" = dataclasses.field(default_factory=list)
    z: ClassVar[int] = 3
    w: str = dataclasses.field(default="w", kw_only=True)
    made: int = dataclasses.field(init=False)

    def __post_init__(self):
        self.made = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Data2:
    x: int


class Keys(TypedDict, total=False):
    a: "Required[int]"
    b: NotRequired["str"]
    c: int


class MoreKeys(Keys):
    d: Annotated[Required["MoreKeys | None"], Meta(title="x")]


class Pair(NamedTuple):
    x: int
    y: "Optional[Pair]" = None


class Pair2(NamedTuple):
    x: int


class Later(Struct):
    a: int


class Box(Struct, Generic[T]):
    v: T
    kids: "list[Box[T]]" = []


class IntBox(Box[int], Generic[U], kw_only=True):
    u: "dict[str, U]"


class LaterBox(IntBox["Later"]):
    z: int = 3


def plan(t):
    # What anything may be has no program.
    root, plans, *_ = program(t) or (0, [(1 | 1 << 20 | 1 << 21, "any", *[None] * 6)])
    return plans[root]


def arrays(t):
    """The arrays of a program behind that of Any."""
    return program(t)[2][1:]


def maps(t):
    return program(t)[3][1:]


def takes(t):
    return plan(t)[0]


def name(t):
    return plan(t)[1]


def fields(t, index=0):
    """{key: what is shown of its plan} of a record."""
    _, plans, _, _, records = program(t)
    return {key: plans[at][1] for key, _, at, _, _ in records[index][3]}


def refused(t, words, error=TypeError):
    with pytest.raises(error) as caught:
        program(t)
    assert str(caught.value) == words


def refused_narrowly(t, words):
    """What `oxwire.compat.msgspec` refuses, and oxwire itself perhaps not."""
    with pytest.raises(TypeError) as caught:
        narrow(t)
    assert str(caught.value) == words


def wrong(data, kind, **options):
    """The words of the error, which are the same in all three ways."""
    words = set()
    for make in (
        lambda: json.decode(json.encode(data), type=kind, **options),
        lambda: msgpack.decode(msgpack.encode(data), type=kind, **options),
        lambda: convert(data, kind, **options),
    ):
        with pytest.raises(ValidationError) as caught:
            make()
        words.add(str(caught.value))
    (one,) = words
    return one
