"""Boxes chosen by their scores, without those that overlap better ones: the NonMaxSuppression ops."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.argument_errors import complaint
from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.core.shape_errors import GraphShapeError
from headrace.kernels.array.arguments import invalid, rank_is, require_scalar, shape_text
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


Overlap = Callable[[int, Any], Any]
_T = "T: {half, float} = float"
_THRESHOLD = "T_threshold: {half, float} = float"

nms_op = op(
    "NonMaxSuppression",
    "boxes: float, scores: float, max_output_size: int32, *, iou_threshold=0.5 -> selected_indices: int32",
)
nms_v2_op = op(
    "NonMaxSuppressionV2",
    f"boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, *, {_T}, {_THRESHOLD} "
    "-> selected_indices: int32",
)
nms_v3_op = op(
    "NonMaxSuppressionV3",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold, *, "
    f"{_T}, {_THRESHOLD} -> selected_indices: int32",
)
nms_v4_op = op(
    "NonMaxSuppressionV4",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold, *, "
    f"{_T}, {_THRESHOLD}, pad_to_max_output_size=False -> selected_indices: int32, valid_outputs: int32",
)
nms_v5_op = op(
    "NonMaxSuppressionV5",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T, *, "
    f"{_T}, pad_to_max_output_size=False -> selected_indices: int32, selected_scores: T, valid_outputs: int32",
)
nms_overlaps_op = op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: float "
    "-> selected_indices: int32",
)
combined_nms_op = op(
    "CombinedNonMaxSuppression",
    "boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, iou_threshold: float, "
    "score_threshold: float, *, pad_per_class=False, clip_boxes=True "
    "-> nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, valid_detections: int32",
)
_SINGLE = (nms_op, nms_v2_op, nms_v3_op, nms_v4_op, nms_v5_op)
for _decl in (*_SINGLE, nms_overlaps_op, combined_nms_op):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)
for _decl in (nms_op, nms_v2_op, nms_overlaps_op):
    _decl.not_differentiable()


def _single_shape(op: Any) -> list[Dims]:
    boxes: Any = rank_is(op.inputs[0].dims, 2)
    scores: Any = rank_is(op.inputs[1].dims, 1)
    merge_dim(boxes[0], scores[0])
    for index in range(2, len(op.inputs)):
        require_scalar(op, index)
    if op.type == "NonMaxSuppressionWithOverlaps":
        merge_dim(boxes[0], boxes[1])
    elif boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")
    size = op.constant(2)
    padded = op.attrs.get("pad_to_max_output_size") and size is not None
    chosen = (int(size) if padded else None,)
    if op.type == "NonMaxSuppressionV5":
        return [chosen, chosen, ()]
    return [chosen, ()] if op.type == "NonMaxSuppressionV4" else [chosen]


def _corners(boxes: np.ndarray) -> tuple[Any, Any, Any, Any, Any]:
    """The edges in order, and the areas."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    top, left, bottom, right = low[:, 0], low[:, 1], high[:, 0], high[:, 1]
    return top, left, bottom, right, (bottom - top) * (right - left)


def _overlap_of(boxes: np.ndarray) -> Overlap:
    """What gives the intersection over union of one box with others."""
    top, left, bottom, right, area = _corners(boxes)

    def overlap(one: int, others: np.ndarray) -> np.ndarray:
        height = np.minimum(bottom[one], bottom[others]) - np.maximum(top[one], top[others])
        width = np.minimum(right[one], right[others]) - np.maximum(left[one], left[others])
        both = np.maximum(height, 0) * np.maximum(width, 0)
        union = area[one] + area[others] - both
        fits = (area[one] > 0) & (area[others] > 0)
        return np.where(fits, both / np.where(fits, union, 1), boxes.dtype.type(0))

    return overlap


def _by_score(scores: np.ndarray, least: float) -> np.ndarray:
    """The candidates above `least`, the best first and the earlier of equals."""
    order = np.argsort(-scores, kind="stable")
    return order[scores[order] > least]


def select_hard(overlap: Overlap, scores: np.ndarray, size: int, threshold: float, least: float) -> list[int]:
    """At most `size` boxes, best first, none of which overlaps a better chosen one by `threshold` or more.

    Greedy suppression as in Felzenszwalb et al., "Object detection with discriminatively trained part-based models",
    IEEE Transactions on PAMI 32 (2010).
    """
    remaining = _by_score(scores, least)
    chosen: list[int] = []
    while len(remaining) and len(chosen) < size:
        best = int(remaining[0])
        chosen.append(best)
        rest = remaining[1:]
        remaining = rest[overlap(best, rest) < threshold] if len(rest) else rest
    return chosen


