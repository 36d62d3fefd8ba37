"""The description of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.contrib.slim.data.tfexample_decoder import TFExampleDecoder


class Dataset:
    """Where a data set is and how it is read; all arguments become attributes.

    Args:
        data_sources: files, or patterns of their names.
        reader: the class of reader, such as `tf.TFRecordReader`.
        decoder: a `DataDecoder`.
        num_samples: the number of examples.
        items_to_descriptions: what the items are, in words.
        **kwargs: anything else.
    """

    def __init__(
        self,
        data_sources: Sequence[str],
        reader: type,
        decoder: TFExampleDecoder,
        num_samples: int | None,
        items_to_descriptions: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        self.__dict__.update(kwargs)
