"""tf.contrib.tpu: programs written for TPUs, on the devices of this machine."""

HOMES = {
    "estimator.tpu.bfloat16": "bfloat16_scope",
    "estimator.tpu.config": "InputPipelineConfig RunConfig TPUConfig",
    "estimator.tpu.cross_shard": "CrossShardOptimizer",
    "estimator.tpu.estimator": "TPUEstimator export_estimator_savedmodel",
    "estimator.tpu.spec": "TPUEstimatorSpec",
}

_PROGRAM = "there are no TPUs in Headrace; build the computation in the graph and run it in a session"
_FEEDING = "there are no TPUs in Headrace, so nothing is fed to one; use a tf.data.Dataset"
_DEVICES = "there are no TPUs in Headrace, so there is nothing to assign; leave it out"

ABSENT = {
    "AsyncCheckpointSaverHook": "use tf.train.CheckpointSaverHook, which saves between two steps",
    "TPUInMemoryEvalHook": "use tf.contrib.estimator.InMemoryEvaluatorHook",
    "TPUDistributionStrategy": "there are no TPUs in Headrace; call fit of the Keras model itself",
    "keras_to_tpu_model": "there are no TPUs in Headrace; call fit of the Keras model itself",
    "cross_replica_sum": "there is one copy of a model in Headrace, so the sum over copies is the tensor itself",
    "repeat": "there are no TPUs in Headrace; use tf.while_loop",
    "while_loop": "there are no TPUs in Headrace; use tf.while_loop",
    "outside_compilation": "there are no TPUs in Headrace, so all is outside; call the function itself",
    "profiler": "there are no TPUs in Headrace to profile; use tf.profiler",
    **dict.fromkeys(("batch_parallel", "replicate", "rewrite", "shard"), _PROGRAM),
    **dict.fromkeys(("initialize_system", "shutdown_system", "core", "device_assignment"), _DEVICES),
    **dict.fromkeys(("DeviceAssignment", "Topology"), _DEVICES),
    **dict.fromkeys(
        (
            "InfeedQueue",
            "infeed_dequeue",
            "infeed_dequeue_tuple",
            "infeed_enqueue",
            "infeed_enqueue_tuple",
            "outfeed_dequeue",
            "outfeed_dequeue_tuple",
            "outfeed_enqueue",
            "outfeed_enqueue_tuple",
        ),
        _FEEDING,
    ),
}
