"""`python -m oxwire`: the command `bench`, the arguments of all commands, and what becomes of failures.

Off a terminal everything is plain text. At a terminal, and only if they are installed (the extra `cli`), rich draws
tables, colours and the progress bar and rich_argparse the help; they are imported then and not before, since a
filter in a pipe should start fast.

Exit codes: 0; 1 for a file that cannot be read, written, converted or inspected to its end, for a round trip
that is not exact, and for a document that is not valid; 2 for usage; 130 after an interrupt.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from platform import python_version
from typing import Any

from . import __version__, _convert, _inspect
from ._shell import Failure, open_in, optional, reporting


def _table(rows: list[list[str]]) -> None:
    # The first row is the head; the first column is text, the others are numbers.
    rich = optional("rich.table", sys.stdout)
    if rich is not None:
        table = rich.Table(box=import_module("rich.box").SIMPLE)
        for head in rows[0]:
            table.add_column(head, justify="right" if table.columns else "left")
        for row in rows[1:]:
            table.add_row(*row)
        import_module("rich.console").Console().print(table)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  " + "  ".join(cells).rstrip())
    print()


class _Progress:
    """How far the measuring is, on standard error and only if that is a terminal.

    It draws only when it is told something: a thread of its own would take turns with what is measured.
    """

    def __init__(self, steps: int) -> None:
        self.steps, self.done, self.drawn = steps, 0, 0.0
        self.tty = sys.stderr.isatty()
        self.bar: Any = None
        rich = optional("rich.progress", sys.stderr)
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


def _bench_one(file: str, among: list[Any], seconds: float, progress: _Progress) -> bool:
    # Whether the round trip was exact. Prints what was found.
    from . import _bench

    # A name may hold bytes that are no text.
    name = os.fsencode(file).decode(errors="replace")
    try:
        with reporting(name):
            with open_in(file) as opened:
                data = bytes(opened.read())
            tick = progress.step(f"{name}: round trip")
            verdict = _bench.verify(data, among)
        tick(1)
        calls = {
            "encode": {p.name: partial(p.encode, verdict.value) for p in verdict.encoders},
            "decode": {p.name: partial(p.decode, data) for p in verdict.decoders},
        }
        timed = {k: _bench.compare(c, seconds / 2, progress.step(f"{name}: {k}")) for k, c in calls.items()}
    finally:
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
        for what in ("decode", "encode"):
            if peer.name not in timed[what]:
                row += ["-", "-"]
                continue
            ratio = _bench.speeds(timed[what], peer.name)["oxwire"]
            beside = "" if peer.name == "oxwire" else f"{ratio:.2f}x"
            row += [_bench.duration(timed[what][peer.name].p25), beside]
        rows.append(row)
    _table(rows)
    sys.stdout.flush()
    return not verdict.faults


def _bench_command(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from . import _bench

    if not 0 < options.seconds < float("inf"):
        parser.error("--seconds must be a number above 0")
    among = _bench.peers()
    beside = [f"{p.name} {p.version}, " for p in among if p.name not in ("oxwire", "json")]
    print(
        f"oxwire {__version__} on Python {python_version()}, beside {''.join(beside)}json of the standard library.\n"
        "Time of one call (lower quartile, thread CPU time), and how many times as fast as that oxwire is.\n"
    )
    code = 0
    progress = _Progress(3 * len(options.files))
    for file in options.files:
        try:
            exact = _bench_one(file, among, options.seconds, progress)
        except Failure as failure:
            _complain(failure)
            exact = False
        code = code if exact else 1
    return code


def _later(module: str, function: str) -> Callable[[argparse.Namespace, argparse.ArgumentParser], int]:
    # A command whose module is imported when it is run: it takes longer than reading the arguments.
    def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Any:
        return getattr(import_module(f".{module}", __package__), function)(options, parser)

    return run


def _indent(text: str) -> str:
    if text == "tab":
        return "\t"
    if text.isdecimal() and int(text) <= 8:
        return " " * int(text)
    raise argparse.ArgumentTypeError("0 to 8 spaces, or 'tab'")


def _count(text: str) -> int:
    # More digits than these are no file's.
    if text.isdecimal() and len(text) <= 19:
        return int(text)
    raise argparse.ArgumentTypeError("a number from 0")


def _losses(text: str) -> frozenset[str]:
    names = frozenset(text.split(","))
    if names == {"all"}:
        return frozenset(_convert.LOSSES)
    if names <= _convert.LOSSES.keys():
        return names
    raise argparse.ArgumentTypeError(f"'all', or with commas between them {', '.join(_convert.LOSSES)}")


def _parser() -> argparse.ArgumentParser:
    rich = optional("rich_argparse", sys.stdout)
    style: Any = argparse.HelpFormatter if rich is None else rich.RichHelpFormatter
    parser = argparse.ArgumentParser(
        prog="oxwire", description="One serialization engine for Python.", formatter_class=style
    )
    parser.add_argument("--version", action="version", version=f"oxwire {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, help: str, description: str) -> Callable[..., Any]:
        # What adds its arguments.
        made = commands.add_parser(name, help=help, description=description, formatter_class=style)
        made.set_defaults(run=run, parser=made)
        return made.add_argument

    add = command(
        "bench",
        _bench_command,
        "show that the round trip is exact, and how fast it is beside the installed peers",
        "Decode and encode each FILE, check that nothing is lost, and time it beside the installed peers.",
    )
    add("files", nargs="+", metavar="FILE", help="JSON, or JSON in gzip")
    add("--seconds", type=float, default=2.0, help="time for each document (default: %(default)s)")

    add = command(
        "convert",
        _convert.run,
        "convert a file, or lay it out anew",
        "Convert IN to OUT. The names tell the formats: .json, .ndjson or .jsonl, .msgpack or .mpk or .mp, each also with "
        ".gz; `-` is standard input or output, and JSON unless told otherwise. An array of JSON becomes one line of NDJSON "
        "for each item and back, in memory of the longest item; a document of JSON one message of MessagePack, a line of "
        "NDJSON one of many in a file, and back. JSON that stays JSON keeps its spelling, except with --sort, --canonical "
        "or --ensure-ascii, which refuse a key that stands twice. Between JSON and MessagePack nothing is lost in "
        "silence: what the other cannot say is an error that names its place. A pickle (.pickle or .pkl) of plain data "
        "becomes a file of the native format (.oxn), without running what it names.",
    )
    add("input", metavar="IN")
    add("output", metavar="OUT", help="may be IN")
    add(
        "--from",
        dest="source",
        metavar="FORMAT",
        help="format of IN: json, ndjson (or jsonl), msgpack, pickle",
    )
    add("--to", dest="target", metavar="FORMAT", help="format of OUT")
    add("--indent", type=_indent, metavar="N", help="spaces for each level, 0 to 8, or 'tab'")
    add("--sort", action="store_true", help="sort the keys of every object")
    canonical = "JSON by RFC 8785, the one spelling that can be signed; MessagePack in its shortest forms, keys sorted"
    add("--canonical", action="store_true", help=canonical)
    add("--ensure-ascii", action="store_true", help="escape everything beyond ASCII")
    losses = "; ".join(f"{name} {how}" for name, how in _convert.LOSSES.items())
    lossy = f"between JSON and MessagePack, write what is refused otherwise: {losses}; or all"
    add("--lossy", action="append", default=[], type=_losses, metavar="WHAT,...", help=lossy)
    big = "integers beyond 64 bits become ext 38 of MessagePack, and ext 38 integers"
    add("--big-ints", choices=["ext"], help=big)

    add = command(
        "inspect",
        _inspect.run,
        "show the bytes of MessagePack, value by value",
        "Show each value of a MessagePack FILE: the offset of its first byte, its bytes, the name of its form (and the "
        "length that this tells), what it says, and in brackets what is unusual: a form that is longer than needed, text "
        "that is not UTF-8, a timestamp that says no moment. What makes the rest unreadable ends it with exit code 1.",
    )
    add("input", metavar="FILE", help="MessagePack, or MessagePack in gzip (.gz); `-` is standard input")
    first = "begin at this byte, which must be the first of a value"
    add("--offset", type=_count, default=0, metavar="N", help=first)
    add("--limit", type=_count, metavar="N", help="show so many values and no more")

    add = command(
        "infer",
        _later("_infer", "run"),
        "write Struct classes for samples, or for a JSON Schema",
        "Write Python source with Struct classes that all documents of the FILEs fit: JSON, NDJSON or MessagePack, each line or "
        "message a sample. Keys that some samples lack may be left out; a few texts that come again and again are a Literal.",
    )
    add("files", nargs="+", metavar="FILE", help="samples, also in gzip (.gz); `-` is standard input")
    add("--schema", action="store_true", help="FILE is a JSON Schema, whose classes are written")
    add(
        "--name",
        metavar="NAME",
        help="what the class of a document is called (default: after the first FILE)",
    )
    add(
        "--from",
        dest="source",
        metavar="FORMAT",
        help="format of the FILEs: json, ndjson (or jsonl), msgpack",
    )
    add(
        "--limit", type=_count, metavar="N", help="look at so many documents of each FILE of many and no more"
    )
    add("-o", "--output", default="-", metavar="OUT", help="where to write (default: standard output)")

    add = command(
        "validate",
        _later("_validate", "run"),
        "show what is wrong with documents, by a type or a JSON Schema",
        "Check each document of the FILEs and show what is wrong, once for each path and message; exit code 1 if anything is.",
    )
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="JSON, NDJSON or MessagePack, also in gzip (.gz); `-` is standard input",
    )
    by = commands.choices["validate"].add_mutually_exclusive_group(required=True)
    by.add_argument(
        "--type", metavar="MODULE:TYPE", help="what documents must be; the module (or file.py) is imported"
    )
    by.add_argument("--schema", metavar="FILE", help="a JSON Schema (2020-12)")
    add(
        "--from",
        dest="source",
        metavar="FORMAT",
        help="format of the FILEs: json, ndjson (or jsonl), msgpack",
    )

    add = command(
        "schema",
        _later("_validate", "run_schema"),
        "write the JSON Schema of a type",
        "Write the JSON Schema (2020-12) of a type, whose module is imported, to standard output.",
    )
    add("types", nargs="+", metavar="MODULE:TYPE", help="the type; the module may be a file.py")
    modes = ["validation", "serialization"]
    add(
        "--mode",
        choices=modes,
        default=modes[0],
        help="of what is read, or of what is written (default: %(default)s)",
    )
    add("--inline-root", action="store_true", help="begin with the class itself, not with a reference to it")
    add(
        "--openapi",
        action="store_true",
        help="write the components of an OpenAPI 3.1 document, of several types",
    )
    command(
        "doctor",
        _later("_doctor", "run"),
        "which of its ways oxwire goes here, and why",
        "Say which of its ways oxwire goes here, and why: what is read and made directly, and what by the interpreter's own "
        "functions, which gives the same and takes longer.",
    )
    return parser


def _complain(failure: Failure) -> None:
    # On one line, whatever the message holds.
    print("oxwire: " + str(failure).replace("\n", " "), file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Usage errors leave as SystemExit(2), as argparse does it."""
    try:
        options = _parser().parse_args(arguments)
        code: int = options.run(options, options.parser)
        sys.stdout.flush()
    except Failure as failure:
        _complain(failure)
        return 1
    except BrokenPipeError:
        # Whoever read us has enough. Python flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return code
