"""Switch and Merge: the ops that branches are made of, and their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.cases import made, result, variable
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph, name_scope
from headrace.core.dims import Dims, is_fully_defined
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.planning_facts import Role
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.flow.contexts import is_loop_switch, is_switch, output_context
from headrace.kernels.state.handles import handle_dtype

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, Nested, TensorLike


def _declare_switch(op_type: str, ref: str) -> OpDecl:
    decl = op(op_type, f"data: {ref}T, pred: bool, *, T: type -> output_false: {ref}T, output_true: {ref}T")
    decl.aliases().plays(Role.SWITCH).passes_handle()

    @decl.shape
    def switch_shape(op):
        if op.inputs[1].dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[1].dims)}")
        return [op.inputs[0].dims] * 2

    @decl.gradient
    def switch_gradient(op, *grads):
        """What comes back from the branch taken; the other branch sends zeros, made only when it is taken."""
        context = op._get_control_flow_context()
        if is_loop_switch(op):
            return [_loop_switch_gradient(op, grads), None]
        if context is not None and context.IsCondContext():
            if grads[1 - context.branch] is None:
                if op.inputs[0].dtype.name == "resource":
                    return [merge([grads[context.branch]] * 2, name="cond_resource_grad")[0], None]
                return [None, None]
            return [merge(list(grads), name="cond_grad")[0], None]
        false_grad = switch(grads[0], op.inputs[1])[0]
        true_grad = switch(grads[1], op.inputs[1])[1]
        return [merge([false_grad, true_grad])[0], None]

    return decl


def _loop_switch_gradient(op: Operation, grads: Nested[Tensor]) -> Tensor | None:
    """Visited twice: what leaves the loop makes the Merge of the gradient loop, what goes round comes back into it."""
    switch_map = get_default_graph()._get_control_flow_context().grad_state.switch_map
    merged = switch_map.get(op)
    if merged is not None:
        if grads[1] is not None:
            following = raw.NextIteration(grads[1])
            merged.op._update_input(1, following)
        return None
    if grads[0] is None:
        return None
    switch_map[op] = merged = merge([grads[0], grads[0]], name="b_switch")[0]
    return merged


def _declare_merge(op_type: str, ref: str) -> OpDecl:
    decl = op(op_type, f"inputs: N * {ref}T, *, T: type, N: int >= 1 -> output: {ref}T, value_index: int32")
    decl.aliases().plays(Role.MERGE).chooses_handle()

    @decl.shape
    def merge_shape(op):
        return [_common(tensor.dims for tensor in op.inputs), ()]

    @decl.gradient
    def merge_gradient(op, grad, _):
        """The gradient goes into the branch that was taken."""
        context = output_context(op.inputs[0].op)
        loop = get_default_graph()._get_control_flow_context()
        if context is not None and context.IsWhileContext():
            return list(switch_ref_or_tensor(grad, loop.pivot))
        if context is not None and context.IsCondContext():
            pred = context.pred
            if loop is not None and loop.grad_state is not None:
                pred = loop.grad_state.predicate_of_iteration(pred)
            return list(switch_ref_or_tensor(grad, pred, name="cond_grad"))
        taken = [raw.Equal(op.outputs[1], i) for i in range(len(op.inputs))]
        return [switch_ref_or_tensor(grad, pred)[1] for pred in taken]

    return decl


def _common(shapes: Iterator[Any]) -> Dims:
    """What all shapes agree on."""
    merged: Dims = None
    for i, dims in enumerate(shapes):
        if dims is None or (i and (merged is None or len(merged) != len(dims))):
            return None
        merged = dims if i == 0 else tuple(a if a == b else None for a, b in zip(merged or (), dims, strict=True))
    return merged


_switches = (_declare_switch("Switch", "").forwards_memory(), _declare_switch("RefSwitch", "ref "))
_merges = (_declare_merge("Merge", "").forwards_memory(), _declare_merge("RefMerge", "ref "))
for _switch, _merge, _ref in zip(_switches, _merges, ("", "Ref"), strict=True):
    for _pred in (True, False):
        _switched = made(f"{_ref}Switch", variable([2]) if _ref else [2], np.bool_(_pred))
        _merge.accepts([_switched, _switched[1]])
        _switch.accepts([2], np.bool_(_pred), fetches=[made(f"{_ref}Merge", [result, result[1]])])
    _switch.accepts([2], [], fetches=[made("Merge", [made("Neg", result), made("Square", result[1])])])
    _switch.rejects([2], np.array([True]), error=ValueError)


def switch(
    data: TensorLike | SparseTensor, pred: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """Passes `data` to the second output when `pred` is true, to the first when it is not.

    Returns:
        (output_false, output_true); what depends on the one not taken does not run.
    """
    if not isinstance(data, (IndexedSlices, SparseTensor)):
        data = convert_to_tensor(data, dtype, name="data")
        return raw.Switch(data, convert_to_tensor(pred, name="pred"), name=name)
    with name_scope(name, "Switch", [data, pred]):
        pred = convert_to_tensor(pred, name="pred")
        sides = zip(*(raw.Switch(part, pred) for part in nest.flatten(data, expand_composites=True)), strict=True)
        when_false, when_true = (nest.pack_sequence_as(data, side, expand_composites=True) for side in map(list, sides))
        return when_false, when_true


def switch_ref_or_tensor(data: Tensor, pred: Tensor, name: str = "Switch") -> tuple[Tensor, Tensor]:
    """`switch` of a value or of a reference, placed where `data` is."""
    with colocate_with(data, ignore_existing=True):
        if data.dtype._is_ref_dtype:
            return raw.RefSwitch(data, pred, name=name)
        return raw.Switch(data, pred, name=name)


def ref_switch(data: Tensor, pred: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`switch` of a reference to a variable: both outputs are references."""
    return raw.RefSwitch(convert_to_tensor(data, as_ref=True), convert_to_tensor(pred, name="pred"), name=name)


