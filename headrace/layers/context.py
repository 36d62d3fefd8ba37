"""What is known while layers are made and called: names given, the call in progress, the training phase."""

from __future__ import annotations

import contextlib
import math
import re
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph, name_scope, plain_graph
from headrace.core.eager import EagerTensor
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.modes import BodyGraph
from headrace.ops.array.constant import constant, placeholder_with_default
from headrace.state.scoping import init_scope, makes_eager_variables

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_names_of_graphs: weakref.WeakKeyDictionary[Graph, Counter[tuple[str, str]]] = weakref.WeakKeyDictionary()
_phases_of_graphs: weakref.WeakKeyDictionary[Graph, weakref.ref[Operation]] = weakref.WeakKeyDictionary()
_chosen_phases: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()

# Where set, gives the value of `training` for calls that do not say; None for "nothing is known". Nothing here fills it:
# it is for Keras' learning phase, which a program sets for all models.
default_training: list[Callable[[], Any]] = []


class SymbolicGraph(FuncGraph):
    """The graph that symbolic tensors of layers belong to while everything else runs eagerly."""

    # Values up to this size become constants of the graph, as in 1.15, so that shapes can be told from them.
    _SMALL = 128
    holds_layers = True

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """What stands in the graph for a tensor from outside: a constant for a small value, otherwise an input."""
        if not isinstance(tensor, EagerTensor) or tensor.dtype.name in ("resource", "variant"):
            return super().capture(tensor, name)
        known = self.inner_of(tensor)
        if known is not None:
            return known
        if math.prod(size or 0 for size in tensor.dims or ()) > self._SMALL:
            return super().capture(tensor, name)
        with self.as_default(), self.control_dependencies(None):
            made: Tensor = constant(tensor.numpy(), dtype=tensor.dtype, name=name or "Const")
        self._captured[tensor] = made
        return made


_symbolic_graph: list[SymbolicGraph] = []


def get_graph() -> Graph:
    """The graph that symbolic tensors of layers belong to: the default one; while executing eagerly one kept for them."""
    graph = get_default_graph()
    if not graph.is_eager:
        return graph
    if not _symbolic_graph:
        _symbolic_graph.append(SymbolicGraph("keras_graph"))
    return _symbolic_graph[0]


def forget_graph() -> None:
    """Lets go of the graph kept for eager execution; the next `get_graph` makes another."""
    _symbolic_graph.clear()


def _graph_of_text() -> Graph:
    """The default graph; in the body of a branch or a loop the graph that the branch or loop is in."""
    graph = get_default_graph()
    while isinstance(graph, BodyGraph):
        graph = graph.outer_graph
    return graph


def in_symbolic_graph() -> bool:
    """Whether operations are added to the graph that is kept for the symbolic tensors of eager execution."""
    return bool(_symbolic_graph) and _graph_of_text() is _symbolic_graph[0]


class _ReplicaStep(threading.local):
    """Whether this thread makes the operations of one replica's step."""

    entered = False


_replica_step = _ReplicaStep()


@contextlib.contextmanager
def step_of_replica() -> Iterator[None]:
    """While a replica's step is made: what layers add then is this replica's, and of this step."""
    outer, _replica_step.entered = _replica_step.entered, True
    try:
        yield
    finally:
        _replica_step.entered = outer


def in_traced_function() -> bool:
    """Whether a program that executes eagerly traces the body of a `tf.function`, or a replica's step is made."""
    if _replica_step.entered:
        return True
    graph = _graph_of_text()
    if not isinstance(graph, FuncGraph) or not makes_eager_variables() or in_symbolic_graph():
        return False
    return not graph.name.startswith("wrapped_function")


def to_snake_case(name: str) -> str:
    """The name of a class as names of its objects are written: `BatchNormalization` to `batch_normalization`."""
    parted = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    # A name scope may not begin with an underscore.
    return f"private{snake}" if snake.startswith("_") else snake


def names_of_graph() -> Counter[tuple[str, str]]:
    """How many objects of each (namespace, name) the default graph has; eagerly, the one that would be it."""
    return _names_of_graphs.setdefault(plain_graph(), Counter())


