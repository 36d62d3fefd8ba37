"""tf.contrib.all_reduce."""

HOMES = {
    "distribute.all_reduce": "build_recursive_hd_all_reduce build_ring_all_reduce build_shuffle_all_reduce",
    "distribute.all_reduce_levels": "build_nccl_all_reduce build_nccl_then_recursive_hd build_nccl_then_ring "
    "build_nccl_then_shuffle build_shuffle_then_ring build_shuffle_then_shuffle",
}
