"""The build backend: maturin's wheel, with modules that are seldom wanted in an archive.

    python tools/backend.py FOLDER     does to the wheels in a folder what building through pip does

`pip` and its kin call the functions (PEP 517). What may surprise: `oxwire/_archive.py` reads what `archive` here makes; a
source tree and an editable install have the modules as files, and nothing else knows of the difference.
docs/decisions/0013-archive.md says why.
"""

import ast
import base64
import builtins
import hashlib
import io
import re
import sys
import tokenize
import zipfile
import zlib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from string import ascii_letters
from typing import Any

# Modules that stay files: who finds the others.
KEPT = ("__init__", "_archive")
# All others go into the archive: these in this order, then what is new, by name. It is unpacked from its beginning, in steps that end at `STOPS`, so
# what is wanted often stands first; among the rest what is alike is close together. Found by trying.
ORDER = (
    "_found", "_public", "_errors", "json", "compat/__init__", "msgpack", "compat/orjson", "compat/ormsgpack", "_msgpack",
    "_struct", "_files", "_meta", "_define", "_annotations", "_types", "_fields", "_options",
    "compat/msgspec/__init__", "compat/msgpack/__init__", "_raised", "compat/msgspec/codecs",
    "compat/msgspec/msgpack", "compat/msgpack/ext", "compat/msgpack/unpacker", "compat/msgpack/exceptions",
    "_texts", "compat/msgspec/json", "compat/msgpack/packer", "inspect", "compat/quickle/_opcodes",
    "compat/msgspec/structs", "structs", "compat/quickle/__init__", "_registry", "_frames", "_leaves",
    "_pickles", "compat/msgpack/fallback", "compat/msgspec/toml", "_faces", "__main__", "_native", "_clojure",
    "yaml", "toml", "native", "_native_typed", "_canonical", "_parts", "_inspect", "_doctor", "_cli", "_shell",
    "compat/msgpack/_cmsgpack", "compat/msgspec/yaml", "compat/msgspec/inspect", "_bench", "_faults", "_validate", "_convert", "_scalars",
    "_codecs", "_infer", "_arrays", "_numbers", "_models", "_schema", "_unions", "_pydantic", "_unschema",
    "_source", "ext/__init__", "ext/multiprocessing", "ext/dask", "ext/kombu", "ext/redis",
)  # fmt: skip
# The last of what a small program imports, and of what most others do; `oxwire._archive` is told where each ends.
STOPS = ("_files", "structs")
# Private modules with names that users see, and may ask for their words.
SPOKEN = ("__init__", "_clojure", "_errors", "_msgpack")
# Stubs that only the checks of this project read.
HOME_STUBS = (
    "_annotations",
    "_archive",
    "_canonical",
    "_codecs",
    "_define",
    "_faces",
    "_faults",
    "_fields",
    "_found",
    "_frames",
    "_native_typed",
    "_leaves",
    "_meta",
    "_native",
    "_numbers",
    "_options",
    "_oxwire",
    "_parts",
    "_pickles",
    "_pydantic",
    "_raised",
    "_registry",
    "_scalars",
    "_schema",
)
HOME_STUBS += ("compat/quickle/_opcodes", "_struct", "_texts", "_types", "_unions")
# A stub that says the same as that of another module, but for words.
TWIN = ("oxwire/toml.pyi", "yaml")
ARCHIVE = "oxwire/_modules.z"
# Kinds of tokens that Pythons before 3.12 do not have.
FSTRING_START, FSTRING_END = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
# The same bytes whenever they are built.
DATE = (1980, 1, 1, 0, 0, 0)
# What may be a word of the archive: a name, also with what follows it, the blanks that begin a line, signs.
WORDS = (r"\w+", r"\w+ ", r"\w+[(.:]", r"\n *", r"[^\w\s\0]{2,}", r" [^\w\s\0]+ ")
# How many are tried, and how many bytes one must save: there are fewer bytes to stand for them than words that save some.
TRIED, WORTH = 600, 18


