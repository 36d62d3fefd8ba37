"""The garbage collector pauses while much is imported, and is left as it was."""

from __future__ import annotations

import gc

import pytest

from headrace.util.collector import without_collections


@pytest.fixture(autouse=True)
def _collector_on():
    gc.enable()
    yield
    gc.enable()


def test_nothing_is_collected_meanwhile_and_all_goes_on_afterwards():
    frozen = gc.get_freeze_count()
    assert without_collections(lambda: gc.isenabled()) is False
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen


def test_arguments_and_the_result_go_through():
    assert without_collections(lambda a, b=0: (a, b), 1, b=2) == (1, 2)


def test_a_failure_leaves_the_collector_on():
    with pytest.raises(ZeroDivisionError):
        without_collections(lambda: 1 // 0)
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    without_collections(int)
    assert not gc.isenabled()


def test_cycles_made_meanwhile_are_collected_later():
    class Knot:
        alive = 0

        def __init__(self):
            self.itself = self
            Knot.alive += 1

        def __del__(self):
            Knot.alive -= 1

    def make():
        for _ in range(3000):
            Knot()

    without_collections(make)
    gc.collect()
    assert Knot.alive == 0


def test_what_a_program_has_frozen_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        kept = without_collections(lambda: [[] for _ in range(3000)])
        assert len(kept) == 3000
        assert gc.get_freeze_count() >= frozen - 10
    finally:
        gc.unfreeze()
