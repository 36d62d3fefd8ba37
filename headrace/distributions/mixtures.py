"""Mixtures of distributions of different kinds, and distributions that take conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.discrete import Categorical
from headrace.distributions.parameters import gen_new_seed
from headrace.distributions.transformed import TransformedDistribution
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.dynamic import dynamic_partition, dynamic_stitch
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.softmax import log_softmax, softmax

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Mixture(Distribution):
    """A mixture of distributions.

    Args:
        cat: a Categorical, the weights.
        components: a Distribution for each class, all of the batch shape of `cat`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
        use_static_graph: whether to draw from every component each time, so that all shapes are known.

    Raises:
        TypeError: for arguments of other types, or components whose types differ.
        ValueError: if there are no components, or another number than classes.

    Example:
        >>> ds = tf.contrib.distributions
        >>> ds.Mixture(ds.Categorical(probs=[0.3, 0.7]), [ds.Normal(-1.0, 0.1), ds.Normal(1.0, 0.5)]).mean()
    """

    def __init__(
        self,
        cat: Categorical,
        components: Sequence[Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        arguments = dict(locals())
        if not isinstance(cat, Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        if not isinstance(components, (list, tuple)):
            raise TypeError(f"components must be a list or tuple, but saw: {components}")
        if not all(isinstance(component, Distribution) for component in components):
            raise TypeError(f"all entries in components must be Distribution instances but saw: {components}")
        if any(component.dtype != components[0].dtype for component in components):
            found = [(component.name, component.dtype) for component in components]
            raise TypeError(f"All components must have the same dtype, but saw dtypes: {found}")
        event, batch = components[0].event_shape, cat.batch_shape
        for component in components:
            event, batch = event.merge_with(component.event_shape), batch.merge_with(component.batch_shape)
        if event.ndims is None:
            raise ValueError(
                "Expected to know rank(event_shape) from components, but none of the components provide a static number "
                "of ndims"
            )
        with name_scope(name, values=[cat.logits]) as scope:
            count = constant_value(cat.event_size)
            if count is None:
                raise ValueError(
                    "Could not infer number of classes from cat and unable to compare this value to the number of "
                    "components passed in."
                )
            if int(count) != len(components):
                raise ValueError(f"cat.num_classes != len(components): {int(count)} vs. {len(components)}")
            self._checks = []
            own = cat.batch_shape_tensor()
            # Its rank, which is an op of the graph whether it is needed or not.
            own_rank = composing.size(own)
            if validate_args:
                shapes = [component.batch_shape_tensor() for component in components]
                ranks = [composing.size(shape) for shape in shapes]
                message = "components[{}] batch shape must match cat batch shape"
                for expected, values in ((own_rank, ranks), (own, shapes)):
                    for number, value in enumerate(values):
                        self._checks.append(assert_equal(expected, value, message=message.format(number)))
        self._cat, self._components = cat, list(components)
        self._event, self._batch = event, batch
        self._use_static_graph = use_static_graph
        parents = [parent for each in (cat, *components) for parent in each._graph_parents]
        dtype = components[0].dtype
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    @property
    def cat(self) -> Categorical:
        """The weights."""
        return self._cat

    @property
    def components(self) -> list[Distribution]:
        """The components."""
        return self._components

    @property
    def num_components(self) -> int:
        """How many there are."""
        return len(self._components)

    def _batch_shape_tensor(self) -> Tensor:
        return self._cat.batch_shape_tensor()

    def _batch_shape(self) -> TensorShape:
        return self._batch

    def _event_shape_tensor(self) -> Tensor:
        return self._components[0].event_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self._event

    def _weights(self, logs: bool = False) -> list[Tensor]:
        whole = (log_softmax if logs else softmax)(self._cat.logits)
        return unstack(whole, num=self.num_components, axis=-1)

    def _broadcast_weights(self, weights: list[Tensor]) -> list[Tensor]:
        """Weights with the dimensions of a value."""
        for _ in range(self._event.ndims or 0):
            weights = [weight[..., None] for weight in weights]
        return weights

    def _mean(self) -> Tensor:
        with control_dependencies(self._checks):
            means = [component.mean() for component in self._components]
            return add_n(
                [weight * mean for weight, mean in zip(self._broadcast_weights(self._weights()), means, strict=True)]
            )

    def _stddev(self) -> Tensor:
        with control_dependencies(self._checks):
            weights = composing.stack(self._broadcast_weights(self._weights()), axis=-1)
            means = composing.stack([component.mean() for component in self._components], axis=-1)
            deviations = composing.stack([component.stddev() for component in self._components], axis=-1)
            mean = reduce_sum(weights * means, axis=-1)
            # What the components vary by themselves, and how far apart they lie.
            within = reduce_sum(weights * raw.Square(deviations), axis=-1)
            apart = reduce_sum(weights * raw.Square(means - mean[..., None]), axis=-1)
            return raw.Sqrt(within + apart)

    def _mixed(self, logs: list[Tensor]) -> Tensor:
        weighted = [weight + log for weight, log in zip(self._weights(logs=True), logs, strict=True)]
        return reduce_logsumexp(composing.stack(weighted, 0), axis=[0])

    def _log_prob(self, x: Tensor) -> Tensor:
        with control_dependencies(self._checks):
            x = convert_to_tensor(x, name="x")
            return self._mixed([component.log_prob(x) for component in self._components])

    def _log_cdf(self, x: Tensor) -> Tensor:
        with control_dependencies(self._checks):
            x = convert_to_tensor(x, name="x")
            return self._mixed([component.log_cdf(x) for component in self._components])

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        with control_dependencies(self._checks):
            n = convert_to_tensor(n, name="n")
            known = constant_value(n)
            n = n if known is None else int(known)
            chosen = self._cat.sample(n, seed=seed)
            draw = self._from_all if self._use_static_graph else self._from_chosen
            return draw(n, chosen, seed)

    def _from_all(self, n: int, chosen: Tensor, seed: int | None) -> Tensor:
        """Draws from every component, and lets the chosen one through."""
        drawn = []
        for component in self._components:
            seed = gen_new_seed(seed, "mixture")
            drawn.append(component.sample(n, seed=seed))
        rank = self._event.ndims or 0
        mask = one_hot(chosen, depth=self.num_components, dtype=self.dtype)
        for _ in range(rank):
            mask = mask[..., None]
        return reduce_sum(composing.stack(drawn, -rank - 1) * mask, axis=-1 - rank)

    def _from_chosen(self, n: int, chosen: Tensor, seed: int | None) -> Tensor:
        """Draws from each component as many as chose it, and puts them together."""
        static = chosen.get_shape()
        shape: Any = static.as_list() if static.is_fully_defined() else shape_internal(chosen)
        batch: Any = self._batch.num_elements() if self._batch.is_fully_defined() else None
        if batch is None:
            batch = reduce_prod(self.batch_shape_tensor())
        total = composing.cast(reduce_prod(shape_internal(chosen)), "int32")
        places = dynamic_partition(reshape(composing.range_(0, total), shape), chosen, self.num_components)
        everyone = reshape(raw.Tile(composing.range_(0, batch), [n]), shape)
        members = dynamic_partition(everyone, chosen, self.num_components)
        parts = []
        for number, component in enumerate(self._components):
            count = composing.size(places[number])
            seed = gen_new_seed(seed, "mixture")
            drawn = component.sample(count, seed=seed)
            flat = composing.concat([composing.stack([count * batch]), self.event_shape_tensor()], 0)
            # Of each drawing for the whole batch the member that chose this component.
            indices = batch * composing.range_(0, count) + members[number]
            parts.append(composing.gather(reshape(drawn, flat), indices))
        result = dynamic_stitch(places, parts)
        result = reshape(result, composing.concat([shape_internal(chosen), self.event_shape_tensor()], 0))
        result.set_shape(static.concatenate(self._event))
        return result

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Tensor:
        """The weighted mean of the components' entropies, which the mixture's is not below, entropy being concave."""
        with self._name_scope(name, values=[self._cat.logits]), control_dependencies(self._checks):
            entropies = [component.entropy() for component in self._components]
            return add_n([weight * entropy for weight, entropy in zip(self._weights(), entropies, strict=True)])


class ConditionalDistribution(Distribution):
    """The base of distributions whose methods take more arguments by name and pass them on."""

    def sample(
        self, sample_shape: TensorLike = (), seed: int | None = None, name: str = "sample", **condition_kwargs: Any
    ) -> Tensor:
        """Samples of shape [*sample_shape, *batch_shape, *event_shape]."""
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(self, value: TensorLike, name: str = "log_prob", **condition_kwargs: Any) -> Tensor:
        """The logarithm of the probability (density) of `value`."""
        return self._call_log_prob(value, name, **condition_kwargs)

    def prob(self, value: TensorLike, name: str = "prob", **condition_kwargs: Any) -> Tensor:
        """The probability (density) of `value`."""
        return self._call_prob(value, name, **condition_kwargs)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf", **condition_kwargs: Any) -> Tensor:
        """The logarithm of the probability of at most `value`."""
        return self._call_log_cdf(value, name, **condition_kwargs)

    def cdf(self, value: TensorLike, name: str = "cdf", **condition_kwargs: Any) -> Tensor:
        """The probability of at most `value`."""
        return self._call_cdf(value, name, **condition_kwargs)

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function", **condition_kwargs: Any
    ) -> Tensor:
        """The logarithm of the probability of more than `value`."""
        return self._call_log_survival_function(value, name, **condition_kwargs)

    def survival_function(self, value: TensorLike, name: str = "survival_function", **condition_kwargs: Any) -> Tensor:
        """The probability of more than `value`."""
        return self._call_survival_function(value, name, **condition_kwargs)


class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A `TransformedDistribution` whose methods pass `bijector_kwargs` and `distribution_kwargs` on, two dicts.

    Args:
        distribution, bijector, batch_shape, event_shape, validate_args, name: as for `TransformedDistribution`.

    Example:
        >>> ds = tf.contrib.distributions
        >>> class Scale(ds.bijectors.ConditionalBijector):
        ...     def __init__(self):
        ...         super().__init__(forward_min_event_ndims=0)
        ...     def _inverse(self, y, scale):
        ...         return y / scale
        ...     def _inverse_log_det_jacobian(self, y, scale):
        ...         return -tf.log(scale)
        >>> made = ds.ConditionalTransformedDistribution(ds.Normal(0.0, 1.0), Scale())
        >>> sess.run(made.log_prob(0.0, bijector_kwargs={"scale": 2.0}))  # -log(2 sqrt(2 pi))
        -1.612...
    """
