"""Layers that cut the borders of sequences, images and volumes off, and those that put zeros around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import normalize_data_format, normalize_tuple
from headrace.ops.array.pad import pad

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike

_ORDINALS = ("1st", "2nd", "3rd")
_EXPECTED = {
    2: (
        "2 ints (symmetric_height_{0}, symmetric_width_{0}), or a tuple of 2 tuples of 2 ints ((top_{0}, bottom_{0}), "
        "(left_{0}, right_{0}))"
    ),
    3: (
        "3 ints (symmetric_dim1_{0}, symmetric_dim2_{0}, symmetric_dim3_{0}), or a tuple of 3 tuples of 2 ints "
        "((left_dim1_{0}, right_dim1_{0}), (left_dim2_{0}, right_dim2_{0}), (left_dim3_{0}, right_dim2_{0}))"
    ),
}


def _pairs(amount: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """What to cut off or to add before and behind along each axis: one int for all, or an int or a pair for each."""
    if isinstance(amount, int):
        return ((amount, amount),) * rank
    if not hasattr(amount, "__len__"):
        short = "crop" if name == "cropping" else "pad"
        raise ValueError(
            f"`{name}` should be either an int, a tuple of {_EXPECTED[rank].format(short)}. Found: {amount}"
        )
    if len(amount) != rank:
        raise ValueError(f"`{name}` should have {'two' if rank == 2 else rank} elements. Found: {amount}")
    entries = (normalize_tuple(each, 2, f"{_ORDINALS[i]} entry of {name}") for i, each in enumerate(amount))
    return tuple((before, behind) for before, behind in entries)


class _Bordered(Layer):
    """What these layers share: an amount before and behind along each spatial axis."""

    rank: int
    _sign: int
    _amounts: tuple[tuple[int, int], ...]

    def _first_axis(self) -> int:
        return 2 if getattr(self, "data_format", None) == "channels_first" else 1

    def _set_amounts(self, amounts: tuple[tuple[int, int], ...]) -> None:
        self._amounts = amounts
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs with the spatial sizes changed."""
        sizes: list[Any] = TensorShape(input_shape).as_list()
        for axis, amounts in enumerate(self._amounts, self._first_axis()):
            if sizes[axis] is not None:
                sizes[axis] = max(sizes[axis] + self._sign * sum(amounts), 0)
        return TensorShape(sizes)


class _Cropping(_Bordered):
    _sign = -1

    def call(self, inputs: Any) -> Tensor:
        """The inputs without their borders."""
        kept = [slice(before, -behind if behind else None) for before, behind in self._amounts]
        # Axes that nothing is asked of have a slice of their own, so that the mask of the op says that they are whole.
        whole = [slice(None)] * self._first_axis()
        behind_them = [slice(None)] * (self.rank + 2 - len(whole) - len(kept))
        return inputs[tuple(whole + kept + behind_them)]


class Cropping1D(_Cropping):
    """Cuts steps off at both ends of sequences.

    Args:
        cropping: how many, or how many at the beginning and at the end.
    """

    rank = 1

    def __init__(self, cropping: int | Sequence[int] = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = normalize_tuple(cropping, 2, "cropping")
        self._set_amounts(((self.cropping[0], self.cropping[1]),))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "cropping": self.cropping}


class Cropping2D(_Cropping):
    """Cuts the borders of images off.

    Args:
        cropping: how many rows and columns: an int, one for each axis, or a pair for each.
        data_format: "channels_last" or "channels_first".
    """

    rank = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.cropping = _pairs(cropping, 2, "cropping")
        self._set_amounts(self.cropping)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


class Cropping3D(_Cropping):
    """Cuts the borders of volumes off.

    Args:
        cropping: how much: an int, one for each axis, or a pair for each.
        data_format: "channels_last" or "channels_first".
    """

    rank = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.cropping = _pairs(cropping, 3, "cropping")
        self._set_amounts(self.cropping)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


class _ZeroPadding(_Bordered):
    _sign = 1

    def call(self, inputs: Any) -> Tensor:
        """The inputs with zeros around them."""
        amounts = [[0, 0] for _ in range(self.rank + 2)]
        for axis, (before, behind) in enumerate(self._amounts, self._first_axis()):
            amounts[axis] = [before, behind]
        return pad(inputs, amounts)


class ZeroPadding1D(_ZeroPadding):
    """Puts steps of zeros before and behind sequences.

    Args:
        padding: how many, or how many before and behind.
    """

    rank = 1

    def __init__(self, padding: int | Sequence[int] = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = normalize_tuple(padding, 2, "padding")
        self._set_amounts(((self.padding[0], self.padding[1]),))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "padding": self.padding}


class ZeroPadding2D(_ZeroPadding):
    """Puts rows and columns of zeros around images.

    Args:
        padding: how many: an int, one for each axis, or a pair for each.
        data_format: "channels_last" or "channels_first".
    """

    rank = 2

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.padding = _pairs(padding, 2, "padding")
        self._set_amounts(self.padding)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "padding": self.padding, "data_format": self.data_format}


class ZeroPadding3D(_ZeroPadding):
    """Puts zeros around volumes.

    Args:
        padding: how many: an int, one for each axis, or a pair for each.
        data_format: "channels_last" or "channels_first".
    """

    rank = 3

    def __init__(self, padding: Any = (1, 1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.padding = _pairs(padding, 3, "padding")
        self._set_amounts(self.padding)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "padding": self.padding, "data_format": self.data_format}
