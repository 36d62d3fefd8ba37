"""Parts that a pipeline uses twice: copies where something is drawn, and a bound on them."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.kernels.data.base import Passing
from headrace.kernels.data.places import apart, begin_anew, parts_of
from headrace.ops.data.joining import Concatenated
from headrace.ops.data.random import Shuffled


class Numbers(Passing):
    """Two numbers."""

    def __init__(self):
        self.inputs = []

    def start(self, iteration):
        given = iter([(0,), (1,)])
        return lambda: next(given, None)


def doubled(dataset, times):
    for _ in range(times):
        dataset = Concatenated(dataset, dataset)
    return dataset


def copied(part, inputs):
    return part.over(inputs)


def test_what_draws_nothing_is_not_copied_however_often_it_is_used():
    pipeline = doubled(Numbers(), 60)
    assert apart(pipeline, copied) is pipeline
    assert len(list(parts_of(pipeline))) == 61
    begin_anew(pipeline)


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_each_place_of_what_draws_is_another_object(levels):
    pipeline = apart(doubled(Shuffled(Numbers(), 2, (1, 2), True), levels), copied)
    assert sum(isinstance(part, Shuffled) for part in parts_of(pipeline)) == 2**levels
    # It has none twice any more.
    assert apart(pipeline, copied) is pipeline
    assert sum(isinstance(part, Shuffled) for part in parts_of(pipeline)) == 2**levels


def test_places_of_what_draws_are_bounded():
    with pytest.raises(tf.errors.ResourceExhaustedError, match="more than 100000 places"):
        apart(doubled(Shuffled(Numbers(), 2, (1, 2), True), 60), copied)
