"""tf.CriticalSection: the operations it makes, conds in and around it, failures inside; contrib.framework's print_op."""

import tensorflow as tf
from tensorflow.contrib.framework.python.ops import prettyprint_ops
from tensorflow.python.ops import critical_section_ops

results = {}


def listed(graph):
    return [
        [op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs)]
        for op in graph.get_operations()
    ]


with tf.Graph().as_default() as graph, tf.Session() as sess:
    section = tf.CriticalSection(shared_name="one at a time")
    total = tf.get_variable("total", [], use_resource=True, initializer=tf.zeros_initializer())
    step = tf.placeholder_with_default(2.0, [], name="step")
    outer, inner = tf.placeholder(tf.bool, [], name="outer"), tf.placeholder(tf.bool, [], name="inner")

    def add():
        before = total.read_value()
        with tf.control_dependencies([before]):
            added = total.assign_add(step)
            with tf.control_dependencies([added]):
                return tf.identity(before)

    calls = [section.execute(add, name="call_%d" % i) for i in range(4)]
    results["collections"] = [
        tf.get_collection(critical_section_ops.CRITICAL_SECTIONS) == [section],
        [e.op.name for e in tf.get_collection(critical_section_ops.CRITICAL_SECTION_EXECUTIONS)],
    ]
    chosen = [
        tf.cond(outer, lambda: section.execute(lambda: tf.cond(inner, add, total.read_value)), total.read_value)
        for _ in range(3)
    ]
    nothing = section.execute(lambda: tf.group(total.assign_add(1.0)))
    several = section.execute(lambda: {"a": [total + 1.0, tf.constant(3)], "b": (total.assign_add(step),)})
    results["operations"] = listed(graph)
    results["structure"] = [sorted(several), type(several["b"]).__name__]
    sess.run(tf.global_variables_initializer())
    results["calls"] = sorted(float(v) for v in sess.run(calls))
    for fed in ((False, False), (False, True), (True, False), (True, True)):
        results["chosen %s %s" % fed] = sorted(float(v) for v in sess.run(chosen, {outer: fed[0], inner: fed[1]}))
    sess.run(nothing)
    results["total"] = sess.run(total)
    sess.run(several)

    def failing():
        with tf.control_dependencies([tf.Assert(step > 0, ["step is not positive"])]):
            return total.read_value()

    checked = [section.execute(failing) for _ in range(2)]
    kept = []
    for value in (-1.0, 1.0, -1.0, 1.0):
        try:
            kept.append(float(sess.run(checked[0], {step: value})))
        except tf.errors.InvalidArgumentError as error:
            # A lock is let go even where the error stays.
            kept.append(error)
    results["failures"] = [type(k).__name__ for k in kept]

    same = tf.CriticalSection(shared_name="one at a time")
    other = tf.CriticalSection()
    others = {
        "itself": lambda: section.execute(lambda: section.execute(add)),
        "by name": lambda: section.execute(lambda: same.execute(add)),
        "other": lambda: other.execute(lambda: total + 1.0),
        "other shared": lambda: other.execute(lambda: total + 1.0, exclusive_resource_access=False),
        "same": lambda: same.execute(lambda: total + 1.0),
    }
    for name in sorted(others):
        try:
            others[name]()
            results[name] = "made"
        except ValueError as error:
            text = str(error)
            phrases = (
                "attempts to directly access the CriticalSection in which it would be running",
                "requested exclusive resource access",
            )
            results[name] = [p for p in phrases if p in text]

with tf.Graph().as_default() as graph, tf.Session() as sess:
    x = tf.constant([[1.0, 2.0]], name="x")
    flags = tf.constant([False, True], name="flags")
    sparse = tf.SparseTensor([[0, 1]], [3.0], [2, 2])
    array = tf.TensorArray(tf.float32, 2).unstack(tf.constant([4.0, 5.0]))
    variable = tf.Variable([6.0], name="variable")
    sess.run(variable.initializer)
    shown = [
        prettyprint_ops.print_op(x, message="x: "),
        prettyprint_ops.print_op(flags, data=[x], summarize_indicator_vector=True),
        prettyprint_ops.print_op(variable, print_shape=False, print_tensor_type=False),
        prettyprint_ops.print_op(x, print_tensor_name=False, first_n=1),
        prettyprint_ops.print_op(array).stack(),
    ]
    seen = prettyprint_ops.print_op(sparse)
    results["print operations"] = [[op.name, op.type, len(op.inputs)] for op in graph.get_operations()]
    results["printed"] = sess.run(shown + [seen.values])
    for wrong in (None, 3):
        try:
            prettyprint_ops.print_op(wrong)
        except ValueError as error:
            results["print %s" % wrong] = type(error).__name__
