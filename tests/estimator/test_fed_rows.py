"""Rows that queues are fed with: their numbers over several epochs, and how shorter ones are filled up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import headrace as tf
from headrace.estimator.inputs.feeding import batches_of_rows, next_rows, pad_if_needed


def test_epochs_end_behind_their_last_row():
    assert next_rows(3, 4, epoch_end=2, array_length=5, current_epoch=0, total_epochs=None) == ([3, 4, 0, 1], 0)
    assert next_rows(2, 4, epoch_end=2, array_length=5, current_epoch=0, total_epochs=None) == ([2, 3, 4, 0], 1)
    # The second epoch is the last: what would come behind its end does not.
    assert next_rows(0, 4, epoch_end=2, array_length=5, current_epoch=1, total_epochs=2) == ([0, 1, 2], 2)
    with pytest.raises(tf.errors.OutOfRangeError, match="Already emitted 2 epochs"):
        next_rows(0, 4, epoch_end=2, array_length=5, current_epoch=2, total_epochs=2)


def test_rows_begin_anywhere_and_come_as_often_as_there_are_epochs():
    batches = batches_of_rows(5, 3, random_start=True, seed=7, num_epochs=2)
    rows = [next(batches) for _ in range(4)]
    assert [len(batch) for batch in rows] == [3, 3, 3, 1]
    assert sorted(itertools.chain(*rows)) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    with pytest.raises(tf.errors.OutOfRangeError):
        next(batches)


def test_shorter_rows_are_filled_along_the_last_axis_only():
    assert pad_if_needed([np.array([1, 2]), np.array([3])], 9).tolist() == [[1, 2], [3, 9]]
    same = [np.ones(2), np.zeros(2)]
    assert pad_if_needed(same) is same
    with pytest.raises(ValueError, match="Array shapes must match"):
        pad_if_needed([np.ones((2, 1)), np.ones((1, 3))])
