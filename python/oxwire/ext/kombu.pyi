"""A serializer for kombu and Celery. docs/ext.md is the manual."""

from typing import Any

from oxwire.native import _Registry

# What the entry point gives to kombu: how to write and to read, the content type and encoding.
serializer: tuple[Any, Any, str, str]

def register(name: str = "oxwire", *, registry: _Registry = None) -> None:
    """Make a serializer known to kombu, with the content type `application/x-NAME`; the installed package has done so with `oxwire`."""
