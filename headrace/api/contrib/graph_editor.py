"""tf.contrib.graph_editor: lists of a graph's tensors and operations, chosen by name or by following edges."""

HOMES = {
    "contrib.graph_editor.select": "can_be_regex check_cios compute_boundary_ts filter_ops filter_ops_from_regex filter_ts "
    "filter_ts_from_regex get_backward_walk_ops get_forward_walk_ops get_name_scope_ops get_ops_ios "
    "get_walks_intersection_ops get_walks_union_ops get_within_boundary_ops make_regex select_ops select_ops_and_ts "
    "select_ts",
    "contrib.graph_editor.util": "ControlOutputs get_consuming_ops get_generating_ops get_tensors make_list_of_op "
    "make_list_of_t make_placeholder_from_dtype_and_shape make_placeholder_from_tensor ph placeholder_name",
}
