"""tf.distribute.experimental: strategies over servers and central storage."""

HOMES = {"distribute.collectives": "CollectiveCommunication"}

SPELLED = {
    "MultiWorkerMirroredStrategy": "distribute.multi_worker_mirrored.MultiWorkerMirroredStrategyV1",
    "CentralStorageStrategy": "distribute.parameter_server.CentralStorageStrategyV1",
    "TPUStrategy": "distribute.tpu.TPUStrategyV1",
    "ParameterServerStrategy": "distribute.parameter_server.ParameterServerStrategyV1",
}
