"""What `json.dumps(default=…)` makes of objects of this library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headrace.core.shapes import Dimension, TensorShape


def get_json_type(obj: Any) -> Any:
    """Something JSON can hold for an object it cannot.

    Args:
        obj: something with `get_config`, a NumPy array or scalar, a function or class, a static shape or size, or a
            mapping.

    Raises:
        TypeError: for anything else.

    Example:
        >>> json.dumps({"shape": tf.TensorShape([2, None])}, default=get_json_type)
        '{"shape": [2, null]}'
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Mapping):
        return dict(obj)
    raise TypeError("Not JSON Serializable:", obj)
