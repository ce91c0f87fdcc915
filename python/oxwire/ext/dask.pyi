"""A family of serialization for Dask and distributed. docs/ext.md is the manual."""

from oxwire.native import _Registry

def register(name: str = "oxwire", *, registry: _Registry = None) -> None:
    """Make a family known to this process, for `Client(serializers=[name, ...], deserializers=[name, ...])`.

    Arrays and other buffers are frames of their own, and are not copied. What the native format has not is left to the next family.
    """

def dask_setup(_server: object) -> None:
    """What Dask calls for `--preload oxwire.ext.dask`: `register()`."""
