# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer', 'BytesList', 'Checkpoint', 'CheckpointManager', 'CheckpointSaverHook', 'CheckpointSaverListener', 'ChiefSessionCreator', 'ClusterDef', 'ClusterSpec', 'Coordinator', 'Example', 'ExponentialMovingAverage', 'Feature', 'FeatureList', 'FeatureLists', 'Features', 'FeedFnHook', 'FinalOpsHook', 'FloatList', 'FtrlOptimizer', 'GlobalStepWaiterHook', 'GradientDescentOptimizer', 'Int64List', 'JobDef', 'LoggingTensorHook', 'LooperThread', 'MomentumOptimizer', 'MonitoredSession', 'MonitoredTrainingSession', 'NanLossDuringTrainingError', 'NanTensorHook', 'NewCheckpointReader', 'Optimizer', 'ProfilerHook', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer', 'QueueRunner', 'RMSPropOptimizer', 'Saver', 'SaverDef', 'Scaffold', 'SecondOrStepTimer', 'SequenceExample', 'Server', 'ServerDef', 'SessionCreator', 'SessionManager', 'SessionRunArgs', 'SessionRunContext', 'SessionRunHook', 'SessionRunValues', 'SingularMonitoredSession', 'StepCounterHook', 'StopAtStepHook', 'SummarySaverHook', 'SummaryWriter', 'Supervisor', 'SyncReplicasOptimizer', 'SyncReplicasOptimizerV2', 'VocabInfo', 'WorkerSessionCreator', 'add_queue_runner', 'assert_global_step', 'basic_train_loop', 'batch', 'batch_join', 'checkpoint_exists', 'checkpoints_iterator', 'cosine_decay', 'cosine_decay_restarts', 'create_global_step', 'do_quantize_training_on_graphdef', 'experimental', 'exponential_decay', 'export_meta_graph', 'generate_checkpoint_state_proto', 'get_checkpoint_mtimes', 'get_checkpoint_state', 'get_global_step', 'get_or_create_global_step', 'global_step', 'import_meta_graph', 'init_from_checkpoint', 'input_producer', 'inverse_time_decay', 'latest_checkpoint', 'limit_epochs', 'linear_cosine_decay', 'list_variables', 'load_checkpoint', 'load_variable', 'match_filenames_once', 'maybe_batch', 'maybe_batch_join', 'maybe_shuffle_batch', 'maybe_shuffle_batch_join', 'natural_exp_decay', 'noisy_linear_cosine_decay', 'piecewise_constant', 'piecewise_constant_decay', 'polynomial_decay', 'queue_runner', 'range_input_producer', 'remove_checkpoint', 'replica_device_setter', 'sdca_fprint', 'sdca_optimizer', 'sdca_shrink_l1', 'shuffle_batch', 'shuffle_batch_join', 'slice_input_producer', 'start_queue_runners', 'string_input_producer', 'summary_iterator', 'update_checkpoint_state', 'warm_start', 'write_graph']
from headrace.optimizers.rmsprop import AdadeltaOptimizer as AdadeltaOptimizer
from headrace.optimizers.adagrad import AdagradDAOptimizer as AdagradDAOptimizer
from headrace.optimizers.adagrad import AdagradOptimizer as AdagradOptimizer
from headrace.optimizers.adam import AdamOptimizer as AdamOptimizer
BytesList: Any
from headrace.checkpoints.checkpoint import Checkpoint as Checkpoint
from headrace.checkpoints.checkpoint_manager import CheckpointManager as CheckpointManager
from headrace.sessions.saving_hooks import CheckpointSaverHook as CheckpointSaverHook
from headrace.sessions.saving_hooks import CheckpointSaverListener as CheckpointSaverListener
from headrace.sessions.session_creators import ChiefSessionCreator as ChiefSessionCreator
ClusterDef: Any
from headrace.sessions.cluster import ClusterSpec as ClusterSpec
from headrace.sessions.coordinator import Coordinator as Coordinator
Example: Any
from headrace.optimizers.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
Feature: Any
FeatureList: Any
FeatureLists: Any
Features: Any
from headrace.sessions.hooks import FeedFnHook as FeedFnHook
from headrace.sessions.hooks import FinalOpsHook as FinalOpsHook
FloatList: Any
from headrace.optimizers.adagrad import FtrlOptimizer as FtrlOptimizer
from headrace.sessions.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from headrace.optimizers.descent import GradientDescentOptimizer as GradientDescentOptimizer
Int64List: Any
JobDef: Any
from headrace.sessions.hooks import LoggingTensorHook as LoggingTensorHook
from headrace.sessions.coordinator import LooperThread as LooperThread
from headrace.optimizers.descent import MomentumOptimizer as MomentumOptimizer
from headrace.sessions.monitored_session import MonitoredSession as MonitoredSession
from headrace.sessions.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
from headrace.sessions.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from headrace.sessions.hooks import NanTensorHook as NanTensorHook
from headrace.files.checkpoint.reader import NewCheckpointReader as NewCheckpointReader
from headrace.optimizers.optimizer import Optimizer as Optimizer
from headrace.sessions.saving_hooks import ProfilerHook as ProfilerHook
from headrace.optimizers.adagrad import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from headrace.optimizers.descent import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from headrace.sessions.queue_runner import QueueRunner as QueueRunner
from headrace.optimizers.rmsprop import RMSPropOptimizer as RMSPropOptimizer
from headrace.checkpoints.saver import Saver as Saver
SaverDef: Any
from headrace.sessions.scaffold import Scaffold as Scaffold
from headrace.sessions.hook_timers import SecondOrStepTimer as SecondOrStepTimer
SequenceExample: Any
from headrace.sessions.server import Server as Server
ServerDef: Any
from headrace.sessions.session_creators import SessionCreator as SessionCreator
from headrace.sessions.session_manager import SessionManager as SessionManager
from headrace.sessions.session_run_hook import SessionRunArgs as SessionRunArgs
from headrace.sessions.session_run_hook import SessionRunContext as SessionRunContext
from headrace.sessions.session_run_hook import SessionRunHook as SessionRunHook
from headrace.sessions.session_run_hook import SessionRunValues as SessionRunValues
from headrace.sessions.monitored_session import SingularMonitoredSession as SingularMonitoredSession
from headrace.sessions.hooks import StepCounterHook as StepCounterHook
from headrace.sessions.hooks import StopAtStepHook as StopAtStepHook
from headrace.sessions.saving_hooks import SummarySaverHook as SummarySaverHook
from headrace.summary.writer import FileWriter as SummaryWriter
from headrace.sessions.supervisor import Supervisor as Supervisor
from headrace.optimizers.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from headrace.optimizers.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizerV2
from headrace.checkpoints.warm_starting import VocabInfo as VocabInfo
from headrace.sessions.session_creators import WorkerSessionCreator as WorkerSessionCreator
from headrace.sessions.queue_runner import add_queue_runner as add_queue_runner
from headrace.state.global_step import assert_global_step as assert_global_step
from headrace.sessions.basic_loops import basic_train_loop as basic_train_loop
from headrace.input_queues.batching import batch as batch
from headrace.input_queues.batching import batch_join as batch_join
from headrace.checkpoints.checkpoint_state import checkpoint_exists as checkpoint_exists
from headrace.checkpoints.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from headrace.optimizers.decays import cosine_decay as cosine_decay
from headrace.optimizers.decays import cosine_decay_restarts as cosine_decay_restarts
from headrace.state.global_step import create_global_step as create_global_step
from headrace.graph_tools.quantize_training import do_quantize_training_on_graphdef as do_quantize_training_on_graphdef
from headrace.train import experimental as experimental
from headrace.optimizers.decays import exponential_decay as exponential_decay
from headrace.checkpoints.meta_graphs import export_meta_graph as export_meta_graph
from headrace.checkpoints.checkpoint_state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from headrace.checkpoints.checkpoint_state import get_checkpoint_mtimes as get_checkpoint_mtimes
from headrace.checkpoints.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from headrace.state.global_step import get_global_step as get_global_step
from headrace.state.global_step import get_or_create_global_step as get_or_create_global_step
from headrace.state.global_step import global_step as global_step
from headrace.checkpoints.meta_graphs import import_meta_graph as import_meta_graph
from headrace.checkpoints.checkpoint_utils import init_from_checkpoint as init_from_checkpoint
from headrace.input_queues.producers import input_producer as input_producer
from headrace.optimizers.decays import inverse_time_decay as inverse_time_decay
from headrace.checkpoints.checkpoint_state import latest_checkpoint as latest_checkpoint
from headrace.input_queues.producers import limit_epochs as limit_epochs
from headrace.optimizers.decays import linear_cosine_decay as linear_cosine_decay
from headrace.checkpoints.checkpoint_utils import list_variables as list_variables
from headrace.checkpoints.checkpoint_utils import load_checkpoint as load_checkpoint
from headrace.checkpoints.checkpoint_utils import load_variable as load_variable
from headrace.input_queues.producers import match_filenames_once as match_filenames_once
from headrace.input_queues.batching import maybe_batch as maybe_batch
from headrace.input_queues.batching import maybe_batch_join as maybe_batch_join
from headrace.input_queues.batching import maybe_shuffle_batch as maybe_shuffle_batch
from headrace.input_queues.batching import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from headrace.optimizers.decays import natural_exp_decay as natural_exp_decay
from headrace.optimizers.decays import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from headrace.optimizers.decays import piecewise_constant as piecewise_constant
from headrace.optimizers.decays import piecewise_constant_decay as piecewise_constant_decay
from headrace.optimizers.decays import polynomial_decay as polynomial_decay
from headrace.train import queue_runner as queue_runner
from headrace.input_queues.producers import range_input_producer as range_input_producer
from headrace.checkpoints.checkpoint_state import remove_checkpoint as remove_checkpoint
from headrace.sessions.cluster import replica_device_setter as replica_device_setter
from headrace.ops.string.fingerprint128 import sdca_fprint as sdca_fprint
from headrace.ops.train.dual_ascent import sdca_optimizer as sdca_optimizer
from headrace.ops.train.dual_ascent import sdca_shrink_l1 as sdca_shrink_l1
from headrace.input_queues.batching import shuffle_batch as shuffle_batch
from headrace.input_queues.batching import shuffle_batch_join as shuffle_batch_join
from headrace.input_queues.producers import slice_input_producer as slice_input_producer
from headrace.sessions.queue_runner import start_queue_runners as start_queue_runners
from headrace.input_queues.producers import string_input_producer as string_input_producer
from headrace.files.events import summary_iterator as summary_iterator
from headrace.checkpoints.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from headrace.checkpoints.warm_starting import warm_start as warm_start
from headrace.messages.graph_files import write_graph as write_graph
