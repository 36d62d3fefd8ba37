# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['FailureTolerator', 'FeedingQueueRunner', 'GreedyLoadBalancingStrategy', 'HParamDef', 'HParams', 'NextQueuedSequenceBatch', 'RandomStrategy', 'SequenceQueueingStateSaver', 'StopAfterNEvalsHook', 'SummaryAtEndHook', 'add_gradients_summaries', 'batch_sequences_with_states', 'bucket', 'bucket_by_sequence_length', 'byte_size_load_fn', 'checkpoints_iterator', 'clip_gradient_norms', 'clip_gradient_norms_fn', 'create_train_op', 'evaluate_once', 'evaluate_repeatedly', 'get_or_create_eval_step', 'multiply_gradients', 'parse_values', 'rejection_sample', 'resample_at_rate', 'stratified_sample', 'train', 'wait_for_new_checkpoint', 'weighted_resample']
from headrace.contrib.training.failure_tolerator import FailureTolerator as FailureTolerator
from headrace.input_queues.feeding import FeedingQueueRunner as FeedingQueueRunner
from headrace.contrib.training.placing import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
HParamDef: Any
from headrace.contrib.training.hparams import HParams as HParams
from headrace.contrib.training.sequence_states import NextQueuedSequenceBatch as NextQueuedSequenceBatch
from headrace.contrib.training.placing import RandomStrategy as RandomStrategy
from headrace.contrib.training.sequence_states import SequenceQueueingStateSaver as SequenceQueueingStateSaver
from headrace.sessions.evaluating import StopAfterNEvalsHook as StopAfterNEvalsHook
from headrace.contrib.training.evaluation import SummaryAtEndHook as SummaryAtEndHook
from headrace.contrib.training.train_ops import add_gradients_summaries as add_gradients_summaries
from headrace.contrib.training.sequence_batching import batch_sequences_with_states as batch_sequences_with_states
from headrace.contrib.training.bucketing import bucket as bucket
from headrace.contrib.training.bucketing import bucket_by_sequence_length as bucket_by_sequence_length
from headrace.contrib.training.placing import byte_size_load_fn as byte_size_load_fn
from headrace.checkpoints.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from headrace.contrib.training.train_ops import clip_gradient_norms as clip_gradient_norms
from headrace.contrib.training.train_ops import clip_gradient_norms_fn as clip_gradient_norms_fn
from headrace.contrib.training.train_ops import create_train_op as create_train_op
from headrace.sessions.evaluating import evaluate_once as evaluate_once
from headrace.contrib.training.evaluation import evaluate_repeatedly as evaluate_repeatedly
from headrace.sessions.evaluating import get_or_create_eval_step as get_or_create_eval_step
from headrace.contrib.training.train_ops import multiply_gradients as multiply_gradients
from headrace.contrib.training.hparams import parse_values as parse_values
from headrace.contrib.training.sampling import rejection_sample as rejection_sample
from headrace.contrib.training.resampling import resample_at_rate as resample_at_rate
from headrace.contrib.training.sampling import stratified_sample as stratified_sample
from headrace.contrib.training.evaluation import train as train
from headrace.checkpoints.checkpoint_utils import wait_for_new_checkpoint as wait_for_new_checkpoint
from headrace.contrib.training.resampling import weighted_resample as weighted_resample
