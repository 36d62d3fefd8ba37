"""`keras.regularizers` as Keras 1 had them besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.functions.math.products import tensordot
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.regularizers import L1L2, Regularizer
from headrace.kernels.composing.filling import ones

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def l1l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """The penalty l1 * sum(|w|) + l2 * sum(w**2)."""
    return L1L2(l1=l1, l2=l2)


WeightRegularizer = ActivityRegularizer = L1L2


def activity_l1(l: float = 0.01) -> Any:  # noqa: E741  (its name in Keras 1)
    """The penalty l * sum(|x|) of a layer's outputs."""
    return L1L2(l1=l)


def activity_l2(l: float = 0.01) -> Any:  # noqa: E741  (its name in Keras 1)
    """The penalty l * sum(x**2) of a layer's outputs."""
    return L1L2(l2=l)


def activity_l1l2(l1: float = 0.01, l2: float = 0.01) -> Any:
    """The penalty l1 * sum(|x|) + l2 * sum(x**2) of a layer's outputs."""
    return L1L2(l1=l1, l2=l2)


class EigenvalueRegularizer(Regularizer):
    """The penalty k * s, s being the largest singular value of a matrix (Ludwig et al., arXiv:1604.06985).

    Args:
        k: the factor.
    """

    _ROUNDS = 9  # of the power method

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: Any) -> Tensor:
        """The penalty of a matrix.

        Raises:
            ValueError: if `x` is none.
        """
        sizes = x.shape.as_list()
        if len(sizes) != 2:
            raise ValueError(f"EigenvalueRegularizer is only available for tensors of rank 2, got shape {sizes}.")
        squared = tensordot(raw.Transpose(x, [1, 0]), x, 1)
        vector = ones([sizes[1], 1], x.dtype.base_dtype)
        for _ in range(self._ROUNDS):
            vector = tensordot(squared, vector, 1)
        # Rayleigh's quotient.
        eigenvalue = reduce_sum(tensordot(squared, vector, 1) * vector) / reduce_sum(raw.Square(vector))
        return raw.Sqrt(eigenvalue) * self.k

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such penalty with."""
        return {"k": float(self.k)}
