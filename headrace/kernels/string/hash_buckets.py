"""What ops that sort texts into buckets by their hashes share, fused ones among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.host_values import boxed, to_tensor
from headrace.kernels.string.batched_hashes import fingerprints, keyed_hashes, old_hashes
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class TextHash(NamedTuple):
    """A hash of texts.

    Attributes:
        hashes: those of many texts.
        call: the runner's function that gives texts their buckets.
        settings: what it takes besides the texts and the number of buckets.
    """

    hashes: Callable[[Sequence[bytes]], np.ndarray]
    call: str
    settings: tuple[int, ...] = ()


FAST = TextHash(fingerprints, "fingerprint_buckets")
OLD = TextHash(old_hashes, "murmur_buckets")


def bucket_count(node: NodeView) -> np.uint64:
    """The number of buckets of a planned node.

    Raises:
        InvalidArgumentError: if there are none.
    """
    count = node.attrs["num_buckets"]
    if count < 1:
        raise InvalidArgumentError(None, None, f"num_buckets must be at least 1, got {count}")
    return np.uint64(count)


def keyed(node: NodeView) -> TextHash:
    """The hash with the key of a planned node.

    Raises:
        InvalidArgumentError: if the key has not two elements.
    """
    key = node.attrs["key"]
    if len(key) != 2:
        raise InvalidArgumentError(None, None, "Key must have 2 elements")
    return TextHash(lambda texts: keyed_hashes(texts, (key[0], key[1])), "sip_buckets", tuple(key))


def buckets_by(text_hash: TextHash, count: np.uint64) -> Callable[[Any], Any]:
    """The function that gives the texts of a tensor their buckets, int64."""

    def plain(text: Any) -> Any:
        array = boxed(text)
        found = text_hash.hashes(array.reshape(-1).tolist()) % count
        return to_tensor(found.astype(np.int64).reshape(array.shape))

    return directly(text_hash.call, plain, int(count), *text_hash.settings)
