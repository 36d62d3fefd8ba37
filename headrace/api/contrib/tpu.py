"""tf.contrib.tpu: programs written for TPUs, on the devices of this machine."""

HOMES = {
    "contrib.tpu.loops": "AsyncCheckpointSaverHook core outside_compilation repeat while_loop",
    "contrib.tpu.refusals": "DeviceAssignment InfeedQueue TPUDistributionStrategy Topology batch_parallel "
    "cross_replica_sum device_assignment infeed_dequeue infeed_dequeue_tuple infeed_enqueue infeed_enqueue_tuple "
    "initialize_system keras_to_tpu_model outfeed_dequeue outfeed_dequeue_tuple outfeed_enqueue outfeed_enqueue_tuple "
    "replicate rewrite shard shutdown_system",
    "estimator.tpu.bfloat16": "bfloat16_scope",
    "estimator.tpu.config": "InputPipelineConfig RunConfig TPUConfig",
    "estimator.tpu.cross_shard": "CrossShardOptimizer",
    "estimator.tpu.estimator": "TPUEstimator export_estimator_savedmodel",
    "estimator.tpu.spec": "TPUEstimatorSpec",
}

SPELLED = {
    # Evaluates without writing a checkpoint first, as that of other estimators does.
    "TPUInMemoryEvalHook": "estimator.hooks.in_memory_evaluator.InMemoryEvaluatorHook",
}

NESTED: dict[str, dict[str, str]] = {"profiler": {}}
