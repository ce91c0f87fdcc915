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
import runpy
import sys
import tokenize
import zipfile
from collections import Counter
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from keyword import iskeyword
from pathlib import Path
from string import ascii_letters
from typing import Any

# Modules that stay files: who finds the others.
KEPT = ("__init__", "_archive")
# All others go into the archive: these in this order, then what is new, by name. It is unpacked from its beginning, in steps that end at `STOPS`, so
# what is wanted often stands first; among the rest what is alike is close together. Found by trying.
ORDER = (
    "_found", "_errors", "json", "msgpack", "_msgpack", "compat/ormsgpack", "compat/__init__", "compat/orjson", "_public", "_struct", "_files", "_meta",
    "_define", "_annotations", "inspect", "_types", "_fields", "_options", "_texts", "compat/msgspec/__init__", "compat/msgpack/__init__", "_raised",
    "compat/msgspec/codecs", "compat/msgpack/unpacker", "compat/msgpack/exceptions", "compat/msgspec/json", "compat/msgspec/msgpack",
    "compat/msgpack/ext", "compat/msgpack/packer", "compat/quickle/_opcodes", "compat/msgspec/structs", "structs", "_faces", "_leaves", "_pickles",
    "__main__", "_clojure", "_codecs", "_native", "compat/quickle/__init__", "_registry", "native", "_native_typed", "_canonical", "_frames", "yaml",
    "compat/msgpack/_cmsgpack", "toml", "compat/msgpack/fallback", "compat/msgspec/toml", "_shell", "_cli", "_bench", "compat/msgspec/inspect", "_parts",
    "_validate", "_convert", "_inspect", "_scalars", "_doctor", "_faults", "_arrays", "_numbers", "_models", "_schema", "_unions", "_pydantic",
    "_unschema", "_infer", "_source", "ext/__init__", "ext/dask", "ext/kombu", "compat/msgspec/yaml", "ext/redis", "ext/multiprocessing",
)  # fmt: skip
# The last of what a small program imports, and of what most others do; `oxwire._archive` is told where each ends.
STOPS = ("_files", "structs")
# Private modules with names that users see, and may ask for their words.
SPOKEN = ("__init__", "_clojure", "_errors", "_msgpack")
# Private names of stubs that other stubs import.
SHARED = ("_Decoding", "_Encoding", "_Registry", "_Typing")
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
    "_patterns",
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
# A text in a source: behind which quotes what stands.
TEXTS = re.compile(r'("""|")((?:\\.|[^\\])*?)\1|(\'(?:\\.|[^\\\n])*?\')', re.DOTALL)
FOUND = runpy.run_path(str(Path(__file__).parent.parent / "python/oxwire/_found.py"))
# What a statement may not need: a bracket, what is between two strings, a blank within a field of a string.
SPARE = re.compile(r'\(|(?<=[^ (=,:"])""(?=[^ ),:"])|(?<=\W) | (?=\W)')
# Bytes that stand for words, as `oxwire/_archive.py` has them.
CODES = [*range(2, 9), *range(11, 32), *range(127, 256)]
# The words of the archive, each at the place of the byte that stands for it. Found by tools/words.py.
WORDS = (
    "len(", "and ", "def ", "self.", "for ", " and ", "try:", " else ", " in ", " as ", "or ", "raise ", "lambda ", "the ", " or ", " import ", "frozen",
    "append(", "getattr(", "isinstance(", "is ", "refused(", "return ", "\n\tdef ", "import ", "convert", "not ", "if ", "__", "meta", "schema",
    "version", "args", "kind", "whole", "found", "text", "items", "decode", ',","', "registry", "False", "reader", "True", "NotImplemented", "code",
    "tag", "value", "dict", "cls", "path", "said", "options", "seconds", "make", "source", "required", "node", "one", "name", "place", "date", "with",
    "of", "module", "__slots__", "order", "member", "part", "except", "union", "write", "decimal", "or", "msgpack", "number", "from", "length", "ing",
    "JSON", "byte", "class", "bool", "tuple", "literal", "struct", "all", "while ", "comp", "json", "fault", "shape", "file", "float", "return",
    "strict", "default", "type", "object", "DecodeError", "key", "map", "oxwire", "TypeError", "ValueError", "error", "fields", "any", "array", "made",
    "other", "None", "str", "list", "read", "time", "field", "known", "else", "timestamp", "row", "inner", "nanoseconds", "Struct", "self", "obj", "at",
    "message", "EncodeError", "given", "Timestamp", "data", "in", "set", "size", "config", "NODEFAULT", "for", "out", "buffers", "body", "head", "stack",
    "range", "canonical", "[0]", "int", "start", "end", "not", "what", "get", "encode", "enc_hook", "Exception", "count", "__init",
)  # fmt: skip


