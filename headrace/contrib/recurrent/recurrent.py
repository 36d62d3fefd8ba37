"""`Recurrent`: a function applied along time to a state, whose gradient may be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.autodiff.gradients import gradients
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.flow.custom_gradient import custom_gradient
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.gather import gather
from headrace.ops.math.binary import maximum
from headrace.ops.math.comparison import equal

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Structure = Any
CellFn = Callable[[Structure, Structure, Structure], tuple[Structure, Structure]]
CellGrad = Callable[[Structure, Structure, Structure, Structure, Structure], tuple[Structure, Structure, Structure]]


def Recurrent(
    theta: Structure,
    state0: Structure,
    inputs: Structure,
    cell_fn: CellFn,
    cell_grad: CellGrad | None = None,
    extras: Structure = None,
    max_input_length: TensorLike | None = None,
    use_tpu: bool = False,
    aligned_end: bool = False,
) -> tuple[Structure, Structure]:
    """The states of a recurrence: state = cell_fn(theta, state, inputs[t]) for each t.

    Args:
        theta: weights, a structure of tensors.
        state0: the state at the beginning, a structure of tensors.
        inputs: a structure of tensors whose first axis is time.
        cell_fn: `(theta, state, inputs of a step) -> (state, extras)`, which uses no other tensors.
        cell_grad: `(theta, state, inputs of a step, extras, gradient of the new state) -> (gradients of theta, of the
            state, of the inputs)`, where None stands for zeros; the gradient of `cell_fn` by default.
        extras: a structure like the one that `cell_fn` returns, for `cell_grad`; it is found by a call otherwise.
        max_input_length: how many steps are made; all by default. States of others are 0.
        use_tpu: whether a TPU computes it in 1.15; the values are the same.
        aligned_end: whether the steps made are the last ones, not the first.

    Returns:
        (the states after each step, with time as the first axis, and the last one), structures as `state0`.

    Example:
        >>> add = lambda theta, state, x: (state * theta + x, [])
        >>> tf.contrib.recurrent.Recurrent(tf.constant(2.0), tf.constant(0.0), tf.constant([1.0, 2.0, 3.0]), add)
    """
    del use_tpu
    if cell_grad is None and _is_single_step(inputs, max_input_length):
        state, _ = cell_fn(theta, state0, nest.map_structure(lambda x: squeeze(x, axis=0), inputs))
        return nest.map_structure(lambda x: expand_dims(x, 0), state), state
    if extras is None:
        extras = nest.map_structure(zeros_like, cell_fn(theta, state0, _at(inputs, 0))[1])
    arguments = nest.map_structure(convert_to_tensor, [theta, state0, inputs])
    time = shape(nest.flatten(arguments[2])[0])[0]
    count = time if max_input_length is None else convert_to_tensor(max_input_length, dtype="int32")
    steps = _Steps(time, time - count if aligned_end else convert_to_tensor(0), time if aligned_end else count)

    if cell_grad is None:
        states, last, _ = _forward(cell_fn, arguments, extras, steps)
        return states, last
    gradient_fn = cell_grad

    @custom_gradient
    def recurrence(*flat: Tensor) -> tuple[list[Tensor], Callable[..., Any]]:
        given = nest.pack_sequence_as(arguments, flat)
        states, last, kept = _forward(cell_fn, given, extras, steps)
        results = nest.flatten([states, last])

        def gradient(*of_results: Tensor) -> list[Tensor]:
            of_states, of_last = nest.pack_sequence_as([states, last], of_results)
            return nest.flatten(_backward(gradient_fn, given, (states, kept), (of_states, of_last), steps))

        return results, gradient

    found = recurrence(*nest.flatten(arguments))
    states, last = nest.pack_sequence_as([state0, state0], nest.flatten(found))
    return states, last


class _Steps(NamedTuple):
    """The steps that are made, of all of `time`."""

    time: Tensor
    start: Tensor
    end: Tensor


def _is_single_step(inputs: Structure, max_input_length: TensorLike | None) -> bool:
    if not isinstance(max_input_length, Tensor):
        return bool(max_input_length == 1)
    return all(x.shape.ndims is not None and x.shape[0].value == 1 for x in nest.flatten(inputs))


def _at(structure: Structure, step: TensorLike) -> Structure:
    return nest.map_structure(lambda x: gather(x, step), structure)


def _arrays(structure: Structure, steps: _Steps) -> list[TensorArray]:
    """An array for each tensor of a structure, of as many elements as there are steps."""
    return [
        TensorArray(x.dtype, size=steps.end - steps.start, element_shape=x.shape, clear_after_read=False)
        for x in nest.flatten(structure)
    ]


def _whole(arrays: list[TensorArray], like: Structure, steps: _Steps) -> Structure:
    """What is in arrays, with zeros for the steps that were not made."""
    found = []
    for array, x in zip(arrays, nest.flatten(like), strict=True):
        rest = [zeros(concat([[size], shape(x)], 0), x.dtype) for size in (steps.start, steps.time - steps.end)]
        whole = concat([rest[0], array.stack(), rest[1]], 0)
        whole.set_shape(TensorShape([None]).concatenate(x.shape))
        found.append(whole)
    return nest.pack_sequence_as(like, found)


def _forward(
    cell_fn: CellFn, arguments: list[Structure], extras: Structure, steps: _Steps
) -> tuple[Structure, Structure, Structure]:
    """All states, the last one, and all extras."""
    theta, state0, inputs = arguments
    # Arrays, so that the gradients of the inputs are put together once, not added up step by step.
    rows = [TensorArray(x.dtype, size=steps.time, element_shape=x.shape[1:]).unstack(x) for x in nest.flatten(inputs)]

    def body(t: Tensor, state: Structure, states: list[Any], kept: list[Any]) -> tuple[Any, ...]:
        state, more = cell_fn(theta, state, nest.pack_sequence_as(inputs, [array.read(t) for array in rows]))
        new_states = nest.flatten(state)
        for each, like in zip(new_states, nest.flatten(state0), strict=True):
            each.set_shape(like.shape)
        states = [array.write(t - steps.start, x) for array, x in zip(states, new_states, strict=True)]
        kept = [array.write(t - steps.start, x) for array, x in zip(kept, nest.flatten(more), strict=True)]
        return t + 1, nest.pack_sequence_as(state0, new_states), states, kept

    first = (steps.start, state0, _arrays(state0, steps), _arrays(extras, steps))
    _, last, states, kept = while_loop(lambda t, *_: t < steps.end, body, first)
    return _whole(states, state0, steps), last, _whole(kept, extras, steps)


def _backward(
    cell_grad: CellGrad,
    arguments: list[Structure],
    made: tuple[Structure, Structure],
    of_results: tuple[Structure, Structure],
    steps: _Steps,
) -> list[Structure]:
    """The gradients of theta, the first state and the inputs."""
    theta, state0, inputs = arguments
    (states, extras), (of_states, of_last) = made, of_results

    def before(t: Tensor) -> Structure:
        # The first step began with `state0`; where the steps are the last ones, it is what 1.15 finds before: zeros.
        flat = nest.flatten(state0)
        kept = nest.flatten(_at(states, maximum(t - 1, 0)))
        chosen = cond(equal(t, 0), lambda: [x + 0 for x in flat], lambda: [x + 0 for x in kept])
        return nest.pack_sequence_as(state0, nest.flatten(chosen))

    def body(t: Tensor, of_state: Structure, of_theta: Structure, of_inputs: list[Any]) -> tuple[Any, ...]:
        of_new = _sum(_at(of_states, t), of_state)
        found = cell_grad(theta, before(t), _at(inputs, t), _at(extras, t), of_new)
        step = [_zeros_for_none(x, dx) for x, dx in zip((theta, state0, _at(inputs, t)), found, strict=True)]
        rows = [array.write(t - steps.start, x) for array, x in zip(of_inputs, nest.flatten(step[2]), strict=True)]
        return t - 1, step[1], _sum(of_theta, step[0]), rows

    nothing = nest.map_structure(zeros_like, theta)
    first = (steps.end - 1, of_last, nothing, _arrays(_at(inputs, 0), steps))
    _, of_first, of_theta, of_inputs = while_loop(lambda t, *_: t >= steps.start, body, first)
    return [of_theta, of_first, _whole(of_inputs, _at(inputs, 0), steps)]


def _sum(left: Structure, right: Structure) -> Structure:
    return nest.map_structure(lambda x, y: x + y, left, right)


def _zeros_for_none(values: Structure, found: Structure) -> Structure:
    """Gradients in the structure of what they are of."""
    pairs = zip(nest.flatten(values), nest.flatten(found), strict=True)
    return nest.pack_sequence_as(values, [zeros_like(x) if dx is None else dx for x, dx in pairs])


def gradient_of(cell_fn: CellFn) -> CellGrad:
    """The `cell_grad` that `Recurrent` takes for a cell by default."""

    def cell_grad(
        theta: Structure, state0: Structure, inputs: Structure, extras: Structure, dstate1: Structure
    ) -> tuple[Structure, Structure, Structure]:
        del extras
        state1, _ = cell_fn(theta, state0, inputs)
        arguments = [theta, state0, inputs]
        found = gradients(nest.flatten(state1), nest.flatten(arguments), grad_ys=nest.flatten(dstate1))
        of_theta, of_state, of_inputs = _zeros_for_none(arguments, found)
        return of_theta, of_state, of_inputs

    return cell_grad
