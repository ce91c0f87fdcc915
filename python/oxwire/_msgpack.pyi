# The values that oxwire.msgpack and oxwire.compat.msgpack give out beside Python's own.
from datetime import datetime
from typing import Final, Self

from typing_extensions import Buffer

class Ext:
    """A value of a type that the application gave a number.

    code: from -128 to 127; the negative ones are the specification's own.
    data: bytes; any other contiguous buffer is copied.

    Immutable, hashable, picklable; equal to an Ext of the same code and data.
    """

    __match_args__: Final = ("code", "data")
    code: Final[int]
    data: Final[bytes]

    def __new__(cls, code: int, data: Buffer) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class Timestamp:
    """A moment, exact to the nanosecond.

    seconds: since 1970-01-01 UTC, without leap seconds; from -2**63 to 2**63 - 1.
    nanoseconds: from 0 to 999999999, added to `seconds` also before 1970.

    Immutable, hashable, picklable; equal to and in order with other Timestamps only.
    """

    __match_args__: Final = ("seconds", "nanoseconds")
    seconds: Final[int]
    nanoseconds: Final[int]

    def __new__(cls, seconds: int, nanoseconds: int = 0) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __lt__(self, other: Timestamp, /) -> bool: ...
    def __le__(self, other: Timestamp, /) -> bool: ...
    def __gt__(self, other: Timestamp, /) -> bool: ...
    def __ge__(self, other: Timestamp, /) -> bool: ...
    def __hash__(self) -> int: ...
    @classmethod
    def from_bytes(cls, data: Buffer, /) -> Self:
        """The moment that the body of ext -1 says: 4, 8 or 12 bytes."""
    def to_bytes(self) -> bytes:
        """The body of ext -1, in the shortest of its three forms."""
    @classmethod
    def from_unix(cls, seconds: float, /) -> Self:
        """From seconds as int or float. Parts of a nanosecond are cut off."""
    def to_unix(self) -> float:
        """Seconds as the nearest float, which holds about a tenth of a microsecond."""
    @classmethod
    def from_unix_nano(cls, nanoseconds: int, /) -> Self:
        """From nanoseconds as int: exact."""
    def to_unix_nano(self) -> int:
        """Nanoseconds as int: exact."""
    @classmethod
    def from_datetime(cls, moment: datetime, /) -> Self:
        """From a datetime: exact. One without tzinfo is local time."""
    def to_datetime(self) -> datetime:
        """An aware datetime in UTC.

        Parts of a microsecond are cut off; OverflowError outside the years 1 to 9999.
        """
