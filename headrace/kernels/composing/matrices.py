"""Identity matrices and adjoints, for gradients of linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import DTypeLike, TensorLike


def identity(rows: TensorLike, batch: TensorLike | None, dtype: DTypeLike) -> Any:
    """Identity matrices of a size and batch shape that are tensors, as `tf.eye` makes them; one if `batch` is None."""
    with name_scope(None, "eye", [rows, None, batch]):
        length = raw.Minimum(rows, rows)
        sizes = composing.concat(
            (convert_to_tensor([] if batch is None else batch, "int32", name="shape"), [length]), 0
        )
        return raw.MatrixDiag(composing.ones(sizes, dtype=dtype), name="diag")


def adjoint(matrix: TensorLike | np.ndarray, name: str | None = None) -> Tensor:
    """The conjugate transposes of matrices.

    Args:
        matrix: numbers of shape (..., m, n).
        name: a name scope.

    Returns:
        a tensor of shape (..., n, m).
    """
    with name_scope(name, "adjoint", [matrix]):
        return composing.matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)
