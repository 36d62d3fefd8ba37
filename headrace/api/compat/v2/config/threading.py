"""tf.compat.v2.config.threading: the names that mean the same in 1.x."""

HOMES = {
    "config.threading": "get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads "
    "set_intra_op_parallelism_threads",
}