def _hard_places() -> Callable[..., torch.Tensor]:
    """`select_hard` of boxes of 4 numbers each, two corners in any order, and scores, as tensors; by the runner if it can."""

    def select(boxes: torch.Tensor, scores: torch.Tensor, size: int, threshold: float, least: float) -> torch.Tensor:
        return _as_places(select_hard(_overlap_of(boxes.numpy()), scores.numpy(), size, threshold, least))

    return directly("suppress_boxes", select)


def _as_places(chosen: list[int]) -> torch.Tensor:
    return torch.tensor(chosen, dtype=torch.int32)


def _select_soft(
    overlap: Overlap, scores: np.ndarray, size: int, threshold: float, least: float, sigma: float
) -> tuple[list[int], list[float]]:
    """As `select_hard`, but an overlap lowers a box's score, by a Gaussian of `sigma`, before it is chosen.

    Bodla, Singh, Chellappa and Davis, "Soft-NMS", arXiv:1704.04503.
    """
    number = scores.dtype.type
    scale = number(-0.5) / number(sigma)
    # Each candidate with how many of the chosen boxes its score has met.
    queue = [(-float(scores[i]), int(i), 0) for i in _by_score(scores, least)]
    heapq.heapify(queue)
    chosen: list[int] = []
    kept: list[float] = []
    while queue and len(chosen) < size:
        lost, index, met = heapq.heappop(queue)
        score = before = number(-lost)
        if len(chosen) > met:
            for near in overlap(index, np.array(chosen[met:][::-1])):
                if near >= threshold:
                    score = number(-math.inf)
                else:
                    score *= number(math.exp(scale * near * near))
                if score <= least:
                    break
        if score == before:
            chosen.append(index)
            kept.append(float(score))
        elif score > least:
            heapq.heappush(queue, (-float(score), index, len(chosen)))
    return chosen, kept


def _single_kernel(node: NodeView) -> Callable[..., Any]:
    kind, pad = node.type, bool(node.attrs.get("pad_to_max_output_size", False))
    given = node.attrs.get("iou_threshold", 0.5)
    hard_places = _hard_places()

    def suppress(
        boxes: torch.Tensor, scores: torch.Tensor, size: torch.Tensor, *limits: Any
    ) -> torch.Tensor | tuple[torch.Tensor, ...]:
        if boxes.dim() != 2:
            raise invalid(f"boxes must be 2-D{shape_text(boxes.shape)}")
        if kind == "NonMaxSuppressionWithOverlaps":
            if boxes.shape[0] != boxes.shape[1]:
                raise invalid(f"overlaps must be square{shape_text(boxes.shape)}")
        elif boxes.shape[1] != 4:
            raise invalid("boxes must have 4 columns")
        if scores.dim() != 1 or len(scores) != len(boxes):
            raise invalid("scores has incompatible shape")
        if size.dim() != 0:
            raise invalid(f"max_output_size must be 0-D, got shape {shape_text(size.shape)}")
        # Less than none is as many as there are.
        most = int(size) if int(size) >= 0 else len(boxes)
        values = [float(limit) for limit in limits]
        threshold = values[0] if values else given
        least = values[1] if len(values) > 1 else -math.inf
        sigma = values[2] if len(values) > 2 else 0.0
        if kind != "NonMaxSuppressionWithOverlaps" and not 0 <= threshold <= 1:
            raise invalid("iou_threshold must be in [0, 1]")
        if sigma < 0:
            raise invalid("soft_nms_sigma must be in [0, inf)")
        if kind in ("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3"):
            return hard_places(boxes, scores, most, threshold, least)
        ranks = scores.numpy()
        if kind == "NonMaxSuppressionWithOverlaps":
            numbers = boxes.numpy()
            return _as_places(select_hard(lambda one, others: numbers[others, one], ranks, most, threshold, least))
        if sigma > 0:
            chosen, kept = _select_soft(_overlap_of(boxes.numpy()), ranks, most, threshold, least, sigma)
        else:
            chosen = hard_places(boxes, scores, most, threshold, least).tolist()
            kept = ranks[chosen].tolist()
        valid = torch.tensor(len(chosen), dtype=torch.int32)
        if pad:
            padding = most - len(chosen)
            chosen, kept = chosen + [0] * padding, kept + [0.0] * padding
        if kind == "NonMaxSuppressionV5":
            return _as_places(chosen), torch.tensor(kept, dtype=scores.dtype), valid
        return _as_places(chosen), valid

    return suppress


for _decl in (*_SINGLE, nms_overlaps_op):
    _decl.shape(_single_shape)
    _decl.kernel(_single_kernel)


