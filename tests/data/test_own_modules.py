"""What 1.15 had in its own modules of tf.data: base classes of tests, iterators for several devices, snapshots, rows."""

from types import SimpleNamespace

import numpy as np
import pytest

import headrace as tf
from headrace.core import errors
from headrace.data import structure_util
from headrace.data.argument_tensors import obtain_all_variant_tensor_ops, partial_shape_to_tensor
from headrace.data.multi_device import MultiDeviceIterator
from headrace.data.option_sets import OptionsBase, create_option, merge_options
from headrace.data.tuning import map_defun, snapshot
from headrace.testing.data_tests import DatasetSerializationTestBase, DatasetTestBase, TFRecordDatasetTestBase

Dataset = tf.data.Dataset


class TestSaving(DatasetSerializationTestBase):
    def test_batches_of_a_map(self):
        self.run_core_tests(lambda: Dataset.range(7).map(lambda x: x * x).batch(3), 3)

    def test_shuffle_that_is_repeated(self):
        self.run_core_tests(lambda: Dataset.range(5).shuffle(4, seed=55).repeat(2), 10)

    def test_errors_on_the_way(self):
        def made():
            inverse = Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.check_numerics(1 / x, "bad"))
            return inverse.apply(tf.data.experimental.ignore_errors())

        self.run_core_tests(made, 2)


class TestProducing(DatasetTestBase):
    def test_elements_and_the_end(self):
        with tf.Graph().as_default():
            self.assertDatasetProduces(Dataset.range(3), [0, 1, 2])

    def test_other_elements_fail(self):
        with tf.Graph().as_default(), pytest.raises(AssertionError):
            self.assertDatasetProduces(Dataset.range(3), [0, 1, 5])

    def test_error(self):
        with tf.Graph().as_default():
            self.assertDatasetProduces(
                Dataset.range(3).batch(0), expected_error=(errors.InvalidArgumentError, "greater than zero")
            )

    def test_snapshot_is_read_in_later_passes(self):
        folder = self.get_temp_dir()
        for compression in (None, "GZIP"):
            with tf.Graph().as_default():
                draws = Dataset.range(4).map(lambda x: tf.random.uniform([], maxval=10**6, dtype=tf.int64))
                kept = draws.apply(snapshot(f"{folder}/{compression}", compression, shard_size_bytes=1 << 20)).repeat(2)
                following = kept.make_one_shot_iterator().get_next()
                with tf.Session() as session:
                    found = [session.run(following) for _ in range(8)]
                assert found[:4] == found[4:]


class TestRecords(TFRecordDatasetTestBase):
    def test_files(self):
        with tf.Graph().as_default():
            dataset = tf.data.TFRecordDataset(self.test_filenames)
            self.assertDatasetProduces(dataset, [self._record(f, r) for f in range(2) for r in range(7)])


def test_several_devices_take_elements_in_turn():
    with tf.Graph().as_default():
        iterator = MultiDeviceIterator(Dataset.range(5), ["/cpu:0", "/cpu:0"])
        both = iterator.get_next()
        with tf.Session() as session:
            for _ in range(2):
                session.run(iterator.initializer)
                assert session.run(both) == [0, 1]
                assert session.run(both) == [2, 3]
                assert session.run(both[0]) == 4
                with pytest.raises(errors.OutOfRangeError):
                    session.run(both[1])


def test_map_defun_stacks_what_rows_give():
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant([[1, 2], [3, 4], [5, 6]])
        (made,) = map_defun(lambda row: row * 2 + 3, [rows], [tf.int32], [(2,)])
        assert made.shape.as_list() == [3, 2]
        assert session.run(made).tolist() == [[5, 7], [9, 11], [13, 15]]
        with pytest.raises(ValueError, match="elems"):
            map_defun(lambda row: row, rows, [tf.int32], [(2,)])


def test_tensor_lists():
    with tf.Graph().as_default():
        spec = structure_util.type_spec_from_value(tf.constant(1.0))
        tensors = structure_util.to_tensor_list(spec, tf.constant(2.0))
        assert structure_util.from_tensor_list(spec, tensors).dtype == tf.float32
        with pytest.raises(ValueError, match="Expected 1 tensors but got 2"):
            structure_util.from_tensor_list(spec, tensors * 2)
        with pytest.raises(ValueError, match="rank"):
            structure_util.to_batched_tensor_list(spec, tf.constant(2.0))
        assert len(obtain_all_variant_tensor_ops(Dataset.range(3).map(lambda x: x).batch(2))) == 3


@pytest.mark.parametrize("shape", [[None, 2], (-1, 2), np.array([-1, 2]), tf.TensorShape([None, 2])])
def test_shapes_as_tensors(shape):
    if isinstance(shape, (tuple, np.ndarray)):
        shape = np.asarray(shape, np.int64)
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(partial_shape_to_tensor(shape)).tolist() == [-1, 2]


class _Settings(OptionsBase):
    count = create_option("count", int, "How many.", lambda: 42)


def test_option_sets():
    settings = _Settings()
    assert (settings.count, _Settings.count.__doc__) == (42, "How many.")
    with pytest.raises(TypeError, match="must be of type"):
        settings.count = "many"
    with pytest.raises(AttributeError, match="Cannot set"):
        settings.other = 1
    one, other = _Settings(), _Settings()
    one.count = 1
    assert merge_options(one, other).count == 1
    other.count = 2
    with pytest.raises(ValueError, match="incompatible"):
        merge_options(one, other)


def test_places_of_iterators_go_on_in_the_next_training(tmp_path):
    config = SimpleNamespace(num_worker_replicas=1, save_checkpoints_secs=None, save_checkpoints_steps=2)
    estimator = SimpleNamespace(_config=config, model_dir=str(tmp_path))
    seen = []
    for _ in range(2):
        with tf.Graph().as_default():
            iterator = Dataset.range(100).make_initializable_iterator()
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            element = iterator.get_next()
            step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            hooks = [tf.data.experimental.CheckpointInputPipelineHook(estimator)]
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path / "model"), hooks=hooks) as session:
                seen.extend(int(session.run([element, step])[0]) for _ in range(4))
    assert seen == list(range(8))
