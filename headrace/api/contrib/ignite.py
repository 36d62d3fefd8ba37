"""tf.contrib.ignite, which is not here: Apache Ignite."""

_ADVICE = "export the rows to TFRecord or CSV files, or feed them with tf.data.Dataset.from_generator"

ABSENT = dict.fromkeys(["IgniteDataset"], _ADVICE)
