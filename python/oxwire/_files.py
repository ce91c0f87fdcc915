"""Files, for the modules of all formats: a path or an open file, writing to its end, reading by chunks."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager

TYPE_CHECKING = False  # typing is slow to import, and nobody needs it to read a file
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# How much of a file is read at once, or gathered before it is written.
CHUNK = 64 * 1024


@contextmanager
def opened(file: Any, mode: str) -> Iterator[Any]:
    """The file itself, or the one at a path, which is closed at the end."""
    if isinstance(file, (str, os.PathLike)):
        with open(file, mode) as at_path:
            yield at_path
    else:
        yield file


def write_all(out: Any, data: bytes | bytearray) -> None:
    """Write all of `data` to a binary file."""
    view = memoryview(data)
    while view:
        # A raw file may take less than it is given, and nothing at all if it would block.
        written = out.write(view)
        if not written and isinstance(out, io.RawIOBase):
            raise BlockingIOError("the file takes no more")
        view = view[written:] if isinstance(written, int) else view[len(view) :]


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
