"""The build backend: maturin's wheel, with modules that are seldom wanted in an archive.

    python tools/backend.py FOLDER     does to the wheels in a folder what building through pip does

`pip` and its kin call the functions (PEP 517). What may surprise: Python reads modules out of a zip archive by itself, so
nothing in the package knows but one line in two `__init__.py`; a source tree and an editable install have the
modules as files. docs/decisions/0013-archive.md says why.
"""

import ast
import base64
import hashlib
import io
import re
import sys
import tokenize
import zipfile
from pathlib import Path
from typing import Any

# Private modules that `import oxwire` itself imports, and so stay files. All others go into the archive,
KEPT = ("__init__", "__main__", "_errors", "_files", "_meta", "_msgpack", "_struct")
# and these, whose public names are in their stubs.
ALSO = (
    "compat/msgpack/packer",
    "compat/msgpack/unpacker",
    "compat/msgspec/codecs",
    "inspect",
    "toml",
    "yaml",
)
# Stubs that only the checks of this project read;
HOME_STUBS = ("_annotations", "_builtins", "_meta", "_oxwire", "_scalars", "_schema", "_texts", "_types")
# and those that say no more than their modules do, which are in the wheel as they are.
HOME_STUBS += tuple(
    f"compat/msgspec/{one}" for one in ("__init__", "inspect", "json", "msgpack", "structs", "toml", "yaml")
)
ARCHIVE = "oxwire/_modules.zip"
# The same bytes whenever they are built.
DATE = (1980, 1, 1, 0, 0, 0)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for name, data in sorted(files.items()):
            zipped.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def has_public_names(name: str) -> bool:
    """Whether users see what a module of the archive has, and may ask for its words."""
    return not Path(name).stem.startswith("_") or name == "_clojure.py"


def is_left_out(name: str) -> bool:
    """Whether a file of a wheel is of use to nobody who installs it."""
    return name in [f"oxwire/{one}.pyi" for one in HOME_STUBS]


def is_moved(name: str) -> bool:
    """Whether a file of a wheel goes into the archive."""
    folder, _, file = name.rpartition("/")
    module = file.removesuffix(".py")
    if folder == "oxwire" and module.startswith("_") and module not in KEPT:
        return file.endswith(".py")
    return name in [f"oxwire/{one}.py" for one in ALSO]


def without_comments(source: bytes) -> list[str]:
    """The lines of a module, each where it was."""
    lines = source.decode().splitlines()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return lines


def bare(source: bytes) -> bytes:
    """A module without comments, and without the docstrings of its functions and classes."""
    lines = without_comments(source)
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node)
            and len(node.body) > 1
        ):
            words = node.body[0]
            lines[words.lineno - 1 : words.end_lineno] = [""] * ((words.end_lineno or 0) - words.lineno + 1)
    return "".join(f"{line}\n" for line in lines).encode()


def brief(source: bytes) -> bytes:
    """A stub as a checker reads it, without its words: those are in the sources and in the documentation."""
    lines: list[str | None] = [*without_comments(source)]
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", ())
        for one in body:
            if (
                isinstance(one, ast.Expr)
                and isinstance(one.value, ast.Constant)
                and isinstance(one.value.value, str)
            ):
                lines[one.lineno - 1 : one.end_lineno] = [None] * ((one.end_lineno or 0) - one.lineno + 1)
                if len(body) == 1:
                    lines[one.lineno - 1] = f"{' ' * one.col_offset}..."
    code = ast.unparse(ast.parse("".join(f"{line}\n" for line in lines if line)))
    code = re.sub(r":\n +\.\.\.$", ": ...", code, flags=re.MULTILINE)
    # A level is one blank: checkers do not mind, and it is a tenth of a stub.
    code = re.sub(r"^(?: {4})+", lambda level: " " * (len(level[0]) // 4), code, flags=re.MULTILINE)
    return "".join(f"{line}\n" for line in code.splitlines() if line).encode()


def archived(files: dict[str, bytes]) -> dict[str, bytes]:
    """What stands in the archive for some files of a wheel. What is public keeps its words."""
    moved = {name.removeprefix("oxwire/"): data for name, data in files.items() if is_moved(name)}
    return {name: data if has_public_names(name) else bare(data) for name, data in moved.items()}


def installed(name: str, data: bytes) -> bytes:
    """A file of a wheel as it is installed, if it is not in the archive."""
    if name.endswith(".pyi"):
        return brief(data)
    if name.endswith(".py"):
        return "".join(f"{line}\n" for line in without_comments(data)).encode()
    return data


def recorded(name: str, data: bytes) -> str:
    """A file's row in RECORD (the wheel specification, "The .dist-info directory")."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def pack(wheel: Path) -> None:
    """Moves modules into an archive inside a wheel. A packed wheel stays as it is."""
    with zipfile.ZipFile(wheel) as old:
        files = {one: old.read(one) for one in old.infolist() if not one.is_dir()}
    named = {one.filename: data for one, data in files.items()}
    if ARCHIVE in named:
        return
    packed = archive(archived(named))
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as out:
        for one, data in files.items():
            if is_moved(one.filename) or is_left_out(one.filename):
                continue
            data = installed(one.filename, data)
            if one.filename.endswith(".dist-info/RECORD"):
                # It lists itself last.
                itself = data.decode().splitlines()[-1]
                rows = [
                    recorded(name, installed(name, old))
                    for name, old in named.items()
                    if not (is_moved(name) or is_left_out(name))
                ]
                rows = [row for row in rows if row.split(",")[0] != one.filename]
                data = "".join(f"{row}\n" for row in [*rows, recorded(ARCHIVE, packed), itself]).encode()
            out.writestr(one, data)
        out.writestr(zipfile.ZipInfo(ARCHIVE, DATE), packed)
    wheel.write_bytes(new.getvalue())


def build_wheel(folder: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds a wheel into a folder and gives its name."""
    import maturin

    name: str = maturin.build_wheel(folder, config_settings, metadata_directory)
    pack(Path(folder, name))
    return name


def __getattr__(name: str) -> Any:
    """Everything else is maturin's. It is imported only now: the checks of this file need none."""
    import maturin

    return getattr(maturin, name)


if __name__ == "__main__":
    for path in Path(sys.argv[1]).glob("oxwire-*.whl"):
        pack(path)
