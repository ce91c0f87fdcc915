# How members of unions are told apart.
from typing import Any

from ._annotations import Node

def plan(program: Any, node: Node) -> tuple[Any, ...]: ...
