"""Containers that stand deeper than the writer goes on the thread's stack: nothing is lost, and paths name all of it."""

import pytest

import oxwire
from oxwire import native


@pytest.mark.parametrize("depth", [7, 8, 9, 16, 17, 40])
def test_what_follows_a_deep_container_is_written(depth: int) -> None:
    value: object = 1.5
    for i in range(depth):
        value = [0, [value, "after"], {"a": 1, "b": value, "c": i}, (i, value)][i % 3 + 1]
    assert native.decode(native.encode(value)) == value


@pytest.mark.parametrize("depth", [7, 8, 9, 16, 17, 40])
def test_the_path_of_what_is_deep_is_whole(depth: int) -> None:
    value: object = object()
    for i in range(depth):
        value = [i, value] if i % 2 else {"a": 1, "b": value}
    with pytest.raises(oxwire.EncodeError) as caught:
        native.encode(value)
    assert (str(caught.value).count("[1]"), str(caught.value).count(".b")) == (depth // 2, (depth + 1) // 2)
