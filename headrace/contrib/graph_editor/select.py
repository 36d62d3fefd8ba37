"""Choosing operations and tensors: by regular expression, by scope, and by walking along the edges."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.graph_editor.util import (
    ControlOutputs,
    concatenate_unique,
    get_consuming_ops,
    get_generating_ops,
    is_iterable,
    make_list_of_op,
    make_list_of_t,
)
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import gradient_function
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Neighbours = Callable[[Operation], list[Operation]]


def can_be_regex(obj: object) -> bool:
    """Whether `obj` is a regular expression, compiled or as text."""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj: Any) -> re.Pattern[str]:
    """The compiled regular expression.

    Raises:
        ValueError: if `obj` is neither text nor a compiled expression.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj) if isinstance(obj, str) else obj


def _inputs_of(ops: list[Operation]) -> list[Tensor]:
    return list(dict.fromkeys(tensor for op in ops for tensor in op.inputs))


def _outputs_of(ops: list[Operation]) -> list[Tensor]:
    return [tensor for op in ops for tensor in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """The inputs and outputs of operations for which `positive_filter` (or True) holds."""
    ops = make_list_of_op(ops)
    tensors = concatenate_unique(_inputs_of(ops), _outputs_of(ops))
    return tensors if positive_filter is True else [t for t in tensors if positive_filter(t)]


def filter_ts_from_regex(ops: Graph, regex: str | re.Pattern[str]) -> list[Tensor]:
    """The inputs and outputs of operations whose names the regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda tensor: pattern.search(tensor.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Operation]:
    """The operations for which `positive_filter` (or True) holds."""
    ops = make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Graph, regex: str | re.Pattern[str]) -> list[Operation]:
    """The operations whose names the regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Graph, scope: str) -> list[Operation]:
    """The operations under a name scope.

    Args:
        ops: the operations to choose from, or a graph.
        scope: the scope, with or without a final slash.
    """
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def check_cios(
    control_inputs: bool = False, control_outputs: Any = None, control_ios: ControlOutputs | Graph | None = None
) -> tuple[Any, Any]:
    """Which control edges to follow, from the three ways to ask for them.

    Returns:
        (whether to follow control inputs, a `ControlOutputs` or None).

    Raises:
        TypeError: if one is no `ControlOutputs`; ValueError: if both are given.
    """
    for given in (control_ios, control_outputs):
        if given is not None and not isinstance(given, ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def _neighbours(control_inputs: bool, control_outputs: Any) -> Neighbours:
    def around(op: Operation) -> list[Operation]:
        found = [tensor.op for tensor in op.inputs]
        for tensor in op.outputs:
            found += tensor.consumers()
        if control_outputs is not None:
            found += control_outputs.get(op)
        if control_inputs:
            found += op.control_inputs
        return found

    return around


def get_ops_ios(
    ops: Operation, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> list[Operation]:
    """The operations right before and after the given ones."""
    around = _neighbours(*check_cios(control_inputs, control_outputs, control_ios))
    found: list[Operation] = []
    for op in make_list_of_op(ops):
        concatenate_unique(found, around(op))
    return found


def compute_boundary_ts(ops: Sequence[Operation]) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """What a group of operations takes, gives, and keeps to itself.

    Returns:
        (inputs that come from outside, outputs that go outside or nowhere, inputs that come from inside).
    """
    ops = make_list_of_op(ops)
    group, inputs, outputs = set(ops), _inputs_of(ops), _outputs_of(ops)
    made = set(outputs)
    inside = [tensor for tensor in inputs if tensor in made]
    only_inside = {tensor for tensor in inside if group.issuperset(tensor.consumers())}
    outside_inputs = [tensor for tensor in inputs if tensor not in made]
    return outside_inputs, [tensor for tensor in outputs if tensor not in only_inside], inside


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Operation,
    boundary_ops: Operation | Sequence[Operation] = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """What can be reached from the seeds, along edges in either direction, without crossing a boundary.

    Args:
        ops: the operations to choose from.
        seed_ops: where to begin.
        boundary_ops: where to stop.
        inclusive: whether the boundary belongs to the result.
        control_inputs, control_outputs, control_ios: which control edges to follow.

    Returns:
        operations in the order of `ops`.

    Raises:
        ValueError: if a seed lies on the boundary.
    """
    around = _neighbours(*check_cios(control_inputs, control_outputs, control_ios))
    ops = make_list_of_op(ops)
    boundary = set(make_list_of_op(boundary_ops))
    wave = make_list_of_op(seed_ops, allow_graph=False)
    found = set(wave)
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    while wave:
        reached = [op for at in wave for op in around(at) if op not in found]
        wave = [op for op in dict.fromkeys(reached) if op not in boundary]
        found.update(reached if inclusive else wave)
    return [op for op in ops if op in found]


def _walk(
    seeds: list[Operation],
    step: Neighbours,
    inclusive: bool,
    within_ops: Sequence[Operation] | None,
    within_ops_fn: Any,
) -> list[Operation]:
    """Breadth first from the seeds."""
    allowed = set(make_list_of_op(within_ops, allow_graph=False)) if within_ops else None
    seeds = [op for op in dict.fromkeys(seeds) if allowed is None or op in allowed]
    found = dict.fromkeys(seeds)
    wave = seeds
    while wave:
        reached = [op for at in wave for op in step(at)]
        wave = [
            op
            for op in dict.fromkeys(reached)
            if op not in found and (allowed is None or op in allowed) and (within_ops_fn is None or within_ops_fn(op))
        ]
        found.update(dict.fromkeys(wave))
    return list(found) if inclusive else list(found)[len(seeds) :]


def _seeds(seed_ops: Any, of_tensors: Callable[[list[Tensor]], list[Operation]]) -> list[Operation]:
    seed_ops = list(seed_ops) if is_iterable(seed_ops) else [seed_ops]
    if seed_ops and isinstance(seed_ops[0], Tensor):
        return of_tensors(make_list_of_t(seed_ops, allow_graph=False))
    return make_list_of_op(seed_ops, allow_graph=False)


def get_forward_walk_ops(
    seed_ops: Operation | TensorLike | Sequence[Operation | TensorLike],
    inclusive: bool = True,
    within_ops: Sequence[Operation] | None = None,
    within_ops_fn: Any = None,
    stop_at_ts: Sequence[TensorLike] = (),
    control_outputs: ControlOutputs | None = None,
) -> list[Operation]:
    """The operations that depend on the seeds.

    Args:
        seed_ops: operations, or tensors, which stand for those that take them.
        inclusive: whether the seeds belong to the result.
        within_ops: operations to stay among, or None.
        within_ops_fn: holds for the operations to stay among, or None.
        stop_at_ts: tensors not to walk through.
        control_outputs: a `ControlOutputs` to follow as well.

    Returns:
        operations, those next to the seeds first.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = set(make_list_of_t(stop_at_ts))

    def after(op: Operation) -> list[Operation]:
        found = [consumer for tensor in op.outputs if tensor not in stops for consumer in tensor.consumers()]
        return found if control_outputs is None else [*found, *control_outputs.get(op)]

    return _walk(_seeds(seed_ops, get_consuming_ops), after, inclusive, within_ops, within_ops_fn)


def is_differentiable(op: Operation) -> bool:
    """Whether a function is registered as the gradient of an operation's type."""
    # Those of two types give no gradients.
    if op.type in ("ArgMax", "ArgMin"):
        return True
    try:
        return gradient_function(op) is not None
    except LookupError:
        return False


def get_backward_walk_ops(
    seed_ops: Operation | Sequence[Operation | TensorLike],
    inclusive: bool = True,
    within_ops: Sequence[Operation] | None = None,
    within_ops_fn: Any = None,
    stop_at_ts: Sequence[Any] = (),
    control_inputs: bool = False,
    only_differentiable: bool = False,
) -> list[Operation]:
    """The operations that the seeds depend on.

    Args:
        seed_ops: operations, or tensors, which stand for those that make them.
        control_inputs: whether to follow control inputs as well.
        only_differentiable: whether to stop at operations without a gradient.
        inclusive, within_ops, within_ops_fn, stop_at_ts: as in `get_forward_walk_ops`.
    """
    stops = set(make_list_of_t(stop_at_ts))

    def before(op: Operation) -> list[Operation]:
        if only_differentiable and not is_differentiable(op):
            return []
        found = [tensor.op for tensor in op.inputs if tensor not in stops]
        return [*found, *op.control_inputs] if control_inputs else found

    return _walk(_seeds(seed_ops, get_generating_ops), before, inclusive, within_ops, within_ops_fn)


def _both_walks(
    forward_seed_ops: Operation | Sequence[Operation | Tensor],
    backward_seed_ops: Operation | Sequence[Operation | Tensor],
    forward_inclusive: bool,
    backward_inclusive: bool,
    within_ops: Sequence[Operation] | None,
    within_ops_fn: Any,
    cios: tuple[Any, Any],
) -> tuple[list[Operation], list[Operation]]:
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, control_outputs=cios[1]
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, control_inputs=cios[0]
    )
    return forward, backward


def get_walks_intersection_ops(
    forward_seed_ops: Operation | Sequence[Operation | Tensor],
    backward_seed_ops: Operation | Sequence[Operation | Tensor],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: ControlOutputs | None = None,
) -> list[Operation]:
    """What depends on the forward seeds and is needed for the backward seeds: the paths between them."""
    cios = check_cios(control_inputs, control_outputs, control_ios)
    forward, backward = _both_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn, cios
    )
    reached = set(backward)
    return [op for op in forward if op in reached]


