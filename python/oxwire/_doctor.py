"""Which of its ways oxwire goes here, and why: `oxwire.doctor()` and `python -m oxwire doctor`.

What may surprise: the extension tried its ways when it was imported and says what it then took; the reasons are found here and now.
"""

from __future__ import annotations

import sys

from . import _oxwire

_TEXTS = ("one word at a time", "SSE2", "AVX2", "AVX-512", "NEON")
# In the order of the bits that `py::ways` gives.
_WAYS = ("dicts are read", "instances are read", "values are made", "dicts are made", "instances are made")
# The newest CPython whose objects are known, which alone has what instances are read by.
_NEWEST = (3, 13)


def _why(way: str) -> str:
    # It imports `threading`, and an interpreter that does so in another thread than its first cannot be ended by some versions.
    import sysconfig

    version = sys.version_info[:2]
    if _oxwire._ways >> 7 & 1:
        return "OXWIRE_PLAIN is set"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this is a free-threaded build"
    if sys.maxsize < 1 << 62:
        return "this is a build for 32 bits"
    if version > _NEWEST or (version < _NEWEST and way == "instances are read"):
        return f"not done for CPython {version[0]}.{version[1]}"
    return "what was made by hand differed from what the interpreter makes"


def doctor() -> dict[str, str]:
    """See the stub."""
    import platform

    trusted = _oxwire._ways
    found = {
        "oxwire": _oxwire.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "long texts": _TEXTS[trusted >> 8],
    }
    for bit, way in enumerate(_WAYS):
        found[way] = "directly" if trusted >> bit & 1 else f"by the interpreter: {_why(way)}"
    return found


doctor.__module__ = "oxwire"


def run(options: object, parser: object) -> int:
    """The command `doctor`."""
    for what, how in doctor().items():
        print(f"{what:<20}{how}")
    return 0
