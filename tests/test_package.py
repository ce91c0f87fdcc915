"""What the installed package is made of: the archive with the modules that are seldom wanted.

What may surprise: a source tree has them as files, so whether there is an archive depends on how the tests are run.
"""

import ast
import hashlib
import importlib
import importlib.resources
import importlib.util
import inspect
import pickle
import pkgutil
import re
import shutil
import subprocess
import sys
import traceback
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from process import OWN_LOCKS, run_in_interpreters

import oxwire
from oxwire import _archive, _cli, _convert, _found
from oxwire._oxwire import _archive_unpacked as unpacked
from oxwire.compat import msgpack
from oxwire.compat.msgpack import packer, unpacker

TOOLS = Path(__file__).resolve().parent.parent / "tools"
ARCHIVE = Path(oxwire.__file__).with_name("_modules.z")
spec = importlib.util.spec_from_file_location("backend", TOOLS / "backend.py")
assert spec is not None
assert spec.loader is not None
backend = importlib.util.module_from_spec(spec)
spec.loader.exec_module(backend)


installed = pytest.mark.skipif(
    not ARCHIVE.exists(), reason="oxwire runs from its source tree, where modules are files"
)


def run(code, *flags):
    """What a program prints."""
    found = f"import sys; sys.path[:0] = {[str(Path(oxwire.__file__).parent.parent)]!r}\n"
    done = subprocess.run(
        [sys.executable, *flags, "-c", found + code], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.strip()


@installed
def test_modules_come_out_of_the_archive():
    inside = {path.removeprefix(f"{ARCHIVE}/") for path in _archive.Archive().paths}
    sources = TOOLS.parent / "python"
    names = {str(path.relative_to(sources)) for path in sources.rglob("*.py")}
    assert inside == {name.removeprefix("oxwire/") for name in names if backend.is_moved(name)}
    for module in (_cli, msgpack, packer, unpacker):
        assert str(ARCHIVE) in module.__file__
    found = {str(p.relative_to(ARCHIVE.parent.parent)) for p in ARCHIVE.parent.rglob("*.py")}
    assert found == {name for name in names if not backend.is_moved(name)}


@installed
def test_what_is_in_the_archive_is_what_was_put_in():
    sources = TOOLS.parent / "python"
    files = {str(path.relative_to(sources)): path.read_bytes() for path in sources.rglob("*.py")}
    archive = _archive.Archive()
    for name, data in backend.archived(files).items():
        assert _found.source(archive, f"{ARCHIVE}/{name}") == data.decode()


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
    listed = run("import oxwire; print(*[m for m in sys.modules if m.startswith('oxwire._')])")
    names = ("_archive", "_errors", "_files", "_msgpack", "_oxwire", "_public", "_struct")
    assert {*listed.split()} == {f"oxwire.{m}" for m in names}
    code = "old = {*sys.modules}; import oxwire; print(*{'importlib', 'json'} & {*sys.modules} - old)"
    assert run(code, "-I", "-S") == ""


@installed
def test_no_more_is_unpacked_than_is_needed():
    read = "print(len(sys.modules['oxwire._archive'].Finder.archive.files))"
    code = "import oxwire.compat.orjson, oxwire.compat.ormsgpack, oxwire.msgpack\n" + read
    assert int(run(code)) < 6
    code = "import oxwire.compat.msgpack, oxwire.compat.msgspec as m, oxwire.structs\n"
    code += "class A(m.Struct):\n    x: int = m.field(default=1)\n"
    code += "try:\n    m.json.decode(b'{', type=A)\nexcept m.DecodeError:\n    " + read
    assert int(run(code)) < 25


def test_names_that_come_later_are_there():
    assert {"Meta", "defstruct", "to_builtins"} <= {*dir(oxwire)}
    code = (
        "import oxwire; print(oxwire.Meta(gt=1), oxwire.to_builtins((1,)), oxwire.defstruct('A', ['x'])(1))"
    )
    assert run(code) == "oxwire.Meta(gt=1) (1,) A(x=1)"
    code = "from oxwire import *; print(Meta.__module__, to_builtins.__module__, defstruct.__module__)"
    assert run(code) == "oxwire oxwire oxwire"
    for thing in (oxwire.Meta, oxwire.defstruct, oxwire.to_builtins):
        assert pickle.loads(pickle.dumps(thing)) is thing
    with pytest.raises(AttributeError, match="module 'oxwire' has no attribute 'nothing'"):
        _ = oxwire.nothing


@pytest.mark.parametrize("name", ["inspect", "msgpack", "structs", "toml", "yaml"])
def test_modules_that_come_later_are_there(name):
    assert name in dir(oxwire)
    code = f"import oxwire; one = oxwire.{name}; assert 'oxwire.{name}' in sys.modules; print(one is sys.modules['oxwire.{name}'])"
    assert run(code) == "True"
    assert run(f"from oxwire import {name}; print({name}.__name__)") == f"oxwire.{name}"


def test_the_error_of_one_face_waits_for_it():
    assert (
        run("old = {*sys.modules}; import oxwire; print(*{'json', 're'} & {*sys.modules} - old)", "-I", "-S")
        == ""
    )
    code = """if True:
        import json, pickle
        from oxwire.compat import orjson
        try:
            orjson.loads("[")
        except orjson.JSONDecodeError as error:
            assert isinstance(error, json.JSONDecodeError) and type(error) is orjson.JSONDecodeError
            assert "JSONDecodeError" in dir(orjson)
            print(pickle.loads(pickle.dumps(error)))
    """
    assert run(code) == "unexpected end of data: line 1 column 2 (char 1)"


@pytest.mark.parametrize("flags", [["-I", "-S"], ["-OO"], ["-B"]])
def test_flags(flags):
    code = "import oxwire.compat.msgpack as m, oxwire._cli; print(m.unpackb(m.packb([1])))"
    assert run(code, *flags) == "[1]"


def test_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "oxwire", "--help"], capture_output=True, text=True, check=True
    )
    assert "convert" in done.stdout


