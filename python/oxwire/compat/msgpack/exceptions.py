"""The exceptions of msgpack: the same names, bases and texts."""


class UnpackException(Exception):
    """The base of some; others are plain ValueErrors and the like."""


class BufferFull(UnpackException):
    """More is held, or would be, than `max_buffer_size` allows."""


class OutOfData(UnpackException):
    """The object is not complete yet. After more of it the call can be made again."""


class FormatError(ValueError, UnpackException):
    """The input is not MessagePack."""


class StackError(ValueError, UnpackException):
    """The input is nested too deep."""


class ExtraData(ValueError):
    """More follows behind the object: `unpacked` is the object, `extra` are the bytes behind it."""

    def __init__(self, unpacked, extra):
        self.unpacked = unpacked
        self.extra = extra

    def __str__(self):
        return "unpack(b) received extra data."


# Older names, kept for programs that use them.
UnpackValueError = ValueError
PackException = Exception
PackValueError = ValueError
PackOverflowError = OverflowError
