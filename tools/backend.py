"""The build backend: maturin's wheel, with the modules of the command line in an archive.

    python tools/backend.py FOLDER     does to the wheels in a folder what building through pip does

`pip` and its kin call the functions (PEP 517). What may surprise: Python reads modules out of a zip archive by itself, so
nothing in the package knows but one line in `oxwire/__init__.py`; a source tree and an editable install have the
modules as files. docs/decisions/0013-archive.md says why.
"""

import base64
import hashlib
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

# Modules that only `python -m oxwire` imports.
COMMANDS = ("_bench", "_cli", "_convert", "_inspect", "_shell")
ARCHIVE = "oxwire/_commands.zip"
# The same bytes whenever they are built.
DATE = (1980, 1, 1, 0, 0, 0)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for name, data in sorted(files.items()):
            zipped.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def recorded(name: str, data: bytes) -> str:
    """A file's row in RECORD (the wheel specification, "The .dist-info directory")."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def pack(wheel: Path) -> None:
    """Moves the modules of the command line into an archive inside a wheel. A packed wheel stays as it is."""
    with zipfile.ZipFile(wheel) as old:
        files = {one: old.read(one) for one in old.infolist() if not one.is_dir()}
    named = {one.filename: data for one, data in files.items()}
    moved = {f"oxwire/{module}.py": f"{module}.py" for module in COMMANDS}
    if ARCHIVE in named:
        return
    packed = archive({moved[name]: data for name, data in named.items() if name in moved})
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as out:
        for one, data in files.items():
            if one.filename in moved:
                continue
            if one.filename.endswith(".dist-info/RECORD"):
                rows = [row for row in data.decode().splitlines() if row.split(",")[0] not in moved]
                rows.insert(-1, recorded(ARCHIVE, packed))
                data = "".join(f"{row}\n" for row in rows).encode()
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
