"""Traced steps show the work of the input's threads beside the step."""

import json

import numpy as np

import headrace as tf
from headrace.profiler import timeline


def shown(stats):
    """The names of the operations in a timeline, by device."""
    events = json.loads(timeline.Timeline(stats).generate_chrome_trace_format())["traceEvents"]
    devices = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    found = {}
    for event in events:
        if event["ph"] == "X":
            found.setdefault(devices[event["pid"]], set()).add(event["name"])
    return found


def traced(sess, fetch, steps):
    gathered = {}
    for _ in range(steps):
        metadata = tf.RunMetadata()
        sess.run(fetch, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        for device, names in shown(metadata.step_stats).items():
            gathered.setdefault(device, set()).update(names)
    return gathered


def slow_step(value):
    weights = tf.ones([400, 400])
    return tf.reduce_sum(tf.matmul(tf.matmul(weights * value, weights), weights))


def test_prefetching_is_shown():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensors(np.float32(2.0)).repeat().map(lambda x: x + 1.0).prefetch(2)
        fetch = slow_step(dataset.make_one_shot_iterator().get_next())
        with tf.Session() as sess:
            found = traced(sess, fetch, 20)
    (step,) = (names for device, names in found.items() if "device:CPU:0" in device)
    assert {"IteratorGetNext", "MatMul"} <= step
    assert found["/host:CPU input Compute"] == {"PrefetchDataset"}


def test_queue_runners_are_shown():
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(4, tf.float32, shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.random_uniform([]), name="put")]))
        fetch = slow_step(queue.dequeue(name="take"))
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            found = traced(sess, fetch, 20)
            coord.request_stop()
            coord.join(threads)
    assert found["/host:CPU input Compute"] == {"put"}


def test_steps_without_input_have_one_device():
    with tf.Graph().as_default(), tf.Session() as sess:
        found = traced(sess, slow_step(tf.constant(1.0)), 1)
    assert all("input" not in device for device in found)
