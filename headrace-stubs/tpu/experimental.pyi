# Made by tools/make_stubs.py.

__all__ = ['AdagradParameters', 'AdamParameters', 'DeviceAssignment', 'StochasticGradientDescentParameters', 'embedding_column', 'initialize_tpu_system', 'shared_embedding_columns']
from headrace.estimator.tpu.embeddings import AdagradParameters as AdagradParameters
from headrace.estimator.tpu.embeddings import AdamParameters as AdamParameters
from headrace.contrib.tpu.refusals import DeviceAssignment as DeviceAssignment
from headrace.estimator.tpu.embeddings import StochasticGradientDescentParameters as StochasticGradientDescentParameters
from headrace.feature_column.for_tpu import embedding_column as embedding_column
from headrace.contrib.tpu.refusals import initialize_tpu_system as initialize_tpu_system
from headrace.feature_column.for_tpu import shared_embedding_columns as shared_embedding_columns
