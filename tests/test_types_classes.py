"""Classes with fields as programs: each kind, generics, aliases, and names that are looked up.

What may surprise: some classes are made in functions, because where a name is found depends on where its class was made.
"""

import collections
import dataclasses
import sys
import typing
from typing import (
    Annotated,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Optional,
    TypedDict,
)

import pytest
from typed import (
    Box,
    Choice,
    Custom,
    Data,
    IntBox,
    Later,
    LaterBox,
    MoreKeys,
    Pair,
    T,
    arrays,
    fields,
    name,
    plan,
    refused,
)

from oxwire import UNSET, Meta, Struct, UnsetType, field, structs
from oxwire._types import program


def test_records():
    assert fields(Data) == {"x": "int", "y": "array", "w": "str", "made": "int"}
    record = program(Data)[4][0]
    assert record[0:3] == (Data, 1, "Data")
    assert [(f[3], f[4]) for f in record[3]][1:3] == [(2, list), (1, "w")]
    assert record[3][3][3] == 3
    assert record[6] == (None, "__post_init__", None)
    assert fields(MoreKeys) == {"a": "int", "b": "str", "c": "int", "d": "object | null"}
    assert {f[0]: f[3] for f in program(MoreKeys)[4][0][3]} == {"a": 0, "b": 3, "c": 3, "d": 0}
    assert fields(Pair) == {"x": "int", "y": "array | null"}
    assert [f[3:] for f in program(Pair)[4][0][3]][1] == (1, None)
    assert fields(collections.namedtuple("P", "a b", defaults=[1])) == {"a": "any", "b": "any"}
    made = dataclasses.make_dataclass("Made", [("x", int), ("y", "str")])
    assert fields(made) == {"x": "int", "y": "str"}


def test_struct_fields_by_their_names_outside():
    class Camel(Struct, rename="camel"):
        a_b: int
        c_d: str | UnsetType = UNSET
        e: float = field(default=1.0, name="E")
        skipped: ClassVar[int] = 3

    assert fields(Camel) == {"aB": "int", "cD": "str", "E": "float"}
    assert [f[1] for f in program(Camel)[4][0][3]] == ["a_b", "c_d", "e"]


def test_init_var_is_refused():
    @dataclasses.dataclass
    class Refused:
        x: dataclasses.InitVar[int]

    refused(Refused, "dataclasses with `InitVar` fields are not supported")


def test_attrs():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Loose:
        w = attrs.field(type=str)

    assert fields(Loose) == {"w": "str"}

    @attrs.define
    class Some:
        x: int = attrs.field(validator=attrs.validators.ge(3))
        y: "Some | None" = None
        z: list = attrs.Factory(list)
        w: str = attrs.field(default="", kw_only=True)

        def __attrs_pre_init__(self):
            pass

    assert fields(Some) == {"x": "int", "y": "object | null", "z": "array", "w": "str"}
    pre, post, validate = program(Some)[4][0][6]
    assert (pre, post) == ("__attrs_pre_init__", None)
    one = Some(3)
    validate(one)
    object.__setattr__(one, "x", 2)
    with pytest.raises(ValueError):
        validate(one)

    @attrs.define
    class Old:
        x: int = attrs.field(default=attrs.Factory(lambda self: 3, takes_self=True))

    refused(Old, "Default factories with `takes_self=True` are not supported", NotImplementedError)


def test_generics():
    assert fields(Box[int]) == {"v": "int", "kids": "array"}
    root, plans, _, _, records = program(Box[int])
    # The children are the box itself.
    assert len(records) == 1
    assert plans[arrays(Box[int])[0][1][0]] == plans[root]
    assert fields(Box) == {"v": "any", "kids": "array"}
    assert fields(IntBox[str]) == {"v": "int", "kids": "array", "u": "object"}
    assert fields(LaterBox) == {"v": "int", "kids": "array", "z": "int", "u": "object"}
    assert Later in [record[0] for record in program(LaterBox)[4]]
    unbound = "constraints are currently unsupported. If possible, either explicitly bind the parameter, or use `bound` instead of constraints."
    refused(Choice, f"Unbound TypeVar `~Choice` has constraints `(<class 'int'>, <class 'str'>)` - {unbound}")

    @dataclasses.dataclass
    class Holder(Generic[T]):
        x: T
        y: "Box[T]"

    class Typed(TypedDict, Generic[T]):
        x: T

    class Typed2(Typed[bytes], Generic[T]):
        y: "list[T]"

    class Named(NamedTuple, Generic[T]):
        x: T

    assert fields(Holder[int]) == {"x": "int", "y": "object"}
    assert fields(Typed2[int]) == {"x": "bytes", "y": "array"}
    assert fields(Named[int]) == {"x": "int"}


def test_a_fault_names_the_type_that_is_meant():
    wrong = Optional[bytes | bytearray]
    with pytest.raises(TypeError) as caught:
        program(Box[wrong])
    assert str(caught.value).endswith(f"type `{wrong!r}` is not supported")

    class Text(Struct):
        x: "Annotated[str, Meta(ge=1)]"

    refused(Text, f"Can only set `ge` on a numeric type - type `{Annotated[str, Meta(ge=1)]!r}` is invalid")


