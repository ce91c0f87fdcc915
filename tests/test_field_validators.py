"""Validators, converters and strictness: in `Annotated`, of fields, and of classes that look at what they are made of."""

import dataclasses
import re
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest

from oxwire import (
    UNSET,
    Convert,
    Meta,
    Struct,
    UnsetType,
    Validate,
    ValidationError,
    convert,
    field,
    json,
    msgpack,
    structs,
)


def is_even(v):
    return v % 2 == 0


Even = Annotated[int, Validate(is_even)]
Lower = Annotated[str, Convert(str.lower)]


def read(data, kind, **options):
    """What all three ways of reading make of it, which is the same."""
    made = json.decode(json.encode(data), type=kind, **options)
    assert (
        made == msgpack.decode(msgpack.encode(data), type=kind, **options) == convert(data, kind, **options)
    )
    return made


def wrong(data, kind):
    """The words of the error, which are the same in all three ways."""
    words = set()
    for make in (
        lambda: json.decode(json.encode(data), type=kind),
        lambda: msgpack.decode(msgpack.encode(data), type=kind),
        lambda: convert(data, kind),
    ):
        with pytest.raises(ValidationError) as e:
            make()
        words.add(str(e.value))
    (one,) = words
    return one


class Point(Struct):
    x: Even
    name: Lower = ""


@dataclasses.dataclass
class Data:
    x: Even


class Typed(TypedDict):
    x: Even


class Named(NamedTuple):
    x: Even


@pytest.mark.parametrize("kind", [Point, Data, Typed, dict[str, Even]])
def test_validators_of_fields(kind):
    read({"x": 2}, kind)
    path = "$[...]" if kind == dict[str, Even] else "$.x"
    assert wrong({"x": 3}, kind) == f"`is_even` refuses the value - at `{path}`"


@pytest.mark.parametrize(
    ("kind", "good", "bad", "path"),
    [
        (Even, 2, 3, ""),
        (list[Even], [2], [2, 3], " - at `$[1]`"),
        (tuple[int, Even], [1, 2], [1, 3], " - at `$[1]`"),
        (Even | None, None, 3, ""),
        (Even | str, "x", 3, ""),
        (Named, [2], [3], " - at `$[0]`"),
    ],
)
def test_validators_anywhere(kind, good, bad, path):
    read(good, kind)
    assert wrong(bad, kind) == f"`is_even` refuses the value{path}"


def test_validators_of_keys():
    assert json.decode(b'{"2":1}', type=dict[Even, int]) == {2: 1}
    with pytest.raises(ValidationError, match="refuses"):
        json.decode(b'{"3":1}', type=dict[Even, int])


def test_validators_of_whole_containers():
    kind = Annotated[list[int], Validate(lambda v: len(set(v)) == len(v), message="must be unique")]
    assert read([1, 2], kind) == [1, 2]
    assert wrong([1, 1], kind) == "must be unique"
    assert wrong({"a": [1, 1]}, dict[str, kind]) == "must be unique - at `$[...]`"


def test_validators_of_classes_with_fields():
    kind = Annotated[Point, Validate(lambda p: p.x > 0, message="must be positive")]
    assert read({"x": 2}, kind) == Point(2)
    assert wrong({"x": -2}, kind) == "must be positive"
    assert read(None, kind | None) is None
    with pytest.raises(ValidationError, match="must be positive"):
        convert(Point(-2), kind)


def test_validators_of_any_value_and_of_choices():
    assert read(3, Annotated[Any, Convert(repr)]) == "3"
    assert read([1], Annotated[Any, Convert(repr)]) == "[1]"
    assert read("a", Annotated[Literal["a", "b"], Convert(str.upper)]) == "A"
    assert read(True, Annotated[bool, Convert(int)]) == 1


