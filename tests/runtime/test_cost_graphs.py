"""`GraphOptions.build_cost_model`: which steps are measured, and the graph that tells what they cost."""

import numpy as np
import pytest

import headrace as tf


def metadata_of_steps(count, every, after=0):
    options = tf.GraphOptions(build_cost_model=every, build_cost_model_after=after)
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(graph_options=options)) as sess:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(tf.ones([3, 2]), name="w", use_resource=False)
        y = tf.nn.relu(tf.matmul(x, w, name="y") + 3.0, name="z")
        sess.run(w.initializer)
        found = []
        for _ in range(count):
            found.append(tf.RunMetadata())
            assert sess.run(y, {x: np.ones([4, 3])}, run_metadata=found[-1]).tolist() == [[6.0, 6.0]] * 4
    return found


@pytest.mark.parametrize(
    ("every", "after", "measured"),
    [(0, 0, []), (1, 0, [0, 1, 2, 3, 4]), (2, 0, [1, 3]), (1, 2, [2, 3, 4]), (3, 1, [3])],
)
def test_one_in_so_many_steps_of_a_fetch_is_measured(every, after, measured):
    found = metadata_of_steps(5, every, after)
    assert [i for i, metadata in enumerate(found) if metadata.HasField("cost_graph")] == measured
    assert [i for i, metadata in enumerate(found) if metadata.step_stats.dev_stats] == measured


def test_the_graph_names_operations_their_inputs_and_sizes():
    (metadata,) = metadata_of_steps(1, 1)
    nodes = {node.name: node for node in metadata.cost_graph.node}
    assert {"_SOURCE", "_SINK", "_arg_x_0_0", "w", "w/read", "y", "z", "_retval_z_0_0"} <= set(nodes)
    assert [node.id for node in metadata.cost_graph.node] == list(range(len(nodes)))
    assert [each.preceding_node for each in nodes["y"].input_info] == [nodes["_arg_x_0_0"].id, nodes["w/read"].id]
    output = nodes["y"].output_info[0]
    assert (output.size, output.dtype, [dim.size for dim in output.shape.dim]) == (32, tf.float32, [4, 2])
    assert nodes["y"].compute_cost > 0
    assert nodes["w"].persistent_memory_size == 24
    assert nodes["_retval_z_0_0"].id in nodes["_SINK"].control_input


def test_statistics_name_the_cpus_that_operations_were_placed_on():
    config = tf.ConfigProto(device_count={"CPU": 3})
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        with tf.device("/cpu:1"):
            a = tf.Variable(2.0, name="a")
        with tf.device("/cpu:2"):
            b = tf.placeholder_with_default(3.0, [], name="b") * a
        sess.run(a.initializer)
        metadata = tf.RunMetadata()
        sess.run(b, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    devices = {device.device.rpartition(":")[2] for device in metadata.step_stats.dev_stats}
    assert {"1", "2"} <= devices


def test_statistics_name_each_device_once_and_what_was_known_before():
    with tf.Graph().as_default(), tf.Session() as sess:
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(tf.constant(1.0, name="one"), options=options, run_metadata=metadata)
    (device,) = metadata.step_stats.dev_stats
    assert [node.node_name for node in device.node_stats] == ["one"]


def test_a_session_without_a_config_shows_that_of_the_process():
    config = tf.Session(graph=tf.Graph())._config
    assert dict(config.device_count)["CPU"] == 1
    assert not config.graph_options.infer_shapes
