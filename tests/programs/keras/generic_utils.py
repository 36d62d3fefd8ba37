"""Keras' utilities: serialized objects, progress bars, labels, sizes of convolutions, structures of shapes."""

import io
import sys
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.utils import conv_utils, generic_utils, tf_utils

keras = tf.keras
results = {}


def said(function, *args, **keywords):
    try:
        found = function(*args, **keywords)
    except (ValueError, TypeError, NotImplementedError, AssertionError) as error:
        return [
            type(error).__name__,
            [str(part) for part in error.args] if not isinstance(error, AssertionError) else 0,
        ]
    return found if not isinstance(found, (Scaled, Plain)) else [type(found).__name__, vars(found)]


class Scaled(object):
    def __init__(self, x=1):
        self.x = x

    def get_config(self):
        return {"x": self.x}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls((config["x"], sorted(custom_objects or {})))


class Plain(object):
    def __init__(self, x=0):
        self.x = x


def function(x):
    return x


deserialize = generic_utils.deserialize_keras_object
known = {"Scaled": Scaled, "Plain": Plain, "function": function}
serialized = {"class_name": "Scaled", "config": {"x": 3}}
results["serialize"] = [said(generic_utils.serialize_keras_object, o) for o in (Scaled(2), function, None, 3)]
results["deserialize"] = [
    said(deserialize, serialized, known, None, "thing"),
    said(deserialize, serialized, known, {"other": 1}, "thing"),
    said(deserialize, {"class_name": "Plain", "config": {"x": 2}}, known, {"other": 1}, "thing"),
    said(deserialize, serialized, {}, None, "thing"),
    said(deserialize, serialized, {}, {"Scaled": Plain}, "thing"),
    said(deserialize, {"class_name": "Scaled"}, known, None, "thing"),
    said(deserialize, "Plain", known, None, "thing"),
    said(deserialize, "other", known, None, "thing"),
    said(deserialize, None, known, None, "thing"),
    said(deserialize, "function", known) is function,
]
with keras.utils.CustomObjectScope({"Other": Plain}, {"q": 1}):
    results["scope"] = [sorted(keras.utils.get_custom_objects()), said(deserialize, "Other", known)]
results["after"] = sorted(keras.utils.get_custom_objects())
results["helpers"] = [
    [generic_utils.has_arg(function, "x"), generic_utils.has_arg(function, "y")],
    [generic_utils.to_list(1), generic_utils.to_list((1,)), generic_utils.to_list([1])],
    generic_utils.make_batches(10, 3),
    generic_utils.slice_arrays([np.arange(4), None], 1, 3),
    generic_utils.slice_arrays([np.arange(4), None], [1, 2]),
    generic_utils.slice_arrays(np.arange(4), 1, 2),
    generic_utils.slice_arrays(None, [1]),
    said(generic_utils.validate_kwargs, {"a": 1, "b": 2}, {"a"}),
    said(generic_utils.check_for_unexpected_keys, "name", {"a": 1, "b": 2}, ["a"]),
    [generic_utils.is_all_none([None, {"a": None}]), generic_utils.is_all_none([1, None])],
    generic_utils.to_snake_case("_LSTMCell2d"),
]


class Clock(object):
    now = 1000.0

    def __call__(self):
        return Clock.now


def shown(steps, **settings):
    """What a progress bar writes, where `steps` says how much time passes before each update."""
    Clock.now = 1000.0
    written, real_time, real_out = io.StringIO(), time.time, sys.stdout
    time.time, sys.stdout = Clock(), written
    try:
        bar = keras.utils.Progbar(**settings)
        bar._dynamic_display = True
        for passed, current, values in steps:
            Clock.now += passed
            bar.update(current, values)
        bar.add(1, [("a", -0.5)])
    finally:
        time.time, sys.stdout = real_time, real_out
    return written.getvalue()


