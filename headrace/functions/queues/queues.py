"""The queue classes of programs."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int64
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.random_seed import get_seed
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import stack
from headrace.ops.array.gather import gather
from headrace.ops.queues import queue_ops

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import DTypeLike, TensorLike


assert queue_ops  # declares the ops


def type_list(dtypes: DTypeLike | Sequence[DTypeLike]) -> list[Any]:
    """One type or several as a list."""
    return [as_dtype(dtype) for dtype in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]


def shape_list(
    shapes: str | Sequence[TensorShape | Sequence[int | None]] | None, partial: bool = False
) -> list[TensorShape] | None:
    """One shape or several as a list of `TensorShape`.

    Args:
        shapes: None, a shape, or a list of them.
        partial: whether dimensions may be unknown; then it must be a list.

    Raises:
        TypeError: if it is something else.
        ValueError: if a shape is not known well enough.
    """
    if partial and (
        not isinstance(shapes, Sequence) or not shapes or any(s is None or isinstance(s, int) for s in shapes)
    ):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    made = [TensorShape(shape) for shape in shapes]
    if not partial and any(not shape.is_fully_defined() for shape in made):
        raise ValueError(f"All shapes must be fully defined: {made}")
    if any(shape.ndims is None for shape in made):
        raise ValueError(f"All shapes must have a defined rank: {made}")
    return made


def _name_list(names: Any, dtypes: Sequence[Any]) -> list[str] | None:
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(dtypes):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return names


def _common_shape(first: TensorShape, second: TensorShape) -> TensorShape:
    """What two shapes have in common; other dimensions are unknown."""
    a, b = TensorShape(first), TensorShape(second)
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return TensorShape(None)
    return TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list(), strict=True)])


def scope_values(values: object) -> Any:
    if isinstance(values, (list, tuple)):
        return values
    return list(values.values()) if isinstance(values, dict) else [values]


class QueueBase:
    """What all queues offer: elements go in and come out, and whoever finds no room or no element waits.

    Args:
        dtypes: the types of an element's components.
        shapes: their shapes, or None.
        names: names for the components, or None; elements are dicts then.
        queue_ref: the tensor with the queue's handle.

    Raises:
        ValueError: if `shapes` or `names` are not as many as `dtypes`.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        self._dtypes = dtypes
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes")
        self._shapes = [TensorShape(shape) for shape in (shapes if shapes is not None else [None] * len(dtypes))]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("Queue names must have the same length as dtypes")
        self._names = names
        self._queue_ref = queue_ref
        # What eager tensors come from has no name.
        self._name = queue_ref._op._name.rpartition("/")[2] or "queue"

    @staticmethod
    def from_list(index: TensorLike, queues: list[QueueBase]) -> QueueBase:
        """The queue at `index` of a list.

        Args:
            index: an integer scalar tensor, which decides when a step runs.
            queues: queues of the same types and names.

        Raises:
            TypeError: if `queues` is not a list of queues that go together.
        """
        if not isinstance(queues, list) or not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        dtypes, names = queues[0].dtypes, queues[0].names
        if any(queue.dtypes != dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        columns = zip(*[queue.shapes for queue in queues], strict=True)
        shapes = [functools.reduce(_common_shape, column) for column in columns]
        refs = stack([queue.queue_ref for queue in queues])
        return QueueBase(dtypes=dtypes, shapes=shapes, names=names, queue_ref=gather(refs, index))

    @property
    def queue_ref(self) -> Tensor:
        """The tensor with the queue's handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the queue."""
        return self._queue_ref._op._name

    @property
    def dtypes(self) -> list[Any]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    def _op(self, op_type: str) -> OpDecl:
        """The form of the op that takes this queue's handle."""
        return getattr(raw, f"{op_type}V2" if self._queue_ref.dtype.name == "resource" else op_type)

    def _components(self, vals: object) -> list[Tensor]:
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals.keys(), key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"({sorted(vals.keys())}), Queue: ({sorted(self._names)})"
                )
            vals = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=False))
        ]

    def enqueue(self, vals: object, name: str | None = None) -> Operation:
        """Puts one element in, waiting for room.

        Args:
            vals: the components: a tensor, a list of them, or a dict where the queue has names.
            name: a name for the operation.

        Raises:
            tf.errors.CancelledError: when it runs, if the queue is closed, or closes before there is room.
        """
        with name_scope(name, f"{self._name}_enqueue", scope_values(vals)) as scope:
            values = self._components(vals)
            for value, shape in zip(values, self._shapes, strict=False):
                value.shape.assert_is_compatible_with(shape)
            return self._op("QueueEnqueue")(self._queue_ref, values, name=scope)

    def enqueue_many(
        self,
        vals: Tensor | Sequence[Tensor | Sequence[float | str]] | Mapping[str, Sequence[float]],
        name: str | None = None,
    ) -> Operation:
        """Puts the rows of batches in, one element each, waiting for room.

        Args:
            vals: as in `enqueue`, each with a first dimension more.
            name: a name for the operation.

        Raises:
            ValueError: if the batches are not of one size.
            tf.errors.CancelledError: when it runs, if the queue is closed, or closes before there is room.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", scope_values(vals)) as scope:
            values = self._components(vals)
            rows = values[0].shape.with_rank_at_least(1)[0]
            for value, shape in zip(values, self._shapes, strict=False):
                rows = rows.merge_with(value.shape.with_rank_at_least(1)[0])
                value.shape[1:].assert_is_compatible_with(shape)
            return self._op("QueueEnqueueMany")(self._queue_ref, values, name=scope)

    def _taken(
        self, tensors: list[Tensor], batch: Sequence[int | None] = ()
    ) -> Tensor | list[Tensor] | dict[str, Tensor]:
        for tensor, shape in zip(tensors, self._shapes, strict=True):
            tensor.set_shape(TensorShape(batch).concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element out, waiting for it.

        Args:
            name: a name for the operation.

        Returns:
            the components: a tensor, a list, or a dict where the queue has names.

        Raises:
            tf.errors.OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        name = f"{self._name}_Dequeue" if name is None else name
        return self._taken(_listed(self._op("QueueDequeue")(self._queue_ref, self._dtypes, name=name)))

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements out as batches, waiting for them.

        Args:
            n: an integer scalar tensor.
            name: a name for the operation.

        Returns:
            as `dequeue`, each component with a first dimension of `n`.

        Raises:
            tf.errors.OutOfRangeError: when it runs, if the queue is closed and has fewer.
        """
        name = f"{self._name}_DequeueMany" if name is None else name
        tensors = _listed(self._op("QueueDequeueMany")(self._queue_ref, n, self._dtypes, name=name))
        if executing_eagerly():
            return self._taken(tensors, [None])
        count = constant_value(tensors[0].op.inputs[1])
        return self._taken(tensors, [None if count is None else int(count)])

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements out as batches, or those that are left when the queue is closed.

        Args:
            n: an integer scalar tensor.
            name: a name for the operation.

        Returns:
            as `dequeue_many`, with an unknown first dimension.

        Raises:
            tf.errors.OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        name = f"{self._name}_DequeueUpTo" if name is None else name
        return self._taken(_listed(self._op("QueueDequeueUpTo")(self._queue_ref, n, self._dtypes, name=name)), [None])

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Closes the queue: nothing more goes in, and what is in it may still be taken out.

        Args:
            cancel_pending_enqueues: whether those that wait for room give up.
            name: a name for the operation.
        """
        name = f"{self._name}_Close" if name is None else name
        close = self._op("QueueClose")
        return close(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed: a bool scalar."""
        name = f"{self._name}_Is_Closed" if name is None else name
        return self._op("QueueIsClosed")(self._queue_ref, name=name)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in the queue: an int32 scalar."""
        name = f"{self._name}_Size" if name is None else name
        return self._op("QueueSize")(self._queue_ref, name=name)


def _listed(result: Any) -> list[Tensor]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _dims(shapes: list[TensorShape] | None) -> list[Any]:
    return [] if shapes is None else shapes


class FIFOQueue(QueueBase):
    """A queue whose elements leave it in the order they came.

    Args:
        capacity: how many elements it holds; negative for any number.
        dtypes: the types of an element's components.
        shapes: their fully known shapes; without them elements may differ, and only `dequeue` works.
        names: names for the components, or None.
        shared_name: queues of one shared name in a session are one.
        name: a name for the operation.

    Example:
        >>> queue = tf.FIFOQueue(10, tf.float32, shapes=[()])
        >>> put, take = queue.enqueue_many([[1.0, 2.0]]), queue.dequeue()
    """

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: str | Sequence[TensorShape | Sequence[int]] | None = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        dtypes = type_list(dtypes)
        shapes = shape_list(shapes)
        names = _name_list(names, dtypes)
        ref = raw.FIFOQueueV2(
            component_types=dtypes, shapes=_dims(shapes), capacity=capacity, shared_name=shared_name, name=name
        )
        super().__init__(dtypes, shapes, names, ref)


class RandomShuffleQueue(QueueBase):
    """A queue whose elements leave it in random order.

    Args:
        capacity: how many elements it holds.
        min_after_dequeue: how many must stay while it is open, to choose from.
        dtypes, shapes, names, shared_name, name: as for `FIFOQueue`.
        seed: the seed of the order.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        dtypes = type_list(dtypes)
        shapes = shape_list(shapes)
        names = _name_list(names, dtypes)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # The same in every process that shares the queue, whatever its graph.
            digest = hashlib.md5(f"{seed1}{shared_name}".encode()).hexdigest()
            seed2 = int(digest[:8], 16) & 0x7FFFFFFF
        ref = raw.RandomShuffleQueueV2(
            component_types=dtypes,
            shapes=_dims(shapes),
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, ref)


