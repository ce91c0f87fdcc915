# The values that Clojure has beyond MessagePack's, which oxwire.msgpack gives out: docs/msgpack.md, "Clojure".
from datetime import datetime
from typing import Any, Final, Self, TypeVar

_T = TypeVar("_T", covariant=True)

class _Word(str):
    # A str in all but this: equal to its own kind only, so that `:a` and `"a"` are two keys. ValueError for what is no UTF-8.
    def __new__(cls, text: str, /) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class _Named(_Word):
    @property
    def namespace(self) -> str | None:
        """What stands before the first `/`; None if there is none."""
    @property
    def name(self) -> str:
        """What stands behind the first `/`, or all."""

class Keyword(_Named):
    """A keyword: its text without the colon. Equal to a Keyword of the same text only."""

class Symbol(_Named):
    """A symbol: its text. Equal to a Symbol of the same text only."""

class Character(_Word):
    """One character (ValueError for more or fewer). Equal to a Character only."""

class List(tuple[_T, ...]):
    """A list, as opposed to an array: a tuple, and equal to one of the same items."""

class Date(datetime):
    """`java.util.Date`, milliseconds, as opposed to a timestamp: a datetime, and equal to one of the same moment."""

class Record:
    """A record: its name, and its fields as a dict. Immutable; hashable if the values of its fields are."""

    __match_args__: Final = ("name", "fields")
    name: Final[str]
    fields: Final[dict[Any, Any]]

    def __new__(cls, name: str, fields: dict[Any, Any]) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
