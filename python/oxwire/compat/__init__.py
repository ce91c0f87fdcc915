"""The faces of other libraries over this one's engine: change the import, keep the program."""
