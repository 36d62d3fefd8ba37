"""tf.contrib.util: tensors as messages, and the ops a GraphDef uses."""

HOMES = {
    "messages.op_lists": "ops_used_by_graph_def stripped_op_list_for_graph",
    "core.tensor_util": "constant_value",
    "messages.tensor_proto": "make_tensor_proto",
}

SPELLED = {
    "make_ndarray": "messages.tensor_proto.MakeNdarray",
}
