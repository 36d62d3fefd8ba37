"""`tf.while_loop`: a part of the graph that runs again and again while a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.loop_function import loop_of_functions
from headrace.functions.flow.modes import builds_functions
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_context import WhileContext
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.flow.eager_tensor_array import EagerMethods


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: float | TensorLike | Sequence[int] | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Runs `body` on the loop variables again and again while `cond` of them holds.

    Args:
        cond: takes the loop variables, returns a bool scalar tensor.
        body: takes the loop variables, returns their next values in the same structure, of the same types.
        loop_vars: a list or tuple of tensors, TensorArrays, composite tensors, or structures of them.
        shape_invariants: for each loop variable the shape that it has in all iterations, with None for sizes that
            change; by default the shape it enters with.
        parallel_iterations: how many iterations TensorFlow may run at once; kept in the graph, iterations run in order.
        back_prop: whether gradients flow through the loop.
        swap_memory: whether TensorFlow may move kept values off the GPU; kept in the graph.
        name: a name scope.
        maximum_iterations: the most iterations to run, or None.
        return_same_structure: whether one loop variable comes back in the structure of `loop_vars` too.

    Returns:
        the loop variables after the loop, in the structure of `loop_vars` (one alone comes without its list).

    Raises:
        TypeError: if `cond` or `body` is not callable.
        ValueError: if there are no loop variables, or the shape of one changes without an invariant that allows it.

    Example:
        >>> i = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [tf.constant(0)])
    """
    if not callable(cond):
        raise TypeError("cond must be callable.")
    if not callable(body):
        raise TypeError("body must be callable.")
    if parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    if builds_functions() and not executing_eagerly():
        return loop_of_functions(
            *(cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, name),
            return_same_structure=return_same_structure,
        )
    with name_scope(name, "while", loop_vars if isinstance(loop_vars, (list, tuple)) else None):
        _require_several(loop_vars)
        if executing_eagerly():
            return _loop_now(cond, body, loop_vars, maximum_iterations, return_same_structure)
        condition, step, variables = cond, body, loop_vars
        limit: Tensor | None = None
        if maximum_iterations is not None:
            limit = convert_to_tensor(maximum_iterations, name="maximum_iterations")
            if limit.dims != ():
                raise ValueError(f"maximum_iterations must be a scalar, saw shape: {limit.shape}")
            counter = constant(0, dtype=limit.dtype, name="iteration_counter")
            alone = len(loop_vars) == 1 and not return_same_structure
            variables = (counter, loop_vars[0] if alone else loop_vars)

            def condition(i: Tensor, inner: Tensor | Sequence[Any]) -> Tensor:
                return raw.LogicalAnd(raw.Less(i, limit), cond(inner) if alone else cond(*inner))

            def step(
                i: Tensor, inner: Tensor | Sequence[Any]
            ) -> tuple[Tensor, Tensor | list[Tensor] | tuple[Any, ...]]:
                return i + 1, body(inner) if alone else body(*inner)

            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants[0] if alone else shape_invariants)
        if shape_invariants is not None:
            nest.assert_same_structure(variables, shape_invariants, expand_composites=False)
        context = WhileContext(limit, parallel_iterations, back_prop, swap_memory)
        if context.outer_context is None:
            add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = context.BuildLoop(condition, step, variables, shape_invariants, return_same_structure)
        return result if maximum_iterations is None else result[1]


def _require_several(loop_vars: Any) -> None:
    """Raises ValueError without loop variables, TypeError for what is no structure of them."""
    if not loop_vars:
        raise ValueError("No loop variables provided")
    try:
        # A tensor's own error comes where it is iterated over.
        iter(() if isinstance(loop_vars, Tensor) else loop_vars)
    except TypeError:
        raise TypeError(
            f"while_loop: loop_vars must be a list, a tuple or a structure of them, got {loop_vars!r}."
        ) from None


def _loop_now(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    maximum_iterations: TensorLike | None,
    same_structure: bool,
) -> Any:
    """The loop as Python runs it."""
    alone = len(loop_vars) == 1
    packed = False
    left = None if maximum_iterations is None else int(convert_to_tensor(maximum_iterations))  # type: ignore[call-overload]  # eagerly a tensor of one number is one

    def converted(value: int | Tensor | EagerMethods) -> Any:
        return value if isinstance(value, TensorArray) else convert_to_tensor(value)

    while (left is None or left > 0) and cond(*loop_vars):
        result = body(*loop_vars)
        if alone and not isinstance(result, (list, tuple)):
            packed = True
            result = (result,)
        nest.assert_same_structure(list(loop_vars), list(result))
        loop_vars = nest.map_structure(converted, result, expand_composites=True)
        if left is not None:
            left -= 1
    # Those of a loop whose body never ran are tensors, too.
    loop_vars = nest.map_structure(converted, loop_vars, expand_composites=True)
    if same_structure:
        return loop_vars
    return loop_vars[0] if packed else loop_vars
