"""Points of two dimensions in classes that no line separates: circles and spirals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.datasets.csv_tables import Dataset

Points = tuple[np.ndarray, np.ndarray]


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on circles within each other, a class each, in random order.

    Args:
        n_samples: how many points.
        noise: the standard deviation of what is added to them.
        seed: of NumPy's generator.
        factor: how much smaller each circle is than the one around it.
        n_classes: how many circles.

    Returns:
        `Dataset(data, target)`, arrays [points, 2] and [points].
    """
    del args, kwargs
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * np.pi, n_samples // n_classes)
    x, y = np.cos(angles), np.sin(angles)
    parts = []
    for _ in range(n_classes):
        parts.append((x, y))
        x, y = x * factor, y * factor
    # What is left over when the classes do not divide the points is of the first circle, each at an angle of its own.
    rest = n_samples % n_classes
    parts.append((np.cos(np.random.rand(rest) * 2 * np.pi), np.sin(np.random.rand(rest) * 2 * np.pi)))
    return _mixed(parts, n_samples, n_classes, noise)


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on two spirals that wind into each other, a class each, in random order.

    Args:
        n_samples: how many points.
        noise: the standard deviation of what is added to them.
        seed: of NumPy's generator.
        mode: "archimedes" for turns equally far apart, "bernoulli" for ever farther ones (`exp_scale` says how much),
            "fermat" for ever closer ones.
        n_loops: how many turns.

    Returns:
        `Dataset(data, target)`, arrays [points, 2] and [points].

    Raises:
        ValueError: for another mode.
    """
    if mode not in _RADII:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    del args
    if seed is not None:
        np.random.seed(seed)
    radius = _RADII[mode](**kwargs)
    angles = np.linspace(0, 2 * n_loops * np.pi, n_samples // 2)
    parts = [_wound(angles, offset * np.pi, radius) for offset in range(2)]
    rest = n_samples % 2
    if rest:
        parts.append(_wound(np.random.rand(rest) * 2 * np.pi, 0.0, radius))
    return _mixed(parts, n_samples, 2, noise)


def _wound(angles: np.ndarray, offset: float, radius: Callable[[np.ndarray], np.ndarray]) -> Points:
    x, y = radius(angles) * np.cos(angles + offset), radius(angles) * np.sin(angles + offset)
    return x / np.max(np.abs(x)), y / np.max(np.abs(y))


def _archimedes(**unused: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda angles: angles


def _bernoulli(exp_scale: float = 0.1, **unused: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda angles: np.exp(exp_scale * angles)


def _fermat(**unused: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda angles: np.sqrt(angles)


_RADII: dict[str, Any] = {"archimedes": _archimedes, "bernoulli": _bernoulli, "fermat": _fermat}


def _mixed(parts: list[Points], n_samples: int, n_classes: int, noise: float | None) -> Dataset:
    """The points of classes in random order; those of a part beyond the classes are of the first."""
    data = np.vstack([np.concatenate([part[i] for part in parts]) for i in range(2)]).T
    classes = [label if label < n_classes else 0 for label in range(len(parts))]
    counts = [len(part[0]) for part in parts]
    target = np.repeat(np.array(classes, np.int32), counts)
    order = np.random.permutation(range(n_samples))
    if noise is not None:
        data += np.random.normal(scale=noise, size=data.shape)
    return Dataset(data[order], target[order])
