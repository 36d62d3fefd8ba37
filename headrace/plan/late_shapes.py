"""Shape rules, asked when the inputs are there: of what the graph knew no rank, nothing was checked before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView, OpView, TensorView


# The ops whose kernels look at the shapes themselves in 1.15. Others there, such as those that quantize, take one number in
# a vector as well as a scalar.
_CHECKED = frozenset(
    [
        "ArgMax",
        "ArgMin",
        "BatchToSpace",
        "BatchToSpaceND",
        "Betainc",
        "BroadcastArgs",
        "CombinedNonMaxSuppression",
        "Concat",
        "ConjugateTranspose",
        "DecodeCSV",
        "DecodePaddedRaw",
        "DynamicStitch",
        "ExtractImagePatches",
        "ExtractVolumePatches",
        "FakeQuantWithMinMaxVarsPerChannel",
        "FakeQuantWithMinMaxVarsPerChannelGradient",
        "GRUBlockCellGrad",
        "GatherV2",
        "HistogramFixedWidth",
        "InvertPermutation",
        "LSTMBlockCell",
        "LSTMBlockCellGrad",
        "LinSpace",
        "LowerBound",
        "MatrixSolveLs",
        "MaxPoolGradWithArgmax",
        "MirrorPadGrad",
        "NonMaxSuppressionV2",
        "NonMaxSuppressionV3",
        "NonMaxSuppressionV4",
        "NonMaxSuppressionV5",
        "NonMaxSuppressionWithOverlaps",
        "ParallelDynamicStitch",
        "ParseSingleExample",
        "Range",
        "Reverse",
        "ReverseV2",
        "Roll",
        "SdcaFprint",
        "SerializeManySparse",
        "SerializeSparse",
        "ShardedFilename",
        "ShardedFilespec",
        "SpaceToBatch",
        "SpaceToBatchND",
        "SparseReshape",
        "SparseSegmentMeanGrad",
        "SparseSegmentMeanWithNumSegments",
        "SparseSegmentSqrtNGrad",
        "SparseSegmentSqrtNWithNumSegments",
        "SparseSegmentSumWithNumSegments",
        "SparseToDense",
        "StatelessMultinomial",
        "StatelessRandomUniformInt",
        "TensorStridedSliceUpdate",
        "TopKV2",
        "TridiagonalMatMul",
        "UnravelIndex",
        "UpperBound",
    ]
)
# Shapes that fitted, of which no more are kept a node; and the longest input that a rule is told the values of.
_KEPT = 64
_LONGEST = 64


class Given:
    """An operation for its shape rule to look at, with arrays for inputs.

    Args:
        op: the operation, or a node.
        shapes: the shape of each input.
        values: the inputs; None for those whose values the rule is not told.
    """

    def __init__(self, op: OpView, shapes: Sequence[tuple[int, ...]], values: Sequence[np.ndarray | None]) -> None:
        self._op = op
        self._values = values
        self.inputs = [_Sized(source, dims) for source, dims in zip(op.inputs, shapes, strict=True)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)

    def constant(self, index: int) -> np.ndarray | None:
        return self._values[index]

    def constant_dims(self, index: int, *, captured: bool = False) -> Dims:
        value = self._values[index]
        return None if value is None else tuple(None if v < 0 else int(v) for v in value.ravel())


class _Sized:
    """An input with the shape of the array that it is."""

    def __init__(self, source: TensorView, dims: tuple[int, ...]) -> None:
        self._source = source
        self.dims = dims

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def needs_late_check(node: NodeView) -> bool:
    """Whether inputs of a node may be of shapes that its shape rule refuses and its kernel lets pass."""
    return node.type in _CHECKED and any(value.dims is None and value.constant is None for value in node.inputs)


def checked_late(kernel: Kernel, node: NodeView) -> Kernel:
    """`kernel`, after which the shapes of the inputs are held against the shape rule of the op.

    That comes after it, since what a kernel says itself of bad inputs says more.
    """
    if hasattr(kernel, "start"):
        return kernel
    rule = node.decl.shape_rule
    fitting: set[tuple[Any, ...]] = set()

    def compute(*inputs: Any) -> Any:
        outputs = kernel(*inputs)
        shapes = tuple([getattr(value, "shape", None) for value in inputs])
        if shapes not in fitting and None not in shapes and len(shapes) == len(node.inputs):
            try:
                rule(Given(node, [tuple(shape) for shape in shapes], [_value(v) for v in inputs]))  # type: ignore[misc, arg-type]  # there is one, and it looks at nothing else
            except ValueError as error:
                raise InvalidArgumentError(None, None, str(error)) from error
            except (TypeError, IndexError, ArithmeticError, AttributeError):
                # It looks at more than a planned node has: nothing is known against the shapes.
                pass
            if len(fitting) < _KEPT:
                fitting.add(shapes)
        return outputs

    return compute


def _value(given: Any) -> np.ndarray | None:
    if isinstance(given, torch.Tensor):
        return given.numpy() if given.numel() <= _LONGEST and given.device.type == "cpu" and _has_array(given) else None
    return given if isinstance(given, np.ndarray) and given.size <= _LONGEST else None


def _has_array(tensor: torch.Tensor) -> bool:
    return tensor.dtype in (torch.int32, torch.int64, torch.bool, torch.float32, torch.float64)
