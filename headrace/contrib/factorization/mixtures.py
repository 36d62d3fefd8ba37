"""Mixtures of Gaussians, fitted by expectation and maximization.

Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import colocate_with, control_dependencies
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_less_equal
from headrace.functions.flow.cond import cond
from headrace.functions.math.linalg_functions import cholesky, matrix_triangular_solve
from headrace.functions.math.matrices import diag, diag_part, matrix_diag_part
from headrace.functions.math.reduction import reduce_logsumexp, reduce_mean, reduce_sum
from headrace.functions.nn.embedding import embedding_lookup
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, identity, stack, transpose
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.flow.grouping import group, no_op, with_dependencies
from headrace.ops.math.add_n import add_n
from headrace.ops.math.argmax import argmax
from headrace.ops.math.binary import squared_difference
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.math.unary import exp, log, square
from headrace.ops.random.uniform import random_uniform
from headrace.state.updates import assign
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


FULL_COVARIANCE = "full"
DIAG_COVARIANCE = "diag"

# Keeps sums that are divided by from being 0.
_EPSILON = np.finfo(float).eps
# Added to all variances, so that a Gaussian of one point has a density. It is 1.15's value.
_MIN_VARIANCE = 1e-3


def _covariance(points: Tensor, only_diagonal: bool) -> Tensor:
    """The covariance of points, [dims, dims], or [1, dims] of its diagonal."""
    count = cast(shape(points)[0], "float32")
    points -= reduce_mean(points, 0, keepdims=True)
    if only_diagonal:
        return reduce_sum(square(points), 0, keepdims=True) / (count - 1)
    return matmul(points, points, transpose_a=True) / (count - 1)


def _random_means(data: list[Tensor], count: int, seed: int) -> Tensor:
    """`count` points drawn from all parts of the data, with repetition."""
    num_data = add_n([shape(part)[0] for part in data])
    with control_dependencies([assert_less_equal(count, num_data)]):
        indices: Tensor = random_uniform([count], minval=0, maxval=cast(num_data, "int64"), seed=seed, dtype="int64")
    indices %= cast(num_data, "int64")
    return embedding_lookup(data, indices, partition_strategy="div")


class GmmAlgorithm:
    """Builds the graph that fits a mixture of Gaussians.

    Args:
        data: list of float32 matrices [points, dims].
        num_classes: the number of Gaussians.
        initial_means: tensor [num_classes, dims]; points drawn at random by default.
        params: which parameters are fitted, of "w" (weights), "m" (means), "c" (covariances).
        covariance_type: "full" or "diag".
        random_seed: the seed of the random means.

    Raises:
        Exception: for another covariance type.
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self,
        data: list[Tensor],
        num_classes: int,
        initial_means: TensorLike | None = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        if covariance_type not in (DIAG_COVARIANCE, FULL_COVARIANCE):
            raise Exception(f"programmer error: Invalid covariance type: {covariance_type}")  # TensorFlow's class
        self._params, self._seed, self._full = params, random_seed, covariance_type == FULL_COVARIANCE
        self._num_classes = num_classes
        self._dimensions = shape(data[0])[1]
        self._least = diag(ones(stack([self._dimensions]))) * _MIN_VARIANCE

        empty = constant([], dtype="float32")
        self._means: Variable = VariableV1(empty, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covs: Variable = VariableV1(empty, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False)
        weights = tile([1.0 / num_classes], [num_classes])
        self._alpha: Variable = VariableV1(weights, name=self.CLUSTERS_WEIGHT, validate_shape=False)
        self._initialized: Any = VariableV1(False, dtype="bool", name="initialized")
        self._init_ops = self._initializing(data, initial_means)

        shards = [self._expectation(part) for part in data]
        self._priors = [prior for prior, _, _, _, _ in shards]
        self._memberships = [members for _, members, _, _, _ in shards]
        self._train_ops = self._maximization(
            [found for _, _, found, _, _ in shards],
            [sums for _, _, _, sums, _ in shards],
            [squares for _, _, _, _, squares in shards],
        )
        self._log_likelihood = reduce_logsumexp([reduce_logsumexp(prior) for prior in self._priors])
        each = [prior + log(members) for prior, members in zip(self._priors, self._memberships, strict=True)]
        self._scores = squeeze(reduce_logsumexp(each, axis=2, keepdims=True), axis=0)

    def _initializing(self, data: list[Tensor], initial_means: TensorLike | None) -> list[Operation]:
        if initial_means is None:
            initial_means = _random_means(data, self._num_classes, self._seed)
        means = expand_dims(initial_means, 1)
        covariance = _covariance(data[0], not self._full) + self._least
        if self._full:
            covs = tile(expand_dims(covariance, 0), [self._num_classes, 1, 1])
        else:
            covs = tile(expand_dims(diag_part(covariance), 0), [self._num_classes, 1])
        with colocate_with(self._initialized):
            initialized = with_dependencies([means, covs], identity(self._initialized))

        def unless_done(variable: Variable, value: Tensor) -> Operation:
            with colocate_with(variable):
                assigned = assign(variable, value, validate_shape=False)
                assigned = with_dependencies([assigned], assign(self._initialized, True))
                return cond(initialized, no_op, lambda: assigned).op

        return [unless_done(self._means, means), unless_done(self._covs, covs)]

    def init_ops(self) -> Operation:
        """The op that sets means and covariances, once."""
        return group(*self._init_ops)

    def training_ops(self) -> Operation:
        """The op that makes a step: expectation and maximization."""
        return group(*self._train_ops)

    def is_initialized(self) -> Variable:
        """The bool variable that tells whether `init_ops` has run."""
        return self._initialized

    def alphas(self) -> Variable:
        """The weights of the Gaussians, a variable [num_classes]."""
        return self._alpha

    def clusters(self) -> Variable:
        """The means, a variable [num_classes, 1, dims]."""
        return self._means

    def covariances(self) -> Variable:
        """The covariances, a variable [num_classes, dims, dims], or [num_classes, dims] of diagonals."""
        return self._covs

    def assignments(self) -> list[Tensor]:
        """The likeliest Gaussian of each point, a tensor for each part of the data."""
        return [argmax(members, 1) for members in self._memberships]

    def scores(self) -> Tensor:
        """The log-likelihood of each point, [points, 1]; one tensor for all parts."""
        return self._scores

    def log_likelihood_op(self) -> Tensor:
        """The log-likelihood of all points."""
        return self._log_likelihood

    def _expectation(self, part: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The expectation step for a part of the data.

        Returns:
            the log-likelihood of each point [points, 1], the probability of each Gaussian for it [points, num_classes],
            and of each Gaussian the sums, weighted by these, of 1 [1, num_classes], of the points
            [num_classes, 1, dims] and of their outer products [num_classes, dims, dims].
        """
        count = shape(part)[0]
        points = expand_dims(part, 0)
        by_class = self._full_log_probs(points) if self._full else self._diagonal_log_probs(points)
        by_class += log(self._alpha)
        prior = reduce_logsumexp(by_class, axis=1, keepdims=True)
        shifted = expand_dims(by_class, 0)
        members = reshape(exp(shifted - prior), stack([count, self._num_classes]))
        found = reduce_sum(members, 0, keepdims=True)
        sums = expand_dims(matmul(members, squeeze(points, [0]), transpose_a=True), 1)
        copies = concat([points for _ in range(self._num_classes)], 0)
        columns = transpose(copies, perm=[0, 2, 1])
        weighted = concat([expand_dims(columns[k, :, :] * members[:, k], 0) for k in range(self._num_classes)], 0)
        return prior, members, found, sums, matmul(weighted, copies)

    def _full_log_probs(self, points: Tensor) -> Tensor:
        """The log-density [points, num_classes] of each Gaussian at points [1, points, dims]."""
        difference = points - self._means
        root = cholesky(self._covs + self._least)
        log_det = 2.0 * reduce_sum(log(matrix_diag_part(root)), 1)
        distances = square(matrix_triangular_solve(root, transpose(difference, perm=[0, 2, 1]), lower=True))
        squared = transpose(reduce_sum(distances, 1))
        return -0.5 * (squared + cast(self._dimensions, "float32") * log(2 * math.pi) + log_det)

    def _diagonal_log_probs(self, points: Tensor) -> Tensor:
        """The same for Gaussians whose dimensions are independent."""
        log_det = reduce_sum(log(self._covs + _MIN_VARIANCE), 1, keepdims=True)
        squared = squared_difference(points, self._means)
        precision = expand_dims(1.0 / (self._covs + _MIN_VARIANCE), 2)
        distances = transpose(squeeze(matmul(squared, precision), [2]))
        return -0.5 * (cast(self._dimensions, "float32") * log(2.0 * math.pi) + transpose(log_det) + distances)

    def _maximization(
        self, found: list[Tensor], sums: list[Tensor], squares: list[Tensor]
    ) -> list[Operation | Tensor | Variable]:
        """The maximization step: what sets the parameters, from the three sums of each part."""
        with control_dependencies(self._memberships):
            in_class = squeeze(add_n(found), axis=[0])
            weights_op: Operation | Tensor = no_op()
            if "w" in self._params:
                share = in_class / len(found)
                total = cast(reduce_sum(share), "float32")
                weights_op = self._alpha.assign(share / (total + _EPSILON))
            train_ops: list[Operation | Tensor | Variable] = [weights_op]
            divisor = reshape(in_class, [self._num_classes, 1, 1])
            means_op: Operation | Tensor = no_op()
            if "m" in self._params:
                means_op = self._means.assign(div(add_n(sums), divisor + _EPSILON))
            with control_dependencies([means_op]):
                moments = add_n(squares) / (divisor + _EPSILON)
                covs = concat([self._new_covariance(moments, k) for k in range(self._num_classes)], 0)
                if "c" in self._params:
                    with control_dependencies([means_op, covs]):
                        train_ops.append(assign(self._covs, covs, validate_shape=False))
        return train_ops

    def _new_covariance(self, moments: Tensor, k: int) -> Tensor:
        """The covariance of Gaussian `k` from its mean and all second moments [num_classes, dims, dims]."""
        mean = self._means.value()[k, :, :]
        covariance = moments[k, :, :] - matmul(mean, mean, transpose_a=True) + self._least
        return expand_dims(covariance if self._full else diag_part(covariance), 0)


def gmm(
    inp: Tensor | list[Tensor],
    initial_clusters: str | TensorLike,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> tuple[Tensor, Tensor, list[list[Tensor]], Operation, Operation, Variable]:
    """The graph that fits a mixture of Gaussians.

    Args:
        inp: float32 points [count, dims], or a list of such.
        initial_clusters: the means to begin with [num_clusters, dims], or "random".
        num_clusters: the number of Gaussians.
        random_seed: the seed of random means.
        covariance_type: "full" or "diag".
        params: which parameters are fitted, of "w" (weights), "m" (means), "c" (covariances).

    Returns:
        (log-likelihood of all points, log-likelihoods of each, list with the list of assignments, training op,
        initializing op, bool variable that tells whether it has run).
    """
    means = None
    # As in 1.15, a tensor is no start: the means are then drawn.
    if not isinstance(initial_clusters, Tensor) and not (
        isinstance(initial_clusters, str) and initial_clusters == "random"
    ):
        means = constant(initial_clusters, dtype="float32")
    parts = inp if isinstance(inp, list) else [inp]
    tool = GmmAlgorithm(parts, num_clusters, means, params, covariance_type, random_seed)
    assignments, scores, loss = tool.assignments(), tool.scores(), tool.log_likelihood_op()
    return loss, scores, [assignments], tool.training_ops(), tool.init_ops(), tool.is_initialized()
