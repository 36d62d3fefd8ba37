"""What is known of elements of TensorArrays while the graph is built: as 1.15.5 knows it, also of their gradients."""

import numpy as np
import pytest

import headrace as tf


def _array(element_shape, identical=False):
    return tf.raw_ops.TensorArrayV3(
        size=3, dtype=tf.float32, element_shape=element_shape, identical_element_shapes=identical
    )


def _dims(tensor):
    return None if tensor.shape.ndims is None else tensor.shape.as_list()


@pytest.mark.parametrize(
    ("element_shape", "identical", "read", "gathered"),
    [
        ([2, 3], False, [2, 3], [2, 2, 3]),
        ([None, 3], True, [None, 3], [2, None, 3]),
        # Elements that may differ tell nothing.
        ([None, 3], False, None, None),
        (None, True, None, None),
    ],
)
def test_handles_tell_the_shape_of_elements(element_shape, identical, read, gathered):
    with tf.Graph().as_default():
        handle, flow = _array(element_shape, identical)
        grad, grad_flow = tf.raw_ops.TensorArrayGradV3(handle=handle, flow_in=flow, source="gradients")
        for one, its_flow in ((handle, flow), (grad, grad_flow)):
            element = tf.raw_ops.TensorArrayReadV3(handle=one, index=0, flow_in=its_flow, dtype=tf.float32)
            some = tf.raw_ops.TensorArrayGatherV3(handle=one, indices=[0, 1], flow_in=its_flow, dtype=tf.float32)
            assert (_dims(element), _dims(some)) == (read, gathered)


def test_gradients_with_more_axes_have_unknown_sizes_first():
    with tf.Graph().as_default():
        handle, flow = _array([2, 3])
        grad, grad_flow = tf.raw_ops.TensorArrayGradWithShape(
            handle=handle, flow_in=flow, shape_to_prepend=[4], source="gradients"
        )
        element = tf.raw_ops.TensorArrayReadV3(handle=grad, index=0, flow_in=grad_flow, dtype=tf.float32)
        assert _dims(element) == [None, 2, 3]


def test_what_does_not_fit_is_refused_when_it_is_written():
    with tf.Graph().as_default():
        handle, flow = _array([2, 3])
        with pytest.raises(ValueError, match=r"Shapes are \[2,3\] and \[3,2\]"):
            tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=np.zeros((3, 2), "f"), flow_in=flow)
        with pytest.raises(ValueError, match=r"Shapes are \[2,3\] and \[3,2\]"):
            tf.raw_ops.TensorArrayScatterV3(handle=handle, indices=[0], value=np.zeros((1, 3, 2), "f"), flow_in=flow)


def test_the_gradient_of_a_network_by_its_input_is_as_wide_as_the_input():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None, 16])
        outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(5), x, dtype=tf.float32)
        (gradient,) = tf.gradients(tf.reduce_sum(outputs**2), x)
        assert _dims(gradient) == [None, None, 16]
        # A layer needs to know it.
        assert tf.layers.dense(gradient, 3).shape.as_list() == [None, None, 3]
