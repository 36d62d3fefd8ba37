"""tf.contrib.bigtable, which is not here: Google Bigtable."""

_ADVICE = "read rows with a Bigtable client in tf.data.Dataset.from_generator"

ABSENT = dict.fromkeys(["BigtableClient", "BigtableTable"], _ADVICE)
