"""Finding the gradient with respect to a tensor in the middle of a graph."""

from __future__ import annotations

import re
import uuid
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.core.operation import Operation
from headrace.core.registry import RegisterGradient, raw
from headrace.core.tensor import Tensor
from headrace.debug.values import parse_node_or_tensor_name

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import TensorLike


_TAG = "gradient_debug_"

_debuggers: weakref.WeakValueDictionary[str, GradientsDebugger] = weakref.WeakValueDictionary()


class GradientsDebugger:
    """Keeps the gradient tensors of the tensors it is asked to watch, as `tf.gradients` builds them.

    Args:
        y_tensor: what is differentiated; for the reader of the program.

    Example:
        >>> from headrace.python import debug as tf_debug
        >>> debugger = tf_debug.GradientsDebugger()
        >>> y = tf.Variable(3.0, name="side")
        >>> z = tf.square(debugger.identify_gradient(y))
        >>> train = tf.train.GradientDescentOptimizer(0.1).minimize(z)
        >>> sess.run(y.initializer)
        >>> sess.run(debugger.gradient_tensor(y))
        6.0
    """

    def __init__(self, y_tensor: Tensor | None = None) -> None:
        self._uuid = uuid.uuid4().hex
        _debuggers[self._uuid] = self
        self._gradient_tensors: dict[str, Any] = {}
        self._y_tensor = y_tensor
        self._graph: Graph | None = None
        if y_tensor is not None:
            self._check_same_graph(y_tensor)

    @property
    def y_tensor(self) -> Tensor | None:
        """What is differentiated, if it was said."""
        return self._y_tensor

    @property
    def graph(self) -> Any:
        """The graph of the tensors watched so far."""
        return self._graph

    def __enter__(self) -> GradientsDebugger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """There is nothing to undo: what is watched is watched from then on."""

    def identify_gradient(self, input_tensor: Tensor) -> Tensor:
        """`input_tensor` again; the gradient with respect to it is kept when it is built through what is returned.

        Raises:
            ValueError: if this debugger watches the tensor already, or one of another graph.
        """
        self._check_same_graph(input_tensor)
        node, slot = parse_node_or_tensor_name(input_tensor.name)
        name = f"{node}_{slot}/{_TAG}{self._uuid}"
        identity = raw.DebugGradientRefIdentity if input_tensor.dtype._is_ref_dtype else raw.DebugGradientIdentity
        with input_tensor.graph.as_default(), input_tensor.graph.name_scope(None):
            made: Tensor = identity(input_tensor, name=name)
        if made.op.name != name:
            raise ValueError(f"The graph already contains an op named {name}")
        return made

    def watch_gradients_by_tensors(self, graph: Graph, tensors: Any) -> GradientsDebugger:
        """Watches tensors or variables of a finished forward graph: what takes them takes an identity of them instead.

        Args:
            graph: the `tf.Graph`.
            tensors: a tensor or variable, or a list of them.
        """
        names = [re.escape(tensor.name) for tensor in (tensors if isinstance(tensors, list) else [tensors])]
        return self.watch_gradients_by_tensor_names(graph, f"(?:{'|'.join(names)})$")

    def watch_gradients_by_tensor_names(self, graph: Graph, tensor_name_regex: str) -> GradientsDebugger:
        """As `watch_gradients_by_tensors`, of the tensors whose names match from their beginning."""
        pattern = re.compile(tensor_name_regex)
        for operation in graph.get_operations():
            for output in operation.outputs:
                if pattern.match(output.name):
                    self._put_behind(output)
        return self

    def _put_behind(self, output: Tensor) -> None:
        consumers = list(output.consumers())
        made = self.identify_gradient(output)
        for consumer in dict.fromkeys(consumers):
            for i, tensor in enumerate(consumer.inputs):
                if tensor is output:
                    consumer._update_input(i, made)

    def _check_same_graph(self, tensor: Tensor) -> None:
        if self._graph is None:
            self._graph = tensor.graph
        elif self._graph is not tensor.graph:
            raise ValueError(f"The graph of the value ({tensor.graph}) is not the same as the graph {self._graph}")

    def register_gradient_tensor(self, x_tensor_name: str, gradient_tensor: TensorLike) -> None:
        """Keeps the gradient of a tensor; called when it is built."""
        self._gradient_tensors[x_tensor_name] = gradient_tensor

    def gradient_tensor(self, x_tensor: TensorLike) -> Tensor:
        """The gradient with respect to a watched tensor.

        Args:
            x_tensor: the tensor, variable, or the tensor's name.

        Raises:
            TypeError: if it is none of these.
            LookupError: if no gradient with respect to it was built.
        """
        name = _name_of(x_tensor)
        if name not in self._gradient_tensors:
            raise LookupError(f"This GradientsDebugger has not received any gradient tensor for x-tensor {name}")
        return self._gradient_tensors[name]

    def gradient_tensors(self) -> dict[str, Any]:
        """The gradients built so far, by the names of the tensors they are of."""
        return self._gradient_tensors


def _name_of(tensor: TensorLike) -> str:
    name = tensor if isinstance(tensor, str) else getattr(tensor, "name", None)
    if not isinstance(name, str) or isinstance(tensor, Operation):
        raise TypeError(f"x_tensor must be a str or tf.Tensor or tf.Variable, but instead has type {type(tensor)}")
    return name


def clear_gradient_debuggers() -> None:
    """Forgets all debuggers: gradients built from now on are not kept."""
    _debuggers.clear()


@RegisterGradient("DebugGradientIdentity")
def _identity_gradient(op: Operation, grad: Tensor) -> Tensor:
    node, _, tag = op.name.rpartition("/")
    debugger = _debuggers.get(tag.removeprefix(_TAG)[:32])
    if debugger is not None:
        name, _, slot = node.rpartition("_")
        debugger.register_gradient_tensor(f"{name}:{slot}", grad)
    return grad


RegisterGradient("DebugGradientRefIdentity")(_identity_gradient)


def gradient_values_from_dump(grad_debugger: GradientsDebugger, x_tensor: Any, dump: Any) -> list[Any]:
    """The values of a gradient in a dump; several where it was computed in a loop, none where it was not.

    Args:
        grad_debugger: who watched the tensor.
        x_tensor: the tensor, variable, or the tensor's name.
        dump: a `DebugDumpDir`.

    Raises:
        ValueError: if the dump is of another graph.
    """
    if dump.python_graph is not None and grad_debugger.graph not in (None, dump.python_graph):
        raise ValueError(f"This GradientsDebugger has the graph {grad_debugger.graph}, the dump {dump.python_graph}.")
    node, slot = parse_node_or_tensor_name(grad_debugger.gradient_tensor(x_tensor).name)
    key = f"{node}:{slot or 0}:DebugIdentity"
    return [datum.get_tensor() for datum in dump.watch_key_to_data(key)]
