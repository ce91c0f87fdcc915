"""A serializer for kombu and Celery in the native format."""

# What may surprise: kombu imports this module by itself, as an entry point of the installed package names `serializer`.

from operator import is_not

from oxwire.native import Decoder, EncodeError, Encoder


# An object whose dicts with `__json__`, as Celery's signatures are, are plain ones; the same one if it has none.
def _plain(obj, memo):
    if id(obj) in memo:
        return memo[id(obj)]
    memo[id(obj)] = made = obj
    if isinstance(obj, dict):
        items = {key: _plain(value, memo) for key, value in dict.items(obj)}
        changed = type(obj) is dict and any(map(is_not, items.values(), obj.values()))
        if changed or hasattr(obj, "__json__"):
            made = items
    elif type(obj) in (list, tuple):
        items = [_plain(one, memo) for one in obj]
        if any(map(is_not, items, obj)):
            made = type(obj)(items)
    memo[id(obj)] = made
    return made


def _made(name, registry=None):
    exact = Encoder(registry=registry).encode

    def encode(obj):
        try:
            return exact(obj)
        except EncodeError:
            return exact(_plain(obj, {}))

    return encode, Decoder(registry=registry).decode, f"application/x-{name}", "binary"


serializer = _made("oxwire")


def register(name="oxwire", *, registry=None):
    from kombu.serialization import register

    register(name, *_made(name, registry))
