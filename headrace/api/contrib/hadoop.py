"""tf.contrib.hadoop, which is not here: Hadoop sequence files."""

_ADVICE = "convert them to TFRecord files, which tf.data.TFRecordDataset reads"

ABSENT = dict.fromkeys(["SequenceFileDataset"], _ADVICE)
