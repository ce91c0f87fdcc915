"""Pipes, queues and pools of multiprocessing that carry data in the native format."""

# What may surprise: the classes are those of the standard library, and one of them goes on pickling what it carries: what a queue
# with a thread pickles is `None`, while the message goes beside it. A message with large buffers goes in several: itself, one with
# as many bytes as there are buffers, and these.

import builtins
import traceback
from collections import deque
from concurrent.futures import process
from contextlib import suppress
from functools import partial
from multiprocessing import ProcessError, connection, get_context, pool, queues
from multiprocessing.reduction import ForkingPickler
from pickle import PickleBuffer, loads
from threading import current_thread, local

from oxwire import _errors
from oxwire.native import Decoder, Encoder

# What has the exceptions that travel by name.
_NAMES = {**vars(builtins), **vars(_errors)}


class RemoteError(ProcessError):
    pass


_STARS = None, pool.mapstar, pool.starmapstar


def _codec(registry):
    plain, apart = (Encoder(registry=registry, collect_buffers=beside).encode for beside in (False, True))
    whole = Decoder(registry=registry).decode

    def encode(obj):
        data, buffers = apart(obj)
        # Small ones are faster together.
        small = sum(one.raw().nbytes for one in buffers) < len(buffers) << 16
        return (plain(obj), []) if small else (data, buffers)

    def decode(data, buffers):
        return whole(data, buffers=buffers) if buffers else whole(data)

    return encode, decode


def _give(send, data, buffers):
    send(data)
    if buffers:
        send(bytes(len(buffers)))
        for one in buffers:
            send(one.raw())


def _taken(receive):
    data = receive()
    return data, [bytearray(receive()) for _ in receive()] if data[:1] == b"\xb1" else []


class Connection:
    def __init__(self, connection, registry=None):
        self._given = connection, registry
        self._encode, self._decode = _codec(registry)

    def __reduce__(self):
        return Connection, self._given

    def __getattr__(self, name):
        return getattr(self._given[0], name)

    def send(self, obj):
        _give(self.send_bytes, *self._encode(obj))

    def recv(self):
        return self._decode(*_taken(self.recv_bytes))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def Pipe(duplex=True, *, registry=None):
    a, b = connection.Pipe(duplex)
    return Connection(a, registry), Connection(b, registry)


class SimpleQueue(queues.SimpleQueue):
    def __init__(self, *, context=None, registry=None):
        super().__init__(ctx=context or get_context())
        self._reader, self._writer = Connection(self._reader, registry), Connection(self._writer, registry)

    def get(self):
        with self._rlock:
            message = _taken(self._reader.recv_bytes)
        return self._reader._decode(*message)

    def put(self, obj):
        message = self._writer._encode(obj)
        with self._wlock:
            _give(self._writer.send_bytes, *message)


class _Buffer(deque):
    # What waits for the thread that feeds the pipe, and pickles what it takes: so it is shown `None`.
    def popleft(self):
        one = super().popleft()
        if type(one) is tuple:
            self.taken, one = one, None
        return one


class Queue(queues.Queue):
    def __init__(self, maxsize=0, *, context=None, registry=None):
        self._registry = registry
        super().__init__(maxsize, ctx=context or get_context())

    def __getstate__(self):
        return self._registry, super().__getstate__()

    def __setstate__(self, state):
        self._registry, state = state
        super().__setstate__(state)

    def _reset(self, after_fork=False):
        super()._reset(after_fork)
        self._encode, self._decode = _codec(self._registry)
        self._here, self._buffer = here, buffer = local(), _Buffer()
        # Not by way of the queue: the thread that has them would keep it alive.
        send, receive = self._writer.send_bytes, self._reader.recv_bytes

        def taken():
            here.message = _taken(receive)
            return b"N."

        self._send_bytes, self._recv_bytes = lambda _: _give(send, *buffer.taken), taken

    def put(self, obj, block=True, timeout=None):
        data, buffers = self._encode(obj)
        # As they are now.
        buffers = [PickleBuffer(bytes(one.raw())) for one in buffers]
        super().put((data, buffers), block, timeout)

    def get(self, block=True, timeout=None):
        super().get(block, timeout)
        return self._decode(*self._here.__dict__.pop("message"))


class JoinableQueue(Queue, queues.JoinableQueue):
    pass


def _starting(registry, initializer, initargs):
    # What a worker is started with.
    if initializer is not None and not callable(initializer):
        raise TypeError("initializer must be a callable")
    return _start, (registry, initializer, initargs)


def _start(registry, initializer, initargs):
    global _worker
    _worker = _codec(registry)
    if initializer is not None:
        initializer(*initargs)


