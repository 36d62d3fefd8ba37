"""Several steps of training in one call: a loop over the elements of an iterator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.distribute.values import regroup
from headrace.functions.flow.while_loop import while_loop
from headrace.ops.flow.grouping import group
from headrace.state.replication import get_replica_context, get_strategy, in_cross_replica_context

if TYPE_CHECKING:
    from headrace.state.modes import ReduceOp


class MultiStepContext:
    """What a function that `experimental_run_steps_on_iterator` calls may put its outputs into."""

    def __init__(self) -> None:
        self._last_step_outputs: dict[str, Any] = {}
        self._last_step_outputs_reduce_ops: dict[str, ReduceOp | None] = {}
        self._non_tensor_outputs: dict[str, Any] = {}
        self.run_op: Any = None

    @property
    def last_step_outputs(self) -> dict[str, Any]:
        """The outputs of the last step, by name."""
        return self._last_step_outputs

    def _set_last_step_outputs(self, outputs: dict[str, Any]) -> None:
        if not isinstance(outputs, dict):
            raise ValueError("Need a dictionary to set last_step_outputs.")
        self._last_step_outputs = outputs

    def set_last_step_output(self, name: str, output: Any, reduce_op: ReduceOp | None = None) -> None:
        """Keeps an output of a step.

        Args:
            name: its name.
            output: a value of several replicas in cross-replica context, of one in a replica's.
            reduce_op: how the values of replicas become one; None keeps each, in cross-replica context only.

        Raises:
            ValueError: in a replica's context without `reduce_op`.
        """

        def keep(strategy: Any, value: Any) -> None:
            self._last_step_outputs_reduce_ops[name] = reduce_op
            self._last_step_outputs[name] = value if reduce_op is None else strategy.reduce(reduce_op, value, axis=None)

        if in_cross_replica_context():
            keep(get_strategy(), output)
            return
        if reduce_op is None:
            raise ValueError("set_last_step_output in replica context: say with `reduce_op` how values become one.")
        get_replica_context().merge_call(keep, args=(output,))

    @property
    def non_tensor_outputs(self) -> dict[str, Any]:
        """Outputs that are no tensors, by name."""
        return self._non_tensor_outputs

    def set_non_tensor_output(self, name: str, output: Any) -> None:
        """Keeps an output that is no tensor."""
        if in_cross_replica_context():
            self._non_tensor_outputs[name] = output
            return

        def keep(strategy: Any, value: Any) -> None:
            self._non_tensor_outputs[name] = strategy.experimental_local_results(value)

        get_replica_context().merge_call(keep, args=(output,))


def run_steps(
    strategy: Any, fn: Callable[..., Any], iterator: Any, iterations: int, initial_loop_values: Any
) -> MultiStepContext:
    """`StrategyExtended.experimental_run_steps_on_iterator`.

    Args:
        strategy: the strategy.
        fn, iterator, iterations, initial_loop_values: as there.
    """
    extended = strategy.extended
    context = MultiStepContext()

    def step(i: Any, *outputs: Any) -> list[Any]:
        del outputs
        done = fn(context, iterator.get_next())
        kept = context.last_step_outputs
        for name, output in kept.items():
            kept[name] = extended._local_results(output)
        with control_dependencies([] if executing_eagerly() or done is None else [done]):
            return [i + 1, *(convert_to_tensor(output) for output in nest.flatten(kept))]

    # What is computed of the variables of metrics is computed outside of the loop.
    extended._outer_control_flow_context = get_default_graph()._get_control_flow_context()
    start = [convert_to_tensor(0), *map(convert_to_tensor, nest.flatten(initial_loop_values))]
    result = while_loop(
        lambda i, *_: i < iterations,
        step,
        start,
        name="",
        parallel_iterations=1,
        back_prop=False,
        swap_memory=False,
        return_same_structure=True,
    )
    del extended._outer_control_flow_context
    context.run_op = group(*result)
    outputs = nest.pack_sequence_as(context.last_step_outputs, list(result[1:]))
    for name, reduce_op in context._last_step_outputs_reduce_ops.items():
        output = outputs[name]
        outputs[name] = regroup(extended._device_map, output) if reduce_op is None and len(output) > 1 else output[0]
    context._set_last_step_outputs(outputs)
    return context
