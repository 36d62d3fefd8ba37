"""The updates of optimizers whose step on one variable is one op."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class OpUpdates:
    """What makes an optimizer's step an op type `Apply<kind>` with forms for sparse gradients and resource variables.

    It comes before `Optimizer` among the bases of a class, which says which op (`_kind`), which slots follow the variable
    in its inputs (`_slot_order`), and what its hyperparameters are (`_values`, by the names of the op's inputs).
    """

    _use_locking: bool
    get_slot: Callable[[Any, str], Any]
    _call_if_callable: Callable[[Any], Any]

    def _kind(self) -> str:
        """What the op types end in."""
        raise NotImplementedError

    def _slot_order(self) -> tuple[str, ...]:
        """The names of the slots in the order of the op's inputs."""
        return ()

    def _values(self) -> dict[str, Any]:
        """The hyperparameters, by the names of the op's inputs; they are cast to the type of the variable."""
        raise NotImplementedError

    def _attrs(self) -> dict[str, Any]:
        """The attributes of the op."""
        return {"use_locking": self._use_locking}

    def _as_tensor(self, value: TensorLike | Callable[..., Any], name: str) -> Tensor:
        return convert_to_tensor(self._call_if_callable(value), name=name)

    def _apply_dense(self, grad: TensorLike, var: Any) -> Operation | Tensor | Variable:
        return self._apply("Apply", grad, var, var.dtype.base_dtype).op

    def _resource_apply_dense(self, grad: Any, handle: TensorLike) -> Operation | Tensor | Variable | None:
        return self._apply("ResourceApply", grad, handle, grad.dtype.base_dtype)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation | Tensor:
        return self._apply("SparseApply", grad.values, var, var.dtype.base_dtype, grad.indices).op

    def _resource_apply_sparse(self, grad: Any, handle: TensorLike, indices: TensorLike) -> Any:
        return self._apply("ResourceSparseApply", grad, handle, grad.dtype.base_dtype, indices)

    def _apply(
        self, form: str, grad: TensorLike, var: TensorLike, dtype: DType, indices: TensorLike | None = None
    ) -> Any:
        return self._apply_with(form, grad, var, dtype, indices, self._values())

    def _apply_with(
        self,
        form: str,
        grad: TensorLike,
        var: TensorLike,
        dtype: DType,
        indices: TensorLike | None,
        values: dict[str, Any],
    ) -> Operation | Tensor | None:
        decl = getattr(raw, form + self._kind())
        states = [var, *[self.get_slot(var, name) for name in self._slot_order()]]
        args = [state.handle for state in states] if form.startswith("Resource") else list(states)
        given = {"grad": grad, "delta": grad, "indices": indices, "global_step": values.get("global_step")}
        for arg in decl.signature.inputs[len(states) :]:
            name = arg.name
            # Cast in the order of the inputs, which numbers the casts.
            args.append(given[name] if name in given else cast(values[name], dtype))
        return decl(*args, **self._attrs())
