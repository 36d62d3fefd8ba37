"""tf.compat.v2.distribute: strategies as TensorFlow 2 has them."""

HOMES = {
    "distribute.cross_device_ops": "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
    "distribute.mirrored": "MirroredStrategy",
    "distribute.one_device": "OneDeviceStrategy",
    "distribute.replica_context": "ReplicaContext",
    "distribute.strategy": "InputContext InputReplicationMode Strategy",
    "distribute.extended": "StrategyExtended",
    "sessions.server": "Server",
    "state.modes": "ReduceOp",
    "state.replication": "experimental_set_strategy get_replica_context get_strategy has_strategy in_cross_replica_context",
}

NESTED = {
    "experimental": {
        "distribute.collectives": "CollectiveCommunication",
        "distribute.multi_worker_mirrored": "MultiWorkerMirroredStrategy",
        "distribute.parameter_server": "CentralStorageStrategy ParameterServerStrategy",
        "distribute.tpu": "TPUStrategy",
    }
}
