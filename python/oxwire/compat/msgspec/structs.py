"""What can be done with instances, as `msgspec.structs` has it."""

from oxwire.structs import FieldInfo, StructConfig, asdict, astuple, fields, force_setattr, replace

__all__ = ["FieldInfo", "StructConfig", "asdict", "astuple", "fields", "force_setattr", "replace"]
