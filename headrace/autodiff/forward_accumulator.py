"""Derivatives in the direction of computation: how what is computed changes along given directions of what it comes from."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.autodiff.gradients import is_trainable
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from typing_extensions import Self

    from headrace.core.typing import Nested, TensorLike, VariableLike


class ForwardGradientAccumulator:
    """Products of a Jacobian and a vector, of what is computed eagerly inside its context.

    What is computed is recorded as by a tape. A product is the gradient, by a vector that stands for what comes from
    above, of the recorded gradients: they are linear in it.

    Example:
        >>> x = tf.constant(2.0)
        >>> with ForwardGradientAccumulator() as along:
        ...     along.watch(x, tf.constant(3.0))
        ...     y = x * x
        >>> along.jvp(y).numpy()
        12.0
    """

    def __init__(self) -> None:
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._recording = False
        self._watched: list[tuple[Any, Tensor]] = []

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._tape.__enter__()
        self._recording = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._recording:
            self._tape.__exit__(*error)
            self._recording = False

    def watch(self, tensor: Nested[Tensor], tangents: Nested[TensorLike]) -> None:
        """Says along which direction a tensor changes.

        Args:
            tensor: a tensor of floats, or a structure of them.
            tangents: the directions, in the same structure, each of the shape of its tensor.

        Raises:
            ValueError: if the structures differ; NotImplementedError: if what is to be watched is a variable.
        """
        nest.assert_same_structure(tensor, tangents)
        for each, tangent in zip(nest.flatten(tensor), nest.flatten(tangents), strict=True):
            if not isinstance(each, Tensor):
                raise NotImplementedError(
                    f"ForwardGradientAccumulator.watch: only tensors can be watched, got {each!r}; of a variable, watch what "
                    "is read of it (variable.read_value())."
                )
            if not is_trainable(each.dtype):
                logging.getLogger("headrace").warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", each.dtype
                )
            direction = convert_to_tensor(tangent, each.dtype.base_dtype)
            self._tape.watch(each)
            self._watched.append((each, direction))

    def jvp(self, target: Nested[Tensor | VariableLike]) -> Any:
        """How a target changes when all that is watched moves along its direction.

        Args:
            target: what was computed, or a structure of it.

        Returns:
            a tensor of the shape of each target, None where nothing that is watched leads to it.
        """
        return nest.map_structure(self._along, target)

    def _along(self, target: Any) -> Tensor | None:
        if not self._watched or not is_trainable(target.dtype):
            return None
        if self._recording:
            with self._tape.stop_recording():
                return self._product(target)
        return self._product(target)

    def _product(self, target: Any) -> Tensor | None:
        sources = [source for source, _ in self._watched]
        above = raw.ZerosLike(convert_to_tensor(target))
        with GradientTape() as linear:
            linear.watch(above)
            gradients: Sequence[Any] = self._tape.gradient(target, sources, output_gradients=above)
            pairs = [
                (convert_to_tensor(gradient), direction)
                for gradient, (_, direction) in zip(gradients, self._watched, strict=True)
                if gradient is not None
            ]
        if not pairs:
            return None
        product: Tensor | None = linear.gradient(
            [gradient for gradient, _ in pairs], above, output_gradients=[direction for _, direction in pairs]
        )
        return product
