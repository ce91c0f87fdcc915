"""Fixtures for the whole suite, and the hypothesis profile that keeps it short."""

import gc
import os
import sys
import threading

import pytest
from hypothesis import HealthCheck, settings

# The helper modules beside this file are imported by name, whatever import mode pytest runs in.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# The documents of the benchmarks are documents for tests, too.
sys.path.append(os.path.join(os.path.dirname(HERE), "bench"))

settings.register_profile(
    "oxwire",
    max_examples=int(os.environ.get("OXWIRE_EXAMPLES", "80")),
    # A shared machine may stall for longer than any sensible deadline.
    deadline=None,
    derandomize=os.environ.get("OXWIRE_EXAMPLES") is None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("oxwire")


def pytest_collection_finish(session):
    """What the suite itself is made of is nothing that the collector must look at each time that a test asks for it."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def any_int_digits():
    """Lets the test itself turn integers of any size into text and back."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(before)


@pytest.fixture
def deep():
    """Containers nest to 1000, and helpers of tests walk them with plain recursion."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


@pytest.fixture
def small_stack():
    """Runs a function on a thread whose stack is 256 KiB, and gives back its outcome."""

    def run(function, *args, **kwargs):
        outcome = []

        def target():
            try:
                outcome.append(("value", function(*args, **kwargs)))
            except BaseException as error:  # noqa: BLE001 - the outcome is the subject
                outcome.append(("error", type(error)))

        before = threading.stack_size(256 * 1024)
        try:
            thread = threading.Thread(target=target)
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
        return outcome[0]

    return run
