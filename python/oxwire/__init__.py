"""oxwire: one serialization engine for Python.

What is public stands in `_public.py`.
"""

# ruff: noqa: E402, F401, F403 - the imports look where the first one says, and the extension comes before all else.

from . import _archive

# Where an installed package has all other modules (docs/decisions/0013-archive.md).
__path__.append(_archive.PATH)

from . import _oxwire

# isort: split
from ._public import *
from ._public import ALL as __all__
from ._public import __dir__, __getattr__
