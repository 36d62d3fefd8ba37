"""Lines of the LIBSVM format: `label index:value index:value …`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.registry import op, raw
from headrace.kernels.array.arguments import invalid

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, NodeView, OpView, TensorLike


decode_libsvm_op = op(
    "DecodeLibsvm",
    "input: string, *, dtype: {float, double, int32, int64} = float, label_dtype: {float, double, int32, int64} = int64, "
    "num_features: int >= 1 -> label: label_dtype, feature_indices: int64, feature_values: dtype, feature_shape: int64",
)
decode_libsvm_op.on_host("input", outputs=True)


@decode_libsvm_op.shape
def decode_libsvm_shape(op: OpView) -> list[Any]:
    dims = op.inputs[0].dims
    return [dims, (None, None), (None,), (None,)]


@decode_libsvm_op.kernel
def decode_libsvm_kernel(node: NodeView) -> Callable[..., Any]:
    features = node.attrs["num_features"]
    dtype, label_dtype = (node.attrs[name].as_numpy_dtype for name in ("dtype", "label_dtype"))

    def decode(lines: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        lines = np.asarray(lines, dtype=object)
        labels = np.empty(lines.shape, label_dtype)
        indices, values = [], []
        for place, line in np.ndenumerate(lines):
            label, *entries = line.split() or [b""]
            labels[place] = _number(label, label_dtype, f"Label format incorrect: {line.decode()}")
            for entry in entries:
                index, _, value = entry.partition(b":")
                wrong = f"Invalid format {entry.decode()!r} in {line.decode()!r}"
                column = int(_number(index, np.int64, wrong))
                indices.append((*place, column))
                values.append(_number(value, dtype, wrong))
        return (
            torch.from_numpy(labels),
            torch.from_numpy(np.array(indices, np.int64).reshape(-1, lines.ndim + 1)),
            torch.from_numpy(np.array(values, dtype)),
            torch.from_numpy(np.array([*lines.shape, features], np.int64)),
        )

    return decode


def _number(text: bytes, dtype: Any, wrong: str) -> np.floating[Any] | np.integer[Any]:
    try:
        return dtype(text)
    except ValueError:
        raise invalid(wrong) from None


def decode_libsvm(
    content: TensorLike, num_features: int, dtype: DTypeLike | None = None, label_dtype: DTypeLike | None = None
) -> tuple[SparseTensor, Tensor]:
    """Lines of the LIBSVM format as features and labels.

    Args:
        content: string tensor, a line each: a label, then `index:value` for each feature that is not 0.
        num_features: how many features there are.
        dtype: the type of the values: float32 (the default), float64, int32 or int64.
        label_dtype: the type of the labels: one of these, int64 by default.

    Returns:
        (`SparseTensor` of the shape of `content` with `num_features` behind, the labels in the shape of `content`).

    Example:
        >>> features, labels = tf.contrib.libsvm.decode_libsvm(["1 0:3.5 2:7", "0 1:2"], num_features=3)
    """
    label, *parts = raw.DecodeLibsvm(content, num_features=num_features, dtype=dtype, label_dtype=label_dtype)
    return SparseTensor(*parts), label


decode_libsvm_op.accepts([b"1 0:3.5 2:7", b"0 1:2"], num_features=3)
