"""The accumulator classes of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.ops.math.cast import cast
from headrace.ops.queues import accumulators

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


assert accumulators  # declares the ops


def _step(value: TensorLike) -> Tensor:
    return cast(convert_to_tensor(value), int64)


class ConditionalAccumulatorBase:
    """What accumulators offer: gradients are added up, and whoever takes their mean waits until there are enough.

    Args:
        dtype: the gradients' type.
        shape: their shape, or None.
        accumulator_ref: the tensor with the handle.
    """

    def __init__(self, dtype: DTypeLike, shape: ShapeLike | None, accumulator_ref: Tensor) -> None:
        self._dtype = dtype
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref._op._name.rpartition("/")[2]

    @property
    def accumulator_ref(self) -> Tensor:
        """The tensor with the handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The accumulator's name, without scopes."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The gradients' type."""
        return self._dtype

    def _op(self, what: str) -> OpDecl:
        form = "ResourceAccumulator" if self._accumulator_ref.dtype.name == "resource" else "Accumulator"
        return getattr(raw, form + what)

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients it has: an int32 scalar."""
        name = f"{self._name}_NumAccumulated" if name is None else name
        return self._op("NumAccumulated")(self._accumulator_ref, name=name)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Operation:
        """Moves its global step, an integer scalar: gradients of earlier steps are dropped from then on."""
        return self._op("SetGlobalStep")(self._accumulator_ref, _step(new_global_step), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients.

    Args:
        dtype: the gradients' type.
        shape: their shape, unknown by default.
        shared_name: accumulators of one shared name in a session are one.
        name: a name for the operation.
        reduction_type: "MEAN" or "SUM".

    Example:
        >>> accumulator = tf.ConditionalAccumulator(tf.float32, shape=[3])
        >>> add, mean = accumulator.apply_grad([1.0, 2.0, 3.0]), accumulator.take_grad(2)
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = raw.ResourceConditionalAccumulator(
            dtype=dtype, shape=shape, shared_name=shared_name, name=name, reduction_type=reduction_type
        )
        super().__init__(dtype, shape, ref)

    def apply_grad(self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None) -> Operation:
        """Adds a gradient.

        Args:
            grad: tensor of the accumulator's shape.
            local_step: the step it belongs to; it is dropped if the accumulator is further.
            name: a name for the operation.

        Raises:
            ValueError: if its shape does not fit.
        """
        gradient = convert_to_tensor(grad, self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        return self._op("ApplyGradient")(
            self._accumulator_ref, local_step=_step(local_step), gradient=gradient, name=name
        )

    def take_grad(self, num_required: int, name: str | None = None) -> Tensor:
        """The mean (or sum) of the gradients, once there are `num_required`; the accumulator is empty then.

        Args:
            num_required: an integer scalar tensor.
            name: a name for the operation.

        Raises:
            tf.errors.InvalidArgumentError: when it runs, if `num_required` is not positive.
        """
        out: Tensor = self._op("TakeGradient")(self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        out.set_shape(self._shape)
        return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that are slices: each row is averaged over those that have it.

    Args:
        dtype: the gradients' type.
        shape: their dense shape, unknown by default.
        shared_name, name, reduction_type: as for `ConditionalAccumulator`.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = raw.SparseConditionalAccumulator(
            dtype=dtype, shape=shape, shared_name=shared_name, name=name, reduction_type=reduction_type
        )
        super().__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> Operation:
        """Adds a gradient given as IndexedSlices; see `apply_grad`."""
        return self.apply_grad(
            grad_indices=grad.indices,
            grad_values=grad.values,
            grad_shape=grad.dense_shape,
            local_step=local_step,
            name=name,
        )

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Operation:
        """Adds a gradient.

        Args:
            grad_indices: integer vector, the rows.
            grad_values: their values, with a first dimension of as many.
            grad_shape: the dense shape, if known.
            local_step: the step it belongs to; it is dropped if the accumulator is further.
            name: a name for the operation.
        """
        return raw.SparseAccumulatorApplyGradient(
            self._accumulator_ref,
            local_step=_step(local_step),
            gradient_indices=cast(grad_indices, int64),
            gradient_values=grad_values,
            gradient_shape=cast([] if grad_shape is None else grad_shape, int64),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """The mean (or sum) of the gradients as (indices, values, shape), once there are `num_required`."""
        return raw.SparseAccumulatorTakeGradient(self._accumulator_ref, num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required: TensorLike, name: str | None = None) -> IndexedSlices:
        """`take_grad` as IndexedSlices."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(indices=taken.indices, values=taken.values, dense_shape=taken.shape)
