"""Parts of images chosen at random: SampleDistortedBoundingBox, SampleDistortedBoundingBoxV2.

Szegedy et al., "Going deeper with convolutions", arXiv:1409.4842, section 6, on why training takes parts of other
areas and proportions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is, require_scalar, shape_text
from headrace.kernels.random.sampling import stream_of

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_F = np.float32
_TYPES = "T: {uint8, int8, int16, int32, int64}"
_OPTIONS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33], area_range: list(float) = [0.05, 1.0], max_attempts=100, "
    "use_image_if_no_bounding_boxes=False -> begin: T, size: T, bboxes: float"
)
sample_op = op(
    "SampleDistortedBoundingBox",
    f"image_size: T, bounding_boxes: float, *, {_TYPES}, seed=0, seed2=0, min_object_covered=0.1, {_OPTIONS}",
    stateful=True,
)
sample_v2_op = op(
    "SampleDistortedBoundingBoxV2",
    f"image_size: T, bounding_boxes: float, min_object_covered: float, *, {_TYPES}, seed=0, seed2=0, {_OPTIONS}",
    stateful=True,
)

# Left, top, right and bottom in pixels, the last two not included.
Box = tuple[int, int, int, int]


class _Words:
    """The random words of one run, one after the other, and what TensorFlow's `SimplePhilox` makes of them."""

    def __init__(self, place: Any) -> None:
        self._place = place
        self._left: list[int] = []

    def word(self) -> int:
        """The next 32 bits."""
        if not self._left:
            self._left = self._place.words(8).tolist()[::-1]
            self._place = self._place.skip(8)
        return self._left.pop()

    def fraction(self) -> np.floating[Any]:
        """A float32 number of [0, 1)."""
        return _F(self.word() & 0x7FFFFF) * _F(2.0**-23)

    def below(self, count: int) -> int:
        """A number of [0, count), all equally likely."""
        if count == 0:
            self.word()
            return 0
        if count & (count - 1) == 0:
            return self.word() & (count - 1)
        # The lowest words would make small numbers come too often.
        skipped = 0xFFFFFFFF % count + 1
        word = self.word()
        while word < skipped:
            word = self.word()
        return word % count


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _common(a: Box, b: Box) -> int:
    left, top, right, bottom = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return 0 if left > right or top > bottom else (right - left) * (bottom - top)


def _nearest(value: np.floating[Any]) -> int:
    return int(np.rint(value))


def _drawn(words: _Words, width: int, height: int, areas: tuple[Any, Any], ratio: np.floating[Any]) -> Box | None:
    """A rectangle of the aspect `ratio` somewhere in the image; None where its area cannot be between `areas`."""
    least, most = (_F(_F(area * _F(width)) * _F(height)) for area in areas)
    if most <= 0 or ratio <= 0 or width <= 0 or height <= 0 or areas[0] > areas[1]:
        return None
    rows = _nearest(np.sqrt(least / ratio))
    most_rows = _nearest(np.sqrt(most / ratio))
    if _nearest(_F(most_rows) * ratio) > width:
        most_rows = int((width + 0.5 - 1e-7) / float(ratio))
        if _nearest(_F(most_rows) * ratio) > width:
            most_rows -= 1
    most_rows = min(most_rows, height)
    rows = min(rows, most_rows)
    if rows < most_rows:
        rows += words.below(most_rows - rows + 1)
    columns = _nearest(_F(rows) * ratio)
    # Rounding may have put the area just outside the bounds.
    if _F(rows * columns) < least:
        rows += 1
        columns = _nearest(_F(rows) * ratio)
    if _F(rows * columns) > most:
        rows -= 1
        columns = _nearest(_F(rows) * ratio)
    fits = least <= _F(rows * columns) <= most and 0 < columns <= width and 0 < rows <= height
    if not fits:
        return None
    top = words.below(height - rows) if rows < height else 0
    left = words.below(width - columns) if columns < width else 0
    return left, top, left + columns, top + rows


def _covers(crop: Box, least: float, boxes: list[Box]) -> bool:
    if _area(crop) < 1:
        return False
    return any(_F(_common(box, crop)) / _F(_area(box)) >= least for box in boxes if _area(box) >= 1)


