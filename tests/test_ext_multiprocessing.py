"""oxwire.ext.multiprocessing with each way to start a process: what travels, what is refused, and what goes on after a fault."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Client, Listener, wait
from pathlib import Path
from queue import Empty, Full

import ext_work
import pytest

import oxwire
from oxwire import DecodeError, EncodeError, ValidationError, native
from oxwire.ext import multiprocessing as ext

METHODS = multiprocessing.get_all_start_methods()
# A process with threads may be forked here: what they hold is not used.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
each_method = pytest.mark.parametrize("method", METHODS)
quick = multiprocessing.get_context(METHODS[0] if "fork" not in METHODS else "fork")


class Trap:
    """What a pickle of it does must never happen."""

    def __reduce__(self):
        return os._exit, (13,)


def remote(error):
    return str(error.__cause__)


@pytest.fixture(scope="module")
def pool():
    with ext.Pool(1, context=quick) as one:
        yield one


@pytest.fixture(scope="module")
def executor():
    with ext.ProcessPoolExecutor(1, quick) as one:
        yield one


@pytest.fixture(params=["pool", "executor"])
def call(request):
    """Calls a function in a process."""
    one = request.getfixturevalue(request.param)
    if request.param == "pool":
        return lambda function, *args, **kwargs: one.apply_async(function, args, kwargs).get(30)
    return lambda function, *args, **kwargs: one.submit(function, *args, **kwargs).result(30)


@each_method
@pytest.mark.parametrize("kind", [ext.Queue, ext.JoinableQueue, ext.SimpleQueue])
def test_queues_between_processes(method, kind):
    context = multiprocessing.get_context(method)
    there, back = kind(context=context), ext.Queue(context=context)
    process = context.Process(target=ext_work.echo, args=(there, back))
    process.start()
    shared = [1, {2}]
    for one in (1, [shared, shared, (None, 2**100)], bytes(3_000_000)):
        there.put(one)
        got = back.get(timeout=60)
        assert got == one
        assert type(got) is type(one)
        if type(one) is list:
            assert got[0] is got[1]
    there.put(ext_work.Point(3))
    assert back.get(timeout=60).x == 3
    there.put(None)
    if kind is ext.JoinableQueue:
        for _ in range(4):
            there.task_done()
        there.join()
    process.join(60)
    assert process.exitcode == 0


@each_method
def test_pipes_between_processes(method):
    context = multiprocessing.get_context(method)
    ours, theirs = ext.Pipe()
    process = context.Process(target=ext_work.answer, args=(theirs,))
    process.start()
    for one in ({"a": (1, {2})}, "x", bytearray(3_000_000)):
        ours.send(one)
        assert ours.recv() == [one, "Connection"]
    ours.send(None)
    process.join(60)
    assert process.exitcode == 0


@each_method
def test_pools_and_executors(method):
    context = multiprocessing.get_context(method)
    with ext.Pool(2, ext_work.start, ("a", 1), context=context) as pool:
        assert pool.map(ext_work.square, range(10), 3) == [x * x for x in range(10)]
        assert pool.apply(ext_work.what_was_started, (0,)) == ("a", 1)
        assert pool.apply(ext_work.twice, (ext_work.Point(1),))[1].x == 1
        with pytest.raises(ValueError, match="^no$"):
            pool.apply(ext_work.fail_value, ("no",))
        pool.close()
        pool.join()
    with ext.ProcessPoolExecutor(1, context, ext_work.start, ("b",)) as executor:
        assert list(executor.map(ext_work.square, range(10), chunksize=3)) == [x * x for x in range(10)]
        assert executor.submit(ext_work.what_was_started, 0).result(60) == ("b",)


def test_what_is_not_data_is_refused_where_it_is_put():
    for queue in (ext.Queue(1), ext.JoinableQueue(1), ext.SimpleQueue()):
        with pytest.raises(EncodeError) as caught:
            queue.put({"a": [object()]})
        assert caught.value.path == "$.a[0]"
        # It has taken no place.
        queue.put(1)
        assert queue.get() == 1
        queue.close()
    ours, theirs = ext.Pipe()
    with ours, theirs:
        with pytest.raises(EncodeError):
            ours.send(lambda: 1)
        assert not theirs.poll()


def test_a_queue_has_what_was_put():
    queue = ext.Queue()
    one = [1]
    queue.put(one)
    one.append(2)
    queue.put(one)
    assert (queue.get(), queue.get()) == ([1], [1, 2])


def test_queues_are_full_empty_and_closed_as_others_are():
    queue = ext.Queue(maxsize=1)
    queue.put(None)
    with pytest.raises(Full):
        queue.put(1, timeout=0.01)
    with pytest.raises(Full):
        queue.put_nowait(1)
    assert queue.get(timeout=10) is None
    for args in ((False,), (True, 0.01)):
        with pytest.raises(Empty):
            queue.get(*args)
    with pytest.raises(Empty):
        queue.get_nowait()
    assert queue.empty()
    queue.close()
    queue.join_thread()
    for use in (queue.get, lambda: queue.put(1)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_many_threads_share_a_queue():
    queue, got = ext.Queue(), []

    def take():
        while (one := queue.get()) is not None:
            got.append(one)

    threads = [threading.Thread(target=take) for _ in range(4)]
    puts = [threading.Thread(target=lambda i=i: [queue.put([i, j]) for j in range(200)]) for i in range(4)]
    for thread in threads + puts:
        thread.start()
    for thread in puts:
        thread.join()
    for _ in threads:
        queue.put(None)
    for thread in threads:
        thread.join()
    assert sorted(got) == [[i, j] for i in range(4) for j in range(200)]


def test_a_queue_is_not_kept_alive_by_its_thread():
    queue = ext.Queue()
    queue.put(1)
    assert queue.get() == 1
    thread, ref = queue._thread, weakref.ref(queue)
    del queue
    gc.collect()
    assert ref() is None
    thread.join(10)
    assert not thread.is_alive()


def test_queues_are_sent_only_to_a_process_that_starts():
    for queue in (ext.Queue(), ext.JoinableQueue(), ext.SimpleQueue()):
        with pytest.raises(RuntimeError, match="should only be shared"):
            pickle.dumps(queue)


@pytest.mark.parametrize("data", [b"", b"\x80\x04N.", b"\xb0", pickle.dumps(Trap()), b"\xb0\x07\xff"])
def test_what_is_no_message_is_refused_and_the_next_is_read(data):
    for queue in (ext.Queue(), ext.JoinableQueue(), ext.SimpleQueue()):
        queue._writer.send_bytes(data)
        queue._writer.send_bytes(native.encode([1]))
        if type(queue) is not ext.SimpleQueue:
            # As if they had been put.
            queue._sem.acquire()
            queue._sem.acquire()
        with pytest.raises(DecodeError):
            queue.get()
        assert queue.get() == [1]
    ours, theirs = ext.Pipe()
    with ours, theirs:
        ours.send_bytes(data)
        ours.send([1])
        with pytest.raises(DecodeError):
            theirs.recv()
        assert theirs.recv() == [1]


def test_pipes_of_one_direction_and_closed_ones():
    receives, sends = ext.Pipe(duplex=False)
    assert (receives.readable, receives.writable, sends.readable) == (True, False, False)
    with pytest.raises(OSError, match="read-only"):
        receives.send(1)
    with pytest.raises(OSError, match="write-only"):
        sends.recv()
    sends.send(1)
    assert wait([receives], 10) == [receives]
    assert receives.poll()
    assert receives.recv() == 1
    sends.close()
    assert sends.closed
    with pytest.raises(OSError, match="closed"):
        sends.send(1)
    with pytest.raises(EOFError):
        receives.recv()
    receives.close()


def test_connections_of_others_can_be_given():
    with Listener(authkey=b"key") as listener:
        thread = threading.Thread(
            target=lambda: ext_work.answer(ext.Connection(listener.accept(), [ext_work.Point]))
        )
        thread.start()
        with ext.Connection(Client(listener.address, authkey=b"key"), registry=[ext_work.Point]) as one:
            one.send([ext_work.Point(5)])
            [[point], _] = one.recv()
            assert point.x == 5
            with pytest.raises(EncodeError):
                one.send(ext_work.Known())
            one.send(None)
        thread.join(10)


def test_a_registry_goes_where_the_queue_goes():
    context = multiprocessing.get_context("spawn")
    registry = {"p": ext_work.Point}
    there, back = (ext.Queue(context=context, registry=registry) for _ in range(2))
    process = context.Process(target=ext_work.echo, args=(there, back))
    process.start()
    there.put(ext_work.Point(1))
    assert back.get(timeout=60).x == 1
    with pytest.raises(EncodeError):
        there.put(ext_work.Known())
    there.put(None)
    process.join(60)
    with ext.ProcessPoolExecutor(1, context, registry=registry) as executor:
        assert executor.submit(ext_work.twice, ext_work.Point(2)).result(60)[0].x == 2
        with pytest.raises(ext.RemoteError, match="Known"):
            executor.submit(ext_work.fail_known, 1).result(60)


def test_all_ways_to_call_a_pool(pool):
    squares = [x * x for x in range(10)]
    assert pool.apply(ext_work.same, (1, [2]), {"k": {3}}) == ((1, [2]), {"k": {3}})
    assert pool.map(ext_work.square, iter(range(10))) == squares
    assert pool.map(ext_work.square, []) == []
    assert pool.starmap(ext_work.same, [(1, 2), (3,)]) == [((1, 2), {}), ((3,), {})]
    assert pool.starmap_async(pow, [(2, 3)]).get(30) == [8]
    assert list(pool.imap(ext_work.square, range(10))) == squares
    assert list(pool.imap(ext_work.square, range(10), 3)) == squares
    assert sorted(pool.imap_unordered(ext_work.square, range(10), 3)) == squares
    said = []
    pool.map_async(ext_work.square, range(3), callback=said.append).get(30)
    with pytest.raises(ValueError):
        pool.apply_async(ext_work.fail_value, ("x",), error_callback=said.append).get(30)
    assert (said[0], str(said[1])) == ([0, 1, 4], "x")


def test_what_is_shared_stays_shared(call):
    one = [1]
    a, b = call(ext_work.twice, [one, one])
    assert a is b
    assert a[0] is a[1]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a", 1),
        KeyError(("k", 1)),
        FileNotFoundError(2, "No such file", "x"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
        StopIteration(5),
        ImportError("x", name="n", path="p"),
        SyntaxError("bad", ("f", 1, 2, "text")),
        KeyboardInterrupt("stop"),
        MemoryError(),
        EncodeError("ours"),
        ValidationError("ours"),
    ],
    ids=repr,
)
def test_errors_that_are_built_in_come_back(call, error):
    with pytest.raises(type(error)) as caught:
        call(ext_work.fail_as, *ext_work.said(error))
    assert caught.value.args == error.args
    if not isinstance(error, StopIteration):
        assert vars(caught.value) == vars(error)
    assert getattr(caught.value, "filename", None) == getattr(error, "filename", None)
    assert "in fail_as" in remote(caught.value)


def test_errors_with_notes(call):
    with pytest.raises(ValueError) as caught:
        call(ext_work.fail_with_note, "noted")
    assert caught.value.__notes__ == ["noted"]


def test_errors_that_are_registered_come_back(call):
    with pytest.raises(ext_work.Known) as caught:
        call(ext_work.fail_known, 5)
    assert caught.value.args == ("known", 5)
    assert caught.value.more.x == 5
    assert "in fail_known" in remote(caught.value)


def test_errors_that_are_not_are_named(call):
    with pytest.raises(ext.RemoteError, match=r"^ext_work.Unknown: \('unknown', 5\)$") as caught:
        call(ext_work.fail_unknown, 5)
    assert "in fail_unknown" in remote(caught.value)
    # A class of the same name as one that is built in.
    with pytest.raises(ext.RemoteError, match="ext_work.OSError: mine"):
        call(ext_work.fail_as_another, "mine")
    # One that is built in, with something in it that is no data.
    with pytest.raises(ext.RemoteError, match="ValueError: <object"):
        call(ext_work.fail_with_object, 0)


def test_results_and_arguments_that_are_no_data(call):
    with pytest.raises(EncodeError, match="`object`") as caught:
        call(ext_work.refused, 0)
    assert caught.value.path == "$.a"
    assert "_run" in remote(caught.value)
    with pytest.raises(EncodeError) as caught:
        call(ext_work.square, object())
    assert caught.value.path == "$[0][0]"
    assert call(ext_work.square, 2) == 4


def test_functions_that_cannot_be_pickled_or_found(call):
    with pytest.raises((pickle.PicklingError, AttributeError)):
        call(lambda: 1)
    # What a worker cannot unpickle is the fault of this call alone.
    with pytest.raises(ModuleNotFoundError):
        call(ext_work.Lost())
    assert call(ext_work.square, 2) == 4


def test_a_class_that_only_the_worker_has_registered(call):
    with pytest.raises(DecodeError, match=r"ext_work\.local"):
        call(ext_work.register_here, 0)
    assert call(ext_work.square, 2) == 4


def test_leaving_a_worker_is_an_error_of_the_call(call):
    with pytest.raises(SystemExit) as caught:
        call(ext_work.leave, 0)
    assert caught.value.code == 3
    assert call(ext_work.square, 2) == 4


def test_what_gives_the_arguments_may_fail(pool):
    results = pool.imap(ext_work.square, ext_work.pairs())
    assert (next(results), next(results)) == (1, 4)
    with pytest.raises(KeyError, match="no more"):
        next(results)
    with pytest.raises(EncodeError):
        pool.map(ext_work.square, [1, object()])
    assert pool.map(ext_work.square, [1]) == [1]


@pytest.mark.parametrize("rows", [3, 300])
def test_numpy_arrays_travel(call, rows):
    np = pytest.importorskip("numpy", reason="needs numpy")
    one = np.arange(rows * 1000.0).reshape(rows, 1000)
    got, again = call(ext_work.twice, one)
    assert (got == one).all()
    assert got is again
    assert got.flags.writeable
    one.flags.writeable = False
    ((back, turned), _) = call(ext_work.same, one, one.T)
    assert (turned == one.T).all()
    assert not back.flags.writeable


@pytest.mark.parametrize("size", [0, 10, 1_000_000])
def test_buffers_of_all_sizes(size):
    ours, theirs = ext.Pipe()
    queue, simple = ext.Queue(), ext.SimpleQueue()
    one = [pickle.PickleBuffer(bytearray(range(256)) * (size // 256)), b"", pickle.PickleBuffer(bytes(size))]
    echo = threading.Thread(target=ext_work.answer, args=(theirs,))
    echo.start()
    ours.send(one)
    assert [*map(bytes, ours.recv()[0])] == [*map(bytes, one)]
    ours.send(None)
    echo.join(10)
    for put, get in ((queue.put, queue.get), (simple.put, simple.get)):
        # Two, each in several parts, that another thread takes.
        thread = threading.Thread(target=lambda put=put: [put(one), put(one), put(5)])
        thread.start()
        for _ in range(2):
            assert [*map(bytes, get())] == [*map(bytes, one)]
        assert get() == 5
        thread.join(10)
    for end in (ours, theirs, simple):
        end.close()


def test_a_queue_has_large_buffers_as_they_were_put():
    queue, one = ext.Queue(), bytearray(1_000_000)
    queue.put([pickle.PickleBuffer(one)])
    one[:3] = b"new"
    [got] = queue.get()
    assert got == bytes(1_000_000)


def test_pools_end_with_large_tasks_that_wait(pool):
    one = [[pickle.PickleBuffer(bytearray(300_000)), i] for i in range(20)]
    assert pool.map(ext_work.last, one, 3) == [*range(20)]
    with ext.Pool(1, context=quick) as other:
        results = other.map_async(ext_work.last, one, 1)
    assert not results.ready() or results.get() == [*range(20)]


def test_workers_that_are_replaced():
    with ext.Pool(1, maxtasksperchild=1, context=quick) as pool:
        assert len({pool.apply(ext_work.pid, (0,)) for _ in range(3)}) == 3
        pool.close()
        pool.join()
    context = multiprocessing.get_context("spawn")
    with ext.ProcessPoolExecutor(1, context, max_tasks_per_child=1) as executor:
        assert len({executor.submit(ext_work.pid, 0).result(60) for _ in range(2)}) == 2


def test_a_worker_that_dies_breaks_the_executor():
    with ext.ProcessPoolExecutor(1, quick) as executor:
        with pytest.raises(BrokenProcessPool):
            executor.submit(ext_work.die, 0).result(30)
        with pytest.raises(BrokenProcessPool):
            executor.submit(ext_work.square, 1)


def test_an_executor_that_is_shut_down():
    with ext.ProcessPoolExecutor(1, quick) as executor:
        pass
    with pytest.raises(RuntimeError):
        executor.submit(ext_work.square, 1)


@pytest.mark.parametrize("kind", [ext.Pool, ext.ProcessPoolExecutor])
def test_workers_are_started_with_a_function(kind):
    with pytest.raises(TypeError, match="initializer must be a callable"):
        kind(1, initializer=5)
    with pytest.raises(TypeError, match="is not a class"):
        kind(1, registry=[5])
    gc.collect()


def test_a_pool_is_not_kept_alive():
    pool = ext.Pool(1, context=quick)
    assert pool.apply(ext_work.square, (2,)) == 4
    pool.terminate()
    pool.join()
    ref = weakref.ref(pool)
    del pool
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pickle.dumps(Trap()),
        native.encode(1),
        native.encode((1, 2)),
        native.encode(([], 0, (True, (True, b"", [])))),
        native.encode((1, None, (True, (True, b"", [])))),
    ],
)
def test_a_worker_that_sends_what_is_no_result(data):
    assert ext._take(lambda: data, ext._codec(None)[1]) == (None, None, None)


@pytest.mark.parametrize(
    "said",
    [
        None,
        (True, native.encode(1)),
        (True, native.encode(1), [b""]),
        (True, pickle.dumps(Trap()), []),
        (False, b"", []),
        *(
            (False, native.encode(one), [])
            for one in (
                1,
                (1, ""),
                (("exec", ("raise SystemExit",)), ""),
                (("print", ()), ""),
                (("__import__", ("os",)), ""),
                (("ValueError", 5), ""),
                (("NoSuchError", ()), ""),
                (("ValueError", (), {"args": 5}), ""),
            )
        ),
    ],
)
def test_a_worker_that_says_what_is_no_outcome(said):
    well, error = ext._outcome(ext._codec(None)[1], said)
    assert not well
    assert isinstance(error, Exception)


def test_a_result_that_is_nobodys_does_not_end_the_pool():
    with ext.Pool(1, context=quick) as pool:
        for data in (b"", pickle.dumps(Trap()), native.encode((10**6, 0, (True, (True, b"\xb0\0", []))))):
            pool._outqueue._writer.send_bytes(data)
        assert pool.apply_async(ext_work.square, (3,)).get(30) == 9
        pool.close()
        pool.join()


MAIN = """
import multiprocessing
from oxwire import native
from oxwire.ext import multiprocessing as ext

@native.register("main.point")
class Point:
    def __init__(self, x):
        self.x = x

def double(point):
    return Point(2 * point.x)

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with ext.Pool(1) as pool:
        print([one.x for one in pool.map(double, [Point(1), Point(2)])])
    with ext.ProcessPoolExecutor(1) as executor:
        print(executor.submit(double, Point(3)).result().x)
"""


def test_classes_and_functions_of_a_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"import sys; sys.path[:0] = {[str(Path(oxwire.__file__).parent.parent)]!r}\n{MAIN}")
    done = subprocess.run(
        [sys.executable, "-W", "error", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.stderr) == ("[2, 4]\n6\n", "")


def test_without_options_it_is_the_default_context():
    assert isinstance(ext.Queue(), multiprocessing.queues.Queue)
    assert isinstance(ext.JoinableQueue(), multiprocessing.queues.JoinableQueue)
    assert isinstance(ext.SimpleQueue(), multiprocessing.queues.SimpleQueue)
