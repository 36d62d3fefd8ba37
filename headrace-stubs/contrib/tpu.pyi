# Made by tools/make_stubs.py.

from headrace.estimator.tpu.cross_shard import CrossShardOptimizer as CrossShardOptimizer
from headrace.estimator.tpu.config import InputPipelineConfig as InputPipelineConfig
from headrace.estimator.tpu.config import RunConfig as RunConfig
from headrace.estimator.tpu.config import TPUConfig as TPUConfig
from headrace.estimator.tpu.estimator import TPUEstimator as TPUEstimator
from headrace.estimator.tpu.spec import TPUEstimatorSpec as TPUEstimatorSpec
from headrace.estimator.tpu.bfloat16 import bfloat16_scope as bfloat16_scope
from headrace.estimator.tpu.estimator import export_estimator_savedmodel as export_estimator_savedmodel
