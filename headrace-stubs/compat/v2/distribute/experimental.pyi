# Made by tools/make_stubs.py.

__all__ = ['CentralStorageStrategy', 'CollectiveCommunication', 'MultiWorkerMirroredStrategy', 'ParameterServerStrategy', 'TPUStrategy']
from headrace.distribute.parameter_server import CentralStorageStrategy as CentralStorageStrategy
from headrace.distribute.collectives import CollectiveCommunication as CollectiveCommunication
from headrace.distribute.multi_worker_mirrored import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from headrace.distribute.parameter_server import ParameterServerStrategy as ParameterServerStrategy
from headrace.distribute.tpu import TPUStrategy as TPUStrategy
