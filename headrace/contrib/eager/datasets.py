"""`tfe.Iterator`."""

from __future__ import annotations

from typing import Any

from headrace.data.eager_iterator import EagerIterator


class Iterator(EagerIterator):
    """Goes through the elements of a dataset, in eager execution only.

    Args:
        dataset: a `tf.data.Dataset`.

    Raises:
        RuntimeError: while graphs are built.

    Example:
        >>> for x in tfe.Iterator(tf.data.Dataset.range(2)):
        ...     print(x)
    """

    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset)
