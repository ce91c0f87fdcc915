# Where the modules of an installed package are that are no files; `oxwire/__init__.py` alone asks.
PATH: str
