"""State space models that are sums of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.input_statistics import InputStatistics
from headrace.contrib.timeseries.matrices import block_diagonal
from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.core.convert import convert_to_tensor
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.pad import pad
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class StateSpaceEnsemble(StateSpaceModel):
    """A model whose state is that of its members side by side, and whose observations are the sums of theirs.

    Args:
        ensemble_members: the models, of one type of numbers.
        configuration: the settings of the whole.
    """

    def __init__(
        self, ensemble_members: Sequence[StateSpaceModel], configuration: StateSpaceModelConfiguration
    ) -> None:
        self._ensemble_members = ensemble_members
        super().__init__(configuration=configuration)

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        super()._set_input_statistics(input_statistics)
        for member in self._ensemble_members:
            member._set_input_statistics(input_statistics)

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        with variable_scope(self._scope):
            if observation_transition_tradeoff_log is None:
                observation_transition_tradeoff_log = self._variable_observation_transition_tradeoff_log()
            for member in self._ensemble_members:
                member._define_parameters(observation_transition_tradeoff_log=observation_transition_tradeoff_log)
            super()._define_parameters(observation_transition_tradeoff_log=observation_transition_tradeoff_log)

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> Any:
        additions = super()._loss_additions(times, values, mode)
        for member in self._ensemble_members:
            additions = additions + member._loss_additions(times, values, mode)
        return additions

    def _compute_blocked(self, member_fn: Callable[[StateSpaceModel], Any], name: str) -> Tensor:
        """A matrix with those of the members along its diagonal."""
        blocks = [member_fn(member) for member in self._ensemble_members]
        return block_diagonal(blocks, dtype=self.dtype, name=name)

    def _blocked_batch(self, member_fn: Callable[[StateSpaceModel], Any]) -> Tensor:
        """Matrices [count, state, state] with those of the members along their diagonals."""
        blocks = [member_fn(member) for member in self._ensemble_members]
        sizes = [member._state_dimension() for member in self._ensemble_members]
        rows, before = [], 0
        for block, size in zip(blocks, sizes, strict=True):
            rows.append(pad(block, [[0, 0], [0, 0], [before, sum(sizes) - before - size]]))
            before += size
        return concat(rows, 1)

    def transition_to_powers(self, powers: TensorLike) -> Tensor:
        """See `StateSpaceModel.transition_to_powers`."""
        return self._blocked_batch(lambda member: member.transition_to_powers(powers))

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """Arrays for the parameters of the members and the whole; see `StateSpaceModel.random_model_parameters`."""
        found: dict[Any, Any] = {}
        for i, member in enumerate(self._ensemble_members):
            found.update(member.random_model_parameters(seed=None if seed is None else seed + i))
        return found

    def get_prior_mean(self) -> Any:
        """The means of the members side by side."""
        return concat([convert_to_tensor(member.prior_state_mean) for member in self._ensemble_members], 0)

    def _make_priors(self) -> None:
        for member in self._ensemble_members:
            with variable_scope(member._scope):
                member._make_priors()
        super()._make_priors()

    def get_state_transition(self) -> TensorLike:
        """The transitions of the members along a diagonal."""
        return self._compute_blocked(lambda member: member.state_transition, "ensemble_state_transition")

    def get_noise_transform(self) -> TensorLike:
        """The transforms of the members along a diagonal."""
        return self._compute_blocked(lambda member: member.noise_transform, "ensemble_noise_transform")

    def get_observation_model(self, times: Tensor) -> TensorLike:
        """Not defined for ensembles.

        Raises:
            NotImplementedError: always; `get_broadcasted_observation_model` is.
        """
        raise NotImplementedError("No un-broadcasted observation model defined for ensembles.")

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """The observation models of the members side by side."""
        return concat([member.get_broadcasted_observation_model(times) for member in self._ensemble_members], 2)


class StateSpaceIndependentEnsemble(StateSpaceEnsemble):
    """An ensemble whose members have noise of their own."""

    def transition_power_noise_accumulator(self, num_steps: TensorLike) -> Tensor:
        """See `StateSpaceModel.transition_power_noise_accumulator`."""
        return self._blocked_batch(lambda member: member.transition_power_noise_accumulator(num_steps))

    def get_prior_covariance(self) -> Tensor:
        """The covariances of the members along a diagonal."""
        return self._compute_blocked(lambda member: member.prior_state_covariance, "ensemble_prior_covariance")

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariances of the members' noise along a diagonal."""
        return self._compute_blocked(
            lambda member: member.state_transition_noise_covariance, "ensemble_state_transition_noise"
        )


class StateSpaceCorrelatedFeaturesEnsemble(StateSpaceEnsemble):
    """An ensemble of a model for each feature, whose noise may be correlated."""

    def __init__(
        self, ensemble_members: Sequence[StateSpaceModel], configuration: StateSpaceModelConfiguration
    ) -> None:
        for member in ensemble_members:
            assert member.num_features == 1, f"a member is for one feature, got one for {member.num_features}"
        assert configuration.num_features == len(ensemble_members), (
            f"{len(ensemble_members)} members for {configuration.num_features} features"
        )
        super().__init__(ensemble_members=ensemble_members, configuration=configuration)

    def transition_power_noise_accumulator(self, num_steps: TensorLike) -> Tensor:
        """See `StateSpaceModel.transition_power_noise_accumulator`; the noise of a single member is its own."""
        if len(self._ensemble_members) == 1:
            return self._ensemble_members[0].transition_power_noise_accumulator(num_steps)
        return super().transition_power_noise_accumulator(num_steps)

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """The observation model of each feature in a row of its own."""
        rows = []
        for i, member in enumerate(self._ensemble_members):
            own = member.get_broadcasted_observation_model(times)
            others = [other._state_dimension() for other in self._ensemble_members]
            rows.append(pad(own, [[0, 0], [0, 0], [sum(others[:i]), sum(others[i + 1 :])]]))
        return concat(rows, 1)
