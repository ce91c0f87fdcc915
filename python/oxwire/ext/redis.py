"""A serializer for Redis in the native format."""

from contextlib import suppress

from oxwire.native import Decoder, Encoder


class Serializer:
    def __init__(self, options=None, *, registry=None):
        self._encode, self._decode = Encoder(registry=registry).encode, Decoder(registry=registry).decode

    def dumps(self, value, /):
        if type(value) is int and -(2**63) <= value < 2**63:
            return b"%d" % value
        return self._encode(value)

    def loads(self, data, /):
        head = bytes(memoryview(data)[:21])
        if b"-" <= head[:1] <= b"9":
            # What is spelled in another way is no message either.
            with suppress(ValueError):
                if len(head) < 21 and b"%d" % (value := int(head)) == head:
                    return value
        return self._decode(data)
