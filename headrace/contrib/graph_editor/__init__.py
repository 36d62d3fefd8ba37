"""tf.contrib.graph_editor: lists of a graph's tensors and operations, chosen by name or by following edges."""
