"""The classes of 1.15's own modules for what sources and transformations make, and datasets of 2.x beside those of 1.x."""

import numpy as np
import pytest

import headrace as tf
from headrace.data import dataset_classes as classes
from headrace.data.dataset import DatasetV2, make_initializable_iterator, make_one_shot_iterator

FIRST, SECOND = tf.data.Dataset, tf.compat.v2.data.Dataset


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def elements(dataset):
    following, found = make_one_shot_iterator(dataset).get_next(), []
    with tf.Session() as session:
        while True:
            try:
                found.append(np.asarray(session.run(following)).tolist())
            except tf.errors.OutOfRangeError:
                return found


MADE = {
    "TensorSliceDataset": (lambda: classes.TensorSliceDataset([1, 2]), [1, 2]),
    "RangeDataset": (lambda: classes.RangeDataset(2, 5), [2, 3, 4]),
    "ZipDataset": (lambda: classes.ZipDataset((FIRST.range(2), FIRST.range(3))), [[0, 0], [1, 1]]),
    "ConcatenateDataset": (lambda: classes.ConcatenateDataset(FIRST.range(2), FIRST.range(3)), [0, 1, 0, 1, 2]),
    "RepeatDataset": (lambda: classes.RepeatDataset(input_dataset=FIRST.range(2), count=2), [0, 1, 0, 1]),
    "BatchDataset": (lambda: classes.BatchDataset(SECOND.range(3), 2, True), [[0, 1]]),
    "FilterDataset": (lambda: classes.FilterDataset(FIRST.range(5), lambda x: x > 2), [3, 4]),
    "PrefetchDataset": (lambda: classes.PrefetchDataset(FIRST.range(2), 1), [0, 1]),
    "UnbatchDataset": (lambda: classes.UnbatchDataset(FIRST.range(4).batch(2)), [0, 1, 2, 3]),
    "MapDataset": (lambda: classes.MapDataset(FIRST.range(3), lambda x: x * 2), [0, 2, 4]),
    "ParallelMapDataset": (
        lambda: classes.ParallelMapDataset(FIRST.range(3), lambda x: x * 2, 2, use_inter_op_parallelism=False),
        [0, 2, 4],
    ),
    "VariantDataset": (
        lambda: classes.VariantDataset(FIRST.range(3)._variant_tensor, tf.TensorSpec([], tf.int64)),
        [0, 1, 2],
    ),
    "GeneratorDataset": (
        lambda: classes.GeneratorDataset(tf.constant(37), lambda x: x, lambda x: x + 1, lambda x: x).take(2),
        [38, 38],
    ),
    "RebatchDataset": (
        lambda: classes.RebatchDataset(FIRST.range(10).batch(4), 3),
        [[0, 1], [2, 3], [], [4, 5], [6, 7], [], [8], [9], []],
    ),
    "AutoShardDataset": (lambda: classes.AutoShardDataset(FIRST.range(10), 3, 1), [1, 4, 7]),
    "DirectedInterleaveDataset": (
        lambda: classes.DirectedInterleaveDataset(
            FIRST.from_tensor_slices(np.int64([0, 1, 0])), [FIRST.range(3), FIRST.range(5)]
        ),
        [0, 0, 1],
    ),
    "DatasetV1Adapter": (lambda: classes.DatasetV1Adapter(SECOND.range(3)).batch(2), [[0, 1], [2]]),
}


@pytest.mark.parametrize("name", MADE)
def test_class_makes_what_the_method_makes(name):
    make, expected = MADE[name]
    assert elements(make()) == expected


def test_classes_are_of_2_x_and_the_adapter_of_1_x():
    assert not isinstance(classes.RangeDataset(3), FIRST)
    adapted = classes.DatasetV1Adapter(classes.RangeDataset(3))
    assert isinstance(adapted, FIRST)
    assert isinstance(adapted, DatasetV2)


def test_transformation_of_ones_own():
    class FirstTwo(classes.UnaryUnchangedStructureDataset):
        def __init__(self, source):
            super().__init__(source, source.take(2)._variant_tensor)

    assert elements(FirstTwo(FIRST.range(5)).map(lambda x: x * 2)) == [0, 2]


def test_parts_of_what_has_no_rows():
    with pytest.raises(ValueError, match="at least one dimension"):
        classes.RebatchDataset(FIRST.range(10), 3)


def test_static_size_of_parts():
    even = classes.RebatchDataset(FIRST.range(8).batch(4, drop_remainder=True), 2)
    assert even.element_spec == tf.TensorSpec([2], tf.int64)


def test_names_of_1_x_only():
    for name in ("make_one_shot_iterator", "make_initializable_iterator", "map_with_legacy_function"):
        assert hasattr(FIRST, name)
        assert not hasattr(SECOND, name)
    assert type(SECOND.range(3).map(lambda x: x)) is SECOND
    iterator = make_initializable_iterator(SECOND.range(3))
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(following) == 0


def _nothing_more(_):
    raise StopIteration


@pytest.mark.parametrize("calls", [None, 2])
def test_end_in_a_function_is_an_error_of_a_dataset_of_2_x(calls):
    def ended(x):
        return tf.py_func(_nothing_more, [x], tf.int64)

    following = make_one_shot_iterator(SECOND.range(3).map(ended, calls)).get_next()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="OutOfRangeError"):
        session.run(following)
    assert elements(FIRST.range(3).map(ended, calls).concatenate(FIRST.range(2))) == [0, 1]


def test_states_are_compared_component_by_component():
    first = tf.constant(0, tf.int64)
    for initial, function in (
        (first, lambda _, __: ()),
        (first, lambda state, x: (state, x)),
        ((first, first), lambda _, x: x),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="number of components"):
            FIRST.range(5).reduce(initial, function)
    with tf.Session() as session:
        assert session.run(FIRST.range(5).reduce({"a": first}, lambda _, x: x)) == {"a": 4}
        assert session.run(FIRST.range(5).reduce(first, lambda _, x: {"a": x})) == 4


def test_what_is_mapped_is_mapped_again():
    mapped = classes.MapDataset(FIRST.range(3), lambda x: x * 2)
    assert elements(mapped.map(lambda x: x + 1).filter(lambda x: x > 1)) == [3, 5]
