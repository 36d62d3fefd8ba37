"""tf.compat.v2.sparse: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "sparse": "SparseTensor cross cross_hashed expand_dims eye fill_empty_rows from_dense mask maximum minimum reorder "
    "reset_shape reshape retain slice softmax sparse_dense_matmul to_dense to_indicator transpose",
}

SPELLED = {
    "concat": "api.v2_arguments.sparse__concat",
    "reduce_max": "ops.sparse.reduce.sparse_reduce_max_v2",
    "reduce_sum": "ops.sparse.reduce.sparse_reduce_sum_v2",
    "segment_mean": "api.v2_arguments.sparse__segment_mean",
    "segment_sqrt_n": "api.v2_arguments.sparse__segment_sqrt_n",
    "segment_sum": "api.v2_arguments.sparse__segment_sum",
    "split": "api.v2_arguments.sparse__split",
    "add": "api.v2_arguments.sparse__add",
}
