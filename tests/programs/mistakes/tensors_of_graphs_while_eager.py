"""Which class refuses tensors of graphs where operations run eagerly, and calls of functions that do not fit."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant
number = tf.TensorSpec([], tf.float32)
FOLDER = tempfile.mkdtemp()

with tf.Graph().as_default():
    scalar, vector = C(1.0), C([1.0])
leaked = []


@tf.function
def keeps_its_tensor(x):
    leaked.append(x * 2.0)
    return x


keeps_its_tensor(C(1.0))
first = tf.function(lambda x: x, input_signature=[number])


def exported():
    """A module with a function, saved and loaded, and the folder."""
    module, folder = tf.Module(), os.path.join(FOLDER, "model")
    module.f = tf.function(lambda x: x, input_signature=[number])
    if not os.path.exists(folder):
        tf.saved_model.save(module, folder, module.f)
    return folder


def loaded(traced):
    module, folder = tf.Module(), tempfile.mkdtemp()
    module.f = tf.function(lambda x: x)
    if traced:
        module.f(C(1.0))
    tf.saved_model.save(module, folder)
    return tf.saved_model.load_v2(folder)


def untracked():
    outside, module = tf.Variable(1.0), tf.Module()
    module.f = tf.function(lambda: outside + 1.0, input_signature=[])
    tf.saved_model.save(module, os.path.join(FOLDER, "untracked"), module.f)


def gradient(given):
    with tf.GradientTape() as tape:
        x = C(1.0)
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=given)


def batch_jacobian(value):
    with tf.GradientTape() as tape:
        x = C(value)
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


def pair_of_one():
    return tf.py_function(lambda x: x, [C(1.0)], [tf.float32, tf.float32])


CASES = {
    "plus": lambda: scalar + 1.0,
    "plus from the right": lambda: C(1.0) + scalar,
    "one operation": lambda: tf.sqrt(scalar),
    "identity": lambda: tf.identity(scalar),
    "concat": lambda: tf.concat([vector, vector], 0),
    "row": lambda: vector[0],
    "variable": lambda: tf.Variable(vector),
    "assigned": lambda: tf.Variable(1.0).assign(scalar),
    "argument of a function": lambda: tf.function(lambda x: x + 1.0)(scalar),
    "captured by a function": lambda: tf.function(lambda: scalar + 1.0)(),
    "leaked": lambda: leaked[0] + 1.0,
    "leaked to another function": lambda: tf.function(lambda: leaked[0] + 1.0)(),
    "leaked as an argument": lambda: tf.function(lambda x: x)(leaked[0]),
    "symbolic of layers": lambda: tf.keras.Input((3,)) + 1.0 is not None,
    "more than the signature": lambda: first(1.0, 2.0),
    "named beyond the signature": lambda: tf.function(lambda x, y=1: x, input_signature=[number])(1.0, y=2),
    "default beyond the signature": lambda: tf.function(lambda x, y=1: x, input_signature=[number])(1.0, 2.0),
    "more than none": lambda: tf.function(lambda x: x, input_signature=[])(1.0),
    "more than any": lambda: tf.function(lambda *x: x[0], input_signature=[number] * 2)(1.0, 2.0, 3.0),
    "less": lambda: first(),
    "all of the signature": lambda: first(1.0),
    "operation returned": lambda: tf.function(lambda: tf.no_op())(),
    "operations returned": lambda: tf.function(lambda: [tf.no_op()])(),
    "more gradients than targets": lambda: gradient([1.0, 2.0]),
    "as many gradients": lambda: gradient([3.0]),
    "jacobian of a vector": lambda: batch_jacobian([1.0]),
    "jacobian of a matrix": lambda: batch_jacobian([[1.0]]),
    "wrapped with a type": lambda: tf.compat.v1.wrap_function(lambda x: x, [tf.float32]),
    "wrapped with a number": lambda: tf.compat.v1.wrap_function(lambda x, y: x * y, [number, 2.0])(C(3.0)),
    "pruned to another graph": lambda: tf.compat.v1.wrap_function(lambda x: x, [number]).prune(scalar, scalar),
    "one value for two": pair_of_one,
    "tags that are not there": lambda: tf.saved_model.load_v2(exported(), tags=["other"]),
    "number for a signature": lambda: tf.saved_model.load_v2(exported()).signatures["serving_default"](x=1.0),
    "tensor for a signature": lambda: tf.saved_model.load_v2(exported()).signatures["serving_default"](x=C(1.0)),
    "loaded without a trace": lambda: loaded(False).f(C(1.0)),
    "loaded, called with less": lambda: loaded(True).f(),
    "loaded, called with more": lambda: loaded(True).f(C(1.0), C(2.0)),
    "loaded, called with another type": lambda: loaded(True).f(C("a")),
    "loaded, called as it is": lambda: loaded(True).f(C(1.0)),
    "no function": lambda: tf.py_func(3, [C(1.0)], tf.float32),
    "sparse asked for": lambda: tf.function(lambda x: x, [tf.SparseTensorSpec([2, 3], tf.float32)])(C(1.0)),
    "variable out of reach": untracked,
    "no kernel": lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients([(C(1), tf.Variable(1))]),
    "batch": lambda: tf.train.batch([C(1)], 2),
    "shuffle_batch": lambda: tf.train.shuffle_batch([C(1)], 2, 3, 1),
    "batch_join": lambda: tf.train.batch_join([[C(1)]], 2),
    "runners": lambda: tf.train.start_queue_runners(),
    "reader": lambda: tf.WholeFileReader(),
    "range of a fraction": lambda: list(range(C(2.9))),
    "item of a fraction": lambda: [5, 6][C(1.0)],
    "item of a truth": lambda: [5, 6][C(True)],
    "item of text": lambda: [5, 6][C("a")],
    "range of a vector": lambda: list(range(C([1, 2]))),
    "array never written": lambda: tf.TensorArray(tf.float32, 3).stack(),
    "one never written": lambda: tf.TensorArray(tf.float32, 3).read(0),
    "one never written, of known shape": lambda: tf.TensorArray(tf.float32, 3, element_shape=[]).read(0),
    "contained": lambda: 1 in C([1, 2]),
}


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made if made is None or isinstance(made, (bool, int, list)) else np.asarray(made)


def plain(value):
    return {key: np.asarray(item) for key, item in value.items()} if isinstance(value, dict) else value


for name in sorted(CASES):
    if name != "tensor for a signature":
        results[name] = outcome(CASES[name])
results["tensor for a signature"] = plain(CASES["tensor for a signature"]())
