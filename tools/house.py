"""The rules of the house, checked: which crate may use which, which words may stand where, how a file begins.

    python tools/house.py               every fault with its place and its rule; exit 1 if there is one
    python tools/house.py --self-test   plants one fault of each kind and sees that it is caught

The rules are the tables at the top, each with its reason; the rest reads files. A change of a table needs
a note in docs/decisions/. What may surprise: words are looked for in code only. Comments and strings are
blanked out first (lines keep their numbers), and `cfg(test)` items too where a rule does not bind tests.
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Crates of ours that a crate may use. The formats know nothing of each other or of Python, so that they can be
# fuzzed alone; the engine knows no format, so that a new one is no change to it; only the edge knows all.
HOUSE = {
    "scan": set(),
    "wire": {"scan"},
    "json": {"wire"},
    "msgpack": {"wire"},
    "native": {"wire"},
    "py": {"wire"},
    "model": {"wire", "py"},
    "engine": {"wire", "py", "model"},
    "reads": {"wire", "json", "msgpack", "native", "py", "engine"},
    "pairs": {"wire", "json", "msgpack", "native", "py", "model", "engine", "reads"},
    "graph": {"wire", "native", "py", "model", "engine"},
    "edge": {"wire", "json", "msgpack", "native", "py", "model", "engine", "graph", "pairs"},
    "oxwire": {"py", "edge"},
}
# Crates of others. Each is code that somebody else must keep right, and bytes in the wheel, so the list is short.
# Dev-dependencies are free: they do not ship.
OUTSIDE = {
    "scan": set(),
    "wire": set(),
    "json": set(),
    "msgpack": set(),
    "native": set(),
    "py": {"pyo3-ffi", "pyo3-build-config"},
    "model": set(),
    "engine": set(),
    "reads": set(),
    "pairs": set(),
    "graph": set(),
    "edge": set(),
    "oxwire": set(),
}
FORMATS = ("json", "msgpack", "native")
# What Python brings, also in versions that are newer than the one that runs this.
STANDARD = sys.stdlib_module_names | {"annotationlib"}


@dataclass(frozen=True)
class Word:
    """A pattern that may stand in some places only."""

    pattern: str
    places: tuple[str, ...]  # files, or folders that end with a slash
    reason: str
    binds_tests: bool = True


WORDS = (
    Word(
        r"\bpyo3_ffi\b|\bPy_\w+",
        ("crates/py/",),
        "CPython's interface and its versions are known behind the fence only",
    ),
    Word(
        r"\b(?:core|std)::arch\b",
        ("crates/scan/src/",),
        "one place chooses among instruction sets, and has a scalar twin to test against",
    ),
    Word(
        r"\bunsafe\b|\b(?:allow|expect)\s*\(\s*unsafe_code\b",
        (
            "crates/py/",
            "crates/wire/src/buf.rs",
            "crates/wire/src/buf/",
            "crates/wire/src/cursor.rs",
            "crates/wire/src/text.rs",
            "crates/scan/src/",
            # The names that the interpreter and the linker look for: docs/decisions/0003-panics.md.
            "crates/oxwire/src/lib.rs",
            "crates/model/src/class/layout.rs",
            "crates/model/src/class/new.rs",
        ),
        "what the compiler cannot check stays in few files, which are read with that in mind",
    ),
    Word(
        r"\bstd::",
        ("crates/py/src/guard.rs", "crates/py/build.rs", "crates/oxwire/build.rs", "crates/scan/src/"),
        "core and alloc suffice, and what std brings along weighs more than all of ours; say core:: or alloc::",
        binds_tests=False,
    ),
)

MAX_LINES = 600  # a file that is longer is two rooms
# Python files here open with what they are.
HEADED = ("python/", "tools/", "bench/", "tests/", "fuzz/", "docs/")
# Files that a tool writes, where a host's name is the tool's own.
WRITTEN_BY_TOOLS = ("Cargo.lock", "fuzz/Cargo.lock")
# What would be true on one machine only, and hosts that a mirror's user would have to change. (Split, so as not to
# find itself.)
MACHINE = re.compile(
    r"(?<![\w.~$}])/(?:home|Users|root|work|nix)/\w" + r"|\b[A-Z]:\\Users\b"
    r"|\b(?:(?:static|index)\.)?crates" + r"\.io\b"
    r"|\b(?:test\.)?pypi" + r"\.org\b|\bpythonhosted" + r"\.org\b"
    r"|\bregistry\.npmjs" + r"\.org\b|\bclojars" + r"\.org\b|\brepo1?\.maven\b"
)


@dataclass(frozen=True, order=True)
class Fault:
    """One breach: where, and of which rule."""

    place: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.rule}" if self.line else f"{self.place}: {self.rule}"


RUST_TOKENS = re.compile(
    r"""
      //[^\n]*
    | (?P<block>/\*)
    | \b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)
    | (?:\b[bc])?"(?:\\.|[^"\\])*"
    | b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^'\\\n])'
    """,
    re.VERBOSE | re.DOTALL,
)


def blank(text: str) -> str:
    """The same number of lines with nothing in them."""
    return re.sub(r"[^\n]", " ", text)


def rust_code(text: str) -> str:
    """Rust without comments and literals. Lifetimes are not characters: `'a` has no closing quote at its third place."""
    out: list[str] = []
    at = 0
    while (found := RUST_TOKENS.search(text, at)) is not None:
        end = found.end()
        if found["block"]:
            depth = 1
            for mark in re.finditer(r"/\*|\*/", text[end:]):
                depth += 1 if mark[0] == "/*" else -1
                if depth == 0:
                    end += mark.end()
                    break
            else:
                end = len(text)
        out += [text[at : found.start()], blank(text[found.start() : end])]
        at = end
    return "".join(out) + text[at:]


def without_tests(code: str) -> str:
    """Blanked Rust code without its `cfg(test)` items."""
    while (found := re.search(r"#!?\[cfg\(\s*(?:all\s*\(\s*)?test\b[^\]]*\]", code)) is not None:
        if found[0].startswith("#!"):
            return blank(code)
        opened = re.search(r"[{;]", code[found.end() :])
        end = len(code) if opened is None else found.end() + opened.end()
        if opened is not None and opened[0] == "{":
            depth = 1
            while depth and end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                end += 1
        code = code[: found.start()] + blank(code[found.start() : end]) + code[end:]
    return code


def is_test(place: str) -> bool:
    """Whether a whole file is test code."""
    parts = place.split("/")
    return bool({"tests", "benches", "examples"} & set(parts[:-1])) or parts[-1] == "tests.rs"


def in_places(place: str, places: tuple[str, ...]) -> bool:
    """Whether a file is one of the places, or in one."""
    return any(place.startswith(one) if one.endswith("/") else place == one for one in places)


def formats_named(identifier: str) -> Iterator[str]:
    """The formats that an identifier names: as a part of snake_case or CamelCase, or spelled together."""
    parts = {p.lower() for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)}
    for name in FORMATS:
        if name in parts or (name == "msgpack" and name in identifier.replace("_", "").lower()):
            yield name


def lines_of(pattern: str, code: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each match with the number of its line."""
    for found in re.finditer(pattern, code):
        yield code.count("\n", 0, found.start()) + 1, found


