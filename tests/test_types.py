"""Types as programs: what each annotation takes, and in which words one is refused.

What may surprise: most tests look at the tables that the extension is given, so a fault is found where it is made.
"""

import datetime
import decimal
import math
import typing
import uuid
from collections import abc
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NewType,
    Optional,
    Required,
    Union,
)

import pytest
from typed import (
    Array,
    Asked,
    Bits,
    Booleans,
    Bound,
    Cat,
    Custom,
    Custom2,
    Data,
    Data2,
    Dog,
    Floats,
    IntEnum,
    IntEnum2,
    IntTag,
    Keys,
    Mixed,
    MoreKeys,
    Nothing,
    OtherField,
    Pair,
    Pair2,
    Plain,
    Plain2,
    SameTag,
    StrEnum,
    StrEnum2,
    T,
    TagArray,
    TagArray2,
    arrays,
    maps,
    name,
    plan,
    refused,
    refused_narrowly,
    takes,
)

from oxwire import NODEFAULT, Meta, Raw, UnsetType
from oxwire._types import program
from oxwire.msgpack import Ext

ANY = 1 | 1 << 20 | 1 << 21


@pytest.mark.parametrize(
    ("t", "bits", "words"),
    [
        (Any, ANY, "any"),
        (None, 2, "null"),
        (type(None), 2, "null"),
        (bool, 4, "bool"),
        (int, 8, "int"),
        (float, 16, "float"),
        (str, 32, "str"),
        (bytes, 64, "bytes"),
        (bytearray, 128, "bytes"),
        (memoryview, 256, "bytes"),
        (datetime.datetime, 512, "datetime"),
        (datetime.date, 1024, "date"),
        (datetime.time, 2048, "time"),
        (datetime.timedelta, 4096, "duration"),
        (uuid.UUID, 8192, "uuid"),
        (decimal.Decimal, 16384, "decimal"),
        (Ext, 32768, "ext"),
        (Raw, 65536, "raw"),
        (list, 1 << 20, "array"),
        (dict, 1 << 21, "object"),
        (Plain, 1 << 21, "object"),
        (Array, 1 << 20, "array"),
        (Pair, 1 << 20, "array"),
        (Keys, 1 << 21, "object"),
        (Data, 1 << 21, "object"),
        (IntEnum, 1 << 19, "int"),
        (StrEnum, 1 << 18, "str"),
        (Literal[True], 1 << 22, "bool"),
        (Literal[False, None], 1 << 23 | 2, "bool | null"),
        (Literal["a", 1], 1 << 18 | 1 << 19, "int | str"),
        (Custom, 1 << 17, "Custom"),
        (Optional[Custom], 1 << 17 | 2, "Custom"),
        (int | None, 10, "int | null"),
        (Optional[float], 18, "float | null"),
        (Union[bool, Literal[True]], 4, "bool"),
        (Union[int, Literal[1]], 8, "int"),
        (Union[Literal["a"], str], 32, "str"),
        (Union[Any, int, Custom], ANY, "any"),
        (Union[int, UnsetType], 8, "int"),
        (Union[UnsetType, None], 2, "null"),
        (Union[Literal[None, 1], None], 1 << 19 | 2, "int | null"),
        (Union[Literal[True], bool, Literal[None]], 6, "bool | null"),
        (Union[Raw, None], 65538, "raw | null"),
        (
            Union[list[int], dict[str, int], str, None, bool],
            (1 << 20) | (1 << 21) | 38,
            "bool | str | object | array | null",
        ),
        (Final[int], 8, "int"),
        (NewType("Name", int), 8, "int"),
        (T, ANY, "any"),
        (Bound, 1 << 21, "object"),
    ],
)
def test_what_is_taken(t, bits, words):
    assert (takes(t), name(t)) == (bits, words)


@pytest.mark.parametrize(
    ("t", "flavour"),
    [
        (list[int], 0),
        (typing.List[int], 0),
        (abc.Collection[int], 0),
        (typing.Sequence[int], 0),
        (abc.MutableSequence[int], 0),
        (typing.Iterable[int], 0),
        (tuple[int, ...], 1),
        (set[int], 2),
        (abc.Set[int], 2),
        (typing.MutableSet[int], 2),
        (frozenset[int], 3),
        (tuple[int], 4),
    ],
)
def test_arrays(t, flavour):
    root, plans, *_ = program(t)
    assert plans[root][2] == 1
    assert arrays(t) == [(flavour, (2,), -1, None)]
    assert plans[2][1] == "int"


