"""What the installed package is made of: the archive with the modules that are seldom wanted.

What may surprise: a source tree has them as files, so whether there is an archive depends on how the tests are run.
"""

import ast
import hashlib
import importlib.util
import inspect
import pickle
import shutil
import subprocess
import sys
import traceback
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

import oxwire
from oxwire import _cli, _convert
from oxwire.compat import msgpack
from oxwire.compat.msgpack import packer, unpacker

TOOLS = Path(__file__).resolve().parent.parent / "tools"
ARCHIVE = Path(oxwire.__file__).with_name("_modules.zip")
spec = importlib.util.spec_from_file_location("backend", TOOLS / "backend.py")
assert spec is not None
assert spec.loader is not None
backend = importlib.util.module_from_spec(spec)
spec.loader.exec_module(backend)


installed = pytest.mark.skipif(
    not ARCHIVE.exists(), reason="oxwire runs from its source tree, where modules are files"
)


@installed
def test_modules_come_out_of_the_archive():
    with zipfile.ZipFile(ARCHIVE) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert {"_arrays.py", "_cli.py", "_models.py", *(f"{m}.py" for m in backend.ALSO)} <= {*names}
    for module in (_cli, packer, unpacker):
        assert str(ARCHIVE) in module.__file__
    folder = ARCHIVE.parent
    found = {str(p.relative_to(folder.parent)) for p in folder.rglob("*.py")}
    assert not {name for name in found if backend.is_moved(name)}


@pytest.mark.parametrize("folder", ["plain", "with space", "ünï-日本", "100%", "a.zip", "#?&;"])
def test_it_works_wherever_it_is_installed(tmp_path, folder):
    place = tmp_path / folder
    shutil.copytree(
        Path(oxwire.__file__).parent, place / "oxwire", ignore=shutil.ignore_patterns("__pycache__")
    )
    code = (
        "import oxwire, oxwire.compat.msgpack as m, oxwire.compat.msgpack.packer as p, oxwire._models, oxwire._cli;"
        "print(oxwire.__file__, m.unpackb(p.packb([1])))"
    )
    run = [sys.executable, "-X", "utf8", "-c", f"import sys; sys.path.insert(0, {str(place)!r}); {code}"]
    done = subprocess.run(run, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == f"{place / 'oxwire' / '__init__.py'} [1]"


def test_what_comes_out_of_it_can_be_pickled_and_has_words():
    for thing in (msgpack.Packer, msgpack.Unpacker, msgpack.packb, msgpack.unpackb, msgpack.unpack):
        assert pickle.loads(pickle.dumps(thing)) is thing
        assert thing.__module__ in ("oxwire.compat.msgpack.packer", "oxwire.compat.msgpack.unpacker")
        assert thing.__doc__
    assert "msgpack" in msgpack.Packer.__doc__
    assert msgpack.Unpacker.unpack.__doc__


def test_sources_are_found_wherever_they_are():
    assert "argparse" in inspect.getsource(_cli)
    with pytest.raises(TypeError) as caught:
        _convert.run()
    assert "run()" in "".join(traceback.format_exception(caught.value))


def test_importing_the_library_imports_nothing_of_it():
    code = "import sys, oxwire.msgpack; print(*[m for m in sys.modules if m.startswith('oxwire._')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} == {
        f"oxwire.{m}" for m in ("_oxwire", "_errors", "_files", "_meta", "_msgpack", "_struct")
    }
    code = "import sys; old = {*sys.modules}; import oxwire.msgpack; print(*{'zlib'} & {*sys.modules} - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def row(name, data):
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def test_a_wheel_is_packed_once(tmp_path):
    wheel = tmp_path / "oxwire-1-py3-none-any.whl"
    kept = {f"oxwire/{m}.py": b"x = 1\n" for m in (*backend.KEPT, "json", "compat/msgpack/ext")}
    sources = {m: f'"""{m}"""\nx = 1\n'.encode() for m in ("_cli", "_new", *backend.ALSO)}
    stubs = {f"oxwire/{m}.pyi": b"x: int\n" for m in backend.ALSO}
    files = kept | {f"oxwire/{m}.py": data for m, data in sources.items()} | stubs
    record = "oxwire-1.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
        out.writestr(record, "\n".join([*(row(n, d) for n, d in files.items()), f"{record},,"]) + "\n")
    backend.pack(wheel)
    packed = wheel.read_bytes()
    with zipfile.ZipFile(wheel) as got:
        assert sorted(got.namelist()) == sorted([*kept, *stubs, backend.ARCHIVE, record])
        archive = got.read(backend.ARCHIVE)
        assert got.read(record).decode().splitlines() == [
            *(row(name, data) for name, data in (kept | stubs).items()),
            row(backend.ARCHIVE, archive),
            f"{record},,",
        ]
        (tmp_path / "modules.zip").write_bytes(archive)
    with zipfile.ZipFile(tmp_path / "modules.zip") as got:
        inside = {name: got.read(name) for name in got.namelist()}
    assert inside == {f"{m}.py": backend.bare(data) for m, data in sources.items()}
    backend.pack(wheel)
    assert wheel.read_bytes() == packed


@pytest.mark.parametrize("module", ["_cli", "_convert", "_scalars", "_types"])
def test_sources_without_comments_are_the_same_code_in_the_same_lines(module):
    source = (TOOLS.parent / "python" / "oxwire" / f"{module}.py").read_bytes()
    bare = backend.bare(source)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node)
            and len(node.body) > 1
        ):
            del node.body[0]
    # With the place of everything.
    assert ast.dump(ast.parse(bare), include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert len(bare) < len(source)


def test_text_that_looks_like_a_comment_stays():
    source = b'"""Kept."""\n\n# Gone.\ndef f():\n    """Gone.\n\n    Too."""\n    x = "# kept"  # gone\n    return x\n'
    assert backend.bare(source) == b'"""Kept."""\n\n\ndef f():\n\n\n\n    x = "# kept"\n    return x\n'
    only = b'class A:\n    """Kept, as there is nothing else."""\n'
    assert backend.bare(only) == only
