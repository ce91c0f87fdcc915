# The stub of what `oxwire.to_builtins` calls.
from collections.abc import Callable, Iterable
from typing import Any

def to_builtins(
    obj: Any,
    /,
    *,
    str_keys: bool = False,
    builtin_types: Iterable[type] | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
    order: str | None = None,
    _text: Callable[[Any], str] | None = None,
) -> Any: ...
