"""The barriers of programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.queues.queues import shape_list, type_list
from headrace.ops.queues import barrier_ops

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


assert barrier_ops  # declares the ops


class Barrier:
    """Elements by key, each a tuple whose components come in any order; whole ones can be taken.

    Those leave first whose first component came first.

    Args:
        types: the types of an element's components.
        shapes: their shapes; by default components may have any.
        shared_name: barriers of one shared name in a session are one.
        name: a name for the operation.

    Raises:
        ValueError: if a shape has no elements.

    Example:
        >>> barrier = Barrier((tf.string, tf.int32), shapes=((), ()))
        >>> sess.run(barrier.insert_many(0, keys=["k1", "k2"], values=["a", "b"]))
        >>> sess.run(barrier.insert_many(1, keys=["k1"], values=[1]))
        >>> indices, keys, (letters, numbers) = barrier.take_many(1)
    """

    def __init__(
        self,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[Sequence[int]] | None = None,
        shared_name: str | None = None,
        name: str = "barrier",
    ) -> None:
        self._types = type_list(types)
        listed = shape_list(shapes)
        self._shapes = [TensorShape(None) for _ in self._types] if listed is None else listed
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
        self._barrier_ref: Tensor = raw.Barrier(self._types, self._shapes, shared_name=shared_name, name=name)
        self._name = self._barrier_ref._op._name.rpartition("/")[2]

    @property
    def barrier_ref(self) -> Tensor:
        """The tensor with the barrier's handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the barrier."""
        return self._barrier_ref._op._name

    def _named(self, name: str | None, op_type: str) -> str:
        return f"{self._name}_{op_type}" if name is None else name

    def insert_many(
        self, component_index: int, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Operation:
        """Sets one component of the elements of some keys.

        Args:
            component_index: which component.
            keys: string tensor of shape (n,).
            values: tensor of n values along its first dimension.
            name: a name for the operation.

        Raises:
            tf.errors.InvalidArgumentError: when it runs, if a key has that component already.
            tf.errors.CancelledError: when it runs, for new keys of a closed barrier.
        """
        name = self._named(name, "BarrierInsertMany")
        return raw.BarrierInsertMany(self._barrier_ref, keys, values, component_index=component_index, name=name)

    def take_many(
        self,
        num_elements: TensorLike,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Takes whole elements out, waiting for them.

        Args:
            num_elements: how many, an integer scalar tensor.
            allow_small_batch: whether a closed barrier gives those it has where they are fewer.
            timeout: for how many milliseconds to wait; not supported, as in TensorFlow: use `RunOptions.timeout_in_ms`.
            name: a name for the operation.

        Returns:
            a tuple of `indices`, int64, which number the calls of `insert_many` that brought new keys; `keys`; and
            `values`, a list of the components as batches.

        Raises:
            tf.errors.OutOfRangeError: when it runs, if the barrier is closed and will not have as many.
        """
        name = self._named(name, "BarrierTakeMany")
        taken = raw.BarrierTakeMany(
            self._barrier_ref, num_elements, self._types, allow_small_batch, timeout_ms=timeout, name=name
        )
        count = taken[0].shape
        for output, shape in zip(taken[0].op.outputs[2:], self._shapes, strict=True):
            output.set_shape(count.concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Closes the barrier: elements that have begun may be completed, new keys may not be inserted.

        Args:
            cancel_pending_enqueues: whether incomplete elements are given up as well.
            name: a name for the operation.
        """
        name = self._named(name, "BarrierClose")
        return raw.BarrierClose(self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def ready_size(self, name: str | None = None) -> Tensor:
        """How many elements can be taken, an int32 scalar tensor."""
        return raw.BarrierReadySize(self._barrier_ref, name=self._named(name, "BarrierReadySize"))

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many elements still lack components, an int32 scalar tensor."""
        return raw.BarrierIncompleteSize(self._barrier_ref, name=self._named(name, "BarrierIncompleteSize"))
