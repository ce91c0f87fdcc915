"""What the tests of a whole process share: what is left behind, how much memory it holds, other interpreters."""

import gc
import itertools
import os
import sys

import pytest
from samples import run_python

from oxwire import DecodeError, EncodeError


def swallow(function, *args, **kwargs):
    """Runs something that fails, and forgets how."""
    try:
        function(*args, **kwargs)
    except (EncodeError, DecodeError, LookupError, TypeError, ValueError, EOFError):
        pass


def check_nothing_is_left(action, watched):
    """Calls of `action` neither lose nor keep references to what is watched, objects, or blocks of memory."""
    watched = [*watched, (), b"", ""]
    if sys.version_info < (3, 12):
        # From 3.12 on these have no count.
        watched += [None, True, False, 0, 1]
    # What was met before is remembered, and it takes a while until all of that has its place.
    for _ in range(250):
        action()
    gc.collect()
    before = [sys.getrefcount(one) for one in watched]
    objects = len(gc.get_objects())
    blocks = sys.getallocatedblocks()
    for _ in range(200):
        action()
    gc.collect()
    after = [sys.getrefcount(one) for one in watched]
    # Fewer than one in ten calls: other code of the interpreter may take or drop a few.
    assert all(abs(new - old) < 20 for new, old in zip(after, before, strict=True))
    assert abs(len(gc.get_objects()) - objects) < 50
    assert abs(sys.getallocatedblocks() - blocks) < 150


def resident():
    """Bytes of memory that the process holds; skips the test where that cannot be read."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pytest.skip("this system does not say how much memory a process holds")


def check_resident_size(all_of_it):
    """The process does not grow by what is done over and over."""
    resident()
    for _ in range(30):
        all_of_it()
    gc.collect()
    before = resident()
    for _ in range(80):
        all_of_it()
    gc.collect()
    assert resident() - before < 8_000_000


def check_new_keys_are_forgotten(use):
    """`use` is called with 200 texts that were never keys before, again and again."""
    counter = itertools.count()

    def batch():
        for _ in range(50):
            use([f"key number {next(counter)}" for _ in range(200)])

    for _ in range(3):
        batch()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(4):
        batch()
    gc.collect()
    assert sys.getallocatedblocks() - before < 10_000


# Flags and environments in which interpreters find what others do not.
INTERPRETERS = pytest.mark.parametrize(
    ("flags", "env"),
    [
        ((), {"PYTHONMALLOC": "debug"}),
        ((), {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165"}),
        (("-X", "dev", "-W", "error"), {}),
        ((), {"PYTHONHASHSEED": "0"}),
        ((), {"PYTHONHASHSEED": "12345"}),
        (("-O",), {}),
        (("-X", "utf8=0"), {"LC_ALL": "C"}),
    ],
    ids=repr,
)

OWN_LOCKS = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="interpreters have locks of their own from 3.12 on"
)

_SUB = """
import sys, threading
sys.path[:0] = PATH
exec(MAIN)
inner = "import sys; sys.path[:] = " + repr(sys.path) + chr(10) + INNER
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
    make = lambda: interpreters.create("isolated")
    def run(one):
        failure = interpreters.exec(one, inner)
        assert failure is None, failure
else:
    import _xxsubinterpreters as interpreters
    make = lambda: interpreters.create(isolated=True)
    def run(one):
        interpreters.run_string(one, inner)
for _ in range(2):
    one = make()
    run(one)
    run(one)
    interpreters.destroy(one)
    exec(MAIN)
made = [make() for _ in range(4)]
failed = []
def work(one):
    try:
        run(one)
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=work, args=(one,)) for one in made]
[thread.start() for thread in threads]
for _ in range(100):
    exec(MAIN)
[thread.join() for thread in threads]
[interpreters.destroy(one) for one in made]
assert not failed, failed
print("well")
"""


def run_in_interpreters(main, inner):
    """Run `inner` in interpreters with locks of their own, one after the other and at once, and `main` meanwhile."""
    given = f"PATH, MAIN, INNER = {sys.path!r}, {main!r}, {inner!r}\n"
    assert run_python(given + _SUB).strip() == "well"
