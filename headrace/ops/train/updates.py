"""The declarations of the update ops: each formula on reference and resource variables, on all rows and on some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.argument_errors import complaint
from headrace.core.buffers import VariableBuffer, uninitialized
from headrace.core.dims import Dims
from headrace.core.errors import InternalError, InvalidArgumentError, NotFoundError
from headrace.core.registry import REGISTRY, OpDecl, op
from headrace.kernels.native import update_of
from headrace.kernels.state.handles import handle_dims, invalid, merge_shapes, shape_text
from headrace.kernels.state.indices import occurrence_numbers
from headrace.kernels.train import formulas
from headrace.kernels.train.bounds import within_bounds
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_STEP = "global_step"


@dataclass(frozen=True)
class Rule:
    """One update rule.

    Attributes:
        states: the variable and its slots, separated by blanks.
        rest: the inputs after them, the gradient among them.
        formula: what changes the tensors.
        flag: an attribute besides `use_locking`, in the language of signatures.
        advances: whether updates of all rows may run as soon as their gradient is there.
        cost: how many simple operations each element takes in them.
        on_rows: the runner's function for rows, if there is one.
        bounded: whether rates, strengths and powers of the wrong sign are refused.
    """

    states: str
    rest: str
    formula: Callable[..., None]
    flag: str = ""
    advances: bool = False
    cost: int = 1
    on_rows: str = ""
    bounded: bool = False


def _declare(
    rule: Rule,
    *,
    ref: str | None = None,
    resource: str | None = None,
    sparse: str | None = None,
    resource_sparse: str | None = None,
) -> None:
    """Declares the op types of one rule.

    Args:
        rule: the rule.
        ref, resource: the type that updates all rows of reference and of resource variables, if there is one.
        sparse, resource_sparse: the type that updates some rows of them, if there is one.
    """
    if ref is not None:
        _declare_form(ref, rule, is_resource=False, is_sparse=False)
    if resource is not None:
        _declare_form(resource, rule, is_resource=True, is_sparse=False)
    if sparse is not None:
        _declare_form(sparse, rule, is_resource=False, is_sparse=True)
    if resource_sparse is not None:
        _declare_form(resource_sparse, rule, is_resource=True, is_sparse=True)


def _declare_form(op_type: str, rule: Rule, is_resource: bool, is_sparse: bool) -> None:
    states, rest = rule.states.split(), rule.rest.split()
    if is_sparse:
        # The gradient is `grad` in all sparse forms, and its rows follow it.
        rest = ["grad" if name == "delta" else name for name in rest]
        rest.insert(rest.index("grad") + 1, "indices")
    types = {_STEP: "int64", "indices": "Tindices"}
    inputs = [f"{name}: {'resource' if is_resource else 'ref T'}" for name in states]
    inputs += [f"{name}: {types.get(name, 'T')}" for name in rest]
    attrs = ["T: numeric", *(["Tindices: index"] if is_sparse else []), "use_locking=False"]
    attrs += [rule.flag] if rule.flag else []
    output = "->" if is_resource else "-> out: ref T"
    decl = op(op_type, f"{', '.join(inputs)}, *, {', '.join(attrs)} {output}", stateful=is_resource)
    numbers = [name for name in rest if name not in ("grad", "delta", "indices")]
    decl.writes(*states).on_host(*numbers)
    if not is_sparse:
        decl.costs(rule.cost)
        if rule.advances:
            decl.advances()
    layout = _Layout(rule, is_resource, is_sparse, states, rest)
    decl.shape(layout.dims)
    decl.kernel(layout.kernel)
    _declare_cases(decl, states, rest, layout.flag)


# What the hyperparameters of cases are.
_NUMBERS = {
    "alpha": 0.1,
    "beta": 0.9,
    "beta1": 0.9,
    "beta1_power": 0.81,
    "beta2": 0.99,
    "beta2_power": 0.98,
    "epsilon": 1e-3,
    "l1": 0.02,
    "l2": 0.03,
    "l2_shrinkage": 0.01,
    "logbase": 1.0,
    "lr": 0.1,
    "lr_power": -0.5,
    "momentum": 0.8,
    "rho": 0.95,
    "sign_decay": 0.9,
}


def _declare_cases(decl: OpDecl, states: list[str], rest: list[str], flag: str) -> None:
    """All rows in one step, or some, one of them twice; the flag; a gradient of another shape."""
    sparse = "indices" in rest
    shape = [4, 2] if sparse else [2, 3]
    # The average of the gradients is less than the root of that of their squares.
    averages: list[Any] = [np.full(shape, 0.1, np.float32) if name == "mg" else shape for name in states]

    def inputs(gradient: list[int]) -> list[Any]:
        given: dict[str, Any] = {"grad": gradient, "delta": gradient, "indices": np.array([3, 0, 3], np.int32)}
        given[_STEP] = np.int64(3)
        return [*averages, *(given[name] if name in given else np.float32(_NUMBERS[name]) for name in rest)]

    fitting = [3, 2] if sparse else shape
    decl.accepts(*inputs(fitting))
    if flag:
        decl.accepts(*inputs(fitting), **{flag: flag != "update_slots"})
    decl.rejects(*inputs([3, 1] if sparse else [2, 2]), error=ValueError)


class _Layout:
    """Where one op type has which inputs, and the rules that follow from it."""

    def __init__(self, rule: Rule, resource: bool, sparse: bool, states: list[str], rest: list[str]) -> None:
        self.rule, self.resource, self.sparse = rule, resource, sparse
        self.states, self.rest = states, rest
        self.gradient = next(i for i, name in enumerate(rest) if name in ("grad", "delta"))
        self.flag = rule.flag.partition("=")[0]

    def dims(self, op: OpView) -> list[Dims]:
        """The shape rule."""
        count = len(self.states)
        merged: Dims = None
        for tensor in op.inputs[:count]:
            merged = merge_shapes(merged, handle_dims(tensor) if self.resource else tensor.dims)  # type: ignore[arg-type]  # handles are those of graphs
        for name, tensor in zip(self.rest, op.inputs[count:], strict=True):
            dims = tensor.dims
            if name in ("grad", "delta"):
                merged = self._with_gradient(
                    merged, dims, op.inputs[count + self.gradient + 1].dims if self.sparse else None
                )
            elif name != "indices" and dims is not None and dims != ():
                raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")
        return [] if self.resource else [merged]

    def _with_gradient(self, dims: Dims, gradient: Dims, indices: Dims) -> Dims:
        if not self.sparse:
            return merge_shapes(dims, gradient)
        if indices is not None and len(indices) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(indices)}")
        if gradient is None:
            return dims
        if not gradient:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if indices is not None:
            merge_shapes(indices, gradient[:1])
        return merge_shapes(dims, (None, *gradient[1:]))

    def kernel(self, node: NodeView) -> Callable[..., Any]:
        """The kernel rule."""
        dtype = node.inputs[len(self.states) + self.gradient].dtype.base_dtype
        if not (dtype.is_floating or dtype.is_complex):
            message = (
                f"No OpKernel was registered to support Op '{node.type}' used by node {node.name} with these attrs: "
                f"[T={dtype.name}]"
            )
            raise complaint(InvalidArgumentError(None, node.origin, message), NotFoundError, message)
        step = self._on_rows(node) if self.sparse else self._on_all(node)
        step = self._with_flag(node, step)
        numbers = self._numbers(node)
        if self.rule.bounded:
            numbers = within_bounds(self.rest, numbers)
        count, gradient, resource = len(self.states), self.gradient, self.resource
        names, sparse = self.states, self.sparse

        def update(*inputs: Any) -> Any:
            tensors = []
            for buffer in inputs[:count]:
                value = buffer.value
                if value is None:
                    raise _no_value(buffer, resource)
                tensors.append(value)
            shape = tensors[0].shape
            for i in range(1, count):
                if tensors[i].shape != shape:
                    raise _different("var", names[i], shape, tensors[i].shape)
            rest = inputs[count:]
            if not sparse and rest[gradient].shape != shape:
                raise _different("var", self.rest[gradient], shape, rest[gradient].shape)
            step(tensors, numbers(rest))
            return None if resource else inputs[0]

        if not node.attrs["use_locking"]:
            return update

        def locked(*inputs: Any) -> Any:
            with inputs[0].lock:
                return update(*inputs)

        return locked

    def _with_flag(self, node: NodeView, step: Callable[..., None]) -> Callable[..., None]:
        if not self.flag:
            return step
        value = node.attrs[self.flag]
        return lambda tensors, rest: step(tensors, [*rest, value])

    def _numbers(self, node: NodeView) -> Callable[[Any], list[Any]]:
        """A function from the inputs after the states to what the formula takes: hyperparameters as numbers."""
        count = len(self.states)
        template: list[Any] = [None] * len(self.rest)
        tensors, items = [], []
        for i, name in enumerate(self.rest):
            if name in ("grad", "delta", "indices"):
                tensors.append(i)
                continue
            constant = node.constant(count + i)
            if constant is not None and constant.ndim == 0:
                template[i] = constant.item()
            else:
                items.append(i)
        scalar = all(node.inputs[count + i].dims == () for i in items)

        def numbers(rest: Sequence[torch.Tensor]) -> list[Any]:
            found = template.copy()
            for i in tensors:
                found[i] = rest[i]
            for i in items:
                if not scalar and rest[i].shape:
                    raise invalid(f"{self.rest[i]} is not a scalar: {shape_text(rest[i].shape)}")
                found[i] = rest[i].item()
            return found

        return numbers

    def _on_all(self, node: NodeView) -> Callable[..., None]:
        formula, gradient, directly = self.rule.formula, self.gradient, self._direct(node)
        if directly is None:
            return lambda tensors, rest: formula(*tensors, *rest)

        def update(tensors: list[torch.Tensor], rest: list[Any]) -> None:
            if directly(*tensors, rest[gradient], None, *rest[:gradient], *rest[gradient + 1 :]) is None:
                formula(*tensors, *rest)

        return update

    def _direct(self, node: NodeView) -> Callable[..., Any] | None:
        """The runner's function for some rows or, with None for their numbers, all of them."""
        return direct_call(self.rule.on_rows) if self.rule.on_rows and node.device.type == "cpu" else None

    def _on_rows(self, node: NodeView) -> Callable[..., None]:
        formula, gradient = self.rule.formula, self.gradient
        # What these give has no repeats; anything else may.
        distinct = node.inputs[len(self.states) + gradient + 1].node.type in ("Unique", "_SumOfRepeated")
        directly = self._direct(node)

        def update(tensors: list[torch.Tensor], rest: list[Any]) -> None:
            grad, indices = rest[gradient], rest.pop(gradient + 1)
            if directly is not None:
                others = (*rest[:gradient], *rest[gradient + 1 :])
                if directly(*tensors, grad, indices, *others) is not None:
                    return
            _check_rows(tensors[0].shape, grad.shape, indices)
            if not indices.numel():
                return
            for rows, at in _by_occurrence(grad, indices, distinct):
                parts = [tensor.index_select(0, at) for tensor in tensors]
                rest[gradient] = rows
                formula(*parts, *rest)
                for tensor, part in zip(tensors, parts, strict=True):
                    tensor.index_copy_(0, at, part)

        return update


