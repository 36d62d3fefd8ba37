# Made by tools/make_stubs.py.

__all__ = ['CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'InputReplicationMode', 'MirroredStrategy', 'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext', 'Server', 'Strategy', 'StrategyExtended', 'experimental', 'experimental_set_strategy', 'get_replica_context', 'get_strategy', 'has_strategy', 'in_cross_replica_context']
from headrace.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from headrace.distribute.cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from headrace.distribute.strategy import InputContext as InputContext
from headrace.distribute.strategy import InputReplicationMode as InputReplicationMode
from headrace.distribute.mirrored import MirroredStrategy as MirroredStrategy
from headrace.distribute.cross_device_ops import NcclAllReduce as NcclAllReduce
from headrace.distribute.one_device import OneDeviceStrategy as OneDeviceStrategy
from headrace.state.modes import ReduceOp as ReduceOp
from headrace.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from headrace.distribute.replica_context import ReplicaContext as ReplicaContext
from headrace.sessions.server import Server as Server
from headrace.distribute.strategy import Strategy as Strategy
from headrace.distribute.extended import StrategyExtended as StrategyExtended
from headrace.compat.v2.distribute import experimental as experimental
from headrace.state.replication import experimental_set_strategy as experimental_set_strategy
from headrace.state.replication import get_replica_context as get_replica_context
from headrace.state.replication import get_strategy as get_strategy
from headrace.state.replication import has_strategy as has_strategy
from headrace.state.replication import in_cross_replica_context as in_cross_replica_context
