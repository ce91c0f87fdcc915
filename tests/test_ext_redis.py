"""oxwire.ext.redis with a real server: by redis-py, by Django's own cache, and by django-redis."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import oxwire
from oxwire import DecodeError, EncodeError, native
from oxwire.ext.redis import Serializer

redis = pytest.importorskip("redis", reason="needs redis (redis-py)")

# Not ours to heed: what other libraries say of each other.
pytestmark = pytest.mark.filterwarnings("default")
DATA = [
    *(0, 1, -5, 2**63 - 1, -(2**63), 2**63, -(2**70), 10**5000),
    *(True, None, 1.5, "x", "5", b"", b"-7", (1, [2, {3}]), {"a": {1: None}}),
]


@native.register("test_ext_redis.point")
class Point:
    def __init__(self, x):
        self.x = x


@pytest.fixture(scope="module")
def address():
    """The path of the socket of a server that is there for these tests alone."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed (Debian: apt-get install redis-server)")
    # Names of sockets have to be short.
    with tempfile.TemporaryDirectory(prefix="oxwire") as folder:
        path = Path(folder, "socket")
        options = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
        server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        try:
            for _ in range(1000):
                if path.exists() or server.poll() is not None:
                    break
                time.sleep(0.01)
            assert path.exists(), "redis-server does not start"
            yield str(path)
        finally:
            server.terminate()
            server.wait(20)


@pytest.fixture
def client(address):
    with redis.Redis(unix_socket_path=address, db=3) as client:
        yield client
        client.flushdb()


@pytest.fixture(scope="module")
def caches(address):
    """Django with a cache of each kind."""
    pytest.importorskip("django", reason="needs django")
    import django
    from django.conf import settings
    from django.core.cache import caches

    ours = "oxwire.ext.redis.Serializer"
    theirs = {"own": "django.core.cache.backends.redis.RedisCache", "other": "django_redis.cache.RedisCache"}
    zipped = {"SERIALIZER": ours, "COMPRESSOR": "django_redis.compressors.zlib.ZlibCompressor"}
    options = {"own": {"serializer": ours}, "other": {"SERIALIZER": ours}, "zipped": zipped}
    settings.configure(
        CACHES={
            "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
            **{
                name: {
                    "BACKEND": theirs.get(name, theirs["other"]),
                    "LOCATION": f"unix://{address}?db={number}",
                    "OPTIONS": options[name],
                }
                for number, name in enumerate(options)
            },
        }
    )
    django.setup()
    yield caches
    caches.close_all()


@pytest.fixture(params=["own", "other", "zipped"])
def cache(request, caches):
    if request.param != "own":
        pytest.importorskip("django_redis", reason="needs django-redis")
    cache = caches[request.param]
    yield cache
    cache.clear()


@pytest.fixture(autouse=True)
def long_ints(any_int_digits):
    """Comparing and showing them is not what is tested."""


def same(a, b):
    assert a == b
    assert type(a) is type(b)


def test_values_without_a_server():
    serializer = Serializer()
    for one in DATA:
        same(serializer.loads(serializer.dumps(one)), one)
    assert serializer.dumps(5) == b"5"
    assert serializer.dumps(True) == native.encode(True)
    for data in (b"", b"\x80\x04N.", native.encode([1]) + b"x", "5".encode("utf-16")):
        with pytest.raises(DecodeError):
            serializer.loads(data)
    for data in (b"1x", b"-", b"-abc", b"/x", b".5", b"0x10", b"1_000", b"007", b"12\n", b"-0", b"9" * 5000):
        with pytest.raises(DecodeError):
            serializer.loads(data)
    assert serializer.loads(memoryview(b"-12")) == -12
    assert serializer.loads(memoryview(native.encode([1]))) == [1]
    with pytest.raises(EncodeError):
        serializer.dumps(object())
    serializer = Serializer(registry=[Point])
    assert serializer.loads(serializer.dumps(Point(5))).x == 5
    assert Serializer().loads(Serializer({"any": "option"}).dumps(Point(6))).x == 6


def test_redis_py(client):
    serializer = Serializer()
    for one in DATA:
        client.set("key", serializer.dumps(one))
        same(serializer.loads(client.get("key")), one)
    client.set("count", serializer.dumps(41))
    assert client.incr("count") == 42
    assert serializer.loads(client.get("count")) == 42
    client.rpush("list", *map(serializer.dumps, DATA))
    assert [serializer.loads(one) for one in client.lrange("list", 0, -1)] == DATA


def test_caches_of_django(cache):
    for one in DATA:
        if type(one) is int and abs(one) > 10**4000:
            continue
        cache.set("key", one)
        same(cache.get("key", "missing"), one)
    assert cache.get("none") is None
    assert cache.get("none", 5) == 5
    assert cache.add("key", 1) is False
    cache.set_many({"a": [1], "b": (2,)})
    assert cache.get_many(["a", "b", "c"]) == {"a": [1], "b": (2,)}
    cache.set("point", Point(5))
    assert cache.get("point").x == 5


def test_caches_count(cache):
    cache.set("count", 5)
    assert cache.incr("count") == 6
    assert cache.decr("count", 10) == -4
    assert cache.get("count") == -4


def test_caches_refuse(cache):
    cache.set("key", [1])
    with pytest.raises(EncodeError):
        cache.set("key", object())
    assert cache.get("key") == [1]


def test_what_others_left_in_a_cache(cache, address):
    import pickle

    cache.set("key", [1])
    for number in range(3):
        with redis.Redis(unix_socket_path=address, db=number) as client:
            for key in client.keys():
                client.set(key, pickle.dumps([1]))
    with pytest.raises(DecodeError):
        cache.get("key")
    cache.set("key", [2])
    assert cache.get("key") == [2]


def test_nothing_of_it_needs_the_library():
    code = "print({'celery', 'distributed', 'django', 'kombu', 'redis'} & {*sys.modules})"
    modules = "import oxwire.ext.dask, oxwire.ext.kombu, oxwire.ext.redis"
    path = str(Path(oxwire.__file__).parent.parent)
    run = [sys.executable, "-c", f"import sys; sys.path[:0] = {[path]!r}; {modules}; {code}"]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip() == "set()"
