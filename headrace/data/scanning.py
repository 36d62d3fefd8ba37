"""`scan`: a transformation that carries a state over the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.data import structure
from headrace.data.dataset import Dataset
from headrace.data.stateful import traced_with_state

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.type_specs import BatchableTypeSpec, TensorSpec
    from headrace.core.typing import TensorLike


def scan(initial_state: TensorLike | SparseTensor, scan_func: Callable[..., Any]) -> Callable[[Dataset], Dataset]:
    """A transformation to what a function makes of a state and each element.

    Args:
        initial_state: a structure of tensors.
        scan_func: takes the state and an element, returns a pair of the next state and the new element.

    Raises:
        TypeError: if `scan_func` does not return such a pair.
    """

    def apply(dataset: Dataset) -> Dataset:
        start = structure.normalized(initial_state)

        def pair(spec: TensorSpec | Sequence[BatchableTypeSpec | Sequence[TensorSpec]]) -> Any:
            if not isinstance(spec, tuple) or len(spec) != 2:
                raise TypeError("The scan function must return a pair comprising the new state and the output value.")
            return spec[0]

        function, state = traced_with_state(
            scan_func, "tf.data.experimental.scan()", structure.spec_of(start), dataset, pair
        )
        spec = function.output_structure[1]
        variant = raw.ScanDataset(
            dataset._variant_tensor,
            structure.to_tensors(state, start),
            function.captured,
            f=function.name,
            preserve_cardinality=True,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply
