# All that is wrong with a value.
from typing import Any

MOST: int

def errors(error: Any) -> list[dict[str, Any]]: ...
def pydantic_errors(error: Any) -> list[dict[str, Any]]: ...
def tell(
    error: Any, found: list[tuple[Any, ...]], source: Any, place: tuple[int, int, int, bool] | None
) -> None: ...
