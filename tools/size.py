"""What an installed oxwire weighs, by part, and what is in the extension.

    python tools/size.py [WHEEL or FOLDER]

Without an argument the newest wheel in target/wheels is weighed; a folder is taken to be a site-packages with oxwire
in it. Nothing is built. Exits with 1 when the whole is heavier than LIMIT, or when the extension names a folder of the
machine that it was built on.

What may surprise: the byte code that installers write beside the Python files is not counted, since it differs
between installers. Sizes are those of the files, not of disk blocks. The table by crate needs
an unstripped build (`cargo build --profile profiling -p oxwire`), and counts code only.
"""

import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 629_145  # 0.6 MiB

EXTENSION = "extension"
PARTS = {EXTENSION: (".so", ".pyd"), "Python files": (".py", ".z"), "stubs": (".pyi", "py.typed")}
OTHER = "metadata"

# What a section is for, by how its name begins. The first that fits counts.
SECTIONS = (
    ("unwinding", (".eh_frame", ".gcc_except_table")),
    ("relocations", (".rela", ".relr", ".rel.", ".got", ".plt")),
    ("code", (".text", ".init", ".fini")),
    ("constants", (".rodata", ".data.rel.ro")),
    ("data", (".data", ".tdata")),
    ("symbols", (".dynsym", ".dynstr", ".gnu.hash", ".hash", ".gnu.version", ".symtab", ".strtab")),
)
# A source file by its whole path: a panic says where it is. Those of the compiler's own libraries are the same everywhere.
MACHINE = re.compile(rb"(?<![\w.-])(?!/rustc/)(?:/|[A-Z]:\\)[\w.@+/\\-]+\.rs\b")
OURS = ("oxwire", "edge", "pairs", "reads", "engine", "model", "py", "native", "msgpack", "json", "wire")


def files_of(path: Path) -> dict[str, bytes]:
    """The files that an installation of the wheel, or the folder, holds for oxwire."""
    if path.is_file():
        with zipfile.ZipFile(path) as wheel:
            return {one.filename: wheel.read(one) for one in wheel.infolist() if not one.is_dir()}
    found: dict[str, bytes] = {}
    for top in [path / "oxwire", *path.glob("oxwire-*.dist-info")]:
        for one in top.rglob("*"):
            if one.is_file() and one.suffix != ".pyc":
                found[str(one.relative_to(path))] = one.read_bytes()
    return found


def part_of(name: str) -> str:
    """The part of the installation that a file belongs to."""
    return next((part for part, ends in PARTS.items() if name.endswith(ends)), OTHER)


def sections_of(image: bytes) -> Counter[str]:
    """Bytes of a 64-bit little-endian ELF file by what they are for; empty for any other kind of file."""
    sizes: Counter[str] = Counter()
    if image[:6] != b"\x7fELF\x02\x01":
        return sizes
    (at,) = struct.unpack_from("<Q", image, 0x28)
    step, count, names_index = struct.unpack_from("<HHH", image, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, at + i * step) for i in range(count)]
    names = headers[names_index][4]
    for name_at, kind, _, _, _, size, *_ in headers:
        if kind in (0, 8):  # nothing, or zeros that take no place in the file
            continue
        name = image[names + name_at : image.index(b"\0", names + name_at)].decode()
        sizes[next((what for what, starts in SECTIONS if name.startswith(starts)), "other sections")] += size
    sizes["headers and padding"] = len(image) - sum(sizes.values())
    return sizes


def machine_paths(image: bytes) -> set[str]:
    """What an extension says of the machine that it was built on: paths of sources, and of homes."""
    home = str(Path.home()).encode()
    found = {one.decode() for one in MACHINE.findall(image)}
    return found | ({home.decode()} if len(home) > 1 and home + b"/" in image else set())


def crate_of(name: str) -> str:
    """The crate of a demangled function: the first of ours that it names, or else the first that it names at all.

    A generic function is compiled for those who call it, so `<engine::Walk<json::Writer>>::any` counts for
    the engine, and `core::slice::sort::<wire::Str>` for wire: it would not be here without it.
    """
    crates = re.findall(r"(?<![\w:])([a-z_]\w*)(?:\[[0-9a-f]+\])?::", name)
    return next((one for one in crates if one in OURS), crates[0] if crates else "no crate")


def crates_of(library: Path) -> Counter[str]:
    """Bytes of code by crate, as `nm` tells them."""
    said = subprocess.run(
        ["nm", "--size-sort", "-C", "-S", "--defined-only", library],
        capture_output=True,
        text=True,
        check=True,
    )
    sizes: Counter[str] = Counter()
    for line in said.stdout.splitlines():
        fields = line.split(maxsplit=3)
        if len(fields) == 4 and fields[2] in "tTwW":
            sizes[crate_of(fields[3])] += int(fields[1], 16)
    return sizes


def table(title: str, sizes: Counter[str]) -> None:
    """Print sizes, the greatest first."""
    print(f"\n{title}")
    for what, size in sizes.most_common():
        print(f"  {what:<22}{size:>10,}")


def main(args: list[str]) -> int:
    """Weigh, print, judge."""
    wheels = sorted((ROOT / "target" / "wheels").glob("oxwire-*.whl"), key=lambda one: one.stat().st_mtime)
    if not args and not wheels:
        print("size: no wheel in target/wheels; `make build` makes them", file=sys.stderr)
        return 2
    path = Path(args[0]) if args else wheels[-1]
    files = files_of(path)
    parts: Counter[str] = Counter()
    failed = False
    for name, data in files.items():
        parts[part_of(name)] += len(data)
    print(path.name, f"({path.stat().st_size:,} bytes packed)" if path.is_file() else "")
    table("installed, by part", parts)
    for name, data in files.items():
        if part_of(name) != EXTENSION:
            continue
        if sections := sections_of(data):
            table(f"{Path(name).name}, by section", sections)
        for one in sorted(machine_paths(data)):
            print(f"\n{Path(name).name} names {one}", file=sys.stderr)
            failed = True
    unstripped = ROOT / "target" / "profiling" / "liboxwire.so"
    if unstripped.exists() and shutil.which("nm"):
        table("code by crate (target/profiling, which may be older than the wheel)", crates_of(unstripped))
    total = sum(parts.values())
    print(f"\nsize: {total:,} bytes installed, {total / LIMIT:.1%} of the {LIMIT:,} allowed")
    return 1 if failed or total > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
