"""tf.contrib.framework and training: Python functions over structures, fused nodes, zeros, bounds, kernels, placing."""

import shutil
import tempfile

import numpy as np
import tensorflow as tf

framework, training = tf.contrib.framework, tf.contrib.training
results = {}


def refused(build):
    try:
        build()
    except (AssertionError, TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return "none"


with tf.Session() as sess:
    # ---- py_func
    def swap(pair, scale=1.0):
        return {"first": (pair["b"] * scale).astype(np.float32), "second": (pair["a"], np.float32(scale))}

    made = framework.py_func(
        swap,
        [{"a": tf.constant([1.0, 2.0]), "b": tf.constant([3, 4])}],
        {"scale": tf.constant(2.0)},
        {"first": tf.float32, "second": (tf.float32, tf.float32)},
        lambda pair, scale: {"first": pair["b"].shape, "second": ([2], [])},
    )
    made_double = framework.py_func(lambda x: np.float64(x), [3.0], output_types=tf.float64, name="one")
    try:
        found = sess.run([made, made_double])
        results["py_func"] = [found, str(made["first"].shape), made["second"][1].name, made_double.name]
    except tf.errors.OpError as error:
        results["py_func"] = type(error).__name__
    results["py_func errors"] = [
        refused(lambda: framework.py_func(swap, tf.constant(1.0), output_types=tf.float32)),
        refused(lambda: framework.py_func(swap, [], [1.0], output_types=tf.float32)),
    ]

    # ---- zeros without a tensor of zeros
    plain, handle = tf.Variable([1.0, 2.0]), tf.get_variable("r", [2, 2], tf.int32, use_resource=True)
    starts = [framework.zero_initializer(plain), framework.zero_initializer(handle, name="zeros")]
    results["zeros names"] = [[t.name, t.op.type, t.dtype.name] for t in starts]
    sess.run([start.op for start in starts])
    results["zeros"] = sess.run([plain, handle]) + [refused(lambda: sess.run(starts[0]))]

    # ---- orthogonal kernels
    for name, shape in (("1d", [3, 3, 4]), ("2d", [3, 3, 2, 4]), ("3d", [2, 2, 2, 3, 3]), ("2d", [1, 1, 2, 4])):
        kernel = getattr(framework, "convolutional_orthogonal_" + name)(gain=2.0, seed=3)
        made = kernel(shape)
        flat = sess.run(tf.reshape(tf.reduce_sum(made, list(range(len(shape) - 2))), shape[-2:]))
        # The sum over all places is a matrix with orthogonal rows.
        results["kernel %s %s" % (name, shape)] = [
            str(made.shape),
            np.dot(flat, flat.T).round(3),
            kernel.get_config()["gain"],
        ]
    results["kernel errors"] = [
        refused(lambda: framework.convolutional_orthogonal_1d()([3, 3, 3, 3])),
        refused(lambda: framework.convolutional_orthogonal_2d()([3, 3, 4, 3])),
        refused(lambda: framework.convolutional_orthogonal_2d()([3, 2, 3, 3])),
        refused(lambda: framework.convolutional_orthogonal_3d(dtype=tf.int32)),
    ]

# ---- bounds
spec = framework.BoundedTensorSpec([3, 5], tf.int32, 0, (5, 5, 5, 5, 5), name="n")
results["bounds"] = [
    spec.minimum.tolist(),
    spec.maximum.tolist(),
    repr(spec),
    spec == framework.BoundedTensorSpec([3, 5], tf.int32, 0, 5, name="n"),
    spec == framework.BoundedTensorSpec([3, 5], tf.int32, 1, 5, name="n"),
    repr(framework.BoundedTensorSpec.from_spec(framework.TensorSpec([2], tf.uint8))),
    refused(lambda: framework.BoundedTensorSpec([3], tf.float32, None, 1.0)),
    refused(lambda: framework.BoundedTensorSpec([3], tf.float32, (0.0, 1.0), 1.0)),
]

# ---- a part of a graph as one node
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, name="x")
    y = tf.identity(tf.tanh(tf.exp(x, name="e"), name="t") + 1.0, name="y")
    tf.negative(y, name="after")
message = graph.as_graph_def()
fused = framework.fuse_op(message, ["x"], ["y"], [tf.float32.as_datatype_enum], False, "whole", "Whole")
results["fused"] = [[n.name, n.op, list(n.input)] for n in fused.node]
results["fused errors"] = [
    refused(lambda: framework.fuse_op(message, "x", ["y"], [1], False, "w", "W")),
    refused(lambda: framework.fuse_op("x", ["x"], ["y"], [1], False, "w", "W")),
    refused(lambda: framework.fuse_op(message, ["nothing"], ["y"], [1], False, "w", "W")),
]

# ---- where variables go
with tf.Graph().as_default():
    made = [tf.get_variable("v%d" % i, [i + 1, 3], use_resource=False).op for i in range(6)]
    greedy = training.GreedyLoadBalancingStrategy(3, training.byte_size_load_fn)
    results["placing"] = [
        [int(greedy(op)) for op in made],
        [training.RandomStrategy(4, seed)(op) for op in made for seed in (0, 7)],
        training.byte_size_load_fn(made[2]),
        refused(lambda: training.byte_size_load_fn(tf.no_op())),
    ]
    # ---- runners that are fed
    queue = tf.FIFOQueue(10, tf.int32, [()])
    numbers = tf.placeholder(tf.int32, [])
    counts = iter(range(100))

    def feed():
        return {numbers: next(counts)}

    def end():
        raise tf.errors.OutOfRangeError(None, None, "over")

    runner = training.FeedingQueueRunner(queue, [queue.enqueue(numbers)], feed_fns=[lambda: feed()])
    results["feeding"] = [
        refused(lambda: training.FeedingQueueRunner(queue, [queue.enqueue(1)], feed_fns=[])),
        runner.name,
    ]
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)
        results["feeding"].append(sess.run([queue.dequeue_many(5)])[0])
        coord.request_stop()
        coord.join(threads)

# ---- the names that arguments had
folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    sess.run(v.initializer)
    path = tf.train.Saver().save(sess, folder + "/model")
    results["checkpoint"] = [
        framework.list_variables(checkpoint_dir=path),
        framework.load_variable(checkpoint_dir=path, name="v"),
        framework.load_checkpoint(filepattern=path).has_tensor("v"),
    ]
with tf.Graph().as_default(), tf.Session() as sess:
    w = tf.get_variable("w", [2])
    framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"v": w})
    sess.run(tf.global_variables_initializer())
    results["checkpoint"].append(sess.run(w))
shutil.rmtree(folder)
