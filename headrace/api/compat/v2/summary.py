"""tf.compat.v2.summary: summaries with steps, written as they are made or run."""

HOMES = {
    "summary.summary_v2": "audio histogram image scalar text write",
    "summary.recording": "record_if",
    "summary.resource_writers": "SummaryWriter create_noop_writer flush",
    "summary.tracing": "trace_export trace_off trace_on",
}

SPELLED = {"create_file_writer": "summary.resource_writers.create_file_writer_v2"}

NESTED = {
    "experimental": {
        "summary.summary_v2": "summary_scope write_raw_pb",
        "summary.recording": "get_step set_step",
    },
}
