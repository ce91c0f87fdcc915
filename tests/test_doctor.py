"""`oxwire.doctor` and `python -m oxwire doctor`: which of its ways oxwire goes, and why."""

import os
import platform
import subprocess
import sys
import sysconfig

import pytest

import oxwire
from oxwire import _doctor

WAYS = ("dicts are read", "instances are read", "values are made", "dicts are made", "instances are made")


def told(**environment):
    return subprocess.run(
        [sys.executable, "-m", "oxwire", "doctor"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def test_every_way_is_told():
    found = oxwire.doctor()
    assert [*found] == ["oxwire", "python", "platform", "long texts", *WAYS]
    assert all(type(one) is str for one in found.values())
    assert found["oxwire"] == oxwire.__version__
    assert oxwire.doctor.__module__ == "oxwire"
    assert found["python"] == f"CPython {platform.python_version()}"
    assert found["long texts"] in ("one word at a time", "SSE2", "AVX2", "AVX-512", "NEON")


@pytest.mark.skipif(
    sys.version_info >= (3, 14) or bool(os.environ.get("OXWIRE_PLAIN")),
    reason="all goes the interpreter's way here",
)
def test_all_is_done_directly_where_it_is_known():
    found = oxwire.doctor()
    ways = {way: found[way] for way in WAYS}
    if sys.version_info < (3, 13):
        assert ways.pop("instances are read") == (
            f"by the interpreter: not done for CPython 3.{sys.version_info.minor}"
        )
    assert {*ways.values()} == {"directly"}


def test_the_variable_forces_the_interpreters_way_and_is_the_reason():
    lines = told(OXWIRE_PLAIN="1")
    assert lines[4:] == [f"{way:<20}by the interpreter: OXWIRE_PLAIN is set" for way in WAYS]
    assert told(OXWIRE_PLAIN="1")[0] == f"oxwire              {oxwire.__version__}"


def test_what_a_process_goes_by_is_what_it_imported_with(monkeypatch):
    before = oxwire.doctor()
    monkeypatch.setenv("OXWIRE_PLAIN", "" if os.environ.get("OXWIRE_PLAIN") else "1")
    assert oxwire.doctor() == before


@pytest.mark.parametrize(
    ("version", "flags", "why"),
    [
        ((3, 14), {}, "not done for CPython 3.14"),
        ((3, 13), {"Py_GIL_DISABLED": 1}, "this is a free-threaded build"),
        ((3, 13), {}, "what was made by hand differed from what the interpreter makes"),
    ],
)
def test_other_reasons(monkeypatch, version, flags, why):
    class Extension:
        _ways = 0
        __version__ = "1"

    monkeypatch.setattr(_doctor, "_oxwire", Extension)
    monkeypatch.setattr(_doctor.sys, "version_info", (*version, 0))
    monkeypatch.setattr(sysconfig, "get_config_var", flags.get)
    found = oxwire.doctor()
    assert found["dicts are made"] == f"by the interpreter: {why}"
    assert found["long texts"] == "one word at a time"
