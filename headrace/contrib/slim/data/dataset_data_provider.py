"""The provider of a data set's examples, read by several readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.slim.data.data_provider import DataProvider
from headrace.contrib.slim.data.parallel_reader import parallel_read

if TYPE_CHECKING:
    from headrace.contrib.slim.data.dataset import Dataset


class DatasetDataProvider(DataProvider):
    """Reads the examples of a data set, and decodes them.

    Args:
        dataset: a `Dataset`.
        num_readers: the number of readers side by side.
        reader_kwargs: arguments of the readers.
        shuffle: whether to shuffle files and records.
        num_epochs: how often to read all; None for without end.
        common_queue_capacity, common_queue_min: the capacity of the queue of records, and how many it keeps to shuffle.
        record_key: the name of the item that is the record's key.
        seed: a seed of the shuffling.
        scope: a name scope.

    Raises:
        ValueError: if the data set has an item called `record_key`.

    Example:
        >>> decoder = slim.tfexample_decoder.TFExampleDecoder(
        ...     {"label": tf.FixedLenFeature([], tf.int64)}, {"label": slim.tfexample_decoder.Tensor("label")})
        >>> dataset = slim.dataset.Dataset("train-0", tf.TFRecordReader, decoder, 1, items_to_descriptions={})
        >>> label, = DatasetDataProvider(dataset, shuffle=False).get(["label"])
    """

    def __init__(
        self,
        dataset: Dataset,
        num_readers: int = 1,
        reader_kwargs: dict[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        found = dict(zip(items, dataset.decoder.decode(data, items)))
        if record_key in found:
            raise ValueError(
                "The item name used for `record_key` cannot also be used for a dataset item: %s", record_key
            )
        found[record_key] = key
        super().__init__(items_to_tensors=found, num_samples=dataset.num_samples)
