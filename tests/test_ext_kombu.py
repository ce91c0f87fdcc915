"""oxwire.ext.kombu with the real kombu and Celery, over their transports in memory."""

import subprocess
import sys
from decimal import Decimal
from importlib.metadata import entry_points

import pytest

from oxwire import native
from oxwire.ext import kombu as ext

kombu = pytest.importorskip("kombu", reason="needs kombu")

from kombu import serialization  # noqa: E402
from kombu.exceptions import ContentDisallowed, DecodeError, EncodeError  # noqa: E402

# Not ours to heed: what other libraries say of each other.
pytestmark = pytest.mark.filterwarnings("default")
DATA = {"a": (1, [2]), "b": {3}, "c": Decimal("1.50"), 4: b"x", None: 2**100}


@native.register("test_ext_kombu.point")
class Point:
    def __init__(self, x):
        self.x = x


class Signed(dict):
    """As Celery's signatures are."""

    def __json__(self):
        return dict(self)


@pytest.fixture(scope="module", autouse=True)
def registered():
    ext.register()


def test_data():
    kind, encoding, data = serialization.dumps(DATA, "oxwire")
    assert (kind, encoding) == ("application/x-oxwire", "binary")
    assert data == native.encode(DATA)
    for buffer in (data, bytearray(data), memoryview(data)):
        assert serialization.loads(buffer, kind, encoding) == DATA
    assert serialization.loads(data, kind, encoding, accept={kind}) == DATA
    with pytest.raises(ContentDisallowed):
        serialization.loads(data, kind, encoding, accept={"application/json"})


def test_faults_are_those_of_kombu():
    kind, encoding, data = serialization.dumps(DATA, "oxwire")
    with pytest.raises(EncodeError, match=r"`\$\.a\[0\]`"):
        serialization.dumps({"a": [object()]}, "oxwire")
    for broken in (data[:-1], b"\x80\x04N.", data + b"x"):
        with pytest.raises(DecodeError):
            serialization.loads(broken, kind, encoding)


def test_a_name_and_a_registry_of_ones_own():
    ext.register("points", registry=[Point])
    try:
        kind, encoding, data = serialization.dumps(Point(5), "points")
        assert kind == "application/x-points"
        assert serialization.loads(data, kind, encoding).x == 5
        with pytest.raises(DecodeError, match="There is no class registered with the name 0"):
            serialization.loads(data, "application/x-oxwire", encoding)
    finally:
        serialization.unregister("points")


def test_dicts_that_say_what_they_are_written_as():
    shared, cycle = [1], []
    cycle.append(cycle)
    one = ([Signed(a=shared, b=(Signed(c=1), 2))], {"d": Signed()}, shared, cycle, (3, {4: 5}))
    [[a], d, again, round_, other] = ext.serializer[1](ext.serializer[0](one))
    assert a == {"a": [1], "b": ({"c": 1}, 2)}
    assert (type(a), type(a["b"][0]), d) == (dict, dict, {"d": {}})
    assert a["a"] is again
    assert round_[0] is round_
    assert other == (3, {4: 5})
    # Others are refused as ever.
    for refused in (type("D", (dict,), {})(), {1: type("L", (list,), {})()}):
        with pytest.raises(native.EncodeError):
            ext.serializer[0]([Signed(), refused])


def test_a_queue_in_memory():
    exchange = kombu.Exchange("test_ext_kombu")
    queue, got = kombu.Queue("test_ext_kombu", exchange, routing_key="x"), []
    with kombu.Connection("memory://") as connection, connection.channel() as channel:
        producer = kombu.Producer(channel, exchange, routing_key="x", serializer="oxwire")
        producer.publish(DATA, declare=[queue])
        take = lambda body, message: (got.append(body), message.ack())
        with kombu.Consumer(channel, [queue], callbacks=[take], accept=["oxwire"]):
            connection.drain_events(timeout=5)
    assert got == [DATA]


def test_kombu_finds_it_by_itself():
    found = [one for one in entry_points(group="kombu.serializers") if one.name == "oxwire"]
    if not found:
        pytest.skip("oxwire runs from its source tree, which has no entry points")
    assert found[0].load() is ext.serializer
    code = "from kombu.serialization import dumps; print(dumps((1,), 'oxwire')[0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "application/x-oxwire"


@pytest.fixture(scope="module")
def app():
    celery = pytest.importorskip("celery", reason="needs celery")
    app = celery.Celery("test_ext_kombu", broker="memory://", backend="cache+memory://")
    app.conf.update(
        task_serializer="oxwire",
        result_serializer="oxwire",
        accept_content=["oxwire"],
        broker_connection_retry_on_startup=False,
        broker_transport_options={"polling_interval": 0.01},
        result_chord_retry_interval=0.05,
    )
    return app


def test_celery_in_one_process(app):
    @app.task(name="eager")
    def eager(one):
        assert type(one["a"]) is tuple
        return one

    app.conf.task_always_eager = True
    try:
        assert eager.delay(DATA).get() == DATA
    finally:
        app.conf.task_always_eager = False


def test_celery_with_a_worker(app):
    from celery import chain, chord, group
    from celery.contrib.testing.worker import start_worker

    @app.task(name="same")
    def same(one):
        return one, Point(1)

    @app.task(name="add")
    def add(a, b):
        return a + b

    @app.task(name="total")
    def total(numbers):
        return sum(numbers)

    @app.task(name="fail")
    def fail():
        raise ValueError("no", {1})

    with start_worker(app, perform_ping_check=False, pool="solo"):
        waiting = [
            same.delay(DATA),
            chain(add.s(1, 2), add.s(3)).apply_async(),
            group(add.s(i, i) for i in range(3)).apply_async(),
            chord([add.s(i, i) for i in range(3)], total.s()).apply_async(),
            add.apply_async((1, 2), link=same.s()),
            fail.delay(),
        ]
        got, point = waiting[0].get(timeout=20)
        assert (got, point.x) == (DATA, 1)
        assert [one.get(timeout=20) for one in waiting[1:5]] == [6, [0, 2, 4], 6, 3]
        with pytest.raises(ValueError, match="no"):
            waiting[5].get(timeout=20)
        with pytest.raises(EncodeError):
            add.delay(object(), 1)
