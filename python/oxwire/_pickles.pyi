# Pickles of plain data, as the commands see them.
from typing import Any

def loads(data: bytes) -> Any: ...