def test_anything_needs_no_program():
    assert program(Any) is program(Union[Any, int]) is program(T) is None
    _, plans, arrays, maps, _ = program(int)
    assert plans[0] == (ANY, "any", 0, 0, None, None, None, None)
    assert (arrays, maps) == ([(0, (0,), -1, None)], [(0, 0, 0, -1, None, None)])


def test_bare_containers():
    for t, flavour in (list, 0), (typing.List, 0), (tuple, 1), (typing.Tuple, 1), (set, 2), (frozenset, 3):
        assert arrays(t) == [(flavour, (0,), -1, None)]
    assert arrays(tuple[()]) == [(4, (), -1, None)]
    assert maps(dict) == maps(typing.Mapping) == [(0, 0, 0, -1, None, None)]
    _, plans, *_ = program(abc.MutableMapping[str, int])
    flavour, key, value, *_ = maps(abc.MutableMapping[str, int])[0]
    assert (flavour, plans[key][1], plans[value][1]) == (0, "str", "int")


def test_iterables_that_cannot_be_checked_are_refused():
    for t in (
        abc.Hashable,
        typing.Iterator[int],
        abc.Generator,
        typing.Sized,
        abc.Container[int],
        typing.KeysView[int],
    ):
        refused(t, f"Type '{t!r}' is not supported")
    assert takes(typing.Callable) == takes(abc.Callable[[int], str]) == 1 << 17


def test_what_is_no_type():
    for t in (
        typing.Never,
        typing.LiteralString,
        typing.Self,
        Required[int],
        ClassVar[int],
        Final,
        3,
        "int",
        dict[int],
        list[int, int],
        Ellipsis,
    ):
        refused(t, f"Type '{t!r}' is not supported")
    refused(list["Foo"], "Type ''Foo'' is not supported")  # noqa: F821
    two = tuple[*tuple[int, ...], *tuple[str, ...]]
    refused(two, f"Type '{two!r}' is not supported")
    # A face of another library has none of our own types.
    with pytest.raises(TypeError, match="is not supported"):
        program(tuple[int, *tuple[str, ...]], False)
    assert program(UnsetType)[1][1][:2] == (0, "unset")


def test_enumerations_and_literals():
    assert plan(IntEnum)[4:6] == ({1: IntEnum.A}, None)
    assert plan(Asked)[4:6] == ({"a": Asked.A}, Asked)
    assert plan(Bits)[5](3) is Bits.A | Bits.B
    assert plan(Literal["a", Literal[2, None]])[4] == {"a": "a", 2: 2}
    assert plan(Union[Literal[1], Literal[2, "a"]])[4] == {1: 1, 2: 2, "a": "a"}
    assert plan(Literal[2**70])[4] == {2**70: 2**70}
    missing = plan(Union[Asked, Bits])[5]
    assert (missing("zz"), missing(3)) == (Asked.A, Bits.A | Bits.B)
    assert plan(Union[Asked, Literal[1]])[5](2) is None
    empty = "Enum types must have at least one item, {} is invalid"
    refused(Nothing, empty)
    for t in Mixed, Floats, Booleans:
        refused(
            t,
            f"Enums must contain either all str or all int values - type `<enum '{t.__name__}'>` is not supported",
        )
    refused(
        Literal[b"a"],
        "Literal may only contain None/booleans/integers/strings - typing.Literal[b'a'] is not supported",
    )
    refused(Literal[()], "Literal types must have at least one item, typing.Literal[()] is invalid")


