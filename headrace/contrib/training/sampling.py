"""Batches whose examples are drawn from others by chance: rejected, or so that classes have the shares asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int64
from headrace.core.framework_ops import convert_n_to_tensor_or_composite
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import (
    assert_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all, reduce_max, reduce_sum
from headrace.input_queues.batching import batch, maybe_batch
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.gather import gather
from headrace.ops.array.where import one_hot, where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.flow.printing import Print
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less, not_equal
from headrace.ops.math.division import truediv
from headrace.ops.math.logical import logical_or
from headrace.ops.math.unary import is_nan
from headrace.ops.random.uniform import random_uniform
from headrace.state.variable_scope import variable_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_SMOOTHING = 10
_TOLERANCE = 1e-6


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[list[Any]], Any],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Batches of the examples that chance accepts.

    Args:
        tensors: the components of an example, or of a batch with `enqueue_many`.
        accept_prob_fn: takes the list of an example's components and returns the probability with which it is kept, a
            scalar tensor.
        batch_size: how many examples make a batch.
        queue_threads: how many threads fill the queue of batches.
        enqueue_many: whether `tensors` are batches.
        prebatch_capacity, prebatch_threads: the size and threads of the queue that takes batches apart.
        runtime_checks: whether to check that probabilities are between 0 and 1.
        name: a prefix for the operations.

    Returns:
        a list of tensors like `tensors`, with a first dimension of `batch_size`.

    Raises:
        ValueError: if the first dimensions of batches differ.

    Example:
        >>> data, label = tf.contrib.training.rejection_sample(
        ...     [image, labels[0]], lambda tensors: tf.reduce_mean(tensors[0]), batch_size=16)
    """
    with variable_scope(name, "rejection_sample", tensors):
        examples = convert_n_to_tensor_or_composite(tensors)
        if enqueue_many:
            _check_batches(examples, examples[0].shape[:1])
            examples = _examples(examples, prebatch_threads, prebatch_capacity)
        probability = accept_prob_fn(examples)
        if runtime_checks:
            checks = [assert_less_equal(0.0, probability), assert_less_equal(probability, 1.0)]
            probability = identity(with_dependencies(checks, probability), name="prob_with_checks")
        accepted = random_uniform([]) < probability
        kept = maybe_batch(examples, keep_input=accepted, batch_size=batch_size, num_threads=queue_threads)
        return [kept] if isinstance(kept, Tensor) else kept


