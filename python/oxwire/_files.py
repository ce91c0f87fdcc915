"""Files, for the modules of all formats: a path or an open file, writing to its end, reading by chunks."""

from __future__ import annotations

import io
import os

TYPE_CHECKING = False  # typing is slow to import, and nobody needs it to read a file
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# How much of a file is read at once, or gathered before it is written.
CHUNK = 64 * 1024


class opened:
    """`with opened(file, mode)`: the file itself, or the one at a path, which is closed at the end.

    A class, since importing contextlib would take a third of the time that importing the package takes.
    """

    __slots__ = ("_file", "_ours")

    def __init__(self, file: Any, mode: str) -> None:
        self._ours = isinstance(file, (str, os.PathLike))
        self._file: Any = open(file, mode) if self._ours else file  # noqa: SIM115 - __exit__ closes it

    def __enter__(self) -> Any:
        return self._file

    def __exit__(self, *_: object) -> None:
        if self._ours:
            self._file.close()


def write_all(out: Any, data: bytes | bytearray) -> None:
    """Write all of `data` to a binary file."""
    view = memoryview(data)
    while view:
        # A raw file may take less than it is given, and nothing at all if it would block. Files of other sorts that
        # do not say how much they took have taken all.
        written = out.write(view)
        if written is None and not isinstance(out, io.RawIOBase):
            written = len(view)
        if not written or written < 0:
            raise BlockingIOError("the file takes no more")
        view = view[written:]


def drain(stream: Any, file: Any) -> Iterator[Any]:
    """What `stream` makes of a file, one by one."""
    with opened(file, "rb") as source:
        while chunk := source.read(CHUNK):
            stream.feed(chunk)
            # Not `yield from`: whoever stops half-way would close the stream, which is not complete then.
            for one in stream:
                yield one
    stream.close()
    for one in stream:
        yield one
