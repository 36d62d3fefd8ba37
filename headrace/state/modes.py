"""How variables are made and shared: the kind that is made by default, reuse, and several replicas."""

from __future__ import annotations

import enum
from typing import Any


class VariableSynchronization(enum.Enum):
    """When a variable of several replicas is brought in step."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the updates of several replicas are put together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # noqa: PIE796 (the older name of the same mode)

    def __hash__(self) -> int:
        return hash(self.value)


class ReduceOp(enum.Enum):
    """How the values of several replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that a variable's aggregation stands for.

        Raises:
            ValueError: if it is neither a sum nor a mean.
        """
        found = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}.get(aggregation)
        if found is None:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type"
            )
        return found


def validate_synchronization_aggregation_trainable(
    synchronization: int | VariableSynchronization | None,
    aggregation: int | VariableAggregation | None,
    trainable: bool | None,
    name: str | None,
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """The three settings with their defaults filled in.

    Raises:
        ValueError: if one is not a mode, naming the variable.
    """
    try:
        aggregation = VariableAggregation(VariableAggregation.NONE if aggregation is None else aggregation)
    except ValueError:
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}") from None
    try:
        synchronization = VariableSynchronization(
            VariableSynchronization.AUTO if synchronization is None else synchronization
        )
    except ValueError:
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}") from None
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    return synchronization, aggregation, trainable


class _ReuseMode(enum.Enum):
    """Ways of sharing variables besides True and False."""

    AUTO_REUSE = 1


# Of any type, since functions of programs take it where they say `reuse=False`.
AUTO_REUSE: Any = _ReuseMode.AUTO_REUSE

_use_resource_by_default = False


def enable_resource_variables() -> None:
    """Makes resource variables the kind that is made by default."""
    global _use_resource_by_default
    _use_resource_by_default = True


def disable_resource_variables() -> None:
    """Makes reference variables the kind that is made by default, as they are at first."""
    global _use_resource_by_default
    _use_resource_by_default = False


def resource_variables_enabled() -> bool:
    """Whether resource variables are made by default."""
    return _use_resource_by_default
