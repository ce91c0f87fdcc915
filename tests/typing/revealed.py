"""What checkers of types make of oxwire: `tests/test_typing.py` has each of them read this. It is not run."""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar, assert_type

import oxwire
from oxwire import UNSET, Meta, Raw, Struct, UnsetType, convert, field, json, msgpack, structs
from oxwire.ext import dask, kombu, multiprocessing, redis

T = TypeVar("T")


class Cat(Struct, tag=True):
    lives: int


class Dog(Struct, tag=True, frozen=True):
    name: str
    age: int | None = None
    tags: list[str] = field(default_factory=list)
    size: float = field(default=1.0, name="SIZE")
    other: int | UnsetType = UNSET


class Options(Struct, kw_only=True, rename="camel"):
    the_id: int
    note: str = ""


class Box(Struct, Generic[T]):
    value: T


@dataclass
class Data:
    x: int


class Keys(TypedDict):
    a: int


def decoded(data: bytes) -> None:
    assert_type(json.decode(data, type=Cat), Cat)
    assert_type(json.decode(data, type=Cat | Dog), Cat | Dog)
    assert_type(json.decode(data, type=list[Cat | Dog]), list[Cat | Dog])
    assert_type(json.decode(data, type=Cat | None), Cat | None)
    assert_type(json.decode(data, type=dict[str, int]), dict[str, int])
    assert_type(json.decode(data, type=Annotated[int, Meta(ge=1)]), int)
    assert_type(json.decode(data, type=Literal["a", "b"]), Literal["a", "b"])
    assert_type(json.decode(data, type=Box[int]), Box[int])
    assert_type(json.decode(data, type=Box[int]).value, int)
    assert_type(json.decode(data, type=tuple[int, ...]), tuple[int, ...])
    assert_type(json.decode(data, type=Data), Data)
    assert_type(json.decode(data, type=Keys), Keys)
    assert_type(json.decode(data), Any)
    assert_type(msgpack.decode(data, type=Cat | Dog), Cat | Dog)
    assert_type(msgpack.decode(data, type=int | str, strict=False), int | str)
    assert_type(convert({}, Cat | Dog), Cat | Dog)
    assert_type(convert({}, type=int | None), int | None)


def decoders(data: bytes) -> None:
    assert_type(json.Decoder(Cat | Dog), json.Decoder[Cat | Dog])
    assert_type(json.Decoder(Cat | Dog).decode(data), Cat | Dog)
    assert_type(json.Decoder(list[int], strict=False).decode_lines(data), list[list[int]])
    assert_type(json.Decoder().decode(data), Any)
    assert_type(msgpack.Decoder(Cat | None).decode(data), Cat | None)
    assert_type(msgpack.Decoder(Dog).decode_prefix(data), tuple[Dog, int])


def classes() -> None:
    dog = Dog("a", 3, size=2.0)
    assert_type(dog.age, int | None)
    assert_type(dog.tags, list[str])
    assert_type(dog.other, int | UnsetType)
    assert_type(Options(the_id=1).note, str)
    assert_type(structs.replace(dog, name="b"), Dog)
    assert_type(structs.asdict(dog), dict[str, Any])
    match dog:
        case Dog(name, age):
            assert_type(name, str)
            assert_type(age, int | None)
    if dog.other is not UNSET:
        assert_type(dog.other, int | UnsetType)
    if not isinstance(dog.other, UnsetType):
        assert_type(dog.other, int)


def encoded(when: dt.datetime) -> None:
    assert_type(json.encode({"when": when}), bytes)
    assert_type(msgpack.encode(when), bytes)
    assert_type(json.schema(Cat | Dog, mode="serialization", inline_root=True), dict[str, Any])
    assert_type(Raw(b"1").copy(), Raw)
    assert_type(oxwire.to_builtins(when), Any)


def carried() -> None:
    queue = multiprocessing.Queue(3, registry=[Cat])
    assert_type(queue.empty(), bool)
    multiprocessing.JoinableQueue().task_done()
    with multiprocessing.Pipe()[0] as end:
        assert_type(end, multiprocessing.Connection)
        end.poll()
    with multiprocessing.Pool(2) as pool:
        assert_type(pool.map(len, ["a"]), list[int])
    with multiprocessing.ProcessPoolExecutor(max_tasks_per_child=1) as executor:
        assert_type(executor.submit(len, "a").result(), int)
    assert_type(redis.Serializer().dumps(1), bytes)
    dask.register(registry=[Cat])
    kombu.register("own")
