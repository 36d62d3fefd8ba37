"""What of `tf.contrib.tpu` needs a TPU says so, and the rest is what it is around."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

import headrace as tf
from headrace.core.defaults import get_default_graph
from headrace.estimator.tpu.config import RunConfig
from headrace.estimator.tpu.cross_shard import CrossShardOptimizer
from headrace.estimator.tpu.estimator import TPUEstimator
from headrace.losses.weighting import Reduction
from headrace.ops.math.unary import square
from headrace.optimizers.descent import MomentumOptimizer
from headrace.runtime.session import Session
from headrace.state.collecting import global_variables_initializer
from headrace.state.variable_scope import get_variable


def model_fn(features, labels, mode, params):
    raise AssertionError("no model is built")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"use_tpu": True}, "use_tpu=False"),
        ({}, "use_tpu=False"),
        ({"use_tpu": False, "export_to_cpu": False}, "leave it out"),
    ],
)
def test_what_needs_a_tpu_says_what_to_do_instead(tmp_path, settings, told):
    with pytest.raises(NotImplementedError, match=told):
        TPUEstimator(model_fn, config=RunConfig(model_dir=str(tmp_path)), train_batch_size=2, **settings)


def test_there_are_no_clusters_of_tpus():
    with pytest.raises(NotImplementedError, match="cluster"):
        RunConfig(cluster=object())


@pytest.mark.parametrize("reduction", [Reduction.MEAN, Reduction.SUM])
def test_the_gradient_over_one_copy_is_the_gradient(reduction):
    x = get_variable("x", initializer=np.float32([1.0, -2.0]))
    optimizer = CrossShardOptimizer(MomentumOptimizer(0.25, 0.5), reduction)
    pairs = optimizer.compute_gradients(square(x), [x])
    train_op = optimizer.apply_gradients(pairs)
    with Session(graph=get_default_graph()) as session:
        session.run(global_variables_initializer())
        np.testing.assert_array_equal(session.run(pairs[0][0]), [2.0, -4.0])
        session.run(train_op)
        np.testing.assert_array_equal(session.run(x), [0.5, -1.0])
        np.testing.assert_array_equal(session.run(optimizer.get_slot(x, "momentum")), [2.0, -4.0])
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.variables() == [optimizer.get_slot(x, "momentum")]


@pytest.mark.parametrize("groups", [[[0, 1]], 3])
def test_there_are_no_groups_of_other_copies(groups):
    with pytest.raises(ValueError, match="group_assignment"):
        CrossShardOptimizer(MomentumOptimizer(0.1, 0.9), group_assignment=groups)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("batch_parallel", (square, [[1.0]])),
        ("replicate", (square, [[1.0]])),
        ("rewrite", (square, [1.0])),
        ("shard", (square, [[1.0]])),
        ("cross_replica_sum", (1.0,)),
        ("initialize_system", ()),
        ("shutdown_system", ()),
        ("experimental.initialize_tpu_system", ()),
        ("experimental.DeviceAssignment", (None, [[[0, 0, 0]]])),
    ],
)
def test_what_tf_tpu_has_for_tpus_only_is_refused(name, arguments):
    with pytest.raises(NotImplementedError, match="there are no TPUs"):
        attrgetter(name)(tf.tpu)(*arguments)


def test_tf_tpu_has_what_contrib_has():
    assert tf.tpu.CrossShardOptimizer is CrossShardOptimizer
    assert tf.tpu.bfloat16_scope is tf.contrib.tpu.bfloat16_scope
    assert tf.tpu.outside_compilation(lambda a, b=0: a - b, 5, b=3) == 2


def _summarizing(features, labels, mode, params):
    loss = tf.reduce_mean(tf.square(tf.get_variable("w", [], initializer=tf.zeros_initializer()) * features - 1.0))
    step = tf.train.get_global_step()

    def summarize(step, loss):
        writer = tf.contrib.summary.create_file_writer(params["folder"], max_queue=1000)
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            tf.contrib.summary.scalar("half", loss[0] / 2.0, step=step[0])
            return tf.contrib.summary.all_summary_ops()

    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    host_call = (summarize, [tf.reshape(step, [1]), tf.reshape(loss, [1])])
    return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op, host_call=host_call)


def test_the_summaries_of_a_host_call_are_written(tmp_path):
    folder = tmp_path / "host"
    estimator = TPUEstimator(
        _summarizing,
        config=RunConfig(model_dir=str(tmp_path)),
        params={"folder": str(folder)},
        use_tpu=False,
        train_batch_size=2,
    )
    estimator.train(lambda params: tf.data.Dataset.from_tensors(np.ones(params["batch_size"], np.float32)), steps=1)
    (path,) = folder.iterdir()
    values = [each.summary.value for each in tf.train.summary_iterator(str(path)) if each.summary.value]
    assert [value[0].tag for value in values] == ["half"]
