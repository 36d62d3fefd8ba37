"""`tf.data`: pipelines of elements."""

HOMES = {
    "data.dataset": "Dataset make_initializable_iterator make_one_shot_iterator",
    "data.iterator": "Iterator",
    "data.options": "Options",
    "data.readers": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
    "data.structure": "DatasetSpec",
}

SPELLED = {
    "get_output_classes": "data.dataset.get_legacy_output_classes",
    "get_output_shapes": "data.dataset.get_legacy_output_shapes",
    "get_output_types": "data.dataset.get_legacy_output_types",
}
