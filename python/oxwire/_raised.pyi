# The exceptions, and their words.
from collections.abc import Callable

from . import DecodeError, EncodeError, ValidationError

FORMS: tuple[str, ...]
CODES: dict[str, str]
CODE_NAMES: tuple[str, ...]
WHAT_NAMES: tuple[str, ...]

def quoted(text: str) -> str: ...
def words(what: int, text: str, number: int, code: int) -> str: ...
def encode(
    face: Callable[[EncodeError], Exception] | None, path: str, what: int, text: str, number: int, code: int
) -> Exception: ...
def invalid(
    said: str, path: str, cause: BaseException | None, all_: tuple[object, ...] | None
) -> ValidationError: ...
def malformed(
    face: Callable[[DecodeError], Exception] | None,
    path: str,
    form: int,
    code: int,
    offset: int,
    lines: int,
    chars: int,
    head: bytes,
) -> Exception: ...
