"""Functions that carry a state over the elements: reduce and scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.core.registry import raw
from headrace.data import structure
from headrace.data.dataset import Dataset
from headrace.data.functions import ElementFunction


def _traced(
    func: Callable[..., Any], transformation: str, state: Any, dataset: Dataset, pick: Callable[[Any], Any]
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


def reduced(dataset: Dataset, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """`Dataset.reduce`."""
    start = structure.normalized(initial_state)
    function, state = _traced(reduce_func, "reduce()", structure.spec_of(start), dataset, lambda spec: spec)
    made = raw.ReduceDataset(
        dataset._variant_tensor,
        structure.to_tensors(state, start),
        function.captured,
        f=function.name,
        **structure.described(state),
    )
    return structure.from_tensors(state, list(made))


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Callable[[Dataset], Dataset]:
    """A transformation to what a function makes of a state and each element.

    Args:
        initial_state: a structure of tensors.
        scan_func: takes the state and an element, returns a pair of the next state and the new element.

    Raises:
        TypeError: if `scan_func` does not return such a pair.
    """

    def apply(dataset: Dataset) -> Dataset:
        start = structure.normalized(initial_state)

        def pair(spec: Any) -> Any:
            if not isinstance(spec, tuple) or len(spec) != 2:
                raise TypeError("The scan function must return a pair comprising the new state and the output value.")
            return spec[0]

        function, state = _traced(scan_func, "tf.data.experimental.scan()", structure.spec_of(start), dataset, pair)
        spec = function.output_structure[1]
        variant = raw.ExperimentalScanDataset(
            dataset._variant_tensor,
            structure.to_tensors(state, start),
            function.captured,
            f=function.name,
            preserve_cardinality=True,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply
