# Reading the native format by type: only oxwire.native asks for it.