def test_converters_stand_in_order_after_the_bounds():
    kind = Annotated[str, Meta(min_length=3), Convert(str.strip), Convert(str.upper), Validate(str.isalpha)]
    assert read(" a ", kind) == "A"
    assert wrong("a", kind) == "Expected `str` of length >= 3"
    assert wrong(" 1 ", kind) == "`isalpha` refuses the value"


def test_of_aliases_the_inner_ones_are_first():
    type_ = Annotated[Annotated[int, Convert(lambda v: v + 1)], Convert(lambda v: v * 10)]
    assert read(1, type_) == 20


@pytest.mark.parametrize("error", [ValueError, TypeError, AssertionError])
def test_what_is_raised_is_what_is_said(error):
    def fn(v):
        raise error(f"not {v}")

    assert wrong([5], list[Annotated[int, Validate(fn)]]) == "not 5 - at `$[0]`"
    assert wrong([5], list[Annotated[int, Convert(fn)]]) == "not 5 - at `$[0]`"
    assert wrong([5], list[Annotated[int, Convert(fn, message="better")]]) == "better - at `$[0]`"
    with pytest.raises(ValidationError) as e:
        json.decode(b"[5]", type=list[Annotated[int, Validate(fn)]])
    assert isinstance(e.value.__cause__, error)


def test_other_exceptions_come_out():
    def fn(v):
        raise LookupError

    for before in (False, True):
        with pytest.raises(LookupError):
            json.decode(b"[5]", type=list[Annotated[int, Validate(fn, before=before)]])


@pytest.mark.parametrize(
    ("gives", "good"), [(None, True), (True, True), (1, True), ("x", True), (False, False), (0, False)]
)
def test_what_a_validator_gives(gives, good):
    kind = Annotated[int, Validate(lambda v: gives)]
    if good:
        assert read(7, kind) == 7
    else:
        wrong(7, kind)


def empty_is_none(v):
    return None if v == "" else v


def test_before_a_value_is_read():
    kind = Annotated[int | None, Convert(empty_is_none, before=True)]
    assert read("", kind) is None
    assert read(3, kind) == 3
    assert wrong(["x"], list[kind]) == "Expected `int | null`, got `str` - at `$[0]`"


def test_before_with_containers():
    def listed(v):
        return v if isinstance(v, list) else [v]

    kind = Annotated[list[Point], Convert(listed, before=True)]
    assert read({"x": 2}, kind) == [Point(2)]
    assert (
        wrong({"k": [{"x": 2}, {"x": "q"}]}, dict[str, kind])
        == "Expected `int`, got `str` - at `$[...][1].x`"
    )


def test_before_and_after():
    kind = Annotated[int, Convert(lambda v: v["n"], before=True), Validate(is_even)]
    assert read({"n": 2}, kind) == 2
    assert wrong([{"n": 3}], list[kind]) == "`is_even` refuses the value - at `$[0]`"


def test_before_keeps_what_the_call_says():
    kind = Annotated[int, Convert(lambda v: v, before=True)]
    assert json.decode(b'"5"', type=kind, strict=False) == 5
    seen = Annotated[slice, Validate(lambda v: True, before=True)]
    assert json.decode(b"[1,2]", type=seen, dec_hook=lambda t, v: t(*v)) == slice(1, 2)


def test_before_of_a_class_that_holds_itself():
    assert read({"next": "none"}, Chain) == Chain(None)
    assert read({"next": {"next": None}}, Chain) == Chain(Chain(None))


class Chain(Struct):
    next: Annotated["Chain | None", Convert(lambda v: None if v == "none" else v, before=True)]


def test_what_is_no_type_is_told_when_the_decoder_is_made():
    with pytest.raises(TypeError):
        json.Decoder(Annotated[list[int] | tuple[int, ...] | set[int], Convert(lambda v: v, before=True)])
    with pytest.raises(TypeError, match="takes a function"):
        Validate(3)


