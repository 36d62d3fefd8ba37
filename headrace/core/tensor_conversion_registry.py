"""Which functions turn objects of a type into tensors: 1.x's `framework.tensor_conversion_registry`."""

from __future__ import annotations

from headrace.core.convert import ConversionFunction, _functions_for, register_tensor_conversion_function


def get(query: type) -> list[tuple[type, ConversionFunction]]:
    """The functions that are tried for objects of a type, in their order, each with the type.

    Example:
        >>> kind, convert = get(float)[0]
        >>> convert(2.0, dtype=tf.float64, name=None, as_ref=False).dtype
        tf.float64
    """
    return [(query, function) for function in _functions_for(query)]


__all__ = ["get", "register_tensor_conversion_function"]
