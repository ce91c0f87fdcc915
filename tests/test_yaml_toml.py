"""YAML and TOML: both ways, by type, and what malformed documents raise."""

import datetime
import sys
from typing import Any

import pytest
from samples import STRANGE, Strange

from oxwire import DecodeError, Struct, toml, yaml

DAY = datetime.date(2020, 1, 2)
MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


class Inner(Struct):
    when: datetime.datetime
    day: datetime.date
    data: bytes = b""


class Outer(Struct):
    name: str
    inner: Inner
    many: list[Inner] = []
    ratio: float = 1.0


WHOLE = Outer("näme", Inner(MOMENT, DAY, b"\x00\xff"), [Inner(MOMENT, DAY)], 2.5)


@pytest.mark.parametrize(("module", "needs"), [(yaml, "yaml"), (toml, "tomli_w")])
class TestBoth:
    def test_round_trip(self, module, needs):
        pytest.importorskip(needs)
        encoded = module.encode(WHOLE)
        assert isinstance(encoded, bytes)
        assert "näme".encode() in encoded
        for buf in encoded, encoded.decode(), bytearray(encoded), memoryview(encoded):
            assert module.decode(buf, type=Outer) == WHOLE
        plain = module.decode(encoded)
        assert plain["inner"]["when"] == MOMENT
        assert plain["inner"]["day"] == DAY

    def test_wrong_types(self, module, needs):
        pytest.importorskip(needs)
        with pytest.raises(DecodeError) as caught:
            module.decode(module.encode({"name": 3, "inner": {}}), type=Outer)
        assert str(caught.value) == "Expected `str`, got `int` - at `$.name`"
        encoded = module.encode({"x": "3"})
        with pytest.raises(DecodeError):
            module.decode(encoded, type=dict[str, int])
        assert module.decode(encoded, type=dict[str, int], strict=False) == {"x": 3}

    def test_hooks(self, module, needs):
        pytest.importorskip(needs)
        encoded = module.encode({"x": STRANGE}, enc_hook=lambda obj: [obj.real, obj.imag])
        decoded = module.decode(encoded, type=dict[str, Strange], dec_hook=lambda t, obj: t(*obj))
        assert decoded == {"x": STRANGE}
        with pytest.raises(TypeError):
            module.encode({"x": STRANGE})

    def test_order(self, module, needs):
        pytest.importorskip(needs)
        encoded = module.encode({"b": 1, "a": 2}, order="deterministic")
        assert encoded.index(b"a") < encoded.index(b"b")

    def test_malformed(self, module, needs):
        pytest.importorskip(needs)
        for buf in b"\xff\xfe\xff", b"a: [1", "[1", "'":
            with pytest.raises(DecodeError) as caught:
                module.decode(buf)
            assert caught.value.__cause__ is None
            assert caught.value.msg == str(caught.value)

    def test_without_the_package(self, module, needs, monkeypatch):
        monkeypatch.setitem(sys.modules, needs, None)
        extra = module.__name__.rpartition(".")[2]
        with pytest.raises(ImportError, match=rf"oxwire\[{extra}\]"):
            module.encode({})


def test_yaml_says_where():
    pytest.importorskip("yaml")
    with pytest.raises(DecodeError) as caught:
        yaml.decode(b"a: 1\nb: ]")
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_yaml_makes_no_objects():
    pytest.importorskip("yaml")
    for text in (
        "!!python/object/apply:os.getcwd []",
        "2020-13-01",
        "!!timestamp x",
        "!!bool x",
        "? [1, 2]\n: 3\n? {a: 1}\n: 2",
    ):
        with pytest.raises(DecodeError):
            yaml.decode(text, type=Any)


def test_yaml_of_all_kinds():
    pytest.importorskip("yaml")
    obj = {"a": [1, None, True, 1.5, "x"], "b": {"c": {}}}
    assert yaml.decode(yaml.encode(obj)) == obj
    assert yaml.encode((1, 2)) == b"- 1\n- 2\n"
    assert yaml.decode("!!binary aGk=", type=bytes) == b"hi"
    assert yaml.decode("[a, b]", type=set[str]) == {"a", "b"}


def test_toml_is_a_table():
    pytest.importorskip("tomli_w")
    for wrong in [1], 3, None, {"a": None}:
        with pytest.raises(TypeError):
            toml.encode(wrong)
    assert toml.decode("a = 07:32:00\n1 = 2", type=dict[str, Any]) == {"a": datetime.time(7, 32), "1": 2}
    assert toml.decode("1 = 2", type=dict[int, int]) == {1: 2}
