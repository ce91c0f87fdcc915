# YAML, by type.
from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from typing_extensions import Buffer, TypeForm

__all__ = ["decode", "encode"]

_T = TypeVar("_T")

def encode(
    obj: Any,
    *,
    enc_hook: Callable[[Any], Any] | None = None,
    order: Literal["deterministic", "sorted"] | None = None,
) -> bytes:
    """Write a value as YAML.

    datetime and date are written as YAML's own; whatever else YAML has not, as `oxwire.to_builtins` has it.
    `enc_hook(obj)` gives what stands for an object of another kind; `order` is that of `to_builtins`.
    Raises ImportError without PyYAML (`oxwire[yaml]`), TypeError for what cannot be written.
    """

@overload
def decode(
    buf: Buffer | str,
    *,
    strict: bool = True,
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> Any: ...
@overload
def decode(
    buf: Buffer | str,
    *,
    type: TypeForm[_T] = ...,
    strict: bool = True,
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> _T: ...
@overload
def decode(
    buf: Buffer | str,
    *,
    type: Any = ...,
    strict: bool = True,
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> Any:
    """Read one YAML document, safely: no tag makes an object of a class, as `type`.

    `strict` and `dec_hook` are those of `oxwire.convert`. Raises ImportError without PyYAML (`oxwire[yaml]`), DecodeError for a malformed document
    (with `line` and `column` where the parser tells), ValidationError for one that does not fit the type.
    """
