"""Decorators of functions that are going away: one warning a function, arguments and values, docstrings."""

from __future__ import annotations

import logging

import pytest

from headrace.util import deprecation


@pytest.fixture
def warnings_of(monkeypatch):
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


def test_warns_once_and_says_where(warnings_of):
    @deprecation.deprecated("2016-07-04", "Use new().")
    def old(x):
        """Does it.

        Args:
            x: a number.
        """
        return x + 1

    assert [old(1), old(2)] == [2, 3]
    assert len(warnings_of) == 1
    assert "test_deprecation.py:" in warnings_of[0]
    assert "old" in warnings_of[0]
    assert "is deprecated and will be removed after 2016-07-04" in warnings_of[0]
    assert "Use new()." in warnings_of[0]
    assert old.__doc__.splitlines()[:5] == [
        "Does it. (deprecated)",
        "",
        "Warning: THIS FUNCTION IS DEPRECATED. It will be removed after 2016-07-04.",
        "Instructions for updating:",
        "Use new().",
    ]
    assert "    x: a number." in old.__doc__
    assert old.__name__ == "old"


def test_silence_and_repeated_warnings(warnings_of):
    @deprecation.deprecated(None, "Instead.", warn_once=False)
    def old():
        return 1

    with deprecation.silence():
        old()
    assert not warnings_of
    old()
    old()
    assert len(warnings_of) == 2
    assert "in a future version" in warnings_of[0]


@pytest.mark.parametrize(("date", "instructions"), [("07-04-2016", "x"), (None, ""), ("2016-99-01", "x")])
def test_refuses(date, instructions):
    with pytest.raises(ValueError):
        deprecation.deprecated(date, instructions)


def test_arguments(warnings_of):
    @deprecation.deprecated_args(None, "Leave them out.", "b", ("c", 3))
    def f(a, b=1, c=2):
        return a, b, c

    f(1)
    f(1, c=3)
    assert not warnings_of
    assert f(1, 2) == (1, 2, 2)
    f(1, b=5)
    f(1, c=4)
    assert ["with b" in line for line in warnings_of] == [True, False]
    with pytest.raises(ValueError):
        deprecation.deprecated_args(None, "x", "nothing")(lambda a: a)
    with pytest.raises(ValueError):
        deprecation.deprecated_args(None, "x")


def test_argument_values(warnings_of):
    @deprecation.deprecated_arg_values(None, "Leave it out.", flag=True)
    def f(a, flag=False):
        return a, flag

    assert f(1) == (1, False)
    assert not warnings_of
    assert f(1, flag=True) == (1, True)
    assert "with flag=True" in warnings_of[0]


def test_alias_of_function_and_class(warnings_of):
    class New:
        """A class."""

        def __init__(self, x):
            self.x = x

    old_class = deprecation.deprecated_alias("tf.Old", "tf.New", New)
    old_function = deprecation.deprecated_alias("tf.old", "tf.new", len)
    assert old_class(3).x == 3
    assert old_function([1]) == 1
    assert ["Please use tf.New" in warnings_of[0], "Please use tf.new" in warnings_of[1]] == [True, True]


def test_lookup_of_renamed_arguments():
    look = deprecation.deprecated_argument_lookup
    assert [look("new", 1, "old", None), look("new", None, "old", 2)] == [1, 2]
    with pytest.raises(ValueError):
        look("new", 1, "old", 2)
