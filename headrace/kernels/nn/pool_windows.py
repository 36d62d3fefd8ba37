"""How windows slide in pools, as arguments of torch's pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.kernels.nn.windows import (
    Layout,
    Padding,
    check_lengths,
    check_strides,
    counts_when_run,
    layout_of,
    of_rank,
    window_count,
)

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView


def pooled_dims(op: OpView, rank: int = 4) -> Dims:
    """The static shape of a pool whose windows are attributes."""
    dims = of_rank(op.inputs[0].dims, rank)
    ksize, strides = op.attrs["ksize"], op.attrs["strides"]
    if len(ksize) != rank:
        raise ValueError(f"{op.type} requires the ksize attribute to contain {rank} values, but got: {len(ksize)}")
    check_strides(op, rank)
    if ksize[0] != 1 or strides[0] != 1:
        # Refused when the graph runs.
        return (None,) * rank
    rest = (
        window_count(size, window, stride, op.attrs["padding"])
        for size, window, stride in zip(dims[1:], ksize[1:], strides[1:], strict=True)
    )
    return (dims[0], *rest)


Geometry = tuple[tuple[int, ...], bool, tuple[int, ...] | None]


class Windows:
    """The parameters of a pool that are fixed when the plan is made: its windows, and TensorFlow's paddings as torch's.

    Args:
        node: the pool, or its gradient.
        dims: the static shape of what is pooled.
        rank: of the tensors, 4 for images.
        ksize, strides: where they are not attributes.
    """

    def __init__(
        self,
        node: NodeView,
        dims: Dims,
        rank: int,
        ksize: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> None:
        ksize = node.attrs["ksize"] if ksize is None else ksize
        strides = node.attrs["strides"] if strides is None else strides
        self.node = node
        self.rank = rank
        self.layout: Layout = layout_of(node, rank)
        check_lengths(node, rank, ksize=ksize, strides=strides)
        channel = self.layout.channel
        if ksize[0] != 1 or strides[0] != 1:
            raise UnimplementedError(None, None, "Pooling is not yet supported on the batch dimension.")
        self.ksize, self.strides = self.layout.sizes(ksize), self.layout.sizes(strides)
        if any(size <= 0 for size in (*self.ksize, *self.strides)):
            raise InvalidArgumentError(None, None, "Sliding window ksize and strides must be positive.")
        # The window over channels, which only the largest value knows.
        self.depth, self.depth_stride = ksize[channel], strides[channel]
        self.padding = Padding(node, self.layout, self.strides, (1,) * len(self.strides))
        self.ones = (1,) * len(self.ksize)
        known = None if dims is None else self.padding.known(self.layout.sizes(dims), self.ksize)
        self.known = None if known is None else self._geometry(known)

    def geometry(self, sizes: Sequence[int]) -> Geometry:
        """How torch's pools do it: the padding on both ends; whether the last window may reach over the end; and
        how many windows of each axis to drop at its start, None for none."""
        return self.known or self._geometry(self.padding.paddings(sizes, self.ksize))

    def _geometry(self, paddings: Sequence[tuple[int, int]]) -> Geometry:
        pads, drops = [], []
        for (before, after), stride in zip(paddings, self.strides, strict=True):
            # One more at the end than at the start: a larger stride lets the last window reach over the end (ceil_mode);
            # with stride 1 there is a window too many at the start.
            drop = 1 if after > before and stride == 1 else 0
            pads.append(before + drop)
            drops.append(drop)
        return tuple(pads), self.padding.kind == "SAME", tuple(drops) if any(drops) else None

    def dropped(self, x: torch.Tensor, drops: tuple[int, ...] | None) -> torch.Tensor:
        """A pooled tensor without the windows too many."""
        if drops is not None:
            for axis, drop in enumerate(drops, 2):
                if drop:
                    x = x.narrow(axis, drop, x.shape[axis] - drop)
        return x

    def restored(self, x: torch.Tensor, drops: tuple[int, ...] | None) -> torch.Tensor:
        """A gradient with zeros for the windows too many."""
        if drops is None:
            return x
        return torch.constant_pad_nd(x, [amount for drop in reversed(drops) for amount in (drop, 0)])

    def nothing(self, x: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
        """The empty result of a pool that torch refuses; to be called while its error is handled.

        Raises:
            InvalidArgumentError: if a window is larger than the image by more than what leaves no place for it.
        """
        image = self.layout.enter(x)
        if self.padding.kind != "VALID" or image.dim() != self.rank:
            raise
        pairs = [(0, 0)] * len(self.ksize)
        counts = counts_when_run(image.shape[2:], self.ksize, self.strides, (1,) * len(self.ksize), pairs)
        if all(counts):
            raise
        return self.layout.leave(image.new_empty((*image.shape[:2], *counts), dtype=dtype))

    def sizes_after(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """The spatial sizes of the pooled tensor."""
        kind = self.padding.kind
        return tuple(
            -(-size // stride) if kind == "SAME" else (size - window) // stride + 1
            for size, window, stride in zip(sizes, self.ksize, self.strides, strict=True)
        )


def settings_of(op: Operation) -> dict[str, Any]:
    """The attributes a gradient takes over."""
    names = ("ksize", "strides", "padding", "data_format", "include_batch_in_index")
    return {name: op.attrs[name] for name in names if name in op.attrs}
