"""The variables of a graph by collection, and the operations that initialize them or tell which have no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, device, get_collection, get_default_graph, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask
from headrace.kernels import composing
from headrace.ops.flow.grouping import group
from headrace.state.updates import is_variable_initialized

if TYPE_CHECKING:
    from headrace.state.variable_class import Variable


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of `GraphKeys.GLOBAL_VARIABLES` whose names begin as the regular expression `scope` does."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The 0.x spelling of `global_variables`."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables of `GraphKeys.LOCAL_VARIABLES`, filtered as in `global_variables`."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables of `GraphKeys.MODEL_VARIABLES`, filtered as in `global_variables`."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers train by default, filtered as in `global_variables`."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables of which moving averages are kept, filtered as in `global_variables`."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def _all_saveable_objects(scope: str | None = None) -> list[Any]:
    """What a saver saves by default: the global variables and other saveable objects."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope) + get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """An operation that runs the initializers of `var_list`.

    Args:
        var_list: variables.
        name: a name for the operation.
    """
    # Eager variables have their values from the start.
    if var_list and not executing_eagerly():
        return group(*[variable.initializer for variable in var_list], name=name)
    return raw.NoOp(name=name)


def initialize_variables(var_list: Any, name: str = "init") -> Operation:
    """The 0.x spelling of `variables_initializer`."""
    return variables_initializer(var_list, name)


def global_variables_initializer() -> Operation:
    """An operation that initializes all global variables.

    Example:
        >>> sess.run(tf.global_variables_initializer())
    """
    return variables_initializer(global_variables())


def initialize_all_variables() -> Operation:
    """The 0.x spelling of `global_variables_initializer`."""
    return global_variables_initializer()


def local_variables_initializer() -> Operation:
    """An operation that initializes all local variables."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> Operation:
    """The 0.x spelling of `local_variables_initializer`."""
    return local_variables_initializer()


def _references() -> list[Tensor]:
    """The references of all variables of the default graph, for graphs that keep no collections."""
    operations = get_default_graph().get_operations()
    return [op.outputs[0] for op in operations if op.type in ("Variable", "VariableV2")]


def assert_variables_initialized(var_list: Any = None) -> Tensor | None:
    """What fails with FailedPreconditionError when run while one of `var_list` has no value; None without variables.

    Args:
        var_list: variables; all global and local ones by default.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        var_list = _references()
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        with colocate_with(variable.op), name_scope(None, "Rank", [variable]) as scope:
            # Read twice, as rank() does it: for resource variables each read is an operation.
            convert_to_tensor(variable)
            ranks.append(raw.Rank(variable, name=scope))
    return ranks[0] if len(ranks) == 1 else composing.stack(ranks)


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """A string vector: the names of the variables that have no value when it is run.

    Args:
        var_list: variables; all global and local ones by default.
        name: a name scope.
    """
    if var_list is None:
        var_list = global_variables() + local_variables() or _references()
    with name_scope(name):
        flags = [is_variable_initialized(variable) for variable in var_list]
        with device("/cpu:0"):
            if not var_list:
                return convert_to_tensor([], "string", name="Const")
            missing = raw.LogicalNot(composing.stack(flags))
            names = convert_to_tensor([variable.op.name for variable in var_list], name="Const")
            return boolean_mask(names, missing)
