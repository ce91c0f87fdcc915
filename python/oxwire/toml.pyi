# TOML, by type.
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
    """Write a table as TOML.

    datetime, date and time are written as TOML's own; whatever else TOML has not, as `oxwire.to_builtins` has it.
    `enc_hook(obj)` gives what stands for an object of another kind; `order` is that of `to_builtins`.
    Raises ImportError without tomli-w (`oxwire[toml]`), TypeError for what is no table and for null, which TOML has not.
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
    """Read a TOML document, as `type`.

    `strict` and `dec_hook` are those of `oxwire.convert`. Raises DecodeError for a malformed document
    (with `line` and `column` where the parser tells), ValidationError for one that does not fit the type.
    """
