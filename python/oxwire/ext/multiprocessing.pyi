"""Pipes, queues and pools of multiprocessing that carry data in the native format.

docs/ext.md is the manual. `registry` is that of `oxwire.native`, on both sides: it is sent to other processes when they are started.
`context` is one of `multiprocessing.get_context`.
"""

from concurrent import futures
from multiprocessing import ProcessError, pool, queues
from typing import Any, Self

from oxwire.native import _Registry

class RemoteError(ProcessError):
    """An exception of a worker that is neither built in nor registered: its name and text."""

class Connection:
    """A connection of multiprocessing that sends and receives in the native format. All else is that of the connection given."""

    def __init__(self, connection: Any, registry: _Registry = None) -> None: ...
    def send(self, obj: Any) -> None:
        """Send an object. Raises EncodeError, before anything is sent, if that cannot be."""
    def recv(self) -> Any:
        """Receive an object. Raises EOFError if there will be none, and DecodeError; the next one can be received then."""
    def __getattr__(self, name: str) -> Any: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def Pipe(duplex: bool = True, *, registry: _Registry = None) -> tuple[Connection, Connection]:
    """Both ends of a pipe; the first can only receive, and the second only send, if it is not `duplex`."""

class SimpleQueue(queues.SimpleQueue[Any]):
    """`multiprocessing.SimpleQueue` of data."""

    def __init__(self, *, context: Any = None, registry: _Registry = None) -> None: ...

class Queue(queues.Queue[Any]):
    """`multiprocessing.Queue` of data.

    `put` writes the message itself, so that it raises EncodeError, and what is changed later goes as it was. `get` raises
    DecodeError for what is no message; the next one can be taken then.
    """

    def __init__(self, maxsize: int = 0, *, context: Any = None, registry: _Registry = None) -> None: ...

class JoinableQueue(Queue, queues.JoinableQueue[Any]):
    """`multiprocessing.JoinableQueue` of data, as `Queue` is."""

class Pool(pool.Pool):
    """`multiprocessing.Pool` whose arguments and results are data.

    Functions are pickled, which means their names; so is what workers are started with. Nothing that workers give is unpickled.
    Exceptions that are built in or registered come back as they are; others as RemoteError.
    """

    def __init__(
        self,
        processes: int | None = None,
        initializer: Any = None,
        initargs: Any = (),
        *args: Any,
        registry: _Registry = None,
        **options: Any,
    ) -> None: ...

class ProcessPoolExecutor(futures.ProcessPoolExecutor):
    """`concurrent.futures.ProcessPoolExecutor` whose arguments and results are data, as those of `Pool` are.

    `submit` raises EncodeError itself. `options` are those of the standard library's class.
    """

    def __init__(
        self,
        max_workers: int | None = None,
        mp_context: Any = None,
        initializer: Any = None,
        initargs: Any = (),
        *,
        registry: _Registry = None,
        **options: Any,
    ) -> None: ...