steps = [
    (0.01, 1, [("loss", 0.5), ("acc", 0.25)]),
    (0.02, 2, [("loss", 0.75), ("acc", 0.1)]),
    (5.0, 3, [("loss", 1e-5), ("acc", 0.0)]),
    (100.0, 5, [("loss", -3.0), ("acc", 4)]),
    (0.0, 6, None),
    (4000.0, 7, [("other", 2)]),
]
for verbose in (0, 1, 2):
    for target in (None, 8, 10, 7, 1000):
        for stateful in (None, ["acc"]):
            results["progress %s %s %s" % (verbose, target, stateful)] = shown(
                steps, target=target, verbose=verbose, stateful_metrics=stateful
            )
results["progress of samples"] = shown(
    [(1e-5, i, [("l", i)]) for i in range(1, 20)], target=20, width=10, interval=0, unit_name="sample"
)
results["progress slow"] = [shown([(p, 1, [])], target=3) for p in (7200.0, 90.0, 0.004)]

results["labels"] = [
    keras.utils.to_categorical([0, 2]),
    keras.utils.to_categorical([[0], [2]], 4),
    keras.utils.to_categorical([[0, 1], [2, 1]], dtype="int32"),
    keras.utils.to_categorical(1, 3),
]
results["normalized"] = [
    keras.utils.normalize(np.array([[3.0, 4.0], [0.0, 0.0]])),
    keras.utils.normalize(np.array([3.0, -4.0]), order=1),
    keras.utils.normalize(np.arange(6.0).reshape(2, 3), axis=0),
]
results["lengths"] = [
    [
        padding,
        said(conv_utils.conv_output_length, 7, 3, padding, 2),
        said(conv_utils.conv_output_length, 7, 3, padding, 2, 2),
        said(conv_utils.conv_input_length, 4, 3, padding, 2),
        [said(conv_utils.deconv_output_length, 4, 3, padding, more, 2, 2) for more in (None, 0, 1)],
    ]
    for padding in ("same", "valid", "full", "causal", "other")
]
results["masks"] = [
    conv_utils.conv_kernel_mask((4,), (2,), (1,), "valid"),
    conv_utils.conv_kernel_mask((3, 3), (2, 2), (1, 2), "same"),
    said(conv_utils.conv_kernel_mask, (4,), (2,), (1,), "other"),
    said(conv_utils.conv_kernel_mask, (4, 3), (2,), (1,), "valid"),
]
results["pairs"] = [
    np.array(list(conv_utils.conv_kernel_idxs((3,), (2,), (1,), "valid", 2, 2, "channels_last"))),
    np.array(list(conv_utils.conv_kernel_idxs((2, 2), (2, 2), (1, 1), "same", 1, 2, "channels_first"))),
]
results["turned"] = [
    conv_utils.convert_kernel(np.arange(12).reshape(2, 3, 1, 2)),
    said(conv_utils.convert_kernel, np.ones(3)),
]
shapes = [(1, 2), [1, None], tf.TensorShape([1, 2]), [(1, 2), (3, 4)], {"a": (1, 2)}, [[1, 2], [3, 4]], ()]
results["shapes"] = [tf_utils.convert_shapes(shape) for shape in shapes]
results["shapes back"] = [str(tf_utils.convert_shapes(shape, to_tuples=False)) for shape in shapes]
results["wrapped"] = [
    tf_utils.convert_inner_node_data(tf_utils.convert_inner_node_data(nodes, wrap=True))
    for nodes in ([["l", 0, 0, {}]], ["l", 0, 0], [["l", 0, 0], ["m", 1, 0]], {"a": ["l", 0, 0]})
]
x = tf.placeholder(tf.float32, [2, None])
z = x * 2 + 1
results["reachable"] = sorted(o.name for o in tf_utils.get_reachable_from_inputs([x]))
results["symbolic"] = [
    [tf_utils.is_symbolic_tensor(o), tf_utils.is_tensor_or_variable(o), tf_utils.is_tensor_or_tensor_list(o)]
    for o in (x, tf.Variable(1.0), np.ones(2), 3, [x], [x, 3])
]
