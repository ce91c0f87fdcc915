"""Which models of a validation library are written as what their instances hold.

A model says how it is written by its own `model_dump`, which takes its time. Where that does nothing but copy what
the instance holds (no aliases, serializers, computed or excluded fields), the engine may read the instance instead.
`plan` finds out, once for each class; nothing of the library is imported, only what a class says of itself is read.
"""

from typing import Any

# Parts of a schema that say nothing of how values are written.
_ASIDE = frozenset(
    {"cls", "config", "metadata", "ref", "schema_ref", "default", "default_factory", "function"}
)
# The sorts of schema whose values are dumped as they are, if those inside them are.
_words = str.split
_PLAIN = frozenset(
    _words(
        "any none bool int float decimal str bytes date time datetime timedelta uuid literal enum is-instance "
        "is-subclass callable list tuple set frozenset dict nullable default chain union tagged-union model-field "
        "model-fields model definitions definition-ref function-before function-after function-wrap function-plain "
        "no-info with-info"
    )
)


def _is_plain(schema: Any, models: list[type]) -> bool:
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, (list, tuple)):
            stack.extend(one)
            continue
        if not isinstance(one, dict):
            continue
        kind = one.get("type")
        if isinstance(kind, str) and kind not in _PLAIN:
            return False
        if one.get("root_model") or one.get("computed_fields"):
            return False
        if any(isinstance(key, str) and key.startswith("serialization") for key in one):
            return False
        if kind == "model":
            models.append(one["cls"])
        # A literal's values, and the members of an enumeration, are no schemas.
        if kind not in ("literal", "enum"):
            stack.extend(value for key, value in one.items() if key not in _ASIDE)
    return True


def plan(model: type) -> tuple[list[str], list[type], bool] | None:
    """The names of the fields, all models that may stand inside, and whether extra fields are kept; None if the
    instances must dump themselves."""
    owner = next(base for base in model.__mro__ if "model_dump" in base.__dict__)
    schema = model.__dict__.get("__pydantic_core_schema__")
    if (owner.__module__, owner.__qualname__) != ("pydantic.main", "BaseModel") or not isinstance(
        schema, dict
    ):
        return None
    models: list[type] = []
    if not _is_plain(schema, models):
        return None
    extra = getattr(model, "model_config", {}).get("extra") == "allow"
    return list(model.__pydantic_fields__), models, extra  # type: ignore[attr-defined]
