"""Lists of operations and tensors, from a graph, single elements or iterables of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.core.graph import Graph
from headrace.core.operation import Operation, Tensor
from headrace.ops.array.constant import placeholder

_PREFIX = "geph"


def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """Appends to `la` what of `lb` it lacks, and returns it."""
    have = set(la)
    for item in lb:
        if item not in have:
            la.append(item)
            have.add(item)
    return la


def is_iterable(obj: Any) -> bool:
    """Whether `obj` can be iterated over; a tensor counts as a single thing."""
    return not isinstance(obj, Tensor) and hasattr(type(obj), "__iter__")


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Graph | None:
    """The one graph that operations and tensors belong to.

    Args:
        tops: an iterable of them, or a graph.
        check_types: the types allowed; operations and tensors by default.
        none_if_empty: whether the graph of nothing is None.

    Raises:
        TypeError: if an item is of another type; ValueError: if they are of several graphs, or there are none.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    types = check_types or (Operation, Tensor)
    types = types if isinstance(types, tuple) else (types,)
    graph = None
    for item in tops:
        if not isinstance(item, types):
            raise TypeError(f"Expected a type in ({', '.join(str(t) for t in types)}), got: {type(item)}")
        if graph is None:
            graph = item.graph
        elif graph is not item.graph:
            raise ValueError(f"Operation {item} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def _listed(items: Any, kind: type, all_of: Any, check_graph: bool, allow_graph: bool, mixed: bool) -> list[Any]:
    if isinstance(items, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return all_of(items)
    items = list(items) if is_iterable(items) else [items]
    if not items:
        return []
    if check_graph:
        get_unique_graph(items, check_types=None if mixed else kind)
    return [item for item in items if isinstance(item, kind)]


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Operation]:
    """A list of operations.

    Args:
        ops: an operation, an iterable of them, or a graph.
        check_graph: whether to check that they are operations of one graph.
        allow_graph: whether `ops` may be a graph.
        ignore_ts: whether there may be tensors among them, which are left out.

    Raises:
        TypeError: if an item is no operation, or for a graph that is not allowed; ValueError: for several graphs.
    """
    return _listed(ops, Operation, lambda graph: graph.get_operations(), check_graph, allow_graph, ignore_ts)


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Tensor]:
    """A list of tensors; the arguments are as those of `make_list_of_op`."""
    return _listed(ts, Tensor, get_tensors, check_graph, allow_graph, ignore_ops)


def get_tensors(graph: Graph) -> list[Tensor]:
    """All tensors of a graph, in the order in which their operations were made.

    Raises:
        TypeError: if `graph` is not a graph.

    Example:
        >>> tf.contrib.graph_editor.get_tensors(tf.get_default_graph())
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_generating_ops(ts: Any) -> list[Operation]:
    """The operations that make the tensors, one for each."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Operation]:
    """The operations that take any of the tensors, each once."""
    found: list[Operation] = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, tensor.consumers())
    return found


class ControlOutputs:
    """For each operation of a graph, those that wait for it.

    Args:
        graph: the graph.

    Raises:
        TypeError: if it is not a graph.
    """

    def __init__(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self.update()

    def update(self) -> ControlOutputs:
        """Reads the graph again, where it has changed."""
        self._outputs: dict[Operation, list[Operation]] = {}
        for op in self._graph.get_operations():
            for control in op.control_inputs:
                self._outputs.setdefault(control, []).append(op)
        return self

    def get_all(self) -> dict[Operation, list[Operation]]:
        """The operations that others wait for, with these."""
        return self._outputs

    def get(self, op: Operation) -> Any:
        """The operations that wait for `op`."""
        return self._outputs.get(op, ())

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph


def placeholder_name(t: Tensor | None = None, scope: str | None = None, prefix: str = _PREFIX) -> str:
    """The name of the placeholder that stands for `t`: `<its scope>/<prefix>__<its name>_<its index>`.

    Raises:
        TypeError: if `t` is not a tensor.
    """
    if scope:
        scope = scope.rstrip("/") + "/"
    if t is None:
        return f"{scope or ''}{prefix}"
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    folder, slash, name = t.op.name.rpartition("/")
    if not name.startswith(f"{prefix}__"):
        name = f"{prefix}__{name}_{t.value_index}"
    return (folder + slash if scope is None else scope) + name


def make_placeholder_from_tensor(t: Tensor, scope: str | None = None, prefix: str = _PREFIX) -> Tensor:
    """A placeholder of the type and shape of `t`, named after it."""
    return placeholder(t.dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: str | None = None, prefix: str = _PREFIX
) -> Tensor:
    """A placeholder of a type and shape."""
    return placeholder(dtype, shape, placeholder_name(scope=scope, prefix=prefix))


ph = make_placeholder_from_dtype_and_shape
