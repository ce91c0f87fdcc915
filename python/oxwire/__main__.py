"""The command line: `python -m oxwire`, installed as `oxwire`. It holds the entry point and no more."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.exit(main())
