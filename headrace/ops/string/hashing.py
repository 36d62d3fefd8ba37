"""Strings to bucket numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.string.hash_buckets import FAST, OLD, TextHash, bucket_count, buckets_by, keyed

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import NodeView, TensorLike


def _declare(op_type: str, signature: str, hash_of: Callable[[NodeView], TextHash]) -> OpDecl:
    """An op that gives each string the remainder of its hash; `hash_of` gives that of a node."""
    decl = op(op_type, signature).on_host(outputs=True).not_differentiable().counts_by_shapes()

    @decl.shape
    def hash_bucket_shape(op):
        return [op.inputs[0].dims]

    @decl.kernel
    def hash_bucket_kernel(node):
        return buckets_by(hash_of(node), bucket_count(node))

    return decl


_TEXTS = np.array([b"a", b""], object)
_declare(
    "StringToHashBucket", "string_tensor: string, *, num_buckets: int >= 1 -> output: int64", lambda node: OLD
).accepts(_TEXTS, num_buckets=10)
_declare(
    "StringToHashBucketFast", "input: string, *, num_buckets: int >= 1 -> output: int64", lambda node: FAST
).accepts(_TEXTS, num_buckets=10)
_declare(
    "StringToHashBucketStrong", "input: string, *, num_buckets: int >= 1, key: list(int) -> output: int64", keyed
).accepts(_TEXTS, num_buckets=10, key=[1, 2])


def string_to_hash_bucket_fast(
    input: TensorLike | CompositeTensor, num_buckets: int, name: str | None = None
) -> Tensor:
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


def string_to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The bucket of each string by SipHash under a key, without which nobody can make strings that collide.

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
    string_tensor: TensorLike | None = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
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
