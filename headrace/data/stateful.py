"""Functions that carry a state over the elements, traced with a state of one description, and `reduce`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.data import nest, structure
from headrace.data.dataset_base import DatasetBase
from headrace.data.element_functions import ElementFunction

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.type_specs import TypeSpec
    from headrace.core.typing import Nested, TensorLike


def traced_with_state(
    func: Callable[..., Any],
    transformation: str,
    state: Nested[TypeSpec],
    dataset: DatasetBase,
    pick: Callable[[Any], Any],
) -> tuple[ElementFunction, Any]:
    """Traces a function of (state, element), with shapes of the state that it keeps.

    Where the function returns a state of other shapes, it is traced again with dimensions unknown that differ. That
    ends, for each time fewer are known.

    Args:
        func: takes a state and an element.
        transformation: the method of `Dataset` that it is for, as errors name it.
        state: the description of the initial state.
        dataset: gives the elements.
        pick: takes the description of what `func` returns and gives that of the next state in it.

    Returns:
        the function and the description of the state.

    Raises:
        TypeError: if the next state has other classes or element types than the initial one.
        InvalidArgumentError: if it has another number of components.
    """
    while True:
        function = ElementFunction(func, transformation, (state, dataset.element_spec))
        parts = nest.flatten(pick(function.output_structure))
        if len(parts) != len(nest.flatten(state)):
            # In 1.15 the step fails; what is wrong is known here.
            raise InvalidArgumentError(
                None,
                None,
                "The number of components of the initial state and the reduce function output does not match. "
                f"(initial_state={len(nest.flatten(state))}, output={len(parts)}).",
            )
        # As in 1.15, the components are compared one by one, whatever structure they come in.
        new = nest.pack_sequence_as(state, parts)
        if structure.legacy_classes(new) != structure.legacy_classes(state):
            raise TypeError(
                f"The element classes for the new state must match the initial state. Expected "
                f"{structure.legacy_classes(state)}; got {structure.legacy_classes(new)}."
            )
        if structure.legacy_types(new) != structure.legacy_types(state):
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{structure.legacy_types(state)}; got {structure.legacy_types(new)}."
            )
        wider = structure.most_general(state, new)
        if structure.flat_dims(wider) == structure.flat_dims(state):
            return function, state
        state = wider


def reduced(
    dataset: DatasetBase,
    initial_state: Nested[TensorLike | CompositeTensor],
    reduce_func: Callable[..., Any],
) -> Any:
    """The last state of `reduce_func`, called with a state and each element in turn: `Dataset.reduce`.

    Args:
        dataset: gives the elements.
        initial_state: the state that the first call gets.
        reduce_func: takes a state and an element, and returns the next state.

    Returns:
        a structure of tensors like `initial_state`.
    """
    start = structure.normalized(initial_state)
    function, state = traced_with_state(reduce_func, "reduce()", structure.spec_of(start), dataset, lambda spec: spec)
    made = raw.ReduceDataset(
        dataset._variant_tensor,
        structure.to_tensors(state, start),
        function.captured,
        f=function.name,
        **structure.described(state),
    )
    return structure.from_tensors(state, list(made))