def deflated(text: str) -> bytes:
    """Compressed as well as zlib can, which is quick: for comparing."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    return deflate.compress(text.encode("latin-1")) + deflate.flush()


def summed(data: bytes) -> bytes:
    """A sum of bytes (FNV-1a), by which it is seen whether they are whole."""
    found = 0x811C9DC5
    for byte in data:
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found.to_bytes(4, "little")


def packed(text: str) -> bytes:
    """Compressed as `crates/edge/src/archive.rs` reads it: LZMA without a header, behind the sum of it."""
    import lzma

    way = {
        "id": lzma.FILTER_LZMA1,
        "preset": 9 | lzma.PRESET_EXTREME,
        "lc": 3,
        "lp": 0,
        "pb": 0,
        "nice_len": 64,
    }
    data = lzma.compress(text.encode("latin-1"), lzma.FORMAT_RAW, filters=[way])
    return summed(data) + data


def ordered(files: dict[str, bytes]) -> list[str]:
    """The names of the files of an archive as they stand there."""
    places = {f"{name}.py": at for at, name in enumerate(ORDER)}
    return sorted(files, key=lambda name: (places.get(name, len(places)), name))


def archive(files: dict[str, bytes]) -> bytes:
    """An archive of these files, as `oxwire/_archive.py` reads it: one text, compressed."""
    return packed(laid(files))


def told(source: bytes, files: dict[str, bytes], text: str) -> bytes:
    """`oxwire/_archive.py`, with how much of the text of an archive there is up to the end of each of `STOPS`."""
    names, parts = ordered(files), text.split("\0")
    before = len(parts) - 1 - len(names)
    stops = [before + names.index(f"{name}.py") + 1 for name in STOPS]
    first, more = (len("\0".join(parts[:stop])) + 1 for stop in stops)
    source, count = re.subn(
        rb"^_FIRST, _MORE = .*$", b"_FIRST, _MORE = %d, (%d, -1)" % (first, more), source, flags=re.MULTILINE
    )
    if count != 1:
        raise ValueError("oxwire/_archive.py does not say how much is unpacked")
    return source


def laid(files: dict[str, bytes]) -> str:
    """The text of an archive, a byte for each character.

    It begins with words, each behind a character that stands for it in the files, and an empty one. The names of the files follow,
    an empty one, and the files. Behind each is a NUL. Words are taken greedily, those first that fill the most, if the whole gets
    smaller, as zlib has it: that takes seconds, and half a minute by LZMA, which finds none that are better.
    """
    # Not as UTF-8, so that each byte is a character, and those that no file has can stand for words.
    names = ordered(files)
    text = "".join(f"{one}\0" for one in (*names, "", *(files[name].decode("latin-1") for name in names)))
    free = [chr(code) for code in range(1, 256) if chr(code) not in text]
    counts = Counter(word for pattern in WORDS for word in re.findall(pattern, text))
    tried = sorted(
        (word for word in counts if len(word) > 1), key=lambda word: (counts[word] * (1 - len(word)), word)
    )
    words = ""
    best = deflated(f"\0{text}")
    for word in tried[:TRIED]:
        if not free:
            break
        fewer, more = text.replace(word, free[0]), f"{words}{free[0]}{word}\0"
        smaller = deflated(f"{more}\0{fewer}")
        if len(smaller) <= len(best) - WORTH:
            text, words, best = fewer, more, smaller
            del free[0]
    return f"{words}\0{text}"


def spoken(name: str, source: bytes) -> bytes:
    """A module as it is installed: tersely, and without docstrings if they are nobody's but ours."""
    stem = Path(name).stem
    if stem.startswith("_") and stem != "__init__":
        source = untitled(source) if stem in SPOKEN else bare(source)
    return terse(source)


def untitled(source: bytes) -> bytes:
    """A module whose own docstring is gone, but not those of what is in it."""
    first = ast.parse(source).body[0]
    lines = source.decode().splitlines()
    if ast.get_docstring(ast.parse(source)):
        lines[: first.end_lineno] = [""] * (first.end_lineno or 0)
    return "".join(f"{line}\n" for line in lines).encode()


def is_left_out(name: str) -> bool:
    """Whether a file of a wheel is of use to nobody who installs it."""
    return name in [f"oxwire/{one}.pyi" for one in HOME_STUBS]


def is_moved(name: str) -> bool:
    """Whether a file of a wheel goes into the archive."""
    return name.endswith(".py") and name.removeprefix("oxwire/").removesuffix(".py") not in KEPT


def untyped(source: bytes) -> bytes:
    """A module without the types of functions, and of variables outside of classes, but for what fills more than a line."""
    lines = source.splitlines(keepends=True)
    notes: list[ast.expr | None] = []
    tree = ast.parse(source)
    fields = {one for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value and node not in fields:
            notes.append(node.annotation)
        if isinstance(node, ast.FunctionDef):
            notes += [
                node.returns,
                *(one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)),
            ]
    # From the end, so that places stay where the tree has them.
    for note in sorted(filter(None, notes), key=lambda note: (note.lineno, note.col_offset), reverse=True):
        line = lines[note.lineno - 1]
        before = re.fullmatch(rb"(.*\S)( ->|:) ", line[: note.col_offset])
        if before and note.lineno == note.end_lineno:
            lines[note.lineno - 1] = before[1] + line[note.end_col_offset :]
    return b"".join(lines)


