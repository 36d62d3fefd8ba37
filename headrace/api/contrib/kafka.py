"""tf.contrib.kafka, which is not here: Apache Kafka."""

_ADVICE = "consume messages with a Kafka client in tf.data.Dataset.from_generator"

ABSENT = dict.fromkeys(["KafkaDataset"], _ADVICE)