def test_modules_are_listed():
    names = {one.name for one in pkgutil.walk_packages(oxwire.__path__, "oxwire.")}
    sources = TOOLS.parent / "python"
    modules = {str(path.relative_to(sources)).removesuffix(".py") for path in sources.rglob("*.py")}
    modules = {name.removesuffix("/__init__").replace("/", ".") for name in modules}
    assert names - {"oxwire._oxwire"} == modules - {"oxwire"}
    packages = {one.name for one in pkgutil.walk_packages(oxwire.__path__, "oxwire.") if one.ispkg}
    faces = {f"oxwire.compat.{name}" for name in ("msgpack", "msgspec", "quickle")}
    assert packages == {"oxwire.compat", "oxwire.ext"} | faces


def test_what_a_module_says_of_itself():
    assert msgpack.__spec__.submodule_search_locations == list(msgpack.__path__)
    assert msgpack.__package__ == "oxwire.compat.msgpack"
    assert packer.__package__ == "oxwire.compat.msgpack"
    assert packer.__spec__.origin == packer.__file__
    assert packer.__file__.endswith("/compat/msgpack/packer.py")
    assert packer.__loader__.is_package(packer.__name__) is False
    assert msgpack.__loader__.is_package(msgpack.__name__) is True
    assert packer.__loader__.get_filename(packer.__name__) == packer.__file__
    assert "class Packer" in packer.__loader__.get_source(packer.__name__)
    assert packer.__loader__.get_code(packer.__name__).co_filename == packer.__file__
    assert inspect.getsourcefile(packer.Packer) == packer.__file__
    assert inspect.getsource(packer.packb).startswith("def packb(")


def test_there_is_no_module_but_those():
    assert importlib.util.find_spec("oxwire._nothing") is None
    assert importlib.util.find_spec("oxwire.compat.msgpack._nothing") is None
    with pytest.raises(ModuleNotFoundError, match=r"oxwire\.compat\.nothing"):
        importlib.import_module("oxwire.compat.nothing")


