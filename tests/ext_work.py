"""What the processes of test_ext_multiprocessing.py do: functions that they find by name, whatever way they were started."""

import builtins
import os
import sys

import oxwire
from oxwire import native


@native.register("ext_work.point")
class Point:
    def __init__(self, x):
        self.x = x


@native.register("ext_work.known")
class Known(Exception):
    pass


class Unknown(Exception):
    pass


class Local:
    """Registered in some process only."""


started = []


def start(*args):
    started[:] = args


def what_was_started(_):
    return tuple(started)


def echo(source, sink):
    while (one := source.get()) is not None:
        sink.put(one)
    if hasattr(source, "task_done"):
        source.task_done()


def answer(connection):
    with connection:
        while (one := connection.recv()) is not None:
            connection.send([one, connection.__class__.__name__])


def square(x):
    return x * x


def twice(x):
    return x, x


def last(items):
    return items[-1]


def same(*args, **kwargs):
    return args, kwargs


def refused(_):
    return {"a": object()}


def fail(error):
    raise error


def fail_known(x):
    error = Known("known", x)
    error.more = Point(x)
    raise error


def fail_unknown(x):
    raise Unknown("unknown", x)


def open_nothing(path):
    open(path)


def register_here(_):
    native.register("ext_work.local")(Local)
    return Local()


def leave(_):
    sys.exit(3)


def die(_):
    os._exit(1)


def pid(_):
    return os.getpid()


def pairs():
    yield 1
    yield 2
    raise KeyError("no more")


def fail_value(text):
    raise ValueError(text)


def said(error):
    """The name of an exception that is built in or ours, its arguments and attributes."""
    return error.__reduce__()[0].__name__, *error.__reduce__()[1:]


def fail_as(name, args, more=None):
    error = (getattr(builtins, name, None) or getattr(oxwire, name))(*args)
    if more:
        error.__setstate__(more)
    raise error


def fail_with_note(text):
    error = ValueError("x")
    error.add_note(text)
    raise error


def fail_as_another(text):
    raise type("OSError", (Exception,), {"__module__": __name__})(text)


def fail_with_object(_):
    raise ValueError(object())


class Lost:
    """A function that no other process can unpickle."""

    def __reduce__(self):
        return __import__, ("no_such_module_anywhere",)

    def __call__(self):
        return 1
