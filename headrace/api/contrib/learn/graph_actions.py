"""tf.contrib.learn.graph_actions: running graphs by hand."""

HOMES = {
    "contrib.learn.graph_runs": "infer run_feeds run_feeds_iter run_n",
    "contrib.learn.graph_training": "evaluate train",
}

ABSENT = {
    **dict.fromkeys(["clear_summary_writers", "get_summary_writer"], "Use tf.summary.FileWriterCache."),
}
