"""Arguments of datasets as tensors, by the names of 1.15's `tensorflow.python.data.util` modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.data.arguments import shape_vector

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.shapes import TensorShape
    from headrace.core.typing import DTypeLike
    from headrace.data.dataset import Dataset


def optional_param_to_tensor(
    argument_name: str, argument_value: Any, argument_default: Any = 0, argument_dtype: DTypeLike = "int64"
) -> Tensor:
    """An argument, or its default if it is None, as a tensor.

    Args:
        argument_name: its name.
        argument_value: its value, or None.
        argument_default: what it is then.
        argument_dtype: its type.
    """
    value = argument_default if argument_value is None else argument_value
    return convert_to_tensor(value, dtype=argument_dtype, name=argument_name)


def partial_shape_to_tensor(shape_like: TensorShape | np.ndarray | Sequence[int | None]) -> Tensor:
    """A shape, known in part, as an int64 vector with -1 for what is not known.

    Args:
        shape_like: a shape, or an int64 vector.

    Raises:
        ValueError: for a tensor that is no vector; TypeError: for one of another type.
    """
    return shape_vector(shape_like, "The given shape")[0]


def obtain_all_variant_tensor_ops(dataset: Dataset) -> list[Operation]:
    """The operations that make a dataset, those it is made of, and what else of its inputs is a variant."""
    found: list[Operation] = []
    pending, seen = [dataset._variant_tensor.op], set()
    while pending:
        op = pending.pop(0)
        if op in seen:
            continue
        seen.add(op)
        if op.outputs and op.outputs[0].dtype.name == "variant":
            found.append(op)
        pending.extend(tensor.op for tensor in op.inputs)
    return found
