"""Functions that carry a state over the elements, traced with a state of one description, and `reduce`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.data import structure
from headrace.data.dataset_base import DatasetBase
from headrace.data.element_functions import ElementFunction

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.type_specs import BatchableTypeSpec, TensorSpec
    from headrace.core.typing import IntLike, TensorLike


def traced_with_state(
    func: Callable[..., Any],
    transformation: str,
    state: BatchableTypeSpec | Sequence[TensorSpec] | Mapping[str, TensorSpec],
    dataset: DatasetBase,
    pick: Callable[[Any], Any],
) -> tuple[ElementFunction, Any]:
    """The function of (state, element), traced with a state of shapes that it keeps.

    Args:
        pick: from the description of what it returns to that of the next state.

    Returns:
        the function and the description of the state.
    """
    while True:
        function = ElementFunction(func, transformation, (state, dataset.element_spec))
        new = pick(function.output_structure)
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
    initial_state: TensorLike | SparseTensor | Mapping[str, IntLike],
    reduce_func: Callable[..., Any],
) -> Any:
    """`Dataset.reduce`."""
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
