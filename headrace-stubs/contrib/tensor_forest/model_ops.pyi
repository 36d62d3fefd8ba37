# Made by tools/make_stubs.py.

__all__ = ['TreeVariable', 'TreeVariableSavable', 'tree_variable']
from headrace.contrib.tensor_forest.tree_variable import TreeVariable as TreeVariable
from headrace.contrib.tensor_forest.tree_variable import TreeVariableSavable as TreeVariableSavable
from headrace.contrib.tensor_forest.tree_variable import tree_variable as tree_variable
