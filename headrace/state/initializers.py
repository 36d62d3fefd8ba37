"""Initializers: objects that make initial values of a shape, with the operations and seeds of TensorFlow 1.15."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import DType, as_dtype, float32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.math.matrices import eye
from headrace.kernels import composing
from headrace.kernels.composing.filling import ones, zeros
from headrace.ops.array.constant import constant
from headrace.ops.random.normal import random_normal, truncated_normal
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.state.partitioned import PartitionInfo


def assert_float_dtype(dtype: DTypeLike) -> DType:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype!s}.")
    return dtype


class Initializer:
    """What makes initial values: called with a shape, a type and, for part of a variable, what part it is."""

    dtype: DType

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """A tensor of `shape`.

        Args:
            shape: a list of ints.
            dtype: the element type; the initializer's own by default.
            partition_info: for part of a larger variable, the whole's `full_shape` and this part's `var_offset`.
        """
        raise NotImplementedError

    def _dtype_or(self, dtype: DTypeLike | None) -> Any:
        return self.dtype if dtype is None else dtype

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, as plain values."""
        return {}

    # The draws of the random ones, in a place of their own because those of TensorFlow 2 draw otherwise.
    def _uniform(self, shape: Any, minval: Any, maxval: Any, dtype: DTypeLike) -> Tensor:
        return random_uniform(shape, minval, maxval, dtype, seed=self._seed())

    def _normal(self, shape: Any, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
        return random_normal(shape, mean, stddev, dtype, seed=self._seed())

    def _truncated(self, shape: Any, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
        return truncated_normal(shape, mean, stddev, dtype, seed=self._seed())

    def _seed(self) -> int | None:
        return getattr(self, "seed", None)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Any:
        """The initializer with the arguments that `get_config` gave."""
        return cls(**config)


class Zeros(Initializer):
    """Makes zeros; empty strings, False."""

    def __init__(self, dtype: DTypeLike = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Zeros of `shape`."""
        return zeros(_sizes(shape), self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """The type."""
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """Makes ones."""

    def __init__(self, dtype: DTypeLike = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Ones of `shape`."""
        return ones(_sizes(shape), self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """The type."""
        return {"dtype": self.dtype.name}


def _sizes(shape: Sequence[int]) -> Any:
    return shape.as_list() if isinstance(shape, TensorShape) else shape


class Constant(Initializer):
    """Makes a given value: a scalar, or a list or array whose last element fills the rest.

    Args:
        value: a Python scalar, list, tuple or NumPy array.
        dtype: the element type where the call names none.
        verify_shape: whether the value must have the very shape.

    Raises:
        TypeError: if `value` is something else.
    """

    def __init__(self, value: TensorLike = 0, dtype: DTypeLike = float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} (expected Python scalar, list or tuple of values, or "
                "numpy.ndarray)."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: PartitionInfo | None = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """The value in `shape`."""
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(self.value, dtype=self._dtype_or(dtype), shape=shape, verify_shape=verify)

    def get_config(self) -> dict[str, Any]:
        """The value and the type."""
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Makes values spread evenly over [minval, maxval).

    Args:
        minval, maxval: the bounds; `maxval` None stands for 1 with floating types.
        seed: the op seed.
        dtype: the element type where the call names none.
    """

    def __init__(
        self,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        seed: int | None = None,
        dtype: DTypeLike = float32,
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Uniform values of `shape`."""
        return self._uniform(shape, self.minval, self.maxval, self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """The bounds, the seed and the type."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed, "dtype": self.dtype.name}


class RandomNormal(Initializer):
    """Makes normally distributed values of the given mean and standard deviation."""

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = assert_float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Normal values of `shape`."""
        return self._normal(shape, self.mean, self.stddev, self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """Mean, standard deviation, seed and type."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class TruncatedNormal(RandomNormal):
    """As `RandomNormal`, with what lies more than two standard deviations off drawn again."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Truncated normal values of `shape`."""
        return self._truncated(shape, self.mean, self.stddev, self._dtype_or(dtype))


class UniformUnitScaling(Initializer):
    """Makes uniform values that keep the variance of what they multiply: bounds of sqrt(3 / inputs) * factor.

    The formula is that of Sussillo and Abbott, arXiv:1412.6558.
    """

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = assert_float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Values of `shape`, scaled for the whole of which it may be a part."""
        full_shape = shape if partition_info is None else partition_info.full_shape
        inputs = max(math.prod(float(size) for size in _sizes(full_shape)[:-1]), 1.0)
        bound = math.sqrt(3 / inputs) * self.factor
        return self._uniform(shape, -bound, bound, self._dtype_or(dtype))

    def get_config(self) -> dict[str, Any]:
        """The factor, the seed and the type."""
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


# The standard deviation of a normal distribution of variance 1 that is cut at two standard deviations: the root of
# 1 - 4 phi(2) / (2 Phi(2) - 1), with phi and Phi the density and the distribution function.
_TRUNCATED_STDDEV = 0.87962566103423978


class VarianceScaling(Initializer):
    """Makes random values whose variance is `scale` divided by the number of inputs, of outputs, or their average.

    LeCun, Bottou, Orr and Müller, "Efficient BackProp" (1998), section 4.6, takes the inputs; Glorot and Bengio,
    "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010, the average; He et al.,
    arXiv:1502.01852, the inputs with a scale of 2.

    Args:
        scale: a positive float.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal" ("normal" too), "untruncated_normal" or "uniform".
        seed: the op seed.
        dtype: the element type where the call names none.

    Raises:
        ValueError: for other values.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise ValueError("Invalid `mode` argument:", mode)
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("Invalid `distribution` argument:", distribution)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = assert_float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """Values of `shape`, scaled for the whole of which it may be a part."""
        dtype = self._dtype_or(dtype)
        fan_in, fan_out = compute_fans(_sizes(shape if partition_info is None else partition_info.full_shape))
        counts = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}
        variance = self.scale / max(1.0, counts[self.mode])
        if self.distribution in ("normal", "truncated_normal"):
            return self._truncated(shape, 0.0, math.sqrt(variance) / _TRUNCATED_STDDEV, dtype)
        if self.distribution == "untruncated_normal":
            return self._normal(shape, 0.0, math.sqrt(variance), dtype)
        limit = math.sqrt(3.0 * variance)
        return self._uniform(shape, -limit, limit, dtype)

    def get_config(self) -> dict[str, Any]:
        """All arguments."""
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


def compute_fans(shape: Sequence[int]) -> tuple[int, int]:
    """The numbers of input and output units of weights of `shape`, kernels of convolutions included."""
    if len(shape) < 2:
        units = int(shape[0]) if len(shape) else 1
        return units, units
    field = math.prod(shape[:-2])
    return int(shape[-2] * field), int(shape[-1] * field)


class GlorotUniform(VarianceScaling):
    """Makes uniform values within sqrt(6 / (fan_in + fan_out)); Glorot and Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        # The type is that of the call or float32, as in 1.15.
        del dtype
        super().__init__(scale=1.0, mode="fan_avg", distribution="uniform", seed=seed)

    def get_config(self) -> dict[str, Any]:
        """The seed and the type."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Makes truncated normal values of standard deviation sqrt(2 / (fan_in + fan_out)); Glorot and Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        # The type is that of the call or float32, as in 1.15.
        del dtype
        super().__init__(scale=1.0, mode="fan_avg", distribution="truncated_normal", seed=seed)

    def get_config(self) -> dict[str, Any]:
        """The seed and the type."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class Orthogonal(Initializer):
    """Makes a matrix with orthogonal rows or columns, folded into the shape; Saxe et al., arXiv:1312.6120.

    Args:
        gain: a factor.
        seed: the op seed.
        dtype: the element type where the call names none.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        self.gain = gain
        self.dtype = assert_float_dtype(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """A tensor of `shape`, orthogonal when seen as a matrix of its last dimension by all others."""
        dtype = self._dtype_or(dtype)
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        sizes = _sizes(shape)
        rows, columns = int(math.prod(sizes[:-1])), int(sizes[-1])
        normal = self._normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, dtype)
        q = uniform_q(normal)
        if rows < columns:
            q = composing.matrix_transpose(q)
        return self.gain * raw.Reshape(q, sizes)

    def get_config(self) -> dict[str, Any]:
        """The gain, the seed and the type."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


def uniform_q(matrix: Tensor) -> Tensor:
    """The orthogonal factor of `matrix`, with the signs that spread it evenly over all such matrices.

    F. Mezzadri, "How to generate random matrices from the classical compact groups", arXiv:math-ph/0609050.
    """
    q, r = raw.Qr(matrix, full_matrices=False)
    return q * raw.Sign(raw.MatrixDiagPart(r) if len(r.dims or ()) > 2 else raw.DiagPart(r))


class ConvolutionDeltaOrthogonal(Initializer):
    """Makes convolution kernels that are an orthogonal matrix at the centre, zero elsewhere; arXiv:1806.05393.

    Args:
        gain: a factor.
        seed: the op seed.
        dtype: the element type where the call names none.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        self.gain = gain
        self.dtype = assert_float_dtype(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """A kernel of `shape`, which has 3 to 5 dimensions."""
        dtype = self._dtype_or(dtype)
        sizes = list(_sizes(shape))
        if not 3 <= len(sizes) <= 5:
            raise ValueError("The tensor to initialize must be at least three-dimensional and at most five-dimensional")
        if sizes[-2] > sizes[-1]:
            raise ValueError("In_filters cannot be greater than out_filters.")
        q = uniform_q(self._normal([sizes[-1], sizes[-1]], 0.0, 1.0, dtype))[: sizes[-2], :]
        q = q * composing.cast(self.gain, dtype)
        centre = [[(size - 1) // 2 for size in sizes[:-2]]]
        return raw.ScatterNd(centre, composing.expand_dims(q, 0), sizes)

    def get_config(self) -> dict[str, Any]:
        """The gain, the seed and the type."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """Makes the identity matrix.

    Args:
        gain: a factor.
        dtype: the element type where the call names none.
    """

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = float32) -> None:
        self.gain = gain
        self.dtype = assert_float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None) -> Tensor:
        """The identity of `shape`, or the part of it asked for."""
        full = _sizes(shape if partition_info is None else partition_info.full_shape)
        if len(full) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        matrix = eye(full[0], full[1], dtype=self._dtype_or(dtype))
        if partition_info is not None:
            matrix = raw.Slice(matrix, partition_info.var_offset, shape)
        return self.gain * matrix

    def get_config(self) -> dict[str, Any]:
        """The gain and the type."""
        return {"gain": self.gain, "dtype": self.dtype.name}


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
# Of variables of floating types that are given none.
default_initializer: type[Initializer] = GlorotUniform
orthogonal_initializer = Orthogonal
identity_initializer = Identity
convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """An initializer of truncated normal values of standard deviation sqrt(1 / fan_in); LeCun et al. 1998."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """An initializer of uniform values within sqrt(3 / fan_in); LeCun et al. 1998."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """An initializer of truncated normal values of standard deviation sqrt(2 / fan_in); He et al., arXiv:1502.01852."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """An initializer of uniform values within sqrt(6 / fan_in); He et al., arXiv:1502.01852."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)
