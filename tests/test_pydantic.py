"""Struct classes in the hands of pydantic and FastAPI, and models of pydantic in ours, with no adapter between."""

import dataclasses
import datetime as dt
import enum
import importlib
import pprint
import uuid
from typing import Annotated, Any, Generic, TypeVar

import pytest

from oxwire import Meta, Struct, ValidationError, convert, field, json, msgpack, to_builtins

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Node(Struct, rename="camel"):
    node_id: int
    kids: list["Node"] = field(default_factory=list)
    color: Color = Color.RED


class Box(Struct, Generic[T]):
    value: T


class Cat(Struct, tag=True):
    lives: int


class Dog(Struct, tag=True):
    name: Annotated[str, Meta(min_length=1)]


class Order(Struct):
    """What is ordered."""

    id: uuid.UUID
    when: dt.datetime
    pet: Cat | Dog
    node: Node | None = None


class Secret(Cat, tag="Cat"):
    password: str = "x"


class Model(pydantic.BaseModel):
    x: int
    when: dt.date | None = None


class Holder(Struct):
    model: Model
    more: list[Model] = field(default_factory=list)
    maybe: Model | None = None


class Shop(pydantic.BaseModel):
    node: Node
    orders: list[Order] = []
    box: Box[int] | None = None
    color: Color = Color.RED


ID = uuid.UUID(int=1)
ORDER = {
    "id": str(ID),
    "when": "2024-01-02T03:04:05Z",
    "pet": {"type": "Dog", "name": "a"},
    "node": {"nodeId": 1},
}
WHEN = dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


# Structs as fields of models


def test_read_by_pydantic():
    shop = Shop.model_validate(
        {"node": {"nodeId": 1, "kids": [{"nodeId": 2}]}, "orders": [ORDER], "box": {"value": 3}}
    )
    assert shop.node == Node(1, [Node(2)])
    assert shop.orders == [Order(ID, WHEN, Dog("a"), Node(1))]
    assert shop.box == Box(3)
    assert Shop.model_validate_json('{"node": {"nodeId": 1}}').node == Node(1)
    # Instances are taken as they are.
    node = Node(1)
    assert Shop(node=node).node is node


def test_written_by_pydantic():
    shop = Shop(node=Node(1), orders=[Order(ID, WHEN, Cat(9))])
    assert shop.model_dump()["orders"][0]["when"] == WHEN
    assert shop.model_dump()["orders"][0]["id"] == ID
    assert shop.model_dump(mode="json") == {
        "node": {"nodeId": 1, "kids": [], "color": "red"},
        "orders": [
            {"id": str(ID), "when": "2024-01-02T03:04:05Z", "pet": {"type": "Cat", "lives": 9}, "node": None}
        ],
        "box": None,
        "color": "red",
    } | {"orders": [json.decode(json.encode(shop.orders[0]))]}
    assert Shop.model_validate_json(shop.model_dump_json()) == shop


