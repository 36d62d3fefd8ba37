# Made by tools/make_stubs.py.

__all__ = ['CentralStorageStrategy', 'CollectiveCommunication', 'MultiWorkerMirroredStrategy', 'ParameterServerStrategy', 'TPUStrategy']
from headrace.distribute.parameter_server import CentralStorageStrategyV1 as CentralStorageStrategy
from headrace.distribute.collectives import CollectiveCommunication as CollectiveCommunication
from headrace.distribute.multi_worker_mirrored import MultiWorkerMirroredStrategyV1 as MultiWorkerMirroredStrategy
from headrace.distribute.parameter_server import ParameterServerStrategyV1 as ParameterServerStrategy
from headrace.distribute.tpu import TPUStrategyV1 as TPUStrategy
