"""tf.version: what the running TensorFlow says it is."""

HOMES = {
    "core.version": "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER "
    "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION",
}
