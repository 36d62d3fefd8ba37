"""Counters, gauges and samplers: what 1.15.5 says of the same uses."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.profiler import monitoring


def test_counters_and_gauges_have_a_cell_for_each_choice_of_labels():
    counter = monitoring.Counter("test/counter", "", "label")
    counter.get_cell("a").increase_by(2)
    counter.get_cell("a").increase_by(-1)
    assert [counter.get_cell("a").value(), counter.get_cell("b").value()] == [2, 0]
    found = []
    for kind, value in ((monitoring.IntGauge, 4), (monitoring.StringGauge, "x"), (monitoring.BoolGauge, True)):
        cell = kind(f"test/{kind.__name__}", "").get_cell()
        before = cell.value()
        cell.set(value)
        found.append((before, cell.value()))
    assert found == [(0, 4), ("", "x"), (False, True)]


def test_samples_are_counted_between_limits():
    sampler = monitoring.Sampler("test/sampler", monitoring.ExponentialBuckets(1.0, 2.0, 3), "")
    for sample in (2.0, 1.0, 100.0):
        sampler.get_cell().add(sample)
    found = sampler.get_cell().value()
    assert [found.min, found.max, found.num, found.sum, found.sum_squares] == [1.0, 100.0, 3.0, 103.0, 10005.0]
    assert list(found.bucket_limit)[:3] == [1.0, 2.0, 4.0]
    assert list(found.bucket) == [0.0, 1.0, 1.0, 1.0]


def test_names_and_labels_are_checked():
    kept = monitoring.Counter("test/name", "", "label")
    with pytest.raises(tf.errors.AlreadyExistsError, match="same name already exists"):
        monitoring.Counter("test/name", "")
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        kept.get_cell()
    with pytest.raises(ValueError, match="label >= 3"):
        monitoring.Counter("test/labels", "", "a", "b", "c")
    del kept
    assert monitoring.Counter("test/name", "").get_cell().value() == 0
