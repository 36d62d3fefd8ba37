"""Layers that a model of the program keeps in private attributes are in its checkpoints, as others are."""

import numpy as np
import pytest

import headrace as tf
from headrace.checkpoints.dependencies import dependencies_of
from headrace.checkpoints.tracking import NotTrackable
from headrace.core.eager import eager_mode


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self._first = tf.keras.layers.Dense(2)
        self._rest = [tf.keras.layers.Dense(1)]
        self._settings = ["a", {"b": 1}]

    def call(self, x):
        return self._rest[0](self._first(x))


def test_they_are_saved_and_restored(tmp_path):
    with eager_mode():
        model, x = Model(), np.ones([1, 3], np.float32)
        wanted = model(x).numpy()
        assert [name for name, _ in dependencies_of(model)][:2] == ["_first", "_rest"]
        path = tf.train.Checkpoint(model=model).save(str(tmp_path / "model"))
        other = Model()
        status = tf.train.Checkpoint(model=other).restore(path)
        np.testing.assert_array_equal(other(x).numpy(), wanted)
        status.assert_consumed()


def test_what_is_not_trackable_is_refused(tmp_path):
    class Functional(tf.contrib.checkpoint.Checkpointable, NotTrackable):
        pass

    with eager_mode(), pytest.raises(NotImplementedError, match="cannot be saved"):
        tf.train.Checkpoint(item=Functional()).save(str(tmp_path / "item"))


def test_a_list_that_was_changed_elsewhere_is_refused(tmp_path):
    with eager_mode():
        kept = [tf.Variable(1.0)]
        item = tf.contrib.checkpoint.Checkpointable()
        item.kept = kept
        kept.append(tf.Variable(2.0))
        with pytest.raises(ValueError, match="The wrapped list was modified"):
            tf.train.Checkpoint(item=item).save(str(tmp_path / "item"))


def test_an_eager_iterator_goes_on_where_it_was(tmp_path):
    with eager_mode():
        iterator = iter(tf.data.Dataset.range(5))
        assert [next(iterator).numpy() for _ in range(2)] == [0, 1]
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        path = checkpoint.save(str(tmp_path / "place"))
        assert next(iterator).numpy() == 2
        checkpoint.restore(path)
        assert [each.numpy() for each in iterator] == [2, 3, 4]


def test_layers_are_told_of_dependencies(tmp_path):
    """Wrappers of other libraries name the layer they wrap, and models are told of variables."""
    with tf.Graph().as_default(), tf.Session() as session:
        wrapped = tf.keras.layers.Dense(2)
        wrapper = tf.keras.layers.TimeDistributed(wrapped, input_shape=(2, 3))
        wrapper._track_trackable(wrapped, name="layer")
        wrapper._track_trackable(tf.Variable(3.0), name="extra")
        with pytest.raises(ValueError, match="extra"):
            wrapper._track_trackable(tf.Variable(1.0), name="extra")
        model = tf.keras.Sequential([wrapper])
        model._track_trackable(tf.Variable(2.0), name="more")
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(model=model).save(str(tmp_path / "kept"), session=session)
    names = {name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)}
    parts = {"layer/kernel", "layer/bias", "extra"}
    assert {f"model/layer_with_weights-0/{part}" for part in parts} | {"model/more"} <= names
    plain = tf.layers.BatchNormalization()
    plain(tf.ones([1, 2]))
    assert {name for name, _ in plain._checkpoint_dependencies} == {"beta", "gamma", "moving_mean", "moving_variance"}
