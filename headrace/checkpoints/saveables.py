"""What a saver saves: objects that name tensors and know how to take them back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device
from headrace.core.device import DeviceSpec
from headrace.core.dims import is_fully_defined
from headrace.core.eager import executing_eagerly
from headrace.core.framework_ops import internal_convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.shape import reshape
from headrace.state.partitioned import PartitionedVariable
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.updates import assign
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape


_REFERENCES = ("Variable", "VariableV2", "AutoReloadVariable")
_VARIABLE_OPS = (*_REFERENCES, "VarHandleOp", "ReadVariableOp")


def on_cpu(name: str) -> str:
    """The first CPU of the machine of a device."""
    return DeviceSpec.from_string(name).replace(device_type="CPU", device_index=0).to_string()


set_cpu0 = on_cpu


class SaveSpec:
    """One tensor to save.

    Args:
        tensor: the tensor, or a function that makes it.
        slice_spec: which part of a larger tensor it is, "" for a whole one.
        name: its name in the checkpoint.
        dtype, device: its type and device; needed where `tensor` is a function.

    Raises:
        AssertionError: if they are needed and missing.
    """

    def __init__(
        self,
        tensor: Callable[..., Any] | Tensor | Variable,
        slice_spec: str,
        name: str,
        dtype: DType | None = None,
        device: str | None = None,
    ) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor):
            if dtype is None or device is None:
                raise AssertionError(
                    "When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must be provided."
                )
            self.dtype, self.device = dtype, device
        else:
            self.dtype, self.device = tensor.dtype, tensor.device

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Something that is saved as several tensors; derive from it to save what is no variable.

    Args:
        op: what is saved, which must not be saved twice.
        specs: a list of `SaveSpec`, all on one device.
        name: the name it is saved under.
    """

    # The name it has without objects, where it was made for a checkpoint of objects.
    full_name = ""

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        """Whether a checkpoint without it is complete."""
        return False

    @property
    def device(self) -> str:
        """The device of its tensors."""
        return self.specs[0].device

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Any:
        """The operation that takes tensors of a checkpoint back.

        Args:
            restored_tensors: a tensor for each spec.
            restored_shapes: the shape to give to each, or None to leave them.
        """
        raise ValueError("Calling an abstract method.")


