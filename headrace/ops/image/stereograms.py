"""Pictures of random dots in which eyes that look through them see depth.

Thimbleby, Inglis and Witten, "Displaying 3D images: algorithms for single-image random-dot stereograms", IEEE Computer
27 (1994).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import OpView, ShapeLike, TensorLike


stereogram_op = op(
    "SingleImageRandomDotStereograms",
    "depth_values: T, *, hidden_surface_removal=True, convergence_dots_size=8, dots_per_inch=72, eye_separation=2.5, "
    "mu=0.3333, normalize=True, normalize_max=-100.0, normalize_min=100.0, border_level=0.0, number_colors=256, "
    "output_image_shape: shape = [1024, 768, 1], output_data_window: shape = [1022, 757], "
    "T: {double, float, int64, int32} -> image: uint8",
)
stereogram_op.on_host("depth_values").not_differentiable()

_BLACK, _WHITE = 0, 255


@stereogram_op.shape
def stereogram_shape(op: OpView) -> list[Any]:
    width, height, channels = op.attrs["output_image_shape"]
    return [(height, width, 3 if op.attrs["number_colors"] > 256 else channels)]


def _nearness(depth: np.ndarray, attrs: dict[str, Any]) -> np.ndarray:
    """Depths between 0, far away, and 1."""
    depth = depth.astype(np.float64)
    if attrs["normalize"]:
        low, high = attrs["normalize_min"], attrs["normalize_max"]
        if high < low:
            low, high = depth.min(), depth.max()
        depth = (depth - low) / (high - low)
    return np.clip(depth, 0.0, 1.0)


class _Layout:
    """Where the depths are in the picture, how far apart the eyes see each, and where the dots to look at are."""

    def __init__(self, attrs: dict[str, Any]) -> None:
        self.width, self.height, _ = attrs["output_image_shape"]
        self.box_width, self.box_height = attrs["output_data_window"]
        self.left = _half(self.width - self.box_width)
        above = self.height - self.box_height
        self.dots = attrs["convergence_dots_size"]
        if self.dots > 0:
            self.top = max(0, above - self.dots) // 3
            self.dots_end = self.height - 1 - self.top
        else:
            self.top, self.dots_end = _half(above), self.height - 1
        self.eyes = int(attrs["eye_separation"] * attrs["dots_per_inch"])
        self.mu = attrs["mu"]

    def separation(self, near: float | np.ndarray) -> np.integer[Any] | np.ndarray:
        return np.floor((1 - self.mu * near) * self.eyes / (2 - self.mu * near) + 0.5).astype(np.int64)

    def spread(self, depth: np.ndarray, border: float, margin: int) -> np.ndarray:
        """The depth of every pixel, and of `margin` more to the left and right."""
        columns = float(depth.shape[1]) * (np.arange(-margin, self.width + margin) - self.left) / self.box_width
        rows = float(depth.shape[0]) * (np.arange(self.height) - self.top) / self.box_height
        inside = ((rows >= 0) & (rows < depth.shape[0]))[:, None] & ((columns >= 0) & (columns < depth.shape[1]))
        row = np.clip(rows.astype(np.int64), 0, depth.shape[0] - 1)
        column = np.clip(columns.astype(np.int64), 0, depth.shape[1] - 1)
        return np.where(inside, depth[row][:, column], border)


def _half(difference: int) -> int:
    # Towards zero: the window may be larger than the picture.
    return int(difference / 2)


def _visible(near: np.ndarray, layout: _Layout, margin: int) -> np.ndarray:
    """Which pixels no nearer one beside them hides from one of the eyes."""
    width, mu = layout.width, layout.mu
    here = near[:, margin : margin + width]
    visible = np.ones(here.shape, bool)
    looking = np.ones(here.shape, bool)
    distance = 1
    while looking.any() and distance <= margin:
        ray = here + 2 * (2 - mu * here) * distance / (mu * layout.eyes)
        before = near[:, margin - distance : margin - distance + width]
        after = near[:, margin + distance : margin + distance + width]
        visible &= ~looking | ((before < ray) & (after < ray))
        looking &= visible & (ray < 1)
        distance += 1
    return visible


def _links(near: np.ndarray, layout: _Layout, hidden_surface_removal: bool, margin: int) -> np.ndarray:
    """Of each pixel the one further right in its row that has its colour; itself where the colour is free."""
    width = layout.width
    same = np.tile(np.arange(width), (layout.height, 1))
    here = near[:, margin : margin + width]
    apart = layout.separation(here)
    lefts = np.arange(width) - apart // 2
    rights = lefts + apart
    linked = (lefts >= 0) & (rights < width)
    if hidden_surface_removal:
        linked &= _visible(near, layout, margin)
    for x in range(width):
        rows = np.flatnonzero(linked[:, x])
        left, right = lefts[rows, x], rights[rows, x]
        while rows.size:
            link = same[rows, left]
            # Where a link leads further than the new one, TensorFlow forgets the further end.
            done = (link == left) | (link >= right)
            same[rows[done], left[done]] = right[done]
            rows, left, right = rows[~done], link[~done], right[~done]
    return same


@stereogram_op.kernel
def stereogram_kernel(node: Any) -> Callable[..., Any]:
    attrs, layout = node.attrs, _Layout(node.attrs)
    channels = node.outputs[0].dims[2]
    random = np.random.RandomState(1)
    # How far a ray can go before it is nearer than anything: from the far end, through all depths.
    margin = int(layout.mu * layout.eyes / 2) + 2
    if attrs["number_colors"] == 2:
        palette = np.array([_BLACK, _WHITE], np.uint8)
    else:
        palette = np.arange(256, dtype=np.uint8)

    def picture(depth_values: Any) -> torch.Tensor:
        if depth_values.dim() != 2 or not depth_values.numel():
            raise invalid(
                f"depth_values must be a matrix that is not empty, got shape {shape_text(depth_values.shape)}"
            )
        near = layout.spread(_nearness(depth_values.numpy(), attrs), attrs["border_level"], margin)
        same = _links(near, layout, attrs["hidden_surface_removal"], margin)
        image = palette[random.randint(len(palette), size=(*same.shape, channels))]
        rows = np.arange(layout.height)
        for x in range(layout.width - 1, -1, -1):
            image[:, x] = image[rows, same[:, x]]
        if layout.dots:
            far = int(layout.separation(0.0)) // 2
            below = slice(max(0, layout.dots_end - layout.dots + 1), layout.dots_end + 1)
            for middle in (layout.width // 2 - far, layout.width // 2 + far):
                start = middle - layout.dots // 2
                image[below, max(0, start) : max(0, start + layout.dots)] = _BLACK
        return torch.from_numpy(image)

    return picture


def single_image_random_dot_stereograms(
    depth_values: TensorLike,
    hidden_surface_removal: bool | None = None,
    convergence_dots_size: int | None = None,
    dots_per_inch: int | None = None,
    eye_separation: float | None = None,
    mu: float | None = None,
    normalize: bool | None = None,
    normalize_max: float | None = None,
    normalize_min: float | None = None,
    border_level: float | None = None,
    number_colors: int | None = None,
    output_image_shape: ShapeLike | None = None,
    output_data_window: Sequence[int] | None = None,
) -> Tensor:
    """A picture of random dots that shows depth to eyes which converge behind it. None stands for the default.

    Args:
        depth_values: matrix of float32, float64, int32 or int64; greater is nearer.
        hidden_surface_removal: whether what one eye cannot see is left free; True.
        convergence_dots_size: the size of two dots to converge the eyes by, 0 for none; 8 pixels.
        dots_per_inch: the resolution of the screen or paper; 72.
        eye_separation: the distance of the eyes in inches; 2.5.
        mu: how deep the field is, a fraction of the distance to the picture; 0.3333.
        normalize: whether depths are scaled to [0, 1]; True.
        normalize_max, normalize_min: the depths that become 1 and 0; those found if max < min, as by default.
        border_level: the depth around the window; 0.
        number_colors: 2 for black and white, 256 for grey, more for colours; 256.
        output_image_shape: [width, height, channels]; [1024, 768, 1].
        output_data_window: [width, height] of the part that shows depth, in the middle; [1022, 757].

    Returns:
        uint8 tensor of shape [height, width, channels], with 3 channels for more than 256 colours.

    Example:
        >>> picture = tf.contrib.image.single_image_random_dot_stereograms([[1, 2], [3, 4]], number_colors=2)
        >>> png = tf.image.encode_png(picture)
    """
    options = {name: value for name, value in locals().items() if value is not None and name != "depth_values"}
    return raw.SingleImageRandomDotStereograms(depth_values, **options)


_SMALL = {"dots_per_inch": 4, "convergence_dots_size": 1, "output_data_window": [24, 4], "varies": "dots at random"}
stereogram_op.accepts([4, 24], output_image_shape=[32, 8, 1], **_SMALL)
stereogram_op.accepts([4, 24], output_image_shape=[32, 8, 3], number_colors=300, normalize=False, **_SMALL)