def test_a_generic_that_grows_without_end_is_refused():
    class Grows(Struct, Generic[T]):
        x: "Grows[list[T]] | None"

    with pytest.raises((TypeError, RecursionError)):
        program(Grows[int])


def test_defaults_of_type_variables():
    extensions = pytest.importorskip("typing_extensions")
    D = extensions.TypeVar("D", default=int)

    class Defaulted(Struct, Generic[D]):
        x: D

    assert fields(Defaulted) == {"x": "int"}
    assert fields(Defaulted[str]) == {"x": "str"}
    Json = extensions.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
    assert name(Json) == "str | object | array | null"
    Many = extensions.TypeAliasType("Many", list[T], type_params=(T,))
    assert program(Many[int])[1][arrays(Many[int])[0][1][0]][1] == "int"

    class Read(extensions.TypedDict):
        x: extensions.ReadOnly[int]
        y: extensions.NotRequired[extensions.ReadOnly[str]]

    assert fields(Read) == {"x": "int", "y": "str"}
    assert [f[3] for f in program(Read)[4][0][3]] == [0, 3]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is of 3.12")
def test_aliases_and_type_parameters():
    names = globals() | {"Annotated": Annotated, "Meta": Meta}
    exec(
        """
type Json = dict[str, Json] | list[Json | None] | str | None
type Many[A] = list[A] | Annotated[int, Meta(ge=1)]
type Never = Never
type Same = Same | int
class Param[A: int](Struct):
    x: A
    y: "list[A]"
""",
        names,
    )
    json = names["Json"]
    root, plans, arrays, maps, _ = program(json)
    assert plans[root][1] == "str | object | array | null"
    assert maps[plans[root][3]][2] == root
    inner = plans[arrays[plans[root][2]][1][0]]
    assert inner[1] == "str | object | array | null"
    assert name(names["Many"][str]) == "int | array"
    assert plan(names["Many"][str])[6][0][3] == "Expected `int` >= 1"
    refused(names["Never"], "Type 'Never' is not supported")
    assert name(names["Same"]) == "int"
    assert fields(names["Param"]) == fields(names["Param"][int]) == {"x": "int", "y": "array"}
    assert fields(names["Param"][bool]) == {"x": "bool", "y": "array"}


def test_names_of_local_classes():
    class Node(Struct):
        value: "int"
        next: "Node | None" = None
        other: "Optional[Other]" = None

    class Other(Struct):
        nodes: "list[Node]"

    assert fields(Node) == {"value": "int", "next": "object | null", "other": "object | null"}
    assert [record[0] for record in program(Node)[4]] == [Node, Other]


def test_a_local_name_goes_before_one_of_the_module():
    class Custom(Struct):
        x: int

    class Holds(Struct):
        it: "Custom"

    assert program(Holds)[4][1][0] is Custom


def made_and_returned():
    class Node(Struct):
        next: "Node | None" = None
        other: "Lost | None" = None

    class Lost(Struct):
        pass

    class Alone(Struct):
        next: "Alone | None" = None

    return Node, Alone


def test_names_of_classes_whose_function_has_returned():
    node, alone = made_and_returned()
    assert fields(alone) == {"next": "object | null"}
    refused(node, "name 'Lost' is not defined", NameError)


def test_names_inside_forms():
    class Forms(Struct, Generic[T]):
        final: Final["int"]
        both: Annotated["Final[list[T]]", Meta(min_length=1)]
        call: typing.Callable[["Later"], T]
        pairs: "typing.Tuple['int', T]"
        many: tuple["T", ...]

    assert fields(Forms[str]) == {
        "final": "int",
        "both": "array",
        "call": "Callable",
        "pairs": "array",
        "many": "array",
    }
    assert structs.fields(Forms[str])[0].type == Final[int]
    assert structs.fields(Forms[str])[4].type == tuple[str, ...]


def test_names_that_fields_hide():
    class Hides(Struct):
        int: "int" = 3
        str: "list[str]" = []

    assert fields(Hides) == {"int": "int", "str": "array"}


def test_recursion_leads_back():
    root, plans, *_, records = program(Data)
    assert arrays(Data)[0][1] == (root,)
    assert len(records) == 1


def test_long_chains_of_classes():
    last = int
    for i in range(600):
        last = dataclasses.make_dataclass(f"C{i}", [("x", last)])
    assert len(program(last)[4]) == 600


def test_custom_types_keep_their_arguments():
    assert plan(collections.ChainMap[str, int])[7] == (collections.ChainMap[str, int], collections.ChainMap)
    assert plan(Optional[collections.UserDict])[7] == (collections.UserDict, collections.UserDict)
    assert plan(object)[7] == (object, object)

    class Wrapper(Generic[T]):
        pass

    class Wraps(Struct, Generic[T]):
        x: Wrapper[T]

    _, plans, _, _, records = program(Wraps[int])
    assert plans[records[0][3][0][2]][7] == (Wrapper[int], Wrapper)


def test_equal_kinds_share_a_plan():
    _, plans, _, _, records = program(dict[str, dict[str, str]])
    assert [p[1] for p in plans] == ["any", "object", "str", "object"]
