# Made by tools/make_stubs.py.

__all__ = ['Transformer', 'TransformerInfo', 'assign_renamed_collections_handler', 'copy', 'copy_op_handler', 'copy_with_input_replacements', 'graph_replace', 'keep_t_if_possible_handler', 'replace_t_with_placeholder_handler', 'transform_op_if_inside_handler']
from headrace.contrib.graph_editor.transform import Transformer as Transformer
from headrace.contrib.graph_editor.transform import TransformerInfo as TransformerInfo
from headrace.contrib.graph_editor.transform import assign_renamed_collections_handler as assign_renamed_collections_handler
from headrace.contrib.graph_editor.transform import copy as copy
from headrace.contrib.graph_editor.transform import copy_op_handler as copy_op_handler
from headrace.contrib.graph_editor.transform import copy_with_input_replacements as copy_with_input_replacements
from headrace.contrib.graph_editor.transform import graph_replace as graph_replace
from headrace.contrib.graph_editor.transform import keep_t_if_possible_handler as keep_t_if_possible_handler
from headrace.contrib.graph_editor.transform import replace_t_with_placeholder_handler as replace_t_with_placeholder_handler
from headrace.contrib.graph_editor.transform import transform_op_if_inside_handler as transform_op_if_inside_handler
