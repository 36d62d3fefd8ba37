"""Changing where the inputs of operations come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.graph_editor.subgraph import SubGraphView, make_view
from headrace.contrib.graph_editor.util import check_graphs, get_consuming_ops, make_list_of_op, make_list_of_t
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.contrib.graph_editor.util import ListView
    from headrace.core.typing import TensorLike


Views = tuple[SubGraphView, SubGraphView]


def _pairs(ts0: TensorLike | ListView, ts1: ListView | Tensor | Sequence[Tensor]) -> list[tuple[Tensor, Tensor]]:
    """The tensors of two lists side by side.

    Raises:
        ValueError: if the lists differ in length, or two tensors in type or shape.
    """
    ts0, ts1 = make_list_of_t(ts0), make_list_of_t(ts1)
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1, strict=True):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.shape.is_compatible_with(t1.shape):
            raise ValueError(f"Shapes {t0.shape} and {t1.shape} are not compatible.")
    return list(zip(ts0, ts1, strict=True))


def move_consumers(new: Tensor, old: Tensor, consumers: Sequence[Operation]) -> int:
    """Lets operations take `new` wherever they take `old`.

    Returns:
        how many inputs that were.
    """
    moved = 0
    for op in dict.fromkeys(consumers):
        for index in [i for i, tensor in enumerate(op.inputs) if tensor is old]:
            op._update_input(index, new)
            moved += 1
    return moved


def _reroute(
    ts0: TensorLike | ListView,
    ts1: ListView | Tensor | Sequence[Tensor],
    both_ways: bool,
    can_modify: Sequence[Operation] | None,
    cannot_modify: Operation | Sequence[Operation] | None,
) -> int:
    pairs = _pairs(ts0, ts1)
    barred = set() if cannot_modify is None else set(make_list_of_op(cannot_modify))
    allowed = None if can_modify is None else set(make_list_of_op(can_modify))

    def movable(tensor: Tensor) -> list[Operation]:
        return [op for op in tensor.consumers() if op not in barred and (allowed is None or op in allowed)]

    # Who takes what is read before anything is moved: a tensor may stand in several pairs.
    consumers = [(movable(t0), movable(t1)) for t0, t1 in pairs]
    moved = 0
    for (t0, t1), (of_t0, of_t1) in zip(pairs, consumers, strict=True):
        if t0 is t1:
            continue
        moved += move_consumers(t0, t1, of_t1)
        if both_ways:
            moved += move_consumers(t1, t0, of_t0)
    return moved


def swap_ts(ts0: Sequence[TensorLike], ts1: Sequence[Tensor], can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets what takes a tensor of one list take that of the other list instead, both ways.

    Args:
        ts0, ts1: tensors, as many in each, of types and shapes that fit.
        can_modify: the operations whose inputs may be changed; all by default.
        cannot_modify: operations whose inputs may not.

    Returns:
        how many inputs were changed.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if the lists differ in length, or two tensors in type or shape.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(
    ts0: TensorLike,
    ts1: ListView | Tensor | Sequence[Tensor],
    can_modify: Sequence[Operation] | None = None,
    cannot_modify: Operation | None = None,
) -> int:
    """Lets what takes a tensor of `ts1` take that of `ts0` instead; otherwise as `swap_ts`.

    Example:
        >>> old = loss.op.inputs[0]
        >>> better = tf.clip_by_value(old, 0.0, 10.0)
        >>> tf.contrib.graph_editor.reroute_ts([better], [old], can_modify=[loss.op])
        1
    """
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _two_views(sgv0: SubGraphView | Sequence[Tensor], sgv1: SubGraphView | Sequence[Tensor]) -> Views:
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    check_graphs(sgv0, sgv1)
    return sgv0, sgv1


def _adopt_inputs(view: SubGraphView, source: SubGraphView) -> SubGraphView:
    """`view` with the inputs and passthroughs of `source`, its outputs following where it passed these through."""
    changed = view.copy()
    changed._input_ts = list(source._input_ts)
    changed._passthrough_ts = list(source._passthrough_ts)
    return changed


def _follow_passthroughs(view: SubGraphView, passing: SubGraphView) -> None:
    for i, tensor in enumerate(view._output_ts):
        if tensor in passing._passthrough_ts:
            view._output_ts[i] = view._input_ts[passing._input_ts.index(tensor)]


def _reroute_inputs(
    sgv0: SubGraphView | Sequence[Tensor], sgv1: SubGraphView | Sequence[Tensor], both_ways: bool
) -> Views:
    sgv0, sgv1 = _two_views(sgv0, sgv1)
    can_modify = [*sgv0.ops, *sgv1.ops, *get_consuming_ops(sgv0.passthroughs), *get_consuming_ops(sgv1.passthroughs)]
    _reroute(sgv0.inputs, sgv1.inputs, both_ways, can_modify, None)
    new1 = _adopt_inputs(sgv1, sgv0)
    new0 = _adopt_inputs(sgv0, sgv1) if both_ways else sgv0.copy()
    _follow_passthroughs(new1, new0)
    if both_ways:
        _follow_passthroughs(new0, new1)
    sgv0._assign_from(new0)
    sgv1._assign_from(new1)
    return sgv0, sgv1


def _reroute_outputs(sgv0: SubGraphView, sgv1: SubGraphView | Sequence[Tensor], both_ways: bool) -> Views:
    sgv0, sgv1 = _two_views(sgv0, sgv1)
    _reroute(sgv0.outputs, sgv1.outputs, both_ways, None, [*sgv0.ops, *sgv1.ops])
    return sgv0, sgv1


def swap_inputs(sgv0: SubGraphView, sgv1: SubGraphView | Sequence[Tensor]) -> Views:
    """Exchanges the inputs of two subgraphs.

    Returns:
        the two views, changed in place.
    """
    return _reroute_inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: SubGraphView | Sequence[Tensor], sgv1: SubGraphView) -> Views:
    """Gives `sgv1` the inputs of `sgv0`; both then have the same."""
    return _reroute_inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: SubGraphView, sgv1: SubGraphView | Sequence[Tensor]) -> Views:
    """Exchanges what takes the outputs of two subgraphs."""
    return _reroute_outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: SubGraphView, sgv1: SubGraphView) -> Views:
    """Lets what takes the outputs of `sgv1` take those of `sgv0`."""
    return _reroute_outputs(sgv0, sgv1, False)


def swap_ios(sgv0: SubGraphView, sgv1: SubGraphView) -> Views:
    """Exchanges inputs and outputs of two subgraphs."""
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, True), True)


def reroute_ios(sgv0: SubGraphView, sgv1: SubGraphView) -> Views:
    """Gives `sgv1` the inputs of `sgv0`, and lets what takes its outputs take those of `sgv0`."""
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, False), False)


def _operation(op: Operation | Tensor) -> Operation:
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return op


def remove_control_inputs(op: Operation, cops: Operation | Sequence[Operation]) -> None:
    """Lets `op` no longer wait for operations.

    Args:
        op: the operation that waits.
        cops: one or several of its control inputs.

    Raises:
        TypeError: if an argument is no operation; ValueError: if one is no control input of `op`.
    """
    removed = make_list_of_op(cops, allow_graph=False) if _operation(op) else []
    for cop in removed:
        if cop not in op.control_inputs:
            raise ValueError(f"{cop.name} is not a control_input of {op.name}")
    kept = [cop for cop in op.control_inputs if cop not in removed]
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


def add_control_inputs(op: Operation, cops: Operation | Sequence[Operation]) -> None:
    """Lets `op` wait for operations.

    Args:
        op: the operation that is to wait.
        cops: one or several operations.

    Raises:
        TypeError: if an argument is no operation; ValueError: if one is a control input of `op` already.
    """
    added = make_list_of_op(cops, allow_graph=False) if _operation(op) else []
    for cop in added:
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(added)
