"""tf.contrib.distribute: strategies as 1.x had them there, steps of training, cross-device operations."""

HOMES = {
    "contrib.distribute.steps": "Monitor StandardInputStep StandardSingleLossStep Step",
    "contrib.distribute.strategies": "MirroredStrategy ParameterServerStrategy",
    "distribute.coordinator": "run_standard_tensorflow_server",
    "distribute.cross_device_ops": "AllReduceCrossDeviceOps CrossDeviceOps",
    "distribute.distribute_config": "DistributeConfig",
    "distribute.multi_worker_ops": "MultiWorkerAllReduce",
    "distribute.replica_context": "ReplicaContext UpdateContext require_replica_context",
    "distribute.tpu": "initialize_tpu_system",
    "state.replication": "get_cross_replica_context get_loss_reduction get_replica_context get_strategy has_strategy "
    "in_cross_replica_context",
}

SPELLED = {
    # Replicas were called towers before 1.11.
    "AllReduceCrossTowerOps": "distribute.cross_device_ops.AllReduceCrossDeviceOps",
    "CrossTowerOps": "distribute.cross_device_ops.CrossDeviceOps",
    "ReductionToOneDeviceCrossTowerOps": "distribute.cross_device_ops.ReductionToOneDevice",
    "CollectiveAllReduceStrategy": "distribute.multi_worker_mirrored.ContribCollectiveAllReduceStrategy",
    "DistributionStrategy": "distribute.strategy.StrategyV1",
    "DistributionStrategyExtended": "distribute.extended.StrategyExtendedV1",
    "OneDeviceStrategy": "distribute.one_device.OneDeviceStrategyV1",
    "ReductionToOneDeviceCrossDeviceOps": "distribute.cross_device_ops.ReductionToOneDevice",
    "TPUStrategy": "distribute.tpu.TPUStrategyV1",
    "get_distribution_strategy": "state.replication.get_strategy",
    "has_distribution_strategy": "state.replication.has_strategy",
}
