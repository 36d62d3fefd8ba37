"""Operations that a SavedModel runs when it is loaded."""

from __future__ import annotations

from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.operation import Operation
from headrace.ops.flow.grouping import group, no_op
from headrace.state.collecting import global_variables_initializer, local_variables_initializer


def _tables() -> Operation:
    """Initializes all tables of the default graph."""
    initializers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name="init_all_tables") if initializers else no_op(name="init_all_tables")


def main_op() -> Operation:
    """An operation that initializes variables and tables."""
    return group(global_variables_initializer(), local_variables_initializer(), _tables())


def main_op_with_restore(restore_op_name: str) -> Operation:
    """An operation that initializes variables and tables and then runs the restoring operation of this name."""
    with control_dependencies([main_op()]):
        return group(get_default_graph().get_operation_by_name(restore_op_name))
