"""The vectors of vectors/native against the small reader of tools/native.py, and the files against what writes them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import native

pytestmark = pytest.mark.usefixtures("deep")


def test_the_vectors_agree_with_the_specification(capsys):
    assert native.main() == 0, capsys.readouterr().out
    assert sum(1 for _ in native.cases()) >= 700
