"""The best of several models that trade an objective against constraints.

Cotter, Jiang and Sridharan, "Two-player games for efficient non-convex constrained optimization", arXiv:1804.06500.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def find_best_candidate_distribution(
    objective_vector: TensorLike, constraints_matrix: TensorLike, epsilon: float = 0.0
) -> np.ndarray:
    """With which probabilities to choose among models, so that on average the constraints are kept.

    Among the distributions with the least violation possible, one of least objective. It has at most one more element
    that is not 0 than there are constraints.

    Args:
        objective_vector: an array [models] of the objectives.
        constraints_matrix: an array [constraints, models]; what is not positive is kept.
        epsilon: how exactly the least violation is found when not all constraints can be kept; 0 as exactly as floats go.

    Returns:
        an array [models].

    Raises:
        ValueError: if the shapes do not fit, or `epsilon` is negative.
        ImportError: without SciPy.

    Example:
        >>> tf.contrib.constrained_optimization.find_best_candidate_distribution([1.0, 2.0], [[1.0, -1.0]])  # [0.5, 0.5]
    """
    if epsilon < 0.0:
        raise ValueError(f"epsilon must be nonnegative, not {epsilon}")
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    kept = _best_distribution(objectives, constraints, 0.0)
    if kept is not None:
        return kept
    # A violation of `low` cannot be reached; one of `high` can, by the model whose worst constraint is the least.
    low, high = 0.0, float(np.min(np.max(constraints, axis=0)))
    best = _best_distribution(objectives, constraints, high)
    if best is None:
        raise ValueError(f"There is no distribution of least violation: the constraints are {constraints}")
    while True:
        middle = 0.5 * (low + high)
        if middle - low <= epsilon or high - middle <= epsilon:
            return best
        found = _best_distribution(objectives, constraints, middle)
        if found is None:
            low = middle
        else:
            best, high = found, middle


def find_best_candidate_index(
    objective_vector: TensorLike, constraints_matrix: TensorLike, rank_objectives: bool = False
) -> int:
    """Which model is the best: the one whose worst rank, over the violations of the constraints, is the least.

    Models that keep a constraint share the first rank in it. Among equals the smaller objective wins.

    Args:
        objective_vector: an array [models] of the objectives.
        constraints_matrix: an array [constraints, models]; what is not positive is kept.
        rank_objectives: whether the objective is ranked as the constraints are.

    Returns:
        the place of the model.

    Raises:
        ValueError: if the shapes do not fit.
        ImportError: without SciPy.

    Example:
        >>> tf.contrib.constrained_optimization.find_best_candidate_index([1.0, 2.0, 3.0], [[2.0, -1.0, 0.0]])  # 1
    """
    objectives, constraints = _checked(objective_vector, constraints_matrix)
    try:
        from scipy.stats import rankdata
    except ImportError as error:
        raise ImportError("find_best_candidate_index needs SciPy: pip install scipy") from error
    columns = [objectives] if rank_objectives else []
    columns += list(np.maximum(0.0, constraints))
    worst = np.max([rankdata(column, method="min") for column in columns], axis=0, initial=0)
    if not len(objectives):
        raise ValueError("objective_vector has no candidates")
    tied = np.flatnonzero(worst == worst.min())
    # The last of the best, as in 1.x.
    return int(tied[np.flatnonzero(objectives[tied] == objectives[tied].min())[-1]])


def _checked(objective_vector: TensorLike, constraints_matrix: TensorLike) -> tuple[Any, Any]:
    objectives, constraints = np.asarray(objective_vector), np.asarray(constraints_matrix)
    if constraints.ndim != 2 or objectives.shape != constraints.shape[1:]:
        raise ValueError(
            "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the number of candidates, "
            f"and m is the number of constraints, but they have {objectives.shape} and {constraints.shape}"
        )
    return objectives, constraints


def _best_distribution(objectives: np.ndarray, constraints: np.ndarray, violation: float) -> np.ndarray | None:
    """The distribution of least objective whose constraints are at most `violation`; None if there is none."""
    try:
        from scipy.optimize import linprog
    except ImportError as error:
        raise ImportError("find_best_candidate_distribution needs SciPy: pip install scipy") from error
    found = linprog(
        objectives,
        A_ub=constraints,
        b_ub=np.full(len(constraints), violation),
        A_eq=np.ones((1, len(objectives))),
        b_eq=np.ones(1),
        bounds=(0, None),
    )
    return found.x if found.success else None
