"""The global step: the variable that counts the steps of training."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.dtypes import int64
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.state.initializers import zeros_initializer
from headrace.state.modes import VariableAggregation
from headrace.state.updates import assign_add
from headrace.state.variable_scope import get_variable
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_READ = GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session.

    Args:
        sess: a session.
        global_step_tensor: a tensor, variable or name.

    Example:
        >>> step = tf.train.get_global_step()
        >>> sess.run(tf.assign(step, 10))
        10
        >>> tf.train.global_step(sess, step)
        10
    """
    if executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph, None if it has none.

    Args:
        graph: a graph; the default one if None.

    Returns:
        what is in the collection `GraphKeys.GLOBAL_STEP`, or the tensor "global_step:0".

    Raises:
        TypeError: if it is no scalar integer.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        logging.getLogger("tensorflow").error("Multiple tensors in global_step collection.")
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step of a graph, an int64 variable that starts at 0.

    Args:
        graph: a graph; the default one if None.

    Raises:
        ValueError: if it has one.
    """
    return _created(graph or get_default_graph(), None)


def create_resource_global_step(graph: Graph) -> Variable:
    """As `create_global_step`, of the kind that is a resource.

    Args:
        graph: a graph.

    Raises:
        ValueError: if it has one.
    """
    return _created(graph, True)


def _created(graph: Graph, use_resource: bool | None) -> Variable:
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=int64,
            initializer=zeros_initializer(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            use_resource=use_resource,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The global step of a graph, made if it has none.

    Args:
        graph: a graph; the default one if None.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Variable) -> None:
    """Raises TypeError if `global_step_tensor` is no scalar integer variable or tensor."""
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def _get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """A tensor with the global step before it is counted up; None if there is no global step."""
    graph = graph or get_default_graph()
    kept = _get_global_step_read(graph)
    if kept is not None:
        return kept
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        read = (step.initialized_value() if isinstance(step, Variable) else step) + 0
        graph.add_to_collection(_READ, read)
    return read


def _get_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """The tensor that `_get_or_create_global_step_read` made; None if it made none."""
    kept = (graph or get_default_graph()).get_collection(_READ)
    if len(kept) > 1:
        raise RuntimeError(f"There are multiple items in collection {_READ}. There should be only one.")
    return kept[0] if kept else None


def _increment_global_step(increment: TensorLike, graph: Graph | None = None) -> Any:
    """Counts up the global step, after it has been read."""
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    read = _get_or_create_global_step_read(graph)
    scope = graph.name_scope(f"{step.op.name}/")
    with graph.as_default(), graph.name_scope(None), scope, control_dependencies([read]):
        return assign_add(step, increment)
