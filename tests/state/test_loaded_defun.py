"""Functions made of messages, and calls of functions that return nothing."""

import pytest

import headrace as tf
from headrace.messages import protos
from headrace.python.framework import function


def library():
    @function.Defun(tf.float32, tf.float32)
    def gradient(x, dy):
        return 5.0 * dy * x

    @function.Defun(tf.float32, grad_func=gradient)
    def square(x):
        return x * x

    with tf.Graph().as_default() as graph:
        square(tf.constant(1.0))
        return graph.as_graph_def().library


def test_functions_of_a_library_run_and_have_their_gradients():
    functions = function.from_library(library())
    (square,) = [made for made in functions if made.name.startswith("square")]
    assert square.grad_func_name.startswith("gradient")
    assert square.declared_input_types == (tf.float32,)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(3.0)
        y = square(x)
        # The gradient is the one that was given.
        assert sess.run([y, *tf.gradients(y, x)]) == [9.0, 15.0]


def test_libraries_that_are_not_whole_are_refused():
    functions = library().function
    names = [each.signature.name for each in functions]
    circle = [protos.GradientDef(function_name=a, gradient_func=b) for a, b in (names, names[::-1])]
    with pytest.raises(ValueError, match="cyclic gradient functions"):
        function.from_library(protos.FunctionDefLibrary(function=functions, gradient=circle))
    with pytest.raises(ValueError, match=f"missing '{names[1]}'"):
        function.from_library(protos.FunctionDefLibrary(function=functions[:1], gradient=circle[:1]))


def test_a_call_that_returns_nothing_is_an_operation():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

        @tf.function
        def add(x):
            v.assign_add(x)

        call = add(tf.constant(2.0))
        sess.run(v.initializer)
        sess.run(call)
        assert call.name == "PartitionedFunctionCall"
        assert sess.run(v) == 3.0
