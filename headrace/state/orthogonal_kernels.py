"""Initializers of convolution kernels that keep the norm of what they are applied to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.matrices import eye
from headrace.kernels import composing
from headrace.kernels.composing.filling import zeros
from headrace.ops.random.normal import random_normal
from headrace.state.initializers import Initializer, assert_float_dtype, uniform_q

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike
    from headrace.state.partitioned import PartitionInfo


# A kernel as its matrices [n, n] by their place.
_Places = Mapping[tuple[int, ...], Tensor]


class ConvolutionOrthogonal(Initializer):
    """The base of the initializers below: algorithm 1 of Xiao et al., arXiv:1806.05393.

    The norm is kept exactly where the input is padded circularly.

    Args:
        gain: the factor by which the norm of an input changes.
        seed: the op seed; each drawing takes the next one.
        dtype: the element type.
    """

    _rank = 0
    _rank_word = ""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        self.gain = gain
        self.dtype = assert_float_dtype(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """A kernel of `shape`: equal sizes, input channels, at least as many output channels."""
        if not self._rank:
            raise NotImplementedError
        sizes = [int(size) for size in shape]
        if len(sizes) != self._rank + 2:
            raise ValueError(f"The tensor to initialize must be {self._rank_word}-dimensional")
        if sizes[-2] > sizes[-1]:
            raise ValueError("In_filters cannot be greater than out_filters.")
        if len(set(sizes[:-2])) > 1:
            raise ValueError("Kernel sizes must be equal.")
        return self._kernel(*sizes[-3:]) * composing.cast(self.gain, self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """The gain, the seed and the type."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}

    def _drawn(self, shape: list[int], dtype: DType) -> Tensor:
        drawn = random_normal(shape, dtype=dtype, seed=self.seed)
        if self.seed:
            self.seed += 1
        return drawn

    def _projection(self, n: int) -> Tensor:
        """A random symmetric projection, [n, n]."""
        q = uniform_q(self._drawn([n, n], self.dtype))
        # Each direction is kept or not with equal chances, which are drawn as float32 whatever the type.
        kept = raw.Mul(q, composing.cast(self._drawn([n], float32) > 0, self.dtype))
        return composing.matmul(kept, composing.matrix_transpose(kept))

    def _block(self, n: int) -> _Places:
        """A kernel of size 2: at each place the product over the dimensions of a projection or what it leaves."""
        projections = [self._projection(n) for _ in range(self._rank)]
        identity = eye(n, dtype=self.dtype)
        block = {}
        for place in itertools.product((0, 1), repeat=self._rank):
            factors: list[Any]
            if self._rank == 3:
                # In three dimensions TensorFlow weighs both, and puts the projection where the index is 1.
                factors = [bit * p + (1 - bit) * (identity - p) for p, bit in zip(projections, place, strict=True)]
            else:
                factors = [identity - p if bit else p for p, bit in zip(projections, place, strict=True)]
            product = factors[0]
            for factor in factors[1:]:
                product = composing.matmul(product, factor)
            block[place] = product
        return block

    def _convolved(self, first: _Places, size: int, second: _Places, n: int) -> _Places:
        """The kernel of one convolution (of `size`) after the other (of size 2), of [n, n] each."""
        result = {}
        for place in itertools.product(range(size + 1), repeat=self._rank):
            total: Tensor = zeros([n, n], self.dtype)
            for step in itertools.product(*(range(min(size, at + 1)) for at in place)):
                rest = tuple(at - by for at, by in zip(place, step, strict=True))
                if all(by < 2 for by in rest):
                    total += composing.matmul(first[step], second[rest])
            result[place] = total
        return result

    def _kernel(self, size: int, channels: int, filters: int) -> Tensor:
        orthogonal = uniform_q(self._drawn([filters, filters], self.dtype))[:channels, :]
        if size == 1:
            for _ in range(self._rank):
                orthogonal = composing.expand_dims(orthogonal, 0)
            return orthogonal
        kernel = self._block(filters)
        for so_far in range(2, size):
            kernel = self._convolved(kernel, so_far, self._block(filters), filters)
        return self._stacked({place: composing.matmul(orthogonal, m) for place, m in kernel.items()}, size, ())

    def _stacked(self, kernel: _Places, size: int, place: tuple[int, ...]) -> Tensor:
        if len(place) == self._rank:
            return kernel[place]
        return composing.stack([self._stacked(kernel, size, (*place, i)) for i in range(size)])


class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    """Makes kernels [size, channels, filters]; see `ConvolutionOrthogonal` for the arguments.

    Example:
        >>> tf.get_variable("k", [3, 4, 8], initializer=tf.contrib.framework.convolutional_orthogonal_1d())
    """

    _rank, _rank_word = 1, "three"


class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    """Makes kernels [size, size, channels, filters]; see `ConvolutionOrthogonal` for the arguments.

    Example:
        >>> tf.get_variable("k", [3, 3, 4, 8], initializer=tf.contrib.framework.convolutional_orthogonal_2d())
    """

    _rank, _rank_word = 2, "four"


class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    """Makes kernels [size, size, size, channels, filters]; see `ConvolutionOrthogonal` for the arguments.

    Example:
        >>> tf.get_variable("k", [3, 3, 3, 4, 8], initializer=tf.contrib.framework.convolutional_orthogonal_3d())
    """

    _rank, _rank_word = 3, "five"


convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