class NoRestoreSaveable(SaveableObject):
    """A tensor that is saved and never read back.

    Args:
        tensor: the tensor, or a function that makes it.
        name: the name it is saved under.
        dtype, device: its type and device, where `tensor` is a function.
    """

    def __init__(self, tensor: Any, name: str, dtype: DType | None = None, device: str | None = None) -> None:
        super().__init__(tensor, [SaveSpec(tensor, "", name, dtype=dtype, device=device)], name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Any:
        """Nothing."""
        return raw.NoOp()


class ReferenceVariableSaveable(SaveableObject):
    """A variable that is reached by reference."""

    def __init__(self, var: Tensor | Variable, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Tensor:
        """Assigns the tensor."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        known = is_fully_defined(self.op.shape.as_list() if self.op.shape.ndims is not None else None)
        return assign(self.op, value, validate_shape=restored_shapes is None and known)


class ResourceVariableSaveable(SaveableObject):
    """A resource variable, or the operation that reads it."""

    def __init__(self, var: Tensor | Variable, slice_spec: str, name: str) -> None:
        self._device, self._shape = var.device, var.shape
        if isinstance(var, Tensor):
            self.handle_op = var.op.inputs[0]
            tensor: Callable[..., Any] | Tensor = var
        elif isinstance(var, BaseResourceVariable):
            self.handle_op = var.handle
            tensor = _reading(var)
        else:
            raise ValueError(f"Saveable is neither a resource variable nor a read operation. Got: {var!r}")
        super().__init__(var, [SaveSpec(tensor, slice_spec, name, dtype=var.dtype, device=var.device)], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None
    ) -> Operation | None:
        """Assigns the tensor."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        with device(self._device):
            value = raw.Identity(value)
            self._shape.assert_is_compatible_with(value.shape)
            return raw.AssignVariableOp(self.handle_op, value)


def _reading(variable: BaseResourceVariable) -> Callable[[], Tensor]:
    def read() -> Tensor:
        with device(variable.device):
            value = variable.read_value()
            with device("/device:CPU:0"):
                return raw.Identity(value)

    return read


def _comes_from_variable(value: Tensor) -> bool:
    return isinstance(value, Tensor) and value.op.type in _VARIABLE_OPS


def _is_trackable(item: Tensor | PartitionedVariable | Variable) -> bool:
    # A variable says so itself where it is made of several.
    return hasattr(item, "_gather_saveables_for_checkpoint")


def saveable_objects_for_op(op: Any, name: str) -> Iterator[SaveableObject]:
    """The saveable objects that a variable, a list of parts or another object stands for.

    Args:
        op: a variable, its tensor, a partitioned variable or list of its parts, or a saveable object.
        name: the name in the checkpoint.

    Raises:
        TypeError: if `op` is nothing that can be saved, or `name` no string.
        ValueError: if a list is not of parts of one variable, or, eagerly, `op` is nothing that can be saved.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to trackable operations. Name is not a string: {name}"
        )
    if isinstance(op, SaveableObject):
        yield op
    elif isinstance(op, (list, tuple, PartitionedVariable)):
        yield from _parts(list(op), name)
    elif _is_trackable(op):
        for attribute, factory in op._gather_saveables_for_checkpoint().items():
            made = (
                factory(name if attribute == "VARIABLE_VALUE" else f"{name}_{attribute}")
                if callable(factory)
                else factory
            )
            yield from saveable_objects_for_op(made, made.name)
    elif isinstance(op, BaseResourceVariable):
        yield ResourceVariableSaveable(op._graph_element if op._in_graph_mode else op, "", name)
    else:
        if executing_eagerly():
            raise ValueError(f"Can only save/restore ResourceVariables when executing eagerly, got type: {type(op)}.")
        tensor = internal_convert_to_tensor(op, as_ref=True)
        if not _comes_from_variable(tensor):
            raise TypeError(
                f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {tensor}"
            )
        kind = ReferenceVariableSaveable if tensor.op.type in _REFERENCES else ResourceVariableSaveable
        yield kind(tensor, "", name)


def _parts(parts: list[Any], name: str) -> Iterator[SaveableObject]:
    whole = None
    for part in parts:
        if not isinstance(part, Variable):
            raise ValueError(f"Slices must all be Variables: {part}")
        info = part._save_slice_info
        if not info:
            raise ValueError(f"Slices must all be slices: {part}")
        if whole is None:
            whole = info.full_name
        elif whole != info.full_name:
            raise ValueError(f"Slices must all be from the same tensor: {whole} != {info.full_name}")
        is_resource = isinstance(part, BaseResourceVariable)
        yield (ResourceVariableSaveable if is_resource else ReferenceVariableSaveable)(part, info.spec, name)


def op_list_to_dict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:
    """What to save by the name to save it under.

    Args:
        op_list: a list, tuple or set of variables and saveable objects.
        convert_variable_to_tensor: whether to give the tensors of variables that are no parts, rather than them.

    Returns:
        the parts of one variable are a list under its name.

    Raises:
        TypeError: if `op_list` is no list, or holds what cannot be saved.
        ValueError: if two have one name.
    """
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list: {op_list}")
    named: dict[str, Any] = {}
    # Sorted, so that the operations made are always the same.
    for var in sorted(op_list, key=lambda item: item.name):
        if isinstance(var, SaveableObject):
            named[var.name] = var
        elif isinstance(var, Variable) and var._save_slice_info:
            name = var._save_slice_info.full_name or ""
            parts = named.setdefault(name, [])
            if not isinstance(parts, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {name}")
            parts.append(var)
        elif _is_trackable(var):
            made = [factory() if callable(factory) else factory for factory in
                    var._gather_saveables_for_checkpoint().values()]  # fmt: skip
            named.update(op_list_to_dict(made))
        else:
            name, value = _name_and_value(var, convert_variable_to_tensor)
            if name in named:
                if value is named[name] and not getattr(value, "_in_graph_mode", True):
                    # Eagerly a variable may be there twice.
                    continue
                raise ValueError(f"At least two variables have the same name: {name}")
            named[name] = value
    return named


def _name_and_value(var: Any, convert: bool) -> tuple[str, Any]:
    if isinstance(var, PartitionedVariable):
        return var.name, var
    if isinstance(var, BaseResourceVariable) and not var._in_graph_mode:
        return var._shared_name, var
    if convert:
        is_resource = isinstance(var, BaseResourceVariable)
        var = var._graph_element if is_resource else internal_convert_to_tensor(var, as_ref=True)
        if not _comes_from_variable(var):
            raise TypeError(f"Variable to save is not a Variable: {var}")
    return (var.op.inputs[0].op.name if var.op.type == "ReadVariableOp" else var.op.name), var


def validate_and_slice_inputs(names_to_saveables: Any) -> list[SaveableObject]:
    """The saveable objects of a dict or list of what to save, sorted by name.

    Raises:
        TypeError: if something cannot be saved.
        ValueError: if something would be saved twice.
    """
    named = names_to_saveables if isinstance(names_to_saveables, dict) else op_list_to_dict(names_to_saveables)
    saveables: list[SaveableObject] = []
    seen: set[int] = set()
    for name, item in sorted(named.items(), key=lambda pair: pair[0]):
        for saveable in saveable_objects_for_op(item, name):
            if id(saveable.op) in seen:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            seen.add(id(saveable.op))
            saveables.append(saveable)
    return saveables


__all__ = [
    "ReferenceVariableSaveable",
    "ResourceVariableSaveable",
    "SaveSpec",
    "SaveableObject",
    "op_list_to_dict",
    "saveable_objects_for_op",
    "validate_and_slice_inputs",
]
