"""Receptive fields of networks, against their definition: a feature changes with what it sees, and with nothing else."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib import receptive_field
from headrace.contrib.receptive_field import compute_order, layer_parameters

slim = tf.contrib.slim


def _ones(inputs, size, **arguments):
    return slim.conv2d(
        inputs,
        1,
        size,
        weights_initializer=tf.ones_initializer(),
        activation_fn=None,
        biases_initializer=None,
        **arguments,
    )


def _seen(image, feature, size):
    """The first row and column, and how many, of the image that a gradient reaches."""
    (gradient,) = tf.gradients(feature, image)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(gradient, {image: np.ones((1, *size, 1), np.float32)})[0, :, :, 0]
    rows, columns = np.flatnonzero(found.any(1)), np.flatnonzero(found.any(0))
    return [(each[0], each[-1] - each[0] + 1) for each in (rows, columns)]


def test_fields_are_what_gradients_reach():
    image = tf.placeholder(tf.float32, [1, None, None, 1], name="image")
    first = _ones(tf.pad(image, [[0, 0], [1, 0], [2, 1], [0, 0]]), [3, 5], stride=2, padding="VALID")
    features = tf.nn.avg_pool(_ones(first, 3), [1, 2, 2, 1], [1, 1, 1, 1], "VALID", name="features")
    field = receptive_field.compute_receptive_field_from_graph_def(tf.get_default_graph(), image, features)
    size_x, size_y, stride_x, stride_y, padding_x, padding_y = field
    rows, columns = _seen(image, features[0, 3, 4, 0], (40, 40))
    assert rows == (3 * stride_y - padding_y, size_y)
    assert columns == (4 * stride_x - padding_x, size_x)
    (middle,) = field.compute_input_center_coordinates([[4, 3]])
    assert list(middle) == [columns[0] + (columns[1] - 1) / 2, rows[0] + (rows[1] - 1) / 2]
    np.testing.assert_array_equal(field.compute_feature_coordinates([middle]), [[4, 3]])
    np.testing.assert_array_equal(field.compute_input_center_coordinates([[4]], axis=[0])[0], middle[:1])
    with pytest.raises(ValueError, match="Dimensionality of the feature coordinates"):
        field.compute_input_center_coordinates([1, 2, 3])
    with pytest.raises(ValueError, match="Dimensionality of the input center coordinates"):
        field.compute_feature_coordinates([1])


def test_padding_that_depends_on_the_size_is_none_without_it():
    image = tf.placeholder(tf.float32, [1, None, None, 1], name="image")
    features = _ones(image, 3, stride=2, scope="features")
    unknown = receptive_field.compute_receptive_field_from_graph_def(tf.get_default_graph(), image, features)
    assert list(unknown) == [3, 3, 2, 2, None, None]
    for size in ((8, 9), (9, 8)):
        field = receptive_field.compute_receptive_field_from_graph_def(
            tf.get_default_graph(), image, features, input_resolution=size
        )
        rows, columns = _seen(image, features[0, 2, 2, 0], size)
        assert list(field) == [3, 3, 2, 2, 4 - columns[0], 4 - rows[0]]


def _two_ways(shift, stride):
    image = tf.placeholder(tf.float32, [1, None, None, 1], name="image")
    straight = _ones(image, 1, stride=4, padding="VALID", scope="straight")
    padded = tf.pad(image, [[0, 0], [shift, 0], [shift, 0], [0, 0]])
    around = _ones(_ones(padded, 3, stride=2, padding="VALID"), 1, stride=stride, padding="VALID", scope="around")
    return tf.get_default_graph(), image, tf.add(straight, around, name="sum")


def test_ways_that_meet_must_see_the_same_places():
    graph, image, features = _two_ways(1, 2)
    field = receptive_field.compute_receptive_field_from_graph_def
    assert list(field(graph, image, features)) == [3, 3, 4, 4, 1, 1]
    assert list(field(graph, image, "sum", ["around"])) == [1, 1, 4, 4, 0, 0]
    with pytest.raises(ValueError, match="Output node was not found"):
        field(graph, image, "nowhere")
    with pytest.raises(ValueError, match="Input node was not found"):
        field(graph, "straight/Conv2D", features, ["straight"])


@pytest.mark.parametrize(("shift", "stride", "what"), [(2, 2, "center shift"), (1, 1, "effective stride")])
def test_other_ways_are_not_aligned(shift, stride, what):
    with pytest.raises(ValueError, match=f"not aligned since {what}.*horizontal"):
        receptive_field.compute_receptive_field_from_graph_def(*_two_ways(shift, stride))


def test_orders_begin_at_the_input_and_tell_sizes():
    image = tf.placeholder(tf.float32, [1, None, None, 1], name="image")
    _ones(_ones(image, 3, stride=2, scope="a"), 3, padding="VALID", scope="b")
    infos, nodes = compute_order.get_compute_order(tf.get_default_graph().as_graph_def(), "image", [9, 9])
    assert infos["image"].order == 0
    assert infos["image"].output_size == [9, 9]
    assert infos["a/Conv2D"].output_size == [5, 5]
    assert infos["b/Conv2D"].output_size == [3, 3]
    assert infos["b/Conv2D"].order > infos["a/Conv2D"].order
    assert infos["a/Conv2D"].node is nodes["a/Conv2D"]


def test_layers_of_unknown_kinds_are_refused_unless_forced():
    tf.nn.softmax(tf.zeros([1, 2, 2, 1]), name="softmax")
    tf.pad(tf.zeros([1, 2, 2, 1]), [[1, 0], [0, 0], [0, 0], [0, 0]], name="batch")
    nodes = compute_order.parse_graph_nodes(tf.get_default_graph().as_graph_def())
    with pytest.raises(ValueError, match="Unknown layer for operation 'softmax': Softmax"):
        layer_parameters.get_layer_params(nodes["softmax"], nodes)
    assert set(layer_parameters.get_layer_params(nodes["softmax"], nodes, force=True)) == {None}
    with pytest.raises(ValueError, match="not zero for first"):
        layer_parameters.get_layer_params(nodes["batch"], nodes)
