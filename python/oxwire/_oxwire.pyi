# The extension. What it gives is described where it is public: __init__.pyi, json.pyi, compat/orjson.pyi.
from typing import Any

def __getattr__(name: str) -> Any: ...
