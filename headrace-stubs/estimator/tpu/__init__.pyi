# Made by tools/make_stubs.py.

__all__ = ['InputPipelineConfig', 'RunConfig', 'TPUConfig', 'TPUEstimator', 'TPUEstimatorSpec', 'experimental']
from headrace.estimator.tpu.config import InputPipelineConfig as InputPipelineConfig
from headrace.estimator.tpu.config import RunConfig as RunConfig
from headrace.estimator.tpu.config import TPUConfig as TPUConfig
from headrace.estimator.tpu.estimator import TPUEstimator as TPUEstimator
from headrace.estimator.tpu.spec import TPUEstimatorSpec as TPUEstimatorSpec
from headrace.estimator.tpu import experimental as experimental
