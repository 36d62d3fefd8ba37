"""Weight decay apart from the gradient (Loshchilov and Hutter, arXiv:1711.05101): variables shrink before each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.ops.array.gather import gather
from headrace.ops.flow.grouping import no_op
from headrace.optimizers.adam import AdamOptimizer
from headrace.optimizers.descent import MomentumOptimizer
from headrace.optimizers.optimizer import Optimizer
from headrace.optimizers.shampoo import ShampooOptimizer
from headrace.state.updates import scatter_add

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


if TYPE_CHECKING:
    # What comes after the extension among the bases of a class.
    _Extended = Optimizer
else:
    _Extended = object


class DecoupledWeightDecayExtension(_Extended):
    """What makes an optimizer's class decay weights; it comes first among the bases.

    Args:
        weight_decay: what part of a variable is taken away in each step.
        **kwargs: the optimizer's own arguments.
    """

    def __init__(self, weight_decay: float, **kwargs: Any) -> None:
        self._decay_var_list: Any = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor: Tensor | None = None
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        global_step: Variable | None = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Tensor | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """As `Optimizer.minimize`; `decay_var_list` are the variables that decay, all by default."""
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super().minimize(
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: TensorLike | None = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """As `Optimizer.apply_gradients`; `decay_var_list` are the variables that decay, all by default."""
        # minimize() ends here without the list: TensorFlow then decays all variables, and so does this.
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _prepare(self) -> None:
        decay = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        self._weight_decay_tensor = convert_to_tensor(decay, name="weight_decay")
        super()._prepare()

    def _decays(self, var: Any) -> bool:
        return not self._decay_var_list or var in self._decay_var_list

    def _decay_weights_op(self, var: Any) -> Operation | Tensor | Variable:
        if self._decays(var):
            return var.assign_sub(self._weight_decay * var, self._use_locking)
        return no_op()

    def _decay_weights_sparse_op(self, var: TensorLike, indices: TensorLike, add: Callable[..., Any]) -> Any:
        if self._decays(var):
            shrink = -self._weight_decay * gather(var, indices)
            return add(var, indices, shrink, self._use_locking)
        return no_op()

    def _apply_dense(self, grad: TensorLike, var: TensorLike) -> Operation | Tensor | Variable:
        with control_dependencies([self._decay_weights_op(var)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad: TensorLike, var: TensorLike) -> Operation | Tensor | Variable | None:
        with control_dependencies([self._decay_weights_op(var)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        with control_dependencies([self._decay_weights_sparse_op(var, grad.indices, scatter_add)]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad: TensorLike, var: TensorLike, indices: TensorLike) -> Operation | None:
        def add(target: Any, rows: Tensor, values: Tensor, _: bool) -> Any:
            with control_dependencies([raw.ResourceScatterAdd(target.handle, rows, values)]):
                return target.value()

        with control_dependencies([self._decay_weights_sparse_op(var, indices, add)]):
            return super()._resource_apply_sparse(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer: type[Any]) -> type[Any]:
    """A class of optimizers like `base_optimizer` that decay weights; its first argument is `weight_decay`.

    Example:
        >>> AdagradW = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
        >>> train_op = AdagradW(weight_decay=1e-4, learning_rate=0.1).minimize(loss)
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """The base optimizer with decay."""

        def __init__(self, weight_decay: float, *args: Any, **kwargs: Any) -> None:
            self._decay_var_list = None
            self._weight_decay = weight_decay
            self._weight_decay_tensor = None
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weight decay.

    Args:
        weight_decay: what part of a variable is taken away in each step.
        learning_rate, momentum, use_locking, name, use_nesterov: as those of `tf.train.MomentumOptimizer`.
    """

    def __init__(
        self,
        weight_decay: float,
        learning_rate: float,
        momentum: float,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weight decay.

    Args:
        weight_decay: what part of a variable is taken away in each step.
        learning_rate, beta1, beta2, epsilon, use_locking, name: as those of `tf.train.AdamOptimizer`.

    Example:
        >>> train_op = tf.contrib.opt.AdamWOptimizer(weight_decay=1e-5, learning_rate=1e-3).minimize(loss)
    """

    def __init__(
        self,
        weight_decay: float,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class ShampooWOptimizer(DecoupledWeightDecayExtension, ShampooOptimizer):
    """Shampoo with weight decay.

    Args:
        weight_decay: what part of a variable is taken away in each step.
        global_step, max_matrix_size, gbar_decay, gbar_weight, mat_gbar_decay, mat_gbar_weight, learning_rate,
            svd_interval, precond_update_interval, epsilon, alpha, use_iterative_root, use_locking, name: as those of
            `tf.contrib.opt.ShampooOptimizer`.
    """

    def __init__(
        self,
        weight_decay: float,
        global_step: Variable,
        max_matrix_size: int = 768,
        gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0,
        mat_gbar_decay: Any = 1.0,
        mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0,
        svd_interval: Any = 1,
        precond_update_interval: Any = 1,
        epsilon: float = 1e-4,
        alpha: TensorLike = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "ShampooW",
    ) -> None:
        super().__init__(
            weight_decay,
            global_step=global_step,
            max_matrix_size=max_matrix_size,
            gbar_decay=gbar_decay,
            gbar_weight=gbar_weight,
            mat_gbar_decay=mat_gbar_decay,
            mat_gbar_weight=mat_gbar_weight,
            learning_rate=learning_rate,
            svd_interval=svd_interval,
            precond_update_interval=precond_update_interval,
            epsilon=epsilon,
            alpha=alpha,
            use_iterative_root=use_iterative_root,
            use_locking=use_locking,
            name=name,
        )
