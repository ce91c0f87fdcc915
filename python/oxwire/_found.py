"""What `oxwire._archive` does with its archive once it is open: finds modules there and runs them.

What may surprise: this is itself in the archive, and `oxwire._archive` runs it. Nothing imports it.
"""

_PACKAGE = "/__init__.py"
# In place of the strings of a source: it stands there as it is.
WHOLE = "\n"


def joined(strings, code):
    """A source, out of what its strings say and the rest: tools/backend.py parts them.

    In the rest a line begins with a tab for each block that ended before it, and each string is a quote.
    """
    if strings == WHOLE:
        return code
    level, lines = 0, []
    for line in code.split("\n"):
        text = line.lstrip("\t")
        level -= len(line) - len(text)
        lines.append(text and " " * level + text)
        level += text.endswith(":")
    first, *rest = "\n".join(lines).split('"')
    # A quote within a string is another character.
    said = "".join(f'"{said}"{more}' for said, more in zip(strings.split('"'), rest))  # noqa: B905 - the default, said shorter
    return (first + said).replace("\1", '"')


def source(archive, path):
    """What a module of the archive reads."""
    parts = archive.files.get(path, "")
    for most in archive.steps:
        # Of a part of the archive, one may have the strings only.
        if len(parts) < 2:
            parts = archive.read(most).get(path, "")
    return joined(*map(archive.spelled, parts))


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
            return source(self.archive, self.path)
        except Exception as error:
            # Another version may have come in its place. Whoever shows a traceback expects no other error.
            raise ImportError(f"{self.path} cannot be read", name=name) from error

    def get_filename(self, name):
        return self.path

    def is_package(self, name):
        return self.path.endswith(_PACKAGE)


def spec(archive, folder, name, make):
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
