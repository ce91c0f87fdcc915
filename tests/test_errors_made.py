"""Exceptions are made in Python: its tables fit the enums of the extension, and what happens on the way."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import oxwire._faces
import oxwire._raised
from oxwire import DecodeError, json
from oxwire.compat import orjson

CRATES = Path(__file__).parents[1] / "crates"


@pytest.mark.parametrize(
    ("path", "enum", "names"),
    [
        ("wire/src/error.rs", "Code", oxwire._raised.CODE_NAMES),
        ("engine/src/fault.rs", "What", oxwire._raised.WHAT_NAMES),
    ],
)
def test_tables_stand_in_the_order_of_the_enums(path, enum, names):
    source = (CRATES / path).read_text().split(f"pub enum {enum} {{")[1].split("\n}")[0]
    variants = re.findall(r"^    ([A-Z]\w*)", source, re.MULTILINE)
    assert [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in variants] == list(names)


@pytest.mark.parametrize("raised", [MemoryError("none left"), KeyboardInterrupt()])
def test_what_is_raised_on_the_way_comes_out(monkeypatch, raised):
    def malformed(*_):
        raise raised

    monkeypatch.setattr(oxwire._raised, "malformed", malformed)
    with pytest.raises(type(raised)) as caught:
        json.decode(b"[1,]")
    assert caught.value is raised
    monkeypatch.undo()
    with pytest.raises(DecodeError, match="trailing comma"):
        json.decode(b"[1,]")


def test_an_exception_that_is_being_handled_is_the_context():
    with pytest.raises(ZeroDivisionError) as outer:
        try:
            raise ZeroDivisionError
        finally:
            for read in json.decode, orjson.loads:
                with pytest.raises(ValueError) as inner:
                    read(b"[")
                assert isinstance(inner.value.__context__, ZeroDivisionError)
                assert inner.value.__cause__ is None
    assert outer.value.__context__ is None


def test_no_line_of_ours_stands_in_the_traceback():
    with pytest.raises(DecodeError) as caught:
        json.decode(b"[")
    assert [entry.path for entry in caught.traceback] == [Path(__file__)]


def test_the_first_exception_needs_no_builtins():
    code = (
        "from oxwire import json\n"
        "try: eval('decode(b\"[\")', {'__builtins__': {}, 'decode': json.decode})\n"
        "except ValueError as error: print(error.offset)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_the_class_of_orjson_is_one():
    with pytest.raises(orjson.JSONDecodeError) as caught:
        orjson.loads("nul")
    assert type(caught.value) is orjson.JSONDecodeError is oxwire._faces.json_decode_error()
