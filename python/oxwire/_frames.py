"""Files and streams of the native format: a frame around each message (docs/wire/native.md, section 14).

What may surprise: a file is read in pieces, and a message is decoded when all of its frame is there. Nothing is asked of a file but
`read` or `write`; appending needs one that can be sought.
"""

from os import PathLike
from zlib import crc32

from ._files import CHUNK, drain
from ._registry import refused, varint

START = b"\x89OXN\r\n\x1a\n\1\0"
CHECKED = 1
END, MESSAGE, PAD, OPEN = 0, 1, 2, 0x80


def opened(file, mode):
    """A file, and whether it is ours to close."""
    return (open(file, mode), True) if isinstance(file, (str, bytes, PathLike)) else (file, False)


def number(data, at):
    """A varint and where it ends; nothing if it is cut off."""
    value = 0
    for i, byte in enumerate(data[at : at + 9]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            if i and not byte:
                break
            return value, at + i + 1
        if i == 8:
            break
    else:
        return None
    raise refused("a number has a shorter form")


class Frames:
    """Takes frames out of what comes in pieces."""

    def __init__(self, header=True, checked=False, max_buffer=1 << 30):
        self.data, self.at, self.offset, self.max = bytearray(), 0, 0, max_buffer
        self.begun, self.checked = not header, checked
        self.count, self.ended, self.header = 0, False, header

    def feed(self, piece):
        del self.data[: self.at]
        self.offset += self.at
        self.at = 0
        self.data += piece

    def next(self):
        """The next message as bytes; nothing if it is not all there."""
        data = self.data
        if not self.begun:
            if data[:10] != START[: len(data[:10])]:
                raise refused("This is no file of the native format", 0)
            if len(data) < 12:
                return None
            if data[10] & ~CHECKED:
                raise refused("The file has flags that are not known", 10)
            self.begun, self.checked, self.at = True, bool(data[10]), 12
        while len(data) > self.at:
            head = number(data, self.at + 1)
            if head is None:
                return None
            size, begin = head
            end = begin + size
            if size > self.max:
                raise refused(f"A frame is longer than `max_buffer` ({self.max})", self.offset + self.at)
            if end + 4 * self.checked > len(data):
                return None
            kind, body, place = data[self.at], bytes(data[begin:end]), self.offset + self.at
            if self.checked:
                if crc32(data[self.at : end]) != int.from_bytes(data[end : end + 4], "little"):
                    raise refused("The check of a frame is wrong", place)
                end += 4
            self.ended = kind == END
            if kind == MESSAGE:
                if body[:1] != b"\xb0":
                    raise refused("A frame has no message of this version", place)
                self.at = end
                self.count += 1
                return body
            if kind == END:
                if number(body, 0) != (self.count, len(body)):
                    raise refused("The file does not have as many messages as it says", place)
            elif kind < OPEN and (kind != PAD or any(body)):
                raise refused("A frame of an unknown kind", place)
            self.at = end
        return None


class StreamDecoder:
    """Messages out of pieces: `feed` it, iterate over what is complete, `close` it at the end."""

    def __init__(self, *, header=True, checked=False, max_buffer=1 << 30, **options):
        from .native import Decoder

        self._frames, self._decode = Frames(header, checked, max_buffer), Decoder(**options).decode

    def feed(self, chunk, /):
        self._frames.feed(chunk)

    def __iter__(self):
        return self

    def __next__(self):
        message = self._frames.next()
        if message is None:
            raise StopIteration
        return self._decode(message)

    def close(self):
        frames = self._frames
        if len(frames.data) > frames.at or frames.header > frames.ended:
            raise refused("The file is cut off", frames.offset + len(frames.data))


def read(file, /, **options):
    """The messages of a file, one after another."""
    file, ours = opened(file, "rb")
    try:
        yield from drain(StreamDecoder(**options), file)
    finally:
        if ours:
            file.close()


class FileWriter:
    """Writes messages into a file, which `close` or the end of a `with` block completes."""

    def __init__(self, file, /, *, append=False, header=True, checked=None, **options):
        from .native import Encoder

        if options.get("collect_buffers"):
            raise ValueError("a file has no buffers beside it")
        self._encode = Encoder(**options).encode
        self._file, self._ours = opened(file, "r+b" if append else "wb")
        # Who reads what has no header has to be told.
        self._count, self._checked = 0, bool(header if checked is None else checked)
        begun = not header
        if append:
            try:
                begun = self._find_end(Frames(header, self._checked))
            except BaseException:
                self._close()
                raise
        if not begun:
            self._file.write(START + bytes((self._checked, 0)))

    def _find_end(self, frames):
        self._file.seek(0)
        while piece := self._file.read(CHUNK):
            frames.feed(piece)
            while frames.next() is not None:
                pass
        # What is behind the last whole frame was cut off.
        self._file.seek(frames.offset + frames.at)
        self._file.truncate()
        if frames.begun:
            self._count, self._checked = frames.count, frames.checked
        return frames.begun

    def _frame(self, kind, body):
        frame = bytes((kind,)) + varint(len(body)) + body
        self._file.write(frame + crc32(frame).to_bytes(4, "little") if self._checked else frame)

    def write(self, obj, /):
        self._frame(MESSAGE, self._encode(obj))
        self._count += 1

    def _close(self):
        file, self._file = self._file, None
        if self._ours:
            file.close()

    def close(self):
        if self._file is not None:
            try:
                self._frame(END, varint(self._count))
            finally:
                self._close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
