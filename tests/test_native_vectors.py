"""The vectors of vectors/native: the small reader of tools/native.py, and what oxwire reads, refuses and writes."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import native
from native_spell import Vectors, spell

import vectors
from oxwire import DecodeError
from oxwire._oxwire import native_Graph as Graph

pytestmark = pytest.mark.usefixtures("deep")
HELPER = Vectors()
CODEC = Graph(HELPER.calls(), True, 1000, 65536, 0)
# What this reader does not read yet, or where the interpreter it runs on has no such type.
MISSING = (
    *(() if find_spec("numpy") else ("numpy", "ndarray", "scalar")),
    "outside",
    "pattern",
    "registered",
    "opaque",
    "frozendict",
    "Windows",
    "WindowsPath",
)
WORDS = {
    "eof": "unexpected end of input",
    "header": "does not begin",
    "tag": ("begins no value", "no type of the standard library"),
    "non-minimal": "shorter form",
    "utf8": "not valid UTF-8",
    "key": "key of this kind",
    "duplicate": "stands twice",
    "reference": "leads to nothing",
    "undefined": "not defined before",
    "body": "",
    "depth": "nest deeper",
    "limit": "beyond a limit",
    "trailing": "expected the end",
}


def test_the_vectors_agree_with_the_specification(capsys):
    assert native.main() == 0, capsys.readouterr().out
    assert sum(1 for _ in native.cases()) >= 700


def test_messages_are_read():
    wrong = []
    for file, case in native.cases():
        if "value" not in case or any(word in case["value"] or word in case["name"] for word in MISSING):
            continue
        data = vectors.octets(case["bytes"])
        try:
            got = spell(CODEC.decode(data), HELPER)
        except Exception as error:
            got = error
        # Members of sets have an order of their own.
        if got != case["value"] and not ("set(" in case["value"] and sorted(got) == sorted(case["value"])):
            wrong.append((case["name"], data.hex()[:80], got, case["value"][:200]))
    assert not wrong, "\n".join(map(str, wrong))


def test_messages_are_refused():
    wrong = []
    for file, case in native.cases():
        # What is not read yet, and what the helper of these tests takes.
        if "why" not in case or any(word in case["name"] for word in (*MISSING, "by a name that")):
            continue
        data = vectors.octets(case["bytes"])
        try:
            got = repr(CODEC.decode(data))[:100]
        except DecodeError as error:
            words = WORDS[case["why"]]
            words = (words,) if isinstance(words, str) else words
            exact = case["why"] in ("eof", "non-minimal", "utf8", "trailing", "depth", "undefined", "header")
            if any(word in str(error) for word in words) and (not exact or error.offset == case["offset"]):
                continue
            got = error, getattr(error, "offset", None)
        except Exception as error:
            got = "not a DecodeError", error
        wrong.append((case["name"], data.hex()[:80], got, case["why"], case["offset"]))
    assert not wrong, "\n".join(map(str, wrong))


def test_what_was_read_is_written():
    wrong = []
    for file, case in native.cases():
        text = case.get("value", "record")
        if (
            any(
                word in text or word in case["name"]
                for word in (*MISSING, "record", "carrier", "member", "set(")
            )
            or "way" in case
        ):
            continue
        data = vectors.octets(case["bytes"])
        got = CODEC.encode(CODEC.decode(data))
        if got != data and len(data) < 2000:
            wrong.append((case["name"], data.hex()[:100], got.hex()[:100]))
    assert not wrong, "\n".join(map(str, wrong))


def test_every_cut_and_every_change_is_a_value_or_a_fault():
    for _, case in native.cases():
        data = vectors.octets(case["bytes"])
        for n in range(min(len(data), 40) if len(data) < 300 else 0):
            for changed in (
                data[:n],
                *(
                    data[:n] + bytes([b]) + data[n + 1 :]
                    for b in (0, 1, 0x20, 0x41, 0x7F, 0x80, 0xC1, 0xFF, data[n] ^ 0x80, data[n] ^ 1)
                ),
            ):
                try:
                    CODEC.decode(changed)
                except DecodeError:
                    pass
