"""Arrays of anything but plain numbers, taken apart with the methods of their own library.

The engine calls `plain` for arrays of text, of objects and of records. The array library is never imported here:
whoever has an array has imported it.
"""

from typing import Any


def plain(array: Any) -> Any:
    """Built-in values for an array or array scalar; the thing itself if it cannot be taken apart."""
    names = array.dtype.names
    if names is None:
        value = array.tolist()
        # A dtype may give itself back for what Python has no value for.
        return array if value is array or type(value) is type(array) else value
    if array.ndim == 0:
        return {name: array[name] for name in names}
    return [plain(row) for row in array]
