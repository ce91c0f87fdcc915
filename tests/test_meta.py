"""`Meta`: what it shows, how it compares, and what it refuses."""

import copy
import pickle
from decimal import Decimal

import pytest

from oxwire import Meta


def test_meta():
    assert repr(Meta(ge=1, description="x", title="t")) == "oxwire.Meta(ge=1, title='t', description='x')"
    assert repr(Meta()) == "oxwire.Meta()"
    assert Meta(ge=1) == Meta(ge=1.0) != Meta(gt=1)
    assert Meta(ge=1) != 1
    assert hash(Meta(ge=1)) == hash(Meta(ge=1.0))
    assert hash(Meta(examples=[1], extra={"a": []})) == hash(Meta(examples=[1], extra={"a": []}))
    assert Meta(ge=1).__rich_repr__() == [("ge", 1)]
    whole = Meta(gt=1, le=2**80, multiple_of=2, title="t", extra={"a": 1}, tz=None)
    assert pickle.loads(pickle.dumps(whole)) == copy.copy(whole) == copy.deepcopy(whole) == whole
    assert Meta.__module__ == "oxwire"
    for wrong in lambda m: setattr(m, "ge", 2), lambda m: delattr(m, "ge"), lambda m: setattr(m, "x", 2):
        with pytest.raises(AttributeError):
            wrong(whole)
    with pytest.raises(TypeError, match="type 'oxwire.Meta' is not an acceptable base type"):
        type("Sub", (Meta,), {})


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"gt": 1, "ge": 1}, ValueError, "Cannot specify both `gt` and `ge`"),
        ({"lt": 1, "le": 1}, ValueError, "Cannot specify both `lt` and `le`"),
        ({"gt": "a"}, TypeError, "`gt` must be an int or float, got str"),
        ({"ge": True}, TypeError, "`ge` must be an int or float, got bool"),
        ({"ge": float("nan")}, ValueError, "`ge` must be finite, nan is not supported"),
        ({"lt": float("inf")}, ValueError, "`lt` must be finite, inf is not supported"),
        ({"multiple_of": 0}, ValueError, "`multiple_of` must be > 0"),
        ({"multiple_of": "a"}, TypeError, "`multiple_of` must be an int or float, got str"),
        ({"pattern": 1}, TypeError, "`pattern` must be a str, got int"),
        ({"min_length": -1}, ValueError, "`min_length` must be >= 0, got -1"),
        ({"min_length": 1.0}, TypeError, "`min_length` must be an int, got float"),
        ({"max_length": True}, TypeError, "`max_length` must be an int, got bool"),
        ({"tz": 1}, TypeError, "`tz` must be a bool, got int"),
        ({"title": 1}, TypeError, "`title` must be a str, got int"),
        ({"description": 1}, TypeError, "`description` must be a str, got int"),
        ({"examples": (1,)}, TypeError, "`examples` must be a list, got tuple"),
        ({"extra_json_schema": []}, TypeError, "`extra_json_schema` must be a dict, got list"),
        ({"extra": []}, TypeError, "`extra` must be a dict, got list"),
    ],
)
def test_meta_refuses(given, error, words):
    with pytest.raises(error) as caught:
        Meta(**given)
    assert str(caught.value) == words


def test_meta_takes_a_pattern_that_compiles():
    import re

    with pytest.raises(re.error):
        Meta(pattern="(")


def test_a_decimal_bound_is_another_than_its_equal():
    assert Meta(ge=1) == Meta(ge=1.0)
    assert Meta(ge=1) != Meta(ge=Decimal(1))
    assert Meta(ge=Decimal(1)) == Meta(ge=Decimal("1.0"))
