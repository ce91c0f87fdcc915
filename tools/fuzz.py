"""Build the fuzz targets and run each for a while.

    python tools/fuzz.py [--seconds N] [--build] [TARGET...]

The targets are the binaries of fuzz/Cargo.toml, their format before the first underscore. Each starts from what it found
before (fuzz/corpus/TARGET) and from seeds: for JSON those of fuzz/seeds, for the others the bytes of vectors/. An input
that breaks a target is kept in fuzz/artifacts. `--build` builds and runs nothing.

What may surprise: neither a nightly compiler nor cargo-fuzz is needed. FLAGS are what cargo-fuzz would pass, less the
address sanitizer, which only nightly has; debug assertions are on, so that a broken promise to an
unsafe function is seen all the same. `--target` keeps the flags away from build scripts.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import native

import vectors

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"
# The longest input, in bytes.
LONGEST = 8192
FLAGS = (
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Clink-dead-code",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "--cfg",
    "fuzzing",
)


def host() -> str:
    """The triple that rustc builds for by itself."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^host: (\S+)$", said, re.MULTILINE)
    assert found is not None
    return found[1]


def build(triple: str) -> Path:
    """Build every target; the folder they are in."""
    folder = FUZZ / "target"
    env = os.environ | {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(FLAGS), "CARGO_TARGET_DIR": str(folder)}
    command = [
        "cargo",
        "build",
        "--release",
        "--bins",
        "--target",
        triple,
        "--manifest-path",
        FUZZ / "Cargo.toml",
    ]
    subprocess.run(command, env=env, check=True)
    return folder / triple / "release"


def seeds_of_vectors(folder: Path) -> None:
    """Put the bytes of every vector into folders by format, each as a file, but those too long to be seeds."""
    (folder / "native").mkdir()
    for _, said in native.cases():
        data = vectors.octets(said["bytes"])
        if len(data) <= LONGEST:
            (folder / "native" / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    (folder / "msgpack").mkdir()
    for case in vectors.cases():
        for data in (case.data, case.canonical, *case.also, *case.also_strict):
            if data is not None and len(data) <= LONGEST:
                # One target takes the first byte for something else.
                for seed in (data, b"\x40" + data):
                    (folder / "msgpack" / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


def run(binary: Path, seconds: int, seeds: Path) -> bool:
    """Whether a target ran its time without a fault."""
    corpus = FUZZ / "corpus" / binary.name
    artifacts = FUZZ / "artifacts" / binary.name
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-artifact_prefix={artifacts}/",
        "-timeout=10",
        "-rss_limit_mb=2048",
        f"-max_len={LONGEST}",
    ]
    done = subprocess.run(
        [binary, *options, corpus, seeds],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    said = done.stdout.decode(errors="replace").splitlines()
    if done.returncode:
        print("\n".join(said[-40:]))
        print(f"fuzz: {binary.name}: FAILED; the input is in fuzz/artifacts/{binary.name}", flush=True)
        return False
    runs = next((line for line in reversed(said) if line.startswith("Done ")), "no count")
    covered = next((m[1] for line in reversed(said) if (m := re.search(r"cov: (\d+)", line))), "?")
    print(f"fuzz: {binary.name}: {runs}, {covered} edges covered, no fault", flush=True)
    return True


def main() -> int:
    """Read the command line."""
    manifest = tomllib.loads((FUZZ / "Cargo.toml").read_text())
    known = [one["name"] for one in manifest["bin"]]
    parser = argparse.ArgumentParser(description="Build the fuzz targets and run each for a while.")
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"among {', '.join(known)}; all by default"
    )
    parser.add_argument("--seconds", type=int, default=30, help="for each target (default 30)")
    parser.add_argument("--build", action="store_true", help="build only")
    args = parser.parse_args()
    if unknown := set(args.targets) - set(known):
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    try:
        folder = build(host())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"fuzz: could not build ({error}); it needs Rust and a C++ compiler", file=sys.stderr)
        return 2
    if args.build:
        return 0
    with tempfile.TemporaryDirectory() as made:
        seeds_of_vectors(Path(made))
        seeds = {"json": FUZZ / "seeds", "msgpack": Path(made) / "msgpack", "native": Path(made) / "native"}
        names = args.targets or known
        failed = [name for name in names if not run(folder / name, args.seconds, seeds[name.split("_")[0]])]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