def test_files_of_the_package_are_resources():
    assert importlib.resources.files("oxwire").joinpath("py.typed").read_bytes() == b""
    assert pkgutil.get_data("oxwire", "py.typed") == b""


def test_modules_can_be_imported_again():
    code = """if True:
        import importlib, oxwire, oxwire._texts, oxwire._meta, oxwire.compat.msgpack.packer as packer
        hooks = len(sys.path_hooks)
        for _ in range(3):
            assert importlib.reload(packer) is packer
            assert packer.packb(1) == b"\\x01"
            importlib.reload(oxwire._texts)
            importlib.reload(oxwire)
            assert len(oxwire.__path__) == 2
        importlib.invalidate_caches()
        sys.path_importer_cache.clear()
        import oxwire.yaml
        for _ in range(3):
            for name in [one for one in sys.modules if one.split(".")[0] == "oxwire" and one != "oxwire._oxwire"]:
                del sys.modules[name]
            import oxwire._texts, oxwire.compat.msgpack.packer as again
            assert again is not packer and again.packb(1) == b"\\x01"
        assert len(sys.path_hooks) == hooks
        print("well")
    """
    assert run(code) == "well"


def test_what_a_thread_reads_of_the_archive_is_whole():
    code = """if True:
        from oxwire._archive import Archive
        archive = Archive()
        first, words = archive.files, archive.words
        read = archive.read(-1)
        # As other threads do, one module after another.
        archive.files.clear()
        assert len(read) == len(archive.paths) > len(first) and all(len(parts) == 2 for parts in read.values())
        assert archive.words == words and archive.words is not words
        print("well")
    """
    assert run(code) == "well"


def test_many_threads_import_at_once():
    code = """if True:
        import importlib, pkgutil, threading, oxwire
        from oxwire import compat
        # Not what a package imports itself: Python may see a deadlock there, with files too.
        names = [*pkgutil.iter_modules(oxwire.__path__, "oxwire."), *pkgutil.iter_modules(compat.__path__, "oxwire.compat.")]
        names = [one.name for one in names if not one.name.endswith("__main__")] * 3
        gate, failed = threading.Barrier(len(names)), []
        def work(name):
            gate.wait()
            try:
                module = importlib.import_module(name)
                # Not `inspect`: its cache of lines is not made for threads, unless a module is a file.
                assert name == "oxwire._oxwire" or module.__loader__.get_source(name)
            except Exception as error:
                failed.append((name, error))
        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert not failed, failed
        print("well")
    """
    assert run(code) == "well"


@OWN_LOCKS
def test_in_isolated_interpreters():
    code = "import oxwire.compat.msgpack as m, oxwire._shell; assert m.unpackb(m.packb([1])) == [1]\n"
    run_in_interpreters(code, code)


@installed
def test_an_archive_that_is_damaged_is_no_module(tmp_path):
    shutil.copytree(ARCHIVE.parent, tmp_path / "oxwire", ignore=shutil.ignore_patterns("__pycache__"))
    damaged = tmp_path / "oxwire" / ARCHIVE.name
    whole = damaged.read_bytes()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "try:\n import oxwire\nexcept ImportError as error:\n print(type(error).__name__, error)"
    )
    for data in (whole[:-9], whole[:99] + b"?" + whole[100:], b""):
        damaged.write_bytes(data)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == f"ImportError {damaged} is damaged\n"
    damaged.unlink()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "ModuleNotFoundError No module named 'oxwire._struct'\n"


