"""What convolutions and pools share: layouts, paddings, and the sizes of what windows sliding over an image give.

torch keeps channels second and pads both ends alike; TensorFlow mostly keeps channels last and pads the end more. Tensors
go to torch as permuted views, which cost nothing: an NHWC tensor seen as NCHW is what torch calls channels_last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.shape_errors import GraphShapeError

if TYPE_CHECKING:
    import torch

    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView


class Layout:
    """Where batch, channels and spatial axes are.

    Attributes:
        rank: the number of axes.
        channel: the axis of the channels.
        spatial: the other axes, without the batch.
        to_torch: the permutation that puts the channels second, or None if they are.
        from_torch: its inverse.
    """

    def __init__(self, data_format: str, rank: int) -> None:
        self.rank = rank
        self.channel = 1 if data_format.startswith("NC") else rank - 1
        self.spatial = tuple(axis for axis in range(1, rank) if axis != self.channel)
        self.to_torch: tuple[int, ...] | None = None
        self.from_torch: tuple[int, ...] | None = None
        if self.channel != 1:
            self.to_torch = (0, rank - 1, *range(1, rank - 1))
            self.from_torch = (0, *range(2, rank), 1)

    def sizes(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Those of `values`, one an axis, that belong to spatial axes."""
        return tuple(values[axis] for axis in self.spatial)

    def dims(self, batch: int | None, channels: int | None, spatial: Sequence[int | None]) -> Dims:
        """A shape put together."""
        return (batch, channels, *spatial) if self.channel == 1 else (batch, *spatial, channels)

    def enter(self, x: Any) -> torch.Tensor:
        """A tensor as torch wants it, a view."""
        return x if self.to_torch is None else x.permute(self.to_torch)

    def leave(self, x: torch.Tensor) -> torch.Tensor:
        """A tensor of torch's as the op's layout has it, a view."""
        return x if self.from_torch is None else x.permute(self.from_torch)


def layout_of(node: Any, rank: int = 4) -> Layout:
    """The layout an op's `data_format` names.

    Raises:
        NotImplementedError: for the layouts of quantized GPU kernels.
    """
    data_format = node.attrs.get("data_format", "NHWC" if rank == 4 else "NDHWC")
    if "VECT" in data_format:
        raise NotImplementedError(f"{node.type} has no data_format {data_format!r}: use 'NHWC' or 'NCHW'.")
    return Layout(data_format, rank)


def check_lengths(node: NodeView, rank: int, **values: Sequence[int]) -> None:
    """Raises InvalidArgumentError unless all of `values`, by the names of attributes, have one an axis.

    The shapes of gradients do not depend on them, so no shape function has looked at them before.
    """
    for name, given in values.items():
        if len(given) != rank:
            raise InvalidArgumentError(
                None, None, f"The attribute '{name}' of {node.type} must have {rank} values, got {len(given)}."
            )


# ---- static shapes ----


def of_rank(dims: Dims, rank: int) -> tuple[int | None, ...]:
    """`dims` where their rank is known, else as many unknown sizes.

    Raises:
        ValueError: if they have another rank.
    """
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def check_strides(op: OpView, rank: int) -> None:
    """Raises ValueError unless there is one positive stride an axis."""
    strides = op.attrs["strides"]
    if len(strides) != rank:
        what = f"{op.type} on data format {op.attrs['data_format']}" if "data_format" in op.attrs else op.type
        raise ValueError(f"{what} requires the stride attribute to contain {rank} values, but got: {len(strides)}")
    for stride in strides:
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")


def check_dilations(op: OpView, rank: int, channel: int) -> None:
    """Raises ValueError unless there is one dilation an axis, a positive one for those of space.

    The kernel refuses dilations of batches and channels.
    """
    dilations = op.attrs["dilations"]
    if len(dilations) != rank:
        raise ValueError(
            f"{op.type} requires the dilation attribute to contain {rank} values, but got: {len(dilations)}"
        )
    for axis, dilation in enumerate(dilations):
        if dilation < 1 and axis not in (0, channel):
            raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")


