"""What ops that sort texts into buckets by their hashes share, fused ones among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.string.batched_hashes import keyed_hashes

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


Hashes = Callable[[Sequence[bytes]], np.ndarray]


def bucket_count(node: NodeView) -> np.uint64:
    """The number of buckets of a planned node.

    Raises:
        InvalidArgumentError: if there are none.
    """
    count = node.attrs["num_buckets"]
    if count < 1:
        raise InvalidArgumentError(None, None, f"num_buckets must be at least 1, got {count}")
    return np.uint64(count)


def keyed(node: NodeView) -> Hashes:
    """The hashes with the key of a planned node.

    Raises:
        InvalidArgumentError: if the key has not two elements.
    """
    key = node.attrs["key"]
    if len(key) != 2:
        raise InvalidArgumentError(None, None, "Key must have 2 elements")
    return lambda texts: keyed_hashes(texts, (key[0], key[1]))