def check_rust(place: str, text: str) -> Iterator[Fault]:
    """The words of one Rust file, and its first line."""
    if not place.endswith("build.rs") and not text.startswith("//!"):
        yield Fault(place, 1, "a file opens with `//!`: what it is, and what may surprise")
    if not place.startswith("crates/"):
        return
    code = rust_code(text)
    shipped = "" if is_test(place) else without_tests(code)
    for word in WORDS:
        if not in_places(place, word.places):
            for line, found in lines_of(word.pattern, code if word.binds_tests else shipped):
                yield Fault(place, line, f"`{found[0].strip()}` may not stand here: {word.reason}")
    crate = place.split("/")[1]
    # The edge: the module, and the pairs of format and engine, which are a crate for the compiler's sake.
    if crate not in ("oxwire", "edge", "graph", "pairs", "reads"):
        for line, found in lines_of(r"\b[A-Za-z_]\w*", shipped):
            for name in formats_named(found[0]):
                if name != crate:
                    rule = f"`{found[0]}` names the format {name}: only crates/{name} and the edge may; ask its Caps"
                    yield Fault(place, line, rule)
    if crate in FORMATS and place == f"crates/{crate}/src/lib.rs" and "#![forbid(unsafe_code)]" not in code:
        yield Fault(place, 1, "a format meets hostile bytes and is safe Rust: say #![forbid(unsafe_code)]")


def absolute(node: ast.ImportFrom, place: str) -> str:
    """The full name of the module that `from ... import` names."""
    if not node.level:
        return node.module or ""
    package = place.removeprefix("python/").split("/")[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def check_imports(place: str, tree: ast.Module) -> Iterator[Fault]:
    """The imports of one module of the package."""
    compat = place.startswith("python/oxwire/compat/")
    own = ".".join(Path(place).parent.parts[1:])
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, place)
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "oxwire":
                private = [p for p in parts[1:] if p.startswith("_") and not p.endswith("__")]
                if compat and private and parts[1] != "_oxwire" and not name.startswith(f"{own}."):
                    rule = f"compat uses public modules and _oxwire only, not `{name}`: it promises what others promise"
                    yield Fault(place, node.lineno, rule)
                    break
            elif parts[0] not in STANDARD and (compat or id(node) in top):
                yield Fault(
                    place, node.lineno, f"`{parts[0]}` is not ours: the package needs nothing to be imported"
                )
                break


