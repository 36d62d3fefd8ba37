"""tf.contrib.learn.graph_actions: running graphs by hand."""

HOMES = {
    "contrib.learn.graph_runs": "clear_summary_writers get_summary_writer infer run_feeds run_feeds_iter run_n",
    "contrib.learn.graph_training": "evaluate train",
}