def _pickled(function):
    return bytes(ForkingPickler.dumps(function))


def _run(function, star, data, buffers):
    # What a worker does: it says whether that went well, and gives the result or the fault.
    encode, decode = _worker
    try:
        args, kwds = decode(data, buffers)
        function = loads(function)
        return True, *encode(_STARS[star]((function, args)) if star else function(*args, **kwds))
    except BaseException as error:
        return False, *_fault(error)


def _fault(error):
    name = type(error).__name__
    text = "".join(traceback.format_exception(error))
    for what in (
        lambda: error,
        lambda: (name, *error.__reduce__()[1:]) if _NAMES.get(name) is type(error) else error,
        lambda: "".join(traceback.format_exception_only(error)).strip(),
    ):
        with suppress(Exception):
            return _worker[0]((what(), text))


def _outcome(decode, said):
    # What a worker said, as the standard library has it.
    try:
        well, *message = said
        value = decode(*message)
        if well:
            return True, value
        value, text = value
        if type(value) is tuple:
            name, args, *state = value
            # Nothing else that has a name is called.
            if issubclass(_NAMES[name], BaseException):
                value = _NAMES[name](*args)
            for one in state:
                value.__setstate__(one)
        elif type(value) is str:
            value = RemoteError(value)
        value.__cause__ = pool.RemoteTraceback(f'\n"""\n{text}"""')
    except Exception as error:
        value = error
    return False, value


def _hand(put, encode, task):
    # Sends a task to the workers.
    if task is not None:
        job, i, function, args, kwds = task
        star = 0
        if function is pool._helper_reraises_exception:
            # What gives the arguments has failed.
            raise args[0]
        if function is pool.mapstar or function is pool.starmapstar:
            star, ((function, args),) = _STARS.index(function), args
        task = job, i, _pickled(function), star, *encode((args, kwds))
    put(task)


def _take(receive, decode):
    # Takes a result from a worker. What is none is nobody's, and does not end the thread that takes them.
    message = _taken(receive)
    try:
        task = decode(*message)
        if task is not None:
            job, i, (_, said) = task
            task = int(job), int(i), _outcome(decode, said)
    except Exception:
        task = None, None, None
    return task


class _Tasks(SimpleQueue):
    def get(self):
        task = super().get()
        return task and (*task[:2], _run, task[2:], {})


class Pool(pool.Pool):
    # What its end asks for if it never began.
    _state = None

    def __init__(self, processes=None, initializer=None, initargs=(), *args, registry=None, **options):
        self._codec = _codec(registry)
        super().__init__(processes, *_starting(registry, initializer, initargs), *args, **options)

    def _setup_queues(self):
        self._inqueue, self._outqueue = _Tasks(context=self._ctx), SimpleQueue(context=self._ctx)
        encode, decode = self._codec
        # Not by way of the pool: its threads would keep it alive.
        self._quick_put = partial(_hand, self._inqueue.put, encode)
        self._quick_get = partial(_take, self._outqueue._reader.recv_bytes, decode)

    @staticmethod
    def _help_stuff_finish(inqueue, task_handler, size):
        # The standard library's stops while a large task is being written, and waits for ever.
        inqueue._rlock.acquire()
        while task_handler.is_alive() and task_handler is not current_thread():
            if inqueue._reader.poll(0.01):
                inqueue._reader.recv_bytes()


class _Results(SimpleQueue):
    # What the workers of an executor give.
    def put(self, obj):
        if isinstance(obj, process._ResultItem):
            fault = obj.exception and (False, *_fault(obj.exception.exc))
            obj = obj.work_id, fault or obj.result, obj.exit_pid
        super().put(obj)


def _item(receive, decode):
    item = receive()
    if type(item) is tuple:
        work, said, pid = item
        well, value = _outcome(decode, said)
        item = process._ResultItem(int(work), **{"result" if well else "exception": value}, exit_pid=pid)
    return item


class ProcessPoolExecutor(process.ProcessPoolExecutor):
    def __init__(
        self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, registry=None, **options
    ):
        self._encode, decode = _codec(registry)
        super().__init__(max_workers, mp_context, *_starting(registry, initializer, initargs), **options)
        self._result_queue = _Results(context=self._mp_context)
        reader = self._result_queue._reader
        reader.recv = partial(_item, reader.recv, decode)

    def submit(self, fn, /, *args, **kwargs):
        data, buffers = self._encode((args, kwargs))
        return super().submit(_run, _pickled(fn), 0, data, [bytearray(one.raw()) for one in buffers])
