"""Small functions that each write one tag of the native format. They decide nothing: a case says which form it uses."""

import struct

NONE, FALSE, TRUE, UTC = (bytes([tag]) for tag in (0x58, 0x59, 0x5A, 0x5D))


def varint(n: int) -> bytes:
    """A varint."""
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def num(n: int) -> bytes:
    """An integer in its form."""
    if -1 <= n < 32:
        return bytes([0xE0 + n])
    if -(2**63) <= n < 2**64:
        m = n if n >= 0 else -1 - n
        for index, width in enumerate((1, 2, 3, 4, 6, 8)):
            if m < 1 << 8 * width:
                return bytes([(0x60 if n >= 0 else 0x66) + index]) + m.to_bytes(width, "little")
    width = (n if n >= 0 else -1 - n).bit_length() // 8 + 1
    return b"\x6c" + varint(width) + n.to_bytes(width, "little", signed=True)


def flt(v: float | int) -> bytes:
    """A float, or the bits of one."""
    return b"\x5e" + (v.to_bytes(8, "little") if isinstance(v, int) else struct.pack("<d", v))


def sized(tag: int, data: bytes) -> bytes:
    """A tag, a length, bytes."""
    return bytes([tag]) + varint(len(data)) + data


def txt(text: str) -> bytes:
    """Text in its form."""
    data = text.encode("utf-8", "surrogatepass")
    if any("\ud800" <= c <= "\udfff" for c in text):
        return sized(2, data)
    return bytes([0x20 + len(data)]) + data if len(data) < 32 else sized(1, data)


def lst(*items: bytes) -> bytes:
    """A list."""
    head = bytes([0x40 + len(items)]) if len(items) < 8 else b"\x03" + varint(len(items))
    return head + b"".join(items)


def tup(*items: bytes) -> bytes:
    """A tuple."""
    head = bytes([0x48 + len(items)]) if len(items) < 4 else b"\x04" + varint(len(items))
    return head + b"".join(items)


def dct(*parts: bytes) -> bytes:
    """A dict: key, value, key, value."""
    return b"\x05" + varint(len(parts) // 2) + b"".join(parts)


def a_set(*items: bytes, frozen: bool = False) -> bytes:
    """A set or frozenset."""
    return bytes([6 + frozen]) + varint(len(items)) + b"".join(items)


def shape(keys: list[bytes], *values: bytes) -> bytes:
    """A dict that defines its shape."""
    return b"\x08" + varint(len(keys)) + b"".join(keys) + b"".join(values)


def shaped(k: int, *values: bytes) -> bytes:
    """A dict of a shape."""
    return (bytes([0x50 + k]) if k < 8 else b"\x09" + varint(k)) + b"".join(values)


def typed(kind: int, name: bytes, version: int, fields: list[bytes], *values: bytes) -> bytes:
    """An object that defines its type."""
    return b"".join([bytes([10, kind]), name, varint(version), varint(len(fields)), *fields, *values])


def record(k: int, *values: bytes) -> bytes:
    """An object of a type."""
    return (bytes([0x4C + k]) if k < 4 else b"\x0b" + varint(k)) + b"".join(values)


def packed(element: int, n: int, items: bytes) -> bytes:
    """A list of numbers."""
    return bytes([12, element]) + varint(n) + items


def ext(code: int, body: bytes) -> bytes:
    """A type of the standard library."""
    return bytes([0x12, code]) + body


def date(y: int, m: int, d: int) -> int:
    """The fields of a date."""
    return y << 9 | m << 5 | d


def time(h: int, m: int, s: int, us: int = 0, fold: int = 0) -> int:
    """The fields of a time."""
    return h << 33 | m << 27 | s << 21 | us << 1 | fold


def moment(tag: int, *fields: int) -> bytes:
    """A date, time or both."""
    v, width = (fields[0] << 38 | fields[1], 8) if len(fields) == 2 else (fields[0], 3 if tag == 0x14 else 5)
    return bytes([tag]) + v.to_bytes(width, "little")


def span(days: int, second: int, micro: int) -> bytes:
    """A timedelta."""
    return b"\x19" + struct.pack("<i", days) + (second << 20 | micro).to_bytes(5, "little")


def shared(value: bytes) -> bytes:
    """A definition that is referred to."""
    return bytes([value[0] | 0x80]) + value[1:]


def new(distance: int) -> bytes:
    """The first reference."""
    return b"\x5c" + varint(distance)


def ref(n: int) -> bytes:
    """A further reference."""
    return bytes([0x6D + n if n < 19 else 0xC5 + n]) if n < 26 else b"\x5b" + varint(n)
