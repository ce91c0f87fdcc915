"""What `Annotated` may say of a type: `oxwire.Meta`, `Validate`, `Convert`, `Discriminator`. The stub says what each argument means."""

# In the order in which the extension counts them.
_SIGNS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
_NUMBERS = ("gt", "ge", "lt", "le", "multiple_of")
_LENGTHS = ("min_length", "max_length")
_KINDS = {
    "pattern": str,
    "tz": bool,
    "strict": bool,
    "title": str,
    "description": str,
    "examples": list,
    "extra_json_schema": dict,
    "extra": dict,
    "message": str,
}
NAMES = (*_NUMBERS, "pattern", *_LENGTHS, *list(_KINDS)[1:], "version", "shape", "typecode")
_BOUNDS = (*_NUMBERS, "pattern", *_LENGTHS, "tz", "version", "shape", "typecode")
# Bounds of more than numbers; whether they fit a type is asked where it is used.
_ORDERED = ("datetime", "_pydatetime", "decimal", "fractions")


def _checked(name, value):
    if name in _NUMBERS:
        fits, word = type(value) in (int, float) or type(value).__module__ in _ORDERED, "int or float"
    elif name == "shape":
        fits = isinstance(value, tuple) and all(n is None or (type(n) is int and n >= 0) for n in value)
        word = "tuple of int and None"
    elif name == "version":
        fits, word = type(value) is int and 1 <= value <= 8, "int from 1 to 8"
    elif name == "typecode":
        fits, word = value in (*"bBhHiIlLqQfd",), "letter of a number, as array.array has them"
    else:
        kind = int if name in _LENGTHS else _KINDS[name]
        fits, word = isinstance(value, kind) and (kind is not int or type(value) is int), kind.__name__
    if not fits:
        article = "an" if word[0] in "i" else "a"
        raise TypeError(f"`{name}` must be {article} {word}, got {type(value).__name__}")
    if (
        name in _NUMBERS
        and not getattr(value, "is_finite", lambda: type(value) is not float or value - value == 0)()
    ):
        raise ValueError(f"`{name}` must be finite, {value!r} is not supported")
    if name == "multiple_of" and (hasattr(value, "isoformat") or not value > type(value)(0)):
        raise ValueError("`multiple_of` must be > 0")
    if name in _LENGTHS and value < 0:
        raise ValueError(f"`{name}` must be >= 0, got {value}")
    if name == "pattern":
        import re

        re.compile(value)
    return value


class Meta:
    __slots__ = NAMES

    def __init__(
        self,
        *,
        gt=None,
        ge=None,
        lt=None,
        le=None,
        multiple_of=None,
        pattern=None,
        min_length=None,
        max_length=None,
        tz=None,
        strict=None,
        title=None,
        description=None,
        examples=None,
        extra_json_schema=None,
        extra=None,
        message=None,
        version=None,
        shape=None,
        typecode=None,
    ):
        given = locals()
        for one, other in ("gt", "ge"), ("lt", "le"):
            if given[one] is not None and given[other] is not None:
                raise ValueError(f"Cannot specify both `{one}` and `{other}`")
        for name in NAMES:
            value = given[name]
            object.__setattr__(self, name, value if value is None else _checked(name, value))

    def __init_subclass__(cls):
        raise TypeError("type 'oxwire.Meta' is not an acceptable base type")

    def __setattr__(self, name, value):
        raise AttributeError("readonly attribute")

    def __delattr__(self, name):
        raise AttributeError("readonly attribute")

    def __rich_repr__(self):
        return [(name, value) for name in NAMES if (value := getattr(self, name)) is not None]

    def __repr__(self):
        return f"oxwire.Meta({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __eq__(self, other):
        if type(other) is not Meta:
            return NotImplemented
        mine, theirs = self.__rich_repr__(), other.__rich_repr__()
        # An integer is a float of the same value here, but a Decimal is neither: not all who read this know such bounds.
        return mine == theirs and all(
            type(a) is type(b) or {type(a), type(b)} == {int, float}
            for (_, a), (_, b) in zip(mine, theirs, strict=True)
        )

    def __hash__(self):
        # Lists and dicts have no hash; what is equal has the same one without them.
        return hash(tuple(item for item in self.__rich_repr__() if not isinstance(item[1], (list, dict))))

    def __reduce__(self):
        return _meta, (dict(self.__rich_repr__()),)


def _meta(given):
    return Meta(**given)


def worded(metas):
    """What is to be said where a bound is not kept, by the names of bounds; and of whatever is wrong under None."""
    said = {}
    for one in metas:
        if one.message is not None:
            said |= dict.fromkeys(
                [name for name in _BOUNDS if getattr(one, name) is not None] or [None], one.message
            )
    return said


class Validate:
    """What `Annotated` says is to be done with a value."""

    __slots__ = ("before", "fn", "message")
    op = 20

    def __init__(self, fn, *, before=False, message=None):
        if not callable(fn):
            raise TypeError(f"`{type(self).__name__}` takes a function, got `{type(fn).__name__}`")
        self.fn, self.before, self.message = fn, before, message

    def __repr__(self):
        return f"oxwire.{type(self).__name__}({self.fn!r}, before={self.before!r}, message={self.message!r})"

    def __eq__(self, other):
        same = type(other) is type(self)
        return same and (self.fn, self.before, self.message) == (other.fn, other.before, other.message)

    def __hash__(self):
        return hash((type(self), self.fn, self.before, self.message))

    def called(self):
        """What is called; it says `message`, if there is one, whatever the function says."""
        if self.message is None:
            return self.fn
        fn, message = self.fn, self.message

        def worded(*args):
            try:
                return fn(*args)
            except (ValueError, TypeError, AssertionError) as e:
                raise ValueError(message) from e

        return worded

    def words(self):
        return self.message or f"`{getattr(self.fn, '__name__', self.fn)}` refuses the value"

    def apply(self, value):
        found = self.called()(value)
        if found is not None and not found:
            raise ValueError(self.words())
        return value


class Convert(Validate):
    __slots__ = ()
    op = 21

    def apply(self, value):
        return self.called()(value)


class Discriminator:
    __slots__ = ("choose",)
    strict = message = None

    def __init__(self, choose, /):
        if not callable(choose):
            raise TypeError(f"A discriminator must be callable, got {type(choose).__name__}")
        self.choose = choose

    def __repr__(self):
        return f"oxwire.Discriminator({self.choose!r})"

    def __eq__(self, other):
        return self.choose == other.choose if type(other) is Discriminator else NotImplemented

    def __hash__(self):
        return hash(self.choose)

    def __reduce__(self):
        return Discriminator, (self.choose,)


for _class in (Meta, Validate, Convert, Discriminator):
    _class.__module__ = "oxwire"