def forget_names() -> None:
    """Lets names be given anew in all graphs."""
    _names_of_graphs.clear()


def unique_object_name(
    name: str,
    name_uid_map: Any = None,
    avoid_names: Container[str] | None = None,
    namespace: str = "",
    zero_based: bool = False,
) -> str:
    """A name that no object of the default graph has yet.

    Args:
        name: what it begins with.
        name_uid_map: counts to use and go on with instead of the graph's.
        avoid_names: names not to give.
        namespace: names are unique within it.
        zero_based: whether the first is `name` itself rather than `name_1`.
    """
    counts = names_of_graph() if name_uid_map is None else name_uid_map
    key = (namespace, name)
    while True:
        number = counts[key]
        counts[key] += 1
        if not zero_based:
            number += 1
        proposed = f"{name}_{number}" if number else name
        if proposed not in (avoid_names or ()):
            return proposed


class InCall:
    """A block inside a call of a layer.

    Args:
        context: what knows of the call in progress.
        inside: what it is to know inside of the block.
    """

    __slots__ = ("_context", "_inside", "_outside")

    def __init__(self, context: CallContext, inside: tuple[Any, ...]) -> None:
        self._context, self._inside = context, inside

    def __enter__(self) -> None:
        context = self._context
        self._outside = (
            context.layer,
            context.inputs,
            context.frozen,
            context.in_call,
            context.training,
            context.build_graph,
        )
        self._set(self._inside)

    def __exit__(self, *failure: object) -> None:
        self._set(self._outside)

    def _set(self, values: tuple[Any, ...]) -> None:
        context = self._context
        (
            context.layer,
            context.inputs,
            context.frozen,
            context.in_call,
            context.training,
            context.build_graph,
        ) = values


class CallContext(threading.local):
    """The call of a layer that is in progress in this thread.

    Attributes:
        layer: the innermost layer being called; `inputs`: what it was called with.
        frozen: whether it, or one around it, is not trainable.
        in_call: whether there is one.
        training: its `training` argument.
        build_graph: what `enter` was told of whether the call makes a graph.
        read_dtype: the type in which variables that follow their layers are read, None for their own.
    """

    layer: Any = None
    inputs: Any = None
    frozen = False
    in_call = False
    training: Any = None
    build_graph = False
    read_dtype: Any = None

    def enter(self, layer: Any, inputs: Any, build_graph: bool, training: Any) -> InCall:
        """A block inside a call of `layer`."""
        return InCall(self, (layer, inputs, self.frozen or not layer.trainable, True, training, build_graph))


call_context = CallContext()


def symbolic_phase(graph: Graph) -> Any:
    """The tensor of a graph that says whether this is training, False unless fed; a number where one was set."""
    if graph in _chosen_phases:
        return _chosen_phases[graph]
    known = _phases_of_graphs.get(graph)
    made = None if known is None else known()
    if made is None:
        with graph.as_default(), name_scope(None):
            made = placeholder_with_default(False, shape=[], name="keras_learning_phase").op
        # Weakly: an operation holds its graph.
        _phases_of_graphs[graph] = weakref.ref(made)
    return made.outputs[0]


def learning_phase() -> Any:
    """What says whether this is training to layers that were not told: a tensor, False unless fed, or what was set.

    In eager execution it is 0 unless 1 was set.
    """
    if in_symbolic_graph():
        return symbolic_phase(_graph_of_text())
    with init_scope():
        graph = get_default_graph()
        return _chosen_phases.get(graph, 0) if graph.is_eager else symbolic_phase(graph)


def is_learning_phase(value: Any) -> bool:
    """Whether `value` is the tensor of a graph that says whether this is training."""
    if not isinstance(value, Tensor) or not value._is_graph_tensor:
        return False
    known = _phases_of_graphs.get(value.graph)
    return known is not None and known() is value.op


def chosen_phases() -> weakref.WeakKeyDictionary[Graph, Any]:
    """The phases that programs have set, by graph."""
    return _chosen_phases


def training_phase(training: TensorLike | None) -> Any:
    """What a layer goes by that was not told whether it trains: what is known for all, else `learning_phase`."""
    if training is None and default_training:
        training = default_training[-1]()
    return learning_phase() if training is None else training