class PaddingFIFOQueue(QueueBase):
    """A `FIFOQueue` whose elements may differ in size: `dequeue_many` fills them up to the largest with zeros.

    Args:
        capacity: how many elements it holds.
        dtypes: the types of an element's components.
        shapes: their shapes; ranks must be known, and unknown dimensions vary.
        names, shared_name, name: as for `FIFOQueue`.

    Raises:
        ValueError: if there is not a shape for each component.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[TensorShape | Sequence[int | None]] | None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        dtypes = type_list(dtypes)
        made = shape_list(shapes, partial=True) or []
        names = _name_list(names, dtypes)
        if len(dtypes) != len(made):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(dtypes)} dtypes and {len(made)} shapes."
            )
        ref = raw.PaddingFIFOQueueV2(
            component_types=dtypes, shapes=made, capacity=capacity, shared_name=shared_name, name=name
        )
        super().__init__(dtypes, made, names, ref)


class PriorityQueue(QueueBase):
    """A queue whose elements leave it in the order of a priority, an int64 that goes before the components.

    Args:
        capacity: how many elements it holds.
        types: the types of the other components.
        shapes: their shapes.
        names, shared_name, name: as for `FIFOQueue`.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        types = type_list(types)
        if shapes is None:
            raise TypeError("Expected list for 'shapes' argument to 'priority_queue_v2' Op, not None.")
        shapes = shape_list(shapes)
        ref = raw.PriorityQueueV2(
            component_types=types, shapes=_dims(shapes), capacity=capacity, shared_name=shared_name, name=name
        )
        super().__init__([int64, *types], [TensorShape([]), *shapes] if shapes else shapes, names, ref)