ONE = "Type unions may not contain more than one "
ALL = "If a type union contains multiple Struct types, all Struct types must "
ARRAYS = ONE + (
    "array-like type (`Struct(array_like=True)`, `list`, `set`, `frozenset`, `tuple`, `NamedTuple`)"
)
DICTS = ONE + "dict-like type (`Struct`, `dict`, `TypedDict`, `dataclass`)"
INTS = ONE + "int-like type (`int`, `Enum`, `Literal[int values]`)"
STRS = ONE + (
    "str-like type (`str`, `Enum`, `Literal[str values]`, `datetime`, `date`, `time`, `timedelta`, `uuid`, "
    "`decimal`, `bytes`, `bytearray`)"
)


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (Union[IntEnum, IntEnum2], ONE + "int enum type"),
        (Union[StrEnum, StrEnum2], ONE + "str enum type"),
        (Union[dict[str, int], dict[str, str]], ONE + "dict type"),
        (Union[list, tuple], ONE + "array-like (list, set, tuple) type"),
        (Union[set, frozenset], ONE + "array-like (list, set, tuple) type"),
        (Union[tuple[int], tuple[int, ...]], ONE + "array-like (list, set, tuple) type"),
        (Union[Custom, Custom2], ONE + "custom type"),
        (Union[Keys, MoreKeys], ONE + "TypedDict type"),
        (Union[Data, Data2], ONE + "dataclass or attrs type"),
        (Union[Pair, Pair2], ONE + "NamedTuple type"),
        (
            Union[Custom, int],
            "Type unions containing a custom type may not contain any additional types other than `None`",
        ),
        (Union[list[int], Pair], ARRAYS),
        (Union[list[int], Array], ARRAYS),
        (Union[dict, Keys], DICTS),
        (Union[dict, Data], DICTS),
        (Union[dict, Plain], DICTS),
        (Union[Data, Keys], DICTS),
        (Union[Plain, Data], DICTS),
        (Union[int, IntEnum], INTS),
        (Union[IntEnum, Literal[1]], INTS),
        (Union[str, StrEnum], STRS),
        (Union[StrEnum, Literal["a"]], STRS),
        (Union[str, bytes], STRS),
        (Union[str, datetime.datetime], STRS),
        (Union[datetime.date, uuid.UUID], STRS),
        (Union[Literal["a"], decimal.Decimal], STRS),
        (Union[Plain, Plain2], ALL + "be tagged (via `tag` or `tag_field` kwarg)"),
        (Union[Plain, Cat], ALL + "be tagged (via `tag` or `tag_field` kwarg)"),
        (Union[Array, Plain], ALL + "be tagged (via `tag` or `tag_field` kwarg)"),
        (Union[Cat, OtherField], ALL + "have the same `tag_field`"),
        (Union[Cat, SameTag], ALL + "have unique `tag` values"),
        (Union[Cat, IntTag], "Type unions may not contain Struct types with both `int` and `str` tags"),
        (
            Union[Cat, TagArray],
            "Type unions may not contain Struct types with `array_like=True` and `array_like=False`",
        ),
        (Union[Annotated[int, Meta(ge=2)], Annotated[int, Meta(le=1)]], INTS),
        (Union[Annotated[str, Meta(pattern="x")], Literal["a"]], STRS),
    ],
)
def test_unions_that_kinds_do_not_tell_apart(t, words):
    refused_narrowly(t, f"{words} - type `{t!r}` is not supported")
    # Also where it stands deep inside.
    refused_narrowly(dict[str, list[t]], f"{words} - type `{t!r}` is not supported")


def test_unions_that_say_the_same_twice():
    assert plan(Union[int, Annotated[int, Meta(ge=1)]])[6] is None
    assert plan(Union[Annotated[int, Meta(ge=1)], int, None])[6] is None
    assert plan(Union[Annotated[str, Meta(pattern="a")], Literal["a"]])[6][0][1] == 7
    same = Union[Annotated[int, Meta(ge=1, title="a")], Annotated[int, Meta(ge=1)]]
    assert len(plan(same)[6]) == 1


def test_tagged_unions():
    root, plans, _, _, records = program(Union[Cat, Dog, int])
    assert plans[root][1] == "int | object"
    assert maps(Union[Cat, Dog, int]) == [(2, -1, -1, {"Cat": 0, "Dog": 1}, "type", None)]
    assert [record[4] for record in records] == [("type", "Cat"), ("type", "Dog")]
    assert arrays(Union[TagArray, TagArray2]) == [(6, (), {"TagArray": 0, "TagArray2": 1}, None)]
    assert maps(Cat) == [(1, -1, -1, 0, None, None)]
    (record,) = program(Cat)[4]
    assert record == (Cat, 0, "Cat", (("x", "x", 2, 0, NODEFAULT),), ("type", "Cat"), False, None)
    assert arrays(Array) == [(5, (), 0, None)]
    assert program(Array)[4][0][5] is True


def test_literals_beside_a_struct_or_a_list():
    t = Union[Plain, Array, Literal["auto"], None]
    refused_narrowly(t, f"{ALL}be tagged (via `tag` or `tag_field` kwarg) - type `{t!r}` is not supported")
    assert name(Union[Plain, list[int], Literal["auto"], None]) == "str | object | array | null"


