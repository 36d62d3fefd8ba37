# Made by tools/make_stubs.py.

__all__ = ['ReceptiveField', 'compute_receptive_field_from_graph_def', 'get_compute_order']
from headrace.contrib.receptive_field.receptive_field import ReceptiveField as ReceptiveField
from headrace.contrib.receptive_field.receptive_field import compute_receptive_field_from_graph_def as compute_receptive_field_from_graph_def
from headrace.contrib.receptive_field.compute_order import get_compute_order as get_compute_order
