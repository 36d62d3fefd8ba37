"""tf.contrib.learn.graph_actions: running graphs by hand."""

_BY_HAND = "Run the steps in a tf.train.MonitoredTrainingSession."

HOMES = {"contrib.learn.graph_runs": "infer run_feeds run_feeds_iter run_n"}

ABSENT = {
    **dict.fromkeys(["evaluate", "train"], _BY_HAND),
    **dict.fromkeys(["clear_summary_writers", "get_summary_writer"], "Use tf.summary.FileWriterCache."),
}
