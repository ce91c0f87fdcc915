# `include` and `exclude` of encoders: only the extension asks for it.
