"""tf.compat.v2.data: the names that mean the same in 1.x."""

HOMES = {
    "data": "DatasetSpec FixedLengthRecordDataset Options TFRecordDataset TextLineDataset",
}

SPELLED = {"Dataset": "data.dataset.DatasetV2"}
