"""Struct classes as other libraries know classes: as pydantic does, and FastAPI through it, and as dataclasses. And models
of pydantic inside of our types.

`_struct.Asked` finds the functions here by their names when one of a class is asked for. Nothing is imported before that.
What may surprise: pydantic never looks into a Struct. It hands values to `convert`, and each class within is put among its
definitions by hand, under the name that it would have itself.
"""

from typing import Any

from . import ValidationError, convert, to_builtins
from ._annotations import FACTORY, REQUIRED, declared
from ._scalars import _SPELLED
from ._schema import TEMPLATE, Writer
from ._types import nodes


def __get_pydantic_core_schema__(cls):
    """What pydantic calls with a type (the class, or a generic one with its arguments) for how to read and write it."""

    def core_schema(source, handler):
        from pydantic_core import core_schema

        def validate(value):
            if isinstance(value, cls):
                return value
            try:
                # FastAPI would have responses read by their attributes, and cannot tell us.
                return convert(value, source, str_keys=True, from_attributes=True)
            except ValidationError as error:
                raise _refused(cls, value, error) from None

        def serialize(value, info):
            # Only what the type declares goes out, whatever a subclass holds beside.
            if type(value) is not cls and isinstance(value, cls):
                value = cls(**{name: getattr(value, name) for name in cls.__struct_fields__})
            if info.mode == "json":
                return to_builtins(value, str_keys=True)
            # `model_dump()` leaves as it is what `model_dump(mode="json")` and we would spell.
            return to_builtins(value, builtin_types=_SPELLED)

        return core_schema.no_info_plain_validator_function(
            validate,
            ref=_reference(cls, source),
            metadata={"oxwire": source},
            serialization=core_schema.plain_serializer_function_ser_schema(serialize, info_arg=True),
        )

    return core_schema


def __get_pydantic_json_schema__(cls):
    """What pydantic calls for the JSON Schema of what the above gave."""

    def json_schema(core, handler):
        from pydantic_core import core_schema

        (root,) = nodes((core["metadata"]["oxwire"],))
        writer = _Writer((root,), handler.mode, None, TEMPLATE)

        def put(schema):
            # `definitions` without any: what the generator does with a schema inside of another.
            return handler(core_schema.definitions_schema(schema, []))

        writer.put = put
        references = {
            id(node): _reference(node.cls or node.type, node.type) for node in writer.components.values()
        }
        writer.refs = {
            key: handler(core_schema.definition_reference_schema(reference))
            for key, reference in references.items()
        }
        for node in writer.components.values():
            if node is not root:
                written = {"pydantic_js_functions": [lambda *_, node=node: writer.component(node)]}
                put(core_schema.any_schema(ref=references[id(node)], metadata=written))
        return writer.component(root)

    return json_schema


class _Writer(Writer):
    def model(self, cls):
        return self.put(cls.__pydantic_core_schema__)


def _reference(cls, t):
    """What pydantic's definitions are told apart by; it begins with the name, as pydantic's own do."""
    args = ",".join(f"{getattr(arg, '__qualname__', arg)}:{hash(arg)}" for arg in getattr(t, "__args__", ()))
    name = getattr(cls, "__qualname__", None) or cls.__name__
    return f"{cls.__module__}.{name}:{id(cls)}{f'[{args}]' if args else ''}"


def _refused(cls, value, error):
    """What did not fit, as pydantic tells it."""
    from pydantic_core import PydanticCustomError
    from pydantic_core import ValidationError as Refused

    lines = []
    for one in error.errors():
        kind = PydanticCustomError("struct", "{message}", {"message": one["msg"]})
        lines.append({"type": kind, "loc": one["loc"], "input": _found(value, one["loc"])})
    return Refused.from_exception_data(cls.__name__, lines)


def faults(error):
    """(path, message) of all that is told of a value."""
    return [(one["path"], one["msg"]) for one in error.errors()]


def _found(value, steps):
    """What stands at a place of the input, or the last thing that can be reached on the way."""
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            break
    return value


def maker(model):
    """What reads a model of pydantic: its own validation."""

    def make(value):
        try:
            return model.model_validate(value)
        except ValueError as error:
            lines = getattr(error, "errors", lambda **_: ())(include_url=False)
            said = [f"{line['msg']} - at `{'.'.join(map(str, line['loc']))}`" for line in lines]
            raise ValueError(f"{model.__name__}: {'; '.join(said) or error}") from error

    return make


def __dataclass_fields__(cls):
    """The fields as dataclasses.Field: for what treats dataclasses and their like alike.

    Not of a generic class: with its arguments, pydantic takes what has this for a dataclass and asks it nothing else.
    """
    import dataclasses

    if getattr(cls, "__parameters__", ()):
        raise AttributeError(f"type object {cls.__name__!r} has no attribute '__dataclass_fields__'")
    found = {}
    for name, _, state, default, t in declared(cls, cls):
        given: dict[str, Any] = {"kw_only": name not in cls.__match_args__}
        if state != REQUIRED:
            given["default_factory" if state == FACTORY else "default"] = default
        field = dataclasses.field(**given)
        field.name, field.type, field._field_type = name, t, dataclasses._FIELD
        found[name] = field
    return found


def __dataclass_params__(cls):
    """The options that dataclasses have, too. The methods are not theirs."""
    import dataclasses

    config = cls.__struct_config__
    options = {"init": False, "repr": False, "eq": config.eq, "order": config.order, "frozen": config.frozen}
    return dataclasses.make_dataclass(cls.__name__, (), **options).__dataclass_params__
