"""tf.profiler: parameters and floating-point operations of models, by scope and by op type."""

import numpy as np
import tensorflow as tf

results = {}
builder = tf.profiler.ProfileOptionBuilder


def flat(node, depth=0, into=None):
    into = [] if into is None else into
    for child in node.children:
        into.append([depth, child.name, int(child.float_ops), int(child.total_float_ops), int(child.total_parameters)])
        flat(child, depth + 1, into)
    return into


def quiet(options):
    return builder(options).with_empty_output().build()


def described(graph):
    floats = tf.profiler.profile(graph, options=quiet(builder.float_operation()))
    params = tf.profiler.profile(graph, options=quiet(builder.trainable_variables_parameter()))
    ops = tf.profiler.profile(graph, cmd="op", options=quiet(builder.float_operation()))
    kinds = {}
    node = ops
    while node.children:
        node = node.children[0]
        kinds[node.name] = int(node.float_ops)
    by_name = builder(builder.float_operation()).order_by("name").with_empty_output().build()
    return {
        "float_ops": int(floats.total_float_ops),
        "parameters": int(params.total_parameters),
        "by_scope": [row[1:] for row in sorted(flat(tf.profiler.profile(graph, options=by_name)), key=lambda r: r[1])],
        "parameters_by_scope": flat(params),
        "by_type": sorted((k, v) for k, v in kinds.items() if k not in ("Mean", "RealDiv", "Sub")),
    }


with tf.Graph().as_default() as mlp:
    x = tf.placeholder(tf.float32, [16, 8], name="x")
    h = x
    for i, units in enumerate([32, 4]):
        with tf.variable_scope("layer%d" % i):
            w = tf.get_variable("w", [int(h.shape[1]), units], initializer=tf.ones_initializer())
            b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
            h = tf.nn.relu(tf.matmul(h, w) + b)
    tf.Variable(tf.zeros([7]), trainable=False, name="counter")
    loss = tf.reduce_mean(tf.square(h), name="loss") + tf.nn.l2_loss(w) * 0.5
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)
results["mlp"] = described(mlp)

with tf.Graph().as_default() as convnet:
    x = tf.placeholder(tf.float32, [2, 12, 12, 3], name="x")
    with tf.variable_scope("conv"):
        k = tf.get_variable("k", [3, 3, 3, 8], initializer=tf.ones_initializer())
        b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
        c = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, k, [1, 2, 2, 1], "SAME"), b))
        d = tf.nn.depthwise_conv2d(
            c, tf.get_variable("d", [3, 3, 8, 1], initializer=tf.ones_initializer()), [1, 1, 1, 1], "VALID"
        )
    p = tf.nn.max_pool(tf.nn.avg_pool(d, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    v = tf.get_variable("v", [32, 5], initializer=tf.ones_initializer(), use_resource=True)
    logits = tf.matmul(tf.reshape(p, [2, 32]), v)
    loss = tf.reduce_sum(tf.nn.softmax(logits) * tf.rsqrt(tf.abs(logits) + 1.0))
    tf.add(tf.argmax(logits, 1), 1)
    tf.add_n([logits, logits, logits])
    tf.gradients(loss, [k, v])
results["convnet"] = described(convnet)

with tf.Graph().as_default() as own:
    a = tf.placeholder(tf.float32, [None, 3], name="a")
    y = tf.matmul(a, tf.ones([3, 2]), name="y")
    log = tf.profiler.OpLogProto()
    entry = log.log_entries.add()
    entry.name, entry.float_ops = "y", 123
    entry.types.append("mine")
    counted = builder(builder.float_operation()).with_accounted_types(["mine"]).with_empty_output().build()
    results["op_log"] = int(tf.profiler.profile(own, op_log=log, options=counted).total_float_ops)
    results["unknown_shapes"] = int(tf.profiler.profile(own, options=quiet(builder.float_operation())).total_float_ops)
    with tf.Session() as sess:
        metadata = tf.RunMetadata()
        trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(y, {a: np.ones([5, 3])}, options=trace, run_metadata=metadata)
    found = tf.profiler.profile(own, metadata, options=quiet(builder.float_operation()))
    results["shapes_of_the_run"] = int(found.total_float_ops)

results["options"] = {
    "float": sorted((k, str(v)) for k, v in builder.float_operation().items()),
    "params": sorted((k, str(v)) for k, v in builder.trainable_variables_parameter().items()),
    "time": sorted((k, str(v)) for k, v in builder.time_and_memory(min_micros=2).items()),
    "default": sorted((k, str(v)) for k, v in builder().build().items()),
    "built": sorted(
        (k, str(v))
        for k, v in builder()
        .with_max_depth(3)
        .with_min_memory(1, 2, 3, 4)
        .with_min_execution_time(5, 6, 7)
        .with_min_parameters(8)
        .with_min_occurrence(9)
        .with_min_float_operations(10)
        .with_accounted_types(["t"])
        .with_node_names(show_name_regexes=["s"], hide_name_regexes=["h"])
        .account_displayed_op_only(True)
        .with_file_output("f")
        .order_by("params")
        .select(["params", "bytes"])
        .with_step(4)
        .build()
        .items()
    ),
}
for name, call in [
    ("cmd", lambda: tf.profiler.profile(mlp, cmd="nope", options=quiet(builder.float_operation()))),
]:
    try:
        call()
    except Exception as error:
        results["error_" + name] = type(error).__name__
