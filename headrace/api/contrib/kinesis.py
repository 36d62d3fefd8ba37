"""tf.contrib.kinesis, which is not here: Amazon Kinesis."""

_ADVICE = "consume records with a Kinesis client in tf.data.Dataset.from_generator"

ABSENT = dict.fromkeys(["KinesisDataset"], _ADVICE)
