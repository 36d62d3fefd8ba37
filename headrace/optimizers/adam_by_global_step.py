"""Adam whose powers of the decays come from the global step instead of variables of the optimizer's own.

Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import dtypes
from headrace.core.registry import raw
from headrace.ops.math.cast import cast
from headrace.optimizers.adam import AdamOptimizer
from headrace.optimizers.adam_variants import LazyAdamOptimizer
from headrace.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class AdamGSOptimizer(AdamOptimizer):
    """Adam that takes beta1^t and beta2^t from the global step.

    Args:
        global_step: the variable that counts the steps.
        learning_rate, beta1, beta2, epsilon, use_locking, name: as those of `tf.train.AdamOptimizer`.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> train_op = tf.contrib.opt.AdamGSOptimizer(step, 1e-3).minimize(loss, global_step=step)
    """

    def __init__(
        self,
        global_step: TensorLike = 0,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._global_step_on_worker: Tensor | None = None

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        steps = self._global_step_on_worker
        return raw.Pow(self._beta1_t, steps), raw.Pow(self._beta2_t, steps)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        self._global_step_on_worker = cast(raw.Identity(self._global_step) + 1, dtypes.float32)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation | None:
        # The global step counts for all: there are no powers to update.
        return Optimizer._finish(self, update_ops, name_scope)


class LazyAdamGSOptimizer(AdamGSOptimizer, LazyAdamOptimizer):
    """`AdamGSOptimizer` that leaves the moments of rows without a gradient as they are.

    Args:
        global_step, learning_rate, beta1, beta2, epsilon, use_locking, name: as those of `AdamGSOptimizer`.

    Example:
        >>> opt = tf.contrib.opt.LazyAdamGSOptimizer(global_step, 1e-3)
        >>> train_op = opt.minimize(loss, global_step=global_step)
    """
