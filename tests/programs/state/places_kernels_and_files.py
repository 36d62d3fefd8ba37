"""Where variables and what makes them are put, kernels that keep norms, and names of the files of saved models."""

import tensorflow as tf
from tensorflow.python.ops import init_ops
from tensorflow.python.saved_model import signature_def_utils_impl, utils_impl

results = {}


def places(graph):
    return [
        [op.name, op.type, [name.decode() for name in op.node_def.attr["_class"].list.s]]
        for op in graph.get_operations()
    ]


# The averages of renormalization are beside the older ones.
for resource in (False, True):
    with tf.Graph().as_default() as graph:
        with tf.variable_scope("net", use_resource=resource):
            tf.layers.batch_normalization(tf.ones([2, 3]), renorm=True, training=True)
        results["renorm %s" % resource] = [
            place for place in places(graph) if "renorm" in place[0] or "stddev" in place[0]
        ]

# What makes orthogonal kernels.
makers = {
    "delta": (init_ops.convolutional_delta_orthogonal(gain=2.0), [3, 3, 2, 4]),
    "1d": (init_ops.convolutional_orthogonal_1d(seed=1), [3, 2, 4]),
    "2d": (init_ops.convolutional_orthogonal_2d(seed=1), [3, 3, 2, 4]),
    "3d": (init_ops.convolutional_orthogonal_3d(seed=1), [2, 2, 2, 2, 4]),
}
for name in sorted(makers):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        make, shape = makers[name]
        kernel = make(shape)
        norm = tf.reduce_sum(tf.square(tf.reduce_sum(kernel, list(range(len(shape) - 2)))))
        results["kernel " + name] = [kernel.name, float(sess.run(norm)), [op.name for op in graph.get_operations()]]

# Saved models.
results["paths"] = [
    utils_impl.get_variables_dir(b"/models/a"),
    utils_impl.get_variables_path("/models/a"),
    utils_impl.get_assets_dir("/models/a"),
]
with tf.Graph().as_default() as graph:
    signature = signature_def_utils_impl.op_signature_def(tf.no_op(name="go"), "key")
    results["signature"] = [str(signature), signature_def_utils_impl.load_op_from_signature_def(signature, "key").name]
    with tf.name_scope("there"):
        tf.constant(1.0, name="x")
    info = tf.saved_model.utils.build_tensor_info(graph.get_tensor_by_name("there/x:0"))
    info.name = "x:0"
    results["element"] = utils_impl.get_element_from_tensor_info(info, import_scope="there").name
with tf.Graph().as_default():
    try:
        signature_def_utils_impl.load_op_from_signature_def(signature, "key")
    except tf.errors.NotFoundError as error:
        results["not found"] = type(error).__name__
