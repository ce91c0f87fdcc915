"""What the installed package is made of: the archive with the modules of the command line.

What may surprise: a source tree has them as files, so whether there is an archive depends on how the tests are run.
"""

import hashlib
import importlib.util
import inspect
import subprocess
import sys
import traceback
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

import oxwire
from oxwire import _cli, _convert

TOOLS = Path(__file__).resolve().parent.parent / "tools"
ARCHIVE = Path(oxwire.__file__).with_name("_commands.zip")
spec = importlib.util.spec_from_file_location("backend", TOOLS / "backend.py")
assert spec is not None
assert spec.loader is not None
backend = importlib.util.module_from_spec(spec)
spec.loader.exec_module(backend)


@pytest.mark.skipif(not ARCHIVE.exists(), reason="oxwire runs from its source tree, where modules are files")
def test_the_commands_come_out_of_the_archive():
    with zipfile.ZipFile(ARCHIVE) as archive:
        assert sorted(archive.namelist()) == sorted(f"{m}.py" for m in backend.COMMANDS)
        assert archive.testzip() is None
    assert str(ARCHIVE) in _cli.__file__
    assert not ARCHIVE.with_name("_cli.py").exists()


def test_sources_are_found_wherever_they_are():
    assert "argparse" in inspect.getsource(_cli)
    with pytest.raises(TypeError) as caught:
        _convert.run()
    assert "run()" in "".join(traceback.format_exception(caught.value))


def test_importing_the_library_imports_no_command():
    code = "import sys, oxwire.msgpack; print([m for m in sys.modules if m.startswith('oxwire._c')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def row(name, data):
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def test_a_wheel_is_packed_once(tmp_path):
    wheel = tmp_path / "oxwire-1-py3-none-any.whl"
    files = {f"oxwire/{m}.py": f"# {m}\n".encode() for m in backend.COMMANDS}
    files["oxwire/__init__.py"] = b"x = 1\n"
    record = "oxwire-1.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
        out.writestr(record, "\n".join([*(row(n, d) for n, d in files.items()), f"{record},,"]) + "\n")
    backend.pack(wheel)
    packed = wheel.read_bytes()
    with zipfile.ZipFile(wheel) as got:
        assert sorted(got.namelist()) == sorted(["oxwire/__init__.py", backend.ARCHIVE, record])
        archive = got.read(backend.ARCHIVE)
        assert got.read(record).decode().splitlines() == [
            row("oxwire/__init__.py", b"x = 1\n"),
            row(backend.ARCHIVE, archive),
            f"{record},,",
        ]
        (tmp_path / "commands.zip").write_bytes(archive)
    with zipfile.ZipFile(tmp_path / "commands.zip") as got:
        assert {n: got.read(n) for n in got.namelist()} == {
            f"{m}.py": files[f"oxwire/{m}.py"] for m in backend.COMMANDS
        }
    backend.pack(wheel)
    assert wheel.read_bytes() == packed
