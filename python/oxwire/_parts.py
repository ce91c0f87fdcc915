"""Parts of what is written: `include` and `exclude` of encoders.

What may surprise: the value is taken apart with `to_builtins` first, and moments, bytes and numbers stay what they are. So names
are those that stand in the output, of records and of dicts alike.
"""

from functools import partial

from . import to_builtins
from ._scalars import _SPELLED

_PASSED = ("enc_hook", "codecs", "omit_defaults", "omit_none", "by_name")


def spelled(given, option):
    """Names as a dict, to those inside of each; None stands for all that there is."""
    if given is None or given is True:
        return None
    if isinstance(given, dict):
        return {name: spelled(inner, option) for name, inner in given.items()}
    if isinstance(given, (set, frozenset, list, tuple)):
        return dict.fromkeys(given)
    raise TypeError(f"`{option}` must be a set of names, or a dict by names, got `{type(given).__name__}`")


def chosen(options):
    """What makes of an object the part that is written; None if that is all of it."""
    include, exclude = [spelled(options.get(option), option) for option in ("include", "exclude")]
    if include is None and exclude is None:
        return None
    kept = [*_SPELLED, *(options.get("passthrough") or ())]
    passed = {name: options[name] for name in _PASSED if name in options}
    return partial(part, include, exclude, partial(to_builtins, builtin_types=kept, **passed))


def part(include, exclude, taken_apart, o):
    return picked(taken_apart(o), include, exclude or {})


def picked(o, include, exclude):
    """What is left of dicts; lists hand on what is asked of them."""
    if include is None and not exclude:
        return o
    if type(o) is dict:
        return {
            key: picked(value, include and include[key], exclude.get(key) or {})
            for key, value in o.items()
            if (include is None or key in include) and exclude.get(key, o) is not None
        }
    if type(o) in (list, tuple):
        return [picked(one, include, exclude) for one in o]
    return o
