"""What datasets were made by: whether their elements are batches, or come in an order of their own.

1.15 publishes none of these names; programs reach them by `tensorflow.python.keras.engine.training_utils`.
"""

from __future__ import annotations

from headrace.core.eager import EagerTensor
from headrace.data.dataset_base import DatasetBase
from headrace.util import tf_logging

# What keeps elements as they are and in their order, or makes them of tensors: op types without "Dataset" and versions,
# and classes of datasets that run eagerly, whose tensors know of no op.
_PLAIN = frozenset(
    {
        "CachedInMemory", "Concatenated", "Mapped", "ParallelMapped", "Prefetched", "Repeated", "Sharded", "Skipped",
        "Slices", "Taken", "Tensors", "Zipped",
        "Cache", "Concatenate", "FixedLengthRecord", "Map", "Model", "Optimize", "Options", "ParallelMap", "Prefetch",
        "Range", "Repeat", "Shard", "Skip", "SparseTensorSlice", "Take", "Tensor", "TensorSlice", "TextLine", "TFRecord",
        "Zip",
    }
)  # fmt: skip
_BATCHING = frozenset({"Batch", "Batched", "PaddedBatch", "PaddedBatches"})
_SHUFFLING = frozenset({"Shuffle", "Shuffled"})


def assert_not_batched(dataset: object) -> None:
    """Checks that the elements of a dataset are no batches.

    Raises:
        ValueError: if they are, or if what made the dataset does not tell.
    """
    if not _made_by(dataset, _PLAIN | _SHUFFLING):
        raise ValueError("Could not assert that dataset is not batched.")


def assert_not_shuffled(dataset: object) -> None:
    """Checks that the elements of a dataset come in the order of its sources.

    Raises:
        ValueError: if they do not, or if what made the dataset does not tell.
    """
    if not _made_by(dataset, _PLAIN | _BATCHING):
        raise ValueError("Could not assert that dataset is not shuffled.")


def verify_dataset_shuffled(x: DatasetBase) -> None:
    """Warns where a dataset is surely not shuffled."""
    assert isinstance(x, DatasetBase)
    if _made_by(x, _PLAIN | _BATCHING):
        tf_logging.warning(
            "Expected a shuffled dataset but input dataset `x` is not shuffled. Please invoke `shuffle()` on input dataset."
        )


def _made_by(dataset: object, kinds: frozenset[str]) -> bool:
    """Whether only ops of some kinds made a dataset."""
    if not isinstance(dataset, DatasetBase):
        return False
    variant = dataset._variant_tensor
    if isinstance(variant, EagerTensor):
        kind = type(variant._value).__name__
    else:
        kind = variant.op.type.replace("Experimental", "").partition("Dataset")[0]
    return kind in kinds and all(_made_by(source, kinds) for source in dataset._inputs())
