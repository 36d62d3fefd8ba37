"""tf.ragged: tensors whose rows have different lengths."""

HOMES: dict[str, str] = {
    "functions.ragged.elementwise": "map_flat_values",
    "functions.ragged.factory": "constant constant_value placeholder",
    "functions.ragged.joining": "stack",
    "functions.ragged.math": "range",
    "functions.ragged.segment_ids": "row_splits_to_segment_ids segment_ids_to_row_splits",
    "functions.ragged.selecting": "boolean_mask stack_dynamic_partitions",
    "functions.ragged.value": "RaggedTensorValue",
}
