"""Whether a call ends, for the tests of what must not hang: days are told from moments, on a machine however busy.

Nothing here measures speed. The limit is so far above what the calls take that load cannot reach it, and the input that
tests give is such that a way without bounds would be far beyond it.
"""

import contextlib
import time


@contextlib.contextmanager
def ends_soon():
    """The block takes less than a minute of the processor."""
    start = time.process_time()
    yield
    assert time.process_time() - start < 60
