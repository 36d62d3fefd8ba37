# Made by tools/make_stubs.py.

__all__ = ['BytesList', 'Checkpoint', 'CheckpointManager', 'ClusterDef', 'ClusterSpec', 'Coordinator', 'Example', 'ExponentialMovingAverage', 'Feature', 'FeatureList', 'FeatureLists', 'Features', 'FloatList', 'Int64List', 'JobDef', 'SequenceExample', 'ServerDef', 'checkpoints_iterator', 'experimental', 'get_checkpoint_state', 'latest_checkpoint', 'list_variables', 'load_checkpoint', 'load_variable']
from headrace.train import BytesList as BytesList
from headrace.train import Checkpoint as Checkpoint
from headrace.train import CheckpointManager as CheckpointManager
from headrace.train import ClusterDef as ClusterDef
from headrace.train import ClusterSpec as ClusterSpec
from headrace.train import Coordinator as Coordinator
from headrace.train import Example as Example
from headrace.train import ExponentialMovingAverage as ExponentialMovingAverage
from headrace.train import Feature as Feature
from headrace.train import FeatureList as FeatureList
from headrace.train import FeatureLists as FeatureLists
from headrace.train import Features as Features
from headrace.train import FloatList as FloatList
from headrace.train import Int64List as Int64List
from headrace.train import JobDef as JobDef
from headrace.train import SequenceExample as SequenceExample
from headrace.train import ServerDef as ServerDef
from headrace.train import checkpoints_iterator as checkpoints_iterator
from headrace.compat.v2.train import experimental as experimental
from headrace.train import get_checkpoint_state as get_checkpoint_state
from headrace.train import latest_checkpoint as latest_checkpoint
from headrace.train import list_variables as list_variables
from headrace.train import load_checkpoint as load_checkpoint
from headrace.train import load_variable as load_variable
