"""What training is made of: batches of arrays, aggregation of their numbers, names, weights, targets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.keras.engine.training_aggregators import MetricsAggregator, OutputsAggregator
from headrace.keras.engine.training_arrays import batch_shuffle, make_batches, slice_arrays
from headrace.keras.engine.training_input_checks import standardize_input_data, standardize_sample_or_class_weights
from headrace.keras.engine.training_loop import should_run_validation
from headrace.keras.engine.training_splitting import split_training_and_validation_data
from headrace.keras.engine.training_v2_arrays import arrays_of_lists
from headrace.keras.engine.training_weights import standardize_weights


@given(st.integers(1, 200), st.integers(1, 50))
def test_batches_cover_all_samples_once(size: int, batch_size: int) -> None:
    spans = make_batches(size, batch_size)
    assert [row for start, end in spans for row in range(start, end)] == list(range(size))
    assert all(end - start <= batch_size for start, end in spans)


@given(st.integers(1, 100), st.integers(1, 20))
def test_shuffled_batches_stay_whole(size: int, batch_size: int) -> None:
    order = batch_shuffle(np.arange(size), batch_size)
    assert sorted(order) == list(range(size))
    for start in range(0, size // batch_size * batch_size, batch_size):
        assert (np.diff(order[start : start + batch_size]) == 1).all()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_means_weigh_batches_by_samples(sizes: list[int]) -> None:
    losses = np.random.RandomState(0).rand(sum(sizes))
    aggregator = MetricsAggregator(False, num_samples=sum(sizes))
    aggregator.create([0.0, 0.0])
    start = 0
    for size in sizes:
        aggregator.aggregate([losses[start : start + size].mean(), float(size)], start, start + size)
        start += size
    aggregator.finalize()
    assert aggregator.results[0] == pytest.approx(losses.mean())
    assert aggregator.results[1] == sizes[-1]


@pytest.mark.parametrize("counted", [True, False])
def test_outputs_come_back_in_order(counted: bool) -> None:
    whole = np.arange(20).reshape(10, 2)
    aggregator = OutputsAggregator(not counted, num_samples=10 if counted else None)
    aggregator.create([whole[:4], {"b": whole[:4] * 2}])
    for start, end in make_batches(10, 4):
        part = whole[start:end]
        aggregator.aggregate([part, {"b": part * 2}], *((start, end) if counted else ()))
    aggregator.finalize()
    np.testing.assert_array_equal(aggregator.results[0], whole)
    np.testing.assert_array_equal(aggregator.results[1]["b"], whole * 2)


def test_no_batches_are_an_error() -> None:
    with pytest.raises(ValueError, match="Empty training data"):
        MetricsAggregator(True).finalize()


@pytest.mark.parametrize(
    ("frequency", "epochs"), [(1, [1, 2, 3, 4]), (2, [2, 4]), ([1, 4], [1, 4]), ({3}, [3])], ids=str
)
def test_epochs_with_validation(frequency: object, epochs: list[int]) -> None:
    assert [epoch + 1 for epoch in range(4) if should_run_validation(frequency, epoch)] == epochs


def test_vectors_become_columns() -> None:
    (x,) = standardize_input_data(np.arange(3), ["x"], [(None, 1)])
    assert x.shape == (3, 1)


def test_dicts_are_put_in_order() -> None:
    a, b = np.zeros((2, 1)), np.ones((2, 1))
    assert standardize_input_data({"b": b, "a": a}, ["a", "b"])[1] is b
    with pytest.raises(ValueError, match='No data provided for "c"'):
        standardize_input_data({"b": b}, ["c"])


def test_weights_by_outputs() -> None:
    assert standardize_sample_or_class_weights({"b": 1}, ["a", "b"], "sample_weight") == [None, 1]
    assert standardize_sample_or_class_weights(None, ["a", "b"], "sample_weight") == [None, None]
    with pytest.raises(TypeError, match="either a list or a dict"):
        standardize_sample_or_class_weights(3, ["a", "b"], "sample_weight")


@pytest.mark.parametrize("y", [np.array([0, 1, 1]), np.array([[0], [1], [1]]), np.eye(2)[[0, 1, 1]]], ids=str)
def test_weights_of_classes(y: np.ndarray) -> None:
    np.testing.assert_array_equal(standardize_weights(y, class_weight={0: 1.0, 1: 3.0}), [1.0, 3.0, 3.0])
    both = standardize_weights(y, sample_weight=np.array([1.0, 2.0, 0.0]), class_weight={0: 1.0, 1: 3.0})
    np.testing.assert_array_equal(both, [1.0, 6.0, 0.0])


def test_rows_of_several_arrays() -> None:
    arrays = [np.arange(6), None, np.arange(6) * 2]
    first, none, second = slice_arrays(arrays, np.array([4, 1]))
    assert first.tolist() == [4, 1]
    assert none is None
    assert second.tolist() == [8, 2]
    assert slice_arrays(arrays, 1, 3)[0].tolist() == [1, 2]


def test_last_samples_are_kept_for_validation() -> None:
    x = [np.arange(10)]
    kept, _, _, held, _, _ = split_training_and_validation_data(x, x, [None], 0.3)
    assert kept[0].tolist() == list(range(7))
    assert held[0].tolist() == [7, 8, 9]
    with pytest.raises(ValueError, match="not sufficient to split"):
        split_training_and_validation_data([np.zeros(1)], [], [], 0.5)


def test_eager_loops_take_lists_of_rows_together_only() -> None:
    x, y = arrays_of_lists([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]])
    assert (x.shape, y.shape) == ((2, 2), (2, 1))
    rows, targets = [[1.0, 2.0]], np.ones((1, 1))
    assert arrays_of_lists(rows, targets) == (rows, targets)
    assert arrays_of_lists([], None) == ([], None)


class _Batches:
    """An iterator that is no generator, as programs write for `fit_generator`."""

    def __init__(self, batches):
        self._batches = itertools.cycle(batches)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._batches)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("kind", ["zip", "cycle", "map", "a class"])
def test_iterators_train_and_validate_as_generators_do(kind, eager):
    batches = [(np.full([4, 2], i, np.float32), np.ones([4, 1], np.float32)) for i in (1, 2)]
    iterators = {
        "zip": lambda: zip(*(itertools.cycle(part) for part in zip(*batches))),
        "cycle": lambda: itertools.cycle(batches),
        "map": lambda: map(tuple, itertools.cycle(batches)),
        "a class": lambda: _Batches(batches),
    }

    def generator():
        yield from itertools.cycle(batches)

    def histories(made):
        with eager_mode() if eager else tf.Graph().as_default():
            for method in ("fit", "fit_generator"):
                dense = tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")
                model = tf.keras.Sequential([dense])
                model.compile(tf.keras.optimizers.SGD(0.01), "mse")
                told = {"steps_per_epoch": 2, "validation_steps": 2, "epochs": 2, "verbose": 0}
                yield getattr(model, method)(made(), validation_data=made(), **told).history

    found, expected = list(histories(iterators[kind])), list(histories(generator))
    assert found == expected
    assert {*found[0]} == {"loss", "val_loss"}


@pytest.mark.parametrize("is_own", [True, False])
def test_batches_of_models_with_tensors_of_their_own(is_own):
    with tf.Graph().as_default():
        own = tf.keras.backend.variable(np.ones((3, 2), np.float32))
        inputs = tf.keras.Input(tensor=own) if is_own else tf.keras.Input((2,))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(inputs))
        model.compile("sgd", "mse")
        targets = np.zeros((3, 1))
        if is_own:
            np.testing.assert_array_equal(model.predict_on_batch(None), np.full((3, 1), 2.0))
            assert model.test_on_batch(None, targets) == model.train_on_batch(None, targets) == 4.0
            return
        for call in (model.predict_on_batch, model.test_on_batch, model.train_on_batch):
            with pytest.raises(TypeError, match="got None"):
                call(None)
