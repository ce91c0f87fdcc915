"""`oxwire.inspect`: types described by objects, and `oxwire.structs.fields`."""

import collections
import copy
import datetime
import decimal
import gc
import pickle
import uuid
import weakref
from collections import abc
from typing import Annotated, Any, Generic, Literal, Optional, Union

import pytest
from typed import (
    Array,
    Box,
    Cat,
    Custom,
    Data2,
    Dog,
    IntEnum,
    MoreKeys,
    Pair2,
    Plain,
    StrEnum,
    T,
)

from oxwire import NODEFAULT, UNSET, Meta, Raw, Struct, UnsetType, field, inspect
from oxwire.inspect import (
    AnyType,
    BoolType,
    ByteArrayType,
    BytesType,
    CodecType,
    CollectionType,
    CustomType,
    DataclassType,
    DateTimeType,
    DateType,
    DecimalType,
    DictType,
    EnumType,
    ExtType,
    Field,
    FloatType,
    FrozenSetType,
    IntType,
    ListType,
    LiteralType,
    MemoryViewType,
    Metadata,
    NamedTupleType,
    NoneType,
    RawType,
    SetType,
    StrType,
    StructType,
    TimeDeltaType,
    TimeType,
    TupleType,
    Type,
    TypedDictType,
    UnionType,
    UUIDType,
    VarTupleType,
    is_struct,
    is_struct_type,
    multi_type_info,
    type_info,
)
from oxwire.msgpack import Ext
from oxwire.structs import FieldInfo, StructConfig, fields

X = Field("x", "x", IntType())


@pytest.mark.parametrize(
    ("t", "described"),
    [
        (Any, AnyType()),
        (None, NoneType()),
        (bool, BoolType()),
        (int, IntType()),
        (float, FloatType()),
        (str, StrType()),
        (bytes, BytesType()),
        (bytearray, ByteArrayType()),
        (memoryview, MemoryViewType()),
        (datetime.datetime, DateTimeType()),
        (datetime.date, DateType()),
        (datetime.time, TimeType()),
        (datetime.timedelta, TimeDeltaType()),
        (uuid.UUID, UUIDType()),
        (decimal.Decimal, DecimalType()),
        (Raw, RawType()),
        (Ext, ExtType()),
        (list, ListType(AnyType())),
        (abc.Sequence[int], ListType(IntType())),
        (tuple, VarTupleType(AnyType())),
        (tuple[int, ...], VarTupleType(IntType())),
        (tuple[()], TupleType(())),
        (tuple[int, str], TupleType((IntType(), StrType()))),
        (set[int], SetType(IntType())),
        (frozenset[int], FrozenSetType(IntType())),
        (dict[str, int], DictType(StrType(), IntType())),
        (dict, DictType(AnyType(), AnyType())),
        (IntEnum, EnumType(IntEnum)),
        (Literal["b", "a", 1, None, True], LiteralType((None, True, 1, "a", "b"))),
        (Custom, CustomType(Custom)),
        (collections.deque[int], CodecType(collections.deque, ListType(IntType()))),
        (collections.ChainMap[int, int], CustomType(collections.ChainMap)),
        (Optional[int], UnionType((IntType(), NoneType()))),
        (Union[Literal[1], int], UnionType((LiteralType((1,)), IntType()))),
        (Union[int, UnsetType], IntType()),
        (UnsetType, CustomType(UnsetType)),
        (T, AnyType()),
        (Annotated[int, Meta(gt=1, lt=3)], IntType(gt=1, lt=3)),
        (Annotated[float, Meta(ge=1, multiple_of=0.5)], FloatType(ge=1, multiple_of=0.5)),
        (Annotated[str, Meta(min_length=1, pattern="a")], StrType(min_length=1, pattern="a")),
        (Annotated[list[int], Meta(max_length=3)], ListType(IntType(), max_length=3)),
        (Annotated[datetime.time, Meta(tz=False)], TimeType(tz=False)),
        (Plain, StructType(Plain, (X,))),
        (Array, StructType(Array, (X,), array_like=True, forbid_unknown_fields=True)),
        (Cat, StructType(Cat, (X,), "type", "Cat")),
        (Box[int], None),
        (Data2, DataclassType(Data2, (X,))),
        (Pair2, NamedTupleType(Pair2, (X,))),
        (
            Annotated[Optional[int], Meta(title="t")],
            Metadata(UnionType((IntType(), NoneType())), {"title": "t"}),
        ),
        (
            Optional[Annotated[Union[int, str], Meta(title="t")]],
            UnionType((Metadata(UnionType((IntType(), StrType())), {"title": "t"}), NoneType())),
        ),
    ],
)
def test_descriptions(t, described):
    found = type_info(t)
    if described is not None:
        assert found == described
        assert type(found) is type(described)
    assert isinstance(found, Type)


def test_what_is_said_beside():
    one = Meta(
        ge=1, title="x", description="d", examples=[1], extra={"a": 1}, extra_json_schema={"b": {"c": [1]}}
    )
    two = Meta(le=9, title="y", extra={"b": 2}, extra_json_schema={"b": {"c": [2], "d": 3}})
    assert type_info(Annotated[int, one, two]) == Metadata(
        IntType(ge=1, le=9),
        {"title": "y", "description": "d", "examples": [1], "b": {"c": [1, 2], "d": 3}},
        {"a": 1, "b": 2},
    )
    # What was said is as it was.
    assert one.extra_json_schema == {"b": {"c": [1]}}
    assert one.extra == {"a": 1}
    assert type_info(Annotated[int, Meta(extra={"a": 1})]) == Metadata(IntType(), None, {"a": 1})
    assert type_info(Annotated[Plain, Meta(title="p")]) == Metadata(StructType(Plain, (X,)), {"title": "p"})


