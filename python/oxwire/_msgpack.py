"""The two values that MessagePack has and Python has not: `Ext` and `Timestamp`.

The extension imports this module when it is imported itself, so it imports nothing of oxwire, and datetime only when a
conversion asks for it. The stub beside it says what the methods do. What may surprise: some texts are those that
programs know from `msgpack.Timestamp`, since `oxwire.compat.msgpack` gives this very class out.
"""

_GIGA = 10**9


class _Immutable:
    __slots__ = ()

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name):
        raise AttributeError(f"{type(self).__name__} is immutable")


class Ext(_Immutable):
    """A value of a type that the application gave a number: `code` from -128 to 127, `data` as bytes."""

    __module__ = "oxwire.msgpack"
    __slots__ = ("code", "data")
    __match_args__ = ("code", "data")

    def __new__(cls, code, data):
        if type(code) is not int:
            if not isinstance(code, int) or isinstance(code, bool):
                raise TypeError(f"code must be an int, not {type(code).__name__}")
            code = int(code)
        if not -128 <= code <= 127:
            raise ValueError(f"code must be from -128 to 127, not {code}")
        if type(data) is not bytes:
            try:
                view = memoryview(data)
            except TypeError:
                raise TypeError(f"data must be bytes or a buffer, not {type(data).__name__}") from None
            with view:
                if not view.c_contiguous:
                    raise ValueError("data must be contiguous")
                data = view.tobytes()
        self = super().__new__(cls)
        _set_code(self, code)
        _set_data(self, data)
        return self

    def __repr__(self):
        return f"{type(self).__name__}(code={self.code}, data={self.data!r})"

    def __eq__(self, other):
        if not isinstance(other, Ext):
            return NotImplemented
        return self.code == other.code and self.data == other.data

    def __hash__(self):
        return hash((self.code, self.data))

    def __reduce__(self):
        return type(self), (self.code, self.data)


def _whole(name, value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer")
    return int(value)


class Timestamp(_Immutable):
    """A moment: seconds since 1970-01-01 UTC, and nanoseconds that are added to them."""

    __module__ = "oxwire.msgpack"
    __slots__ = ("nanoseconds", "seconds")
    __match_args__ = ("seconds", "nanoseconds")

    def __new__(cls, seconds, nanoseconds=0):
        if type(seconds) is not int:
            seconds = _whole("seconds", seconds)
        if type(nanoseconds) is not int:
            nanoseconds = _whole("nanoseconds", nanoseconds)
        if not 0 <= nanoseconds < _GIGA:
            raise ValueError("nanoseconds must be a non-negative integer less than 999999999.")
        if not -(2**63) <= seconds < 2**63:
            raise ValueError("seconds must be from -2**63 to 2**63 - 1")
        self = super().__new__(cls)
        _set_seconds(self, seconds)
        _set_nanoseconds(self, nanoseconds)
        return self

    def __repr__(self):
        return f"{type(self).__name__}(seconds={self.seconds}, nanoseconds={self.nanoseconds})"

    def __eq__(self, other):
        if not isinstance(other, Timestamp):
            return NotImplemented
        return self.seconds == other.seconds and self.nanoseconds == other.nanoseconds

    def __lt__(self, other):
        if not isinstance(other, Timestamp):
            return NotImplemented
        return (self.seconds, self.nanoseconds) < (other.seconds, other.nanoseconds)

    def __le__(self, other):
        if not isinstance(other, Timestamp):
            return NotImplemented
        return (self.seconds, self.nanoseconds) <= (other.seconds, other.nanoseconds)

    # Python asks `b < a` for `a > b`, and `b <= a` for `a >= b`.

    def __hash__(self):
        return hash((self.seconds, self.nanoseconds))

    def __reduce__(self):
        return type(self), (self.seconds, self.nanoseconds)

    @classmethod
    def from_bytes(cls, data, /):
        """The moment that the body of ext -1 says: 4, 8 or 12 bytes."""
        with memoryview(data) as view:
            data = view.tobytes()
        if len(data) == 4:
            return cls(int.from_bytes(data, "big"))
        if len(data) == 8:
            both = int.from_bytes(data, "big")
            return cls(both & (1 << 34) - 1, both >> 34)
        if len(data) == 12:
            return cls(int.from_bytes(data[4:], "big", signed=True), int.from_bytes(data[:4], "big"))
        raise ValueError("Timestamp type can only be created from 32, 64, or 96-bit byte objects")

    def to_bytes(self):
        """The body of ext -1, in the shortest of its three forms."""
        if self.seconds >> 34:
            return self.nanoseconds.to_bytes(4, "big") + self.seconds.to_bytes(8, "big", signed=True)
        both = self.nanoseconds << 34 | self.seconds
        return both.to_bytes(8 if both >> 32 else 4, "big")

    @classmethod
    def from_unix(cls, seconds, /):
        """From seconds as int or float. Parts of a nanosecond are cut off."""
        whole, nanoseconds = int(seconds // 1), int(seconds % 1 * _GIGA)
        # A float just below a whole second has a remainder that rounds up to 1.
        return cls(whole + 1) if nanoseconds == _GIGA else cls(whole, nanoseconds)

    def to_unix(self):
        """Seconds as the nearest float, which holds about a tenth of a microsecond."""
        return self.seconds + self.nanoseconds / _GIGA

    @classmethod
    def from_unix_nano(cls, nanoseconds, /):
        """From nanoseconds as int: exact."""
        return cls(*divmod(nanoseconds, _GIGA))

    def to_unix_nano(self):
        """Nanoseconds as int: exact."""
        return self.seconds * _GIGA + self.nanoseconds

    @classmethod
    def from_datetime(cls, moment, /):
        """From a datetime: exact. One without tzinfo is local time."""
        from datetime import UTC, datetime

        if not isinstance(moment, datetime):
            raise TypeError(f"a datetime is required, not {type(moment).__name__}")
        if moment.tzinfo is None:
            moment = moment.astimezone()
        # Not `timestamp()`, which is a float.
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        return cls(since.days * 86400 + since.seconds, since.microseconds * 1000)

    def to_datetime(self):
        """An aware datetime in UTC. Parts of a microsecond are cut off; OverflowError outside the years 1 to 9999."""
        from datetime import UTC, datetime, timedelta

        since = timedelta(seconds=self.seconds, microseconds=self.nanoseconds // 1000)
        return datetime(1970, 1, 1, tzinfo=UTC) + since


_set_code = Ext.code.__set__
_set_data = Ext.data.__set__
_set_seconds = Timestamp.seconds.__set__
_set_nanoseconds = Timestamp.nanoseconds.__set__
