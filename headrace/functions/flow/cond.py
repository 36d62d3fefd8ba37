"""`tf.cond`: two branches of one graph, of which a run takes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import dtypes, nest, slots
from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.branch_functions import cond_of_functions
from headrace.functions.flow.context import ControlFlowContext
from headrace.functions.flow.flows import to_flow, with_tensor_arrays
from headrace.functions.flow.modes import builds_functions
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.flow.switching import merge, switch, switch_ref_or_tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class CondContext(ControlFlowContext):
    """One branch of a cond.

    Args:
        pred: the predicate.
        pivot: a tensor that is there only when this branch is taken.
        branch: 1 for the true branch, 0 for the false one.
        name: its name; made from "cond_text" and the open name scopes if not given.
    """

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int, name: str | None = None) -> None:
        super().__init__(pred.graph)
        self._name = name or pred.graph.unique_name("cond_text")
        self._pred, self._pivot, self._branch = pred, pivot, branch
        self._values.update((pred, pivot))
        # They are seen in the branch as they are, and belong to what is around it.
        self._external_values.update({pred: pred, pivot: pivot})

    @property
    def pred(self) -> Tensor:
        """The predicate."""
        return self._pred

    @property
    def pivot(self) -> Tensor:
        """There only when this branch is taken."""
        return self._pivot

    @property
    def branch(self) -> int:
        """1 for the true branch, 0 for the false one."""
        return self._branch

    @property
    def name(self) -> str:
        """The name of the branch."""
        return self._name

    def IsCondContext(self) -> bool:
        """Whether this is a branch of a cond: it is."""
        return True

    def to_proto(self, export_scope: str | None = None) -> Any:
        """This branch as a `CondContextDef`; None if it is not below `export_scope`."""
        return slots.context_to_proto(self, export_scope)

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> CondContext:
        """The branch of a `CondContextDef` whose operations are in the default graph."""
        found: CondContext = slots.cond_from_proto(context_def, import_scope)
        return found

    def GetControlPivot(self) -> Tensor:
        """The pivot."""
        return self._pivot

    def AddValue(self, value: Tensor) -> Tensor:
        """`value`, through a Switch if it comes from outside."""
        if value in self._values:
            return self._external_values.get(value, value)
        self._values.add(value)
        inner = value
        if self._outer_context is not None:
            inner = self._outer_context.AddValue(value)
            self._values.add(inner)
            self._external_values[inner] = inner
        with control_dependencies(None):
            inner = switch_ref_or_tensor(inner, self._pred)[self._branch]
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(inner.op)
        self._graph.prevent_fetching(inner.op)
        self._graph.prevent_feeding(inner)
        inner.op._set_control_flow_context(self)
        self._values.add(inner)
        self._external_values[value] = inner
        return inner

    def AddOp(self, op: Operation) -> None:
        """Feeds the new operation's outer inputs through Switches; one that has none waits for the pivot."""
        if op.inputs:
            for i, tensor in enumerate(list(op.inputs)):
                inner = self.AddValue(tensor)
                if inner is not tensor:
                    op._update_input(i, inner)
        self.take_off_outer_control(op)
        if not op.inputs and not any(self.contains(c) for c in op.control_inputs):
            op._add_control_input(self._pivot.op)
        self._values.update(op.outputs)
        self._hide(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def build(self, function: Callable[[], Any]) -> tuple[Any, list[Tensor]]:
        """Calls the branch's function; returns its result and the flat tensors that stand for it."""
        result = function()
        flat = (
            [self._output(to_flow(item)) for item in nest.flatten(result, expand_composites=True)]
            if result is not None
            else []
        )
        return result, flat

    @property
    def taken_in(self) -> list[Tensor]:
        """The tensors from outside that are used inside."""
        return list(self._external_values)

    def cast(self, indices: Tensor) -> Tensor:
        """Indices as int64, made in this branch."""
        with self:
            wide: Tensor = raw.Cast(indices, DstT=dtypes.int64)
        return wide

    def _output(self, item: TensorLike | Operation) -> Tensor:
        if isinstance(item, Operation):
            # An operation has no value: the pivot, once it has run, says that it did.
            return with_dependencies([item], self._pivot)
        tensor = convert_to_tensor(item)
        if tensor in self._values:
            return self._external_values.get(tensor, tensor)
        outer = tensor if self._outer_context is None else self._outer_context.AddValue(tensor)
        if outer is not tensor:
            self._values.add(outer)
        self._values.add(tensor)
        inner = switch_ref_or_tensor(outer, self._pred)[self._branch]
        self._external_values[tensor] = inner
        return inner


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """The result of `true_fn()` when `pred` is true, else of `false_fn()`; only the ops of that branch run.

    What was made outside the functions runs in either case.

    Args:
        pred: a bool scalar tensor.
        true_fn, false_fn: make the ops of the branches; both return the same structure of tensors of the same types.
        strict: keep a result list of one tensor a list.
        name: a name scope.
        fn1, fn2: the older names of `true_fn` and `false_fn`.

    Returns:
        what the branches return, as tensors.

    Raises:
        TypeError: if a branch is not callable or `pred` is a Python bool.
        ValueError: if the branches return nothing or different numbers or types of tensors.

    Example:
        >>> a, b = tf.constant(1), tf.constant(2)
        >>> sess.run(tf.cond(a < b, lambda: a + b, lambda: tf.square(b)))
        3
    """
    if builds_functions() and not executing_eagerly():
        return cond_of_functions(pred, true_fn, false_fn, name)  # type: ignore[arg-type]  # what is missing is refused there
    true_fn, false_fn = _branch_functions(true_fn, false_fn, fn1, fn2)
    with name_scope(name, "cond", [pred]):
        if executing_eagerly():
            chosen = true_fn() if pred else false_fn()
            return chosen if strict else _unwrapped(chosen)
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        return _cond_of_switches(convert_to_tensor(pred, name="pred"), true_fn, false_fn, strict)


def _branch_functions(
    true_fn: Callable[[], Any] | None,
    false_fn: Callable[[], Any] | None,
    fn1: Callable[[], Any] | None,
    fn2: Callable[[], Any] | None,
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The functions of the true and the false branch, under whichever of their names they were given."""
    if fn1 is not None:
        if true_fn is not None:
            raise TypeError("cond(): true_fn and fn1 may not be set simultaneously.")
        true_fn = fn1
    if fn2 is not None:
        if false_fn is not None:
            raise TypeError("cond(): false_fn and fn2 may not be set simultaneously.")
        false_fn = fn2
    if true_fn is None:
        raise TypeError("cond(): true_fn argument required")
    if false_fn is None:
        raise TypeError("cond(): false_fn argument required")
    if not callable(true_fn):
        raise TypeError("true_fn must be callable.")
    if not callable(false_fn):
        raise TypeError("false_fn must be callable.")
    return true_fn, false_fn


def _cond_of_switches(pred: Tensor, true_fn: Callable[[], Any], false_fn: Callable[[], Any], strict: bool) -> Any:
    """Builds both branches behind Switches, and merges what they return."""
    when_false, when_true = switch(pred, pred)
    pivot_true = raw.Identity(when_true, name="switch_t")
    pivot_false = raw.Identity(when_false, name="switch_f")
    pred = raw.Identity(pred, name="pred_id")
    graph = pred.graph
    for tensor in (when_true, when_false, pivot_true, pivot_false, pred):
        graph.prevent_fetching(tensor.op)

    context_true = CondContext(pred, pivot_true, 1)
    with context_true:
        result_true, flat_true = context_true.build(true_fn)
        if result_true is None:
            raise ValueError("true_fn must have a return value.")
        context_true.ExitResult(flat_true)
    context_false = CondContext(pred, pivot_false, 0)
    with context_false:
        result_false, flat_false = context_false.build(false_fn)
        if result_false is None:
            raise ValueError("false_fn must have a return value.")
        context_false.ExitResult(flat_false)
    if not strict:
        result_true, result_false = _unwrapped(result_true), _unwrapped(result_false)
    _check_structures(result_true, result_false)
    for i, index in enumerate(_index_positions(result_true)):
        if index and flat_true[i].dtype.base_dtype is not flat_false[i].dtype.base_dtype:
            flat_true[i], flat_false[i] = context_true.cast(flat_true[i]), context_false.cast(flat_false[i])
    _check_types(flat_true, flat_false)
    merges = [merge([no, yes])[0] for no, yes in zip(flat_false, flat_true, strict=True)]
    if context_true.outer_context is None:
        # What lies inside another context is described with that one.
        default = get_default_graph()
        default.add_to_collection(GraphKeys.COND_CONTEXT, context_true)
        default.add_to_collection(GraphKeys.COND_CONTEXT, context_false)
    merges = with_tensor_arrays(nest.flatten(result_true, expand_composites=True), merges)
    return nest.pack_sequence_as(result_true, merges, expand_composites=True)


def _check_structures(result_true: Any, result_false: Any) -> None:
    """Raises ValueError or TypeError where the branches return other structures."""
    try:
        nest.assert_same_structure(result_true, result_false, expand_composites=True)
    except (TypeError, ValueError) as error:
        what = "types" if isinstance(error, TypeError) else "values"
        raise type(error)(f"Incompatible return {what} of true_fn and false_fn: {error}") from None


def _index_positions(result: Any) -> list[bool]:
    """Of each tensor of a result, whether it is the indices of IndexedSlices."""
    found: list[bool] = []
    for leaf in nest.flatten(result):
        parts = nest.flatten(leaf, expand_composites=True)
        found += [isinstance(leaf, IndexedSlices) and part is leaf.indices for part in parts]
    return found


def _check_types(when_true: list[Tensor], when_false: list[Tensor]) -> None:
    """Raises ValueError where the branches return nothing, or tensors of different types."""
    for x, y in zip(when_true, when_false, strict=True):
        if x.dtype.base_dtype is not y.dtype.base_dtype:
            raise ValueError(f"Outputs of true_fn and false_fn must have the same type: {x.dtype.name}, {y.dtype.name}")
    if not when_true:
        raise ValueError("true_fn and false_fn must return at least one result.")


def _unwrapped(result: object) -> Any:
    """A list of one tensor counts as the tensor."""
    if isinstance(result, (list, tuple)) and len(result) == 1 and not hasattr(result, "_fields"):
        return result[0]
    return result
