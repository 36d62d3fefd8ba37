"""Inputs moved and scaled by the mean and variance of data seen before.

1.15 publishes none of these names; programs reach them by `tensorflow.python.keras.layers.preprocessing.normalization`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.keras.engine.base_preprocessing_layer import Combiner, CombinerPreprocessingLayer
from headrace.ops.array.shape import reshape
from headrace.state.initializers import Zeros


class Accumulator(NamedTuple):
    """What was seen of data: how many values there were at each place, their mean and their variance."""

    count: Any
    mean: Any
    variance: Any


class NormalizingCombiner(Combiner):
    """Mean and variance along some axes, merged over batches.

    Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.

    Args:
        axis: the axes that are kept.
    """

    def __init__(self, axis: int | Sequence[int]) -> None:
        self.axis = axis

    def compute(self, batch_values: Any, accumulator: Any = None) -> Any:
        kept = self.axis if isinstance(self.axis, (tuple, list)) else (self.axis,)
        kept = [axis % batch_values.ndim for axis in kept]
        gone = tuple(axis for axis in range(batch_values.ndim) if axis not in kept)
        count = np.prod([batch_values.shape[axis] for axis in gone], dtype=np.int32)
        if count:
            mean, variance = np.mean(batch_values, gone, np.float64), np.var(batch_values, gone, np.float64)
        else:
            mean = variance = np.zeros([batch_values.shape[axis] for axis in kept])
        made = Accumulator(np.asarray(count), mean, variance)
        return made if accumulator is None else self.merge([accumulator, made])

    def merge(self, accumulators: Sequence[Any]) -> Any:
        count = np.sum([part.count for part in accumulators])
        if not count:
            return Accumulator(np.asarray(count), 0.0, 0.0)
        shares = [part.count / count for part in accumulators]
        mean = sum(part.mean * share for part, share in zip(accumulators, shares))
        variance = sum(
            (part.variance + np.square(part.mean - mean)) * share for part, share in zip(accumulators, shares)
        )
        return Accumulator(np.asarray(count), mean, variance)

    def extract(self, accumulator: Any) -> dict[str, Any]:
        return accumulator._asdict()  # type: ignore[no-any-return]  # that of a named tuple

    def restore(self, output: Any) -> Accumulator:
        return Accumulator(output["count"], output["mean"], output["variance"])

    def serialize(self, accumulator: Any) -> bytes:
        return json.dumps({name: np.asarray(part).tolist() for name, part in accumulator._asdict().items()}).encode()

    def deserialize(self, encoded_accumulator: bytes) -> Accumulator:
        return Accumulator(**{name: np.array(part) for name, part in json.loads(encoded_accumulator).items()})


class Normalization(CombinerPreprocessingLayer):
    """Inputs less the mean of data that `adapt` has seen, divided by the data's variance, as 1.15 does it.

    Args:
        axis: the axes that have a mean and variance for each place, not 0.
        dtype: the type of mean and variance.
        **kwargs: arguments of layers.

    Example:
        >>> layer = Normalization()
        >>> layer.adapt(np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]))
        >>> [float(v) for v in layer.get_weights()]
        [3.0, 2.0, 5.0]
    """

    _NormalizingCombiner = NormalizingCombiner

    def __init__(self, axis: int | Sequence[int] = -1, dtype: str | None = None, **kwargs: Any) -> None:
        if axis == 0:
            raise ValueError("The argument 'axis' may not be 0.")
        super().__init__(NormalizingCombiner(axis), dtype=dtype or "float32", **kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        """Makes the variables that `adapt` sets."""
        dims = TensorShape(input_shape).as_list()
        axes = self.axis if isinstance(self.axis, (tuple, list)) else (self.axis,)
        kept = [dims[axis] for axis in axes]
        self._aligned: list[Any] = [1] * len(dims)
        for axis, size in zip(axes, kept):
            self._aligned[axis] = size
        self.mean = self._add_state_variable("mean", kept, self.dtype, initializer=Zeros())
        self.variance = self._add_state_variable("variance", kept, self.dtype, initializer=Zeros())
        self.count = self._add_state_variable("count", (), "int32", initializer=Zeros())
        super().build(input_shape)

    def call(self, inputs: Tensor) -> Tensor:
        """The inputs moved and scaled."""
        return (inputs - reshape(self.mean, self._aligned)) / reshape(self.variance, self._aligned)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the inputs."""
        return input_shape

    def compute_output_signature(self, input_spec: TensorSpec) -> TensorSpec:
        """The description of the inputs."""
        return input_spec

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "axis": self.axis}

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets mean, variance and count; without a count it is 0, and what is adapted later does not go on from it."""
        super().set_weights([*weights, np.array(0)] if len(weights) == 2 else weights)