def _by_occurrence(
    grad: torch.Tensor, indices: torch.Tensor, distinct: bool
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Pairs of gradient rows and row numbers; where a row comes again, it comes in a later pair."""
    # index_copy_ takes int64 only.
    indices = indices.long()
    if distinct or indices.numel() == 1:
        return [(grad, indices)]
    occurrences = occurrence_numbers(indices)
    last = int(occurrences.max())
    if last == 0:
        return [(grad, indices)]
    chosen = [torch.nonzero(occurrences == occurrence)[:, 0] for occurrence in range(last + 1)]
    return [(grad.index_select(0, at), indices.index_select(0, at)) for at in chosen]


def _check_rows(shape: torch.Size, gradient: torch.Size, indices: torch.Tensor) -> None:
    if not shape:
        raise invalid("var must be at least 1 dimensional")
    if indices.ndim != 1:
        raise invalid("indices must be one-dimensional")
    if len(gradient) != len(shape):
        raise invalid(f"var and grad must have the same rank, got {len(shape)} and {len(gradient)}")
    for i in range(1, len(shape)):
        if shape[i] != gradient[i]:
            raise invalid(f"var and grad must match in dimension {i}")
    if gradient[0] != indices.shape[0]:
        raise invalid("grad must be the same size as indices in the first dimension.")
    if not indices.numel():
        return
    low, high = torch.aminmax(indices)
    if low.item() < 0 or high.item() >= shape[0]:
        at = int(torch.nonzero((indices < 0) | (indices >= shape[0]))[0])
        raise invalid(f"Index {indices[at].item()} at offset {at} in indices is out of range")


def _different(a: str, b: str, first: torch.Size, second: torch.Size) -> InvalidArgumentError:
    return invalid(f"{a} and {b} do not have the same shape{shape_text(first)} {shape_text(second)}")


def _no_value(buffer: VariableBuffer, resource: bool) -> Exception:
    if resource:
        return InternalError(None, None, f"Invalid variable reference: {buffer.name} has no value.")
    return uninitialized(buffer)


# ---- the declarations ----

_declare(
    Rule("var", "alpha delta", formulas.gradient_descent, advances=True),
    ref="ApplyGradientDescent",
    resource="ResourceApplyGradientDescent",
)
_declare(
    Rule("var", "alpha l1 l2 delta", formulas.proximal_gradient_descent),
    ref="ApplyProximalGradientDescent",
    resource="ResourceApplyProximalGradientDescent",
    sparse="SparseApplyProximalGradientDescent",
    resource_sparse="ResourceSparseApplyProximalGradientDescent",
)
_declare(
    Rule("var accum accum_update", "lr rho epsilon grad", formulas.adadelta, on_rows="adadelta_rows"),
    ref="ApplyAdadelta",
    resource="ResourceApplyAdadelta",
    sparse="SparseApplyAdadelta",
    resource_sparse="ResourceSparseApplyAdadelta",
)
_declare(
    Rule("var accum", "lr grad", formulas.adagrad, "update_slots=True", advances=True, on_rows="adagrad_rows"),
    ref="ApplyAdagrad",
    resource="ResourceApplyAdagrad",
    sparse="SparseApplyAdagrad",
    resource_sparse="ResourceSparseApplyAdagrad",
)
_declare(
    Rule(
        "var accum",
        "lr epsilon grad",
        formulas.adagrad_v2,
        "update_slots=True",
        advances=True,
        on_rows="adagrad_v2_rows",
    ),
    ref="ApplyAdagradV2",
    resource="ResourceApplyAdagradV2",
    sparse="SparseApplyAdagradV2",
    resource_sparse="ResourceSparseApplyAdagradV2",
)
_declare(
    Rule(
        "var gradient_accumulator gradient_squared_accumulator",
        "grad lr l1 l2 global_step",
        formulas.adagrad_da,
    ),
    ref="ApplyAdagradDA",
    resource="ResourceApplyAdagradDA",
    sparse="SparseApplyAdagradDA",
    resource_sparse="ResourceSparseApplyAdagradDA",
)
_declare(
    Rule("var accum", "lr l1 l2 grad", formulas.proximal_adagrad, on_rows="proximal_adagrad_rows", bounded=True),
    ref="ApplyProximalAdagrad",
    resource="ResourceApplyProximalAdagrad",
    sparse="SparseApplyProximalAdagrad",
    resource_sparse="ResourceSparseApplyProximalAdagrad",
)
_declare(
    Rule("var accum linear", "grad lr l1 l2 lr_power", formulas.ftrl, on_rows="ftrl_rows", bounded=True),
    ref="ApplyFtrl",
    resource="ResourceApplyFtrl",
    sparse="SparseApplyFtrl",
    resource_sparse="ResourceSparseApplyFtrl",
)
_declare(
    Rule("var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", formulas.ftrl_v2, bounded=True),
    ref="ApplyFtrlV2",
    resource="ResourceApplyFtrlV2",
    sparse="SparseApplyFtrlV2",
    resource_sparse="ResourceSparseApplyFtrlV2",
)
_declare(
    Rule(
        "var accum", "lr grad momentum", formulas.momentum, "use_nesterov=False", advances=True, on_rows="momentum_rows"
    ),
    ref="ApplyMomentum",
    resource="ResourceApplyMomentum",
    sparse="SparseApplyMomentum",
    resource_sparse="ResourceSparseApplyMomentum",
)
_declare(
    Rule("var accum", "lr grad momentum", formulas.keras_momentum, "use_nesterov=False", on_rows="keras_momentum_rows"),
    resource="ResourceApplyKerasMomentum",
    resource_sparse="ResourceSparseApplyKerasMomentum",
)
_declare(
    Rule(
        "var m v",
        "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        formulas.adam,
        "use_nesterov=False",
        advances=True,
        cost=3,
        on_rows="adam_rows",
    ),
    ref="ApplyAdam",
    resource="ResourceApplyAdam",
)
_declare(
    Rule("var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad", formulas.adam_with_amsgrad),
    resource="ResourceApplyAdamWithAmsgrad",
)
_declare(
    Rule("var m v", "beta1_power lr beta1 beta2 epsilon grad", formulas.ada_max),
    ref="ApplyAdaMax",
    resource="ResourceApplyAdaMax",
)
_declare(
    Rule("var ms mom", "lr rho momentum epsilon grad", formulas.rms_prop, advances=True, on_rows="rms_prop_rows"),
    ref="ApplyRMSProp",
    resource="ResourceApplyRMSProp",
    sparse="SparseApplyRMSProp",
    resource_sparse="ResourceSparseApplyRMSProp",
)
_declare(
    Rule("var mg ms mom", "lr rho momentum epsilon grad", formulas.centered_rms_prop),
    ref="ApplyCenteredRMSProp",
    resource="ResourceApplyCenteredRMSProp",
    sparse="SparseApplyCenteredRMSProp",
    resource_sparse="ResourceSparseApplyCenteredRMSProp",
)
_declare(
    Rule("var m", "lr alpha sign_decay beta grad", formulas.add_sign),
    ref="ApplyAddSign",
    resource="ResourceApplyAddSign",
)
_declare(
    Rule("var m", "lr logbase sign_decay beta grad", formulas.power_sign),
    ref="ApplyPowerSign",
    resource="ResourceApplyPowerSign",
)


# ---- native instructions


def _flag_of(name):
    return lambda node: [int(node.attrs[name])]


for _form in ("Apply", "ResourceApply"):
    REGISTRY[f"{_form}GradientDescent"].native(update_of("apply_gradient_descent", 2))
    REGISTRY[f"{_form}Momentum"].native(update_of("apply_momentum", 3, _flag_of("use_nesterov"), states=2))
    REGISTRY[f"{_form}Adam"].native(update_of("apply_adam", 9, _flag_of("use_nesterov"), states=3))
    REGISTRY[f"{_form}Adagrad"].native(update_of("apply_adagrad", 3, _flag_of("update_slots"), states=2))
    REGISTRY[f"{_form}AdagradV2"].native(update_of("apply_adagrad_v2", 4, _flag_of("update_slots"), states=2))
    REGISTRY[f"{_form}RMSProp"].native(update_of("apply_rmsprop", 7, states=3))
REGISTRY["ResourceApplyKerasMomentum"].native(update_of("apply_keras_momentum", 3, _flag_of("use_nesterov"), states=2))
