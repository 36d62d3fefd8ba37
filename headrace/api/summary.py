"""tf.summary: what TensorBoard shows."""

HOMES = {
    "files.events": "summary_iterator",
    "messages.protos": "Event SessionLog Summary SummaryDescription TaggedRunMetadata",
    "summary.operations": "audio get_summary_description histogram image merge merge_all scalar tensor_summary text",
    "contrib.summary.writers": "initialize",
    "summary.writer": "FileWriter FileWriterCache",
}

SPELLED = {"all_v2_summary_ops": "contrib.summary.recorded_summaries.all_summary_ops"}
