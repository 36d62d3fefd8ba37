"""tf.compat.v2.data: the names that mean the same in 1.x."""

HOMES = {
    "data": "Dataset DatasetSpec FixedLengthRecordDataset Options TFRecordDataset TextLineDataset",
}
