"""Ops that TensorFlow makes of others when it rewrites a graph, and those of its own library: rows replaced, values that
stand for none, values on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, is_text, shape_text, view_dtype_of


def _rows(op_type: str, write: Callable[..., Any]) -> None:
    decl = op(op_type, "x: T, i: int32, v: T -> y: T")
    decl.shape(lambda op: [op.inputs[0].dims])

    @decl.kernel
    def rows_kernel(node):
        view_dtype = None if is_text(node.inputs[0]) else view_dtype_of(node.outputs[0].dtype.torch)

        def run(x, i, v):
            if x.shape[1:] != v.shape[1:] or i.dim() > 1 or len(v) != i.numel():
                raise InvalidArgumentError(
                    None, None, f"x, i and v do not fit: {list(x.shape)}, {list(i.shape)}, {list(v.shape)}"
                )
            if isinstance(x, np.ndarray):
                made = x.copy()
                made[i.reshape(-1).numpy() % max(1, len(x))] = v
                return made
            # Numbers of rows are taken modulo their count, as the op does. Sums of unsigned numbers wrap as signed ones do.
            made, rows = x.view(view_dtype).clone(), (i.reshape(-1) % max(1, len(x))).long()
            return write(made, rows, v.view(view_dtype)).view(x.dtype)

        return run

    decl.accepts([4, 2], np.array([0, 2], np.int32), [2, 2]).accepts([3], np.array([1], np.int32), [1], T="int32")
    decl.accepts([4, 2], np.array([0, 2], np.int32), [2, 2], T="uint16")
    decl.rejects([4, 2], np.array([0], np.int32), [2, 2], error=InvalidArgumentError)


_rows("InplaceUpdate", lambda x, i, v: x.index_copy_(0, i, v))
_rows("InplaceAdd", lambda x, i, v: x.index_add_(0, i, v))
_rows("InplaceSub", lambda x, i, v: x.index_add_(0, i, v, alpha=-1))

# What a branch of a conditional returns where the other one returns something that only its gradient needs.
fake_param_op = op("FakeParam", "*, dtype: type, shape: shape -> output: dtype")
fake_param_op.shape(lambda op: [op.attrs["shape"]])


@fake_param_op.kernel
def fake_param_kernel(node):
    dims, dtype = node.attrs["shape"], node.attrs["dtype"]
    sizes = [size or 0 for size in dims or ()]
    if dtype.name == "string":
        return lambda: np.full(sizes, b"", object)
    if dtype.torch is None:
        return lambda: None
    return lambda: torch.zeros(sizes, dtype=dtype.torch, device=node.device)


fake_param_op.accepts(dtype="float32", shape=[2, 3], varies="its value is unset")


def _layout(op_type: str, permute: bool) -> None:
    decl = op(op_type, "x: T, *, T: index = int32, src_format='NHWC', dst_format='NCHW' -> y: T")
    decl.on_host("x", outputs=True)
    decl.shape(lambda op: [op.inputs[0].dims])

    @decl.kernel
    def layout_kernel(node):
        formats = [node.attrs[name] for name in ("src_format", "dst_format")]
        source, target = (value.decode() if isinstance(value, bytes) else value for value in formats)
        if sorted(source) != sorted(target):
            raise InvalidArgumentError(None, None, f"{source!r} and {target!r} name different axes")
        # Where each axis of the source is in the target, and the other way round.
        forth = torch.tensor([target.index(axis) for axis in source])
        back = [source.index(axis) for axis in target]

        def dims(x):
            if bool(((x < -len(source)) | (x >= len(source))).any()):
                raise InvalidArgumentError(
                    None, None, f"Axes must be in [-{len(source)}, {len(source)}), got {x.tolist()}"
                )
            return forth.to(x.dtype)[x.long() % len(source)]

        def vector(x):
            if x.dim() not in (1, 2):
                raise invalid(f"input must be a vector or 2D tensor, but got shape {shape_text(x.shape)}")
            if x.dim() == 2 and x.shape[1] != 2:
                raise invalid(f"Second dimension of 2D input must be of size 2, but got shape {shape_text(x.shape)}")
            if x.shape[0] == len(source):
                return x[back]
            if len(source) == 4 and x.shape[0] == 2:
                kept = [axis for axis in target if axis in "HW"]
                return x[[[axis for axis in source if axis in "HW"].index(axis) for axis in kept]]
            which = "1D input" if x.dim() == 1 else "First dimension of 2D input"
            raise invalid(f"{which} must be of size {len(source)}, but got shape {shape_text(x.shape)}")

        return vector if permute else dims

    decl.accepts(np.array([0, 3, 1, 2], np.int32)).accepts(
        np.array([2, 0, 1, 3], np.int64), src_format="NCHW", dst_format="NHWC"
    )
    if permute:
        decl.rejects(np.array([0, 1, 7], np.int32), error=InvalidArgumentError)


_layout("DataFormatDimMap", False)
_layout("DataFormatVecPermute", True)

to_bool_op = op("ToBool", "input: T -> output: bool").not_differentiable()
to_bool_op.shape(lambda op: [()])


@to_bool_op.kernel
def to_bool_kernel(node):
    def run(x):
        if isinstance(x, np.ndarray):
            return torch.tensor(bool(x.size and (x.ndim or len(x.item()))))
        return x != 0 if not x.dim() else torch.tensor(x.numel() > 0, device=x.device)

    return run


to_bool_op.accepts([]).accepts(np.float32(0)).accepts([2, 3]).accepts(np.array(b"")).accepts([0])
