"""Labels of connectionist temporal classification, mapped row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.recurrent.functional import map_fn

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _size(vector: Tensor) -> int | Tensor:
    """How many elements there are, a Python number where it is known."""
    known = None if vector.dims is None else vector.dims[0]
    return composing.shape(vector)[0] if known is None else known


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different labels of each row, for the argument `unique` of `ctc_loss_v2`.

    Args:
        labels: integer matrix of shape (batch, longest).
        name: a name scope.

    Returns:
        (unique, indices): int64 matrix of the shape of `labels` with each row's labels in the order in which they come,
        filled up with 0; int32 matrix, where in `unique` each label is.

    Example:
        >>> tf.Session().run(tf.nn.ctc_unique_labels([[3, 4, 4, 3]]))
        (array([[3, 4, 0, 0]]), array([[0, 1, 1, 0]], dtype=int32))
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")

        def unique_of(row: Tensor) -> list[Tensor]:
            found, indices = raw.Unique(row)
            missing = _size(indices) - _size(found)
            filled = raw.Pad(found, [[0, missing]])
            return [composing.cast(filled, "int64"), indices]

        unique, indices = map_fn(unique_of, labels, dtype=["int64", "int32"])
        return unique, indices
