"""tf.ragged: tensors whose rows have different lengths."""

HOMES: dict[str, str] = {
    "ops.ragged.elementwise": "map_flat_values",
    "ops.ragged.factory": "constant constant_value placeholder",
    "ops.ragged.joining": "stack",
    "ops.ragged.math": "range",
    "ops.ragged.segment_ids": "row_splits_to_segment_ids segment_ids_to_row_splits",
    "ops.ragged.selecting": "boolean_mask stack_dynamic_partitions",
    "ops.ragged.value": "RaggedTensorValue",
}