def bare(source: bytes) -> bytes:
    """A module without docstrings and the types of functions."""
    lines = untyped(source).decode().splitlines()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node)
            and len(node.body) > 1
        ):
            words = node.body[0]
            lines[words.lineno - 1 : words.end_lineno] = [""] * ((words.end_lineno or 0) - words.lineno + 1)
    return "".join(f"{line}\n" for line in lines).encode()


def brief(source: bytes) -> bytes:
    """A stub as a checker reads it, without its words: those are in the sources and in the documentation."""
    lines: list[str | None] = [*source.decode().splitlines()]
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", ())
        for one in body:
            if (
                isinstance(one, ast.Expr)
                and isinstance(one.value, ast.Constant)
                and isinstance(one.value.value, str)
            ):
                lines[one.lineno - 1 : one.end_lineno] = [None] * ((one.end_lineno or 0) - one.lineno + 1)
                if len(body) == 1:
                    lines[one.lineno - 1] = f"{' ' * one.col_offset}..."
    stub = ast.parse("\n".join(line for line in lines if line))
    return terse(f"{ast.unparse(shortened(unlisted(stub)))}\n".encode())


def unlisted(stub: ast.Module) -> ast.Module:
    """A stub without `__all__`: what it imports for others says so itself, and the rest has public names.

    Where something is imported under another name the list stays, as no other way to say it is there.
    """
    lists = [
        node
        for node in stub.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    names = [name for node in lists for name in ast.literal_eval(node.value)]
    imported = [
        one for node in stub.body if isinstance(node, (ast.Import, ast.ImportFrom)) for one in node.names
    ]
    if not any(one.asname in names for one in imported if one.asname != one.name):
        stub.body = [
            node
            for node in stub.body
            if node not in lists and [one.name for one in getattr(node, "names", [])] != ["__all__"]
        ]
        for one in imported:
            one.asname = one.asname or (one.name if one.name in names else None)
    return stub


def shortened(stub: ast.Module) -> ast.Module:
    """A stub with one import for each module, and short private names for what it imports or what is built in, where they save.

    Checkers and editors call such a thing by the name that it has where it is made. They would show an alias of a type.
    """
    froms: dict[tuple[str | None, int], ast.ImportFrom] = {}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom) and node.names[0].name != "*":
            # `typing` has all that we take from there.
            module = "typing" if node.module == "collections.abc" else node.module
            into = froms.setdefault((module, node.level), ast.ImportFrom(module, [], node.level))
            into.names += node.names
    others = [node for node in stub.body if not isinstance(node, ast.ImportFrom) or node.names[0].name == "*"]
    nodes = [one for node in others for one in ast.walk(node)]
    uses = Counter(one.id for one in nodes if isinstance(one, ast.Name))
    # What stands for something else here, or is shown as it is spelled: a default.
    shown = {getattr(one, "name", "") for one in nodes}
    shown |= {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for one in nodes:
        defaults = [*one.defaults, *one.kw_defaults] if isinstance(one, ast.arguments) else []
        values = [*defaults, one.value if isinstance(one, ast.AnnAssign) else None]
        shown |= {value.id for value in values if isinstance(value, ast.Name)}
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__":
            shown |= {*ast.literal_eval(one.value)}

    def saved(name: ast.alias, spent: int) -> int:
        """How many bytes a name of two characters saves, of which so many are spent on telling it."""
        free = name.asname is None and name.name not in shown
        return free * uses[name.name] * (len(name.name) - 2) - spent

    taken = [one for into in froms.values() for one in into.names if saved(one, len(" as _x")) > 0]
    built = [ast.alias(name) for name in sorted(uses) if hasattr(builtins, name)]
    built = [one for one in built if saved(one, len(f"{one.name} as _x,")) > 0]
    if sum(saved(one, len(f"{one.name} as _x,")) for one in built) > len("from builtins import "):
        froms = {("builtins", 0): ast.ImportFrom("builtins", built, 0), **froms}
        taken += built
    names: dict[str, str] = {}
    for name in taken:
        letters = (name.name + ascii_letters).replace("_", "")
        short = next(f"_{one}" for one in letters if f"_{one}" not in {*uses, *names.values()})
        names[name.name] = name.asname = short
    for one in nodes:
        if isinstance(one, ast.Name):
            one.id = names.get(one.id, one.id)
    stub.body = [*froms.values(), *others]
    return stub


def tight(source: str) -> str:
    """The same code: a line for each statement, no comments, one blank for a level and otherwise only those that part words.

    Nor has it the comma behind the last of several things in brackets.
    """
    lines = source.splitlines(keepends=True)
    out, level, inside, begun = "", 0, 0, (1, 0)
    # Of each open bracket how many commas it has.
    commas: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        # From 3.12 on a text with fields in it is several tokens, which stay as they are.
        if token.type == FSTRING_START:
            inside += 1
        if inside == 0 or (inside == 1 and token.type == FSTRING_START):
            begun = token.start
        if token.type == FSTRING_END:
            inside -= 1
        if inside or token.type in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            continue
        level += {tokenize.INDENT: 1, tokenize.DEDENT: -1}.get(token.type, 0)
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            continue
        if token.type == tokenize.NEWLINE:
            out += "\n"
            continue
        if token.string in ("(", "[", "{"):
            commas.append(0)
        elif token.string in (")", "]", "}"):
            # One comma may be what makes a tuple.
            if commas.pop() > 1 and out.endswith(","):
                out = out[:-1]
        elif commas and token.string in (",", "lambda"):
            # Those of a lambda are its own: what holds one stays as it is.
            commas[-1] += 1 if token.string == "," else -len(source)
        rows = lines[begun[0] - 1 : token.end[0]]
        rows[-1] = rows[-1][: token.end[1]]
        text = "".join(rows)[begun[1] :]
        if not out or out.endswith("\n"):
            out += " " * level
        elif all(one.isalnum() or one == "_" for one in (out[-1], text[0])):
            out += " "
        out += text
    return out


def terse(source: bytes) -> bytes:
    """A module as it travels: as above, and a body that is one simple statement stands behind its colon."""
    lines: list[str | None] = [*tight(source.decode()).splitlines()]
    for node in ast.walk(ast.parse(tight(source.decode()))):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if not isinstance(body, list) or len(body) != 1 or isinstance(node, ast.Module):
                continue
            one = body[0]
            head, line = lines[one.lineno - 2 : one.lineno]
            # What has a body of its own is no simple statement.
            if (
                one.lineno == one.end_lineno
                and not hasattr(one, "body")
                and head
                and line
                and head.endswith(":")
            ):
                lines[one.lineno - 2 : one.lineno] = [head + line.lstrip(), None]
    return "".join(f"{line}\n" for line in lines if line is not None).encode()


def archived(files: dict[str, bytes]) -> dict[str, bytes]:
    """What stands in the archive for some files of a wheel."""
    moved = {name.removeprefix("oxwire/"): data for name, data in files.items() if is_moved(name)}
    return {name: spoken(name, data) for name, data in moved.items()}


def installed(name: str, data: bytes) -> bytes:
    """A file of a wheel as it is installed, if it is not in the archive."""
    if name == TWIN[0]:
        return f"from .{TWIN[1]} import decode as decode,encode as encode\n".encode()
    if name.endswith(".pyi"):
        return brief(data)
    if name.endswith(".py"):
        return spoken(name, data)
    if name.endswith("/LICENSE"):
        # Its words are what counts.
        return re.sub(rb"^ +", b"", data, flags=re.MULTILINE)
    return data


def recorded(name: str, data: bytes) -> str:
    """A file's row in RECORD (the wheel specification, "The .dist-info directory")."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def pack(wheel: Path) -> None:
    """Moves modules into an archive inside a wheel. A packed wheel stays as it is, and so does one where Python has no `lzma`."""
    with zipfile.ZipFile(wheel) as old:
        files = {one: old.read(one) for one in old.infolist() if not one.is_dir()}
    named = {one.filename: data for one, data in files.items()}
    if ARCHIVE in named or find_spec("_lzma") is None:
        return
    inside = archived(named)
    text = laid(inside)
    moved, finder = packed(text), "oxwire/_archive.py"
    named[finder] = told(named[finder], inside, text)
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as out:
        for one in files:
            if is_moved(one.filename) or is_left_out(one.filename):
                continue
            data = installed(one.filename, named[one.filename])
            if one.filename.endswith(".dist-info/RECORD"):
                # It lists itself last.
                itself = data.decode().splitlines()[-1]
                rows = [
                    recorded(name, installed(name, old))
                    for name, old in named.items()
                    if not (is_moved(name) or is_left_out(name))
                ]
                rows = [row for row in rows if row.split(",")[0] != one.filename]
                data = "".join(f"{row}\n" for row in [*rows, recorded(ARCHIVE, moved), itself]).encode()
            out.writestr(one, data)
        out.writestr(zipfile.ZipInfo(ARCHIVE, DATE), moved)
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
