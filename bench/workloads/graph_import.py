"""Importing graphs: a GraphDef of 5,000 nodes, and the MetaGraphDef of a model in training."""

BARS = {"import a GraphDef of 5,000 nodes": 1.0, "import a training MetaGraphDef": 1.0}


def workload(tf, np):
    with tf.Graph().as_default() as graph:
        h = tf.placeholder(tf.float32, [None, 32], name="x")
        layer = 0
        while len(graph.get_operations()) < 5000:
            with tf.name_scope("layer%d" % layer):
                w = tf.constant(np.ones([32, 32], np.float32))
                b = tf.constant(np.zeros([32], np.float32))
                h = tf.nn.relu(tf.matmul(h, w) + b)
            layer += 1
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default():
        h = tf.placeholder(tf.float32, [None, 32], name="x")
        for layer in range(20):
            with tf.variable_scope("layer%d" % layer):
                h = tf.nn.relu(tf.matmul(h, tf.get_variable("w", [32, 32])) + tf.get_variable("b", [32]))
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(h))
        tf.train.Saver()
        meta_graph = tf.train.export_meta_graph()

    def import_graph():
        with tf.Graph().as_default():
            tf.import_graph_def(graph_def, name="")

    def import_meta_graph():
        with tf.Graph().as_default():
            tf.train.import_meta_graph(meta_graph)

    return {
        "import a GraphDef of 5,000 nodes": import_graph,
        "import a training MetaGraphDef": import_meta_graph,
    }
