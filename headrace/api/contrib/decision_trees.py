"""tf.contrib.decision_trees: the messages of trees, in modules below: `proto.generic_tree_model_pb2`."""

HOMES: dict[str, str] = {}
