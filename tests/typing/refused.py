"""What checkers of types must not let pass: each line with the mark, and no other. It is not run.

ty does not look at keywords that are described by a TypedDict.
"""

from oxwire import Meta, Struct, field, json


class Point(Struct, frozen=True):
    x: int
    y: int = 0


class Named(Struct, kw_only=True):
    name: str
    tags: list[str] = field(default_factory=list)


class Ordered(Struct, order=True):
    x: int


point = Point(1)
point.x = 2  # refused
Point("1")  # refused
Point()  # refused
Point(1, z=2)  # refused
Named("x")  # refused
Meta(ge="1")  # refused
json.encode(point, indented=2)  # refused, but not by ty
json.schema(int, mode="both")  # refused
number: str = json.decode(b"1", type=int)  # refused
json.Decoder(Point).decode(b"").z  # refused
