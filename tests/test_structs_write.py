"""How instances of Struct classes are written, in every format.

What may surprise: the expected bytes are those of the dict, or the list, that says the same.
"""

import pytest

from oxwire import UNSET, EncodeError, Struct, field, json, msgpack
from oxwire.compat import orjson, ormsgpack

FORMATS = [json, msgpack]


class Inner(Struct):
    n: int


class Outer(Struct):
    a: object
    b: object = 2
    c: object = field(default_factory=list, name="see")


class Tagged(Outer, tag="t", tag_field="kind"):
    pass


class Omit(Outer, omit_defaults=True):
    d: object = field(default_factory=dict)
    e: object = field(default_factory=set)
    f: object = field(default_factory=lambda: [1])


class Row(Struct, array_like=True):
    a: object
    b: object = 2


class TaggedRow(Row, tag=3):
    pass


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Inner(1), {"n": 1}),
        (Struct(), {}),
        (
            Outer(Inner(1), [Inner(2), None], {"k": Inner(3)}),
            {"a": {"n": 1}, "b": [{"n": 2}, None], "see": {"k": {"n": 3}}},
        ),
        (Tagged(1), {"kind": "t", "a": 1, "b": 2, "see": []}),
        (Outer(UNSET, 1), {"b": 1, "see": []}),
        (Outer(UNSET, UNSET, UNSET), {}),
        (Outer(1, UNSET, UNSET), {"a": 1}),
        (Tagged(UNSET, UNSET, UNSET), {"kind": "t"}),
        (Omit(1), {"a": 1, "f": [1]}),
        (Omit(1, 2, [], {}, set(), []), {"a": 1, "f": []}),
        (Omit(1, 3, [0], {"a": 1}, {1}), {"a": 1, "b": 3, "see": [0], "d": {"a": 1}, "e": [1], "f": [1]}),
        (Row(1), [1, 2]),
        (Row(Row(1), [Inner(1)]), [[1, 2], [{"n": 1}]]),
        (TaggedRow("x"), [3, "x", 2]),
        ([Inner(1), Row(1), (Inner(2),)], [{"n": 1}, [1, 2], [{"n": 2}]]),
        ({"k": Inner(1)}, {"k": {"n": 1}}),
    ],
)
def test_written_as_what_it_says(format, value, plain):
    assert format.encode(value) == format.encode(plain)
    assert format.Encoder().encode(value) == format.encode(plain)
    assert format.decode(format.encode(value)) == plain


def test_options_of_json():
    o = Outer("é", 2, [1])
    assert json.encode(o, indent=2) == json.encode({"a": "é", "b": 2, "see": [1]}, indent=2)
    assert json.encode(o, ensure_ascii=True) == json.encode({"a": "é", "b": 2, "see": [1]}, ensure_ascii=True)
    turned = Struct.__class__("T", (Struct,), {"__annotations__": {"z": int, "é": int, "a": int}})
    for options in ({"order": "sorted"}, {"canonical": True}, {"ensure_ascii": True}):
        assert json.encode(turned(1, 2, 3), **options) == json.encode({"z": 1, "é": 2, "a": 3}, **options)
    assert msgpack.encode(turned(1, 2, 3), canonical=True) == msgpack.encode(
        {"z": 1, "é": 2, "a": 3}, canonical=True
    )


@pytest.mark.parametrize("length", [1, 30, 31, 32, 39, 40, 41, 300])
def test_keys_of_any_length(length):
    cls = Struct.__class__("T", (Struct,), {"__annotations__": {"k" * length: int, "é" * length: int}})
    for format in FORMATS:
        for _ in range(3):
            assert format.encode(cls(1, 2)) == format.encode({"k" * length: 1, "é" * length: 2})


@pytest.mark.parametrize("format", FORMATS)
def test_paths(format):
    cases = [
        (Outer(object()), "$.a"),
        ([Outer(1, Inner(object()))], "$[0].b.n"),
        (Outer(1, 2, [object()]), "$.see[0]"),
        (Row(1, object()), "$[1]"),
        (TaggedRow(1, object()), "$[2]"),
        (Omit(1, object()), "$.b"),
    ]
    for value, path in cases:
        with pytest.raises(EncodeError) as caught:
            format.encode(value)
        assert caught.value.path == path


@pytest.mark.parametrize("format", FORMATS)
def test_a_field_that_is_not_there(format):
    for cls in (Outer, Omit, Row):
        v = cls(1)
        del v.a
        with pytest.raises(AttributeError, match="Struct field 'a' is unset"):
            format.encode([v])


