"""The layer that applies any function."""

from __future__ import annotations

import copy
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.shapes import TensorShape
from headrace.keras.utils import generic_utils
from headrace.keras.utils.stored_code import func_dump, func_load, remember_callable, remembered_callable
from headrace.layers.engine import Layer
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike
    from headrace.state.variables import Variable


class Lambda(Layer):
    """Applies a function of tensors, and owns the variables that the function makes.

    Args:
        function: the function; it may have arguments `mask` and `training` besides its input.
        output_shape: the shape of an output without the batch's axis, or a function from the shape of inputs to that of
            outputs; found by applying the function by default.
        mask: the mask of the outputs, or a function (inputs, mask) that gives it; none by default.
        arguments: further arguments of the function, by name.

    Raises:
        TypeError: if `function` is none.

    Example:
        >>> squared = tf.keras.layers.Lambda(lambda x: x ** 2)(x)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(f"unsupported callable: a Lambda layer applies a function, got {function!r}.")
        self.function = function
        self.arguments = dict(arguments) if arguments else {}
        if mask is not None:
            self.supports_masking = True
        self.mask = mask
        self._output_shape = output_shape
        self._variable_dict: dict[str, Variable] = {}
        names = _arguments_of(function)
        self._fn_expects_training_arg = "training" in names
        self._fn_expects_mask_arg = "mask" in names

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """As `output_shape` says, else what the function gives for inputs of `input_shape`."""
        if self._output_shape is None:
            try:
                return self._shape_of_outputs(input_shape)
            except NotImplementedError:
                raise NotImplementedError(
                    "We could not automatically infer the shape of the Lambda's output. Please specify `output_shape` for "
                    "this Lambda."
                ) from None
        if callable(self._output_shape):
            return _as_shapes(self._output_shape(_as_sizes(input_shape)))
        first = nest.flatten(_as_shapes(input_shape))[0]
        batch = first.as_list()[0] if first.ndims else None

        def with_batch(sizes: Sequence[int | None]) -> TensorShape:
            return TensorShape([batch, *sizes])

        if _are_several(self._output_shape):
            return [with_batch(sizes) for sizes in self._output_shape]
        return with_batch(self._output_shape)

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """function(inputs, **arguments)."""
        arguments = self.arguments
        if self._fn_expects_mask_arg:
            arguments = {**arguments, "mask": mask}
        if self._fn_expects_training_arg:
            arguments = {**arguments, "training": training}
        with variable_creator_scope(self._variable_creator):
            return self.function(inputs, **arguments)

    def _variable_creator(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        """Makes each variable once: later calls of the function get the one of that name."""
        name = kwargs["name"]
        if name in self._variable_dict:
            return self._variable_dict[name]
        variable = next_creator(**kwargs)
        self._variable_dict[name] = variable
        kept = self._trainable_weights if variable.trainable else self._non_trainable_weights
        if all(variable is not other for other in kept):
            kept.append(variable)
        return variable

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """As the argument `mask` says."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with; Python's functions are kept as compiled code."""
        function, function_type, module = _as_setting(self.function)
        shape, shape_type, shape_module = _as_setting(self._output_shape, allow_raw=True)
        config = {
            **super().get_config(),
            "function": function,
            "function_type": function_type,
            "module": module,
            "output_shape": shape,
            "output_shape_type": shape_type,
            "output_shape_module": shape_module,
        }
        if self.mask is not None:
            mask, mask_type, mask_module = _as_setting(self.mask)
            config.update(mask=mask, mask_type=mask_type, mask_module=mask_module)
        config["arguments"] = self.arguments
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Lambda:
        """The layer that `get_config` describes.

        Args:
            config: its settings.
            custom_objects: functions by name.

        Raises:
            ValueError: if a function is compiled code of another process and loading such is not allowed
                (`tf.keras.utils.allow_code_in_models`).
        """
        config = copy.copy(config)
        config["function"] = _from_setting(config, "function", "module", "function_type", custom_objects)
        config["output_shape"] = _from_setting(
            config, "output_shape", "output_shape_module", "output_shape_type", custom_objects
        )
        if "mask" in config:
            config["mask"] = _from_setting(config, "mask", "mask_module", "mask_type", custom_objects)
        # Arrays are lists in JSON, told apart by a note beside them.
        if "arguments" in config:
            config["arguments"] = {
                key: np.array(value["value"])
                if isinstance(value, dict) and value.get("type") == "ndarray" and "value" in value
                else value
                for key, value in config["arguments"].items()
            }
        return cls(**config)


def _arguments_of(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        # Some functions that are not written in Python tell nothing.
        return []


def _are_several(shapes: Any) -> bool:
    return isinstance(shapes, (list, tuple)) and any(isinstance(item, (list, tuple, TensorShape)) for item in shapes)


def _as_shapes(shapes: Any) -> Any:
    """A shape, or a list of shapes, as `TensorShape`s."""
    return [TensorShape(each) for each in shapes] if _are_several(shapes) else TensorShape(shapes)


def _as_sizes(shapes: Any) -> Any:
    """A shape, or a list of shapes, as tuples."""
    if _are_several(shapes):
        return [tuple(TensorShape(each).as_list()) for each in shapes]
    return tuple(TensorShape(shapes).as_list())


def _as_setting(value: Any, allow_raw: bool = False) -> tuple[Any, str, str | None]:
    """What stands for a function in settings, of which kind it is, and the module whose global names it sees."""
    if isinstance(value, types.FunctionType) and not _wraps_another(value):
        return func_dump(value), "lambda", value.__module__
    if callable(value):
        name, module = remember_callable(value)
        return name, "function", module
    if allow_raw:
        return value, "raw", None
    raise ValueError(f"Invalid input for serialization, type: {type(value)} ")


def _wraps_another(function: types.FunctionType) -> bool:
    """Whether a function's closure holds another one, which no file can keep: most functions of `tf` do."""
    try:
        return any(callable(cell.cell_contents) for cell in function.__closure__ or ())
    except ValueError:  # an empty cell: the function will call itself
        return True


def _from_setting(
    config: dict[str, Any], key: str, module_key: str, type_key: str, custom_objects: Mapping[str, Any] | None
) -> Any:
    """The function that stands in settings under `key`."""
    names = dict(globals())
    module = config.pop(module_key, None)
    if module in sys.modules:
        names.update(vars(sys.modules[module]))
    elif module is not None:
        warnings.warn(
            f"{module} is not loaded, but a Lambda layer uses it. It may cause errors.", UserWarning, stacklevel=3
        )
    if custom_objects:
        names.update(custom_objects)
    kind = config.pop(type_key)
    if kind == "function":
        own = remembered_callable(config[key], module)
        if own is not None and config[key] not in (custom_objects or {}):
            return own
        return generic_utils.deserialize_keras_object(
            config[key], custom_objects=custom_objects, printable_module_name="function in Lambda layer"
        )
    if kind == "lambda":
        return func_load(config[key], globs=names)
    if kind == "raw":
        return config[key]
    raise TypeError("Unknown function type:", kind)
