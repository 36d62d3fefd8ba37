"""tf.compat.v2.graph_util: the names that mean the same in 1.x."""

HOMES = {
    "graph_util": "import_graph_def",
}