def summed(data: bytes) -> bytes:
    """A sum of bytes (FNV-1a), by which it is seen whether they are whole."""
    found = 0x811C9DC5
    for byte in data:
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found.to_bytes(4, "little")


def lzma(text: str, length: int = 60) -> bytes:
    """Compressed by LZMA without a header, where a match of this length is long enough (by a few bytes the best)."""
    import lzma

    way = {
        "id": lzma.FILTER_LZMA1,
        "preset": 9 | lzma.PRESET_EXTREME,
        "dict_size": 1 << 20,
        "lc": 3,
        "lp": 0,
        "pb": 0,
        "mf": lzma.MF_BT2,
        "nice_len": length,
    }
    return lzma.compress(text.encode("latin-1"), lzma.FORMAT_RAW, filters=[way])


def packed(text: str) -> bytes:
    """Compressed as `crates/edge/src/archive.rs` reads it, behind the sum of it."""
    data = lzma(text)
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
    # Before them are words and the names of both parts of each.
    before = len(parts) - 1 - 2 * len(names)
    stops = [before + 2 * names.index(f"{name}.py") + 2 for name in STOPS]
    first, more = (len("\0".join(parts[:stop])) + 1 for stop in stops)
    source, count = re.subn(
        rb"^_FIRST, _MORE = .*$", b"_FIRST, _MORE = %d, (%d, -1)" % (first, more), source, flags=re.MULTILINE
    )
    if count != 1:
        raise ValueError("oxwire/_archive.py does not say how much is unpacked")
    return source


@cache
def parted(source: str) -> tuple[str, str]:
    """What the strings of a source say, and the rest: `joined` of `oxwire/_found.py` makes the source of both again.

    Strings have more in common with strings than with what is around them, and so has code that stands at another level.
    """
    # Only the quotes that begin and end a string are to part it.
    masked = TEXTS.sub(
        lambda m: (m[1] or "") + (m[2] or m[3] or "").replace('"', "\1") + (m[1] or ""), source
    )
    pieces = masked.split('"')
    level, lines = 0, []
    for line in '"'.join(pieces[::2]).split("\n"):
        code = line.lstrip(" ")
        deep = len(line) - len(code) if code else level
        lines.append("\t" * (level - deep) + " " * (deep - level) + code)
        level = deep + code.endswith(":")
    parts = '"'.join(pieces[1::2]), "\n".join(lines)
    return parts if FOUND["joined"](*parts) == source else (FOUND["WHOLE"], source)


def laid(files: dict[str, bytes]) -> str:
    """The text of an archive, a byte for each character.

    It begins with words, one for each of `CODES`, which stand for them in what follows, and an empty one. The names of the files follow,
    an empty one, and the files, each in two parts: up to each of `STOPS` what the strings say of all files, then the rest of
    all, and names in that order. Behind each part is a NUL.
    """
    names = ordered(files)
    parts = {
        # It reads what the others are.
        name: (FOUND["WHOLE"], text) if name == "_found.py" else parted(text)
        # Not as UTF-8, so that each byte is a character, and those that no file has can stand for words.
        for name, text in ((name, data.decode("latin-1")) for name, data in files.items())
    }
    stops = [names.index(f"{one}.py") + 1 for one in STOPS if f"{one}.py" in files]
    steps = [names[start:stop] for start, stop in zip([0, *stops], [*stops, len(names)], strict=True)]
    order = [(name, part) for step in steps for part in (0, 1) for name in step]
    shown = [name.removesuffix(".py") for name, _ in order]
    return worded("".join(f"{one}\0" for one in (*shown, "", *(parts[name][part] for name, part in order))))


