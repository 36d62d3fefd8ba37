"""Drawing series, and parameters, of state space models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.feature_keys import TrainEvalFeatures
from headrace.contrib.timeseries.model_utils import parameter_switch
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int64

if TYPE_CHECKING:
    from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel


def _random_covariance(random: np.random.RandomState, size: int) -> np.ndarray:
    factor = np.tril(random.normal(size=[size, size]))
    return factor @ factor.T + 0.1 * np.eye(size)


def draw_parameters(model: StateSpaceModel, seed: int | None) -> dict[Any, Any]:
    """Arrays for the parameters of a model at random, from tensor to array.

    Args:
        model: the model, whose graph is initialized.
        seed: where the random numbers start.
    """
    random = np.random.RandomState(seed)
    kind = model.dtype.as_numpy_dtype
    start = convert_to_tensor(model.prior_state_mean)
    sizes = [size or 0 for size in start.shape.as_list()]
    noise = model.state_transition_noise_covariance
    found = {
        model.prior_state_mean: random.normal(size=sizes).astype(kind),
        noise: _random_covariance(random, noise.shape[0].value).astype(kind),
    }
    if model._configuration.use_observation_noise:
        found[model.observation_covariance] = _random_covariance(random, model.num_features).astype(kind)
    return found


def draw_series(
    model: StateSpaceModel,
    count: int,
    length: int,
    parameters: Mapping[Any, Any],
    seed: int | None,
    noisy: bool,
) -> dict[str, Any]:
    """Series of a model, in the default session.

    Args:
        model: the model, whose graph is initialized.
        count, length: how many, and how long.
        parameters: arrays in the place of parameters.
        seed: where the random numbers start.
        noisy: whether observations have noise.

    Returns:
        "times" [count, length] and "values" [count, length, features].
    """
    random = np.random.RandomState(seed)
    value = parameter_switch(parameters)
    start, spread, _ = model.get_start_state()
    transition, transform = value(model.state_transition), value(model.noise_transform)
    noise = value(model.state_transition_noise_covariance)
    times = np.tile(np.arange(length, dtype=int64.as_numpy_dtype), [count, 1])
    state = random.multivariate_normal(value(convert_to_tensor(start)) if start not in parameters else value(start),
                                       value(spread), size=count)  # fmt: skip
    values = []
    for step in range(length):
        moved = random.multivariate_normal(np.zeros(len(noise)), noise, size=count)
        state = state @ transition.T + moved @ transform.T
        observation_model = value(model.get_broadcasted_observation_model(convert_to_tensor(times[:, step])))
        observed = np.einsum("bfs,bs->bf", observation_model, state)
        if noisy:
            covariance = value(model.observation_covariance)
            observed = observed + random.multivariate_normal(np.zeros(len(covariance)), covariance, size=count)
        values.append(observed)
    kind = model.dtype.as_numpy_dtype
    return {
        TrainEvalFeatures.TIMES: times,
        TrainEvalFeatures.VALUES: np.stack(values, axis=1).astype(kind),
        **model.get_features_for_timesteps(times),
    }
