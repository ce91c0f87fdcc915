"""Dicts that are made as a whole, table and all, are as those that are filled one entry after the other.

What may surprise: the interpreter's `json` makes the others, and what is done to both afterwards goes through every way in
which a dict can be read and changed.
"""

import copy
import gc
import json as standard
import pickle
import random
import sys

import pytest
from samples import run_python

from oxwire import json, msgpack

# Around the sizes at which tables grow, and those at which places in the index take two bytes and four.
SIZES = [*range(14), 20, 21, 22, 42, 43, 44, 85, 86, 170, 171, 172, 341, 342, 1000, 43_690, 43_691, 50_000]


def document(n, salt=""):
    return {f"{salt}key {i}": i for i in range(n)}


def both(value):
    text = standard.dumps(value)
    return [json.decode(text), msgpack.decode(msgpack.encode(value))], standard.loads(text)


def check(made, own):
    assert made == own
    assert list(made) == list(own)
    assert list(made.values()) == list(own.values())
    assert len(made) == len(own)


@pytest.mark.parametrize("n", SIZES)
def test_as_one_that_was_filled(n):
    made, own = both(document(n))
    for d in made:
        filled = {}
        for key, value in own.items():
            filled[key] = value
        assert sys.getsizeof(d) == sys.getsizeof(filled)
        assert gc.is_tracked(d) == gc.is_tracked(filled)
        check(d, own)
        assert all(d[key] == value for key, value in own.items())
        assert all(f"{key}!" not in d for key in own)
        for again in (d.copy(), dict(d), {**d}, d | {}, copy.copy(d), copy.deepcopy(d)):
            check(again, own)
        check(pickle.loads(pickle.dumps(d)), own)


@pytest.mark.parametrize("n", [n for n in SIZES if n < 2000])
def test_what_is_changed_afterwards(n):
    seeded = random.Random(n)
    made, own = both(document(n, "é"))
    for d in made:
        e = dict(own)
        for step in range(3 * n + 20):
            key = f"é key {seeded.randrange(2 * n + 5)}"
            change = seeded.randrange(6)
            for one in (d, e):
                if change < 3:
                    one[key] = step
                elif change == 3:
                    one.pop(key, None)
                elif change == 4 and one:
                    one.popitem()
                else:
                    one.setdefault(key, []).append(step) if key not in one else one.update({key: step})
        check(d, e)
        d.clear()
        assert d == {}
        d["again"] = 1
        check(d, {"again": 1})


@pytest.mark.parametrize("n", [2, 5, 6, 100, 300])
def test_keys_that_come_twice(n):
    pairs = [(f"k{i % (n // 2)}", i) for i in range(n)]
    text = "{" + ",".join(f'"{k}":{v}' for k, v in pairs) + "}"
    check(json.decode(text), standard.loads(text))


def test_keys_of_several_types():
    value = {"a": 1, 2: "b", "c": {3: 4}, None: 5}
    assert msgpack.decode(msgpack.encode(value)) == value


def test_where_python_itself_uses_dicts():
    d = json.decode('{"x":1,"y":2}')
    exec("z = x + y", d)
    assert d["z"] == 3

    def named(**given):
        return given

    assert named(**json.decode('{"p":1,"q":2}')) == {"p": 1, "q": 2}

    class Plain:
        pass

    one = Plain()
    one.__dict__ = json.decode('{"p":1,"q":2}')
    one.r = 3
    del one.p
    assert vars(one) == {"q": 2, "r": 3}
    assert type("Made", (), json.decode('{"p":1}')).p == 1


def test_cycles_through_them_are_collected():
    class Watched(list):
        pass

    gc.collect()
    for _ in range(100):
        d = json.decode('{"a":[],"b":{"c":1}}')
        d["a"].append(d)
        d["b"]["self"] = d["b"]
        d["watched"] = Watched()
    del d
    gc.collect()
    assert not [o for o in gc.get_objects() if type(o) is Watched]


def test_under_the_debug_allocator():
    program = """
from oxwire import json, msgpack
for n in (1, 5, 6, 11, 22, 100, 300, 5000):
    own = {f"key {i}": [i, {"inner": i}] for i in range(n)}
    for made in (json.decode(json.encode(own)), msgpack.decode(msgpack.encode(own))):
        assert made == own
        made["more"] = 1
        del made["key 0"]
        made.clear()
print("well")
"""
    assert run_python(program, env={"PYTHONMALLOC": "debug"}).split() == ["well"]
