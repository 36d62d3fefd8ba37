"""tf.contrib.nccl: what `tensorflow.contrib.nccl.python.ops.nccl_ops` has."""

HOMES = {"ops.collective.nccl": "all_max all_min all_prod all_sum broadcast reduce_sum"}
