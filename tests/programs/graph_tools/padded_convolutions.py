"""Convolutions of resized and mirrored images as one op, by the tools for inference; modules that programs import."""

import numpy as np
import tensorflow as tf
from tensorflow.python.saved_model import builder, builder_impl, loader, loader_impl, main_op, utils
from tensorflow.python.tools import optimize_for_inference_lib as tools

results = {}
images = np.random.RandomState(1).uniform(size=[1, 4, 5, 2]).astype(np.float32)


def optimized(make, how):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [1, 4, 5, 2], name="x")
        filters = tf.constant(np.arange(18).reshape([3, 3, 2, 1]) / 9.0, tf.float32, name="filters")
        tf.identity(make(x, filters), name="out")
        before = sess.run("out:0", {"x:0": images})
        graph_def = how(graph.as_graph_def())
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        after = sess.run("out:0", {"x:0": images})
    return [sorted(node.op for node in graph_def.node), bool(np.allclose(before, after, atol=1e-5)), before]


def padded(x, filters, mode="REFLECT"):
    return tf.nn.conv2d(tf.pad(x, [[0, 0], [1, 1], [2, 1], [0, 0]], mode), filters, [1, 1, 1, 1], "VALID")


def resized(x, filters, align=False):
    return tf.nn.conv2d(tf.image.resize_bilinear(x, [7, 6], align), filters, [1, 2, 2, 1], "SAME")


def both(x, filters):
    larger = tf.image.resize_bilinear(x, [7, 6], True)
    return tf.nn.conv2d(tf.pad(larger, [[0, 0], [1, 1], [1, 1], [0, 0]], "SYMMETRIC"), filters, [1, 1, 1, 1], "VALID")


def plain(x, filters):
    return tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME")


def shared(x, filters):
    wide = tf.pad(x, [[0, 0], [1, 1], [2, 1], [0, 0]], "REFLECT")
    return tf.nn.conv2d(wide, filters, [1, 1, 1, 1], "VALID") + tf.reduce_sum(wide)


def fused(graph_def):
    return tools.fuse_resize_and_conv(graph_def, ["out"])


def inferred(graph_def):
    return tools.optimize_for_inference(graph_def, ["x"], ["out"], tf.float32.as_datatype_enum)


def left(graph_def):
    return tools.optimize_for_inference(graph_def, ["x"], ["out"], tf.float32.as_datatype_enum, toco_compatible=True)


KINDS = [padded, resized, both, plain, shared]
results["fused"] = {kind.__name__: optimized(kind, fused) for kind in KINDS}
results["inferred"] = {kind.__name__: optimized(kind, inferred) for kind in KINDS}
results["left"] = {kind.__name__: optimized(kind, left) for kind in KINDS}
small = tf.GraphDef()
small.node.add(name="a", op="NoOp")
made = tools.fold_batch_norms(small)
results["fields"] = [made.HasField("versions"), made.HasField("library")]
results["modules"] = [
    builder.SavedModelBuilder is tf.saved_model.builder.SavedModelBuilder,
    builder_impl.SavedModelBuilder is not None,
    loader.load is tf.saved_model.loader.load,
    callable(loader_impl.parse_saved_model),
    callable(main_op.main_op),
    main_op.main_op().type,
    callable(utils.build_tensor_info),
]
