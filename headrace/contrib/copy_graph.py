"""Copying variables and operations, with all that they are computed from, to other graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.core.apply import operation_from_parts
from headrace.core.collections import GraphKeys
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.runtime.session import Session
from headrace.state.variables import Variable

# These collections are for all scopes; others are told apart by the scope their members have been copied to.
_COMMON = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


def _scoped(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _collections_with(element: Any, scope: str) -> list[str]:
    """The collections of the other graph that a copy belongs to."""
    graph = element.graph
    keys = [key for key in graph.get_all_collection_keys() if element in graph.get_collection(key)]
    return [key if key in _COMMON else _scoped(key, scope) for key in keys]


def copy_variable_to_graph(org_instance: Any, to_graph: Graph, scope: str = "") -> Any:
    """A variable of another graph that starts with what this one starts with.

    Args:
        org_instance: the variable.
        to_graph: the graph to copy it to.
        scope: what to prefix its name with.

    Returns:
        the copy, a variable of `to_graph`, in the collections the original is in: those of a program have the scope
        in front of their names. Its static shape is unknown.

    Raises:
        TypeError: if `org_instance` is no variable.

    Example:
        >>> weights = tf.Variable([1.0, 2.0], name="weights")
        >>> other = tf.Graph()
        >>> tf.contrib.copy_graph.copy_variable_to_graph(weights, other, scope="copy").name
        'copy/weights:0'
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    source: Any = org_instance
    trainable = source in source.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    with source.graph.as_default(), Session(graph=source.graph) as session:
        value = session.run(source.initialized_value())
    with to_graph.as_default():
        return Variable(
            value,
            trainable,
            name=_scoped(source.op.name, scope),
            collections=_collections_with(source, scope),
            validate_shape=False,
        )


def _element(org_instance: Any, graph: Graph, scope: str) -> Any:
    return graph.as_graph_element(_scoped(org_instance.name, scope), allow_tensor=True, allow_operation=True)


def _copied_operation(op: Operation, to_graph: Graph, variables: list[Any], scope: str) -> Operation:
    original = op._original_op
    copied_original = None if original is None else copy_op_to_graph(original, to_graph, variables, scope)
    controls = [copy_op_to_graph(control, to_graph, variables, scope) for control in op.control_inputs]
    inputs = [copy_op_to_graph(tensor, to_graph, variables, scope) for tensor in op.inputs]
    # Of the scopes that are open around the call nothing is the copy's.
    with (
        to_graph.as_default(),
        to_graph.name_scope(None),
        to_graph.control_dependencies(None),
        to_graph.device(None),
        to_graph.colocate_with(None, ignore_existing=True),
    ):
        name = _scoped(op.name, scope)
        made = operation_from_parts(to_graph, op.type, inputs, dict(op.attrs), name, None, controls, op.decl)
    made._device = op.device
    made._original_op = copied_original
    return made


def copy_op_to_graph(org_instance: Any, to_graph: Graph, variables: Iterable[Any], scope: str = "") -> Any:
    """A copy of an operation or tensor in another graph, with all that it is computed from.

    What has a namesake there already is not copied again.

    Args:
        org_instance: the operation or tensor; a variable stands for its copy.
        to_graph: the graph to copy it to.
        variables: the variables of `to_graph` that have been copied before (`copy_variable_to_graph`) and are to be
            used; a variable that is needed and not among them is copied as an operation, without its initial value.
        scope: what to prefix the names of the copies with.

    Returns:
        the operation or tensor of `to_graph`; tensors are in the collections of the original, as variables are.

    Raises:
        TypeError: if `org_instance` is neither, or a variable that has no copy; if `to_graph` is no graph.

    Example:
        >>> weights = tf.Variable([1.0, 2.0], name="weights")
        >>> norm = tf.norm(weights, name="norm")
        >>> other = tf.Graph()
        >>> copied = tf.contrib.copy_graph.copy_variable_to_graph(weights, other)
        >>> tf.contrib.copy_graph.copy_op_to_graph(norm, other, [copied]).graph is other
        True
    """
    known = list(variables)
    new_name = _scoped(org_instance.name, scope)
    if not isinstance(to_graph, Graph):
        raise TypeError(f"to_graph needs to be a Graph: {to_graph}")
    by_name = {variable.name: variable for variable in known}
    if new_name in by_name:
        return to_graph.get_tensor_by_name(new_name)
    try:
        return _element(org_instance, to_graph, scope)
    except (KeyError, ValueError):  # It has no namesake there.
        pass
    if isinstance(org_instance, Operation):
        return _copied_operation(org_instance, to_graph, known, scope)
    if not isinstance(org_instance, Tensor):
        raise TypeError(f"Could not copy instance: {org_instance}")
    op = copy_op_to_graph(org_instance.op, to_graph, known, scope)
    copied: Tensor = op.outputs[org_instance._value_index]
    for collection in _collections_with(org_instance, scope):
        to_graph.add_to_collection(collection, copied)
    return copied


def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """What an operation, tensor or variable has become in a graph it was copied to.

    Args:
        org_instance: the original.
        graph: the graph to look in.
        scope: the scope it was copied under.

    Returns:
        the operation or tensor of that name.

    Raises:
        KeyError: if the graph has none.
    """
    return _element(org_instance, graph, scope)
