# Made by tools/make_stubs.py.

__all__ = ['Accuracy', 'BinaryAccuracy', 'CategoricalAccuracy', 'Mean', 'Metric', 'SparseAccuracy']
from headrace.contrib.eager.metrics import Accuracy as Accuracy
from headrace.contrib.eager.metrics import BinaryAccuracy as BinaryAccuracy
from headrace.contrib.eager.metrics import CategoricalAccuracy as CategoricalAccuracy
from headrace.contrib.eager.metrics import Mean as Mean
from headrace.contrib.eager.metrics import Metric as Metric
from headrace.contrib.eager.metrics import SparseAccuracy as SparseAccuracy
