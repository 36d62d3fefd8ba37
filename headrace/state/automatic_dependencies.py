"""The order of a program's text as control inputs: effects run as they were written, and before what is returned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.core import nest
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arranging import identity

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

# Stateful, but those that wait for one another across devices: an order between them could stop all.
ASYNC_STATEFUL_OPS = [
    "CollectiveGather",
    "CollectiveReduce",
    "CollectiveBcastSend",
    "CollectiveBcastRecv",
    "NcclAllReduce",
]
# Stateful, but drawing in another order changes nothing that a program may rely on.
LEGACY_RANDOM_OPS = [
    *("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "ParameterizedTruncatedNormal", "TruncatedNormal"),
    *("RandomShuffle", "Multinomial", "RandomGamma", "RandomGammaGrad", "RandomPoisson", "RandomPoissonV2"),
]
_UNORDERED = frozenset(ASYNC_STATEFUL_OPS + LEGACY_RANDOM_OPS)
_ALIASES = ("Switch", "Enter", "Identity", "RefSwitch", "RefEnter", "RefIdentity", "NextIteration", "Merge", "Exit")


def op_is_stateful(op: Operation) -> bool:
    """Whether an operation has to keep its place among others: it is stateful, and neither random nor a collective.

    Args:
        op: an operation of a graph.
    """
    return op.decl.signature.stateful and op.type not in _UNORDERED


class AutomaticControlDependencies:
    """Gives operations that are made in its `with` the order of the program, by control inputs.

    Those that use the same resource (a variable, a queue) run one after the other. What `mark_as_return` returns waits for
    all that are stateful, so that they run with it.

    Example:
        >>> with tf.Graph().as_default(), tf.Session() as sess:
        ...     v = tf.get_variable("v", [], use_resource=True, initializer=tf.zeros_initializer())
        ...     with AutomaticControlDependencies() as order:
        ...         _ = v.assign(3.0)
        ...         _ = v.assign_add(1.0)
        ...         value = order.mark_as_return(v.read_value())
        ...     sess.run(v.initializer)
        ...     print(sess.run(value))
        4.0
    """

    def __init__(self) -> None:
        self._graph: Graph | None = None
        self._first = 0
        self._returned: list[Tensor] = []

    def __enter__(self) -> Self:
        if executing_eagerly():
            return self
        graph = get_default_graph()
        self._graph = graph
        self._first = len(graph.get_operations())
        return self

    def mark_as_return(self, tensor: Any) -> Any:
        """What to return in the place of a tensor, or of what is made of tensors: it waits for all effects.

        Args:
            tensor: a tensor, an `IndexedSlices`, a composite tensor or a `TensorArray`.
        """
        if isinstance(tensor, TensorArray):
            flow = self.mark_as_return(tensor.flow)
            return tensor.with_flow(flow)
        if isinstance(tensor, IndexedSlices):
            return IndexedSlices(
                self._waiting(tensor.values),
                self._waiting(tensor.indices),
                None if tensor.dense_shape is None else self._waiting(tensor.dense_shape),
            )
        return nest.map_structure(self._waiting, tensor, expand_composites=True)

    def _waiting(self, tensor: Tensor) -> Tensor:
        made: Tensor = identity(tensor)
        self._returned.append(made)
        return made

    def __exit__(self, *error: object) -> None:
        if self._graph is None or error[0] is not None:
            return
        if self._graph is not get_default_graph():
            raise RuntimeError("Graph changed while trying to add control dependencies.")
        order = _Order(self._graph.get_operations()[self._first :])
        order.connect()
        order.run_inside()
        for tensor in self._returned:
            tensor.op._add_control_inputs(
                [op for op in order.must_run[None] if op is not tensor.op and op.graph is tensor.graph]
            )
        if isinstance(self._graph, FuncGraph):
            self._graph.control_outputs = list(order.must_run[None])


class _Order:
    """The operations of a part of a graph, as a program made them."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.operations = list(operations)
        self._root: dict[Tensor, Tensor] = {}
        # The operations with effects, by the context (a branch, a loop) that they are made in.
        self.must_run: dict[Any, list[Operation]] = {None: []}
        # By context, what can be waited for outside of it: the Merges of a branch, the Exits of a loop.
        self._ends: dict[Any, list[Operation]] = {}
        for op in self.operations:
            if op.type in ("Merge", "Exit"):
                for context in _inner_contexts(op):
                    self._ends.setdefault(context, []).append(op)

    def connect(self) -> None:
        """Lets each operation wait for the one before it that uses the same resource."""
        last: dict[Tensor, list[Operation]] = {}
        # A branch's way to a resource is made after what uses it.
        for op in self.operations:
            if op.type in _ALIASES:
                self._follow(op)
        for op in self.operations:
            if op.type in _ALIASES:
                continue
            if op_is_stateful(op):
                self.must_run.setdefault(op._get_control_flow_context(), []).append(op)
            for resource in {self._resource(t): None for t in op.inputs if t.dtype.base_dtype.name == "resource"}:
                # The branches of one conditional do not wait for each other.
                users = last.setdefault(resource, [])
                waits = [w for user in users for w in self._seen_from(user, op)]
                op._add_control_inputs([w for w in dict.fromkeys(waits) if w is not op])
                # What ran before a conditional comes before each of its branches.
                others = [u for u in users if _excluded(u, op) or len(_contexts(u)) < len(_contexts(op))]
                last[resource] = [*others, op]

    def run_inside(self) -> None:
        """Lets what leaves a branch wait for the effects in it; the ends count as effects outside."""
        # Effects in a step of a loop run where the loop's results need them.
        inner = [context for context in self.must_run if context is not None and not context.IsWhileContext()]
        around_them = {outer for context in inner for outer in _around(context) if not outer.IsWhileContext()}
        for context in sorted({*inner, *around_them}, key=lambda each: len(_around(each)), reverse=True):
            effects = self.must_run.get(context, [])
            for op, index in self._leaving(context):
                tensor = op.inputs[index]
                context.Enter()
                try:
                    waiting = raw.Identity(tensor)
                finally:
                    context.Exit()
                waiting.op._add_control_inputs([effect for effect in effects if effect is not waiting.op])
                op._update_input(index, waiting)
            around = self.must_run.setdefault(context.outer_context, [])
            around.extend(end for end in self._ends.get(context, ()) if end not in around)

    def _leaving(self, context: Any) -> list[tuple[Operation, int]]:
        """The inputs by which values leave a branch."""
        return [
            (op, index)
            for op in self._ends.get(context, ())
            for index, tensor in enumerate(op.inputs)
            if tensor.op._get_control_flow_context() is context
        ]

    def _resource(self, tensor: Tensor) -> Tensor:
        while tensor in self._root:
            tensor = self._root[tensor]
        return tensor

    def _follow(self, op: Operation) -> None:
        if op.inputs and op.inputs[0].dtype.base_dtype.name == "resource":
            root = self._resource(op.inputs[0])
            self._root.update((output, root) for output in op.outputs if output.dtype.base_dtype.name == "resource")

    def _seen_from(self, before: Operation, op: Operation) -> list[Operation]:
        """What an operation waits for so that another ran before it: that one, or the ends of what it is in."""
        if _excluded(before, op):
            return []
        around = _contexts(op)
        outermost = None
        for context in _contexts(before):
            if context not in around:
                outermost = context
        if outermost is None:
            inside = [c for c in around if c not in _contexts(before)]
            # What is outside of a loop ran before it began: no control edge crosses its border.
            return [] if any(c.IsWhileContext() for c in inside) else [before]
        return self._ends.get(outermost, [])


