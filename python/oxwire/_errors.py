"""The exceptions. The extension raises them; the stub of the package says what each means and has."""

from json import JSONDecodeError
from typing import Any


class Error(Exception):
    """Whatever oxwire raises of its own."""

    __module__ = "oxwire"


class EncodeError(Error, TypeError, ValueError):
    """A value cannot be written faithfully; `path` says where it stands."""

    __module__ = "oxwire"


class DecodeError(Error, ValueError):
    """The input is malformed; `offset`, `line` and `column` say where."""

    __module__ = "oxwire"


class ValidationError(DecodeError):
    """The input is well-formed, but not what its type says; `path` says where."""

    __module__ = "oxwire"

    def errors(self) -> list[dict[str, Any]]:
        from ._faults import errors

        return errors(self)

    def pydantic_errors(self) -> list[dict[str, Any]]:
        from ._faults import pydantic_errors

        return pydantic_errors(self)

    def json(self) -> str:
        from .json import encode

        return encode(self.errors(), enc_hook=repr).decode()


class OrjsonDecodeError(JSONDecodeError):
    """The input is not valid JSON."""

    __module__ = "oxwire.compat.orjson"
    __qualname__ = "JSONDecodeError"


OrjsonDecodeError.__name__ = "JSONDecodeError"
