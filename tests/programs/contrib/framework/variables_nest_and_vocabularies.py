"""tf.contrib.framework and slim: variables by kind, assigning values, conditions known beforehand, nest, vocabularies."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import framework, slim
from tensorflow.python.ops import variable_scope

results = {}


def outcome(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error)]


with tf.Graph().as_default():
    a = framework.local_variable(tf.ones([2]), name="mine")
    b = framework.global_variable(lambda: tf.zeros([3]), validate_shape=False, name="ours", use_resource=True)
    results["kinds"] = [
        [
            one.name,
            one.dtype.name,
            str(one.shape),
            type(one).__name__,
            one in tf.local_variables(),
            one in tf.trainable_variables(),
        ]
        for one in (a, b)
    ]
    with tf.variable_scope("net"):
        plain = tf.get_variable("plain", [2, 2])
        model = slim.model_variable("model", [2], initializer=tf.ones_initializer())
        parts = tf.get_variable("parts", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        kept = tf.Variable([1.0], trainable=False, name="kept")
    framework.add_model_variable(plain)
    framework.add_model_variable(plain)
    results["model"] = [one.name for one in framework.get_model_variables()]
    results["full"] = [framework.get_variable_full_name(one) for one in (plain, list(parts)[1], kept)]
    results["trainable"] = [one.name for one in framework.get_trainable_variables("net")]
    results["suffix"] = [one.name for one in slim.get_trainable_variables(suffix="plain")]
    results["local"] = [one.name for one in slim.get_local_variables()]
    everything = tf.global_variables()
    results["filtered"] = {
        "in": [one.name for one in framework.filter_variables(everything, include_patterns=["ar", "our"])],
        "out": [one.name for one in slim.filter_variables(everything, exclude_patterns="net/p")],
        "match": [one.name for one in slim.filter_variables(everything, ["par"], reg_search=False)],
        "both": [one.name for one in slim.filter_variables(everything, ["net"], ["kept", "part_1"])],
    }
    assign, feed = framework.assign_from_values({"net/plain": np.eye(2), "net/model": np.array([3.0, 4.0])})
    results["assign"] = [type(assign).__name__, assign.name, sorted(key.name for key in feed)]
    function = slim.assign_from_values_fn({"net/kept": np.array([7.0], np.float32)})
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(assign, feed)
        function(session)
        results["assigned"] = session.run([plain, model, kept, a, b])
    results["unknown"] = outcome(lambda: framework.assign_from_values({"nothing": np.zeros(1)}))[0]
    results["shape"] = outcome(lambda: framework.assign_from_values({"net/kept": np.zeros([2, 2])}))[0]
    results["no step"] = outcome(lambda: framework.assert_or_get_global_step())
    step = tf.train.get_or_create_global_step()
    results["step"] = [
        framework.assert_or_get_global_step(global_step_tensor=step) is step,
        framework.assert_or_get_global_step(tf.get_default_graph()) is step,
        outcome(lambda: framework.assert_or_get_global_step(global_step_tensor=kept))[0],
    ]
    first = tf.placeholder(tf.float32, name="first")
    second = tf.placeholder(tf.int32, [2], name="second")
    results["placeholders"] = [one.name for one in framework.get_placeholders(tf.get_default_graph())]
    other = tf.Graph()
    with other.as_default():
        foreign = tf.constant(1.0)
    results["graphs"] = [
        framework.get_graph_from_inputs([first, second.op]) is tf.get_default_graph(),
        framework.get_graph_from_inputs([foreign]) is other,
        framework.get_graph_from_inputs([1.0], tf.get_default_graph()) is tf.get_default_graph(),
        outcome(lambda: framework.get_graph_from_inputs([first, foreign]))[0],
        outcome(lambda: framework.get_graph_from_inputs([foreign], tf.get_default_graph()))[0],
    ]
    sparse = framework.convert_to_tensor_or_sparse_tensor(tf.SparseTensorValue([[0]], [1.0], [2]), name="s")
    dense = framework.convert_to_tensor_or_sparse_tensor([1, 2], tf.float32, name="d")
    results["converted"] = [type(sparse).__name__, sparse.values.name, dense.name, dense.dtype.name]
    results["other type"] = outcome(lambda: framework.convert_to_tensor_or_sparse_tensor(sparse, tf.int32))[0]

    known = tf.constant(True)
    unknown = tf.placeholder_with_default(False, [])
    chosen = [
        framework.smart_cond(known, lambda: tf.constant(1.0, name="yes"), lambda: tf.constant(2.0, name="no")),
        framework.smart_cond(0, lambda: tf.constant(1.0, name="yes"), lambda: tf.constant(2.0, name="no")),
        framework.smart_cond(unknown, lambda: tf.constant(1.0), lambda: tf.constant(2.0), name="asked"),
        framework.smart_case([(known, lambda: tf.constant(5.0)), (unknown, lambda: tf.constant(6.0))]),
        framework.smart_case([(unknown, lambda: tf.constant(5.0))], default=lambda: tf.constant(6.0), exclusive=True),
        framework.smart_case({tf.constant(False): lambda: tf.constant(7.0)}, lambda: tf.constant(8.0), name="pick"),
    ]
    results["chosen"] = [one.name for one in chosen]
    results["known"] = [framework.smart_constant_value(one) for one in (True, 0, known, unknown, tf.logical_not(known))]
    results["not known"] = [
        outcome(lambda: framework.smart_constant_value("yes"))[0],
        outcome(lambda: framework.smart_cond(known, 1, 2))[0],
    ]
    with tf.Session() as session:
        results["chosen values"] = session.run(chosen)

with tf.Graph().as_default():
    kernels = {
        "delta": framework.convolutional_delta_orthogonal(2.0, seed=3)([3, 3, 2, 4], dtype=tf.float32),
        "square": framework.convolutional_delta_orthogonal(seed=3, dtype=tf.float64)([1, 4, 4]),
    }
    with tf.Session() as session:
        for name, kernel in sorted(session.run(kernels).items()):
            middle = kernel.sum(axis=tuple(range(kernel.ndim - 2)))
            results["kernel " + name] = [middle.dot(middle.T), int(np.count_nonzero(np.abs(kernel).sum(axis=(-1, -2))))]
    results["too few"] = outcome(lambda: framework.convolutional_delta_orthogonal()([3, 3, 4, 2]))[0]

nest = framework.nest
shallow, deep = {"a": 0, "b": [0, 0]}, {"a": [1, 2], "b": [(3,), 4]}
results["nest"] = [
    [
        [list(path), repr(value)]
        for path, value in nest.flatten_with_tuple_paths_up_to(shallow, deep, check_types=False)
    ],
    repr(
        nest.map_structure_with_tuple_paths_up_to(["x", "y"], lambda path, one, two: (path, one, two), [1, [2]], [3, 4])
    ),
    [nest.is_sequence_or_composite(one) for one in ([], "text", tf.SparseTensorValue([[0]], [1], [1]), 1, {})],
    outcome(lambda: nest.flatten_with_tuple_paths_up_to([1, 2], [3]))[0],
]

folder = tempfile.mkdtemp()
old_words, new_words = os.path.join(folder, "old.txt"), os.path.join(folder, "new.txt")
old_rows, new_rows = os.path.join(folder, "old_rows.txt"), os.path.join(folder, "new_rows.txt")
for path, words in ((old_words, "cat dog eel"), (new_words, "eel fox cat gnu"), (old_rows, "x y"), (new_rows, "y z x")):
    with open(path, "w") as file:
        file.write("\n".join(words.split()) + "\n")
with tf.Graph().as_default(), tf.Session() as session:
    bias = tf.get_variable("bias", initializer=[[1.0], [2.0], [3.0]])
    table = tf.get_variable("table", initializer=np.arange(6.0, dtype=np.float32).reshape(2, 3))
    table_slot = tf.get_variable("table/slot", initializer=10.0 + np.arange(6.0, dtype=np.float32).reshape(2, 3))
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, os.path.join(folder, "model"))
with tf.Graph().as_default(), tf.Session() as session:
    bias = tf.get_variable(
        "bias",
        [5, 1],
        initializer=framework.load_linear_multiclass_bias_initializer(
            path, "bias", 4, old_words, new_words, 1, initializer=tf.zeros_initializer()
        ),
        partitioner=tf.fixed_size_partitioner(1),
    )
    slots = []
    for offset, count in ((0, 3), (3, 2)):
        whole = variable_scope._PartitionInfo([5, 5], [offset, 0])
        slot = framework.load_variable_slot_initializer(
            path, "table/slot", whole, 3, 4, old_rows, new_rows, old_words, new_words, 2, 1, tf.zeros_initializer()
        )
        slots.append(slot([count, 5], partition_info=None))
    session.run(tf.global_variables_initializer())
    results["loaded"] = session.run([list(bias), slots])