def check_python(place: str, text: str) -> Iterator[Fault]:
    """The header of one Python file, and its imports if it ships."""
    if not in_places(place, HEADED):
        return
    body = re.sub(r"\A#!.*\n", "", text)
    if not re.match(r'#|[rR]?("""|\'\'\')', body):
        yield Fault(place, 1, "a file opens with a docstring or a comment: what it is, and what may surprise")
    if place.startswith("python/") and place.endswith(".py"):
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            yield Fault(place, error.lineno or 1, f"not Python: {error.msg}")
        else:
            yield from check_imports(place, tree)


def check_file(place: str, data: bytes) -> Iterator[Fault]:
    """All that can be said of one file alone."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if "\0" in text:
        return
    if place not in WRITTEN_BY_TOOLS:
        for line, found in lines_of(MACHINE.pattern, text):
            rule = f"`{found[0]}`: nothing here names a path of one machine or the host of a package registry"
            yield Fault(place, line, rule)
    if place.endswith((".rs", ".py", ".pyi")):
        lines = text.count("\n")
        if lines > MAX_LINES:
            yield Fault(place, lines, f"{lines} lines; a file has at most {MAX_LINES}")
        yield from (check_rust if place.endswith(".rs") else check_python)(place, text)


def check_edges(metadata: dict[str, Any]) -> Iterator[Fault]:
    """What the crates say in their manifests, as `cargo metadata --no-deps` tells it."""
    if "failed" in metadata:
        yield Fault("Cargo.toml", 0, f"the manifests cannot be read: {metadata['failed']}")
    for package in metadata["packages"]:
        name = str(package["name"])
        place = f"crates/{name}/Cargo.toml"
        if name not in HOUSE:
            yield Fault(place, 0, f"crate {name} has no place in the tables of tools/house.py")
            continue
        for one in package["dependencies"]:
            if one["kind"] == "dev":
                continue
            used, ours = one["name"], one.get("path") is not None
            allowed = HOUSE[name] if ours else OUTSIDE[name]
            if used not in allowed:
                listed = ", ".join(sorted(allowed)) or "none"
                rule = f"{name} may not use {used}; {'of ours' if ours else 'of others'} it may use: {listed}"
                yield Fault(place, 0, rule)


def git_files(root: Path) -> list[str]:
    """What is tracked, or would be: neither ignored nor deleted."""
    said = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    return sorted({name for name in said.stdout.decode().split("\0") if name and (root / name).is_file()})


def cargo_metadata(root: Path) -> dict[str, Any]:
    """The workspace's manifests. `--no-deps` reads nothing from a network."""
    said = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    if said.returncode:
        return {"packages": [], "failed": " ".join(said.stderr.decode().split())}
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer


def check(root: Path, files: list[str], metadata: dict[str, Any]) -> list[Fault]:
    """Every fault, in order."""
    faults = list(check_edges(metadata))
    for place in files:
        faults += check_file(place, (root / place).read_bytes())
    return sorted(faults)


def manifest(name: str, *uses: str, outside: tuple[str, ...] = (), kind: str | None = None) -> dict[str, Any]:
    """One crate as `cargo metadata` would describe it."""
    ours = [{"name": one, "kind": kind, "path": one} for one in uses]
    return {"name": name, "dependencies": [*ours, *({"name": one, "kind": kind} for one in outside)]}


SOUND = {
    "crates/wire/src/lib.rs": "//! Seam.\n#![deny(unsafe_code)]\n// unsafe std:: json /* */\n",
    "crates/scan/src/x.rs": "//! S.\nuse core::arch::x86_64;\nfn f() { unsafe { std::g() } }\n",
    "crates/json/src/lib.rs": "//! J.\n#![forbid(unsafe_code)]\npub struct JsonX;\n#[cfg(test)]\nmod tests {\n use std::x;\n}\n",
    "crates/engine/src/lib.rs": "//! E.\nfn f<'a>(x: &'a str) -> char { g(\"unsafe std::json\", r#\"a\"json\"#); '\"' }\n",
    "crates/engine/tests/a.rs": "//! T.\nuse std::x; use json::Reader;\n",
    "crates/py/build.rs": "fn main() { std::f() }\n",
    "crates/edge/src/instances.rs": "//! I.\nuse json::Reader;\n",
    "python/oxwire/compat/a.py": '"""C."""\nimport datetime\nfrom .. import _oxwire\nfrom ..json import encode\n',
    "python/oxwire/cli.py": '# C.\ndef f():\n    import rich\nfrom ._words import x\n',
    "tests/test_a.py": "# T: ~/src/x and a/home/b\nimport numpy\n",
}  # fmt: skip

