"""What Struct classes ask of their users while an instance is made: `__post_init__`."""

import pytest

from oxwire import Struct


def test_post_init_is_what_the_class_has_now():
    called = []

    class Base(Struct):
        x: int

        def __post_init__(self):
            called.append("base")

    class Sub(Base):
        def __post_init__(self):
            called.append("sub")

    class Asked(Base):
        def __getattribute__(self, name):
            if name == "__post_init__":
                return lambda: called.append("asked")
            return object.__getattribute__(self, name)

    class Static(Base):
        @staticmethod
        def __post_init__():
            called.append("static")

    def seen(*classes):
        called.clear()
        for cls in classes:
            cls(1)
            cls(1)
        return called[::2]

    assert seen(Base, Sub, Asked, Static) == ["base", "sub", "asked", "static"]
    Base.__post_init__ = lambda self: called.append("other")
    assert seen(Base, Sub, Asked, Static) == ["other", "sub", "asked", "static"]
    del Sub.__post_init__
    assert seen(Base, Sub) == ["other", "other"]
    Sub.__getattribute__ = Asked.__getattribute__
    assert seen(Base, Sub) == ["other", "asked"]
    del Base.__post_init__
    with pytest.raises(AttributeError):
        Base(1)