def test_they_are_values():
    assert Validate(is_even) == Validate(is_even) != Convert(is_even)
    assert hash(Validate(is_even)) == hash(Validate(is_even))
    assert re.fullmatch(
        r"oxwire\.Validate\(<function .*>, before=False, message=None\)", repr(Validate(is_even))
    )


def test_validators_may_do_anything():
    made = []

    def again(v):
        made.append(json.decode(b"[2,4]", type=list[Even]))
        return v

    assert read([2, 4], list[Annotated[Even, Convert(again)]]) == [2, 4]
    assert made == [[2, 4]] * 6


# Strictness


class Loose(Struct):
    a: int = field(default=0, strict=False)
    b: int = 0
    c: int = field(default=0, strict=True)


def test_strict_fields():
    assert json.decode(b'{"a":"5"}', type=Loose) == Loose(5)
    assert wrong({"b": "5"}, Loose) == "Expected `int`, got `str` - at `$.b`"
    assert json.decode(b'{"a":"5","b":"6"}', type=Loose, strict=False) == Loose(5, 6)
    with pytest.raises(ValidationError, match=re.escape("at `$.c`")):
        json.decode(b'{"c":"5"}', type=Loose, strict=False)


@pytest.mark.parametrize("kind", [Data, Typed])
def test_strict_in_annotated(kind):
    loose = {"dataclass": dataclasses.make_dataclass("D", [("x", Annotated[float, Meta(strict=False)])])}[
        "dataclass"
    ]
    assert json.decode(b'{"x":"1.5"}', type=loose).x == 1.5
    with pytest.raises(ValidationError):
        json.decode(b'{"x":"2"}', type=kind)


def test_strict_with_bounds():
    kind = Annotated[int, Meta(ge=3, strict=False)]
    assert read("4", kind) == 4
    assert wrong("2", kind) == "Expected `int` >= 3"


# Classes that look at what they are made of


class Checked(Struct, validate=True):
    a: int
    p: Point | None = None
    u: int | UnsetType = UNSET
    seen: list = []

    def __post_init__(self):
        self.seen.append(type(self.p).__name__)


def test_validate_when_made():
    assert Checked(1, {"x": 2}) == Checked(1, Point(2))
    assert Checked(1, {"x": 2}).seen == ["Point"]
    for args, words in (
        (("x",), "Expected `int`, got `str` - at `$.a`"),
        ((1, {"x": 3}), "`is_even` refuses the value - at `$.p.x`"),
        ((1, 5), "Expected `object | null`, got `int` - at `$.p`"),
    ):
        with pytest.raises(ValidationError) as e:
            Checked(*args)
        assert str(e.value) == words
    with pytest.raises(ValidationError):
        structs.replace(Checked(1), a="x")


def test_validate_when_made_keeps_what_is_right():
    point = Point(2)
    assert Checked(1, point).p is point


def test_validate_when_set():
    class Strict(Struct, validate_assignment=True):
        a: int = 0
        b: list[Even] = []

    one = Strict("not looked at")
    one.a = 5
    with pytest.raises(ValidationError) as e:
        one.b = [2, 3]
    assert str(e.value) == "`is_even` refuses the value - at `$.b[1]`"
    assert (one.a, one.b) == (5, [])
    one.b = (2, 4)
    assert one.b == [2, 4]


def test_validate_by_hand():
    one = Point(3)
    with pytest.raises(ValidationError):
        structs.validate(one)
    other = Point(2, "ABC")
    structs.validate(other)
    assert other.name == "abc"


def test_validators_run_when_made_only_if_asked():
    assert Point(3).x == 3


def test_errors_of_fields_with_other_names():
    class Renamed(Struct, rename="camel", validate=True, validate_assignment=True):
        some_thing: int

    with pytest.raises(ValidationError, match=re.escape("at `$.someThing`")):
        Renamed("x")
    one = Renamed(1)
    with pytest.raises(ValidationError, match=re.escape("at `$.someThing`")):
        one.some_thing = "x"
