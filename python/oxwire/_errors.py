"""The exceptions. The extension raises them; the stub of the package says what each means and has."""


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

    def errors(self) -> list[dict[str, object]]:
        from ._faults import errors

        return errors(self)

    def pydantic_errors(self) -> list[dict[str, object]]:
        from ._faults import pydantic_errors

        return pydantic_errors(self)

    def json(self) -> str:
        from .json import encode

        return encode(self.errors(), enc_hook=repr).decode()
