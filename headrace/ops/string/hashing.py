"""Strings to bucket numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import OpDecl, op, raw
from headrace.ops.composing import first_given
from headrace.ops.host_values import boxed, to_array, to_tensor
from headrace.ops.string.many_hashes import fingerprints, keyed_hashes, old_hashes

Hashes = Callable[[Sequence[bytes]], np.ndarray]


def _declare(op_type: str, signature: str, hashes_of: Callable[[Any], Hashes]) -> OpDecl:
    decl = op(op_type, signature).on_host(outputs=True)

    @decl.shape
    def hash_bucket_shape(op):
        return [op.inputs[0].dims]

    @decl.kernel
    def hash_bucket_kernel(node):
        hashes, count = hashes_of(node), _bucket_count(node)

        def buckets(text):
            array = boxed(text)
            found = hashes(array.reshape(-1).tolist()) % count
            return to_tensor(found.astype(np.int64).reshape(array.shape))

        return buckets

    # What the planner makes of the hash of words that a table may have: the others have any bucket.
    inputs, rest = signature.split(", *")
    of_missing = op(f"_{op_type}OfMissing", f"{inputs}, found: T, missing: T, *{rest.replace(' ->', ', T: type ->')}")

    @of_missing.kernel
    def hash_bucket_of_missing_kernel(node):
        hashes, count = hashes_of(node), _bucket_count(node)

        def buckets(text, found, missing):
            array, unknown = boxed(text), to_array(found) == to_array(missing)
            made = np.zeros(array.shape, np.int64)
            if unknown.shape != array.shape:
                unknown = np.ones(array.shape, bool)
            places = np.flatnonzero(unknown)
            if len(places):
                made.reshape(-1)[places] = hashes(array.reshape(-1).take(places).tolist()) % count
            return to_tensor(made)

        return buckets

    of_missing.on_host("found", "missing", outputs=True).not_differentiable()
    return decl.not_differentiable().accepts(np.array([b"a", b""], object), num_buckets=10, **_EXTRA.get(op_type, {}))


def _bucket_count(node: Any) -> np.uint64:
    count = node.attrs["num_buckets"]
    if count < 1:
        raise InvalidArgumentError(None, None, f"num_buckets must be at least 1, got {count}")
    return np.uint64(count)


def _keyed(node: Any) -> Hashes:
    key = node.attrs["key"]
    if len(key) != 2:
        raise InvalidArgumentError(None, None, "Key must have 2 elements")
    return lambda texts: keyed_hashes(texts, (key[0], key[1]))


_EXTRA: dict[str, dict[str, Any]] = {"StringToHashBucketStrong": {"key": [1, 2]}}
_declare(
    "StringToHashBucket", "string_tensor: string, *, num_buckets: int >= 1 -> output: int64", lambda node: old_hashes
)
_declare(
    "StringToHashBucketFast", "input: string, *, num_buckets: int >= 1 -> output: int64", lambda node: fingerprints
)
_declare(
    "StringToHashBucketStrong",
    "input: string, *, num_buckets: int >= 1, key: list(int) -> output: int64",
    _keyed,
)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string: its FarmHash fingerprint modulo `num_buckets`.

    Args:
        input: string tensor.
        num_buckets: how many buckets there are.
        name: a name for the operation.

    Returns:
        int64 tensor of the same shape.

    Example:
        >>> tf.Session().run(tf.string_to_hash_bucket_fast(["a", "b"], 10)).shape
        (2,)
    """
    return raw.StringToHashBucketFast(input, num_buckets=num_buckets, name=name)


def string_to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """The bucket of each string by SipHash under a key, for which collisions cannot be planned.

    Args:
        input: string tensor.
        num_buckets: how many buckets there are.
        key: two integers.
        name: a name for the operation.

    Returns:
        int64 tensor of the same shape.
    """
    return raw.StringToHashBucketStrong(input, num_buckets=num_buckets, key=key, name=name)


def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: int | None = None, name: str | None = None, input: Any = None
) -> Tensor:
    """The bucket of each string by TensorFlow's older hash.

    Args:
        string_tensor: string tensor.
        num_buckets: how many buckets there are.
        name: a name for the operation.
        input: the later name of `string_tensor`.

    Returns:
        int64 tensor of the same shape.

    Raises:
        ValueError: if the tensor is given under both names.
    """
    text = first_given("input", input, "string_tensor", string_tensor)
    return raw.StringToHashBucket(text, num_buckets=num_buckets, name=name)
