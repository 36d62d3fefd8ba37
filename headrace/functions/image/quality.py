"""How alike two images are, and how rough one is: PSNR, SSIM, total variation; edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.functions.image.conversion import convert_image_dtype
from headrace.functions.math.reduction import reduce_all, reduce_any, reduce_mean, reduce_prod, reduce_sum
from headrace.functions.nn.pooling_functions import avg_pool
from headrace.functions.nn.separable_functions import depthwise_conv2d
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import expand_dims, shape_internal
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape, shape_n
from headrace.ops.math.binary import pow as power
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# Wang, Simoncelli and Bovik 2003, section 3.2.
_SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def total_variation(images: Tensor, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbouring pixels (Rudin, Osher and Fatemi, Physica D 60, 1992).

    Args:
        images: tensor of shape [batch, height, width, channels] or [height, width, channels].
        name: a name for the operations.

    Returns:
        a scalar for one image, a vector for a batch.

    Raises:
        ValueError: for another rank.
    """
    with name_scope(name, "total_variation"):
        rank = images.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        later, earlier, every = slice(1, None), slice(None, -1), slice(None)

        def before(*key: slice) -> tuple[slice, ...]:
            return (every,) * (rank - 3) + key

        down = images[before(later, every, every)] - images[before(earlier, every, every)]
        across = images[before(every, later, every)] - images[before(every, earlier, every)]
        axes = None if rank == 3 else [1, 2, 3]
        return reduce_sum(raw.Abs(down), axis=axes) + reduce_sum(raw.Abs(across), axis=axes)


def checks_of_pair(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, list[Any]]:
    """The shapes of two images, and the operations that check that they fit together.

    Raises:
        ValueError: if they are known not to.
    """
    static = [image.get_shape().with_rank_at_least(3) for image in (first, second)]
    static[0][-3:].assert_is_compatible_with(static[1][-3:])
    if None not in (static[0].ndims, static[1].ndims):
        for a, b in zip(*(reversed((shape.dims or [])[:-3]) for shape in static)):
            if not (a == 1 or b == 1 or a.is_compatible_with(b)):
                raise ValueError(f"Two images are not compatible: {static[0]} and {static[1]}")
    shapes = shape_n([first, second])
    big = raw.GreaterEqual(composing.size(shapes[0]), 3)
    checks = [
        Assert(big, shapes, summarize=10),
        Assert(reduce_all(raw.Equal(shapes[0][-3:], shapes[1][-3:])), shapes, summarize=10),
    ]
    return shapes[0], shapes[1], checks


