"""Lists, dicts and floats that are read are made by hand, and are as those that the interpreter makes.

What may surprise: what the collector knows of them is looked at, too: where they stand, how many were counted, and when it comes.
"""

import copy
import gc
import pickle
import sys

import pytest
from samples import garbage_stays_bounded, run_python

from oxwire import json, msgpack

WAYS = [{}, {"OXWIRE_PLAIN": "1"}, {"PYTHONMALLOC": "debug"}, {"PYTHONTRACEMALLOC": "5"}]


# Only where many may be made: short messages are left to the interpreter.
LONG = " " * 5000


def read(value):
    text = json.encode(value).decode()
    return [json.decode(text), json.decode(text + LONG), msgpack.decode(msgpack.encode(value))]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 31, 32, 33, 1000])
def test_a_list_is_as_one_that_was_filled(n):
    own = [float(i) if i % 3 else i for i in range(n)]
    for made in read([own]):
        [made] = made
        assert made == own
        assert gc.is_tracked(made)
        assert sys.getsizeof(made) <= sys.getsizeof(own)
        assert pickle.loads(pickle.dumps(made)) == copy.copy(made) == made[:] == own
        made += own
        made.append(made)
        made.remove(made)
        made.sort()
        assert made == sorted(own + own)
        made.clear()
        made.extend(own)
        assert made == own


def test_floats_are_as_others():
    numbers = [0.5, -0.0, 1e300, 5e-324, 123456.789]
    for made in read(numbers):
        assert [*map(repr, made)] == [*map(repr, numbers)]
        assert [*map(hash, made)] == [*map(hash, numbers)]
        assert [one + 1 for one in made] == [one + 1 for one in numbers]
        assert {*made} == {*numbers}


def test_the_collector_knows_them():
    # None begins before all was seen.
    gc.collect()
    made = json.decode('[[1,[2]],{"a":[3],"b":4},{"c":5}]' + LONG)
    alive = {id(o) for o in gc.get_objects(generation=0)}
    assert {id(made), id(made[0]), id(made[0][1]), id(made[1]), id(made[1]["a"])} <= alive
    # As the interpreter has it: what holds no container is part of no cycle.
    assert gc.is_tracked(made[1])
    if sys.version_info < (3, 14):
        assert not gc.is_tracked(made[2])
    assert gc.get_referrers(made[1]["a"]) == [made[1]]
    gc.collect()
    assert id(made[0]) in {id(o) for o in gc.get_objects(generation=2)}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the collector counts in another way")
@pytest.mark.parametrize(
    "text", ["[" + "[[]]," * 2000 + "1]", "[" + '{"a":[]},' * 2000 + "1]", '[{"a":1.5}]' + " " * 5000]
)
def test_what_is_made_is_counted_and_what_goes_is_too(text):
    enabled = gc.isenabled()
    gc.disable()
    try:
        json.decode(text)
        gc.collect()
        before = gc.get_count()[0]
        made = json.decode(text)
        counted = gc.get_count()[0] - before
        del made
        after = gc.get_count()[0]
    finally:
        if enabled:
            gc.enable()
    # The interpreter keeps some that are gone, and counts neither these nor what it makes of them.
    wanted = text.count("[") + text.count("{")
    assert wanted - 200 <= counted <= wanted + 200
    assert abs(after - before) <= 200


@pytest.mark.parametrize("env", WAYS)
def test_cycles_of_nothing_else_are_collected(env):
    program = """
import gc, sys
from oxwire import json
most = 0
for i in range(100_000):
    made = json.decode(b'[[],{"a":[1000000]}]' + b" " * (5000 * (i % 2)))
    made[0].append(made)
    made[1]["b"] = made[1]
    if i % 1000 == 0:
        most = max(most, sys.getallocatedblocks())
assert most < 400_000, most
print("well")
"""
    assert run_python(program, env=env).split() == ["well"]


@pytest.mark.parametrize("env", WAYS)
def test_what_is_read_and_dropped_keeps_no_garbage_of_others_alive(env):
    prepare = """
from oxwire import json, msgpack
value = [[{"x": [1.5]}, []] for _ in range(300)]
text, packed = json.encode(value), msgpack.encode(value)
assert len(text) > 4096 and len(packed) > 4096
"""
    garbage_stays_bounded(prepare, "json.decode(text), msgpack.decode(packed)", env)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="interpreters with a lock of their own came with 3.12")
def test_each_interpreter_has_its_own_collector():
    program = """
try:
    import _interpreters
    make = lambda: _interpreters.create("isolated")
except ImportError:
    import _xxsubinterpreters as _interpreters
    make = lambda: _interpreters.create(isolated=True)
import gc, threading
from oxwire import json
inner = '''
import gc
from oxwire import json
text = "[" + "[[1.5],{}]," * 300 + "1]"
for i in range(200):
    made = json.decode(text)
    made.append(made)
    if i % 50 == 0:
        gc.collect()
assert id(made[0]) in {id(o) for o in gc.get_objects()}
'''
ids = [make() for _ in range(2)]
threads = [threading.Thread(target=_interpreters.run_string, args=(i, inner)) for i in ids]
for one in threads:
    one.start()
exec(inner)
for one in threads:
    one.join()
for i in ids:
    _interpreters.destroy(i)
gc.collect()
print("well")
"""
    assert run_python(program).split() == ["well"]