def worded(text: str) -> str:
    """A text with its words before it, of which each stands for a byte: the longest are taken out first.

    Where a byte is needed for itself, or for nothing, it is its own word.
    """
    said = {chr(code): chr(code) for code in CODES}
    for word, code in sorted(zip(WORDS, said, strict=False), key=lambda one: (-len(one[0]), one)):
        if word and code not in text and text.count(word) > 1:
            text, said[code] = text.replace(word, code), word
    return "".join(f"{word}\0" for word in said.values()) + f"\0{text}"


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


def private(body: list[ast.stmt]) -> list[str]:
    """The classes and types of a stub that are its own matter."""
    names = [ast.unparse(node.targets[0]) for node in body if isinstance(node, ast.Assign)]
    names += [node.name for node in body if isinstance(node, ast.ClassDef)]
    return [name for name in names if re.fullmatch("_[a-zA-Z]{2,}", name) and name not in SHARED]


def shortened(stub: ast.Module) -> ast.Module:
    """A stub with one import for each module, and short private names for what it imports or what is built in, where they save.

    Checkers and editors call such a thing by the name that it has where it is made. They would show an alias of a type. What
    is private in the stub itself is called by a short name everywhere.
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

    def short(name: str) -> str:
        letters = (name + ascii_letters).replace("_", "")
        names[name] = next(f"_{one}" for one in letters if f"_{one}" not in {*uses, *names.values()})
        return names[name]

    for name in taken:
        name.asname = short(name.name)
    for own in private(others):
        short(own)
    for one in nodes:
        if isinstance(one, ast.Name):
            one.id = names.get(one.id, one.id)
        elif isinstance(one, ast.ClassDef):
            one.name = names.get(one.name, one.name)
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


def said(line: str) -> str | None:
    """What a line of code means, if it is a whole statement or begins one."""
    whole = f"{line} pass" if line.endswith(":") else line
    try:
        return ast.dump(ast.parse(whole.removeprefix("el")))
    except SyntaxError:
        return None


def plain(line: str) -> str:
    """A statement without brackets that are there for readers, or for a formatter, nor blanks between signs, and with one string for several in a row."""
    whole = said(line)
    # From the end, so that places stay where they are.
    for at in [found.start() for found in SPARE.finditer(line)][::-1] if whole else []:
        new = line[:at] + line[at + (2 if line[at] == '"' else 1) :]
        if line[at] == "(":
            before = re.search(r"(\w*)$", line[:at])
            # Of most it can be seen that they are those of a call, or in a string.
            if line[:at].count('"') % 2 or (before and before[1] and not iskeyword(before[1])):
                continue
            depths = accumulate((one == "(") - (one == ")") for one in line[at:])
            end = at + next((n for n, depth in enumerate(depths) if depth == 0), 0)
            new = line[:at]
            for piece in line[at + 1 : end], line[end + 1 :]:
                new += f" {piece}" if re.fullmatch(r"\w\w", new[-1:] + piece[:1]) else piece
        if said(new) == whole:
            line = new
    return line


def terse(source: bytes) -> bytes:
    """A module as it travels: as above, and a body that is one simple statement stands behind its colon."""
    text = tight(source.decode())
    tree = ast.parse(text)
    lines: list[str | None] = [*text.splitlines()]
    for node in ast.walk(tree):
        # A line that begins something, or is all of it, is no line of a text.
        if isinstance(node, ast.stmt) and (hasattr(node, "body") or node.lineno == node.end_lineno):
            line = lines[node.lineno - 1] or ""
            lines[node.lineno - 1] = line[: -len(line.lstrip())] + plain(line.lstrip())
    for node in ast.walk(tree):
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
