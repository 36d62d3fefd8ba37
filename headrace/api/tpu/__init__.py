"""tf.tpu: programs written for TPUs, on the devices of this machine."""

HOMES = {
    "contrib.tpu.loops": "core outside_compilation",
    "contrib.tpu.refusals": "batch_parallel cross_replica_sum initialize_system replicate rewrite shard shutdown_system",
    "estimator.tpu.bfloat16": "bfloat16_scope",
    "estimator.tpu.cross_shard": "CrossShardOptimizer",
}