def psnr(a: Tensor, b: Tensor, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels: 20 log10(max_val) - 10 log10(mean squared error).

    Args:
        a, b: tensors of shape [..., height, width, channels].
        max_val: the range of their values.
        name: a name for the operations.

    Returns:
        float32 tensor of shape [...].

    Raises:
        ValueError: if the shapes do not fit.

    Example:
        >>> original, decoded = tf.zeros([8, 8, 3]), tf.ones([8, 8, 3])
        >>> sess.run(tf.image.psnr(original, decoded, max_val=10.0))  # 20 log10(10)
        20.0
    """
    with name_scope(name, "PSNR", [a, b]):
        max_val = convert_image_dtype(cast(max_val, a.dtype), "float32")
        a, b = convert_image_dtype(a, "float32"), convert_image_dtype(b, "float32")
        error = reduce_mean(raw.SquaredDifference(a, b), [-3, -2, -1])
        peak = 20 * raw.Log(max_val) / raw.Log(10.0)
        ratio = raw.Sub(peak, np.float32(10 / np.log(10)) * raw.Log(error), name="psnr")
        checks = checks_of_pair(a, b)[2]
        with control_dependencies(checks):
            return identity(ratio)


def _gaussian_window(size: Tensor, sigma: Tensor) -> Tensor:
    """Weights of shape [size, size, 1, 1] that sum to 1."""
    places = cast(composing.range_(size), sigma.dtype)
    places -= cast(size - 1, sigma.dtype) / 2.0
    exponent = raw.Square(places) * (-0.5 / raw.Square(sigma))
    both = reshape(exponent, [1, -1]) + reshape(exponent, [-1, 1])
    return reshape(raw.Softmax(reshape(both, [1, -1])), [size, size, 1, 1])


def _ssim_by_channel(
    first: Tensor, second: Tensor, max_val: Tensor, filter_size: int, filter_sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Structural similarity and its part without the luminance, a number for each channel."""
    size = convert_to_tensor(filter_size, "int32")
    sigma = convert_to_tensor(filter_sigma, first.dtype)
    shapes = shape_n([first, second])
    checks = [Assert(reduce_all(raw.GreaterEqual(shape[-3:-1], size)), [shape, size], summarize=8) for shape in shapes]
    with control_dependencies(checks):
        first = identity(first)
    window = raw.Tile(_gaussian_window(size, sigma), [1, 1, shapes[0][-1], 1])

    def local_mean(x: Tensor) -> Tensor:
        shape = shape_internal(x)
        flat = reshape(x, composing.concat([[-1], shape[-3:]], 0))
        y = depthwise_conv2d(flat, window, strides=[1, 1, 1, 1], padding="VALID")
        return reshape(y, composing.concat([shape[:-3], shape_internal(y)[1:]], 0))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_first, mean_second = local_mean(first), local_mean(second)
    means = mean_first * mean_second * 2.0
    squares = raw.Square(mean_first) + raw.Square(mean_second)
    luminance = (means + c1) / (squares + c1)
    products = local_mean(first * second) * 2.0
    powers = local_mean(raw.Square(first) + raw.Square(second))
    # The factor is there for estimates of the variance that divide by one less; this one does not.
    c2 = c2 * 1.0
    structure = (products - means + c2) / (powers - squares + c2)
    axes = convert_to_tensor([-3, -2], "int32")
    return reduce_mean(luminance * structure, axes), reduce_mean(structure, axes)


def _floating_pair(
    first: Tensor, second: Tensor, max_val: TensorLike, checks: list[Any]
) -> tuple[Tensor, Tensor, Tensor]:
    with control_dependencies(checks):
        first = identity(first)
    max_val = convert_image_dtype(cast(max_val, first.dtype), "float32")
    return convert_image_dtype(first, "float32"), convert_image_dtype(second, "float32"), max_val


def ssim(
    img1: Tensor,
    img2: Tensor,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of two images.

    Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to structural similarity", IEEE
    Transactions on Image Processing 13 (2004).

    Args:
        img1, img2: tensors of shape [..., height, width, channels].
        max_val: the range of their values.
        filter_size, filter_sigma: size and width of the Gaussian window.
        k1, k2: small numbers that keep quotients steady.

    Returns:
        float32 tensor of shape [...], at most 1.

    Raises:
        ValueError: if the shapes do not fit.
    """
    checks = checks_of_pair(img1, img2)[2]
    first, second, max_val = _floating_pair(img1, img2, max_val, checks)
    by_channel, _ = _ssim_by_channel(first, second, max_val, filter_size, filter_sigma, k1, k2)
    return reduce_mean(by_channel, [-1])


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = _SCALE_WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity over several scales.

    Wang, Simoncelli and Bovik, "Multiscale structural similarity for image quality assessment", Asilomar Conference on
    Signals, Systems and Computers, 2003.

    Args:
        img1, img2, max_val, filter_size, filter_sigma, k1, k2: as for `ssim`.
        power_factors: the weight of each scale; each is half the size of the one before.

    Returns:
        float32 tensor of shape [...], in [0, 1].

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        *shapes, checks = checks_of_pair(img1, img2)
        first, second, max_val = _floating_pair(img1, img2, max_val, checks)
        images = [first, second]
        heads, tails = [shape[:-3] for shape in shapes], [shape[-3:] for shape in shapes]
        halves = convert_to_tensor([2, 2, 1], "int32")
        parts: list[Tensor] = []
        by_channel = structure = None
        for scale in range(len(power_factors)):
            with name_scope(None, f"Scale{scale}", images):
                if scale > 0:
                    images, tails = _halved(images, heads, tails, halves)
                by_channel, structure = _ssim_by_channel(
                    images[0], images[1], max_val, filter_size, filter_sigma, k1, k2
                )
                parts.append(raw.Relu(structure))
        parts[-1] = raw.Relu(by_channel)
        similarity = reduce_prod(power(composing.stack(parts, axis=-1), list(power_factors)), [-1])
        return reduce_mean(similarity, [-1])


def _halved(
    images: list[Tensor], heads: list[Tensor], tails: list[Tensor], halves: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """Images of half the height and width, and their last three dimensions."""
    flat = [reshape(image, composing.concat([[-1], tail], 0)) for image, tail in zip(images, tails)]
    remainder = raw.FloorMod(tails[0], halves, name="mod")

    def made_even() -> list[Tensor]:
        paddings = pad(expand_dims(remainder, -1), [[1, 0], [1, 0]])
        return [pad(image, paddings, mode="SYMMETRIC") for image in flat]

    even = cond(reduce_any(raw.NotEqual(remainder, 0)), made_even, lambda: flat)
    window = [1, 2, 2, 1]
    smaller = [avg_pool(image, ksize=window, strides=window, padding="VALID") for image in even]
    tails = [shape[1:] for shape in shape_n(smaller)]
    restored = [reshape(x, composing.concat([head, tail], 0)) for x, head, tail in zip(smaller, heads, tails)]
    return restored, tails


def image_gradients(image: Tensor) -> tuple[Tensor, Tensor]:
    """The differences of each pixel to the next one, down and across; 0 in the last row or column.

    Args:
        image: tensor of shape [batch, height, width, channels].

    Returns:
        two tensors (dy, dx) of the same shape.

    Raises:
        ValueError: for another rank.
    """
    if image.get_shape().ndims != 4:
        raise ValueError("image_gradients expects a 4D tensor [batch_size, h, w, d], not %s.", image.get_shape())
    shape = shape_internal(image)
    batch, height, width, depth = raw.Unpack(shape, num=4, name="unstack")
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]

    def completed(differences: Tensor, sizes: list[Any], axis: int) -> Tensor:
        rest = composing.zeros(composing.stack(sizes), image.dtype)
        return reshape(composing.concat([differences, rest], axis), shape)

    return completed(down, [batch, 1, width, depth], 1), completed(across, [batch, height, 1, depth], 2)


def sobel_edges(image: Tensor) -> Tensor:
    """The slopes that Sobel's filters find (Duda and Hart, "Pattern classification and scene analysis", 1973).

    Args:
        image: floating tensor of shape [batch, height, width, channels].

    Returns:
        tensor of shape [batch, height, width, channels, 2], the slope down and the slope across.
    """
    shape = shape_internal(image)
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    filters = convert_to_tensor(np.stack([down, down.T], -1)[:, :, None], image.dtype)
    filters = raw.Tile(filters, [1, 1, shape[-1], 1], name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    edges = reshape(edges, composing.concat([shape, [2]], 0))
    edges.set_shape(image.get_shape().concatenate([2]))
    return edges
