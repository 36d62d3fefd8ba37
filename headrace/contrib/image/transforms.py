"""Projective transforms of images, and the ways to write one down.

A transform is a matrix in homogeneous coordinates: Hartley and Zisserman, "Multiple view geometry in computer vision"
(2004), chapter 2. A rotation about the middle of an image is one between two shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import shape_internal
from headrace.kernels.image.transform_matrices import flat_transforms_to_matrices, matrices_to_flat_transforms
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike


_TYPES = frozenset({"uint8", "int32", "int64", "float16", "float32", "float64"})


def _as_batch(image: Tensor) -> Tensor:
    """Images of rank 2, 3 or 4 with batch and channels.

    Raises:
        TypeError: for another type or rank.
    """
    if image.dtype.base_dtype.name not in _TYPES:
        raise TypeError(f"Invalid dtype {image.dtype}.")
    rank = image.get_shape().ndims
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    return {2: lambda: image[None, :, :, None], 3: lambda: image[None, :, :, :], 4: lambda: image}[rank]()


def _like(image: Tensor, result: Tensor) -> Tensor:
    """`result` with the rank of `image`."""
    rank = image.get_shape().ndims
    return result[0, :, :, 0] if rank == 2 else result[0, :, :, :] if rank == 3 else result


def transform(
    images: TensorLike,
    transforms: TensorLike,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Images under projective transforms.

    Args:
        images: tensor of shape [batch, height, width, channels], [height, width, channels] or [height, width].
        transforms: float32 vector of 8 numbers [a0, a1, a2, b0, b1, b2, c0, c1], or a matrix of one for each image. The
            output pixel (x, y) is taken from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: int32 vector, height and width of the result; those of the images by default.
        name: a name for the operations.

    Returns:
        images of the same type and rank; 0 where a pixel comes from outside.

    Raises:
        TypeError: for another type or rank. ValueError: for an `output_shape` that is no vector of two.
    """
    with name_scope(name, "transform"):
        given = convert_to_tensor(images, name="images")
        matrices = convert_to_tensor(transforms, "float32", name="transforms")
        batch = _as_batch(given)
        if output_shape is None:
            output_shape = shape_internal(batch)[1:3]
        output_shape = convert_to_tensor(output_shape, "int32", name="output_shape")
        if not output_shape.get_shape().is_compatible_with([2]):
            raise ValueError("output_shape must be a 1-D Tensor of 2 elements: new_height, new_width")
        rank = matrices.get_shape().ndims
        if rank is None:
            raise TypeError("transform_or_transforms rank must be statically known")
        if rank not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        if rank == 1:
            matrices = matrices[None]
        kind = interpolation.upper()
        return _like(given, raw.ImageProjectiveTransformV2(batch, matrices, output_shape, interpolation=kind))


def rotate(
    images: TensorLike,
    angles: float | Tensor | Sequence[float | Sequence[float]],
    interpolation: str = "NEAREST",
    name: str | None = None,
) -> Tensor:
    """Images turned counter-clockwise about their middle.

    Args:
        images, interpolation, name: as for `transform`.
        angles: float32 scalar or vector of one for each image, in radians.

    Raises:
        TypeError: for another type or rank.
    """
    with name_scope(name, "rotate"):
        given = convert_to_tensor(images)
        batch = _as_batch(given)
        height, width = (cast(shape_internal(batch)[axis], "float32")[None] for axis in (1, 2))
        rotated = transform(batch, angles_to_projective_transforms(angles, height, width), interpolation=interpolation)
        return _like(given, rotated)


def translate(
    images: TensorLike, translations: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images moved: `translations` is a vector [dx, dy] or a matrix of one for each image; else as `transform`."""
    with name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation=interpolation)


def angles_to_projective_transforms(
    angles: float | Tensor | Sequence[float | Sequence[float]],
    image_height: float | Tensor,
    image_width: float | Tensor,
    name: str | None = None,
) -> Tensor:
    """The transforms that turn images counter-clockwise about their middle.

    Args:
        angles: float32 scalar or vector, in radians.
        image_height, image_width: float32, the size of the images.
        name: a name for the operations.

    Returns:
        float32 tensor of shape [n, 8].

    Raises:
        TypeError: for angles of another rank.
    """
    with name_scope(name, "angles_to_projective_transforms"):
        given = convert_to_tensor(angles, "float32", name="angles")
        rank = given.get_shape().ndims
        if rank not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = given[None] if rank == 0 else given

        # Cosine, sine and the last column and row are written out wherever they stand, as in TensorFlow's graphs;
        # a plan computes them once.
        def rotated_center(
            first: OpDecl, from_right: float | Tensor, second: OpDecl, from_bottom: float | Tensor
        ) -> tuple[Tensor, Tensor]:
            return first(angles) * (from_right - 1), second(angles) * (from_bottom - 1)

        right = image_width - 1
        along, across = rotated_center(raw.Cos, image_width, raw.Sin, image_height)
        x_offset = (right - (along - across)) / 2.0
        bottom = image_height - 1
        along, across = rotated_center(raw.Sin, image_width, raw.Cos, image_height)
        y_offset = (bottom - (along + across)) / 2.0
        count = shape_internal(angles)[0]
        columns = [
            raw.Cos(angles)[:, None],
            -raw.Sin(angles)[:, None],
            x_offset[:, None],
            raw.Sin(angles)[:, None],
            raw.Cos(angles)[:, None],
            y_offset[:, None],
        ]
        return composing.concat([*columns, composing.zeros((count, 2))], 1)


def translations_to_projective_transforms(translations: TensorLike, name: str | None = None) -> Tensor:
    """The transforms that move images by [dx, dy]: float32 of shape [n, 8].

    Raises:
        TypeError: for translations of another rank.
    """
    with name_scope(name, "translations_to_projective_transforms"):
        given = convert_to_tensor(translations, "float32", name="translations")
        rank = given.get_shape().ndims
        if rank is None:
            raise TypeError("translation_or_translations rank must be statically known")
        if rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        moves = given[None] if rank == 1 else given
        count = shape_internal(moves)[0]

        def one() -> Tensor:
            return composing.ones((count, 1))

        def zero() -> Tensor:
            return composing.zeros((count, 1))

        first = [one(), zero(), -moves[:, 0, None]]
        second = [zero(), one(), -moves[:, 1, None]]
        return composing.concat([*first, *second, composing.zeros((count, 2))], 1)


def compose_transforms(*transforms: Any) -> Tensor:
    """The transform that does what all of these do, the first first: float32 of shape [n, 8]."""
    assert transforms, "transforms cannot be empty"
    with name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            composed = matmul(composed, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(composed)
