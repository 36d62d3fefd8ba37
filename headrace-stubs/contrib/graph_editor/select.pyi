# Made by tools/make_stubs.py.

__all__ = ['can_be_regex', 'check_cios', 'compute_boundary_ts', 'filter_ops', 'filter_ops_from_regex', 'filter_ts', 'filter_ts_from_regex', 'get_backward_walk_ops', 'get_forward_walk_ops', 'get_name_scope_ops', 'get_ops_ios', 'get_walks_intersection_ops', 'get_walks_union_ops', 'get_within_boundary_ops', 'make_regex', 'select_ops', 'select_ops_and_ts', 'select_ts']
from headrace.contrib.graph_editor.select import can_be_regex as can_be_regex
from headrace.contrib.graph_editor.select import check_cios as check_cios
from headrace.contrib.graph_editor.select import compute_boundary_ts as compute_boundary_ts
from headrace.contrib.graph_editor.select import filter_ops as filter_ops
from headrace.contrib.graph_editor.select import filter_ops_from_regex as filter_ops_from_regex
from headrace.contrib.graph_editor.select import filter_ts as filter_ts
from headrace.contrib.graph_editor.select import filter_ts_from_regex as filter_ts_from_regex
from headrace.contrib.graph_editor.select import get_backward_walk_ops as get_backward_walk_ops
from headrace.contrib.graph_editor.select import get_forward_walk_ops as get_forward_walk_ops
from headrace.contrib.graph_editor.select import get_name_scope_ops as get_name_scope_ops
from headrace.contrib.graph_editor.select import get_ops_ios as get_ops_ios
from headrace.contrib.graph_editor.select import get_walks_intersection_ops as get_walks_intersection_ops
from headrace.contrib.graph_editor.select import get_walks_union_ops as get_walks_union_ops
from headrace.contrib.graph_editor.select import get_within_boundary_ops as get_within_boundary_ops
from headrace.contrib.graph_editor.select import make_regex as make_regex
from headrace.contrib.graph_editor.select import select_ops as select_ops
from headrace.contrib.graph_editor.select import select_ops_and_ts as select_ops_and_ts
from headrace.contrib.graph_editor.select import select_ts as select_ts
