"""Projective transforms as 8 numbers and as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """Transforms of 8 numbers as matrices, shape [n, 3, 3].

    Raises:
        ValueError: for another rank than 1 or 2.
    """
    with name_scope("flat_transforms_to_matrices"):
        flat = convert_to_tensor(transforms, name="transforms")
        if flat.get_shape().ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {flat}")
        flat = raw.Reshape(flat, convert_to_tensor([-1, 8]))
        ones = composing.ones([shape_internal(flat)[0], 1])
        return raw.Reshape(composing.concat([flat, ones], 1), convert_to_tensor([-1, 3, 3]))


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """Matrices as transforms of 8 numbers, shape [n, 8].

    Raises:
        ValueError: for another rank than 2 or 3.
    """
    with name_scope("matrices_to_flat_transforms"):
        matrices = convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.get_shape().ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        flat = raw.Reshape(matrices, convert_to_tensor([-1, 9]))
        flat /= flat[:, 8:9]
        return flat[:, :8]
