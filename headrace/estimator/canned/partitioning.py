"""How the variables of canned models are parted among parameter servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.state.partitioned import min_max_variable_partitioner

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig

_INPUT_SLICE = 64 << 20  # bytes


def hidden_partitioner(config: RunConfig | None) -> Any:
    """That of hidden layers."""
    return min_max_variable_partitioner(max_partitions=_servers(config))


def input_partitioner(config: RunConfig | None) -> Any:
    """That of tables and linear weights, which are only parted when they are large."""
    return min_max_variable_partitioner(max_partitions=_servers(config), min_slice_size=_INPUT_SLICE)


def _servers(config: RunConfig | None) -> int:
    return config.num_ps_replicas if config else 0


def check_features(features: object) -> None:
    """Raises ValueError unless the features of a canned model are a dictionary."""
    if not isinstance(features, dict):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")
