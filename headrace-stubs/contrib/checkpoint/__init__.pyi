# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['CheckpointManager', 'Checkpointable', 'CheckpointableBase', 'CheckpointableObjectGraph', 'List', 'Mapping', 'NoDependency', 'NumpyState', 'PythonStateWrapper', 'UniqueNameTracker', 'capture_dependencies', 'dot_graph_from_checkpoint', 'list_objects', 'object_metadata', 'split_dependency']
from headrace.checkpoints.checkpoint_manager import CheckpointManager as CheckpointManager
from headrace.checkpoints.auto_trackable import AutoTrackable as Checkpointable
from headrace.checkpoints.tracking import Trackable as CheckpointableBase
CheckpointableObjectGraph: Any
from headrace.checkpoints.containers import List as List
from headrace.checkpoints.containers import Mapping as Mapping
from headrace.state.dependencies import NoDependency as NoDependency
from headrace.checkpoints.python_state import NumpyState as NumpyState
from headrace.checkpoints.python_state import PythonState as PythonStateWrapper
from headrace.checkpoints.python_state import UniqueNameTracker as UniqueNameTracker
from headrace.state.capturing import capture_dependencies as capture_dependencies
from headrace.checkpoints.checkpoint import dot_graph_from_checkpoint as dot_graph_from_checkpoint
from headrace.checkpoints.checkpoint import list_objects as list_objects
from headrace.checkpoints.checkpoint import object_metadata as object_metadata
from headrace.contrib.checkpoint.splitting import split_dependency as split_dependency
