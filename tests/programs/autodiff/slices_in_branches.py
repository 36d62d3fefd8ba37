"""Gradients of rows looked up in one branch and of whole tensors in the other, as slices of a variable."""

import tensorflow as tf

results = {}

taken = tf.placeholder(tf.bool, [], name="taken")
ids = tf.constant([1, 1, 4])

for resource in (True, False):
    for dtype in (tf.float32, tf.float64):
        start = tf.reshape(tf.range(10.0, dtype=dtype), [5, 2])
        kind = "%s of %s" % ("resource" if resource else "reference", dtype.name)
        v = tf.get_variable("v%d%s" % (resource, dtype.name), initializer=start, use_resource=resource)

        def rows():
            return tf.nn.embedding_lookup(v, ids)

        def zeros():
            return tf.zeros([3, 2], dtype)

        def product():
            return tf.matmul(tf.ones([3, 5], dtype), v)

        for what, when_true, when_false in (
            ("rows or zeros", rows, zeros),
            ("zeros or rows", zeros, rows),
            ("rows or a product", rows, product),
            ("a product or rows", product, rows),
        ):
            key = "%s: %s" % (kind, what)
            y = tf.cond(taken, when_true, when_false)
            before = len(tf.get_default_graph().get_operations())
            slices = tf.gradients(y * y + y, v)[0]
            made = [op.type for op in tf.get_default_graph().get_operations()[before:]]
            results[key + ", ops"] = sorted(made)
            gradient = tf.convert_to_tensor(slices)
            step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(y))
            with tf.Session() as session:
                for side in (True, False):
                    session.run(tf.variables_initializer([v]))
                    results["%s, %s" % (key, side)] = session.run(gradient, {taken: side})
                    session.run(step, {taken: side})
                    results["%s, %s, after a step" % (key, side)] = session.run(v)
