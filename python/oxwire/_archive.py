"""Where an installed package has the modules that `import oxwire` does not need: in one archive beside this file.

docs/decisions/0013-archive.md says why, and tools/backend.py makes it. What may surprise: a source tree has no archive, and
nothing is found here then. The text of all modules is kept only while one of them is being run, since that imports
others; whoever asks for a source later has the archive read again.
"""

import os
import sys

PATH = f"{os.path.dirname(__file__)}/_modules.z"
_PACKAGE = "/__init__.py"
# A weak reference to the text that is in use.
_used = None


class Text:
    """The archive as it is read: files by their names, in which one character stands for each of many words."""

    def __init__(self):
        import zlib

        with open(PATH, "rb") as file:
            words, _, files = zlib.decompress(file.read()).decode("latin-1").partition("\0\0")
        self.words = {ord(word[0]): word[1:] for word in words.split("\0")}
        files = files.split("\0")
        names = [f"{PATH}/{self.spelled(name)}" for name in files[::2]]
        self.files = dict(zip(names, files[1::2], strict=True))

    def spelled(self, text):
        return text.translate(self.words).encode("latin-1").decode()


def text():
    """The text of all modules, which another import may be using."""
    global _used
    found = _used and _used()
    if found is None:
        from weakref import ref

        found = Text()
        _used = ref(found)
    return found


class Loader:
    """Runs the module that would be the file at a path, and has its source for tracebacks and `inspect`."""

    def __init__(self, path, text):
        self.path, self.text = path, text

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        try:
            exec(self.get_code(module.__name__), module.__dict__)
        finally:
            self.text = None

    def get_code(self, name):
        return compile(self.get_source(name), self.path, "exec", dont_inherit=True)

    def get_source(self, name):
        all = self.text or text()
        return all.spelled(all.files[self.path])

    def get_filename(self, name):
        return self.path

    def is_package(self, name):
        return self.path.endswith(_PACKAGE)


class Finder:
    """Finds modules in the archive or in a folder of it, which stands in the `__path__` of a package."""

    archive = PATH

    def __init__(self, path):
        if not f"{path}/".startswith(f"{PATH}/") or not os.path.isfile(PATH):
            raise ImportError(f"{path} is not in {PATH}")
        self.path = path

    def find_spec(self, name, target=None):
        from importlib.machinery import ModuleSpec

        place = f"{self.path}/{name.rpartition('.')[2]}"
        all = text()
        for path in place + _PACKAGE, f"{place}.py":
            if path in all.files:
                spec = ModuleSpec(name, Loader(path, all), origin=path, is_package=path.endswith(_PACKAGE))
                # The module has a `__file__`, then.
                spec.has_location = True
                if spec.submodule_search_locations is not None:
                    spec.submodule_search_locations.append(place)
                return spec
        return None

    def iter_modules(self, prefix=""):
        """The names of the modules, for `pkgutil`."""
        for path in text().files:
            name, _, rest = path.removeprefix(f"{self.path}/").partition("/")
            if rest in ("", _PACKAGE[1:]) and name not in ("", _PACKAGE[1:]):
                yield prefix + name.removesuffix(".py"), rest != ""


# Of a package that is imported again the first one finds the modules.
if not any(getattr(hook, "archive", None) == PATH for hook in sys.path_hooks):
    sys.path_hooks.append(Finder)