# Each: what is planted where, and a word of the message that must come.
PLANTED: tuple[tuple[str, str, str], ...] = (
    ("crates/engine/src/a.rs", "//! A.\nuse pyo3_ffi as ffi;\n", "behind the fence"),
    ("crates/engine/src/a.rs", "//! A.\n#[cfg(Py_3_12)]\nfn f() {}\n", "Py_3_12"),
    ("crates/json/src/a.rs", "//! A.\nuse core::arch::x86_64;\n", "core::arch"),
    ("crates/engine/src/a.rs", "//! A.\nfn f() { /* x */ unsafe { g() } }\n", "unsafe"),
    ("crates/wire/src/a.rs", "//! A.\n#![allow(unsafe_code)]\n", "allow(unsafe_code"),
    ("crates/wire/src/a.rs", "//! A.\nuse std::vec::Vec;\n", "std::"),
    (
        "crates/wire/src/a.rs",
        "//! A.\n#[cfg(test)]\nmod t { fn f() {} }\nuse std::vec::Vec;\n",
        ":4: `std::`",
    ),
    ("crates/engine/src/a.rs", "//! A.\nfn to_json() {}\n", "names the format json"),
    ("crates/engine/src/a.rs", "//! A.\nstruct JsonX;\n", "JsonX"),
    ("crates/engine/src/a.rs", "//! A.\nconst C: char = '\\'';\nuse native::Reader;\n", ":3: `native`"),
    ("crates/json/src/a.rs", "//! A.\nfn MsgPackX() {}\n", "names the format msgpack"),
    ("crates/wire/src/a.rs", "fn f() {}\n", "opens with `//!`"),
    ("crates/wire/src/a.rs", "//! A.\n" + "\n" * MAX_LINES, "at most"),
    ("crates/msgpack/src/lib.rs", "//! M.\n// #![forbid(unsafe_code)]\n", "forbid"),
    ("tools/a.py", "#!/usr/bin/env python\nimport os\n", "docstring"),
    ("tests/a.py", "# A.\n" + "x = 1\n" * MAX_LINES, "at most"),
    ("python/oxwire/compat/a.py", '"""A."""\nfrom .._words import x\n', "compat uses"),
    ("python/oxwire/compat/a.py", '"""A."""\nfrom oxwire import _words\n', "compat uses"),
    ("python/oxwire/compat/a.py", '"""A."""\nfrom ..json import _x\n', "compat uses"),
    ("python/oxwire/compat/a.py", '"""A."""\ndef f():\n    import numpy\n', "not ours"),
    ("python/oxwire/a.py", '"""A."""\nimport numpy as np\n', "not ours"),
    ("docs/a.md", "see /ho" + "me/someone/x\n", "one machine"),
    ("docs/a.md", "from https://py" + "pi.org/simple\n", "registry"),
)


def self_test() -> int:
    """Plant one fault at a time in a sound little tree; each must be the only one found."""
    sound = [
        manifest("wire"),
        manifest("py", "wire", outside=("pyo3-ffi",)),
        manifest("json", "wire"),
        manifest("engine", "wire", "py"),
        manifest("engine", "json", kind="dev"),
        manifest("edge", "wire", "json", "py", "engine"),
    ]
    broken_edges = (
        (manifest("wire", "json"), "wire may not use json"),
        (manifest("json", "py"), "json may not use py"),
        (manifest("engine", "json"), "engine may not use json"),
        (manifest("engine", outside=("memchr",)), "engine may not use memchr"),
        (manifest("oxwire", outside=("pyo3-ffi",)), "oxwire may not use pyo3-ffi"),
        (manifest("attic"), "no place"),
    )
    wrong: list[str] = []

    def see(what: str, tree: dict[str, str], packages: list[dict[str, Any]], word: str | None) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for place, text in tree.items():
                (Path(folder) / place).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / place).write_text(text)
            said = [str(fault) for fault in check(Path(folder), sorted(tree), {"packages": packages})]
        if not (len(said) == 1 and word in said[0] if word else not said):
            wrong.append(f"{what}: the house said {said or 'nothing'}")

    see("a sound tree", SOUND, sound, None)
    for place, text, word in PLANTED:
        see(f"{place} {text[:70]!r}", SOUND | {place: text}, sound, word)
    for package, word in broken_edges:
        see(word, SOUND, [*sound, package], word)
    for one in wrong:
        print(one)
    passed = 1 + len(PLANTED) + len(broken_edges) - len(wrong)
    print(f"house: {passed} of its own tests passed, {len(wrong)} failed")
    return 1 if wrong else 0


def main(args: list[str]) -> int:
    """Read the command line."""
    if args == ["--self-test"]:
        return self_test()
    if args:
        print(__doc__)
        return 2
    faults = check(ROOT, git_files(ROOT), cargo_metadata(ROOT))
    for fault in faults:
        print(fault)
    print(f"house: {len(faults)} faults" if faults else "the house stands")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
