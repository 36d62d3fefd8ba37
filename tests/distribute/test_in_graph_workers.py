"""Mirrored strategies over the devices of several tasks: each task makes its own part of the input."""

from __future__ import annotations

import contextlib

import pytest

import headrace as tf
from headrace.cluster.launching import free_addresses
from headrace.distribute.multi_worker_ops import MultiWorkerAllReduce

DEVICES = [f"/job:worker/replica:0/task:{number}/device:CPU:0" for number in range(2)]


@pytest.fixture(scope="module")
def target():
    cluster = {"worker": free_addresses(2)}
    servers = [tf.train.Server(cluster, job_name="worker", task_index=number) for number in range(2)]
    return servers[0].target


@pytest.fixture
def strategy():
    reduction = MultiWorkerAllReduce(["/job:worker/task:0", "/job:worker/task:1"], 1)
    return tf.distribute.MirroredStrategy(devices=DEVICES, cross_device_ops=reduction)


def elements(iterator, strategy, target):
    """What each device gets, until there is no more."""
    values = strategy.experimental_local_results(iterator.get_next())
    assert [value.device for value in values] == DEVICES
    found = []
    with tf.Session(target) as session:
        session.run(iterator.initialize())
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                found.append([value.tolist() for value in session.run(values)])
    return found


@pytest.mark.parametrize(
    ("shards", "expected"),
    [(True, [[[0], [1]], [[2], [3]], [[4], [5]]]), (False, [[[number], [number]] for number in range(6)])],
)
def test_a_dataset_is_made_on_each_task(shards, expected, strategy, target):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard = shards
    with tf.Graph().as_default(), strategy.scope():
        dataset = tf.data.Dataset.range(6).batch(2).with_options(options)
        assert elements(strategy.make_dataset_iterator(dataset), strategy, target) == expected


def test_an_input_function_is_told_of_the_tasks(strategy, target):
    told = []

    def input_fn(context):
        told.append((context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync))
        return tf.data.Dataset.range(4).shard(context.num_input_pipelines, context.input_pipeline_id)

    with tf.Graph().as_default(), strategy.scope():
        assert elements(strategy.make_input_fn_iterator(input_fn), strategy, target) == [[0, 1], [2, 3]]
    assert told == [(2, 0, 2), (2, 1, 2)]
