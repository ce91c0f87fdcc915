# The faces of other libraries.
