"""tf.distribute: strategies, which spread a program over devices and processes."""

HOMES = {
    "distribute.cross_device_ops": "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
    "distribute.replica_context": "ReplicaContext",
    "distribute.strategy": "InputContext InputReplicationMode",
    "sessions.server": "Server",
    "state.modes": "ReduceOp",
    "state.replication": "experimental_set_strategy get_loss_reduction get_replica_context get_strategy has_strategy "
    "in_cross_replica_context",
}

SPELLED = {
    "MirroredStrategy": "distribute.mirrored.MirroredStrategyV1",
    "OneDeviceStrategy": "distribute.one_device.OneDeviceStrategyV1",
    "Strategy": "distribute.strategy.StrategyV1",
    "StrategyExtended": "distribute.extended.StrategyExtendedV1",
}