def test_faults_have_places():
    given = {
        "node": {"nodeId": 1, "kids": [{"nodeId": "2"}]},
        "orders": [ORDER | {"pet": {"type": "Cow"}}],
        "box": {},
    }
    with pytest.raises(pydantic.ValidationError) as caught:
        Shop.model_validate(given)
    found = [(one["loc"], one["type"], one["msg"], one["input"]) for one in caught.value.errors()]
    assert found == [
        (("node", "kids", 0, "nodeId"), "struct", "Expected `int`, got `str`", "2"),
        (("orders", 0, "pet", "type"), "struct", "Invalid value 'Cow'", "Cow"),
        (("box",), "struct", "Object missing required field `value`", {}),
    ]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_schema_by_pydantic(mode):
    found = Shop.model_json_schema(mode=mode)
    assert set(found["$defs"]) == {"Node", "Order", "Cat", "Dog", "Box_int_", "Color"}
    assert found["properties"]["node"] == {"$ref": "#/$defs/Node"}
    order = found["$defs"]["Order"]
    assert order["description"] == "What is ordered."
    assert order["properties"]["pet"]["anyOf"] == [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    assert order["properties"]["pet"]["discriminator"]["mapping"]["Cat"] == "#/$defs/Cat"
    assert found["$defs"]["Node"]["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}
    more = ["kids", "color"] if mode == "serialization" else []
    assert found["$defs"]["Node"]["required"] == ["nodeId", *more]
    assert found["$defs"]["Box_int_"]["properties"] == {"value": {"type": "integer"}}


def test_adapters():
    adapter = pydantic.TypeAdapter(Box[Node])
    assert adapter.validate_json('{"value": {"nodeId": 1}}') == Box(Node(1))
    assert set(adapter.json_schema()["$defs"]) == {"Node", "Color"}
    assert pydantic.TypeAdapter(dict[str, Node]).validate_python({"a": {"nodeId": 1}}) == {"a": Node(1)}
    assert pydantic.TypeAdapter(Node).dump_json(Node(1)) == json.encode(Node(1))


def test_only_what_is_declared_goes_out():
    adapter = pydantic.TypeAdapter(Cat)
    assert adapter.dump_python(Secret(9, "secret")) == {"type": "Cat", "lives": 9}


# Models as fields of Structs


@pytest.mark.parametrize("format", [json, msgpack])
def test_models_are_read_and_written(format):
    holder = Holder(Model(x=1, when=dt.date(2024, 1, 2)), [Model(x=2)])
    data = format.encode(holder)
    assert format.decode(data, type=Holder) == holder
    assert format.Decoder(list[Model]).decode(format.encode([{"x": "3"}])) == [Model(x=3)]
    with pytest.raises(ValidationError) as caught:
        format.decode(
            format.encode({"model": {"x": 1}, "more": [{"x": 1}, {"x": "y", "when": 1.5}]}), type=Holder
        )
    assert caught.value.path == "$.more[1]"
    assert caught.value.msg.startswith("Model: Input should be a valid integer, unable to parse")
    assert "`x`" in caught.value.msg
    assert "`when`" in caught.value.msg


def test_models_are_converted():
    model = Model(x=1)
    assert convert({"model": model}, Holder).model is model
    assert convert({"model": {"x": 1}}, Holder) == Holder(model)


# Structs as what treats dataclasses and their like alike sees them


def test_as_dataclass():
    assert dataclasses.is_dataclass(Node)
    assert dataclasses.is_dataclass(Node(1))
    one, kids, color = dataclasses.fields(Node)
    assert (one.name, one.type, one.default, one.kw_only) == ("node_id", int, dataclasses.MISSING, False)
    assert kids.default_factory is list
    assert color.default is Color.RED
    assert dataclasses.asdict(Node(1, [Node(2)]))["kids"][0]["node_id"] == 2
    assert dataclasses.astuple(Cat(1)) == (1,)
    assert dataclasses.replace(Node(1), node_id=2) == Node(2)
    # What looks closer at dataclasses finds what it looks for.
    assert pprint.pformat(Node(1)) == repr(Node(1))
    assert not Node.__dataclass_params__.frozen


def test_generic_classes_are_no_dataclasses():
    # Pydantic would read a generic one with arguments as its own dataclass.
    assert not dataclasses.is_dataclass(Box)
    with pytest.raises(AttributeError):
        _ = Box.__dataclass_fields__


def test_ours_stay_ours():
    # What a Struct is for us does not depend on what it is for others.
    assert json.encode(Cat(1)) == b'{"type":"Cat","lives":1}'
    assert to_builtins(Cat(1)) == {"type": "Cat", "lives": 1}
    assert json.decode(b'{"type":"Cat","lives":1}', type=Cat) == Cat(1)
    assert json.encode(Cat(1), passthrough=["dataclass"]) == json.encode(Cat(1))


def test_other_objects_by_their_attributes():
    class Row:
        lives = 9
        other = 1

    assert pydantic.TypeAdapter(Cat).validate_python(Row()) == Cat(9)
    with pytest.raises(pydantic.ValidationError, match="Expected `object`, got `str`"):
        pydantic.TypeAdapter(Cat).validate_python("x")
    with pytest.raises(pydantic.ValidationError, match="Object missing required field `lives`|Expected"):
        pydantic.TypeAdapter(Cat).validate_python(object())


# FastAPI


@pytest.fixture
def client():
    fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")
    pytest.importorskip("httpx2", reason="httpx2 is not installed")
    app = fastapi.FastAPI()

    @app.post("/orders")
    def make(order: Order) -> Order:
        return order

    @app.post("/nodes")
    async def nodes(nodes: list[Node], q: int = 0) -> dict[str, Node]:
        return {str(node.node_id + q): node for node in nodes}

    @app.post("/boxes")
    def box(box: Box[int]) -> Box[int]:
        return box

    @app.get("/cat", response_model=Cat)
    def cat() -> Any:
        return Secret(9, "secret")

    @app.get("/wrong")
    def wrong() -> Cat:
        return {"type": "Cat", "lives": "nine"}  # type: ignore[return-value]

    @app.patch("/shop")
    def shop(shop: Shop) -> Shop:
        return shop

    @app.get("/bare")
    def bare():
        return Node(1)

    client = importlib.import_module("fastapi.testclient").TestClient(app)
    client.app = app
    return client


def test_fastapi_reads_and_writes(client):
    got = client.post("/orders", json=ORDER)
    assert got.status_code == 200
    assert got.json() == json.decode(json.encode(convert(ORDER, Order)))
    assert client.post("/nodes?q=1", json=[{"nodeId": 1}]).json() == {
        "2": {"nodeId": 1, "kids": [], "color": "red"}
    }
    assert client.post("/boxes", json={"value": 1}).json() == {"value": 1}
    assert client.patch("/shop", json={"node": {"nodeId": 1}}).json()["node"]["kids"] == []
    assert client.get("/cat").json() == {"type": "Cat", "lives": 9}
    # Without a type, FastAPI looks at the fields as dataclasses has them.
    assert client.get("/bare").json() == {"node_id": 1, "kids": [], "color": "red"}


def test_fastapi_refuses(client):
    got = client.post("/orders", json=ORDER | {"pet": {"type": "Dog", "name": ""}})
    assert got.status_code == 422
    (one,) = got.json()["detail"]
    assert one["loc"] == ["body", "pet", "name"]
    assert one["input"] == ""
    assert one["msg"] == "Expected `str` of length >= 1"
    got = client.post("/nodes", json=[{"nodeId": 1}, {"nodeId": None}])
    assert got.json()["detail"][0]["loc"] == ["body", 1, "nodeId"]
    with pytest.raises(importlib.import_module("fastapi.exceptions").ResponseValidationError):
        client.get("/wrong")


def test_fastapi_describes(client):
    found = client.get("/openapi.json").json()
    schemas = found["components"]["schemas"]
    # What is read and what is written differ where there are defaults.
    assert {"Order-Input", "Order-Output", "Cat", "Dog", "Color", "Box_int_"} <= set(schemas)
    assert schemas["Order-Input"]["required"] == ["id", "when", "pet"]
    assert schemas["Order-Output"]["required"] == ["id", "when", "pet", "node"]
    body = found["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/Order-Input"}
    text = json.encode(found).decode()
    assert "#/$defs" not in text
    mapping = schemas["Order-Input"]["properties"]["pet"]["discriminator"]["mapping"]
    assert mapping == {"Cat": "#/components/schemas/Cat", "Dog": "#/components/schemas/Dog"}
    refs = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert refs <= set(schemas)
    assert found["openapi"].startswith("3.1")
    # The query stays a query.
    assert [one["name"] for one in found["paths"]["/nodes"]["post"]["parameters"]] == ["q"]
