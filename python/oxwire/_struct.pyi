# What Struct classes are declared with. What is public is declared where it is public.
from collections.abc import Callable
from typing import Any, NoReturn

from . import NODEFAULT as NODEFAULT
from . import UNSET as UNSET
from . import NoDefault as NoDefault
from . import UnsetType as UnsetType
from . import field as field

class Field:
    default: Any
    default_factory: Any
    name: str | None
    alias: tuple[str, ...]
    strict: bool | None
    message: str | None
    marks: int | None
    def __init__(self, default: Any, default_factory: Any, name: str | None) -> None: ...

class Factory:
    factory: Callable[[], Any]
    def __init__(self, factory: Callable[[], Any]) -> None: ...

class Portable(property):
    cls: type
    names: dict[str, Any]

    def __set__(self, instance: Any, value: Any) -> NoReturn: ...
    def __delete__(self, instance: Any) -> None: ...

class Asked:
    name: str
    def __init__(self, name: str) -> None: ...
    def __get__(self, instance: Any, cls: type) -> Any: ...

def answer(first: type[Any]) -> None: ...
def annotations(namespace: dict[str, Any]) -> dict[str, Any]: ...
def checked(new: str) -> str: ...
def is_class_var(annotation: Any) -> bool: ...
def rebuild(cls: type, fields: dict[str, Any], kept: Any = ()) -> Any: ...
def __getattr__(name: str) -> Any: ...

def given(module: Any, known: bool) -> tuple[Any, ...]: ...
