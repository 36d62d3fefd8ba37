"""tf.contrib.stat_summarizer, which is not here: summaries of step statistics."""

_ADVICE = "use tf.RunMetadata with tf.profiler.Profiler or timeline.Timeline"

ABSENT = dict.fromkeys(["DeleteStatSummarizer", "NewStatSummarizer", "StatSummarizer"], _ADVICE)