@installed
def test_an_archive_that_changes_under_a_program(tmp_path):
    shutil.copytree(ARCHIVE.parent, tmp_path / "oxwire", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "oxwire" / ARCHIVE.name
    sources = TOOLS.parent / "python"
    files = {str(path.relative_to(sources)): path.read_bytes() for path in sources.rglob("*.py")}
    files = backend.archived(files)
    # What stands for words is another in each.
    newer = {name: data.replace(b"def ", b"def new_") for name, data in files.items() if "texts" not in name}
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import inspect, traceback, oxwire._texts, oxwire._shell, oxwire.yaml\n"
        "print('ready', flush=True)\n"
        "input()\n"
        "print('def new_' in inspect.getsource(oxwire.yaml))\n"
        "try: oxwire._texts.needed('nothing_of_the_kind', 'x')\n"
        "except ImportError: print('needed' in traceback.format_exc())\n"
        "import oxwire.toml\n"
        "print(hasattr(oxwire.toml, 'encode'))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout.readline() == "ready\n"
        place.write_bytes(backend.archive(newer))
        out, _ = program.communicate("\n")
    # What is shown is what runs.
    assert (out.split(), program.returncode) == (["False", "True", "True"], 0)


def row(name, data):
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": b""},
        {"b.py": b"", "a.py": b"x = 1\n" * 300, "a/b.py": b"x = 1\n"},
        {"a.py": "ünï = '日本' + 'ünï'\r\n\t\f\n".encode() * 50},
        # Strings within strings, quotes alone, levels that end at once, lines that end as a block begins, and what is no source.
        {
            "a.py": b'def f():\n if x:\n  for y in\'"\':\n   g("c\'d","\\"","")\nx={"a:":\'"b":\',}\n',
            "b.py": b'class A:\n """Words:\n\n    more"""\n  # deeper\n\n x=f"{y["a"]}"\n',
            "c.py": b'if x:\n  y="\n"\nz="',
            "d.py": b"if x:\n\ty\n",
            "e.py": b'"""\n"""',
        },
        # Every byte but NUL is taken: no word can be.
        {"a.py": "".join(map(chr, range(1, 0x800))).encode() * 3 + b"return " * 99},
        {f"{name}.py": b"def f(self):\n    return self\n" * 9 for name in backend.ORDER},
    ],
)
def test_archives_are_read_as_they_were_made(tmp_path, monkeypatch, files):
    packed = backend.archive(files)
    assert packed == backend.archive(dict(reversed(files.items())))
    monkeypatch.setattr(_archive, "PATH", str(tmp_path / "modules"))
    (tmp_path / "modules").write_bytes(packed)
    archive = _archive.Archive()
    got = {path: _found.source(archive, path).encode() for path in archive.paths}
    assert got == {f"{tmp_path / 'modules'}/{name}": data for name, data in files.items()}
    # A source that was let go is read again.
    archive.files.clear()
    assert {path: _found.source(archive, path).encode() for path in archive.paths} == got


def summed(data):
    return backend.summed(data) + data


