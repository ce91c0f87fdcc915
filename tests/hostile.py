"""What user code may do to a container while it is being written, for the tests of all formats."""

import gc
import random
import threading


class Odd:
    """Goes to the hook."""


FILL = [f"item {n}" * 3 for n in range(40)]

LIST_CHANGES = {
    "clear": lambda target: target.clear(),
    "shrink": lambda target: target.__delitem__(slice(1, None)),
    "grow": lambda target: target.extend(Odd() for _ in range(3)) if len(target) < 200 else None,
    "grow much": lambda target: target.extend(FILL * 50) if len(target) < 200 else None,
    "replace": lambda target: target.__setitem__(slice(None), [str(n) * 10 for n in range(len(target))]),
    "reverse": lambda target: target.reverse(),
    "pop": lambda target: target.pop() if target else None,
    "clear and fill": lambda target: (target.clear(), target.extend(FILL)),
    "sort": lambda target: target.sort(key=id),
    "there and back": lambda target: (target.append(1), target.pop()),
}

DICT_CHANGES = {
    "clear": lambda target: target.clear(),
    "pop": lambda target: target.popitem() if target else None,
    "grow": lambda target: target.update({f"new {n}": n for n in range(3)}),
    "grow much": lambda target: target.update({f"new {n}": "x" * n for n in range(500)}),
    "replace values": lambda target: target.update(dict.fromkeys(target, "replaced")),
    "replace all": lambda target: (target.clear(), target.update({str(n): n for n in range(30)})),
    "move": lambda target: [target.__setitem__(key, target.pop(key)) for key in list(target)[:3]],
    "same size": lambda target: (
        (target.pop(next(iter(target)), None), target.__setitem__(f"k{random.random()}", "v"))
        if target
        else None
    ),
}


def _put(target, value):
    if len(target) < 500:
        (target.add if isinstance(target, set) else target.append)(value)


def _swap(target):
    if target:
        target.pop()
        _put(target, Odd())


# Of sets and deques.
BAG_CHANGES = {
    "clear": lambda target: target.clear(),
    "pop": lambda target: target.pop() if target else None,
    "add": lambda target: _put(target, "new"),
    "many": lambda target: [_put(target, f"new {n}") for n in range(100)],
    "swap": _swap,
}


def check_keys_that_die(encode, decode):
    """Finalizers of keys that were written before do not change the dict that is being written.

    A key that is remembered as it was written is let go when another takes its place; if that ran a finalizer, the dict
    could change between a key and its value.
    """
    target = {}

    class Key(str):
        """Empties the dict that is being written when it is let go."""

        def __del__(self):
            target.clear()
            gc.collect(0)

    for n in range(3000):
        encode({Key(f"key {n}"): 1})
    for n in range(200):
        target.update({f"k{n} {i}": [f"value {i}" * 5, i * 1.5] for i in range(60)})
        assert decode(encode(target)) == target
        assert len(target) == 60
        target.clear()


def check_threads_that_change(attempt, key):
    """`attempt(value, hook)` writes what another thread changes; `key` makes a key of a number."""
    shared_list, shared_dict = [{"a": [n]} for n in range(50)], {key(n): [n] for n in range(50)}
    stop = threading.Event()

    def change():
        own = random.Random(1)
        while not stop.is_set():
            shared_list[:] = [{"a": [n]} for n in range(own.randrange(80))]
            shared_dict.clear()
            shared_dict.update({key(n): [n] for n in range(own.randrange(80))})

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            attempt([shared_list, shared_dict, Odd()], lambda value: shared_list)
    finally:
        stop.set()
        thread.join()
