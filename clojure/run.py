"""The Clojure part of `make test` and `make bench-clojure`: finds JDKs and Maven, and runs what there is.

    python clojure/run.py test                every Clojure version on one JDK, the newest on the others
    python clojure/run.py bench               the tables of clojure/README.md
    python clojure/run.py java [JDK]          the command that runs Clojure with the library and its tests, as JSON

What may surprise: Maven is asked once for each version of Clojure where the jars are, and for compiling; the tests
are started without it, which is faster and leaves their last lines last. Without a JDK or Maven this says so and
ends well. Where they are there and fail it says so too, and under CI=true that is a failure.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TARGET = ROOT / "target"
# What is tried; the first is what the library is compiled against.
CLOJURES = ("1.12.6", "1.10.3", "1.11.4", "1.13.0-alpha6")
OLDEST = 11
# Places where JDKs are kept, by platform and by tool.
PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)
HEAP = "-Xmx256m"
BENCH = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:-BackgroundCompilation"]
LIBRARIES = ("oxwire", "msgpack-java", "msgpack-java-kept", "jackson", "transit")
DATA = ("small", "rows", "doubles", "longs", "text")


class Missing(Exception):
    """There is no JDK or no Maven here."""


class Broken(Exception):
    """There is, and it does not work."""


def version_of(home: Path) -> int:
    """The feature version of a JDK, or 0 if it is none."""
    if not (home / "bin" / "javac").exists():
        return 0
    try:
        said = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Broken(f"{home} does not start: {error}") from None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr)
    if said.returncode or not found:
        raise Broken(f"{home} does not tell its version: {said.stderr}")
    return int(found[1])


def jdks() -> dict[int, Path]:
    """A JDK for each version that is here, JAVA_HOME first."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if javac := shutil.which("javac"):
        homes.append(Path(javac).resolve().parent.parent)
    for place in PLACES:
        path = Path(place).expanduser()
        first = next(i for i, part in enumerate(path.parts) if "*" in part)
        homes += sorted(Path(*path.parts[:first]).glob("/".join(path.parts[first:])))
    found: dict[int, Path] = {}
    for home in dict.fromkeys(home.resolve() for home in homes):
        version = version_of(home)
        if version >= OLDEST:
            found.setdefault(version, home)
    return found


def tools() -> tuple[dict[int, Path], str]:
    """The JDKs by version and Maven, or why not."""
    found = jdks()
    if not found:
        raise Missing(f"no JDK of version {OLDEST} or later was found (JAVA_HOME, PATH, {PLACES[0]} ...)")
    maven = shutil.which("mvn")
    if not maven:
        raise Missing("there is a JDK, but no Maven (mvn) on the PATH")
    return found, maven