def _contexts(op: Operation) -> list[Any]:
    """The contexts that an operation is in, from the innermost on."""
    context = op._get_control_flow_context()
    return [] if context is None else [context, *_around(context)]


def _around(context: Any) -> list[Any]:
    """The contexts around one, from the innermost on."""
    found = []
    while (context := context.outer_context) is not None:
        found.append(context)
    return found


def _excluded(a: Operation, b: Operation) -> bool:
    """Whether two operations are in different branches of one conditional, so that only one of them runs."""
    ours = {context.pred: context.branch for context in _contexts(a) if context.IsCondContext()}
    return any(c.IsCondContext() and ours.get(c.pred, c.branch) != c.branch for c in _contexts(b))


def _inner_contexts(op: Operation) -> list[Any]:
    """The contexts that a Merge or an Exit ends."""
    outer = op._get_control_flow_context()
    if op.type == "Exit":
        return [outer] if outer is not None and outer.IsWhileContext() else []
    contexts = [tensor.op._get_control_flow_context() for tensor in op.inputs]
    return [context for context in contexts if context is not None and context is not outer]


def automatic_control_dependencies(f: Callable[..., T]) -> Callable[..., T]:
    """A function whose operations run in the order of its text, all of them when its results are used.

    Args:
        f: makes operations and returns tensors, or a structure of them.

    Example:
        >>> with tf.Graph().as_default(), tf.Session() as sess:
        ...     v = tf.get_variable("v", [], use_resource=True, initializer=tf.ones_initializer())
        ...     @automatic_control_dependencies
        ...     def doubled():
        ...         v.assign(v * 2.0)
        ...         return v.read_value()
        ...     value = doubled()
        ...     sess.run(v.initializer)
        ...     print(sess.run(value))
        2.0
    """

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> T:
        with AutomaticControlDependencies() as order:
            result = f(*args, **kwargs)
            if executing_eagerly():
                return result
            marked = [order.mark_as_return(convert_to_tensor(value)) for value in nest.flatten(result)]
            packed: T = nest.pack_sequence_as(result, marked)
            return packed

    return wrapper
