"""Vocabularies with buckets: only words that the table does not have are hashed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.registry import KernelRule, op
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.string.hash_buckets import FAST, OLD, TextHash, bucket_count, buckets_by, keyed
from headrace.plan.fusion import API, CPU, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, consumers_of, new_node

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

_TYPES = "T: type -> output: int64"
of_missing = op(
    "_StringToHashBucketOfMissing", f"string_tensor: string, found: T, missing: T, *, num_buckets: int >= 1, {_TYPES}"
)
fast_of_missing = op(
    "_StringToHashBucketFastOfMissing", f"input: string, found: T, missing: T, *, num_buckets: int >= 1, {_TYPES}"
)
strong_of_missing = op(
    "_StringToHashBucketStrongOfMissing",
    f"input: string, found: T, missing: T, *, num_buckets: int >= 1, key: list(int), {_TYPES}",
)


def _kernel(hash_of: Callable[[NodeView], TextHash]) -> KernelRule:
    """The kernel rule of a hash of words that a table may have: the others have any bucket."""

    def rule(node: NodeView) -> Kernel:
        buckets_of = buckets_by(hash_of(node), bucket_count(node))

        def buckets(text: np.ndarray, found: torch.Tensor, missing: torch.Tensor) -> torch.Tensor:
            array, unknown = boxed(text), to_array(found) == to_array(missing)
            made = np.zeros(array.shape, np.int64)
            if unknown.shape != array.shape:
                unknown = np.ones(array.shape, bool)
            places = np.flatnonzero(unknown)
            if len(places):
                made.reshape(-1)[places] = to_array(buckets_of(array.reshape(-1).take(places)))
            return to_tensor(made)

        return buckets

    return rule


of_missing.kernel(_kernel(lambda node: OLD))
fast_of_missing.kernel(_kernel(lambda node: FAST))
strong_of_missing.kernel(_kernel(keyed))
for _decl in (of_missing, fast_of_missing, strong_of_missing):
    _decl.on_host("found", "missing", outputs=True).not_differentiable()
_OF_MISSING = {
    "StringToHashBucket": of_missing,
    "StringToHashBucketFast": fast_of_missing,
    "StringToHashBucketStrong": strong_of_missing,
}


_FINDS = frozenset({"LookupTableFind", "LookupTableFindV2"})


def fuse_vocabulary_buckets(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """The hash in SelectV2(NotEqual(found, missing), found, hash + size) is asked for where `found` is `missing`.

    What asks for the others comes right before the sum.
    """
    consumers = consumers_of(nodes)
    # Nodes that others wait for must stay who they are.
    fixed = keep.union(*(node.control for node in nodes))
    wanted = set(fetched)
    made: dict[Node, Node] = {}
    dropped: set[Node] = set()
    for node in nodes:
        parts = _parts(node)
        if parts is None:
            continue
        hashed, total, found, missing = parts
        alone = consumers[hashed.outputs[0]] == [total] and consumers[total.outputs[0]] == [node]
        if not alone or hashed in fixed or hashed.control or not wanted.isdisjoint((*hashed.outputs, *total.outputs)):
            continue
        output = hashed.outputs[0]
        new = new_node(
            _OF_MISSING[hashed.type].type,
            hashed,
            [hashed.inputs[0], found, missing],
            [(output.dtype, output.dims)],
            hashed.attrs,
        )
        total.inputs = [new.outputs[0] if value is output else value for value in total.inputs]
        made[total] = new
        dropped.add(hashed)
    if not made:
        return nodes, {}
    result: list[Node] = []
    for node in nodes:
        if node in made:
            result.append(made[node])
        if node not in dropped:
            result.append(node)
    return result, {}


def _parts(node: Node) -> tuple[Node, Node, Value, Value] | None:
    """The hash, the sum, the ids that were found and the one that means none, if `node` chooses among them."""
    if node.type != "SelectV2":
        return None
    chooses, found, otherwise = node.inputs
    compared, total = chooses.node, otherwise.node
    if compared.type != "NotEqual" or found.node.type not in _FINDS or total.type not in ADDITIONS:
        return None
    if compared.inputs[0] is not found or compared.inputs[1].dims != ():
        return None
    hashed = next((value.node for value in total.inputs if value.node.type in _OF_MISSING), None)
    if hashed is None or len({one.guard for one in (node, compared, found.node, total, hashed)}) != 1:
        return None
    return hashed, total, found, compared.inputs[1]


fusion = Fusion(
    "hash only the words that a vocabulary does not have",
    fuse_vocabulary_buckets,
    [_OF_MISSING.keys(), {"SelectV2"}, {"NotEqual"}],
    makes=[of_missing, fast_of_missing, strong_of_missing],
    devices={CPU},
)


_WORDS = tensor("words", dtype="string", low=0, high=5)


def _ids(tf: API, words: Tensor, hashed: Tensor) -> Fetches:
    """The ids of words in a vocabulary, and beyond it those of their buckets."""
    entries = tf.lookup.KeyValueTensorInitializer(["w0", "w1", "w2"], [0, 1, 2], tf.string, tf.int64)
    found = tf.lookup.StaticHashTable(entries, -1).lookup(words)
    return tf.raw_ops.SelectV2(condition=tf.not_equal(found, tf.constant(-1, tf.int64)), t=found, e=hashed + 3)


@fusion.example(_WORDS, makes=["_StringToHashBucketOfMissing"])
def old_hashes_of_words(tf: API, words: Tensor) -> Fetches:
    return _ids(tf, words, tf.string_to_hash_bucket(words, 5))


@fusion.example(_WORDS, makes=["_StringToHashBucketFastOfMissing"])
def fast_hashes_of_words(tf: API, words: Tensor) -> Fetches:
    return _ids(tf, words, tf.string_to_hash_bucket_fast(words, 5))


@fusion.example(_WORDS, makes=["_StringToHashBucketStrongOfMissing"])
def strong_hashes_of_words(tf: API, words: Tensor) -> Fetches:
    return _ids(tf, words, tf.string_to_hash_bucket_strong(words, 5, [1, 2]))
