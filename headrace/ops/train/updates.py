"""The declarations of the update ops: each formula on reference and resource variables, on all rows and on some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from headrace.core.buffers import uninitialized
from headrace.core.errors import InternalError, InvalidArgumentError
from headrace.core.registry import OpDecl, op
from headrace.core.shapes import Dims
from headrace.ops.state.common import handle_dims, invalid, merge_shapes, shape_text
from headrace.ops.state.indices import turns_of
from headrace.ops.train import formulas

REF, RESOURCE, SPARSE, RESOURCE_SPARSE = "Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"
DENSE = (REF, RESOURCE)
ALL = (REF, RESOURCE, SPARSE, RESOURCE_SPARSE)

_STEP = "global_step"


@dataclass(frozen=True)
class Rule:
    """One update rule.

    Attributes:
        name: what the op types end in.
        states: the variable and its slots, separated by blanks.
        rest: the inputs after them, the gradient among them.
        formula: what changes the tensors.
        flags: the attributes besides `use_locking`, in the language of signatures.
        forms: which op types there are.
    """

    name: str
    states: str
    rest: str
    formula: Callable[..., None]
    flags: str = ""
    forms: tuple[str, ...] = DENSE


RULES = (
    Rule("GradientDescent", "var", "alpha delta", formulas.gradient_descent),
    Rule("ProximalGradientDescent", "var", "alpha l1 l2 delta", formulas.proximal_gradient_descent, forms=ALL),
    Rule("Adadelta", "var accum accum_update", "lr rho epsilon grad", formulas.adadelta, forms=ALL),
    Rule("Adagrad", "var accum", "lr grad", formulas.adagrad, "update_slots=True", ALL),
    Rule("AdagradV2", "var accum", "lr epsilon grad", formulas.adagrad_v2, "update_slots=True", ALL),
    Rule(
        "AdagradDA",
        "var gradient_accumulator gradient_squared_accumulator",
        "grad lr l1 l2 global_step",
        formulas.adagrad_da,
        forms=ALL,
    ),
    Rule("ProximalAdagrad", "var accum", "lr l1 l2 grad", formulas.proximal_adagrad, forms=ALL),
    Rule("Ftrl", "var accum linear", "grad lr l1 l2 lr_power", formulas.ftrl, forms=ALL),
    Rule("FtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", formulas.ftrl_v2, forms=ALL),
    Rule("Momentum", "var accum", "lr grad momentum", formulas.momentum, "use_nesterov=False", ALL),
    Rule(
        "KerasMomentum",
        "var accum",
        "lr grad momentum",
        formulas.keras_momentum,
        "use_nesterov=False",
        (RESOURCE, RESOURCE_SPARSE),
    ),
    Rule(
        "Adam",
        "var m v",
        "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        formulas.adam,
        "use_nesterov=False",
    ),
    Rule(
        "AdamWithAmsgrad",
        "var m v vhat",
        "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        formulas.adam_with_amsgrad,
        forms=(RESOURCE,),
    ),
    Rule("AdaMax", "var m v", "beta1_power lr beta1 beta2 epsilon grad", formulas.ada_max),
    Rule("RMSProp", "var ms mom", "lr rho momentum epsilon grad", formulas.rms_prop, forms=ALL),
    Rule("CenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad", formulas.centered_rms_prop, forms=ALL),
    Rule("AddSign", "var m", "lr alpha sign_decay beta grad", formulas.add_sign),
    Rule("PowerSign", "var m", "lr logbase sign_decay beta grad", formulas.power_sign),
)


def declare(rule: Rule, form: str) -> OpDecl:
    """Declares the op type of one rule in one form."""
    resource = form in (RESOURCE, RESOURCE_SPARSE)
    sparse = form in (SPARSE, RESOURCE_SPARSE)
    states, rest = rule.states.split(), rule.rest.split()
    if sparse:
        # The gradient is `grad` in all sparse forms, and its rows follow it.
        rest = ["grad" if name == "delta" else name for name in rest]
        rest.insert(rest.index("grad") + 1, "indices")
    types = {_STEP: "int64", "indices": "Tindices"}
    inputs = [f"{name}: {'resource' if resource else 'ref T'}" for name in states]
    inputs += [f"{name}: {types.get(name, 'T')}" for name in rest]
    attrs = ["T: numeric", *(["Tindices: index"] if sparse else []), "use_locking=False"]
    attrs += [rule.flags] if rule.flags else []
    output = "->" if resource else "-> out: ref T"
    decl = op(f"{form}{rule.name}", f"{', '.join(inputs)}, *, {', '.join(attrs)} {output}", stateful=resource)
    numbers = [name for name in rest if name not in ("grad", "delta", "indices")]
    decl.writes(*states).on_host(*numbers)
    layout = _Layout(rule, resource, sparse, states, rest)
    decl.shape(layout.dims)
    decl.kernel(layout.kernel)
    return decl


class _Layout:
    """Where one op type has which inputs, and the rules that follow from it."""

    def __init__(self, rule: Rule, resource: bool, sparse: bool, states: list[str], rest: list[str]) -> None:
        self.rule, self.resource, self.sparse = rule, resource, sparse
        self.states, self.rest = states, rest
        self.gradient = next(i for i, name in enumerate(rest) if name in ("grad", "delta"))
        self.flag = rule.flags.partition("=")[0]

    def dims(self, op: Any) -> list[Dims]:
        """The shape rule."""
        count = len(self.states)
        merged: Dims = None
        for tensor in op.inputs[:count]:
            merged = merge_shapes(merged, handle_dims(tensor) if self.resource else tensor.dims)
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

    def kernel(self, node: Any) -> Callable[..., Any]:
        """The kernel rule."""
        dtype = node.inputs[len(self.states) + self.gradient].dtype.base_dtype
        if not (dtype.is_floating or dtype.is_complex):
            raise InvalidArgumentError(
                None,
                node.origin,
                f"No OpKernel was registered to support Op '{node.type}' used by node {node.name} with these attrs: "
                f"[T={dtype.name}]",
            )
        step = self._on_rows(node) if self.sparse else self._on_all()
        step = self._with_flag(node, step)
        numbers = self._numbers(node)
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

    def _with_flag(self, node: Any, step: Callable[..., None]) -> Callable[..., None]:
        if not self.flag:
            return step
        value = node.attrs[self.flag]
        return lambda tensors, rest: step(tensors, [*rest, value])

    def _numbers(self, node: Any) -> Callable[[Any], list[Any]]:
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

        def numbers(rest: Any) -> list[Any]:
            found = template.copy()
            for i in tensors:
                found[i] = rest[i]
            for i in items:
                if not scalar and rest[i].shape:
                    raise invalid(f"{self.rest[i]} is not a scalar: {shape_text(rest[i].shape)}")
                found[i] = rest[i].item()
            return found

        return numbers

    def _on_all(self) -> Callable[..., None]:
        formula = self.rule.formula
        return lambda tensors, rest: formula(*tensors, *rest)

    def _on_rows(self, node: Any) -> Callable[..., None]:
        formula, gradient = self.rule.formula, self.gradient
        # What these give has no repeats; anything else may.
        distinct = node.inputs[len(self.states) + gradient + 1].node.type in ("Unique", "_SumOfRepeated")

        def update(tensors: list[Any], rest: list[Any]) -> None:
            grad, indices = rest[gradient], rest.pop(gradient + 1)
            _check_rows(tensors[0].shape, grad.shape, indices)
            if not indices.numel():
                return
            for rows, at in _in_turns(grad, indices, distinct):
                parts = [tensor.index_select(0, at) for tensor in tensors]
                rest[gradient] = rows
                formula(*parts, *rest)
                for tensor, part in zip(tensors, parts, strict=True):
                    tensor.index_copy_(0, at, part)

        return update


def _in_turns(grad: Any, indices: Any, distinct: bool) -> Any:
    """Pairs of gradient rows and row numbers; where a row comes again, it comes in a later pair."""
    # index_copy_ takes int64 only.
    indices = indices.long()
    if distinct or indices.numel() == 1:
        return [(grad, indices)]
    turns = turns_of(indices)
    last = int(turns.max())
    if last == 0:
        return [(grad, indices)]
    chosen = [torch.nonzero(turns == turn)[:, 0] for turn in range(last + 1)]
    return [(grad.index_select(0, at), indices.index_select(0, at)) for at in chosen]


def _check_rows(shape: Any, gradient: Any, indices: Any) -> None:
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


def _different(a: str, b: str, first: Any, second: Any) -> InvalidArgumentError:
    return invalid(f"{a} and {b} do not have the same shape{shape_text(first)} {shape_text(second)}")


def _no_value(buffer: Any, resource: bool) -> Exception:
    if resource:
        return InternalError(None, None, f"Invalid variable reference: {buffer.name} has no value.")
    return uninitialized(buffer)


for _rule in RULES:
    for _form in _rule.forms:
        declare(_rule, _form)
