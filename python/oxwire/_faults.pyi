# All that is wrong with a value.
from typing import Any

MOST: int

def errors(error: Any) -> list[dict[str, Any]]: ...
def pydantic_errors(error: Any) -> list[dict[str, Any]]: ...
def tell(
    error: Any, source: Any, place: tuple[bool, int, int, int] | None, told: tuple[Any, ...]
) -> None: ...
