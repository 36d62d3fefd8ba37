"""tf.graph_util: working on GraphDefs."""

HOMES = {
    "messages.graph_def": "import_graph_def",
    "messages.graph_util": "convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes "
    "tensor_shape_from_node_def_name",
}
