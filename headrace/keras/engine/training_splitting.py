"""Samples kept for validation, and what may not be given beside batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.engine.training_input_checks import has_symbolic_tensors
from headrace.keras.utils.data_utils import is_generator_or_sequence

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike


def check_no_targets(y: Any = None, sample_weight: Any = None, validation_split: float | None = None) -> None:
    """Checks that what generators give themselves is not given beside them.

    Raises:
        ValueError: if it is.
    """
    if y is not None:
        raise ValueError(
            "`y` argument is not supported when data is a generator or Sequence instance. Instead pass targets as the "
            "second element of the generator."
        )
    if sample_weight is not None:
        raise ValueError(
            "`sample_weight` argument is not supported when data is a generator or Sequence instance. Instead pass sample "
            "weights as the third element of the generator."
        )
    if validation_split:
        raise ValueError("If your data is in the form of a Python generator, you cannot use `validation_split`.")


def check_validation_steps(x: Any, steps: int | None, validation_data: Any, validation_split: float | None) -> None:
    """Checks that steps of a validation are not given where there is none; with generators they mean nothing then.

    Raises:
        ValueError: if they are.
    """
    if steps and validation_data is None and not validation_split and not is_generator_or_sequence(x):
        raise ValueError("`validation_steps` should not be specified if `validation_data` is None.")


def split_training_and_validation_data(
    x: Sequence[ArrayLike],
    y: Sequence[Any],
    sample_weights: Sequence[Any],
    validation_split: float,
    may_be_empty: bool = False,
) -> tuple[list[Any], list[Any], list[Any], list[Any], list[Any], list[Any]]:
    """The samples to train on, and the last ones, to validate with.

    Args:
        x, y, sample_weights: lists of arrays.
        validation_split: the share of the last ones.
        may_be_empty: whether none may be left to train on.

    Returns:
        (inputs, targets, weights) twice.

    Raises:
        ValueError: if the data are tensors of a graph, or one part would be empty.
    """
    if has_symbolic_tensors(list(x)):
        raise ValueError("If your data is in the form of symbolic tensors, you cannot use `validation_split`.")
    # The size of a tensor is a `Dimension` in 1.x, of which there is no share.
    count = x[0].shape[0]  # type: ignore[union-attr]  # they have been standardized
    at = int(count * (1.0 - validation_split))
    if not 0 < at < count and not may_be_empty:
        raise ValueError(
            f"Training data contains {count} samples, which is not sufficient to split it into a validation and training "
            f"set as specified by `validation_split={validation_split}`. Either provide more data, or a different value "
            "for the `validation_split` argument."
        )

    def part(arrays: Sequence[Any], where: slice) -> list[Any]:
        return [None if array is None else array[where] for array in arrays]

    first, last = slice(0, at), slice(at, None)
    return (
        part(x, first), part(y, first), part(sample_weights, first),
        part(x, last), part(y, last), part(sample_weights, last),
    )  # fmt: skip
