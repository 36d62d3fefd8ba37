"""Loops of a GraphDef: what goes round them may grow, and its shape is not that of what comes in."""

import tensorflow as tf

results = {}
with tf.Graph().as_default() as graph:
    i = tf.constant(0)
    rows = tf.placeholder_with_default([[1.0, 2.0]], [1, 2], name="rows")
    _, grown = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, tf.concat([x, x[-1:] * 2.0], 0)),
        [i, rows],
        shape_invariants=[i.shape, tf.TensorShape([None, 2])],
    )
    total = tf.reduce_sum(grown * grown)
    for name, value in [
        ("grown", grown),
        ("size", tf.shape(grown)),
        ("count", tf.size(grown)),
        ("like", tf.ones_like(grown)),
        ("total", total),
        ("gradient", tf.gradients(total, rows)[0]),
        ("row", grown[-1]),
    ]:
        tf.identity(value, name="the_" + name)
results["built"] = [str(grown.shape), str(graph.get_tensor_by_name("while/Exit_1:0").shape)]
names = ["the_%s:0" % name for name in ["grown", "size", "count", "like", "total", "gradient", "row"]]
with tf.Session(graph=graph) as sess:
    results["values"] = sess.run(names)

with tf.Graph().as_default() as imported:
    tf.import_graph_def(graph.as_graph_def(), name="")
    results["shapes"] = [
        (op.name, [str(t.shape) for t in op.outputs])
        for op in imported.get_operations()
        if op.type in ("Enter", "Merge", "Switch", "NextIteration", "Exit") and op.name.count("/") == 1
        if op.name.startswith("while/")
    ]
    with tf.Session() as sess:
        results["imported values"] = sess.run(names)
        results["fed"] = sess.run(names, {"rows:0": [[-1.0, 0.5]]})
    results["meta graph"] = len(tf.train.export_meta_graph().graph_def.node) == len(graph.as_graph_def().node)
