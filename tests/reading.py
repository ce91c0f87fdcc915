"""How the tests of typed reading read: one document from every source, and what came out compared with its types.

What may surprise: a table says of each document what it becomes, or, as a `No`, what is said about it; a document is
JSON, and what it says is the same in MessagePack and as objects.
"""

from oxwire import ValidationError, convert, json, msgpack

SOURCES = ("json", "msgpack", "convert")


class No(str):
    """The message of a ValidationError."""


def read(source, t, document, **options):
    """What a document becomes as a type."""
    if source == "json":
        return json.decode(document, type=t, **options)
    value = json.decode(document)
    if source == "msgpack":
        return msgpack.decode(msgpack.encode(value), type=t, **options)
    return convert(value, t, str_keys=True, **options)


def outcome(function, *args, **options):
    """What a call gives, or a `No`."""
    try:
        return function(*args, **options)
    except ValidationError as error:
        assert error.path.startswith(("$", "key")), error.path
        assert str(error).startswith(error.msg)
        return No(error)


def shown(value):
    """A value with the types of all that is in it."""
    if isinstance(value, set | frozenset):
        return type(value), frozenset(map(shown, value))
    if isinstance(value, list | tuple):
        return type(value), tuple(map(shown, value))
    if isinstance(value, dict):
        return type(value), tuple((shown(key), shown(one)) for key, one in value.items())
    if isinstance(value, memoryview):
        return type(value), bytes(value)
    return type(value), repr(value)


def check(source, t, document, wanted, **options):
    """A document becomes what is wanted; a dict says so of each source."""
    if type(wanted) is For:
        wanted = wanted[source]
    got = outcome(read, source, t, document, **options)
    assert shown(got) == shown(wanted), (source, t, document, got)


class For(dict):
    """What differs between sources: by the name of the source, or else under ``None``."""

    def __missing__(self, source):
        return self[None]
