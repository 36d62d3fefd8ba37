# Made by tools/make_stubs.py.

from headrace.graph_util import import_graph_def as import_graph_def