class Loop(Struct, rename="camel"):
    first_one: int
    next: Annotated["Loop | None", Meta(title="n")] = None
    items: "list[Loop]" = []
    maybe: int | UnsetType = UNSET
    made: dict = field(default_factory=collections.OrderedDict)


def test_fields_and_loops():
    found = type_info(Loop)
    assert [one.encode_name for one in found.fields] == ["firstOne", "next", "items", "maybe", "made"]
    assert [one.required for one in found.fields] == [True, False, False, False, False]
    assert [one.default for one in found.fields] == [NODEFAULT, None, NODEFAULT, NODEFAULT, NODEFAULT]
    assert [one.default_factory for one in found.fields][2:] == [list, NODEFAULT, collections.OrderedDict]
    assert found.fields[1].type.extra_json_schema == {"title": "n"}
    assert found.fields[1].type.type.types[0] is found
    assert found.fields[1].type.type.includes_none
    assert found.fields[2].type.item_type is found
    assert "..." in repr(found)
    assert type_info(Annotated[Loop, Meta(title="x")]).type.fields[2].type.item_type.cls is Loop


def test_aliases_that_hold_themselves():
    extensions = pytest.importorskip("typing_extensions")
    Json = extensions.TypeAliasType("Json", "dict[str, Json] | list[Json | None] | str")
    found = type_info(Json)
    mapping, array, text = found.types
    assert mapping.value_type is found
    assert array.item_type.types == (mapping, array, text, NoneType())


def test_typed_dicts_are_sorted_and_records_share():
    found = type_info(MoreKeys)
    assert isinstance(found, TypedDictType)
    assert [(one.name, one.required) for one in found.fields] == [
        ("a", True),
        ("b", False),
        ("c", False),
        ("d", True),
    ]
    one, two, three = multi_type_info(iter([list[Cat], Union[Cat, Dog], Optional[StrEnum]]))
    assert isinstance(one, ListType)
    assert isinstance(one, CollectionType)
    assert two.types[0].tag == "Cat"
    assert not two.includes_none
    assert three == UnionType((EnumType(StrEnum), NoneType()))
    assert multi_type_info([]) == ()


def test_descriptions_are_values():
    found = type_info(dict[str, list[int]])
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found
    assert hash(IntType(ge=1)) == hash(IntType(ge=1))
    with pytest.raises(AttributeError):
        found.key_type = None
    assert repr(IntType(ge=1)) == "IntType(gt=None, ge=1, lt=None, le=None, multiple_of=None)"
    assert {one.__module__ for one in vars(inspect).values() if is_struct_type(one)} <= {
        "oxwire.inspect",
        "oxwire",
    }


def test_types_that_cannot_be_are_refused():
    for t in 3, Union[bytes, bytearray], list["Unknown"]:  # noqa: F821
        with pytest.raises(TypeError):
            type_info(t)


def test_is_struct():
    assert is_struct(Plain(1))
    assert not is_struct(Plain)
    assert is_struct_type(Plain)
    assert not is_struct_type(Plain(1))
    assert not is_struct_type(Box[int])
    assert not is_struct_type(Data2)


def test_fields_are_the_callers_own():
    class Sub(Loop):
        more: bytes = b""

    for cls in Loop, Sub, Box[int]:
        first, again = fields(cls), fields(cls)
        assert first == again
        assert not any(a is b for a, b in zip(first, again, strict=True))
        first[0].name = "other"
        assert fields(cls) == again
    assert [one.name for one in fields(Sub)] == [*(one.name for one in fields(Loop)), "more"]

    class Early(Struct):
        x: "later"  # noqa: F821

    # What could not be told is asked again.
    with pytest.raises((NameError, TypeError)):
        fields(Early)
    globals()["later"] = int
    try:
        assert fields(Early)[0].type is int
    finally:
        del globals()["later"]


def test_a_class_whose_fields_were_asked_for_is_collected():
    def made():
        class Node(Struct):
            next: "Node | None" = None
            all: "list[Node]" = []

        assert fields(Node)[1].type == list[Node]
        return weakref.ref(Node)

    seen = made()
    gc.collect()
    assert seen() is None


def test_fields_of_structs():
    assert fields(Loop) == fields(Loop(1))
    assert [one.encode_name for one in fields(Loop)] == ["firstOne", "next", "items", "maybe", "made"]
    assert [one.required for one in fields(Loop)] == [True, False, False, False, False]
    assert fields(Loop)[0] == FieldInfo("first_one", "firstOne", int)
    assert fields(Loop)[2] == FieldInfo("items", "items", list[Loop], NODEFAULT, list)
    assert fields(Loop)[3].default is UNSET
    assert fields(Box[int])[0].type is int
    assert fields(Box[int])[1].type == list[Box[int]]

    class Odd(Struct, Generic[T]):
        x: "complex | bytes | str"

    # A field's type need not be one that can be read.
    assert fields(Odd)[0].type == complex | bytes | str
    assert isinstance(Odd.__struct_config__, StructConfig)
    for wrong in 3, Data2, Data2(1), list[int], None:
        with pytest.raises(TypeError, match="Must be called with a struct type or instance"):
            fields(wrong)
