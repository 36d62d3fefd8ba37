"""tf.contrib.deprecated: summaries by their names before 1.0."""

HOMES = {
    "summary.legacy": "audio_summary histogram_summary image_summary merge_all_summaries merge_summary scalar_summary",
}
