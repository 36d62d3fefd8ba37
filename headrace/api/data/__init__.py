"""`tf.data`: pipelines of elements."""

HOMES = {
    "data.dataset": "Dataset DatasetSpec make_initializable_iterator make_one_shot_iterator",
    "data.iterator": "Iterator",
    "data.options": "Options",
    "data.readers": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
}

SPELLED = {
    "get_output_classes": "data.structure.get_legacy_output_classes",
    "get_output_shapes": "data.structure.get_legacy_output_shapes",
    "get_output_types": "data.structure.get_legacy_output_types",
}
