# Made by tools/make_stubs.py.

__all__ = ['CrossShardOptimizer', 'batch_parallel', 'bfloat16_scope', 'core', 'cross_replica_sum', 'experimental', 'initialize_system', 'outside_compilation', 'replicate', 'rewrite', 'shard', 'shutdown_system']
from headrace.estimator.tpu.cross_shard import CrossShardOptimizer as CrossShardOptimizer
from headrace.contrib.tpu.refusals import batch_parallel as batch_parallel
from headrace.estimator.tpu.bfloat16 import bfloat16_scope as bfloat16_scope
from headrace.contrib.tpu.loops import core as core
from headrace.contrib.tpu.refusals import cross_replica_sum as cross_replica_sum
from headrace.tpu import experimental as experimental
from headrace.contrib.tpu.refusals import initialize_system as initialize_system
from headrace.contrib.tpu.loops import outside_compilation as outside_compilation
from headrace.contrib.tpu.refusals import replicate as replicate
from headrace.contrib.tpu.refusals import rewrite as rewrite
from headrace.contrib.tpu.refusals import shard as shard
from headrace.contrib.tpu.refusals import shutdown_system as shutdown_system
