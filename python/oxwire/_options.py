"""What the extension asks about options that are seldom given, or wrong.

What may surprise: exceptions are given, not raised, so that no line of this file stands in a traceback.
"""

from ._raised import quoted

# In the order that the extension has them in.
_SORTS = ("dataclass", "attrs", "enum", "pydantic", "numpy", "subclass")
_DIRECT = (str, int, float, bool, type(None), list, dict, tuple)


def _class_name(cls):
    name = cls.__qualname__
    return name if cls.__module__ == "builtins" else f"{cls.__module__}.{name}"


def _said(text):
    """A text as messages have it, which are UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "\ufffd"
    return text


def _shown(o):
    try:
        return _said(repr(o))
    except BaseException:
        return f"<{_class_name(type(o))}>"


def show(module, name, options):
    """The `repr` of a coder."""
    words = ", ".join([f"{name}={_shown(v)}" for name, v in options.items()])
    return f"{module}.{name}({words})"


def choice(name, given, choices):
    choices = " or ".join([word if word == "None" else quoted(word) for word in choices.split()])
    kind = ValueError if given is None or isinstance(given, str) else TypeError
    return kind(f"`{name}` must be {choices}, got {_shown(given)}")


def passthrough(given):
    """Classes that go to the hook, and before them the sorts of classes that do, as bits; or an exception."""
    wanted = "`passthrough` must be an iterable of classes and words"
    if isinstance(given, str):
        return TypeError(f"{wanted}, not a str")
    try:
        items = iter(given)
    except TypeError:
        return TypeError(f"{wanted}, got `{_class_name(type(given))}`")
    found = [0]
    for item in items:
        if isinstance(item, str):
            if item not in _SORTS:
                return ValueError(f"`passthrough` knows no {quoted(_said(item))}")
            found[0] |= 1 << _SORTS.index(item)
        elif not isinstance(item, type):
            return TypeError(f"`passthrough` takes classes and words, got {_shown(item)}")
        elif item in _DIRECT:
            return ValueError(f"`{item.__name__}` is written directly and cannot pass through")
        else:
            found.append(item)
    return tuple(found)
