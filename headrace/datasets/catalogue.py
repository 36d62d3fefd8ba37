"""The data sets by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.datasets.csv_tables import load_boston, load_iris
from headrace.datasets.mnist import load_mnist
from headrace.datasets.synthetic import circles, spirals
from headrace.datasets.text import load_dbpedia

if TYPE_CHECKING:
    from headrace.datasets.csv_tables import Dataset


DATASETS: dict[str, Any] = {"iris": load_iris, "boston": load_boston, "mnist": load_mnist, "dbpedia": load_dbpedia}
SYNTHETIC: dict[str, Any] = {"circles": circles, "spirals": spirals}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """A data set.

    Args:
        name: "iris", "boston", "mnist" or "dbpedia".
        size, test_with_fake_data: as for `load_dbpedia`.

    Raises:
        ValueError: for another name.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    if name == "dbpedia":
        return load_dbpedia(size, test_with_fake_data)
    return DATASETS[name]()


def make_dataset(
    name: str, n_samples: int = 100, noise: float | None = None, seed: int | None = 42, *args: Any, **kwargs: Any
) -> Dataset:
    """Made-up points in two classes.

    Args:
        name: "circles" or "spirals".
        n_samples: how many.
        noise: the standard deviation of what is added to them.
        seed: of NumPy's generator.

    Raises:
        ValueError: for another name.
    """
    if name not in SYNTHETIC:
        raise ValueError(f"Synthetic dataset not found or not implemeted: {name}")
    return SYNTHETIC[name](*args, n_samples=n_samples, noise=noise, seed=seed, **kwargs)
