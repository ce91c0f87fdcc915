"""Words of a program's own: of one bound (`Meta`), and of whatever is wrong with a field."""

import collections
import dataclasses
import pickle
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from typed import wrong

from oxwire import (
    Convert,
    Meta,
    Struct,
    Validate,
    ValidationError,
    convert,
    field,
    inspect,
    json,
    msgpack,
    structs,
)

Small = Annotated[int, Meta(ge=0, message="no debts"), Meta(le=9, message="too rich")]


class User(Struct):
    age: int = field(message="a whole number, please")
    name: Annotated[str, Meta(max_length=2, message="short")] = ""
    size: int | None = field(default=None, message="a size, or nothing")
    home: Path = field(default=Path(), message="a path")


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (-1, Small, "no debts"),
        (10, Small, "too rich"),
        ([3, 10], list[Small], "too rich - at `$[1]`"),
        ("x", Small, "Expected `int`, got `str`"),
        (10.5, Annotated[float, Meta(le=9, message="too much")], "too much"),
        (3, Annotated[int, Meta(multiple_of=2, message="odd")], "odd"),
        ("x", Annotated[str, Meta(pattern="^a", message="an a")], "an a"),
        ([1], Annotated[list[int], Meta(min_length=2, message="too few")], "too few"),
        ({"a": 1}, Annotated[dict[str, int], Meta(min_length=2, message="too few")], "too few"),
        ([1], Annotated[collections.deque[int], Meta(min_length=2, message="too few")], "too few"),
        (-1, Annotated[int, Meta(ge=0, message="no debts")] | None, "no debts"),
        (-1, Annotated[int, Meta(ge=0), Meta(title="t", message="words of no bound")], "words of no bound"),
    ],
)
def test_a_bound_has_words_of_its_own(data, kind, words):
    assert wrong(data, kind) == words


def test_a_field_has_words_for_whatever_is_wrong():
    assert wrong({"age": "x"}, User) == "a whole number, please - at `$.age`"
    assert wrong({"age": 1, "name": "long"}, User) == "short - at `$.name`"
    assert wrong({"age": 1, "size": "x"}, User) == "a size, or nothing - at `$.size`"
    assert wrong({"age": 1, "home": 5}, User) == "a path - at `$.home`"
    assert wrong({}, User) == "Object missing required field `age`"
    for codec in json, msgpack:
        ada = codec.decode(codec.encode({"age": 1, "size": None, "home": "a"}), type=User)
        assert ada == User(1, size=None, home=Path("a"))


def test_the_cause_says_what_it_was():
    with pytest.raises(ValidationError) as caught:
        json.decode(b'{"age":"x"}', type=User)
    cause = caught.value.__cause__
    assert str(cause) == "a whole number, please"
    assert str(cause.__cause__) == "Expected `int`, got `str`"


def test_among_all_errors():
    with pytest.raises(ValidationError) as caught:
        json.decode(b'{"age":"x","name":"long"}', type=User, errors="all")
    assert [(one["code"], one["msg"], one["loc"]) for one in caught.value.errors()] == [
        ("custom", "a whole number, please", ("age",)),
        ("other", "short", ("name",)),
    ]


@dataclasses.dataclass
class Data:
    age: Annotated[int, Meta(message="a number")]


class Keys(TypedDict):
    age: Annotated[int, Meta(message="a number")]


class Partly(Struct):
    age: Annotated[int, Meta(message="a number")]


@pytest.mark.parametrize("kind", [Data, Keys, Partly, structs.partial(Partly), structs.partial(User)])
def test_in_every_class(kind):
    assert "a " in wrong({"age": "x"}, kind).split(" - at `$.age`")[0]
    assert convert({"age": 1}, kind)


def test_a_subclass_and_what_looks_when_made():
    class Strict(User, validate=True):
        pass

    with pytest.raises(ValidationError, match="a whole number, please"):
        Strict("x")
    assert wrong({"age": "x"}, Strict) == "a whole number, please - at `$.age`"


def test_validators_before_and_after_keep_their_words_or_not():
    inner = Annotated[str, Meta(message="no text"), Validate(str.isidentifier, message="no name")]
    assert wrong("a b", inner) == wrong(5, inner) == "no text"
    before = Annotated[int, Convert(int, before=True), Meta(message="no number")]
    assert wrong("x", before) == "no number"
    assert json.decode(b'"5"', type=before) == 5


def test_the_schema_says_nothing_of_them():
    assert json.schema(Small) == {"type": "integer", "minimum": 0, "maximum": 9}


def test_messages_are_texts_and_are_kept():
    for make in lambda: Meta(message=1), lambda: field(message=1):
        with pytest.raises(TypeError, match="`message` must be a"):
            make()
    for more in {"flatten": True}, {"private": True}, {"init": False}:
        with pytest.raises(TypeError):
            field(message="x", **more)
    assert Meta(ge=1, message="x") != Meta(ge=1)
    assert pickle.loads(pickle.dumps(Meta(message="x"))) == Meta(message="x")
    assert pickle.loads(pickle.dumps(field(message="x"))).message == "x"


@pytest.mark.parametrize("said", [Meta(message="x"), Validate(bool, before=True)])
def test_of_a_member_of_a_union_not_everything_can_be_said(said):
    with pytest.raises(TypeError, match="must stand at the whole of a union"):
        json.Decoder(Annotated[int, said] | None)


def test_what_stands_as_another_type_is_made_behind_a_step_before():
    assert json.decode(b'" a "', type=Annotated[Path, Convert(str.strip, before=True)]) == Path("a")


def test_inspect_shows_what_a_field_was_told():
    class Told(Struct):
        a: int = field(alias=["b", "c"], exclude=True, strict=False, message="m")
        d: dict[str, Any] = field(default_factory=dict, flatten=True)
        e: int = field(default=1, frozen=True)
        f: int = field(default=1, init=False)
        g: int = 1

    a, d, e, f, g = sorted(inspect.type_info(Told).fields, key=lambda one: one.name)
    assert (a.alias, a.exclude, a.strict, a.message) == (("b", "c"), True, False, "m")
    assert (d.flatten, e.frozen, f.init) == (True, True, False) != (a.flatten, a.frozen, a.init)
    assert g == inspect.Field("g", "g", inspect.IntType(), False, 1)