@given(st.lists(st.binary(max_size=300), max_size=9), st.lists(st.integers(0, 8), max_size=60))
def test_what_lzma_packs_is_unpacked(parts, picked):
    whole = "".join(parts[n % len(parts)].decode("latin-1") for n in picked if parts)
    data = backend.packed(whole)
    assert unpacked(data, -1) == unpacked(data, 1 << 70) == whole.encode("latin-1")
    # As far as it is wanted, and to the end of a match.
    some = unpacked(data, len(whole) // 2)
    assert whole.encode("latin-1").startswith(some)
    assert len(whole) // 2 <= len(some) < len(whole) // 2 + 273


@given(st.binary(max_size=300), st.data())
def test_whatever_is_unpacked_comes_to_an_end(data, draw):
    assert isinstance(unpacked(summed(data), 1 << 20), bytes)
    packed = bytearray(backend.packed("some words and again some words, " * 9 + data.decode("latin-1"))[4:])
    packed[draw.draw(st.integers(0, len(packed) - 1))] ^= 1 << draw.draw(st.integers(0, 7))
    # What says nothing of itself is read as something.
    assert isinstance(unpacked(summed(bytes(packed)), 1 << 20), bytes)


def test_what_is_damaged_or_nothing_is_not_unpacked():
    data = backend.packed("words")
    for damaged in (b"", data[:3], data[:-1], data[:4], bytes([data[0] ^ 1]) + data[1:], "words", None):
        assert unpacked(damaged, 9) == b""
    assert unpacked(data, 0) == b""
    with pytest.raises(TypeError, match=r"unpacked\(\) takes exactly 2 positional arguments \(1 given\)"):
        unpacked(data)


def test_a_wheel_is_packed_once(tmp_path, monkeypatch):
    wheel = tmp_path / "oxwire-1-py3-none-any.whl"
    kept = {f"oxwire/{m}.py": b"x = 1\n" for m in backend.KEPT}
    finder = "oxwire/_archive.py"
    kept[finder] = b"_FIRST, _MORE = 0, (0, -1)\n"
    moved = {f"{m}.py": f'"""{m}"""\nx = 1  # one\n'.encode() for m in (*backend.ORDER, "_new")}
    stubs = {f"oxwire/{m}.pyi": b"x: int\n" for m in ("json", "yaml")}
    files = kept | {f"oxwire/{name}": data for name, data in moved.items()} | stubs
    files["oxwire/_types.pyi"] = b"x: int\n"
    record = "oxwire-1.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
        out.writestr(record, "\n".join([*(row(n, d) for n, d in files.items()), f"{record},,"]) + "\n")
    whole = wheel.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(backend, "find_spec", lambda name: None)
        backend.pack(wheel)
        assert wheel.read_bytes() == whole
    backend.pack(wheel)
    packed = wheel.read_bytes()
    kept, stubs = dict.fromkeys(kept, b"x=1\n"), dict.fromkeys(stubs, b"x:int\n")
    with zipfile.ZipFile(wheel) as got:
        kept[finder] = got.read(finder)
        assert sorted(got.namelist()) == sorted([*kept, *stubs, backend.ARCHIVE, record])
        archive = got.read(backend.ARCHIVE)
        assert got.read(record).decode().splitlines() == [
            *(row(name, data) for name, data in (kept | stubs).items()),
            row(backend.ARCHIVE, archive),
            f"{record},,",
        ]
    monkeypatch.setattr(_archive, "PATH", str(tmp_path / "modules"))
    (tmp_path / "modules").write_bytes(archive)
    read = _archive.Archive()
    assert {p.removeprefix(f"{tmp_path / 'modules'}/"): _found.source(read, p) for p in read.paths} == {
        name: backend.spoken(name, data).decode() for name, data in moved.items()
    }
    # Of what is needed it says where it ends.
    says = re.fullmatch(rb"_FIRST,_MORE=(\d+),\((\d+),-1\)\n", kept[finder])
    whole = unpacked(archive, -1).decode("latin-1")
    before = whole.count("\0") - 2 * len(read.paths)
    for end, last in zip(map(int, says.groups()), backend.STOPS, strict=True):
        assert whole[end - 1] == "\0"
        assert whole[:end].count("\0") - before == 2 * backend.ORDER.index(last) + 2
    backend.pack(wheel)
    assert wheel.read_bytes() == packed


def test_order_and_lists_name_modules_that_are_there():
    sources = TOOLS.parent / "python" / "oxwire"
    for name in (*backend.KEPT, *backend.ORDER):
        assert (sources / f"{name}.py").is_file(), name
    for name in backend.HOME_STUBS:
        assert (sources / f"{name}.pyi").is_file(), name
    # What checkers find no file for they find a stub for.
    for path in sources.rglob("*.py"):
        name = str(path.relative_to(sources)).removesuffix(".py")
        if backend.is_moved(f"oxwire/{name}.py") and not path.stem.startswith("_"):
            assert path.with_suffix(".pyi").is_file(), name
            assert name not in backend.HOME_STUBS


def spelled_out(stub):
    """A stub's body by the names that things have where they are made, and its imports as names by what it calls them."""
    froms = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    imports = {}
    for node in froms:
        module = {"collections.abc": "typing"}.get(node.module, node.module)
        imports |= {
            one.asname or one.name: (node.level, module, one.name, one.asname == one.name)
            for one in node.names
        }
    short = {name: imports.pop(name) for name in [*imports] if re.fullmatch("_[a-zA-Z]", name)}
    # Nobody asks for these by their short names: no stub had them before.
    imports |= {what[2]: what for what in short.values() if what[1] != "builtins"}
    body = [node for node in stub.body if node not in froms]
    # What a stub calls its own private things is its own matter.
    own = [getattr(node, "name", None) or ast.unparse(getattr(node, "targets", [node])[0]) for node in body]
    own = {name: f"_own{i}" for i, name in enumerate(own) if re.fullmatch("_[a-zA-Z]+", name)}
    for name in backend.SHARED:
        own.pop(name, None)
    for node in body:
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in short:
                one.id = short[one.id][2]
            elif isinstance(one, ast.Name):
                one.id = own.get(one.id, one.id)
            elif isinstance(one, ast.ClassDef):
                one.name = own.get(one.name, one.name)
    return imports, [ast.dump(node) for node in body]


def test_private_names_that_stubs_share_stay():
    shared = set()
    for path in (TOOLS.parent / "python").rglob("*.pyi"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom):
                shared |= {one.name for one in node.names if re.fullmatch("_[a-zA-Z]+", one.name)}
    home = {one.rpartition("/")[2] for one in backend.HOME_STUBS}
    assert {name for name in shared if name[1].isupper()} - home == {*backend.SHARED}


def test_the_stub_that_is_taken_from_another_says_the_same():
    name, other = backend.TWIN
    stub = (TOOLS.parent / "python" / name).read_bytes()
    assert backend.brief(stub) == backend.brief(
        (TOOLS.parent / "python" / f"oxwire/{other}.pyi").read_bytes()
    )
    assert backend.installed(name, stub) == b"from .yaml import decode as decode,encode as encode\n"


def test_stubs_are_the_same_without_words_and_blanks():
    for path in (TOOLS.parent / "python").rglob("*.pyi"):
        tree = ast.parse(path.read_bytes())
        for node in ast.walk(tree):
            body = getattr(node, "body", [])
            words = [one for one in body if isinstance(one, ast.Expr) and isinstance(one.value.value, str)]
            node.body = [one for one in body if one not in words]
            if words and not node.body:
                node.body = [ast.Expr(ast.Constant(...))]
        tree = backend.unlisted(tree)
        assert spelled_out(ast.parse(backend.brief(path.read_bytes()))) == spelled_out(tree), path


def test_stubs_export_by_name_what_they_listed():
    stub = b"from a import __all__ as __all__\nfrom a import B, C, D as D\nimport e\n__all__ = ['B', 'f']\nf: int\n"
    assert backend.brief(stub) == b"from a import B as B,C,D as D\nimport e\nf:int\n"
    renamed = b"from a import B as f\n__all__=['f']\n"
    assert backend.brief(renamed) == renamed


def test_stubs_call_by_short_names_what_they_import():
    stub = (
        b"from typing import overload\nfrom collections.abc import Callable\nfrom a import B, C, D as D\nfrom a import Long as E\n"
        + b"".join(
            b"@overload\ndef f%d(x: Callable[[B], D], bytes: bytes, y: C = C) -> bytearray: ...\n" % n
            for n in range(9)
        )
    )
    assert backend.brief(stub) == (
        b"from builtins import bytearray as _b,bytes as _y\nfrom typing import overload as _o,Callable as _C\nfrom a import B,C,D as D,Long as E\n"
        + b"".join(b"@_o\ndef f%d(x:_C[[B],D],bytes:_y,y:C=C)->_b:...\n" % n for n in range(9))
    )
    # What the stub makes itself is no built-in, and for two uses it is not worth it.
    for kept in (b"class bytearray:...\n" + b"x:bytearray\n" * 99, b"from a import Some\nx:Some\n"):
        assert backend.brief(kept) == kept