def run_maven(maven: str, home: Path, *args: str) -> None:
    """One run of Maven, quiet unless it fails."""
    said = subprocess.run(
        [maven, "-B", "-q", *args],
        cwd=ROOT,
        env=os.environ | {"JAVA_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if said.returncode:
        raise Broken(f"Maven failed:\n{said.stdout}{said.stderr}")


def newer(sources: list[Path], made: Path) -> bool:
    """Whether something has to be made again."""
    return not made.exists() or any(one.stat().st_mtime > made.stat().st_mtime for one in sources)


def classpath(maven: str, home: Path, clojure: str, *profiles: str) -> str:
    """The jars for a version of Clojure."""
    kept = TARGET / f"classpath-{'-'.join([clojure, *profiles])}.txt"
    if newer([ROOT / "pom.xml"], kept):
        TARGET.mkdir(exist_ok=True)
        run_maven(
            maven, home, *(f"-P{one}" for one in profiles), f"-Dclojure.version={clojure}",
            "dependency:build-classpath", "-DincludeScope=test", f"-Dmdep.outputFile={kept}",
        )  # fmt: skip
    return kept.read_text().strip()


def compiled(maven: str, home: Path) -> Path:
    """The folder of classes, made anew if a source is newer."""
    stamp = TARGET / "compiled.stamp"
    sources = [
        ROOT / "pom.xml",
        *ROOT.glob("java/**/*.java"),
        *ROOT.glob("src/**/*"),
        *ROOT.glob("resources/**/*"),
    ]
    if newer(sources, stamp):
        run_maven(maven, home, "process-classes")
        stamp.touch()
    return TARGET / "classes"


def java(home: Path, jars: str, *flags: str) -> list[str]:
    """The command up to clojure.main's arguments, for the folder clojure/."""
    return [
        str(home / "bin" / "java"), *flags, "-cp",
        os.pathsep.join(["test", str(TARGET / "classes"), jars]), "clojure.main",
    ]  # fmt: skip


def test() -> int:
    """The tests, by version. The newest JDK and the oldest run all on the main Clojure."""
    found, maven = tools()
    order = sorted(found)
    compiled(maven, found[order[0]])
    pairs = [(jdk, CLOJURES[0]) for jdk in dict.fromkeys([order[0], order[-1]])]
    pairs += [(order[-1 - i % len(order)], clojure) for i, clojure in enumerate(CLOJURES[1:])]
    ended, bad = [], 0
    for jdk, clojure in pairs:
        print(f"== clojure.test, Clojure {clojure}, JDK {jdk}", flush=True)
        command = java(found[jdk], classpath(maven, found[jdk], clojure), HEAP)
        # Other versions are about what the library calls; what it does is the same, so fewer values are made up there.
        tries = os.environ.get("OXWIRE_TRIES") or ("200" if clojure == CLOJURES[0] else "30")
        said = subprocess.run(
            [*command, "-m", "oxwire.runner"],
            cwd=ROOT, env=os.environ | {"OXWIRE_TRIES": tries}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        lines = (said.stdout + said.stderr).strip().splitlines()
        ended.append(
            lines[-1] if lines and lines[-1].startswith("clojure: ") else f"clojure: no result ({lines[-1:]})"
        )
        if said.returncode:
            bad += 1
            print("\n".join(lines[-200:]))
    print("\n".join(ended), flush=True)
    return 1 if bad else 0


def measure(command: list[str], library: str, data: str) -> dict[str, dict[str, float]]:
    """What one library needs for one data set, in a JVM of its own."""
    said = subprocess.run(
        [*command, "-m", "oxwire.bench", library, data],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if said.returncode:
        print(said.stderr[-500:], file=sys.stderr)
        return {}
    rows = re.findall(
        r'\{:what "([\w-]+)", :min ([\d.E-]+), :median ([\d.E-]+), :allocated ([\d.E-]+)\}', said.stdout
    )
    return {what: {"min": float(a), "median": float(b), "allocated": float(c)} for what, a, b, c in rows}


def bench(args: list[str]) -> int:
    """A table for each JDK (those named, or oldest and newest) and data set (those named, or all)."""
    found, maven = tools()
    order = sorted(found)
    chosen = [int(one) for one in args if one.isdigit()] or list(dict.fromkeys([order[0], order[-1]]))
    sets = [one for one in args if one in DATA] or DATA
    compiled(maven, found[order[0]])
    jars = classpath(maven, found[order[0]], CLOJURES[0], "bench")
    made = TARGET / "bench"
    made.mkdir(exist_ok=True)
    javac = found[order[0]] / "bin" / "javac"
    subprocess.run(
        [javac, "--release", "11", "-cp", jars, "-d", made, *(ROOT / "bench" / "java").glob("**/*.java")],
        check=True,
    )
    for jdk in chosen:
        for data in sets:
            print(
                f"\n== {data}, JDK {jdk}, Clojure {CLOJURES[0]}: microseconds, minimum (median), bytes allocated",
                flush=True,
            )
            base: dict[str, dict[str, float]] = {}
            for library in LIBRARIES:
                command = java(found[jdk], os.pathsep.join(["bench", str(made), jars]), *BENCH)
                rows = measure(command, library, data)
                base = base or rows
                cells = []
                for what, row in rows.items():
                    ratio = row["min"] / base[what]["min"]
                    cells.append(
                        f"{what} {row['min'] / 1000:8.2f} ({row['median'] / 1000:.2f}) {row['allocated']:9.0f} B {ratio:5.2f}x"
                    )
                print(f"{library:18} " + " | ".join(cells), flush=True)
    return 0


def main(args: list[str]) -> int:
    """Read the command line."""
    try:
        if args == ["test"]:
            return test()
        if args[:1] == ["bench"]:
            return bench(args[1:])
        if args[:1] == ["java"]:
            found, maven = tools()
            home = found[int(args[1])] if args[1:] else found[min(found)]
            compiled(maven, home)
            print(
                json.dumps(
                    {"command": java(home, classpath(maven, home, CLOJURES[0]), HEAP), "cwd": str(ROOT)}
                )
            )
            return 0
    except (Missing, Broken) as why:
        if isinstance(why, Broken) and os.environ.get("CI") == "true":
            print(f"clojure: {why}", file=sys.stderr)
            return 1
        asked = args[:1] == ["java"]
        print(f"clojure: the tests are SKIPPED: {why}", file=sys.stderr if asked else sys.stdout)
        return 3 if asked else 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
