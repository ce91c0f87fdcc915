# Types as JSON Schema: what the functions of oxwire.json call.
from collections.abc import Callable, Iterable
from typing import Any, Literal

TEMPLATE: str
_Mode = Literal["validation", "serialization", "msgspec"]
_Hook = Callable[[Any], dict[str, Any]]

def schema(
    type: Any,
    mode: _Mode = "validation",
    schema_hook: _Hook | None = None,
    ref_template: str = "#/$defs/{name}",
    inline_root: bool = False,
) -> dict[str, Any]: ...
def schema_components(
    types: Iterable[Any],
    mode: _Mode = "validation",
    schema_hook: _Hook | None = None,
    ref_template: str = "#/$defs/{name}",
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]: ...

class Writer:
    components: dict[str, Any]

    def __init__(self, roots: Iterable[Any], mode: _Mode, hook: _Hook | None, template: str) -> None: ...
    def all(self) -> dict[str, Any]: ...
    def write(self, node: Any, opened: bool = False) -> dict[str, Any]: ...
    def component(self, node: Any) -> dict[str, Any]: ...
