# Types as JSON Schema. What is public is declared where it is public.
from .json import schema as schema
from .json import schema_components as schema_components