def get_walks_union_ops(
    forward_seed_ops: Operation | Sequence[Any],
    backward_seed_ops: Operation | Sequence[Tensor],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Sequence[Operation] | None = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """What depends on the forward seeds or is needed for the backward seeds."""
    cios = check_cios(control_inputs, control_outputs, control_ios)
    forward, backward = _both_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn, cios
    )
    return concatenate_unique(forward, backward)


def _options(kwargs: dict[str, Any], restricts: str) -> tuple[Any, Any, Any]:
    """(graph, positive_filter, restrict) of the keyword arguments of `select_…`."""
    unknown = set(kwargs) - {"graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex"}
    if unknown:
        raise ValueError(f"Wrong keywords argument: {min(unknown)}.")
    graph = kwargs.get("graph")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    return graph, kwargs.get("positive_filter"), kwargs.get(restricts, False)


def _selected(
    args: tuple[Any, ...],
    options: tuple[Any, Any, Any],
    prefix: str,
    other: str,
    search: Callable[[Graph, Any], list[Any]],
    listed: Callable[[Any], list[Any]],
) -> list[Any]:
    graph, positive_filter, restrict = options
    found: list[Any] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            regex = make_regex(arg)
            if regex.pattern.startswith(other) or (restrict and not regex.pattern.startswith(prefix)):
                continue
            items = search(graph, regex)
        else:
            items = listed(arg)
        concatenate_unique(found, (i for i in items if positive_filter is None or positive_filter(i)))
    return found


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Operations by regular expression or as they are.

    Args:
        *args: regular expressions ("(?#ts)" in front of those meant for tensors only), operations, or lists of them.
        graph: the graph that regular expressions search.
        positive_filter: must hold for every operation chosen.
        restrict_ops_regex: whether only expressions that begin with "(?#ops)" count.

    Raises:
        TypeError, ValueError: for other arguments, or an expression without a graph.

    Example:
        >>> tf.contrib.graph_editor.select_ops("^layer1/", graph=tf.get_default_graph())
    """
    options = _options(kwargs, "restrict_ops_regex")
    listed = lambda arg: make_list_of_op(arg, ignore_ts=True)  # noqa: E731
    return _selected(args, options, "(?#ops)", "(?#ts)", filter_ops_from_regex, listed)


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Tensors by regular expression or as they are; the arguments are as those of `select_ops`."""
    options = _options(kwargs, "restrict_ts_regex")
    listed = lambda arg: make_list_of_t(arg, ignore_ops=True)  # noqa: E731
    return _selected(args, options, "(?#ts)", "(?#ops)", filter_ts_from_regex, listed)


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Operation], list[Tensor]]:
    """Both: expressions choose operations unless "(?#ts)" stands in front of them."""
    ops = select_ops(*args, restrict_ops_regex=False, **kwargs)
    return ops, select_ts(*args, restrict_ts_regex=True, **kwargs)
