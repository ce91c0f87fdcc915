"""Where an installed package has its modules: in one archive beside this file.

docs/decisions/0013-archive.md says why, and tools/backend.py makes it. What may surprise: a source tree has no archive, and
nothing is found here then. A source is held until its module has been run; whoever asks for it later, as a
traceback does, has the archive unpacked again.
"""

import os
import sys

PATH = f"{os.path.dirname(__file__)}/_modules.z"
# How much of the archive is unpacked: what small programs need, then what most need, then all (-1). tools/backend.py writes the sizes into the installed
# file; these are about what they are.
_FIRST, _MORE = 1 << 14, (6 << 14, -1)
# Bytes that stand for words: no source has them, nor do its parts.
_CODES = *range(2, 9), *range(11, 32), *range(127, 256)


class Archive:
    """All modules as they are read: by paths what their strings say and the rest, in which one character stands for each of many words."""

    steps = _MORE

    def __init__(self):
        with open(PATH, "rb") as file:
            self.packed = file.read()
        self.read(_FIRST)

    def read(self, most):
        # The extension can do this from when it begins to be made, and has modules of the archive imported then.
        from ._oxwire import _archive_unpacked

        text = _archive_unpacked(self.packed, most).decode("latin-1")
        if not text:
            raise ImportError(f"{PATH} is damaged")
        words, names, parts = text.split("\0\0", 2)
        # A list, as `translate` is slow where a dict lacks something. Other threads may be reading: nothing is theirs before it is whole.
        codes = [*range(256)]
        for code, word in zip(_CODES, words.split("\0")):  # noqa: B905 - the default, said shorter
            codes[code] = word
        self.words = codes
        paths = [f"{PATH}/{name}.py" for name in self.spelled(names).split("\0")]
        self.paths = dict.fromkeys(paths)
        files = {}
        # The last may be some of a part, or nothing.
        for path, part in zip(paths, parts.split("\0")[:-1]):  # noqa: B905 - the default, said shorter
            files[path] = *files.get(path, ()), part
        self.files = {**files}
        return files

    def spelled(self, text):
        return text.translate(self.words).encode("latin-1").decode()


class Finder:
    """Finds modules in the archive or in a folder of it, which stands in the `__path__` of a package."""

    place = PATH
    archive = None
    # What `oxwire._found` has, which is itself in the archive.
    more = {}

    def __init__(self, path):
        if not f"{path}/".startswith(f"{PATH}/") or not os.path.isfile(PATH):
            raise ImportError(f"{path} is not in {PATH}")
        self.path = path

    def asked(self, what, *of):
        # Two threads may both read it: either is as good.
        if Finder.archive is None:
            archive = Archive()
            exec(archive.spelled(archive.files[f"{PATH}/_found.py"][1]), self.more)
            Finder.archive = archive
        return self.more[what](Finder.archive, self.path, *of)

    def find_spec(self, name, target=None):
        # What this module was itself found as. To import the name of it takes a millisecond.
        return self.asked("spec", name, type(__spec__))

    def iter_modules(self, prefix=""):
        """The names of the modules and whether they are packages, for `pkgutil`."""
        return self.asked("names", prefix)


# If the package is imported a second time, what found its modules before still does.
if not any(getattr(hook, "place", None) == PATH for hook in sys.path_hooks):
    sys.path_hooks.append(Finder)
