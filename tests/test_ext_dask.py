"""oxwire.ext.dask with the real distributed: headers and frames, and a cluster whose processes speak over TCP."""

import os
import sys
from pathlib import Path

import pytest

import oxwire
from oxwire import DecodeError, native
from oxwire.ext import dask

pytest.importorskip("distributed", reason="needs distributed (Dask)")

from distributed import Client, LocalCluster  # noqa: E402
from distributed.protocol import deserialize, serialize, to_serialize  # noqa: E402
from distributed.protocol.core import dumps, loads  # noqa: E402
from distributed.protocol.serialize import families  # noqa: E402

# Not ours to heed: what other libraries say of each other.
pytestmark = pytest.mark.filterwarnings("default")
ONLY = ["oxwire"]


@native.register("test_ext_dask.point")
class Point:
    def __init__(self, x):
        self.x = x


class Other:
    pass


@pytest.fixture(scope="module", autouse=True)
def registered():
    dask.register()
    yield
    del families["oxwire"]


@pytest.mark.parametrize(
    "one", [None, [1, [2]], {"a": (1, {2})}, {(1, 2): 2**100}, b"x" * 1000, {1, 2}], ids=repr
)
def test_data(one):
    header, frames = serialize(one, serializers=ONLY, on_error="raise", iterate_collection=False)
    assert header["serializer"] == "oxwire"
    assert deserialize(header, frames, deserializers=ONLY) == one
    # By the messages of workers, which split, compress and merge frames.
    got = loads(dumps({"data": to_serialize(one)}, serializers=ONLY), deserializers=ONLY)["data"]
    assert got == one
    assert type(got) is type(one)


def test_registered_classes():
    header, frames = serialize(Point(5), serializers=ONLY)
    assert deserialize(header, frames).x == 5
    dask.register("test", registry=[Point])
    try:
        header, frames = serialize(Point(6), serializers=["test"])
        assert deserialize(header, frames).x == 6
        assert len(frames[0]) < 10
    finally:
        del families["test"]


def test_the_next_family_takes_what_is_no_data():
    header, _ = serialize(Other(), serializers=[*ONLY, "pickle"])
    assert header["serializer"] == "pickle"
    with pytest.raises(TypeError, match="Could not serialize object of type Other"):
        serialize(Other(), serializers=ONLY, on_error="raise")
    with pytest.raises(TypeError, match="Data serialized with pickle"):
        deserialize(*serialize(Other(), serializers=["pickle"]), deserializers=ONLY)


def test_arrays_are_frames_that_nobody_copies():
    np = pytest.importorskip("numpy", reason="needs numpy")
    one = np.arange(1_000_000.0)
    header, frames = serialize(one, serializers=ONLY)
    assert [type(frame) for frame in frames] == [bytes, memoryview]
    assert len(frames[0]) < 100
    got = deserialize(header, frames)
    assert np.shares_memory(got, one)
    fortran, bits, none = np.asfortranarray(np.ones((3, 4))), np.arange(10)[::2], np.zeros((0, 3))
    for one in (fortran, bits, none, np.float32(5), np.array("2026-11-23", "M8[s]")):
        got = deserialize(*serialize(one, serializers=ONLY))
        assert (got == one).all()
        assert got.dtype == one.dtype
        assert got.shape == one.shape


@pytest.mark.parametrize("writable", [True, False])
def test_arrays_are_as_writable_as_they_were(writable):
    np = pytest.importorskip("numpy", reason="needs numpy")
    one = np.arange(1000)
    one.flags.writeable = writable
    header, frames = serialize(one, serializers=ONLY)
    for made in (bytes, bytearray, memoryview):
        got = deserialize(header, [made(frame) for frame in frames])
        assert got.flags.writeable == writable
        assert (got == one).all()


def test_large_arrays_are_split_and_merged():
    np = pytest.importorskip("numpy", reason="needs numpy")
    one = np.arange(200_000)
    message = dumps({"data": to_serialize([one])}, serializers=ONLY, frame_split_size=100_000)
    assert len(message) > 10
    [got] = loads([bytes(frame) for frame in message], deserializers=ONLY)["data"]
    assert (got == one).all()


def test_frames_that_are_damaged():
    np = pytest.importorskip("numpy", reason="needs numpy")
    header, [message, frame] = serialize(np.arange(10), serializers=ONLY)
    for frames in ([message, frame[:-1]], [message[:-1], frame], [b"\x80\x04N.", frame], [b"", frame]):
        with pytest.raises(DecodeError):
            deserialize(header, frames)
    for frames in ([message], [message, frame, frame]):
        with pytest.raises(ValueError):
            deserialize(header, frames)


def families_of_worker():
    return sorted(families)


def work(data):
    return {"data": data, "sum": data["array"].sum(), "set": {1, 2}}


def test_a_cluster(monkeypatch):
    np = pytest.importorskip("numpy", reason="needs numpy")
    seen = []
    write, read, wants = families["oxwire"]

    def writing(obj):
        seen.append(("write", type(obj)))
        return write(obj)

    def reading(header, frames):
        seen.append(("read", len(frames)))
        return read(header, frames)

    # What a worker is started in finds the package that is tested.
    paths = [str(Path(oxwire.__file__).parent.parent), str(Path(__file__).parent)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*paths, *sys.path]))
    families["oxwire"] = writing, reading, wants
    names = ["oxwire", "pickle"]
    try:
        cluster = LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            protocol="tcp://",
            preload=["oxwire.ext.dask"],
        )
        with cluster, Client(cluster, serializers=names, deserializers=[*names, "msgpack"]) as client:
            assert "oxwire" in client.submit(families_of_worker).result(60)
            data = {"array": np.arange(1000), "set": {3}}
            [future] = client.scatter([data])
            got = client.submit(work, future).result(60)
            assert (got["sum"], got["set"], got["data"]["set"]) == (499500, {1, 2}, {3})
            assert isinstance(client.submit(Other).result(60), Other)
    finally:
        families["oxwire"] = write, read, wants
    assert {what for what, _ in seen} == {"write", "read"}