def check_explicit(op: Operation, rank: int) -> None:
    """Raises ValueError unless `explicit_paddings` fits `padding`."""
    paddings = op.attrs.get("explicit_paddings") or []
    if op.attrs["padding"] != "EXPLICIT":
        if paddings:
            raise ValueError("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
        return
    if len(paddings) != 2 * rank:
        raise ValueError(f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(paddings)}")
    if any(amount < 0 for amount in paddings):
        raise ValueError("All elements of explicit_paddings must be nonnegative")
    layout = layout_of(op, rank)
    if any(paddings[2 * axis] or paddings[2 * axis + 1] for axis in (0, layout.channel)):
        raise ValueError("Nonzero explicit padding in the batch or depth dimensions is not supported")


def window_count(
    size: int | None,
    window: int | None,
    stride: int,
    padding: str,
    dilation: int = 1,
    explicit: Sequence[int] = (0, 0),
) -> int | None:
    """How many windows fit along one axis; None where it is not known.

    Raises:
        GraphShapeError: if the window is larger than the axis.
    """
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    if window is None:
        return None
    effective_size = (window - 1) * dilation + 1
    size += sum(explicit)
    if size < effective_size:
        raise GraphShapeError(f"Negative dimension size caused by subtracting {effective_size} from {size}")
    return (size - effective_size) // stride + 1


def counts_when_run(
    sizes: Sequence[int],
    windows: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    paddings: Sequence[tuple[int, int]],
) -> list[int]:
    """How many windows TensorFlow's kernels find along each axis.

    Raises:
        InvalidArgumentError: if a window is larger than the axis by more than what leaves no place for it.
    """
    counts = []
    for size, window, stride, dilation, pair in zip(sizes, windows, strides, dilations, paddings, strict=True):
        effective_size = (window - 1) * dilation + 1
        # Rounded towards zero, so that an image that is short by less than a stride gives nothing.
        counts.append(int((size + sum(pair) - effective_size + stride) / stride))
        if counts[-1] < 0:
            raise InvalidArgumentError(
                None,
                None,
                f"Computed output size would be negative: {counts[-1]} [input_size: {size}, effective_filter_size: "
                f"{effective_size}, stride: {stride}]",
            )
    return counts


# ---- paddings ----


class Padding:
    """How the spatial axes are padded before windows slide over them.

    Args:
        node: the node, for its attributes `padding` and `explicit_paddings`.
        layout: its layout.
        strides: one a spatial axis.
        dilations: likewise.
    """

    def __init__(self, node: NodeView, layout: Layout, strides: Sequence[int], dilations: Sequence[int]) -> None:
        self.kind = node.attrs["padding"]
        self.strides, self.dilations = tuple(strides), tuple(dilations)
        paddings = node.attrs.get("explicit_paddings") or []
        self.explicit = [(paddings[2 * axis], paddings[2 * axis + 1]) for axis in layout.spatial] if paddings else []

    def paddings(self, sizes: Sequence[int], windows: Sequence[int]) -> list[tuple[int, int]]:
        """The padding before and after each spatial axis, for axes of these sizes and windows of these."""
        if self.kind == "VALID":
            return [(0, 0)] * len(sizes)
        if self.kind == "EXPLICIT":
            return self.explicit
        result = []
        for size, window, stride, dilation in zip(sizes, windows, self.strides, self.dilations, strict=True):
            effective_size = (window - 1) * dilation + 1
            total = max((-(-size // stride) - 1) * stride + effective_size - size, 0)
            # The odd one goes to the end.
            result.append((total // 2, total - total // 2))
        return result

    def known(self, sizes: Sequence[int | None], windows: Sequence[int | None]) -> list[tuple[int, int]] | None:
        """`paddings` where static shapes determine them, else None.

        With stride 1 the size of the axis does not matter.
        """
        if self.kind != "SAME":
            return self.paddings([0] * len(sizes), [0] * len(sizes))
        if any(window is None for window in windows):
            return None
        free = [1 if size is None and stride == 1 else size for size, stride in zip(sizes, self.strides, strict=True)]
        return None if None in free else self.paddings(free, windows)  # type: ignore[arg-type]  # no size is None: it has been asked


def pad_arguments(paddings: Sequence[tuple[int, int]]) -> list[int]:
    """Paddings as torch's padding functions take them, last axis first."""
    return [size for pair in reversed(paddings) for size in pair]


def split_padding(paddings: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], list[int] | None]:
    """Paddings as what torch pads on both ends, and what must be padded besides (None for nothing)."""
    both = tuple(min(before, after) for before, after in paddings)
    rest = [(before - common, after - common) for (before, after), common in zip(paddings, both, strict=True)]
    return both, pad_arguments(rest) if any(pair != (0, 0) for pair in rest) else None
