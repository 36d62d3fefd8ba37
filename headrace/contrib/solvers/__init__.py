"""tf.contrib.solvers: equations and decompositions by iteration, for operators that are only applied."""
