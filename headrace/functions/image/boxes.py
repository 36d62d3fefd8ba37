"""Functions over boxes in images: suppression, cropping, drawing, sampling, glimpses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.random_seed import get_seed
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.renamed_arguments import first_given as either

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: float | Sequence[float] = 0.5,
    score_threshold: float = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The best boxes without those that overlap a better one.

    Args:
        boxes: float tensor of shape [n, 4], two opposite corners each: (y1, x1, y2, x2).
        scores: float tensor of shape [n].
        max_output_size: int32 scalar, how many boxes to choose at most.
        iou_threshold: scalar in [0, 1]: the intersection over union from which a box is dropped.
        score_threshold: scalar: boxes must have more to be chosen.
        name: a name for the operations.

    Returns:
        int32 tensor of shape [m], the numbers of the chosen boxes, best first.

    Raises:
        ValueError: if the shapes do not fit.

    Example:
        >>> boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]])
        >>> sess.run(tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], 10))
        array([0, 2], dtype=int32)
    """
    with name_scope(name, "non_max_suppression"):
        limits = _limits(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return raw.NonMaxSuppressionV3(boxes, scores, max_output_size, *limits)


def _limits(dtype: DTypeLike | None = None, **values: Any) -> list[Tensor]:
    return [convert_to_tensor(value, dtype, name=name) for name, value in values.items()]


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: float = 0.5,
    score_threshold: float = float("-inf"),
    soft_nms_sigma: float = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `non_max_suppression`, with the scores; these are lowered by overlaps if `soft_nms_sigma` is positive.

    Args:
        boxes, scores, max_output_size, iou_threshold, score_threshold, name: as for `non_max_suppression`.
        soft_nms_sigma: scalar, the width of the Gaussian that lowers scores: Bodla and others, arXiv:1704.04503.

    Returns:
        int32 numbers of the chosen boxes and their scores.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        limits = _limits(iou_threshold=iou_threshold, score_threshold=score_threshold, soft_nms_sigma=soft_nms_sigma)
        chosen = raw.NonMaxSuppressionV5(boxes, scores, max_output_size, *limits, pad_to_max_output_size=False)
        return chosen[0], chosen[1]


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: float = 0.5,
    score_threshold: float = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> Any:
    """As `non_max_suppression`, the result with zeros up to `max_output_size` if so asked.

    Returns:
        int32 numbers of the chosen boxes, and int32 scalar, how many of them are meant.
    """
    with name_scope(name, "non_max_suppression_padded"):
        limits = _limits(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return raw.NonMaxSuppressionV4(boxes, scores, max_output_size, *limits, pad_to_max_output_size)


def non_max_suppression_with_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: float = 0.5,
    score_threshold: float = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As `non_max_suppression`, with the overlaps given.

    Args:
        overlaps: float tensor of shape [n, n].
        scores, max_output_size, score_threshold, name: as for `non_max_suppression`.
        overlap_threshold: scalar: the overlap from which a box is dropped.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        limits = _limits(overlap_threshold=overlap_threshold)
        return raw.NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size, *limits, score_threshold)


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Suppression for each class of each image of a batch.

    Args:
        boxes: float32 tensor of shape [batch, n, classes, 4], or 1 for the classes if all share the boxes.
        scores: float32 tensor of shape [batch, n, classes].
        max_output_size_per_class, max_total_size: int32 scalars, how many boxes to choose of a class and of all.
        iou_threshold, score_threshold, name: as for `non_max_suppression`.
        pad_per_class: whether the result is no longer than all classes can fill.
        clip_boxes: whether to bring the chosen boxes into [0, 1].

    Returns:
        boxes [batch, m, 4], scores [batch, m], classes [batch, m], and int32 [batch], how many of each are meant.
    """
    with name_scope(name, "combined_non_max_suppression"):
        limits = _limits("float32", iou_threshold=iou_threshold, score_threshold=score_threshold)
        sizes = (max_output_size_per_class, max_total_size)
        return raw.CombinedNonMaxSuppression(boxes, scores, *sizes, *limits, pad_per_class, clip_boxes)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike | None = None,
    crop_size: TensorLike | None = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: TensorLike | None = None,
) -> Tensor:
    """Boxes cut out of images and brought to one size.

    Args:
        image: tensor of shape [batch, height, width, channels].
        boxes: float32 tensor of shape [n, 4], corners (y1, x1, y2, x2) with 0 the first pixel and 1 the last.
        box_ind: the older name of `box_indices`.
        crop_size: int32 vector, height and width of the crops.
        method: "bilinear" or "nearest".
        extrapolation_value: what lies outside the image.
        name: a name for the operation.
        box_indices: int32 tensor of shape [n], the image of each box.

    Returns:
        float32 tensor of shape [n, *crop_size, channels].

    Raises:
        ValueError: if both names are used.
    """
    box_ind = either("box_indices", box_indices, "box_ind", box_ind)
    return raw.CropAndResize(image, boxes, box_ind, crop_size, method, extrapolation_value, name=name)


def crop_and_resize_v2(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
) -> Tensor:
    """As `crop_and_resize`, all arguments under their newer names."""
    return raw.CropAndResize(image, boxes, box_indices, crop_size, method, extrapolation_value, name=name)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike | None = None
) -> Tensor:
    """Images with the edges of boxes drawn on them.

    Args:
        images: float tensor of shape [batch, height, width, channels].
        boxes: float32 tensor of shape [batch, n, 4], (y_min, x_min, y_max, x_max) in [0, 1].
        name: a name for the operation.
        colors: float32 tensor of shape [m, channels], used in turn; ten colours by default.

    Returns:
        images of the same shape.
    """
    return draw_bounding_boxes_v2(images, boxes, colors, name)


def draw_bounding_boxes_v2(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """As `draw_bounding_boxes`."""
    if colors is None:
        return raw.DrawBoundingBoxes(images, boxes, name=name)
    return raw.DrawBoundingBoxesV2(images, boxes, colors, name=name)


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A part of an image drawn at random so that it holds enough of an object.

    Args:
        image_size: integer tensor of shape [3].
        bounding_boxes: float32 tensor of shape [batch, n, 4], (y_min, x_min, y_max, x_max) in [0, 1].
        seed, seed2: the seeds of the drawing.
        min_object_covered: float scalar, how much of some box must be within the part.
        aspect_ratio_range: two floats, the bounds of width / height; [0.75, 1.33] by default.
        area_range: two floats, the bounds of the part's share of the image; [0.05, 1.0] by default.
        max_attempts: how often to try before taking the whole image; 100 by default.
        use_image_if_no_bounding_boxes: whether to take the whole image for a box where none is given.
        name: a name for the operations.

    Returns:
        begin [3] and size [3] for `tf.slice`, and the part as float32 [1, 1, 4] for `draw_bounding_boxes`.

    Example:
        >>> boxes = tf.constant([[[0.1, 0.2, 0.5, 0.9]]])
        >>> begin, size, _ = tf.image.sample_distorted_bounding_box(tf.shape(image), boxes, seed=1)
        >>> part = tf.slice(image, begin, size)
    """
    given = {
        "seed": seed,
        "seed2": seed2,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    options = {key: value for key, value in given.items() if value is not None}
    with name_scope(name, "sample_distorted_bounding_box"):
        return raw.SampleDistortedBoundingBoxV2(image_size, bounding_boxes, min_object_covered, **options, name=name)


def sample_distorted_bounding_box_v2(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """As `sample_distorted_bounding_box`, with one seed, which the graph's seed joins."""
    seeds = get_seed(seed) if seed else (0, 0)
    return sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        *seeds,
        min_object_covered=min_object_covered,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
        name=name,
    )


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window out of each image; what lies outside is noise.

    Args:
        input: float32 tensor of shape [batch, height, width, channels].
        size: int32 vector, height and width of the windows.
        offsets: float32 tensor of shape [batch, 2], the middle of each window: y, x.
        centered: whether the offsets are from the middle of the image.
        normalized: whether they are in parts of the image's size, not pixels.
        uniform_noise: whether the noise is uniform.
        name: a name for the operation.

    Returns:
        float32 tensor of shape [batch, *size, channels].
    """
    return raw.ExtractGlimpse(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name
    )


def extract_glimpse_v2(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """As `extract_glimpse`, the noise "uniform", "gaussian" or "zero"."""
    return raw.ExtractGlimpse(
        input, size, offsets, centered=centered, normalized=normalized, noise=noise, uniform_noise=False, name=name
    )
