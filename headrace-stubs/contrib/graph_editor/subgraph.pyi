# Made by tools/make_stubs.py.

__all__ = ['SubGraphView', 'make_view', 'make_view_from_scope', 'sgv', 'sgv_scope']
from headrace.contrib.graph_editor.subgraph import SubGraphView as SubGraphView
from headrace.contrib.graph_editor.subgraph import make_view as make_view
from headrace.contrib.graph_editor.subgraph import make_view_from_scope as make_view_from_scope
from headrace.contrib.graph_editor.subgraph import sgv as sgv
from headrace.contrib.graph_editor.subgraph import sgv_scope as sgv_scope
