"""The commands of `python -m oxwire`: `bench` and `convert`.

Off a terminal everything is plain text. At a terminal, and only if they are installed (the extra
`cli`), rich draws the table and the progress bar and rich_argparse the help; they are imported then and
not before, since a filter in a pipe should start fast.

Exit codes: 0; 1 for a file that cannot be read, written or converted, and for a round trip that is not
exact; 2 for usage; 130 after an interrupt.

`convert` writes to a new file beside OUT and renames it at the end. So OUT may be IN, and a failure
half-way leaves OUT as it was.
"""

import argparse
import contextlib
import errno
import gzip
import os
import secrets
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from platform import python_version
from typing import IO, Any

from . import DecodeError, EncodeError, __version__
from . import json as _json

_ENDINGS = {".json": "json", ".geojson": "json", ".ndjson": "ndjson", ".jsonl": "ndjson"}
_FORMATS = {"json": "json", "ndjson": "ndjson", "jsonl": "ndjson"}
_CHUNK = 1 << 16
_SPACE = b" \t\r\n"


class _Failure(Exception):
    """One line for the user: `oxwire: FILE: message`."""


def _optional(module: str, stream: IO[str]) -> Any:
    # The module if `stream` is a terminal and it is installed, else None.
    if not stream.isatty():
        return None
    try:
        return import_module(module)
    except ImportError:
        return None


def _failure(name: str, error: BaseException) -> _Failure:
    # What goes wrong with a file, as the one line that names it.
    if isinstance(error, DecodeError):
        return _Failure(f"{name}: {error.msg} (line {error.line}, column {error.column})")
    if isinstance(error, EncodeError):
        return _Failure(f"{name}: {error.msg} (at {error.path})")
    if isinstance(error, MemoryError):
        return _Failure(f"{name}: not enough memory")
    if isinstance(error, OSError) and error.strerror:
        return _Failure(f"{name}: {error.strerror}")
    if isinstance(error, (OSError, EOFError, zlib.error)):
        return _Failure(f"{name}: not a whole gzip file: {error}")
    return _Failure(f"{name}: {error}")


_TROUBLES = (DecodeError, EncodeError, MemoryError, OSError, EOFError, zlib.error)


