"""What operations read of arguments before they convert them."""

from __future__ import annotations

from typing import Any


def check_attribute(what: str, value: Any, attribute: str, kind: str = "a tensor") -> None:
    """Checks that an argument has what is read of it, as a tensor or a variable has.

    Args:
        what: the operation and its argument, for the message.
        value: the argument.
        attribute: a name.
        kind: what the argument must be, for the message.

    Raises:
        AttributeError: if it has not.

    Example:
        >>> from headrace.core.attributes import check_attribute
        >>> check_attribute("einsum: input 0", tf.constant([1.0]), "get_shape")
    """
    if not hasattr(value, attribute):
        raise AttributeError(f"{what} must be {kind}: {type(value).__name__!r} object has no attribute {attribute!r}")
