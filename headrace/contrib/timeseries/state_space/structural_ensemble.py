"""Structural models: a trend, periods, and a moving average."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.ensembles import (
    StateSpaceCorrelatedFeaturesEnsemble,
    StateSpaceIndependentEnsemble,
)
from headrace.contrib.timeseries.state_space.level_trend import AdderStateSpaceModel
from headrace.contrib.timeseries.state_space.periodic import CycleStateSpaceModel, ResolutionCycleModel
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.contrib.timeseries.state_space.varma import VARMA
from headrace.state.variable_scope import variable_scope


def _of_each_feature(
    multivariate: StateSpaceModelConfiguration,
    univariate: StateSpaceModelConfiguration,
    make: Callable[[StateSpaceModelConfiguration], StateSpaceModel],
) -> StateSpaceCorrelatedFeaturesEnsemble:
    """An ensemble of a model for each feature."""
    members = []
    for i in range(multivariate.num_features):
        with variable_scope(f"feature{i}"):
            members.append(make(univariate))
    return StateSpaceCorrelatedFeaturesEnsemble(ensemble_members=members, configuration=multivariate)


def _members(
    periodicities: Any,
    moving_average_order: int,
    autoregressive_order: int,
    use_level_noise: bool,
    configuration: StateSpaceModelConfiguration,
    cycle: Callable[[Any, StateSpaceModelConfiguration], StateSpaceModel],
) -> list[StateSpaceModel]:
    """The trend, the moving average and a model for each period."""
    # Members have no noise of observations, no exogenous features and nothing to do after a step: the whole has.
    of_member = StateSpaceModelConfiguration(
        **{
            **configuration._asdict(),
            "use_observation_noise": False,
            "exogenous_feature_columns": None,
            "exogenous_update_condition": None,
            "filtering_postprocessor": None,
        }
    )
    univariate = StateSpaceModelConfiguration(**{**of_member._asdict(), "num_features": 1})
    with variable_scope("adder"):
        members: list[StateSpaceModel] = [
            _of_each_feature(of_member, univariate, lambda settings: AdderStateSpaceModel(use_level_noise, settings))
        ]
    with variable_scope("varma"):
        members.append(VARMA(autoregressive_order, moving_average_order, of_member))
    periods = periodicities if isinstance(periodicities, Sequence) else [periodicities]
    for i, period in enumerate(periods):
        with variable_scope(f"cycle{i}"):
            members.append(_of_each_feature(of_member, univariate, _fixed(cycle, period)))
    return members


def _fixed(cycle: Callable[..., StateSpaceModel], period: Any) -> Callable[..., StateSpaceModel]:
    return lambda settings: cycle(period, settings)


class StructuralEnsemble(StateSpaceIndependentEnsemble):
    """A trend, a value for each step of each period, and a moving average.

    Args:
        periodicities: how many steps periods have; one or several.
        moving_average_order, autoregressive_order: see `VARMA`.
        use_level_noise: see `AdderStateSpaceModel`.
        configuration: the settings.
    """

    def __init__(
        self,
        periodicities: int | Sequence[int],
        moving_average_order: int,
        autoregressive_order: int,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        members = _members(
            periodicities, moving_average_order, autoregressive_order, use_level_noise, configuration,
            CycleStateSpaceModel,
        )  # fmt: skip
        super().__init__(ensemble_members=members, configuration=configuration)


class MultiResolutionStructuralEnsemble(StateSpaceIndependentEnsemble):
    """A trend, some values for each period of any length, and a moving average.

    Args:
        cycle_num_latent_values: how many values stand for a period: one number for all, or one for each.
        moving_average_order, autoregressive_order: see `VARMA`.
        periodicities: the lengths of periods; one or several.
        use_level_noise: see `AdderStateSpaceModel`.
        configuration: the settings.
    """

    def __init__(
        self,
        cycle_num_latent_values: int | Sequence[int],
        moving_average_order: int,
        autoregressive_order: int,
        periodicities: float | Sequence[float],
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        periods = list(periodicities) if isinstance(periodicities, Sequence) else [periodicities]
        counts = (
            list(cycle_num_latent_values)
            if isinstance(cycle_num_latent_values, Sequence)
            else [cycle_num_latent_values] * len(periods)
        )
        members = _members(
            list(zip(counts, periods, strict=True)),
            moving_average_order,
            autoregressive_order,
            use_level_noise,
            configuration,
            lambda given, settings: ResolutionCycleModel(given[0], given[1], configuration=settings),
        )
        super().__init__(ensemble_members=members, configuration=configuration)
