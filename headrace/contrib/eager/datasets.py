"""`tfe.Iterator`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.data.eager_iterator import EagerIterator

if TYPE_CHECKING:
    from headrace.data.dataset import Dataset


class Iterator(EagerIterator):
    """Goes through the elements of a dataset, in eager execution only.

    Args:
        dataset: a `tf.data.Dataset`.

    Raises:
        RuntimeError: while graphs are built.

    Example:
        >>> for x in tfe.Iterator(tf.data.Dataset.range(2)):
        ...     print(x.numpy())
        0
        1
    """

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
