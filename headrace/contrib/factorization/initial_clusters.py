"""How k-means chooses the centers it begins with.

Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007; Bachem, Lucic, Hassani and Krause,
"Approximate k-means++ in sublinear time", AAAI 2016.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal, assert_greater_equal, assert_positive
from headrace.functions.flow.cond import cond
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.nn.embedding import embedding_lookup
from headrace.functions.nn.moments import l2_normalize
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape, squeeze
from headrace.ops.array.shape import reshape
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less
from headrace.ops.random.uniform import random_uniform
from headrace.state.updates import assign

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"


class InitialClusters:
    """Adds centers to the variable that holds them until there are enough.

    Args:
        inputs: the points, a list of matrices.
        num_clusters: how many centers there shall be.
        initial_clusters: a method's name, the centers, or a function of (inputs, how many are wanted) to them.
        cosine: whether directions are clustered, so that centers have length 1.
        random_seed: the seed of the methods that draw.
        num_retries: how many points k-means++ draws more for each center.
        chain_length: how many points each center of k-MC2 is chosen from.
        centers, updated, initialized: the variables: centers, those being updated, and whether they are complete.
    """

    def __init__(
        self,
        inputs: list[Any],
        num_clusters: Tensor,
        initial_clusters: TensorLike | Callable[..., Any],
        cosine: bool,
        random_seed: int | None,
        num_retries: int,
        chain_length: int,
        centers: Variable,
        updated: Variable,
        initialized: Variable,
    ) -> None:
        self._inputs = inputs
        self._num_clusters = num_clusters
        self._method = initial_clusters
        self._cosine = cosine
        self._seed = random_seed
        self._num_retries = num_retries
        self._chain_length = chain_length
        self._centers, self._updated, self._initialized = centers, updated, initialized
        self._num_selected = shape(centers)[0]
        self._num_remaining = num_clusters - self._num_selected
        self._num_data = add_n([shape(part)[0] for part in inputs])

    def op(self) -> Any:
        """The op that adds centers, if any are missing."""
        return cond(
            equal(self._num_remaining, 0), lambda: assert_equal(self._initialized, True), self._add_and_tell_if_complete
        )

    def _add_and_tell_if_complete(self) -> Tensor:
        with control_dependencies([assert_positive(self._num_remaining)]):
            missing = self._add_by_chains() if self._is_method(KMC2_INIT) else self._add()
            return cond(equal(missing, 0), lambda: assign(self._initialized, True), no_op)

    def _is_method(self, method: str) -> bool:
        return isinstance(self._method, str) and self._method == method

    def _normalized(self, points: Tensor) -> Tensor:
        return l2_normalize(points, dim=1) if self._cosine else points

    def _assign(self, centers: Tensor) -> Tensor:
        assigned = assign(self._centers, centers, validate_shape=False)
        if self._updated is not self._centers:
            assigned = assign(self._updated, assigned, validate_shape=False)
        return assigned

    def _add(self) -> Tensor:
        new = self._normalized(self._chosen())
        every = cond(equal(self._num_selected, 0), lambda: new, lambda: concat([self._centers, new], 0))
        return self._num_clusters - shape(self._assign(every))[0]

    def _chosen(self) -> Any:
        if self._is_method(RANDOM_INIT):
            return cond(self._num_data <= self._num_remaining, lambda: concat(self._inputs, 0), self._random)
        if isinstance(self._method, str):
            with control_dependencies([assert_greater_equal(self._num_data, self._num_remaining)]):
                return self._kmeans_plus_plus()
        if callable(self._method):
            return self._method(self._inputs, self._num_remaining)
        with control_dependencies([assert_equal(self._num_remaining, shape(self._method)[0])]):
            return self._method

    def _random(self) -> Tensor:
        indices = random_uniform(
            reshape(self._num_remaining, [-1]),
            minval=0,
            maxval=cast(self._num_data, "int64"),
            seed=self._seed,
            dtype="int64",
        )
        return embedding_lookup(self._inputs, indices, partition_strategy="div")

    def _kmeans_plus_plus(self) -> Tensor:
        points = self._normalized(self._inputs[0])
        sampled: Tensor = raw.KmeansPlusPlusInitialization(
            points, cast(self._num_remaining, "int64"), self._seed or 0, self._num_retries
        )
        return sampled

    def _add_by_chains(self) -> Tensor:
        """Each center by a chain over points that were not looked at before: Bachem et al., AAAI 2016."""
        points = self._inputs[0]
        chains = cast(shape(points)[0] / self._chain_length, dtype="int32")
        samples = maximum(minimum(self._num_remaining, chains), 1)

        def first() -> Tensor:
            return self._normalized(reshape(points[0], [1, -1]))

        def following(i: Tensor) -> Callable[[], Any]:
            def choose() -> Tensor:
                start = i * self._chain_length
                end = start + self._chain_length
                candidates = points[start:end]
                _, distances = raw.NearestNeighbors(candidates, self._centers, 1)
                index = raw.KMC2ChainInitialization(squeeze(distances), self._seed or 0)
                return concat([self._centers, self._normalized(reshape(candidates[index], [1, -1]))], 0)

            return choose

        def add(i: Tensor, _: Tensor) -> Any:
            centers = cond(equal(self._num_selected, 0), first, following(i))
            return i + 1, self._num_clusters - shape(self._assign(centers))[0]

        _, missing = while_loop(lambda i, _: less(i, samples), add, [0, 0])
        return missing
