"""The ops of TensorArrays: lists of tensors that live for one run, each element written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import slots
from headrace.core.cases import Made, made, result
from headrace.core.dims import Dims, is_fully_defined
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import OpDecl, op
from headrace.kernels.flow import native_lists
from headrace.kernels.flow.tensor_array_resource import TensorArrayResource
from headrace.kernels.native import always
from headrace.kernels.state.handles import maker, merge_shapes

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


# ---- declarations: two generations, whose handles are strings and resources ----


def _declare_both(string_type: str, resource_type: str, signature: str) -> tuple[OpDecl, OpDecl]:
    """Declares an op on an array in both generations; `HANDLE` in the signature stands for the type of handles."""
    second = op(string_type, signature.replace("HANDLE", "string"))
    third = op(resource_type, signature.replace("HANDLE", "resource"), stateful=True)
    return second, third


array_v2 = op(
    "TensorArrayV2",
    "size: int32, *, dtype: type, element_shape: shape = None, dynamic_size=False, clear_after_read=True, "
    "tensor_array_name='' -> handle: string",
    stateful=True,
)
array_v3 = op(
    "TensorArrayV3",
    "size: int32, *, dtype: type, element_shape: shape = None, dynamic_size=False, clear_after_read=True, "
    "identical_element_shapes=False, tensor_array_name='' -> handle: resource, flow: float",
    stateful=True,
).takes_scalars("size")
grad_v2 = op(
    "TensorArrayGradV2", "handle: string, flow_in: float, *, source: string -> grad_handle: string", stateful=True
)
grad_v3 = op(
    "TensorArrayGradV3",
    "handle: resource, flow_in: float, *, source: string -> grad_handle: resource, flow_out: float",
    stateful=True,
)
grad_with_shape = op(
    "TensorArrayGradWithShape",
    "handle: resource, flow_in: float, shape_to_prepend: int32, *, source: string -> grad_handle: resource, flow_out: float",
    stateful=True,
)
write = _declare_both(
    "TensorArrayWriteV2",
    "TensorArrayWriteV3",
    "handle: HANDLE, index: int32, value: T, flow_in: float -> flow_out: float",
)
write[1].takes_scalars("index")
read = _declare_both(
    "TensorArrayReadV2",
    "TensorArrayReadV3",
    "handle: HANDLE, index: int32, flow_in: float, *, dtype: type -> value: dtype",
)
read[1].takes_scalars("index")
gather = _declare_both(
    "TensorArrayGatherV2",
    "TensorArrayGatherV3",
    "handle: HANDLE, indices: int32, flow_in: float, *, dtype: type, element_shape: shape = None -> value: dtype",
)
scatter = _declare_both(
    "TensorArrayScatterV2",
    "TensorArrayScatterV3",
    "handle: HANDLE, indices: int32, value: T, flow_in: float -> flow_out: float",
)
concat = _declare_both(
    "TensorArrayConcatV2",
    "TensorArrayConcatV3",
    "handle: HANDLE, flow_in: float, *, dtype: type, element_shape_except0: shape = None -> value: dtype, lengths: int64",
)
split = _declare_both(
    "TensorArraySplitV2",
    "TensorArraySplitV3",
    "handle: HANDLE, value: T, lengths: int64, flow_in: float -> flow_out: float",
)
size = _declare_both("TensorArraySizeV2", "TensorArraySizeV3", "handle: HANDLE, flow_in: float -> size: int32")
close = _declare_both("TensorArrayCloseV2", "TensorArrayCloseV3", "handle: HANDLE ->")

for _decl in (array_v2, array_v3, grad_v2, grad_v3, grad_with_shape, *size, *close):
    _decl.not_differentiable()
for _decl in (array_v2, array_v3, grad_v2, grad_v3, *write, *read, *gather, *scatter, *concat, *split, *size, *close):
    # Every use may change the array, so none is left out, merged or moved before another.
    _decl.checks().waits_by_value()


def _gradient(kind: str) -> Callable[..., Any]:
    """Gradients of arrays are written to and read from arrays, with the functions that stand on these ops."""
    return lambda op, *gradients: slots.tensor_array_gradient(kind, op, *gradients)


for _kind, _decls in {
    "Read": read,
    "Write": write,
    "Gather": gather,
    "Scatter": scatter,
    "Concat": concat,
    "Split": split,
}.items():
    for _decl in _decls:
        _decl.gradient(_gradient(_kind))

_FLOW = torch.tensor(0.0)


def _array_shapes(op: OpView, has_flow: bool) -> list[Dims]:
    """The shapes of a handle and, in the third generation, of the flow. As in 1.x, a handle is said to be a pair."""
    if op.inputs[0].dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[0].dims)}")
    return [(2,), ()] if has_flow else [()]


def _array_kernel(node: NodeView, has_flow: bool) -> Callable[[torch.Tensor], Any]:
    attrs = node.attrs
    name = attrs["tensor_array_name"] or node.name
    name = name.decode() if isinstance(name, bytes) else name
    options = {
        "dtype": attrs["dtype"],
        "dims": attrs["element_shape"],
        "dynamic": attrs["dynamic_size"],
        "clear": attrs["clear_after_read"],
        "identical": attrs.get("identical_element_shapes", False),
    }

    def new(size: torch.Tensor) -> Any:
        made = TensorArrayResource(name, size=int(size), **options)
        return (made, _FLOW) if has_flow else made

    return new


array_v2.on_host("size").shape(lambda op: _array_shapes(op, has_flow=False))
array_v3.on_host("size").shape(lambda op: _array_shapes(op, has_flow=True))
array_v2.kernel(lambda node: _array_kernel(node, has_flow=False))
array_v3.kernel(lambda node: _array_kernel(node, has_flow=True))


def _grad_kernel(node: NodeView, has_flow: bool) -> Callable[[TensorArrayResource, torch.Tensor], Any]:
    source = node.attrs["source"]

    def grad(array: TensorArrayResource, flow: torch.Tensor) -> Any:
        made = array.gradients.get(source) or array.gradient(source)
        return (made, flow) if has_flow else made

    return grad


grad_v2.shape(lambda op: [()])
grad_v3.shape(lambda op: [(2,), ()])
grad_v2.kernel(lambda node: _grad_kernel(node, has_flow=False))
grad_v3.kernel(lambda node: _grad_kernel(node, has_flow=True))
grad_with_shape.checks().on_host("shape_to_prepend").shape(lambda op: [(2,), ()])


@grad_with_shape.kernel
def _grad_with_shape_kernel(node):
    source = node.attrs["source"]
    return lambda array, flow, axes: (array.gradient(source, axes.tolist()), flow)


def _write(
    array: TensorArrayResource, index: torch.Tensor, value: np.ndarray | torch.Tensor, flow: torch.Tensor
) -> torch.Tensor:
    array.write(int(index), value)
    return flow


def _check_rank(op: OpView, number: int, rank: int) -> None:
    dims = op.inputs[number].dims
    if dims is not None and len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")


def _element_dims(handle: Any) -> Dims:
    """What a handle tells of the elements' shape, those of an array of gradients included.

    As in 1.x it tells nothing of elements that may differ, unless their shape is wholly known.
    """
    op = maker(handle)
    if op.type == grad_v3.type:
        return _element_dims(op.inputs[0])
    if op.type == grad_with_shape.type:
        dims, more = _element_dims(op.inputs[0]), op.inputs[2].dims
        return None if dims is None or not more or more[0] is None else ((None,) * more[0] + tuple(dims))
    if op.type != array_v3.type:
        return None
    dims = op.attrs["element_shape"]
    return dims if op.attrs["identical_element_shapes"] or is_fully_defined(dims) else None


def _write_shapes(op: OpView) -> list[Dims]:
    _check_rank(op, 1, 0)
    merge_shapes(_element_dims(op.inputs[0]), op.inputs[2].dims)
    return [()]


def _read_shapes(op: OpView) -> list[Dims]:
    _check_rank(op, 1, 0)
    return [_element_dims(op.inputs[0])]


for _decl in write:
    _decl.on_host("index").keeps("value").aliases()
    _decl.shape(_write_shapes)
    _decl.kernel(lambda node: _write)


def _read(array: TensorArrayResource, index: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
    return array.read(int(index))


for _decl in read:
    _decl.on_host("index").aliases()
    _decl.shape(_read_shapes)
    _decl.kernel(lambda node: _read)


def _stacked(dims: Dims) -> Dims:
    return None if dims is None else (None, *dims)


def _gather_shapes(op: OpView) -> list[Dims]:
    _check_rank(op, 1, 1)
    told, indices = _element_dims(op.inputs[0]), op.inputs[1].dims
    dims = op.attrs["element_shape"] if told is None else told
    return [None if dims is None else (indices[0] if indices else None, *dims)]


def _gather_kernel(node: NodeView) -> Callable[..., Any]:
    dims = node.attrs["element_shape"]
    return lambda array, indices, flow: array.stack(indices.tolist(), dims)


for _decl in gather:
    _decl.on_host("indices")
    _decl.shape(_gather_shapes)
    _decl.kernel(_gather_kernel)


def _scatter_shapes(op: OpView) -> list[Dims]:
    indices, value = op.inputs[1].dims, op.inputs[2].dims
    _check_rank(op, 1, 1)
    if value == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if indices and value and None not in (indices[0], value[0]) and indices[0] != value[0]:
        raise ValueError(f"Dimensions must be equal, but are {value[0]} and {indices[0]}")
    merge_shapes(_element_dims(op.inputs[0]), value[1:] if value else None)
    return [()]


def _scatter(
    array: TensorArrayResource, indices: torch.Tensor, value: torch.Tensor, flow: torch.Tensor
) -> torch.Tensor:
    array.scatter(indices.tolist(), value)
    return flow


for _decl in scatter:
    _decl.on_host("indices").keeps("value").aliases()
    _decl.shape(_scatter_shapes)
    _decl.kernel(lambda node: _scatter)


def _concat_kernel(node: NodeView) -> Callable[..., Any]:
    dims = node.attrs["element_shape_except0"]
    return lambda array, flow: array.joined(dims)


for _decl in concat:
    _decl.shape(lambda op: [_stacked(op.attrs["element_shape_except0"]), (None,)])
    _decl.kernel(_concat_kernel)


def _split_shapes(op: OpView) -> list[Dims]:
    _check_rank(op, 2, 1)
    return [()]


def _split(array: TensorArrayResource, value: torch.Tensor, lengths: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
    array.split(value, lengths.tolist())
    return flow


for _decl in split:
    _decl.on_host("lengths").keeps("value").aliases()
    _decl.shape(_split_shapes)
    _decl.kernel(lambda node: _split)


def _size(array: TensorArrayResource, flow: torch.Tensor) -> torch.Tensor:
    return torch.tensor(len(array.values), dtype=torch.int32)


for _decl in size:
    _decl.on_host(outputs=True)
    _decl.shape(lambda op: [()])
    _decl.kernel(lambda node: _size)
for _decl in close:
    _decl.shape(lambda op: [])
    _decl.kernel(lambda node: TensorArrayResource.close)

array_v3.native_list(native_lists.new_array)
grad_v3.native_list(native_lists.gradient_array)
write[1].native_list(native_lists.write)
read[1].native_list(always(applied("list_read", take=[0, 1])))
gather[1].native_list(native_lists.gather)
scatter[1].native_list(native_lists.scatter)
size[1].native_list(always(applied("list_size", take=[0])))


@size[1].size_elements
def _size_elements(node, known):
    """Of an array that does not grow: what it was made with."""
    array = node.inputs[0].node
    is_fixed = array.type == "TensorArrayV3" and not array.attrs["dynamic_size"]
    return known.elements(array.inputs[0]) if is_fixed else None


_ANY_FLOW, _SIZE, _FIRST = np.float32(0), np.int32(3), np.int32(0)
_PLACES, _LENGTHS = np.array([2, 0, 1], np.int32), np.array([2, 1, 1])
_OPAQUE = {"differs": "The string that stands for an array is no text here.", "varies": "it is the name of a resource"}
array_v2.accepts(_SIZE, dtype="float32", **_OPAQUE).rejects([2], dtype="float32", error=ValueError)
array_v3.accepts(_SIZE, dtype="float32", after=[made("TensorArraySizeV3", result, result[1])])
array_v3.rejects([2], dtype="float32", error=ValueError)


def _declare_cases(generation: int) -> None:
    """Cases of the ops of one generation; the arrays of cases live for one step, as all do."""
    which, version = generation - 2, f"V{generation}"
    new: Made = made(f"TensorArray{version}", _SIZE, dtype="float32")
    flow: Any = new[1] if which else _ANY_FLOW
    written = made(f"TensorArrayWrite{version}", new, _FIRST, [2], flow)
    scattered = made(f"TensorArrayScatter{version}", new, _PLACES, [3, 2], flow)
    cut = made(f"TensorArraySplit{version}", new, [4, 2], _LENGTHS, flow)
    stacked = made(f"TensorArrayGather{version}", new, _PLACES, result, dtype="float32")
    read_back = made(f"TensorArrayRead{version}", new, _FIRST, result, dtype="float32")
    refused: dict[str, Any] = {"dtype": "float32", "error": InvalidArgumentError}

    write[which].accepts(new, _FIRST, [2], flow, after=[read_back])
    write[which].rejects(new, _SIZE, [2], flow, error=InvalidArgumentError)
    read[which].accepts(new, _FIRST, written, dtype="float32").rejects(new, np.int32(1), written, **refused)
    gather[which].accepts(new, _PLACES, scattered, dtype="float32")
    gather[which].accepts(new, _PLACES[:2], scattered, dtype="float32", element_shape=[2])
    gather[which].rejects(new, _PLACES, written, **refused)
    scatter[which].accepts(new, _PLACES, [3, 2], flow, after=[stacked])
    if which:
        scatter[which].rejects(new, _PLACES, [2, 2], flow, error=ValueError)
    concat[which].accepts(new, cut, dtype="float32", element_shape_except0=[2])
    concat[which].accepts(new, scattered, dtype="float32")
    # Whole numbers: the gradient of parts that nobody reads brings TensorFlow down; that of `concat` goes through it.
    ints: Made = made(f"TensorArray{version}", _SIZE, dtype="int64")
    ints_flow: Any = ints[1] if which else made("Identity", np.float32(0))
    read_int = made(f"TensorArrayRead{version}", ints, _FIRST, result, dtype="int64")
    split[which].accepts(ints, np.arange(8).reshape(4, 2), _LENGTHS, ints_flow, after=[read_int])
    split[which].rejects(new, [4, 2], _LENGTHS[:2], flow, error=InvalidArgumentError)
    size[which].accepts(new, written)
    close[which].accepts(new)
    gradient = (grad_v2, grad_v3)[which]
    gradient_flow = result[1] if which else _ANY_FLOW
    gradient.accepts(
        new,
        written,
        source="gradients",
        after=[made(f"TensorArraySize{version}", result, gradient_flow)],
        **({} if which else _OPAQUE),
    )


_declare_cases(2)
_declare_cases(3)
_ARRAY = made("TensorArrayV3", _SIZE, dtype="float32")
grad_with_shape.accepts(
    _ARRAY,
    made("TensorArrayWriteV3", _ARRAY, _FIRST, [2], _ARRAY[1]),
    np.array([4], np.int32),
    source="gradients",
    after=[made("TensorArrayReadV3", result, _FIRST, result[1], dtype="float32")],
)
