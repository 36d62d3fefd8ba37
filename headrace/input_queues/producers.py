"""Queues that hand out a program's inputs: files' names, numbers, rows of tensors, epoch by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.collections import GraphKeys
from headrace.core.composite import convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int64, string
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.queues.queues import FIFOQueue, QueueBase
from headrace.kernels.composing.arithmetic import range as range_tensor
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape, size
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import greater
from headrace.ops.random.shuffle import random_shuffle
from headrace.ops.readers.files import matching_files
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.state.updates import count_up_to
from headrace.state.variables import Variable
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """The names of the files that match a pattern, looked up once.

    Args:
        pattern: a pattern or a list of them; see `matching_files`.
        name: a name for the variable.

    Returns:
        a local variable, which `tf.local_variables_initializer` fills.

    Example:
        >>> names = tf.train.match_filenames_once("data/*.tfrecords")
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """`tensor`, which can be computed `num_epochs` times.

    Args:
        tensor: any tensor.
        num_epochs: how often; without end by default. It is counted in a local variable.
        name: a name for the operations.

    Raises:
        ValueError: if `num_epochs` is not positive.
        tf.errors.OutOfRangeError: when it runs, after the last time.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            constant(0, dtype=int64), name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        with control_dependencies([count_up_to(epochs, num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: TensorLike,
    element_shape: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """A queue filled with the rows of a tensor, again and again.

    Args:
        input_tensor: tensor of rank 1 or more.
        element_shape: a row's shape, where it is not known.
        num_epochs: how often each row comes; needs `tf.local_variables_initializer`.
        shuffle: whether each epoch has an order of its own.
        seed: the seed of that order.
        capacity: the queue's capacity.
        shared_name: the queue's shared name.
        summary_name: the name of a summary of how full the queue is.
        name: a name for the queue.
        cancel_op: an operation that cancels the filling.

    Returns:
        the queue; `start_queue_runners` starts its filling.

    Raises:
        ValueError: if a row's shape is not known.
        RuntimeError: while executing eagerly.
    """
    if executing_eagerly():
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to ingest "
            "data into your model instead."
        )
    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = tensor.shape[1:].merge_with(element_shape)
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype],
            shapes=[row_shape],
            shared_name=shared_name,
            name=name,  # type: ignore[arg-type]  # None for the default
        )
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Tensor | Sequence[str],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """A queue of strings, such as files' names.

    Args:
        string_tensor: a string vector, not empty.
        num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: as for `input_producer`.

    Raises:
        ValueError: if `string_tensor` is an empty list.
        tf.errors.InvalidArgumentError: when it runs, if it is an empty tensor.

    Example:
        >>> queue = tf.train.string_input_producer(["a.csv", "b.csv"], num_epochs=2)
        >>> key, line = tf.TextLineReader().read(queue)
    """
    empty = "string_input_producer requires a non-null input tensor"
    # A variable is no sequence to ask for its length.
    if not isinstance(string_tensor, (Tensor, Variable)) and not (
        len(string_tensor) if isinstance(string_tensor, np.ndarray) else string_tensor
    ):
        raise ValueError(empty)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        names = convert_to_tensor(string_tensor, dtype=string)
        with control_dependencies([Assert(greater(size(names), 0), [empty])]):
            names = identity(names)
        return input_producer(
            input_tensor=names,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue of the numbers from 0 to below `limit`.

    Args:
        limit: an int32 scalar tensor.
        num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range_tensor(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: Sequence[TensorLike],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """One row of each tensor, all of the same number, another one in each step.

    Args:
        tensor_list: tensors of one first dimension.
        num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.

    Returns:
        a tensor for each, without the first dimension.

    Raises:
        ValueError: if the list is empty.

    Example:
        >>> image, label = tf.train.slice_input_producer([images, labels], num_epochs=1)
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor_or_indexed_slices(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(
            shape(tensors[0])[0],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]
