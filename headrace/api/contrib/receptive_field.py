"""tf.contrib.receptive_field."""

HOMES = {
    "contrib.receptive_field.compute_order": "get_compute_order",
    "contrib.receptive_field.receptive_field": "ReceptiveField compute_receptive_field_from_graph_def",
}
