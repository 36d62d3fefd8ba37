"""What `Defun` refuses of gradients and controls, when the graph is built and when it runs, as TensorFlow 1.15 does."""

import pytest

import headrace as tf
from headrace.state.defun import Defun
from headrace.state.functional import symbolic_gradient


def test_a_gradient_function_that_gives_too_many_is_refused_when_it_runs():
    @Defun(tf.float32, tf.float32)
    def twice(x, dy):
        return x * dy, dy

    @Defun(tf.float32, grad_func=twice)
    def square(x):
        return x * x

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0])
        gradients = tf.gradients(square(x), [x])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"SymGrad expects to return 1 .* but get 2"):
            session.run(gradients)


def test_the_gradient_of_a_function_that_is_not_there_yet_has_the_shapes_of_its_arguments():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [25, 4]), tf.placeholder(tf.float32, [200, 100])
        dx, dy = symbolic_gradient([x, y, tf.placeholder(tf.float32, [1])], [tf.float32] * 2, "Later")
        assert dx.shape == [25, 4]
        assert dy.shape == [200, 100]


def test_a_body_does_not_wait_for_what_is_outside_of_it():
    with tf.Graph().as_default():
        outside = tf.constant([1.0], name="outside")

        @Defun(tf.float32)
        def waiting(x):
            with tf.control_dependencies([outside]):
                return tf.identity(x)

        with pytest.raises(ValueError, match="not an element of this graph"):
            waiting(outside)


def test_names_of_operations_may_be_bytes():
    with tf.Graph().as_default():
        assert tf.constant(1.0, name=b"one").name == "one:0"


def test_what_is_guaranteed_outside_is_guaranteed_inside():
    """As 1.15.5 marks what a body uses: constants by their guarantee, and what is computed from such alone."""
    with tf.Graph().as_default():
        variable = tf.Variable(1.0, use_resource=False)
        constant = tf.guarantee_const(variable)
        used = [constant, tf.identity(constant) * constant, constant + variable, tf.placeholder_with_default(1.0, [])]

        @Defun()
        def total():
            return tf.add_n(used)

        result = total()
        graph = total.function.graph
        kinds = [[consumer.type for consumer in tensor.consumers()] for tensor in graph.extra_args]
        assert kinds == [["GuaranteeConst"], ["GuaranteeConst"], ["AddN"], ["AddN"]]
        with tf.Session() as sess:
            sess.run(variable.initializer)
            assert sess.run(result) == 5.0
