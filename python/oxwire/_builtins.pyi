# The stub of what `oxwire.to_builtins` calls.
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import Codec

def to_builtins(
    obj: Any,
    /,
    *,
    str_keys: bool = False,
    builtin_types: Iterable[type] | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
    order: str | None = None,
    codecs: Mapping[Any, Codec] | None = None,
    _text: Callable[[Any], str] | None = None,
) -> Any: ...