def _shape(op: OpView) -> list[Dims]:
    size: Any
    boxes: Any
    size, boxes = rank_is(op.inputs[0].dims, 1), rank_is(op.inputs[1].dims, 3)
    if size[0] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {size[0]}")
    if boxes[2] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    if len(op.inputs) > 2:
        require_scalar(op, 2)
    return [(3,), (3,), (1, 1, 4)]


def _range_of(node: NodeView, name: str, top: float) -> tuple[Any, Any]:
    values = list(node.attrs[name])
    if len(values) != 2:
        raise invalid(f"{name.replace('_', ' ').capitalize()} field must specify 2 dimensions")
    if values[0] <= 0 or values[1] <= 0 or max(values) > top:
        bounds = "non-negative" if top == math.inf else f"within (0, {top:g}]"
        raise invalid(f"{name} must be {bounds}: {values}")
    return _F(values[0]), _F(values[1])


def _kernel(node: NodeView) -> Callable[..., Any]:
    ratios, areas = _range_of(node, "aspect_ratio_range", math.inf), _range_of(node, "area_range", 1.0)
    attempts, whole = int(node.attrs["max_attempts"]), bool(node.attrs["use_image_if_no_bounding_boxes"])
    if attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {attempts}")
    stream, default = stream_of(node), node.attrs.get("min_object_covered")
    dtype = node.outputs[0].dtype.torch

    def sample(
        image_size: torch.Tensor, bounding_boxes: torch.Tensor, least: float | torch.Tensor = default
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        if tuple(image_size.shape) != (3,):
            raise invalid(f"image_size must contain 3 elements{shape_text(image_size.shape)}")
        if bounding_boxes.dim() != 3:
            raise invalid(
                f"input bounding boxes must be 3-dimensional [batch, num_boxes, coords]: "
                f"{shape_text(bounding_boxes.shape)}"
            )
        if bounding_boxes.shape[-1] != 4:
            raise invalid(f"bounding boxes must have shape [4] {shape_text(bounding_boxes.shape)}")
        covered = float(least)
        if covered < 0:
            raise invalid(f"Min object covered must be non-negative: {covered}")
        height, width, _ = (int(size) for size in image_size.tolist())
        if height <= 0 or width <= 0:
            raise invalid("Image height and width must be positive.")
        boxes = _in_pixels(bounding_boxes.numpy().reshape(-1, 4), height, width)
        image: Box = (0, 0, width, height)
        if not boxes:
            if not whole:
                raise invalid(
                    "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to "
                    "not provide any bounding boxes."
                )
            boxes = [image]
        words = _Words(stream.reserve(attempts))
        crop = image
        for _ in range(attempts):
            ratio = words.fraction() * (ratios[1] - ratios[0]) + ratios[0]
            found = _drawn(words, width, height, areas, ratio)
            if found is not None and _covers(found, _F(covered), boxes):
                crop = found
                break
        left, top, right, bottom = crop
        relative = [top / height, left / width, bottom / height, right / width]
        return (
            torch.tensor([top, left, 0], dtype=dtype),
            torch.tensor([bottom - top, right - left, -1], dtype=dtype),
            torch.tensor([[relative]], dtype=torch.float32),
        )

    return sample


def _in_pixels(boxes: np.ndarray, height: int, width: int) -> list[Box]:
    for box in boxes:
        for value in box:
            if not 0 <= value <= 1:
                raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {value:g}")
        if not (box[0] <= box[2] and box[1] <= box[3]):
            raise invalid("Bounding box extents must not be negative")
    scaled = (boxes * np.array([height, width, height, width], _F)).astype(np.int64)
    return [(left, top, right, bottom) for top, left, bottom, right in scaled.tolist()]


for _decl in (sample_op, sample_v2_op):
    _decl.shape(_shape)
    _decl.kernel(_kernel)
    _decl.not_differentiable()
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)

_BOX = np.array([[[0.1, 0.1, 0.8, 0.9]]], np.float32)
sample_op.accepts(np.array([40, 50, 3], np.int32), _BOX, seed=1)
sample_v2_op.accepts(np.array([40, 50, 3], np.int32), _BOX, np.float32(0.2), seed=1)
sample_v2_op.rejects(np.array([40, 50], np.int32), _BOX, np.float32(0.2), error=ValueError)
