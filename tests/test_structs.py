"""Struct classes: how they are declared, what their instances do, and how the collector meets them.

What may surprise: half of these tests make a class for one assertion, because what a class refuses is half of what it is.
"""

import copy
import gc
import inspect
import operator
import pickle
import sys
import typing
import weakref
from abc import ABCMeta
from collections.abc import Hashable

import pytest

from oxwire import NODEFAULT, UNSET, Struct, StructMeta, UnsetType, defstruct, field
from oxwire.structs import asdict, astuple, force_setattr, replace


class Point(Struct):
    x: int
    y: int = 2
    tags: list = []


class Keyword(Struct, kw_only=True):
    a: int
    b: int = 3
    c: int


class Frozen(Struct, frozen=True):
    x: int
    y: object = None


class Cached(Struct, frozen=True, cache_hash=True):
    x: object


class Held(Struct, dict=True, weakref=True):
    x: int


class Checked(Struct):
    x: int

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("negative")


class Node(Struct):
    value: object
    next: object = None


def make(body, /, *bases, **options):
    """A class with these annotations."""
    return StructMeta("X", bases or (Struct,), {"__annotations__": body}, **options)


def test_arguments():
    assert Point(1) == Point(1, 2, []) == Point(x=1) == Point(1, tags=[], y=2)
    assert (Point(1, 5).y, Point(y=7, x=1).y) == (5, 7)
    assert Keyword(a=1, c=2) == Keyword(c=2, b=3, a=1)
    assert Struct() == Struct()
    assert Point.__new__(Point, 1) == Point(1)
    name = "".join(["x"])
    assert Point(**{name: 4}).x == 4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Point(), "Missing required argument 'x'"),
        (lambda: Point(1, 2, [], 4), "Extra positional arguments provided"),
        (lambda: Keyword(1), "Extra positional arguments provided"),
        (lambda: Point(1, x=2), "Argument 'x' given by name and position"),
        (lambda: Point(1, z=2), "Unexpected keyword argument 'z'"),
        (lambda: Point(1, **{"\ud800": 2}), "Unexpected keyword argument"),
        (lambda: Struct(1), "Extra positional arguments provided"),
        (lambda: Point.__new__(Point), "Missing required argument 'x'"),
        (lambda: replace(Point(1), q=2), "`Point` has no field 'q'"),
        (lambda: replace(3), "`struct` must be a `oxwire.Struct`"),
        (lambda: asdict(Point), "`struct` must be a `oxwire.Struct`"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_defaults_are_not_shared():
    a, b = Point(1), Point(1)
    a.tags.append(1)
    assert b.tags == []
    made = []
    cls = make({"x": list, "y": dict, "z": set}, **{})
    del cls
    cls = defstruct(
        "X",
        [
            ("a", list, []),
            ("b", dict, {}),
            ("c", set, set()),
            ("d", object, field(default_factory=lambda: made)),
        ],
    )
    one, two = cls(), cls()
    assert (one.a, one.b, one.c) == ([], {}, set())
    assert one.a is not two.a
    assert one.b is not two.b
    assert one.c is not two.c
    assert one.d is made


def test_a_factory_that_raises():
    cls = defstruct("X", [("a", int, field(default_factory=lambda: 1 / 0))])
    with pytest.raises(ZeroDivisionError):
        cls()
    assert cls(1).a == 1


def test_attributes():
    p = Point(1)
    p.x = 5
    assert p.x == 5
    del p.x
    with pytest.raises(AttributeError):
        _ = p.x
    with pytest.raises(AttributeError, match="'x' is unset"):
        repr(p)
    with pytest.raises(AttributeError, match="unset"):
        del p.x
    with pytest.raises(AttributeError, match="unset"):
        copy.copy(p)
    with pytest.raises(AttributeError):
        p.other = 1
    p.x = 6
    assert p == Point(6)


def test_frozen():
    f = Frozen(1)
    for change in (lambda: setattr(f, "x", 2), lambda: delattr(f, "x"), lambda: setattr(f, "q", 2)):
        with pytest.raises(AttributeError, match="immutable type: 'Frozen'"):
            change()
    # Nobody goes behind the collector's back.
    for change in (lambda: object.__setattr__(f, "x", 2), lambda: Frozen.x.__set__(f, 2)):
        with pytest.raises((AttributeError, TypeError)):
            change()
    force_setattr(f, "x", 9)
    assert f == Frozen(9)
    with pytest.raises(AttributeError):
        force_setattr(f, "q", 1)
    with pytest.raises(TypeError):
        force_setattr(f, 3, 1)


def test_equality_and_order():
    assert Point(1) != Point(2)
    assert Point(1) != (1, 2, [])
    nan = float("nan")
    one = Frozen(nan)
    assert one == one
    assert Frozen(nan) == Frozen(nan)
    assert Frozen(float("nan")) != Frozen(float("nan"))
    same = make({"x": int}, eq=False)
    assert same(1) != same(1)
    ordered = make({"x": object, "y": object}, order=True)
    values = [ordered(x, y) for x in (1, 2**70, 1.5, True) for y in (1, 2, 0.5)]
    for a in values:
        for b in values:
            assert (a < b, a <= b, a > b, a >= b, a == b) == (
                astuple(a) < astuple(b),
                astuple(a) <= astuple(b),
                astuple(a) > astuple(b),
                astuple(a) >= astuple(b),
                astuple(a) == astuple(b),
            )
    with pytest.raises(TypeError):
        _ = ordered("a", 1) < ordered(1, 1)
    with pytest.raises(TypeError):
        _ = Point(1) < Point(2)
    with pytest.raises(TypeError):
        _ = ordered(1, 1) < 1


def test_comparing_runs_code_that_changes_the_instances():
    class Odd:
        def __eq__(self, other):
            for s in (a, b):
                s.x = s.y = None
            gc.collect()
            return True

        __hash__ = None

    a, b = Point(Odd(), Odd()), Point(Odd(), Odd())
    assert (a == b) in (True, False)


def test_hash():
    assert hash(Frozen(1)) == hash(Frozen(1, None))
    assert hash(Frozen(1)) != hash(Frozen(2))
    assert hash(make({"x": int}, frozen=True)(1)) != hash(make({"x": int}, frozen=True)(1))
    with pytest.raises(TypeError, match="unhashable type: 'Point'"):
        hash(Point(1))
    with pytest.raises(TypeError):
        hash(Frozen([]))
    identity = make({"x": int}, eq=False)
    assert hash(identity(1)) != hash(identity(1))
    calls = []

    class Counted:
        def __hash__(self):
            calls.append(1)
            return 7

    c = Cached(Counted())
    assert hash(c) == hash(c)
    assert len(calls) == 1
    assert isinstance(c, Hashable)
    c = Cached(1)
    assert hash(c) == hash(Cached(1))
    force_setattr(c, "x", 2)
    assert hash(c) == hash(Cached(2))


def test_repr():
    assert repr(Point(1)) == "Point(x=1, y=2, tags=[])"
    p = Point(1)
    p.tags.append(p)
    assert repr(p) == "Point(x=1, y=2, tags=[...])"
    assert repr(Frozen("é\ud800", 2**80)) == f"Frozen(x='é\\ud800', y={2**80})"
    short = make({"a": int, "b": list}, repr_omit_defaults=True)
    assert repr(short(1, [])) == "X(a=1, b=[])"
    short = defstruct("X", [("a", int, 1), ("b", list, [])], repr_omit_defaults=True)
    assert repr(short()) == "X()"
    assert repr(short(2, [1])) == "X(a=2, b=[1])"
    assert list(Point(1).__rich_repr__()) == [("x", 1), ("y", 2), ("tags", [])]


@pytest.mark.parametrize(
    "value", [Point(1, 5, [1]), Keyword(a=1, c=2), Frozen(1), Cached((1,)), Node(1, Node(2)), Checked(3)]
)
def test_copies(value):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value
    assert copy.copy(value) == copy.deepcopy(value) == replace(value) == value
    assert copy.copy(value) is not value
    first = type(value).__struct_fields__[0]
    assert getattr(copy.copy(value), first) is getattr(value, first)
    if sys.version_info >= (3, 13):
        assert copy.replace(value, **{first: 9}) == replace(value, **{first: 9})
    assert asdict(value) == dict(zip(type(value).__struct_fields__, astuple(value), strict=True))


def test_what_stands_beside_the_fields_is_copied_too():
    h = Held(1)
    h.note = [1]
    for c in (copy.copy(h), copy.deepcopy(h), replace(h, x=1), pickle.loads(pickle.dumps(h))):
        assert c == h
        assert c.__dict__ == {"note": [1]}
    assert weakref.ref(h)() is h


def test_post_init():
    for call in (lambda: Checked(-1), lambda: replace(Checked(1), x=-1)):
        with pytest.raises(ValueError, match="negative"):
            call()


def test_matching():
    match Point(1, 2):
        case Point(x, 2, tags=[]):
            assert x == 1
        case _:
            raise AssertionError
    assert Keyword.__match_args__ == ()
    own = StructMeta("X", (Struct,), {"__annotations__": {"a": int}, "__match_args__": ("q",)})
    assert own.__match_args__ == ("q",)


def test_inheritance():
    class A(Struct):
        x: int
        y: int = 1

    class B(A, kw_only=True):
        z: int
        w: int = 2

    class C(B):
        v: int = 3

    class D(C):
        z: int = 5

    assert A.__struct_fields__ == ("x", "y")
    assert C.__struct_fields__ == ("x", "y", "v", "z", "w")
    assert C.__struct_defaults__ == (1, 3, NODEFAULT, 2)
    assert C.__match_args__ == ("x", "y", "v")
    assert D.__match_args__ == ("x", "y", "v", "z")
    c = C(1, z=4)
    assert astuple(c) == (1, 1, 3, 4, 2)
    assert A(1) != C(1, z=4)

    class Mixin:
        x = "hidden"

        def total(self):
            return self.x + self.y

    class E(Mixin, A):
        pass

    class F(A, Mixin):
        pass

    assert F(2).total() == 3
    assert E(2).y == 1
    assert sys.getsizeof(A(1)) < sys.getsizeof(c)


def test_class_variables_and_methods():
    class A(Struct):
        x: int
        n: typing.ClassVar[int] = 3
        m: "typing.ClassVar[int]" = 4
        k: "ClassVar" = 5  # noqa: F821
        plain = 6

        @property
        def twice(self):
            return 2 * self.x

    assert A.__struct_fields__ == ("x",)
    assert (A.n, A.m, A.k, A.plain, A(2).twice) == (3, 4, 5, 6, 4)


def test_metaclasses_mix():
    class Both(StructMeta, ABCMeta):
        pass

    class A(Struct, metaclass=Both):
        x: int

    class B(A):
        y: int = 1

    assert astuple(B(1)) == (1, 1)
    assert B(1) == B(x=1)
    assert isinstance(B, StructMeta)


def test_names_outside():
    rules = {
        "lower": ("foo_bar", "abc_def"),
        "upper": ("FOO_BAR", "ABC_DEF"),
        "camel": ("fooBar", "ABCDef"),
        "pascal": ("FooBar", "AbcDef"),
        "kebab": ("foo-bar", "ABC-DEF"),
    }
    for rule, names in rules.items():
        assert make({"foo_bar": int, "ABC_DEF": int}, rename=rule).__struct_encode_fields__ == names
    camel = make({"_priv_x": int, "dbl__und": int, "trail_": int, "x1_y2": int}, rename="camel")
    assert camel.__struct_encode_fields__ == ("_privX", "dblUnd", "trail", "x1Y2")
    assert make({"a": int, "b": int}, rename={"a": "z"}).__struct_encode_fields__ == ("z", "b")
    assert make({"a": int}, rename=lambda n: n * 2).__struct_encode_fields__ == ("aa",)

    class A(Struct, rename="upper"):
        foo_bar: int
        n: int = field(name="nn", default=2)

    class B(A):
        baz_q: int = 3

    class C(B, rename="camel"):
        q_x: int = 4

    assert C.__struct_encode_fields__ == ("FOO_BAR", "nn", "BAZ_Q", "qX")


def test_tags():
    class A(Struct, tag=True):
        pass

    class B(A):
        pass

    class C(A, tag=False):
        pass

    class D(Struct, tag_field="kind", tag=str.lower):
        pass

    class E(D):
        pass

    class F(D, tag=7):
        pass

    tags = [(c.__struct_config__.tag_field, c.__struct_config__.tag) for c in (A, B, C, D, E, F)]
    assert tags == [
        ("type", "A"),
        ("type", "B"),
        (None, None),
        ("kind", "d"),
        ("kind", "e"),
        ("kind", 7),
    ]


def test_config():
    config = make({"x": int}, frozen=True, order=True, array_like=True).__struct_config__
    assert (config.frozen, config.order, config.array_like, config.gc, config.eq) == (True,) * 5
    assert (config.dict, config.weakref, config.tag) == (False, False, None)
    with pytest.raises(AttributeError):
        config.frozen = False
    with pytest.raises(AttributeError):
        _ = config.other
    assert "frozen=True" in repr(config)
    assert copy.copy(config).order
    assert {"frozen", "tag"} <= set(dir(config))


@pytest.mark.parametrize(
    ("define", "error", "words"),
    [
        (lambda: make({"x": int}, foo=1), TypeError, "unexpected keyword argument 'foo'"),
        (lambda: make({"x": int}, rename="odd"), ValueError, "rename='odd' is unsupported"),
        (lambda: make({"x": int}, rename=3), TypeError, "must be a str, callable, or mapping"),
        (lambda: make({"x": int}, rename=lambda n: 3), TypeError, "to return a `str` or `None`, got `int`"),
        (lambda: make({"x": int}, rename={"x": 3}), TypeError, "to return a `str` or `None`"),
        (lambda: make({"x": int}, rename=lambda n: 'a"b'), ValueError, "must not contain"),
        (lambda: field(name="a\nb"), ValueError, "must not contain"),
        (lambda: make({"x": int, "y": int}, rename=lambda n: "z"), ValueError, "must be unique"),
        (lambda: make({"x": int}, tag=1.5), TypeError, "`tag` must be"),
        (lambda: make({"x": int}, tag=lambda n: None), TypeError, "`tag` must be"),
        (lambda: make({"x": int}, tag=2**63), ValueError, "within"),
        (lambda: make({"x": int}, tag_field=3), TypeError, "`tag_field` must be"),
        (lambda: make({"x": int}, tag_field="x"), ValueError, "conflicts with an existing field"),
        (lambda: make({"x": int}, eq=False, order=True), ValueError, "eq=False and order=True"),
        (lambda: make({"x": int}, cache_hash=True), ValueError, "without frozen=True"),
        (lambda: make({"x": int}, gc=False, dict=True), ValueError, "gc=False and dict=True"),
        (lambda: make({"x": int}, gc=False, weakref=True), ValueError, "gc=False and weakref=True"),
        (lambda: make({"x": int}, Struct, type("D", (), {}), gc=False), ValueError, "with a __dict__"),
        (lambda: make({}, Held, dict=False), ValueError, "already has `dict=True`"),
        (lambda: make({"__dict__": int}), TypeError, "field named '__dict__'"),
        (lambda: make({"x": int}, Struct, int), TypeError, "cannot define __new__"),
        (lambda: make({"x": int}, Struct, Exception), TypeError, "cannot define __init__"),
        (lambda: StructMeta("X", (Struct,), {"__slots__": ()}), TypeError, "cannot define __slots__"),
        (lambda: StructMeta("X", (Struct,), {"__init__": len}), TypeError, "cannot define __init__"),
        (lambda: StructMeta("X", (3,), {}), TypeError, "must be types"),
        (lambda: StructMeta(), TypeError, "takes exactly 3"),
        (lambda: StructMeta(1, 2, 3), TypeError, "takes a str"),
        (lambda: StructMeta("X", (Struct,), {"__annotations__": 3}), TypeError, "must be a dict"),
        (lambda: make({}, Point, Frozen), TypeError, "lay-?out"),
        (lambda: defstruct("X", [("a", int, 1), ("b", int)]), TypeError, "cannot follow optional fields"),
        (lambda: defstruct("X", [("a", int, [1])]), TypeError, "non-empty mutable collection"),
        (lambda: defstruct("X", [("a", int, Point(1))]), TypeError, "mutable struct object"),
        (lambda: defstruct("X", [3]), TypeError, "items in `fields`"),
        (lambda: defstruct("X", 3), TypeError, "must be an iterable"),
        (lambda: defstruct(3, []), TypeError, "argument 1 must be str"),
        (lambda: field(default=1, default_factory=list), TypeError, "both"),
        (lambda: field(default_factory=3), TypeError, "callable"),
        (lambda: field(name=3), TypeError, "str or None"),
    ],
)
def test_refused(define, error, words):
    with pytest.raises(error, match=words):
        define()


def test_defstruct():
    cls = defstruct(
        "Made", ["a", ("b", int), ("c", int, 3)], bases=(Struct,), module="m", namespace={"n": 1}, frozen=True
    )
    assert (cls.__name__, cls.__module__, cls.n) == ("Made", "m", 1)
    assert repr(cls(1, 2)) == "Made(a=1, b=2, c=3)"
    assert defstruct("X", []).__module__ == __name__


def test_signature():
    assert str(inspect.signature(Point)) == "(x: int, y: int = 2, tags: list = <factory>)"
    assert str(inspect.signature(Keyword)) == "(*, a: int, b: int = 3, c: int)"


def test_singles():
    for one in (UNSET, NODEFAULT):
        assert pickle.loads(pickle.dumps(one)) is copy.copy(one) is copy.deepcopy(one) is type(one)() is one
    assert not UNSET
    assert (repr(UNSET), UnsetType()) == ("UNSET", UNSET)


def test_a_class_that_is_not_complete_makes_nothing():
    seen = []

    class Base(Struct):
        x: int = 1

        def __init_subclass__(cls):
            for call in (cls, lambda: cls.__new__(cls), lambda: cls.__struct_fields__):
                try:
                    call()
                except (TypeError, AttributeError) as e:
                    seen.append(str(e))

    class Sub(Base):
        y: int = 2

    assert len(seen) >= 2
    assert Sub().y == 2
    with pytest.raises(TypeError):
        object.__new__(Sub)


def test_what_is_asked_of_a_class_is_kept():
    class One(Struct, rename="camel"):
        a_b: int
        c: int = 1

    class Own(One, kw_only=True):
        __match_args__ = ("c",)
        d: int

    class Below(Own):
        pass

    for name in ("__struct_fields__", "__struct_encode_fields__", "__struct_defaults__", "__struct_config__"):
        assert getattr(One, name) is getattr(One, name) is getattr(One(1), name)
    assert One.__struct_encode_fields__ == ("aB", "c")
    assert One.__match_args__ == One(1).__match_args__ == Below.__match_args__ == ("a_b", "c")
    assert Own.__match_args__ == ("c",)
    config = One.__struct_config__
    assert pickle.loads(pickle.dumps(config)).frozen is False
    assert "tag=None" in repr(config)
    for change in (lambda: setattr(config, "frozen", True), lambda: delattr(config, "frozen")):
        with pytest.raises(AttributeError, match="read-only"):
            change()


@pytest.mark.parametrize("function", [asdict, astuple, replace])
def test_functions_of_structs_take_one(function):
    class One(Struct):
        a: int
        b: str = "\ud800"

    assert function(One(1)) in ({"a": 1, "b": "\ud800"}, (1, "\ud800"), One(1))
    empty = One(1)
    del empty.b
    with pytest.raises(AttributeError, match="'b' is unset"):
        function(empty)
    for wrong in ((), (1,), (One,), (empty, 2)):
        with pytest.raises(TypeError):
            function(*wrong)


def test_comparing_and_hashing_without_asking():
    class One(Struct, order=True, frozen=True):
        a: object

    values = [
        "",
        "a",
        "ab",
        "b",
        "\xe4",
        "\u20ac",
        "a\0",
        -1,
        0,
        1,
        2**30,
        -(2**30),
        2**62,
        2**61 - 1,
        -(2**61),
        2**200,
    ]
    for x in values:
        for y in values:
            assert (One(x) == One(y)) is (x == y)
            assert (One(x) != One(y)) is (x != y)
            if type(x) is type(y):
                for op in (operator.lt, operator.le, operator.gt, operator.ge):
                    assert op(One(x), One(y)) is op(x, y)
        # As something else that hashes alike, but is asked.
        alike = type("Alike", (), {"__hash__": lambda self, x=x: hash(x)})()
        assert hash(One(x)) == hash(One(alike))
    # A text whose hash nobody has asked for.
    assert hash(One("".join("some text"))) == hash(One("some text"))
