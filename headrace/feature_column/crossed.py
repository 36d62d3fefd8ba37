"""Columns of combinations of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import string
from headrace.feature_column.base import CategoricalColumn, Read, StateManager
from headrace.feature_column.categorical import HashedCategoricalColumn
from headrace.feature_column.legacy import LegacyCategoricalColumn
from headrace.functions.parsing.features import VarLenFeature
from headrace.ops.sparse.cross import sparse_cross_hashed


class _CrossedFields(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(CategoricalColumn, _CrossedFields):
    """Combinations of classes by their hash; made by `crossed_column`."""

    @property
    def name(self) -> str:
        """The names of what is combined."""
        found = [key if isinstance(key, str) else key.name for key in self.leaves()]
        return "_X_".join(sorted(found))

    def leaves(self) -> list[Any]:
        """What is combined: keys and columns, those of crossed columns among them."""
        found: list[Any] = []
        for key in self.keys:
            found.extend(key.leaves() if isinstance(key, CrossedColumn) else [key])
        return found

    @property
    def parents(self) -> list[Any]:
        """What is combined."""
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Those of the columns, and strings for keys."""
        spec: dict[str, Any] = {}
        for key in self.keys:
            spec.update({key: VarLenFeature(string)} if isinstance(key, str) else key.parse_example_spec)
        return spec

    def _transformed(self, read: Read, state_manager: StateManager | None) -> SparseTensor:
        inputs = []
        for key in self.leaves():
            if isinstance(key, str):
                inputs.append(read(key))
                continue
            ids, weights = key._pair(read)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates weight_tensor. Given "
                    f"column: {key.name}"
                )
            inputs.append(ids)
        return sparse_cross_hashed(inputs=inputs, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return self._asdict()


def crossed_column(keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """A column of the combinations of classes, by their hash.

    Args:
        keys: two or more of: keys of string features, columns of classes. Of hashed columns give the key instead: their
            buckets would be hashed again.
        hash_bucket_size: how many buckets there are.
        hash_key: the seed of the hash.

    Raises:
        ValueError: for fewer than two, other columns, or no buckets.

    Example:
        >>> color_and_size = tf.feature_column.crossed_column(["color", "size"], hash_bucket_size=1000)
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, LegacyCategoricalColumn)):
            raise ValueError(
                f"Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase "
                f"probability of collision. Instead, use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
