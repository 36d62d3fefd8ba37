"""The arguments that functions over images have in common, in all the forms they may be given in."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import IntLike


def channel_axis(data_format: str | None, spatial: int) -> int:
    """Where the channels are, for a tensor with so many spatial axes."""
    return 1 if data_format is not None and data_format.startswith("NC") else spatial + 1


def for_every_axis(value: int | np.ndarray | Sequence[int] | None, spatial: int, channel: int, name: str) -> list[int]:
    """One number an axis, with 1 for batch and channels.

    Args:
        value: a number, one for all spatial axes; a list of one; of one a spatial axis; of one an axis; None for 1.
        spatial: how many spatial axes there are.
        channel: the axis of the channels.
        name: the argument's name, for the error.

    Raises:
        ValueError: for a list of another length.
    """
    given: list[int]
    if value is None:
        given = [1]
    elif isinstance(value, Sized):
        given = list(value)
    else:
        given = [value]
    if len(given) == spatial + 2:
        return given
    if len(given) == 1:
        given = given * spatial
    elif len(given) != spatial:
        raise ValueError(f"{name} should be of length 1, {spatial} or {spatial + 2} but was {len(given)}")
    return [1, 1, *given] if channel == 1 else [1, *given, 1]


def padding_and_explicit_paddings(padding: Any) -> tuple[str, list[int]]:
    """The attributes `padding` and `explicit_paddings` from what is given as padding: a word, or a list of pairs.

    Raises:
        ValueError: if it is neither.
    """
    if padding == "EXPLICIT":
        raise ValueError(
            '"EXPLICIT" is not a valid value for the padding parameter. To use explicit padding, the padding parameter '
            "must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    explicit_paddings: list[int] = []
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)):
            raise ValueError(
                "When padding is a list, each element of padding must be a list/tuple of size 2. Element with index "
                f"{i} of padding is not a list/tuple"
            )
        if len(pair) != 2:
            raise ValueError(
                "When padding is a list, each element of padding must be a list/tuple of size 2. Element with index "
                f"{i} of padding has size {len(pair)}"
            )
        explicit_paddings.extend(pair)
    if len(padding) != 4:
        raise ValueError(f"When padding is a list, it must be of size 4. Got padding of size: {len(padding)}")
    return "EXPLICIT", explicit_paddings


def strides_and_rates(
    spatial: int, strides: Sequence[int] | None, rates: Sequence[IntLike] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Strides and dilation rates as vectors, 1 where they are not given.

    Raises:
        ValueError: if they have the wrong length, are not positive, or both are greater than 1 somewhere.
    """
    if rates is not None and len(rates) != spatial:
        raise ValueError(f"len(dilation_rate)={len(rates)} but should be {spatial}")
    rate = np.ones(spatial, np.int32) if rates is None else np.array(rates, np.int32)
    if (rate < 1).any():
        raise ValueError("all values of dilation_rate must be positive")
    if strides is not None and len(strides) != spatial:
        raise ValueError(f"len(strides)={len(strides)} but should be {spatial}")
    stride = np.ones(spatial, np.int32) if strides is None else np.array(strides, np.int32)
    if (stride < 1).any():
        raise ValueError("all values of strides must be positive")
    if (stride > 1).any() and (rate > 1).any():
        raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
    return stride, rate


def spatial_rank(shapes: Sequence[Any]) -> int:
    """How many spatial axes there are, from the first of the static shapes whose rank is known.

    Raises:
        ValueError: if no rank is known, or it is not 3, 4 or 5.
    """
    for dims in shapes:
        if dims is not None:
            spatial = len(dims) - 2
            if not 1 <= spatial <= 3:
                raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {spatial + 2}.")
            return spatial
    raise ValueError("rank of input or filter must be known")


def flat_format(data_format: str | None, older: bool) -> tuple[str, int]:
    """The format of the image of height 1 that a sequence becomes, and the axis to add for that.

    Raises:
        ValueError: if it is no format of sequences; the names of those of images count where they did in an `older` time.
    """
    if data_format in (None, "NWC") or (older and data_format == "NHWC"):
        return "NHWC", 1
    if data_format == "NCW" or (older and data_format == "NCHW"):
        return "NCHW", 2
    raise ValueError('data_format must be "NWC" or "NCW".')
