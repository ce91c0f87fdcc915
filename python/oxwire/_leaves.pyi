# Tables of the native codec's helper, as the tests see them.
from typing import Any

FILLED: dict[int, tuple[str, str, Any, Any]]
LEAVES: dict[int, tuple[str, str, Any, Any]]
