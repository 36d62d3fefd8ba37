"""Which functions turn objects of a type into tensors: 1.x's `framework.tensor_conversion_registry`."""

from __future__ import annotations

from headrace.core.convert import ConversionFunction, _functions_for, register_tensor_conversion_function


def get(query: type) -> list[tuple[type, ConversionFunction]]:
    """The functions that are tried for objects of a type, in their order, each with the type.

    Example:
        >>> tensor_conversion_registry.get(MyArray)[0][1](my_array).dtype
        tf.float32
    """
    return [(query, function) for function in _functions_for(query)]


__all__ = ["get", "register_tensor_conversion_function"]