@pytest.mark.parametrize("format", FORMATS)
def test_unset_has_no_place_in_arrays(format):
    for value in (UNSET, [UNSET], Row(UNSET)):
        with pytest.raises(EncodeError, match="UnsetType"):
            format.encode(value)


@pytest.mark.parametrize("format", FORMATS)
def test_hooks_that_change_what_is_written(format):
    class Odd:
        pass

    def hook(change):
        def enc_hook(o):
            change(outer)
            return 1

        return enc_hook

    def delete(o):
        if hasattr(o, "c"):
            del o.c

    outer = Outer(Odd())
    with pytest.raises(AttributeError):
        format.encode(outer, enc_hook=hook(delete))
    outer = Outer(Odd(), [1] * 100)
    assert format.decode(format.encode(outer, enc_hook=hook(lambda o: setattr(o, "b", 5)))) == {
        "a": 1,
        "b": 5,
        "see": [],
    }
    outer = Outer([Odd()], 2)
    encoded = format.encode(outer, enc_hook=hook(lambda o: setattr(o, "a", None)))
    assert format.decode(encoded) == {"a": [1], "b": 2, "see": []}
    outer = Outer(Odd(), 2)
    unset = hook(lambda o: setattr(o, "b", UNSET))
    if format is json:
        assert json.encode(outer, enc_hook=unset) == b'{"a":1,"see":[]}'
    else:
        with pytest.raises(EncodeError, match="changed size"):
            format.encode(outer, enc_hook=unset)


@pytest.mark.parametrize("format", FORMATS)
def test_depth(format):
    v = None
    for _ in range(20):
        v = Outer(v)
    assert format.decode(format.encode(v, max_depth=21))["a"]["a"]["b"] == 2
    with pytest.raises(EncodeError, match="max_depth"):
        format.encode(v, max_depth=20)
    v = Outer(1)
    v.a = v
    with pytest.raises(EncodeError, match="max_depth"):
        format.encode(v)


@pytest.mark.parametrize("format", FORMATS)
def test_passthrough(format):
    hook = {"passthrough": [Inner], "enc_hook": lambda o: f"<{o.n}>"}
    assert format.decode(format.encode([Inner(1), Outer(1)], **hook)) == ["<1>", {"a": 1, "b": 2, "see": []}]


def test_compatible_faces_know_no_structs():
    with pytest.raises(TypeError):
        orjson.dumps(Inner(1))
    with pytest.raises(TypeError):
        ormsgpack.packb(Inner(1))
    assert orjson.dumps(Inner(1), default=lambda o: o.n) == b"1"


@pytest.mark.parametrize("format", FORMATS)
def test_no_struct_is_a_key(format):
    key = Struct.__class__("Key", (Struct,), {"__annotations__": {"a": int}}, frozen=True, array_like=True)
    with pytest.raises(EncodeError, match="A key cannot be of type"):
        format.encode({key(1): 2})


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_left_out_is_counted_with_what_is_written(format):
    class Some(Struct, omit_defaults=True, tag="s"):
        a: object = 1
        b: object = field(default_factory=list)
        c: object = UNSET
        d: object = "d"

    for o, want in [
        (Some(), {}),
        (Some(a=2), {"a": 2}),
        (Some(b=[1], c=3), {"b": [1], "c": 3}),
        (Some(a=0, b=[[]], c=None, d="e"), {"a": 0, "b": [[]], "c": None, "d": "e"}),
    ]:
        want = {"type": "s"} | want
        assert format.encode([o, 1]) == format.encode([want, 1])
        if format is json:
            assert json.encode([o, 1], indent=2) == json.encode([want, 1], indent=2)
            assert json.encode([o], ensure_ascii=True, sort=True) == json.encode(
                [want], ensure_ascii=True, sort=True
            )
    assert json.encode([Outer(UNSET, UNSET, UNSET), 1], indent=2) == json.encode([{}, 1], indent=2)


@pytest.mark.parametrize("format", FORMATS)
def test_a_hook_that_changes_what_is_left_out(format):
    for start, later in ((5, 2), (2, 5), (5, UNSET), (UNSET, 5)):
        o = Omit(object(), start)

        def change(_, o=o, later=later):
            o.b = later
            return 0

        if format is json:
            want = {"a": 0, "f": [1]} if later in (2, UNSET) else {"a": 0, "b": 5, "f": [1]}
            assert json.decode(json.encode(o, enc_hook=change)) == want
        else:
            with pytest.raises(EncodeError, match="changed size"):
                msgpack.encode(o, enc_hook=change)
