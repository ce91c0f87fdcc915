"""What the commands share: their failures, the files that they read and write, and whether a terminal is there."""

import contextlib
import errno
import gzip
import io
import os
import shutil
import sys
import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any

from . import DecodeError, EncodeError


class Failure(Exception):
    # One line for the user: `oxwire: FILE: message`.
    pass


def optional(module: str, stream: IO[str]) -> Any:
    # The module if `stream` is a terminal and it is installed, else None.
    if not stream.isatty():
        return None
    try:
        return import_module(module)
    except ImportError:
        return None


def failure(name: str, error: BaseException) -> Failure:
    # What goes wrong with a file, as the one line that names it.
    if isinstance(error, DecodeError):
        return Failure(f"{name}: {error.msg} ({place_of(error)})")
    if isinstance(error, EncodeError):
        return Failure(f"{name}: {error.msg} (at {error.path})")
    if isinstance(error, MemoryError):
        return Failure(f"{name}: not enough memory")
    if isinstance(error, OSError) and error.strerror:
        return Failure(f"{name}: {error.strerror}")
    return Failure(f"{name}: not a whole gzip file: {error}")


@contextlib.contextmanager
def reporting(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except (DecodeError, EncodeError, MemoryError, OSError, EOFError, zlib.error) as error:
        raise failure(name, error) from error


def place_of(error: DecodeError) -> str:
    # Lines are counted in text only.
    return f"byte {error.offset}" if error.line is None else f"line {error.line}, column {error.column}"


def escaping() -> None:
    # What is shown of documents may hold letters that the terminal's encoding has not.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def open_in(name: str) -> contextlib.AbstractContextManager[Any]:
    if name == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    return gzip.open(name, "rb") if name.endswith(".gz") else open(name, "rb")


class Out:
    """Where `convert` writes to: a new file beside OUT that is renamed at the end.

    So OUT may be IN, and a failure half-way leaves it as it was. OUT is named in errors here: whoever writes is just
    then reading IN, and would name that.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.beside: str | None = None

    def __enter__(self) -> "Out":
        with reporting(self.name):
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
        beside = f"{self.target}.{os.urandom(4).hex()}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        file = open(os.open(beside, flags, 0o666), "wb")  # noqa: SIM115 (closed when the conversion ends)
        self.beside = beside
        return file

    def write(self, data: bytes) -> None:
        # Not by `reporting`, which takes longer than a short line.
        try:
            self.file.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise failure(self.name, error) from error

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self._abandon()
            return
        try:
            with reporting(self.name):
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