@contextlib.contextmanager
def _reporting(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except _TROUBLES as error:
        raise _failure(name, error) from error


def _open_in(name: str) -> contextlib.AbstractContextManager[Any]:
    if name == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    return gzip.open(name, "rb") if name.endswith(".gz") else open(name, "rb")


class _Out:
    """Where `convert` writes to.

    It names OUT in its own errors: whoever writes is just then reading IN, and would name that.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.beside: str | None = None

    def __enter__(self) -> "_Out":
        with _reporting(self.name):
            self.raw = self.file = self._open()
            if self.name.endswith(".gz"):
                # No time and no name inside: the same contents give the same file.
                self.file = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=self.raw, mtime=0)
        return self

    def _open(self) -> Any:
        if self.name == "-":
            return sys.stdout.buffer
        # A link is followed, so that the file that it names is replaced and not the link.
        self.target = os.path.realpath(self.name)
        if os.path.isdir(self.target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.exists(self.target) and not os.path.isfile(self.target):
            # A device or a pipe has no contents to keep, and must not be renamed over.
            return open(self.target, "wb")
        beside = f"{self.target}.{secrets.token_hex(4)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        file = open(os.open(beside, flags, 0o666), "wb")  # noqa: SIM115 (closed when the conversion ends)
        self.beside = beside
        return file

    def write(self, data: bytes) -> None:
        try:
            self.file.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _failure(self.name, error) from error

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self._abandon()
            return
        try:
            with _reporting(self.name):
                self._finish()
        except BaseException:
            self._abandon()
            raise

    def _finish(self) -> None:
        # A full disk may show only here, when the last bytes are flushed.
        if self.name == "-":
            self.file.flush()
            return
        self.file.close()
        self.raw.close()
        if self.beside is not None:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(self.target, self.beside)
            os.replace(self.beside, self.target)

    def _abandon(self) -> None:
        if self.name == "-":
            return
        for file in (self.file, self.raw):
            with contextlib.suppress(OSError):
                file.close()
        if self.beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.beside)


class _Rejoined:
    """A stream whose first bytes have been looked at already, whole again for the next reader."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head, self.rest = head, rest

    def read(self, size: int = -1, /) -> bytes:
        if not self.head:
            return self.rest.read(size)
        if size < 0:
            head, self.head = self.head, b""
            return head + self.rest.read()
        part, self.head = self.head[:size], self.head[size:]
        return part


def _starts_array(source: IO[bytes]) -> tuple[bool, Any]:
    # Only white space is skipped, so that lines and columns of errors stay those of the file.
    head = chunk = source.read(_CHUNK)
    while chunk and not chunk.strip(_SPACE):
        chunk = source.read(_CHUNK)
        head += chunk
    return head.lstrip(_SPACE)[:1] == b"[", _Rejoined(head, source)


def _convert(source: Any, sink: _Out, options: argparse.Namespace) -> None:
    indent = options.indent
    # What need not be taken apart is laid out anew as it is spelled: 1.10 stays 1.10, and so does \u00e9.
    apart = options.sort or options.canonical or options.ensure_ascii
    chosen: dict[str, Any] = {"indent": indent}
    if options.canonical:
        chosen = {"canonical": True}
    elif apart:
        chosen |= {"sort": options.sort, "ensure_ascii": options.ensure_ascii}
    # A converter that drops one of two values is silent loss, so a key that stands twice is refused.
    strict: dict[str, Any] = {"duplicate_keys": "error"} if apart else {"raw": True}

    def write(value: Any) -> bytes:
        return _json.encode(value, **chosen) if apart else _json.format(value, indent=indent)

    if options.source == "json":
        is_array = False
        if options.target == "ndjson":
            is_array, source = _starts_array(source)
        if not is_array:
            data = source.read()
            sink.write(write(_json.decode(data, **strict) if apart else data))
            if not options.canonical or options.target == "ndjson":
                sink.write(b"\n")
            return
        values: Iterable[Any] = _json.iter_items(source, **strict)
    else:
        values = _json.iter_lines(source, **strict)
    if options.target == "ndjson":
        for value in values:
            sink.write(write(value))
            sink.write(b"\n")
        return
    # Strings hold no bare line feed, so each one in an item begins a line of the layout.
    unit = b"" if indent is None else b"\n" + _indent_unit(indent)
    between = b"["
    for value in values:
        item = write(value)
        sink.write(between + unit + (item.replace(b"\n", unit) if unit else item))
        between = b","
    if between == b"[":
        sink.write(b"[]")
    else:
        sink.write(b"]" if indent is None else b"\n]")
    if not options.canonical:
        sink.write(b"\n")


def _indent_unit(indent: int | str) -> bytes:
    return b" " * indent if isinstance(indent, int) else indent.encode()


def _format_of(name: str, given: str | None, option: str, parser: argparse.ArgumentParser) -> str:
    if given is not None:
        if given.lower() in _FORMATS:
            return _FORMATS[given.lower()]
        parser.error(f"no format is called {given!r}; there are {', '.join(_FORMATS)}")
    if name == "-":
        return "json"
    base = name.removesuffix(".gz")
    ending = os.path.splitext(base)[1].lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    what = (
        f"the ending {ending!r} of {name} is not known"
        if ending
        else f"{name} has no ending that names a format"
    )
    parser.error(f"{what} ({', '.join(_ENDINGS)}); say {option} with one of {', '.join(_FORMATS)}")


def _convert_command(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    options.source = _format_of(options.input, options.source, "--from", parser)
    options.target = _format_of(options.output, options.target, "--to", parser)
    if options.canonical and (options.indent is not None or options.ensure_ascii or options.sort):
        parser.error("--canonical fixes the layout: it goes with none of --indent, --ensure-ascii, --sort")
    if options.target == "ndjson" and options.indent is not None:
        parser.error("NDJSON holds one document for each line: it goes without --indent")
    # IN is opened first, so that one that cannot be read leaves no trace of OUT.
    with _reporting(options.input):
        opened = _open_in(options.input)
    with opened as source, _Out(options.output) as sink, _reporting(options.input):
        _convert(source, sink, options)
    return 0


def _table(rows: list[list[str]]) -> None:
    # The first row is the head; the first column is text, the others are numbers.
    rich = _optional("rich.table", sys.stdout)
    if rich is not None:
        table = rich.Table(box=import_module("rich.box").SIMPLE)
        for i, head in enumerate(rows[0]):
            table.add_column(head, justify="right" if i else "left")
        for row in rows[1:]:
            table.add_row(*row)
        import_module("rich.console").Console().print(table)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        print("  " + "  ".join(cells).rstrip())
    print()


class _Progress:
    """How far the measuring is, on standard error and only if that is a terminal.

    It draws only when it is told something: a thread that draws by itself would take turns with what is measured.
    """

    def __init__(self, steps: int) -> None:
        self.steps, self.done, self.drawn = steps, 0, 0.0
        self.tty = sys.stderr.isatty()
        self.bar: Any = None
        rich = _optional("rich.progress", sys.stderr)
        if rich is not None:
            console = import_module("rich.console").Console(stderr=True)
            still = {"auto_refresh": False, "redirect_stdout": False, "redirect_stderr": False}
            self.bar = rich.Progress(console=console, transient=True, **still)
            self.task = self.bar.add_task("", total=steps)

    def step(self, text: str) -> Callable[[float], None]:
        """Begin the next step; what is returned is told its share that is over."""
        start = self.done
        self.done += 1
        if self.bar is not None:
            self.bar.start()

        def tick(share: float) -> None:
            if not self.tty or time.monotonic() - self.drawn < 0.1:
                return
            self.drawn = time.monotonic()
            if self.bar is not None:
                self.bar.update(self.task, completed=start + share, description=text, refresh=True)
            else:
                percent = 100 * (start + share) / self.steps
                print(f"\r\033[K{percent:3.0f} % {text}", end="", file=sys.stderr, flush=True)

        tick(0)
        return tick

    def clear(self) -> None:
        """Leave the line to the output, until the next step."""
        if self.bar is not None:
            self.bar.stop()
        elif self.tty:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _documents_of(files: Sequence[str]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    # Each with a way to get at it: a file that cannot be read is one failure among the documents.
    if not files:
        from . import _documents

        for name, make in _documents.MAIN.items():
            yield name, lambda make=make: make().data  # type: ignore[misc]

    def read(name: str) -> bytes:
        with _reporting(name), _open_in(name) as file:
            return bytes(file.read())

    for name in files:
        # A name may hold bytes that are no text.
        yield os.fsencode(name).decode(errors="replace"), lambda name=name: read(name)  # type: ignore[misc]


def _bench_one(name: str, data: bytes, among: list[Any], seconds: float, progress: _Progress) -> bool:
    # Whether the round trip was exact. Prints what was found.
    from . import _bench

    tick = progress.step(f"{name}: round trip")
    with _reporting(name):
        verdict = _bench.verify(data, among)
    tick(1)
    timed = {}
    for what, peers, argument in (
        ("encode", verdict.encoders, verdict.value),
        ("decode", verdict.decoders, data),
    ):
        calls = {p.name: partial(getattr(p, what), argument) for p in peers}
        timed[what] = _bench.compare(calls, seconds / 2, progress.step(f"{name}: {what}"))
    progress.clear()
    compact = "" if len(verdict.encoded) == len(data) else f", {_bench.size(len(verdict.encoded))} compact"
    exact = "round trip exact, and read as the standard library reads it"
    if any(note.startswith("json cannot read") for note in verdict.notes):
        exact = "round trip exact"
    print(f"{name}: {_bench.size(len(data))}{compact}; {'; '.join(verdict.faults) or exact}")
    for note in verdict.notes:
        print(f"  {note}")
    rows = [["", "decode", "oxwire is", "encode", "oxwire is"]]
    for peer in among:
        row = [peer.name]
        for timings in (timed["decode"], timed["encode"]):
            timing = timings.get(peer.name)
            if timing is None:
                row += ["-", "-"]
            else:
                row += [_bench.duration(timing.p25), f"{timing.p25 / timings['oxwire'].p25:.2f}x"]
        rows.append(row)
    rows[1][2] = rows[1][4] = ""
    _table(rows)
    sys.stdout.flush()
    return not verdict.faults


def _bench_command(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from . import _bench

    if not 0 < options.seconds < float("inf"):
        parser.error("--seconds must be a number above 0")
    among = _bench.peers()
    documents = list(_documents_of(options.files))
    beside = [f"{p.name} {p.version}" for p in among if p.name not in ("oxwire", "json")]
    print(
        f"oxwire {__version__} on Python {python_version()}, beside {', '.join([*beside, 'json of the standard library'])}."
    )
    print(
        "Time of one call (lower quartile, thread CPU time), and how many times as fast as that oxwire is.\n"
    )
    code = 0
    progress = _Progress(3 * len(documents))
    try:
        for name, read in documents:
            try:
                exact = _bench_one(name, read(), among, options.seconds, progress)
            except _Failure as failure:
                progress.clear()
                _complain(failure)
                exact = False
            code = code if exact else 1
    finally:
        progress.clear()
    return code


def _indent(text: str) -> int | str:
    if text == "tab":
        return "\t"
    if text.isdecimal() and int(text) <= 8:
        return int(text)
    raise argparse.ArgumentTypeError("0 to 8 spaces, or 'tab'")


def _parser() -> argparse.ArgumentParser:
    rich = _optional("rich_argparse", sys.stdout)
    style: Any = argparse.HelpFormatter if rich is None else rich.RichHelpFormatter
    parser = argparse.ArgumentParser(
        prog="oxwire", description="One serialization engine for Python.", formatter_class=style
    )
    parser.add_argument("--version", action="version", version=f"oxwire {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    bench = commands.add_parser(
        "bench",
        help="show that the round trip is exact, and how fast it is beside the installed peers",
        description="Decode and encode each FILE, check that nothing is lost, and time it beside the installed peers.",
        formatter_class=style,
    )
    bench.add_argument(
        "files", nargs="*", metavar="FILE", help="JSON, or JSON in gzip (default: generated documents)"
    )
    bench.add_argument(
        "--seconds", type=float, default=2.0, help="time for each document (default: %(default)s)"
    )
    bench.set_defaults(run=_bench_command, parser=bench)

    convert = commands.add_parser(
        "convert",
        help="convert a file, or lay it out anew",
        description="Convert IN to OUT. The formats are those that the names end in: .json, .ndjson or .jsonl, each "
        "also with .gz; `-` is standard input or output, and JSON unless told otherwise. An array becomes one line "
        "for each item and back, in memory of the longest item. Numbers and strings stay as they are spelled, "
        "except with --sort, --canonical or --ensure-ascii: these decode and refuse a key that stands twice.",
        formatter_class=style,
    )
    convert.add_argument("input", metavar="IN")
    convert.add_argument("output", metavar="OUT", help="may be IN")
    convert.add_argument(
        "--from", dest="source", metavar="FORMAT", help="format of IN: json, ndjson (or jsonl)"
    )
    convert.add_argument("--to", dest="target", metavar="FORMAT", help="format of OUT")
    convert.add_argument(
        "--indent", type=_indent, metavar="N", help="spaces for each level, 0 to 8, or 'tab'"
    )
    convert.add_argument("--sort", action="store_true", help="sort the keys of every object")
    convert.add_argument(
        "--canonical", action="store_true", help="RFC 8785: the one spelling that can be signed"
    )
    convert.add_argument("--ensure-ascii", action="store_true", help="escape everything beyond ASCII")
    convert.set_defaults(run=_convert_command, parser=convert)
    return parser


def _complain(failure: _Failure) -> None:
    # On one line, whatever the message holds.
    print("oxwire: " + str(failure).replace("\n", " "), file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Usage errors leave as SystemExit(2), as argparse does it."""
    try:
        options = _parser().parse_args(arguments)
        code: int = options.run(options, options.parser)
        sys.stdout.flush()
    except _Failure as failure:
        _complain(failure)
        return 1
    except BrokenPipeError:
        # Whoever read us has enough. Python flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return code
