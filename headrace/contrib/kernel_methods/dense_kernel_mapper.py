"""What maps vectors to explicit features of a kernel."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class InvalidShapeError(Exception):
    """The tensor to be mapped has another shape than the mapper takes."""


class DenseKernelMapper(abc.ABC):
    """Maps vectors to others whose inner products are the values of a kernel."""

    @abc.abstractmethod
    def map(self, input_tensor: TensorLike) -> Tensor:
        """The features of each row."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The mapper's name."""

    @property
    @abc.abstractmethod
    def output_dim(self) -> int:
        """The number of features."""
