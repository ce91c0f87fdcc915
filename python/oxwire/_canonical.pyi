# The canonical form of the native format: only oxwire.native asks for it.
