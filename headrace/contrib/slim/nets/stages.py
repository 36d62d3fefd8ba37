"""Networks as lists of stages: convolutions, pools, and modules of branches side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.pooling import avg_pool2d, max_pool2d
from headrace.contrib.layers.separable import separable_convolution2d
from headrace.kernels.composing.arranging import concat
from headrace.state.initializers import TruncatedNormal
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


_WINDOW = re.compile(r"_(\d+)x(\d+)$")


def truncated_normal(stddev: float) -> TruncatedNormal:
    """The initializer of weights of the networks of this folder."""
    return TruncatedNormal(0.0, stddev)


# Its name in the modules of the networks.
trunc_normal = truncated_normal


class Step(NamedTuple):
    """A convolution or a pool.

    Attributes:
        layer: the function of `tf.contrib.layers`.
        scope: its scope, at whose end the size of its window stands.
        depth: the number of channels before it is scaled; None for a pool.
        options: further arguments.
        window: the size of the window where it is not that of the name.
    """

    layer: Callable[..., Any]
    scope: str
    depth: int | None
    options: dict[str, Any]
    window: tuple[int, int] | None = None

    def apply(self, net: TensorLike, scaled: Callable[[int], int]) -> Tensor:
        """What it makes of `net`."""
        window = self.window
        if window is None:
            found = _WINDOW.search(self.scope)
            assert found is not None
            window = (int(found[1]), int(found[2]))
        depth = [] if self.depth is None else [scaled(self.depth)]
        return self.layer(net, *depth, list(window), scope=self.scope, **self.options)


class Both(NamedTuple):
    """Two steps on the same input, whose outputs are joined."""

    steps: tuple[Step, ...]

    def apply(self, net: TensorLike, scaled: Callable[[int], int]) -> Tensor:
        """What they make of `net`."""
        return concat([step.apply(net, scaled) for step in self.steps], 3)


class Mixed(NamedTuple):
    """Branches on the same input, whose outputs are joined."""

    scope: str
    branches: tuple[Sequence[Any], ...]

    def apply(self, net: TensorLike, scaled: Callable[[int], int]) -> Tensor:
        """What they make of `net`."""
        with variable_scope(self.scope):
            outputs = []
            for i, branch in enumerate(self.branches):
                with variable_scope(f"Branch_{i}"):
                    output = net
                    for step in branch:
                        output = step.apply(output, scaled)
                outputs.append(output)
            return concat(outputs, 3)


def conv(
    name: str, depth: int, stddev: float | None = None, window: tuple[int, int] | None = None, **options: Any
) -> Step:
    """The convolution "Conv2d_<name>"; `stddev` is that of its initial weights."""
    if stddev is not None:
        options["weights_initializer"] = truncated_normal(stddev)
    scope = name if name.startswith("Conv") else f"Conv2d_{name}"
    return Step(convolution2d, scope, depth, options, window)


def separable(name: str, depth: int, **options: Any) -> Step:
    """The separable convolution "Conv2d_<name>"."""
    return Step(separable_convolution2d, f"Conv2d_{name}", depth, options)


def max_pool(name: str, **options: Any) -> Step:
    """The pool "MaxPool_<name>"."""
    return Step(max_pool2d, f"MaxPool_{name}", None, options)


def avg_pool(name: str, **options: Any) -> Step:
    """The pool "AvgPool_<name>"."""
    return Step(avg_pool2d, f"AvgPool_{name}", None, options)


def mixed(scope: str, *branches: Sequence[Any]) -> Mixed:
    """Branches side by side."""
    return Mixed(scope, branches)


def up_to(
    net: TensorLike,
    stages: Sequence[Any],
    final_endpoint: str,
    end_points: dict[str, Any],
    scaled: Callable[[int], int] = lambda depth: depth,
) -> tuple[Any, bool]:
    """Applies stages up to the one called `final_endpoint`.

    Args:
        net: the images.
        stages: the stages.
        final_endpoint: where to stop.
        end_points: gets the outputs of the stages by name.
        scaled: gives the numbers of channels.

    Returns:
        the output of the last stage, and whether `final_endpoint` was among them.
    """
    for stage in stages:
        net = end_points[stage.scope] = stage.apply(net, scaled)
        if stage.scope == final_endpoint:
            return net, True
    return net, False


def scaling(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """The function that scales numbers of channels.

    Raises:
        ValueError: for a multiplier that is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def window_within(net: Any, window: Sequence[int]) -> list[int]:
    """A window no larger than the images, where their size is known."""
    sizes = net.shape.as_list()[1:3]
    return list(window) if None in sizes else [min(size, length) for size, length in zip(sizes, window)]
