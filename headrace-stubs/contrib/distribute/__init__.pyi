# Made by tools/make_stubs.py.

__all__ = ['AllReduceCrossDeviceOps', 'AllReduceCrossTowerOps', 'CollectiveAllReduceStrategy', 'CrossDeviceOps', 'CrossTowerOps', 'DistributeConfig', 'DistributionStrategy', 'DistributionStrategyExtended', 'MirroredStrategy', 'Monitor', 'MultiWorkerAllReduce', 'OneDeviceStrategy', 'ParameterServerStrategy', 'ReductionToOneDeviceCrossDeviceOps', 'ReductionToOneDeviceCrossTowerOps', 'ReplicaContext', 'StandardInputStep', 'StandardSingleLossStep', 'Step', 'TPUStrategy', 'UpdateContext', 'get_cross_replica_context', 'get_distribution_strategy', 'get_loss_reduction', 'get_replica_context', 'get_strategy', 'has_distribution_strategy', 'has_strategy', 'in_cross_replica_context', 'initialize_tpu_system', 'require_replica_context', 'run_standard_tensorflow_server']
from headrace.distribute.cross_device_ops import AllReduceCrossDeviceOps as AllReduceCrossDeviceOps
from headrace.distribute.cross_device_ops import AllReduceCrossDeviceOps as AllReduceCrossTowerOps
from headrace.distribute.multi_worker_mirrored import ContribCollectiveAllReduceStrategy as CollectiveAllReduceStrategy
from headrace.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from headrace.distribute.cross_device_ops import CrossDeviceOps as CrossTowerOps
from headrace.distribute.distribute_config import DistributeConfig as DistributeConfig
from headrace.distribute.strategy import StrategyV1 as DistributionStrategy
from headrace.distribute.extended import StrategyExtendedV1 as DistributionStrategyExtended
from headrace.contrib.distribute.strategies import MirroredStrategy as MirroredStrategy
from headrace.contrib.distribute.steps import Monitor as Monitor
from headrace.distribute.multi_worker_ops import MultiWorkerAllReduce as MultiWorkerAllReduce
from headrace.distribute.one_device import OneDeviceStrategyV1 as OneDeviceStrategy
from headrace.contrib.distribute.strategies import ParameterServerStrategy as ParameterServerStrategy
from headrace.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDeviceCrossDeviceOps
from headrace.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDeviceCrossTowerOps
from headrace.distribute.replica_context import ReplicaContext as ReplicaContext
from headrace.contrib.distribute.steps import StandardInputStep as StandardInputStep
from headrace.contrib.distribute.steps import StandardSingleLossStep as StandardSingleLossStep
from headrace.contrib.distribute.steps import Step as Step
from headrace.distribute.tpu import TPUStrategyV1 as TPUStrategy
from headrace.distribute.replica_context import UpdateContext as UpdateContext
from headrace.state.replication import get_cross_replica_context as get_cross_replica_context
from headrace.state.replication import get_strategy as get_distribution_strategy
from headrace.state.replication import get_loss_reduction as get_loss_reduction
from headrace.state.replication import get_replica_context as get_replica_context
from headrace.state.replication import get_strategy as get_strategy
from headrace.state.replication import has_strategy as has_distribution_strategy
from headrace.state.replication import has_strategy as has_strategy
from headrace.state.replication import in_cross_replica_context as in_cross_replica_context
from headrace.distribute.tpu import initialize_tpu_system as initialize_tpu_system
from headrace.distribute.replica_context import require_replica_context as require_replica_context
from headrace.distribute.coordinator import run_standard_tensorflow_server as run_standard_tensorflow_server
