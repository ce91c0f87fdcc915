"""A family of serialization for Dask in the native format."""

from pickle import PickleBuffer

from oxwire.native import Decoder, EncodeError, Encoder


def register(name="oxwire", *, registry=None):
    from distributed.protocol import register_serialization_family

    encode = Encoder(registry=registry, collect_buffers=True).encode
    decode = Decoder(registry=registry).decode

    def dumps(obj):
        try:
            data, buffers = encode(obj)
        except EncodeError as error:
            # The next family is asked.
            raise NotImplementedError(str(error)) from error
        buffers = [PickleBuffer(one).raw() for one in buffers]
        return {"writable": tuple(not one.readonly for one in buffers)}, [data, *buffers]

    def loads(header, frames):
        data, *buffers = frames
        # What came over a network or from a disk may be writable or not.
        return decode(
            data,
            buffers=[
                bytearray(one) if writable and memoryview(one).readonly else one
                for one, writable in zip(buffers, header["writable"], strict=True)
            ],
        )

    register_serialization_family(name, dumps, loads)


def dask_setup(_server):
    register()
