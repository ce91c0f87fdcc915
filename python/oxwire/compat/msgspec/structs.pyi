# The face of msgspec.structs.
from oxwire.structs import FieldInfo, StructConfig, asdict, astuple, fields, force_setattr, replace

__all__ = ["FieldInfo", "StructConfig", "asdict", "astuple", "fields", "force_setattr", "replace"]