def _examples(batches: list[Any], threads: int, capacity: int) -> list[Tensor]:
    """The examples of batches one by one, through a queue."""
    single = batch(batches, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [squeeze(tensor, [0]) for tensor in (single if isinstance(single, (list, tuple)) else [single])]


def _check_batches(tensors: Sequence[Any], count: TensorShape) -> None:
    """Refuses tensors without a first dimension, or with one that cannot be `count`."""
    for tensor in tensors:
        tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(count)


def stratified_sample(
    tensors: Sequence[Any],
    labels: TensorLike,
    target_probs: TensorLike,
    batch_size: int,
    init_probs: TensorLike | None = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """Batches in which each class has, on average, the share asked for; others of its examples are dropped.

    Args:
        tensors: the components of an example, or of a batch with `enqueue_many`.
        labels: its class, an integer scalar, or a vector for a batch.
        target_probs: float tensor with each class's share of the batches.
        batch_size: how many examples make a batch.
        init_probs: each class's share of the data; by default it is estimated as data comes.
        enqueue_many: whether `tensors` and `labels` are batches.
        queue_capacity: the size of the queue that takes batches apart.
        threads_per_queue: how many threads fill each queue.
        name: a prefix for the operations.

    Returns:
        the list of batches of `tensors`, and the batch of `labels`.

    Raises:
        ValueError: if shapes do not fit or are not known.
        InvalidArgumentError: at run time, for shares that are not probabilities, labels that are no classes, and classes
            that batches are to have and the data has not.

    Example:
        >>> (images,), labels = tf.contrib.training.stratified_sample([image], labels[0], [0.5, 0.5], batch_size=32)
    """
    with name_scope(name, "stratified_sample", [*tensors, labels]):
        parts = convert_n_to_tensor_or_composite(tensors)
        labels = convert_to_tensor(labels)
        target = convert_to_tensor(target_probs, dtype=float32)
        if not enqueue_many:
            parts = [expand_dims(part, 0) for part in parts]
            labels = expand_dims(labels, 0)
        if init_probs is None:
            target.shape.assert_is_fully_defined()
            initial = _estimated_shares(labels, target.shape.num_elements() or 0)
        else:
            initial = convert_to_tensor(init_probs, dtype=float32)
        parts, labels, (initial, target) = checked_input(parts, labels, [initial, target])
        possible = Assert(
            reduce_all(logical_or(not_equal(initial, 0), equal(target, 0))),
            [
                "All classes with zero initial probability must also have zero target probability: ",
                initial,
                target,
            ],
        )
        initial = with_dependencies([possible], initial)
        accepted = _acceptance(initial, target)
        rejected = reduce_sum((1 - accepted) * initial)
        accepted = cond(
            less(rejected, 0.5),
            lambda: accepted,
            lambda: Print(
                accepted, [accepted], message="Proportion of examples rejected by sampler is high.", first_n=10
            ),
        )
        *examples, label = _examples([*parts, labels], threads_per_queue, queue_capacity)
        probability = gather(accepted, label)
        kept = maybe_batch(
            [*examples, label],
            keep_input=random_uniform([]) < probability,
            batch_size=batch_size,
            num_threads=threads_per_queue,
        )
        return kept[:-1], kept[-1]


def _estimated_shares(labels: Tensor, classes: int) -> Tensor:
    """Each class's share of the labels so far, as if some had been seen of each before."""
    count: Any = Variable(initial_value=[_SMOOTHING] * classes, trainable=False, name="class_count", dtype=int64)
    count = count.assign_add(reduce_sum(one_hot(labels, classes, dtype=int64), 0))
    # A copy: other threads count on while this step divides.
    count = count + 0
    return cast(truediv(count, reduce_sum(count)), float32)


def checked_input(
    tensor_list: list[Any], labels: Tensor, probs_list: Sequence[Tensor]
) -> tuple[list[Tensor], Tensor, list[Tensor]]:
    """The inputs of `stratified_sample` with checks of their shapes and values.

    Args:
        tensor_list: batches of the components of examples.
        labels: the classes of the examples.
        probs_list: vectors with a share of each class.

    Raises:
        ValueError: if shapes do not fit or are not known.
    """
    checked = []
    for shares in probs_list:
        shares.shape.assert_is_fully_defined()
        shares.shape.assert_has_rank(1)
        total = reduce_sum(shares)
        checks = [
            assert_non_negative(shares),
            assert_less(total, 1.0 + _TOLERANCE),
            assert_less(1.0 - _TOLERANCE, total),
        ]
        checked.append(with_dependencies(checks, shares))
    classes = checked[0].shape.num_elements()
    if any(shares.shape.num_elements() != classes for shares in checked):
        raise ValueError("Probability parameters must have the same length.")
    labels.shape.assert_has_rank(1)
    _check_batches(tensor_list, labels.shape)
    count = shape(labels)[0]
    some = assert_positive(count)
    labels = with_dependencies([some], labels)
    parts = [with_dependencies([some, assert_equal(shape(part)[0], count)], part) for part in tensor_list]
    bounds = [assert_integer(labels), assert_non_negative(labels), assert_less(labels, cast(classes, labels.dtype))]
    return parts, with_dependencies(bounds, labels), checked


def _acceptance(initial: Tensor, target: Tensor) -> Tensor:
    """The probability with which an example of each class is kept.

    What is kept of a class is its share of the data times this probability. Those products must be proportional to the
    target, and the most wanted class need never be dropped.
    """
    ratio = target / initial
    ratio = where_v2(is_nan(ratio), zeros_like(ratio), ratio)
    return ratio / reduce_max(ratio)
