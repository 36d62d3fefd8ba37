# Made by tools/make_stubs.py.

__all__ = ['ControlOutputs', 'get_consuming_ops', 'get_generating_ops', 'get_tensors', 'make_list_of_op', 'make_list_of_t', 'make_placeholder_from_dtype_and_shape', 'make_placeholder_from_tensor', 'ph', 'placeholder_name']
from headrace.contrib.graph_editor.util import ControlOutputs as ControlOutputs
from headrace.contrib.graph_editor.util import get_consuming_ops as get_consuming_ops
from headrace.contrib.graph_editor.util import get_generating_ops as get_generating_ops
from headrace.contrib.graph_editor.util import get_tensors as get_tensors
from headrace.contrib.graph_editor.util import make_list_of_op as make_list_of_op
from headrace.contrib.graph_editor.util import make_list_of_t as make_list_of_t
from headrace.contrib.graph_editor.util import make_placeholder_from_dtype_and_shape as make_placeholder_from_dtype_and_shape
from headrace.contrib.graph_editor.util import make_placeholder_from_tensor as make_placeholder_from_tensor
from headrace.contrib.graph_editor.util import ph as ph
from headrace.contrib.graph_editor.util import placeholder_name as placeholder_name
