"""tf.contrib.meta_graph_transform, which is not here: transforms of meta graphs."""

_ADVICE = "use tf.graph_util.convert_variables_to_constants, remove_training_nodes and extract_sub_graph"

ABSENT = dict.fromkeys(["meta_graph_transform"], _ADVICE)
