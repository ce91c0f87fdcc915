"""What `oxwire._archive` does with its archive once it is open: finds modules there and runs them.

What may surprise: this is itself in the archive, and `oxwire._archive` runs it. Nothing imports it.
"""

_PACKAGE = "/__init__.py"


class Loader:
    """Runs one module, as if it were the file at its path."""

    def __init__(self, path, archive):
        self.path, self.archive = path, archive

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self.get_code(module.__name__)
        self.archive.files.pop(self.path, None)
        exec(code, module.__dict__)

    def get_code(self, name):
        return compile(self.get_source(name), self.path, "exec")

    def get_source(self, name):
        try:
            return self.archive.source(self.path)
        except Exception as error:
            # Another version may have come in its place. Whoever shows a traceback expects no other error.
            raise ImportError(f"{self.path} cannot be read", name=name) from error

    def get_filename(self, name):
        return self.path

    def is_package(self, name):
        return self.path.endswith(_PACKAGE)


def spec(make, archive, folder, name):
    """What the import system is told of a module, if it is in a folder of the archive."""
    place = f"{folder}/{name.rpartition('.')[2]}"
    for path in place + _PACKAGE, f"{place}.py":
        if path in archive.paths:
            loader = Loader(path, archive)
            found = make(name, loader, origin=path, is_package=loader.is_package(name))
            # The module has a `__file__`, then.
            found.has_location = True
            inside = found.submodule_search_locations
            if inside is not None:
                inside.append(place)
            return found
    return None


def names(archive, folder, prefix):
    """The names of the modules in a folder of the archive, and whether they are packages."""
    for path in archive.paths:
        inside = path.removeprefix(f"{folder}/")
        name = inside.removesuffix(".py").removesuffix("/__init__")
        if inside != path and "/" not in name and name != "__init__":
            yield prefix + name, inside.endswith(_PACKAGE)
