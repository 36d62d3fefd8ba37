"""What sessions, graphs and handles of variables say beside values: traces, thread pools, closed sessions, node texts."""

import tensorflow as tf
from tensorflow.python.ops import gen_resource_variable_ops, resource_variable_ops, variable_scope

results = {}


def outcome(make):
    try:
        return ["made", str(make())]
    except Exception as error:
        text = error.message if isinstance(error, tf.errors.OpError) else str(error)
        return [type(error).__name__, text]


constant = tf.constant(2.0, name="constant")
product = tf.multiply(constant, 3.0, name="product")
with tf.Session() as sess:
    for name, fetch in (("constant", constant), ("product", product), ("nothing", tf.no_op())):
        for level in ("NO_TRACE", "SOFTWARE_TRACE", "FULL_TRACE"):
            metadata = tf.RunMetadata()
            sess.run(fetch, options=tf.RunOptions(trace_level=getattr(tf.RunOptions, level)), run_metadata=metadata)
            stats = metadata.step_stats
            results["traced %s %s" % (name, level)] = [metadata.HasField("step_stats"), len(stats.dev_stats) > 0]
    results["pools"] = [
        outcome(lambda: sess.run(product, options=tf.RunOptions(inter_op_thread_pool=pool)))
        for pool in (-2, -1, 0, 1, 5)
    ]
    results["runs it"] = sess._session is not None
config = tf.ConfigProto()
config.session_inter_op_thread_pool.add(num_threads=1)
config.session_inter_op_thread_pool.add(num_threads=1)
with tf.Session(config=config) as sess:
    results["two pools"] = [
        outcome(lambda: sess.run(product, options=tf.RunOptions(inter_op_thread_pool=pool))) for pool in (1, 2)
    ]
    called = sess.make_callable(product)
    called()
results["closed"] = [
    outcome(called),
    outcome(sess.list_devices),
    outcome(lambda: sess.run(product)),
    outcome(lambda: sess.make_callable(product)()),
]

version = tf.get_default_graph().version
later = tf.constant(1.0, name="later")
results["all nodes"] = [node.name for node in tf.get_default_graph().as_graph_def(from_version=version).node]
image = tf.placeholder(tf.float32, [1, 4, 4, 2], name="image")
convolved = tf.nn.conv2d(image, tf.ones([2, 2, 2, 3]), [1, 2, 2, 1], "SAME", name="convolved")
queue = tf.FIFOQueue(3, tf.float32, name="queue")
results["nodes"] = [str(op.node_def) for op in (image.op, convolved.op, queue.queue_ref.op)]
with tf.Graph().as_default() as graph:
    tf.reduce_sum(tf.placeholder(tf.float32, [2], name="two"), name="sum")
    results["graph"] = str(graph.as_graph_def()).split("versions")[0]

variable = resource_variable_ops.ResourceVariable([1.0], name="variable")
handle = variable.handle
results["handle"] = [variable._handle_name, variable_scope.variable is tf.compat.v1.Variable]
results["handles"] = [
    outcome(lambda: gen_resource_variable_ops.assign_variable_op(handle, tf.constant([1]), name="assigned")),
    outcome(lambda: gen_resource_variable_ops.assign_variable_op(handle, tf.constant([1.0, 2.0]), name="longer")),
    outcome(lambda: gen_resource_variable_ops.assign_add_variable_op(handle, tf.constant([1]), name="added")),
    outcome(lambda: gen_resource_variable_ops.read_variable_op(handle, tf.int32, name="got")),
    outcome(lambda: gen_resource_variable_ops.resource_gather(handle, [0], tf.int32, name="gathered")),
    outcome(lambda: gen_resource_variable_ops.resource_scatter_add(handle, [0], tf.constant([1]), name="scattered")),
]

# The interactive session that was opened first is not the one to close first.
first, second = tf.InteractiveSession(), tf.InteractiveSession()
closed = results["interactive sessions"] = []
for one in (first, second):
    try:
        one.close()
        closed.append("closed")
    except AssertionError as error:
        closed.append(type(error).__name__)
closed.append(tf.get_default_session() is first)
