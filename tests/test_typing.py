"""What checkers of types make of the stubs: `typing/revealed.py` without a word, `typing/refused.py` with one for each mark."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import oxwire

HERE = Path(__file__).parent / "typing"
# Where the package is that is being tested, as an import would find it.
ROOT = Path(oxwire.__file__).parent.parent

pytestmark = pytest.mark.slow


def needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def run(*command, cwd):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)], capture_output=True, cwd=cwd, check=False
    )
    return done.stdout.decode() + done.stderr.decode()


def mypy(file, folder):
    # Installed packages are found by mypy itself, and a source tree by its path.
    (folder / "mypy.ini").write_text(
        "[mypy]\nstrict = true\n" + ("" if "site-packages" in str(ROOT) else f"mypy_path = {ROOT}\n")
    )
    said = run(
        "mypy",
        "--config-file",
        "mypy.ini",
        "--python-version",
        "3.11",
        "--cache-dir",
        folder,
        file,
        cwd=folder,
    )
    return [(int(line), text) for line, text in re.findall(r"\.py:(\d+): error: (.*)", said)], said


def basedpyright(file, folder):
    options = {
        "extraPaths": [str(ROOT)],
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
        "include": [str(file)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(options))
    said = run("basedpyright", "--outputjson", "-p", folder, cwd=folder)
    found = json.loads(said[said.index("{") :])["generalDiagnostics"]
    return [
        (one["range"]["start"]["line"] + 1, one["message"]) for one in found if one["severity"] == "error"
    ], said


def ty(file, folder):
    said = run(
        "ty",
        "check",
        "--output-format",
        "concise",
        "--extra-search-path",
        ROOT,
        "--python-version",
        "3.11",
        file,
        cwd=folder,
    )
    return [(int(line), text) for line, text in re.findall(r"\.py:(\d+):\d+: error(.*)", said)], said


each_checker = pytest.mark.parametrize("checker", [mypy, basedpyright, ty])


@each_checker
def test_what_is_inferred(checker, tmp_path):
    needs(checker.__name__)
    found, said = checker(HERE / "revealed.py", tmp_path)
    assert found == [], said


@each_checker
def test_what_is_refused(checker, tmp_path):
    needs(checker.__name__)
    file = HERE / "refused.py"
    lines = enumerate(file.read_text().splitlines(), 1)
    passed = f"# refused, but not by {checker.__name__}"
    marked = {number for number, line in lines if "# refused" in line and not line.endswith(passed)}
    found, said = checker(file, tmp_path)
    assert {line for line, _ in found} == marked, said
