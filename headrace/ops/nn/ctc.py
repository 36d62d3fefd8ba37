"""Connectionist temporal classification: the loss (Graves, Fernández, Gomez and Schmidhuber, ICML 2006)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.dims import merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing, renamed_arguments
from headrace.kernels.array.arguments import invalid, rank_is
from headrace.kernels.nn.ctc_paths import losses

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_ONCE_ONLY = (
    "Currently there is no way to take the second  derivative of ctc_loss due to the fused implementation's interaction"
    "  with tf.gradients()"
)

ctc_loss_op = op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32, *, "
    "preprocess_collapse_repeated=False, ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, "
    "T: {float, double} = float -> loss: T, gradient: T",
).on_host("labels_indices", "labels_values", "sequence_length")


@ctc_loss_op.shape
def ctc_loss_shape(op):
    inputs = rank_is(op.inputs[0].dims, 3)
    indices, values = rank_is(op.inputs[1].dims, 2), rank_is(op.inputs[2].dims, 1)
    lengths = rank_is(op.inputs[3].dims, 1)
    if indices is not None and values is not None:
        merge_dim(indices[0], values[0])
    batch = merge_dim(inputs[1] if inputs else None, lengths[0] if lengths else None)
    return [(batch,), (inputs[0] if inputs else None, batch, inputs[2] if inputs else None)]


_labels = (np.array([[0, 0], [0, 1], [1, 0]], np.int64), np.array([0, 1, 1], np.int32))
ctc_loss_op.accepts([4, 2, 3], *_labels, np.array([4, 3], np.int32))
_repeated = (np.array([[0, 0], [0, 1]], np.int64), np.array([1, 1], np.int32), np.array([3], np.int32))
ctc_loss_op.accepts([3, 1, 3], *_repeated, preprocess_collapse_repeated=True, ctc_merge_repeated=False)
ctc_loss_op.rejects([4, 2, 3], *_labels, np.array([5, 3], np.int32), error=InvalidArgumentError)


def _sequences(indices: torch.Tensor, values: torch.Tensor, batch: int) -> list[list[int]]:
    """The labels of each sequence, in order."""
    if indices.dim() != 2 or values.dim() != 1 or indices.shape[0] != values.shape[0]:
        raise invalid("labels_indices and labels_values must contain the same number of rows")
    rows: list[list[int]] = [[] for _ in range(batch)]
    before = [-1, -1]
    for number, (place, label) in enumerate(zip(indices.tolist(), values.tolist(), strict=True)):
        if not 0 <= place[0] < batch:
            raise invalid(
                f"label SparseTensor is not valid: indices[{number}] = [{place[0]},{place[1]}] is out of bounds: need 0 "
                f"<= index < [{batch},...]"
            )
        if place <= before:
            raise invalid(
                f"label SparseTensor is not valid: indices[{number}] = [{place[0]},{place[1]}] is "
                f"{'repeated' if place == before else 'out of order'}. Many sparse ops require sorted indices.\n    Use "
                "`tf.sparse.reorder` to create a correctly ordered copy."
            )
        before = place
        rows[place[0]].append(label)
    return rows


def _listed(labels: Sequence[int]) -> str:
    return ",".join(map(str, labels))


def _checked(row: int, labels: list[int], classes: int) -> list[int]:
    """The labels up to the first that is no class; only such may follow."""
    known = list(itertools.takewhile(lambda label: label < classes - 1, labels))
    if any(label < 0 for label in labels):
        raise invalid(f"All labels must be nonnegative integers, batch: {row} labels: {_listed(labels)}")
    if any(label < classes - 1 for label in labels[len(known) :]):
        raise invalid(
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
            f"{row} num_classes: {classes} labels: {_listed(labels)} labels seen so far: {_listed(known)}"
        )
    return known


@ctc_loss_op.kernel
def ctc_loss_kernel(node):
    collapse = node.attrs["preprocess_collapse_repeated"]
    merge, ignore = node.attrs["ctc_merge_repeated"], node.attrs["ignore_longer_outputs_than_inputs"]

    def loss(inputs, indices, values, sequence_length):
        if inputs.dim() != 3:
            raise invalid("inputs is not a 3-Tensor")
        total, batch, classes = inputs.shape
        if sequence_length.dim() != 1:
            raise invalid("sequence_length is not a vector")
        times = sequence_length.tolist()
        if len(times) != batch:
            raise invalid(
                f"len(sequence_length) != batch_size.  len(sequence_length):  {len(times)} batch_size: {batch}"
            )
        if not batch:
            raise invalid("batch_size must not be 0")
        for row, time in enumerate(times):
            if not 0 <= time <= total:
                raise invalid(f"sequence_length({row}) <= {total}")
        sequences = _sequences(indices, values, batch)
        counted = []
        for row, labels in enumerate(sequences):
            if not labels:
                raise invalid(f"Labels length is zero in batch {row}")
            labels = _checked(row, labels, classes)
            if collapse:
                labels = [label for label, _ in itertools.groupby(labels)]
            sequences[row] = labels
            if len(labels) > times[row]:
                if not ignore:
                    raise invalid(
                        "Not enough time for target transition sequence (required: "
                        f"{len(labels)}, available: {times[row]}){row}You can turn this error into a warning by using "
                        "the flag ignore_longer_outputs_than_inputs"
                    )
            elif times[row]:
                counted.append(row)
        result, gradient = inputs.new_zeros(batch), torch.zeros_like(inputs)
        if counted:
            chosen = inputs if len(counted) == batch else inputs[:, counted]
            found, score_gradients = losses(
                torch.log_softmax(chosen, 2),
                [sequences[row] for row in counted],
                [times[row] for row in counted],
                merge,
            )
            if len(counted) == batch:
                return found, score_gradients
            result[counted] = found
            gradient[:, counted] = score_gradients
        return result, gradient

    return loss


@ctc_loss_op.native
def _ctc_loss_native(node):
    options = (
        (1, "preprocess_collapse_repeated"),
        (2, "ctc_merge_repeated"),
        (4, "ignore_longer_outputs_than_inputs"),
    )
    return applied("ctc_loss", [sum(number for number, name in options if node.attrs[name])])


@ctc_loss_op.gradient
def ctc_loss_gradient(op, grad_loss, _):
    score_gradients = raw.PreventGradient(op.outputs[1], message=_ONCE_ONLY)
    return [composing.expand_dims(grad_loss, -1) * score_gradients, None, None, None]


def ctc_loss(
    labels: SparseTensor | Sequence[Sequence[int]],
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The negative log likelihood of label sequences that are shorter than the times at which they were spoken.

    Args:
        labels: int32 SparseTensor of shape (batch, longest); labels are less than classes - 1, the blank.
        inputs: float logits of shape (time, batch, classes).
        sequence_length: int32 vector, how many times of each sequence count.
        preprocess_collapse_repeated: make one of equal labels that follow one another.
        ctc_merge_repeated: whether a label repeated in a path stands for one.
        ignore_longer_outputs_than_inputs: give 0 for sequences of more labels than times.
        time_major: false for `inputs` of shape (batch, time, classes).
        logits: another name of `inputs`.

    Returns:
        a vector of shape (batch,); infinite where there is no path.

    Raises:
        TypeError: if `labels` is no SparseTensor.
        InvalidArgumentError: when run, for labels or lengths that do not fit.

    Example:
        >>> labels = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
        >>> logits = tf.zeros([5, 1, 3])  # 35 of 3**5 paths give the labels
        >>> sess.run(tf.nn.ctc_loss(labels, logits, [5])).round(4)
        array([1.9377], dtype=float32)
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    inputs = renamed_arguments.first_given("logits", logits, "inputs", inputs)
    if not time_major:
        inputs = composing.transpose(inputs, [1, 0, 2])
    loss, _ = raw.CTCLoss(
        inputs,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return loss
