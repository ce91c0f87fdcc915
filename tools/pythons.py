"""Find the CPythons on this machine that oxwire can be built for: one for each minor version.

Prints `tag path` lines, such as `3.12 .../bin/python3.12`; a build without the GIL has the tag `3.14t`.
`--default` prints only the path to take when one is enough; `--make` prints `tag=path` words, that one first.

What may surprise: this file runs on whatever Python is found first, which may be older than those it
looks for, so it keeps to old spellings. A candidate is asked what it is by running it: names lie
(a pyenv shim may stand for nothing, and a virtual environment for something else).
"""

import glob
import json
import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
NEWEST_NAMED = 15
# When one Python is enough, the newest of those that every optional peer has wheels for.
SETTLED = ((3, 11), (3, 13))

ASK = """
import sys, sysconfig, json, importlib.util
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": list(sys.version_info),
    "debug": hasattr(sys, "gettotalrefcount"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "path": getattr(sys, "_base_executable", None) or sys.executable,
    "venv": importlib.util.find_spec("ensurepip") is not None,
}))
"""


def candidates():
    """Everything that may be a Python, without asking it yet."""
    roots = [os.path.join(os.path.expanduser("~"), ".pyenv")]
    if shutil.which("pyenv"):
        try:
            said = subprocess.run(
                ["pyenv", "root"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=False
            )
            roots.insert(0, said.stdout.decode().strip())
        except (OSError, subprocess.SubprocessError):
            pass
    for root in roots:
        if root:
            for path in sorted(glob.glob(os.path.join(root, "versions", "*", "bin", "python"))):
                yield path
    names = ["python3"] + [
        "python3.%d%s" % (minor, t) for minor in range(11, NEWEST_NAMED + 1) for t in ("", "t")
    ]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in names:
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                yield path


def ask(path):
    """What the interpreter says of itself, or None if it cannot be used."""
    try:
        said = subprocess.run(
            [path, "-I", "-c", ASK],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
            check=True,
        )
        found = json.loads(said.stdout.decode())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    if found["implementation"] != "cpython" or tuple(found["version"][:2]) < OLDEST or not found["venv"]:
        return None
    return found


def merit(found):
    """The greater the better, among builds of one minor version."""
    final = found["version"][3] == "final"
    return (not found["debug"], final, found["version"][:3], found["version"][4])


def find():
    """The best interpreter for each tag, from the oldest version to the newest."""
    best = {}
    seen = set()
    for path in candidates():
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        found = ask(path)
        if found is None:
            continue
        tag = "%d.%d%s" % (found["version"][0], found["version"][1], "t" if found["free_threaded"] else "")
        if tag not in best or merit(found) > merit(best[tag]):
            best[tag] = found
    return sorted(best.items(), key=lambda item: (item[1]["version"][:2], item[1]["free_threaded"]))


def default(found):
    """The tag to take when one is enough."""
    settled = [
        tag
        for tag, one in found
        if SETTLED[0] <= tuple(one["version"][:2]) <= SETTLED[1]
        and not one["free_threaded"]
        and not one["debug"]
    ]
    return (settled or [tag for tag, _ in found])[-1]


def main(args):
    found = find()
    if not found:
        sys.stderr.write(
            "pythons: no CPython of %d.%d or later was found that can make virtual environments.\n"
            "Install one (on Debian and Ubuntu: the packages python3 and python3-venv).\n" % OLDEST
        )
        return 1
    paths = {tag: one["path"] for tag, one in found}
    if args == ["--default"]:
        print(paths[default(found)])
    elif args == ["--make"]:
        first = default(found)
        print(
            " ".join("%s=%s" % (tag, paths[tag]) for tag in [first] + [tag for tag in paths if tag != first])
        )
    elif not args:
        for tag, path in paths.items():
            print(tag, path)
    else:
        sys.stderr.write(__doc__ or "")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