@pytest.mark.parametrize(
    ("t", "check"),
    [
        (Annotated[int, Meta(ge=2)], (8, 0, 2, "Expected `int` >= 2")),
        (Annotated[int, Meta(gt=2)], (8, 0, 3, "Expected `int` >= 3")),
        (Annotated[int, Meta(le=2)], (8, 2, 2, "Expected `int` <= 2")),
        (Annotated[int, Meta(lt=2)], (8, 2, 1, "Expected `int` <= 1")),
        (Annotated[int, Meta(gt=1.5)], (8, 0, 2, "Expected `int` >= 2")),
        (Annotated[int, Meta(lt=1.5)], (8, 2, 1, "Expected `int` <= 1")),
        (Annotated[int, Meta(ge=2**80)], (8, 0, 2**80, f"Expected `int` >= {2**80}")),
        (Annotated[int, Meta(multiple_of=5)], (8, 4, 5, "Expected `int` that's a multiple of 5")),
        (Annotated[float, Meta(gt=1)], (16, 0, math.nextafter(1, 2), "Expected `float` > 1.0")),
        (Annotated[float, Meta(ge=1e20)], (16, 0, 1e20, "Expected `float` >= 1e+20")),
        (Annotated[float, Meta(lt=1)], (16, 2, math.nextafter(1, 0), "Expected `float` < 1.0")),
        (Annotated[float, Meta(le=1)], (16, 2, 1.0, "Expected `float` <= 1.0")),
        (Annotated[float, Meta(multiple_of=2)], (16, 4, 2.0, "Expected `float` that's a multiple of 2.0")),
        (Annotated[str, Meta(min_length=3)], (32, 5, 3, "Expected `str` of length >= 3")),
        (Annotated[bytes, Meta(max_length=3)], (64, 6, 3, "Expected `bytes` of length <= 3")),
        (Annotated[bytearray, Meta(max_length=3)], (128, 6, 3, "Expected `bytes` of length <= 3")),
        (Annotated[list[int], Meta(max_length=3)], (1 << 20, 6, 3, "Expected `array` of length <= 3")),
        (Annotated[tuple[int, ...], Meta(max_length=3)], (1 << 20, 6, 3, "Expected `array` of length <= 3")),
        (Annotated[dict, Meta(min_length=1)], (1 << 21, 5, 1, "Expected `object` of length >= 1")),
        (
            Annotated[datetime.datetime, Meta(tz=True)],
            (512, 8, None, "Expected `datetime` with a timezone component"),
        ),
        (
            Annotated[datetime.time, Meta(tz=False)],
            (2048, 9, None, "Expected `time` with no timezone component"),
        ),
    ],
)
def test_constraints(t, check):
    assert plan(t)[6] == (check,)
    assert type(plan(t)[6][0][2]) is type(check[2])
    assert plan(Optional[t])[6] == (check,)


def test_patterns():
    ((bits, op, operand, words, table),) = plan(Annotated[str, Meta(pattern="a'b")])[6]
    assert (bits, op, words) == (32, 7, """Expected `str` matching regex "a'b\"""")
    assert operand("xa'bx")
    assert operand("x") is None
    # How many states there are stands first.
    assert table[0] == 4


def test_constraints_gather_from_every_layer():
    age = NewType("age", Annotated[int, Meta(ge=0)])
    assert [check[3] for check in plan(Annotated[age, "words", Meta(le=9)])[6]] == [
        "Expected `int` >= 0",
        "Expected `int` <= 9",
    ]
    twice = Annotated[int, Meta(ge=1), Meta(ge=2)]
    refused(twice, f"Multiple `Meta` annotations setting `ge` found, type `{twice!r}` is invalid")
    both = Annotated[int, Meta(ge=1), Meta(gt=2)]
    refused(both, f"Cannot set both `gt` and `ge` on the same annotated type, type `{both!r}` is invalid")
    part = Annotated[int, Meta(multiple_of=1.5)]
    refused(part, f"`multiple_of` must be an int on an int type - type `{part!r}` is invalid")


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (Annotated[str, Meta(ge=1)], "`ge` on a numeric"),
        (Annotated[Any, Meta(lt=1)], "`lt` on a numeric"),
        (Annotated[Optional[int], Meta(ge=1)], "`ge` on a numeric"),
        (Annotated[decimal.Decimal, Meta(ge=datetime.date(2020, 1, 1))], "`ge` on a numeric"),
        (Annotated[int, Meta(pattern="a")], "`pattern` on a str"),
        (Annotated[int, Meta(min_length=1)], "`min_length` on a str, bytes, or collection"),
        (Annotated[tuple[int, int], Meta(max_length=1)], "`max_length` on a str, bytes, or collection"),
        (Annotated[Pair, Meta(max_length=1)], "`max_length` on a str, bytes, or collection"),
        (Annotated[Plain, Meta(max_length=1)], "`max_length` on a str, bytes, or collection"),
        (Annotated[datetime.date, Meta(tz=True)], "`tz` on a datetime or time"),
    ],
)
def test_constraints_that_do_not_fit(t, words):
    refused(list[t], f"Can only set {words} type - type `{t!r}` is invalid")
