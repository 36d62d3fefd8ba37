"""tf.contrib.summary: summaries that write themselves while the graph runs."""

HOMES = {
    "contrib.summary.recorded_summaries": "all_summary_ops audio generic histogram image import_event scalar",
    "contrib.summary.writers": "always_record_summaries create_db_writer create_summary_file_writer eval_dir initialize "
    "never_record_summaries record_summaries_every_n_global_steps",
    "summary.recording": "should_record_summaries",
    "summary.resource_writers": "SummaryWriter create_file_writer flush summary_writer_initializer_op",
}

SPELLED = {"graph": "contrib.summary.recorded_summaries.write_graph"}
