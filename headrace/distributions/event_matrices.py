"""Samples of a batch of vectors laid out as matrices, for linear operators, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.static_logic import pick_vector
from headrace.functions.array.rotation import rotate_transpose
from headrace.functions.flow.checks import assert_non_negative
from headrace.functions.flow.rank_checks import assert_rank
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as indices
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class EventMatrices:
    """Between tensors of shape [*sample, *batch, *event] and matrices [*batch, event, samples].

    Args:
        batch_ndims: how many dimensions the batch has, an int or an int32 tensor.
        event_ndims: how many an event has; 0 or 1 for matrices.
        validate_args: whether numbers that are not known are checked when the graph runs.
        name: what stands before the names of its operations.

    Raises:
        ValueError: if a number is None, negative, or no scalar. TypeError: if it is not int32.
    """

    def __init__(
        self,
        batch_ndims: Any = None,
        event_ndims: Any = None,
        validate_args: bool = False,
        name: str = "DistributionShape",
    ) -> None:
        for number, label in ((batch_ndims, "batch_ndims"), (event_ndims, "event_ndims")):
            if number is None:
                raise ValueError(f"{label} cannot be None")
        self._validate_args = validate_args
        self._scope = name
        with name_scope(self._scope), name_scope("init"):
            self._batch_ndims, self._no_batch = self._count(batch_ndims, "batch_ndims")
            self._event_ndims, self._no_event = self._count(event_ndims, "event_ndims")

    def _count(self, number: TensorLike, name: str) -> tuple[Tensor, Any]:
        """A number of dimensions, and whether it is none."""
        tensor = convert_to_tensor(number, name=name)
        if tensor.dtype.base_dtype != int32:
            raise TypeError(f"{tensor.name}.dtype={tensor.dtype} is not {int32}")
        if tensor.get_shape().ndims not in (None, 0):
            raise ValueError(f"{tensor.name}.ndims={tensor.get_shape().ndims} is not 0 (scalar)")
        known = constant_value(tensor)
        if known is not None:
            if known < 0:
                raise ValueError(f"{tensor.name}.value={known} cannot be negative")
            return tensor, known == 0
        if self._validate_args:
            tensor = with_dependencies([assert_rank(tensor, 0), assert_non_negative(tensor)], tensor)
        return tensor, raw.Equal(tensor, 0)

    @property
    def name(self) -> str:
        """What stands before the names of its operations."""
        return self._scope

    @property
    def batch_ndims(self) -> Tensor:
        """How many dimensions the batch has."""
        return self._batch_ndims

    @property
    def event_ndims(self) -> Tensor:
        """How many dimensions an event has."""
        return self._event_ndims

    @property
    def validate_args(self) -> bool:
        """Whether numbers that are not known are checked when the graph runs."""
        return self._validate_args

    @contextmanager
    def _named(self, name: str, values: list[Any]) -> Iterator[None]:
        with name_scope(self._scope), name_scope(name, values=[*values, self._batch_ndims, self._event_ndims]):
            yield

    def get_ndims(self, x: TensorLike, name: str = "get_ndims") -> Tensor:
        """How many dimensions a tensor has."""
        with self._named(name, [x]):
            x = convert_to_tensor(x, name="x")
            rank = x.get_shape().ndims
            return composing.rank(x, name="ndims") if rank is None else convert_to_tensor(rank, "int32", name="ndims")

    def get_sample_ndims(self, x: TensorLike, name: str = "get_sample_ndims") -> Tensor:
        """How many dimensions stand before the batch; ValueError if the tensor has too few."""
        with self._named(name, [x]):
            rank = self.get_ndims(x, name)
            known: list[Any] = [constant_value(number) for number in (rank, self._batch_ndims, self._event_ndims)]
            if all(number is not None for number in known):
                full_shape, batch, event = (int(number) for number in known)
                if full_shape < batch + event:
                    raise ValueError(f"expected batch_ndims({batch}) + event_ndims({event}) <= ndims({full_shape})")
                return convert_to_tensor(full_shape - batch - event, name="sample_ndims")
            with name_scope("sample_ndims"):
                rest = rank - self._batch_ndims - self._event_ndims
                return with_dependencies([assert_non_negative(rest)], rest) if self._validate_args else rest

    def get_dims(self, x: TensorLike, name: str = "get_dims") -> tuple[Tensor, Tensor, Tensor]:
        """Which dimensions of a tensor are those of samples, batch and event."""
        with self._named(name, [x]):
            samples = self.get_sample_ndims(x)
            ends: list[Any] = [0, samples, samples + self._batch_ndims, samples + self._batch_ndims + self._event_ndims]
            first, batch, event = (indices(ends[i], ends[i + 1]) for i in range(3))
            return first, batch, event

    def get_shape(self, x: TensorLike, name: str = "get_shape") -> tuple[Tensor, Tensor, Tensor]:
        """The shapes of samples, batch and event."""
        with self._named(name, [x]):
            x = convert_to_tensor(x, name="x")
            samples = self.get_sample_ndims(x, name)
            return (
                self._part(x, [composing.zeros([], "int32", name="zero")], samples, "sample_shape"),
                self._part(x, [samples], self._batch_ndims, "batch_shape"),
                self._part(x, [samples, self._batch_ndims], self._event_ndims, "event_shape"),
            )

    @staticmethod
    def _part(x: Tensor, before: list[Tensor], size: Tensor, name: str) -> Tensor:
        known: list[Any] = [constant_value(number) for number in (size, *before)]
        if x.get_shape().ndims is not None and all(number is not None for number in known):
            start = sum(int(number) for number in known[1:])
            found = x.get_shape()[start : start + int(known[0])]
            if found.is_fully_defined():
                return convert_to_tensor(found.as_list(), "int32", name=name)
        # The sum starts at 0, an op where the first number is none.
        return raw.Slice(shape_internal(x), [sum(before)], [size])

    def make_batch_of_event_sample_matrices(
        self, x: TensorLike, expand_batch_dim: bool = True, name: str = "make_batch_of_event_sample_matrices"
    ) -> tuple[Tensor, Tensor]:
        """The matrices and the shape of the samples.

        Args:
            x: tensor of shape [*sample, *batch, *event].
            expand_batch_dim: whether there is one matrix of a batch even where there is no batch.
        """
        with self._named(name, [x]):
            x = convert_to_tensor(x, name="x")
            sample_shape, batch_shape, event_shape = self.get_shape(x)
            event_shape = pick_vector(self._no_event, [1], event_shape)
            if expand_batch_dim:
                batch_shape = pick_vector(self._no_batch, [1], batch_shape)
            x = reshape(x, composing.concat([[-1], batch_shape, event_shape], 0))
            return rotate_transpose(x, -1), sample_shape

    def undo_make_batch_of_event_sample_matrices(
        self,
        x: TensorLike,
        sample_shape: TensorLike,
        expand_batch_dim: bool = True,
        name: str = "undo_make_batch_of_event_sample_matrices",
    ) -> Tensor:
        """What `make_batch_of_event_sample_matrices` made them of.

        Args:
            x: the matrices.
            sample_shape: the shape of the samples.
            expand_batch_dim: as it was there.
        """
        with self._named(name, [x, sample_shape]):
            x = convert_to_tensor(x, name="x")
            sample_shape = convert_to_tensor(sample_shape, name="sample_shape")
            x = rotate_transpose(x, 1)
            if all(constant_value(number) is not None for number in (self._batch_ndims, self._event_ndims)):
                axes = [-1] if self._no_event else []
                if self._no_batch and expand_batch_dim:
                    axes.append(1)
                if axes:
                    x = raw.Squeeze(x, squeeze_dims=axes)
                batch_shape, event_shape = self.get_shape(x)[1:]
            else:
                static = x.get_shape()
                full_shape = static.as_list() if static.is_fully_defined() else shape_internal(x)
                if isinstance(full_shape, list):
                    full_shape = convert_to_tensor(full_shape, "int32")
                batch_shape = full_shape[1 : 1 + self._batch_ndims]
                alone = raw.LogicalAnd(expand_batch_dim, self._no_batch)
                start = where_v2(alone, 2, 1 + self._batch_ndims)
                event_shape = full_shape[start : start + self._event_ndims]
            return reshape(x, composing.concat([sample_shape, batch_shape, event_shape], 0))
