"""Versions of one list: each reads as the tuple that it stands for, in whatever order they are read and changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.kernels.flow.persistent_list import PersistentList

_STEPS = st.lists(
    st.tuples(st.sampled_from(["push", "pop", "replace", "read", "length"]), st.integers(0, 60), st.integers(0, 60)),
    max_size=60,
)


@given(start=st.lists(st.integers(), max_size=12), steps=_STEPS)
def test_versions_are_what_they_were(start, steps):
    made = [(PersistentList(list(start)), tuple(start))]
    for number, (kind, which, where) in enumerate(steps):
        version, expected = made[which % len(made)]
        if kind == "push":
            made.append((version.pushed(number), (*expected, number)))
        elif kind == "pop" and expected:
            shorter, value = version.popped()
            assert value == expected[-1]
            made.append((shorter, expected[:-1]))
        elif kind == "replace" and expected:
            at = where % len(expected)
            made.append((version.replaced(at, number), (*expected[:at], number, *expected[at + 1 :])))
        elif kind == "length":
            assert len(version) == len(expected)
        else:
            assert tuple(version.items()) == expected
    for version, expected in [*made, *reversed(made)]:
        assert tuple(version.items()) == expected


def test_going_back_and_forth_far_changes_no_list_each_time():
    """As a loop does that pushes to one list, and reads an old version of it in each iteration."""
    old = newest = PersistentList([])
    for number in range(100):
        newest = newest.pushed(number)
    assert old.items() == []
    kept = old.items()
    for number in range(100, 200):
        newest = newest.pushed(number)
        assert old.items() is kept
    assert newest.items() == list(range(200))
