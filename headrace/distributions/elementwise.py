"""Distributions of single numbers, whose parameters broadcast against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution, ReparameterizationType
from headrace.distributions.parameters import scalar_event
from headrace.functions.flow.checks import assert_positive, assert_same_float_dtype
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _parameter(name: str) -> property:
    return property(lambda self: getattr(self, f"_{name}"), doc=f"The parameter `{name}`.")


class Elementwise(Distribution):
    """The base of these: a subclass names its parameters in `_names` and calls `_begin` with its arguments."""

    _names: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        # Only for those that `__init_subclass__` defines: a name that is really missing ends here.
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls.__dict__.get("_names", ()):
            if name not in cls.__dict__:
                setattr(cls, name, _parameter(name))

    def _begin(
        self,
        arguments: dict[str, Any],
        positive: tuple[str, ...] = (),
        reparameterized: ReparameterizationType = FULLY_REPARAMETERIZED,
        checks: Callable[..., Any] | None = None,
    ) -> None:
        """Makes the parameters and all the rest of the object.

        Args:
            arguments: those of the constructor, by name.
            positive: the parameters that must be positive where arguments are checked.
            reparameterized: whether samples are differentiable.
            checks: makes further checks.
        """
        values = [arguments[name] for name in self._names]
        with name_scope(arguments["name"], values=values) as scope:
            made = []
            if arguments["validate_args"]:
                made = [assert_positive(arguments[name]) for name in positive] + (checks() if checks else [])
            with control_dependencies(made):
                tensors = [identity(value, name=name) for name, value in zip(self._names, values)]
            for name, tensor in zip(self._names, tensors):
                setattr(self, f"_{name}", tensor)
            if len(tensors) > 1:
                assert_same_float_dtype(tensors)
        Distribution.__init__(
            self,
            dtype=tensors[0].dtype,
            reparameterization_type=reparameterized,
            validate_args=arguments["validate_args"],
            allow_nan_stats=arguments["allow_nan_stats"],
            parameters=arguments,
            graph_parents=tensors,
            name=scope,
        )

    @classmethod
    def _param_shapes(cls, sample_shape: Sequence[int]) -> dict[str, Tensor]:
        shape = convert_to_tensor(sample_shape, "int32")
        return dict.fromkeys(cls._names, shape)

    def _tensors(self) -> list[Tensor]:
        return [getattr(self, f"_{name}") for name in self._names]

    def _batch_shape_tensor(self) -> Tensor:
        shape, *others = [shape_internal(tensor) for tensor in self._tensors()]
        for other in others:
            shape = broadcast_dynamic_shape(shape, other)
        return shape

    def _batch_shape(self) -> TensorShape:
        shape, *others = [tensor.get_shape() for tensor in self._tensors()]
        for other in others:
            shape = broadcast_static_shape(shape, other)
        return shape

    def _event_shape_tensor(self) -> Tensor:
        return scalar_event()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_dims(self, n: TensorLike) -> Tensor:
        """The shape of `n` samples of each of the batch."""
        return composing.concat([[n], self.batch_shape_tensor()], 0)

    def _broadcast(self, value: Tensor, *others: Tensor) -> Tensor:
        """`value` with the shape it takes beside `others`."""
        for other in others:
            value = value * composing.ones_like(other)
        return value


class LocationScale(Elementwise):
    """Those with parameters `loc` and `scale`, given by what they are at 0 and 1."""

    _names: tuple[str, ...] = ("loc", "scale")
    _loc: Tensor
    _scale: Tensor

    def _z(self, x: Tensor) -> Tensor:
        with name_scope("standardize", values=[x]):
            return (x - self._loc) / self._scale

    def _mean(self) -> Tensor:
        return self._loc * composing.ones_like(self._scale)

    def _mode(self) -> Tensor:
        return self._mean()

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"log_prob is not implemented: {type(self).__name__}")

    def _log_normalization(self) -> Tensor:
        return raw.Log(self._scale)
