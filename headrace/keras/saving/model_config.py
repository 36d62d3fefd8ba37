"""Models from their configurations, as Python objects, JSON or YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from headrace.keras.layers import serialization

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headrace.keras.engine.training import Model

    Objects = Mapping[str, Any]


def model_from_config(config: dict[str, Any], custom_objects: Objects | None = None) -> Model:
    """A model with new weights from what `model_to_dict` says of another.

    Args:
        config: its class and its configuration.
        custom_objects: classes and functions of the program's own by name.

    Raises:
        TypeError: if `config` is that of a Sequential model alone.
    """
    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            "`Sequential.from_config(config)`?"
        )
    return serialization.deserialize(config, custom_objects=custom_objects)


def model_from_json(json_string: str, custom_objects: Objects | None = None) -> Model:
    """A model with new weights from what `model.to_json` gave.

    Args:
        json_string: the configuration.
        custom_objects: classes and functions of the program's own by name.

    Raises:
        ValueError: if it is not JSON, or names an unknown class.
    """
    try:
        config = json.loads(json_string)
    except RecursionError:
        raise ValueError("The JSON of the model is nested more deeply than any model is.") from None
    return model_from_config(config, custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: Objects | None = None) -> Model:
    """A model with new weights from what `model.to_yaml` gave.

    Only plain data is read: tags that would make Python objects are refused.

    Args:
        yaml_string: the configuration.
        custom_objects: classes and functions of the program's own by name.

    Raises:
        ImportError: if PyYAML is not installed.
        ValueError: if it is no YAML of plain data.
    """
    try:
        import yaml
    except ImportError:
        raise ImportError("Requires yaml module installed (`pip install pyyaml`).") from None

    class PlainData(yaml.SafeLoader):
        """YAML's own types, with the tuples and the texts that Python's writer marks as such."""

    PlainData.add_constructor(
        "tag:yaml.org,2002:python/tuple", lambda loader, node: tuple(loader.construct_sequence(node, deep=True))
    )
    for text in ("unicode", "str"):
        PlainData.add_constructor(
            f"tag:yaml.org,2002:python/{text}", lambda loader, node: loader.construct_scalar(node)
        )
    try:
        config = yaml.load(yaml_string, Loader=PlainData)  # noqa: S506  (a loader of plain data, above)
    except yaml.YAMLError as error:
        raise ValueError(f"The configuration is no YAML of plain data: {error}") from None
    return model_from_config(config, custom_objects)