ref_select_op = op("RefSelect", "index: int32, inputs: N * ref T, *, T: type, N: int >= 1 -> output: ref T")
ref_select_op.aliases().chooses_handle().on_host("index")


@ref_select_op.shape
def ref_select_shape(op):
    rank_is(op.inputs[0].dims, 0)
    alike = {value.dims for value in op.inputs[1:]}
    dims = alike.pop()
    return [dims if not alike and is_fully_defined(dims) else None]


@ref_select_op.kernel
def ref_select_kernel(node):
    def select(index, *references):
        if not 0 <= int(index) < len(references):
            raise InvalidArgumentError(
                None, None, f"Index must be in the range [0, {len(references)}) but got {int(index)}"
            )
        return references[int(index)]

    return select


ref_select_op.accepts(np.int32(1), [variable([2]), variable([2])])
ref_select_op.rejects(np.int32(2), [variable([2]), variable([2])], error=InvalidArgumentError)


def ref_select(index: TensorLike, inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """The reference among those to variables whose position is `index`.

    Args:
        index: an int32 scalar.
        inputs: the variables.

    Raises:
        InvalidArgumentError: in the step, if there is none at that position.
    """
    references = [convert_to_tensor(item, as_ref=True) for item in inputs]
    return raw.RefSelect(convert_to_tensor(index, name="index"), references, name=name)


def merge(inputs: list[Any], name: str | None = None) -> tuple[Any, Tensor]:
    """The one of `inputs` whose branch was taken, and its index.

    Tensors among IndexedSlices count as slices of all rows.

    Raises:
        ValueError: if one of `inputs` is None.
    """
    if any(item is None for item in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    if any(isinstance(item, (IndexedSlices, SparseTensor)) for item in inputs):
        with name_scope(name, "Merge", inputs):
            slices: list[Any] = [item if isinstance(item, SparseTensor) else _all_rows(item) for item in inputs]
            if len({item.indices.dtype for item in slices}) > 1:
                slices = [_wide_indices(item) for item in slices]
            for item in slices[1:]:
                nest.assert_same_structure(slices[0], item, expand_composites=True)
            parts = zip(*(nest.flatten(item, expand_composites=True) for item in slices), strict=True)
            merged = [raw.Merge(list(alternatives)) for alternatives in parts]
            whole = nest.pack_sequence_as(slices[0], [values for values, _ in merged], expand_composites=True)
            return whole, merged[0][1]
    tensors = [convert_to_tensor(item, as_ref=True) for item in inputs]
    if all(tensor.dtype._is_ref_dtype for tensor in tensors):
        return raw.RefMerge(tensors, name=name or "Merge")
    return raw.Merge(tensors, name=name)


def _all_rows(value: TensorLike) -> IndexedSlices:
    if isinstance(value, IndexedSlices):
        return value
    tensor = convert_to_tensor(value)
    shape = raw.Shape(tensor)
    return IndexedSlices(tensor, composing.range_(0, shape[0]), shape)


def _wide_indices(slices: IndexedSlices) -> IndexedSlices:
    if slices.indices.dtype.name == "int64":
        return slices
    return IndexedSlices(slices.values, composing.cast(slices.indices, "int64"), slices.dense_shape)


def zeros_outside_loop(op: Operation, index: int) -> Tensor | None:
    """Zeros like output `index` of `op`; of a Switch in a branch, made only when the other branch is taken."""
    output = op.outputs[index]
    context = op._get_control_flow_context()
    if not is_switch(op) or context is None or not context.IsCondContext():
        if output.dtype.name == "resource" and (dtype := handle_dtype(output)) is not None:
            return _zeros(raw.VariableShape(output), dtype)
        if output.dtype.name in ("resource", "variant"):
            return None
        with name_scope(None, "zeros_like", [output]) as scope:
            return raw.ZerosLike(output, name=scope)
    other = switch(op.inputs[0], context.pred)[1 - context.branch]
    # Control edges come from whole operations, so this one marks the branch.
    pivot = raw.Identity(other)
    if output.dtype.name == "resource":
        with control_dependencies([pivot]):
            return _zeros(raw.VariableShape(other), handle_dtype(op.inputs[0]) or "float32")
    shape = raw.Shape(other)
    with control_dependencies([pivot]):
        return _zeros(shape, output.dtype.base_dtype)


def _zeros(shape: Tensor, dtype: DTypeLike) -> Tensor:
    graph = get_default_graph()
    with graph.name_scope("zeros") as scope:
        return raw.Fill(shape, convert_to_tensor(0, dtype, name="Const"), name=scope)
