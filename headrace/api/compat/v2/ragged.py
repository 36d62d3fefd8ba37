"""tf.compat.v2.ragged: the names that mean the same in 1.x."""

HOMES = {
    "ragged": "boolean_mask constant map_flat_values range row_splits_to_segment_ids segment_ids_to_row_splits "
    "stack stack_dynamic_partitions",
}
