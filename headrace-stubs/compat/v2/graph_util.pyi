# Made by tools/make_stubs.py.

__all__ = ['import_graph_def']
from headrace.graph_util import import_graph_def as import_graph_def
