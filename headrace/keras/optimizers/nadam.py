"""Adam with Nesterov's momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.learning_rate_schedule import LearningRateSchedule
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels.composing.arranging import gather
from headrace.ops.flow.grouping import group
from headrace.ops.math.binary import pow
from headrace.ops.math.cast import cast
from headrace.state.modes import VariableAggregation

# The base of the momentum schedule, and how much the schedule takes off at most (Dozat, section 3).
_BASE, _SHARE = 0.96, 0.5


class Nadam(OptimizerV2):
    """Adam whose first moment is Nesterov's momentum, by a schedule.

    Dozat, "Incorporating Nesterov momentum into Adam", ICLR 2016 workshop.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        beta_1, beta_2: how much of the moments stays in each step.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, and `schedule_decay`, how fast the momentum grows.

    Raises:
        ValueError: for a learning rate schedule.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        # The momentum's decay travels as that of the learning rate, which has none.
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        learning_rate = kwargs.get("lr", learning_rate)
        if isinstance(learning_rate, LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate."
            )
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon or default_epsilon()
        self._m_cache: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        dtype = var_list[0].dtype.base_dtype
        if self._m_cache is None:
            self._m_cache = self.add_weight(
                "momentum_cache",
                shape=[],
                dtype=dtype,
                initializer="ones",
                trainable=False,
                aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            )
            self._weights.append(self._m_cache)
        for name in ("m", "v"):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        rate = raw.Identity(self._get_hyper("learning_rate", var_dtype))
        beta_1 = raw.Identity(self._get_hyper("beta_1", var_dtype))
        beta_2 = raw.Identity(self._get_hyper("beta_2", var_dtype))
        step, next_step = cast(self.iterations + 1, var_dtype), cast(self.iterations + 2, var_dtype)
        base = cast(_BASE, var_dtype)
        momentum = beta_1 * (1.0 - _SHARE * pow(base, self._initial_decay * step))
        next_momentum = beta_1 * (1.0 - _SHARE * pow(base, self._initial_decay * next_step))
        schedule = self._m_cache_read * momentum
        if var_dtype is self._m_cache.dtype.base_dtype:
            schedule = raw.Identity(self._m_cache.assign(schedule, use_locking=self._use_locking))
        next_schedule = schedule * next_momentum
        apply_state[var_device, var_dtype] = {
            "lr_t": rate,
            "neg_lr_t": raw.Neg(rate),
            "epsilon": convert_to_tensor(self.epsilon, var_dtype),
            "beta_1_t": beta_1,
            "beta_2_t": beta_2,
            "m_t": momentum,
            "m_t_1": next_momentum,
            "one_minus_beta_1_t": 1 - beta_1,
            "one_minus_beta_2_t": 1 - beta_2,
            "one_minus_m_t": 1.0 - momentum,
            "one_minus_m_schedule_new": 1.0 - schedule,
            "one_minus_m_schedule_next": 1.0 - next_schedule,
            "v_t_prime_denominator": 1.0 - pow(beta_2, step),
        }

    def _prepare(self, var_list: Sequence[Any]) -> Any:
        # Before the schedule moves on.
        self._m_cache_read = raw.Identity(self._m_cache)
        return super()._prepare(var_list)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_t = self._assigned(m, shared["beta_1_t"] * m + shared["one_minus_beta_1_t"] * grad)
        v_t = self._assigned(v, shared["beta_2_t"] * v + shared["one_minus_beta_2_t"] * raw.Square(grad))
        mean = self._ahead(grad, m_t, shared)
        root = raw.Sqrt(v_t / shared["v_t_prime_denominator"]) + shared["epsilon"]
        return var.assign(var - shared["lr_t"] * mean / root, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        with control_dependencies([m.assign(m * shared["beta_1_t"], use_locking=self._use_locking)]):
            m_t = self._resource_scatter_add(m, indices, grad * shared["one_minus_beta_1_t"])
        with control_dependencies([v.assign(v * shared["beta_2_t"], use_locking=self._use_locking)]):
            v_t = self._resource_scatter_add(v, indices, (grad * grad) * shared["one_minus_beta_2_t"])
        mean = self._ahead(grad, gather(m_t, indices), shared)
        root = raw.Sqrt(gather(v_t, indices) / shared["v_t_prime_denominator"]) + shared["epsilon"]
        step = self._resource_scatter_add(var, indices, shared["neg_lr_t"] * mean / root)
        return group(step, m_t, v_t)

    def _ahead(self, grad: Any, moment: Any, shared: dict[str, Any]) -> Any:
        """The first moment one step ahead, both parts without their bias towards 0."""
        own = grad / shared["one_minus_m_schedule_new"]
        return shared["one_minus_m_t"] * own + shared["m_t_1"] * (moment / shared["one_minus_m_schedule_next"])

    def _assigned(self, slot: Any, value: Any) -> Any:
        """The value of a slot after it was set."""
        with control_dependencies([slot.assign(value, use_locking=self._use_locking)]):
            return raw.Identity(value)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
        }
