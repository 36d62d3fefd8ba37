"""tf.profiler: what a model costs."""

HOMES = {
    "profiler.analyzer": "Profiler advise profile write_op_log",
    "profiler.options": "ProfileOptionBuilder",
    "messages.protos": "AdviceProto GraphNodeProto MultiGraphNodeProto OpLogProto",
}
