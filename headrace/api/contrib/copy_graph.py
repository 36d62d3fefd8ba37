"""tf.contrib.copy_graph: copies of variables and operations in other graphs."""

HOMES = {"contrib.copy_graph": "copy_op_to_graph copy_variable_to_graph get_copied_op"}