@combined_nms_op.shape
def combined_nms_shape(op):
    boxes, scores = rank_is(op.inputs[0].dims, 4), rank_is(op.inputs[1].dims, 3)
    batch = merge_dim(boxes[0], scores[0])
    merge_dim(boxes[1], scores[1])
    if boxes[3] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[3]}")
    if None not in (boxes[2], scores[2]) and boxes[2] not in (1, scores[2]):
        raise ValueError("third dimension of boxes must be either 1 or equal to the third dimension of scores")
    for index in range(2, 6):
        require_scalar(op, index)
    per_class, total = op.constant(2), op.constant(3)
    for index, most in ((2, per_class), (3, total)):
        if most is not None and most < 0:
            error = ValueError(f"Dimension size, given by scalar input {index}, must be non-negative but is {most}")
            # Eagerly fewer than no boxes of a class are any number of them.
            raise GraphShapeError(str(error)) if index == 2 else complaint(error, InvalidArgumentError)
    if total is not None and total == 0:
        raise complaint(ValueError("max_total_size should be > 0, but is 0"), InvalidArgumentError)
    count = None if total is None else int(total)
    if op.attrs["pad_per_class"]:
        known = count is not None and per_class is not None and scores[2] is not None
        count = min(count, int(per_class) * scores[2]) if known else None
    return [(batch, count, 4), (batch, count), (batch, count), (batch,)]


@combined_nms_op.kernel
def combined_nms_kernel(node):
    per_class_size, clip = bool(node.attrs["pad_per_class"]), bool(node.attrs["clip_boxes"])
    hard_places = _hard_places()

    def suppress(boxes, scores, per_class, total, threshold, least):
        if boxes.dim() != 4 or boxes.shape[3] != 4:
            raise invalid(f"boxes must be 4-D{shape_text(boxes.shape)}")
        if scores.dim() != 3 or scores.shape[:2] != boxes.shape[:2]:
            raise invalid(f"scores must be 3-D{shape_text(scores.shape)}")
        if boxes.shape[2] not in (1, scores.shape[2]):
            raise invalid("third dimension of boxes must be either 1 or equal to the third dimension of scores")
        each, most, limit = int(per_class), int(total), float(threshold)
        if each < 0:
            if per_class_size:
                raise invalid(f"max_size_per_class must not be negative where results are padded to it, got {each}")
            # No limit.
            each = boxes.shape[1]
        if most <= 0:
            raise invalid("max_total_size must be > 0")
        if not 0 <= limit <= 1:
            raise invalid("iou_threshold must be in [0, 1]")
        count = min(most, each * scores.shape[2]) if per_class_size else most

        def places_of(places: torch.Tensor, ranks: torch.Tensor) -> torch.Tensor:
            if each == 0:
                return torch.zeros(0, dtype=torch.int64)
            return hard_places(places, ranks, each, limit, float(least))

        found = [
            _of_image(image, ranks, most, places_of)
            # The boxes and the scores of a class lie together.
            for image, ranks in zip(boxes.transpose(1, 2).contiguous(), scores.transpose(1, 2).contiguous())
        ]
        out = np.zeros((len(found), count, 6), np.float32)
        valid = np.zeros(len(found), np.int32)
        for row, detections in enumerate(found):
            valid[row] = min(len(detections), count)
            out[row, : valid[row]] = detections[:count]
        places = out[..., :4].clip(0, 1) if clip else out[..., :4]
        return tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in (places, out[..., 4], out[..., 5], valid))

    return suppress


def _of_image(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    most: int,
    places_of: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> np.ndarray:
    """Box, score and class of the detections of one image, the best first.

    Args:
        boxes: by class, or one for all classes.
        scores: by class.
        most: how many detections at most.
        places_of: which boxes of a class stay, of the boxes and their scores.
    """
    rows = []
    for cls, ranks in enumerate(scores):
        places = boxes[0 if len(boxes) == 1 else cls]
        chosen = places_of(places, ranks).numpy()
        rows.append(np.column_stack([places.numpy()[chosen], ranks.numpy()[chosen], np.full(len(chosen), cls)]))
    found = np.concatenate(rows) if rows else np.zeros((0, 6))
    return found[np.argsort(-found[:, 4], kind="stable")[:most]]


_ACCEPTED = [
    np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [1, 1, 2, 2]], np.float32),
    np.array([0.9, 0.8, 0.7], np.float32),
    np.int32(2),
]
nms_op.accepts(*_ACCEPTED)
nms_v2_op.accepts(*_ACCEPTED, np.float32(0.5))
nms_v3_op.accepts(*_ACCEPTED, np.float32(0.5), np.float32(0.1))
nms_v3_op.rejects([3, 5], [3], np.int32(2), np.float32(0.5), np.float32(0.1), error=ValueError)
nms_v4_op.accepts(*_ACCEPTED, np.float32(0.5), np.float32(0.1), pad_to_max_output_size=True)
nms_v5_op.accepts(*_ACCEPTED, np.float32(0.5), np.float32(0.1), np.float32(0.5))
nms_overlaps_op.accepts(np.eye(3, dtype=np.float32), *_ACCEPTED[1:], np.float32(0.5), np.float32(0.1))
combined_nms_op.accepts([1, 3, 1, 4], [1, 3, 2], np.int32(2), np.int32(3), np.float32(0.5), np.float32(0.1))
