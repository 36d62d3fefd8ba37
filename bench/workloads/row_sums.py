"""Summing the 500 rows of a matrix in three ways: 500 slices, one unstack, one reduction."""

BARS = {
    "500 slices, first run": 0.3,
    "500 slices, after": 0.3,
    "unstack, first run": 0.3,
    "unstack, after": 0.3,
    "reduce_sum, first run": 0.3,
    "reduce_sum, after": 0.3,
}


def workload(tf, np):
    def slices(x):
        z = tf.zeros([10])
        for i in range(500):
            z += x[i]
        return z

    def unstack(x):
        z = tf.zeros([10])
        for row in tf.unstack(x):
            z += row
        return z

    def reduce_sum(x):
        return tf.reduce_sum(x, axis=0)

    def session(way):
        graph = tf.Graph()
        with graph.as_default():
            z = way(tf.random_uniform([500, 10]))
        return tf.Session(graph=graph), z

    def run(parts):
        sess, z = parts
        return sess.run(z)

    steps = {}
    for name, way in (("500 slices", slices), ("unstack", unstack), ("reduce_sum", reduce_sum)):
        kept = session(way)
        steps[name + ", first run"] = (lambda way=way: session(way), run)
        steps[name + ", after"] = lambda kept=kept: run(kept)
    return steps
