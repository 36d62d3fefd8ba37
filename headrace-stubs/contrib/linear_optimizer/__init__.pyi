# Made by tools/make_stubs.py.

__all__ = ['SDCAOptimizer', 'SdcaModel', 'SparseFeatureColumn']
from headrace.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer as SDCAOptimizer
from headrace.estimator.linear_optimizer.sdca_model import SdcaModel as SdcaModel
from headrace.estimator.linear_optimizer.sparse_features import SparseFeatureColumn as SparseFeatureColumn
