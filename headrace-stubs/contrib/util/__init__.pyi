# Made by tools/make_stubs.py.

__all__ = ['constant_value', 'make_ndarray', 'make_tensor_proto', 'ops_used_by_graph_def', 'stripped_op_list_for_graph']
from headrace.core.tensor_util import constant_value as constant_value
from headrace.messages.tensor_proto import MakeNdarray as make_ndarray
from headrace.messages.tensor_proto import make_tensor_proto as make_tensor_proto
from headrace.messages.op_lists import ops_used_by_graph_def as ops_used_by_graph_def
from headrace.messages.op_lists import stripped_op_list_for_graph as stripped_op_list_for_graph
