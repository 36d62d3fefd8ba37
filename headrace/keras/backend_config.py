"""What layers and functions of Keras go by where an argument is left out: types, a small number, the order of axes."""

from __future__ import annotations

import json
import os

from headrace.layers.sizes import default_data_format

_FLOATING_TYPES = frozenset({"float16", "float32", "float64"})
_DATA_FORMATS = frozenset({"channels_last", "channels_first"})

_floatx = "float32"
_epsilon = 1e-7


def floatx() -> str:
    """The name of the floating type that is meant where none is given.

    Example:
        >>> tf.keras.backend.floatx()
        'float32'
    """
    return _floatx


def set_floatx(value: str) -> None:
    """Sets the floating type that is meant where none is given.

    Args:
        value: "float16", "float32" or "float64".

    Raises:
        ValueError: for other names.
    """
    global _floatx
    if value not in _FLOATING_TYPES:
        raise ValueError(f"Unknown floatx type: {value}")
    _floatx = str(value)


def epsilon() -> float:
    """The small number that keeps divisions and logarithms finite.

    Example:
        >>> tf.keras.backend.epsilon()
        1e-07
    """
    return _epsilon


def set_epsilon(value: float) -> None:
    """Sets the small number that keeps divisions and logarithms finite.

    Args:
        value: the new number.
    """
    global _epsilon
    _epsilon = value


def image_data_format() -> str:
    """The order of the axes of images where none is given: "channels_last" or "channels_first".

    Example:
        >>> tf.keras.backend.image_data_format()
        'channels_last'
    """
    return default_data_format[-1]


def set_image_data_format(data_format: str) -> None:
    """Sets the order of the axes of images where none is given.

    Args:
        data_format: "channels_last" or "channels_first".

    Raises:
        ValueError: for other names.
    """
    if data_format not in _DATA_FORMATS:
        raise ValueError(f"Unknown data_format: {data_format}")
    # Layers know it by themselves.
    default_data_format[-1] = str(data_format)


def backend() -> str:
    """What Keras runs on, by the name that programs compare with: "tensorflow"."""
    return "tensorflow"


def _read_settings() -> None:
    """Takes over what the user's `~/.keras/keras.json` says; a file that cannot be read says nothing."""
    path = os.path.join(os.path.expanduser("~"), ".keras", "keras.json")
    try:
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
    except (OSError, ValueError):
        return
    if not isinstance(settings, dict):
        return
    set_floatx(settings.get("floatx", _floatx))
    set_image_data_format(settings.get("image_data_format", image_data_format()))
    if isinstance(settings.get("epsilon"), float):
        set_epsilon(settings["epsilon"])


_read_settings()
