"""tf.contrib.reduce_slice_ops: reductions of slices."""

HOMES = {"ops.math.slice_reduction": "reduce_slice_max reduce_slice_min reduce_slice_prod reduce_slice_sum"}
