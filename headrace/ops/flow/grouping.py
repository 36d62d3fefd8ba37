"""NoOp and what orders operations by it: group, tuple, with_dependencies."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, device, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor

no_op_decl = op("NoOp", "-> ").on_host(outputs=True)


@no_op_decl.kernel
def no_op_kernel(node):
    return None


no_op_decl.accepts()
no_op_decl.native(lambda node: lambda b, inputs: ())


control_trigger = op("ControlTrigger", "-> ").on_host(outputs=True)


@control_trigger.kernel
def control_trigger_kernel(node):
    return None


control_trigger.accepts()


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing; it is useful for what it is made to wait for."""
    return raw.NoOp(name=name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that has run when all of `inputs` have.

    Args:
        *inputs: tensors, operations or (nested) lists of them.
        name: a name for the operation.

    Raises:
        ValueError: for other keyword arguments; TypeError: for inputs of other types.

    Example:
        >>> a, b = tf.Variable(0), tf.Variable(0)
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(tf.group(a.assign_add(1), b.assign_add(2)))
        >>> sess.run([a, b])
        [1, 2]
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    if executing_eagerly():
        return None  # type: ignore[return-value]  # eagerly there is no operation, as in 1.x
    flat = nest.flatten(inputs, expand_composites=True)
    with name_scope(name, "group_deps", flat) as scope:
        if not flat:
            return no_op(scope)
        by_device: dict[str, list[Any]] = {}
        for item in flat:
            if not hasattr(item, "device"):
                raise TypeError(f"Expected tf.group() expected Tensor arguments not '{item}' with type '{type(item)}'")
            by_device.setdefault(item.device, []).append(item)
        if len(by_device) == 1:
            ((where, items),) = by_device.items()
            return _no_op_after(where, items, scope)
        # One NoOp for each device, then one for all.
        parts = [_no_op_after(where, by_device[where], None) for where in sorted(by_device)]
        with control_dependencies(parts):
            return no_op(scope)


def _no_op_after(where: str, items: list[Any], name: str | None) -> Operation:
    with control_dependencies(items), device(where):
        return no_op(name)


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """`output_tensor` again, there only after all of `dependencies` have run.

    Args:
        dependencies: operations or tensors.
        output_tensor: a tensor, what becomes one, IndexedSlices or SparseTensor.
        name: a name for the operation.
    """
    if executing_eagerly():
        return output_tensor
    composite = isinstance(output_tensor, (IndexedSlices, SparseTensor))
    target = output_tensor.values if composite else output_tensor
    scopes = name_scope(name, "control_dependency", [*dependencies, output_tensor])
    # What is no tensor yet is made where the result is.
    place = colocate_with(target) if hasattr(target, "op") else contextlib.nullcontext()
    with scopes as scope, place, control_dependencies(dependencies):
        output_tensor = convert_to_tensor_or_indexed_slices(output_tensor)
        if isinstance(output_tensor, SparseTensor):
            values = _identity(output_tensor.values, scope)
            return SparseTensor(output_tensor.indices, values, output_tensor.dense_shape)
        if isinstance(output_tensor, IndexedSlices):
            values = _identity(output_tensor.values, scope)
            return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
        return _identity(output_tensor, scope)


def _identity(tensor: Tensor, name: str | None = None) -> Tensor:
    return raw.RefIdentity(tensor, name=name) if tensor.dtype._is_ref_dtype else raw.Identity(tensor, name=name)


def identity_of_reference(data: Any, name: str | None = None) -> Any:
    """The same value, a reference if `data` is one; of a value made of tensors, that of each."""
    if isinstance(data, (IndexedSlices, SparseTensor)):
        return nest.map_structure(_identity, data, expand_composites=True)
    return _identity(convert_to_tensor(data, as_ref=True), name)


def tuple(tensors: Any, name: str | None = None, control_inputs: Sequence[Operation] | None = None) -> list[Any]:
    """The same tensors, each there only when all of them are.

    Args:
        tensors: a list of tensors, IndexedSlices, operations and None.
        name: a name scope.
        control_inputs: further operations to wait for.

    Raises:
        ValueError: if there is no tensor among `tensors`.
        TypeError: if a control input is not an operation or tensor.
    """
    if executing_eagerly():
        return list(tensors)
    with name_scope(name, "tuple", [t for t in tensors if t is not None]):
        converted = [
            t if t is None or isinstance(t, Operation) or is_tensor(t) else convert_to_tensor(t) for t in tensors
        ]
        gating = [t if isinstance(t, Operation) else t.op for t in converted if t is not None]
        for item in control_inputs or ():
            if isinstance(item, Tensor):
                gating.append(item.op)
            elif isinstance(item, Operation):
                gating.append(item)
            else:
                raise TypeError(f"Control input must be Operation or Tensor: {item}")
        gating = sorted(set(gating), key=lambda operation: operation._id)
        if not gating:
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        gate = group(*gating)
        results: list[Any] = []
        for t in converted:
            if t is None:
                results.append(None)
            elif isinstance(t, Operation):
                with control_dependencies([gate]):
                    results.append(group(t))
            else:
                results.append(with_dependencies([gate], t))
        return results
