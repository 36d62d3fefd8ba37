"""Datasets that `tf.data.experimental` makes of numbers and databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.type_specs import TensorSpec
from headrace.data import nest, structure
from headrace.data.dataset import Dataset
from headrace.data.scanning import scan
from headrace.data.seeds import get_seed

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class RandomDataset(Dataset):
    """Random integers of 32 bits, without end.

    Args:
        seed: an integer.
    """

    def __init__(self, seed: int | None = None) -> None:
        spec = TensorSpec([], "int64")
        first, second = get_seed(seed)
        super().__init__(raw.RandomDataset(first, second, **structure.described(spec)), spec)


def Counter(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = "int64") -> Dataset:
    """The numbers from `start` on, `step` apart, without end."""
    first = convert_to_tensor(start, dtype=dtype, name="start")
    width = convert_to_tensor(step, dtype=dtype, name="step")
    return Dataset.from_tensors(0).repeat(None).apply(scan(first, lambda state, _: (state + width, state)))


class SqlDataset(Dataset):
    """The rows that a database answers a query with.

    Args:
        driver_name: "sqlite".
        data_source_name: the file.
        query: the query.
        output_types: a tuple with the type of each column.
    """

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Sequence[DTypeLike],
    ) -> None:
        spec = nest.map_structure(lambda dtype: TensorSpec([], dtype), output_types)
        variant = raw.SqlDataset(
            convert_to_tensor(driver_name, dtype="string", name="driver_name"),
            convert_to_tensor(data_source_name, dtype="string", name="data_source_name"),
            convert_to_tensor(query, dtype="string", name="query"),
            **structure.described(spec),
        )
        super().__init__(variant, spec)


class LMDBDataset(Dataset):
    """The pairs of key and value of LMDB databases, in the order of their keys.

    Args:
        filenames: the database, or several.
    """

    def __init__(self, filenames: TensorLike) -> None:
        spec = (TensorSpec([], "string"), TensorSpec([], "string"))
        names = convert_to_tensor(filenames, dtype="string", name="filenames")
        super().__init__(raw.LMDBDataset(names, **structure.described(spec)), spec)
