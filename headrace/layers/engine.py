"""What all layers share: their settings, what subclasses define, building and calling them."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.dtypes import bool as bool_type
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import shape
from headrace.layers import named
from headrace.layers.additions import Additions
from headrace.layers.connections import Connections
from headrace.layers.context import call_context, default_training, to_snake_case, unique_object_name
from headrace.layers.creation import make_variable, trainable_mode
from headrace.layers.input_spec import InputSpec, check_inputs
from headrace.layers.nodes import Node, has_history, make_history
from headrace.layers.policy import as_policy
from headrace.ops.math.cast import cast
from headrace.state import restoring
from headrace.state.initializers import GlorotUniform, Zeros
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.partitioned import PartitionedVariable

if TYPE_CHECKING:
    from headrace.core.typing import (
        Constraint,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        ShapeLike,
        TensorLike,
    )
    from headrace.state.variables import Variable


_ALLOWED = {
    "activity_regularizer",
    "autocast",
    "batch_input_shape",
    "batch_size",
    "experimental_autocast",
    "input_dim",
    "input_shape",
    "weights",
}


def default(method: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a method that subclasses may override, so that it shows whether one did."""
    method._is_default = True  # type: ignore[attr-defined]  # functions take any attribute
    return method


class Layer(Additions, Connections):
    """A function of tensors that owns variables: subclasses make these in `build` and use them in `call`.

    Args:
        trainable: whether optimizers train its variables.
        name: its name; one made from that of the class by default.
        dtype: the type of its variables; that of the first input by default.
        dynamic: not supported.

    Raises:
        TypeError: for keyword arguments that no layer has.

    Example:
        >>> class Scaled(tf.layers.Layer):
        ...     def build(self, input_shape):
        ...         self.scale = self.add_weight("scale", [input_shape[-1]])
        ...     def call(self, inputs):
        ...         return inputs * self.scale
        >>> y = Scaled()(x)
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in _ALLOWED:
                raise TypeError("Keyword argument not understood:", key)
        if dynamic:
            raise NotImplementedError(
                "dynamic: layers that run eagerly are not supported; write `call` in graph operations."
            )
        self._trainable = trainable
        self._stateful = False
        self.built = False
        self._input_spec: InputSpec | None = None
        self.supports_masking = False
        self._init_set_name(name)
        self._activity_regularizer = named.get_regularizer(kwargs.pop("activity_regularizer", None))
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._updates: list[Any] = []
        self._thread_local = threading.local()
        self._callable_losses: list[Callable[[], Any]] = []
        self._losses: list[Any] = []
        self._metrics: list[Any] = []
        self._dtype_policy = as_policy(dtype)
        self._autocast = kwargs.get("autocast", False)
        self._inbound_nodes: list[Node] = []
        self._outbound_nodes: list[Node] = []
        self._read_call_signature()
        self._dynamic = dynamic
        if "batch_input_shape" in kwargs:
            self._batch_input_shape = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            self._batch_input_shape = (kwargs.get("batch_size"), *kwargs["input_shape"])
        self._initial_weights = kwargs.get("weights")

    # ---- for subclasses ----

    @default
    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables, at the first call.

        Args:
            input_shape: the `TensorShape` of the input, in the structure of the inputs.
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes."""
        return inputs

    @default
    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask of the outputs, from that of the inputs.

        Raises:
            TypeError: if there is a mask and the layer does not support any.
        """
        if self.supports_masking:
            return mask
        if any(m is not None for m in nest.flatten(mask)):
            raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
        return None

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the outputs for inputs of `input_shape`; layers that can tell override it."""
        raise NotImplementedError

    def compute_output_signature(self, input_signature: Any) -> Any:
        """The specs of the outputs for inputs of these specs, by `compute_output_shape`.

        Raises:
            TypeError: if `input_signature` holds other things than `TensorSpec`s.
        """
        for spec in nest.flatten(input_signature):
            if not hasattr(spec, "shape") or not hasattr(spec, "dtype"):
                raise TypeError(
                    f"Only TensorSpec signature types are supported, but saw signature signature entry: {spec}."
                )
        shapes = self.compute_output_shape(nest.map_structure(lambda spec: spec.shape, input_signature))
        first = nest.flatten(input_signature)[0]
        dtype = as_dtype(self._compute_dtype or first.dtype)
        return nest.map_structure(lambda shape: type(first)(shape, dtype), shapes)

    def add_weight(
        self,
        name: str | None = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        trainable: bool | None = None,
        constraint: Constraint | None = None,
        partitioner: Partitioner | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Variable:
        """Makes a variable of the layer.

        Args:
            name: its name.
            shape: its shape, a scalar's by default.
            dtype: its type; the layer's by default, else float32.
            initializer: glorot_uniform by default for floating types, zeros for others.
            regularizer: a function of the variable whose value becomes a loss of the layer.
            trainable: whether optimizers train it: True by default.
            constraint: a function that projects it after updates.
            partitioner: a function (shape, dtype) to the number of parts along each axis.
            use_resource: whether it is a resource variable.
            synchronization, aggregation: for several replicas.
            **kwargs: `getter`, a function that makes it, and `collections`.

        Raises:
            TypeError: for other keyword arguments; ValueError: if no initializer fits the type, or it is to be trained
                and synchronized on reading.
        """
        for key in kwargs:
            if key not in ("getter", "collections", "experimental_autocast"):
                raise TypeError("Unknown keyword argument:", key)
        getter = kwargs.get("getter", make_variable)
        dtype = as_dtype(dtype or self.dtype or "float32")
        if self._dtype_policy.variable_dtype is None:
            self._dtype_policy = as_policy(dtype.base_dtype)
        initializer = named.get_initializer(initializer)
        regularizer = named.get_regularizer(regularizer)
        trainable = trainable_mode(trainable, synchronization)
        if initializer is None:
            if dtype.is_floating:
                initializer = GlorotUniform()
            elif dtype.is_integer or dtype.is_bool:
                initializer = Zeros()
            else:
                raise ValueError(
                    f"An initializer for variable {name} of type {dtype.base_dtype} is required for layer {self.name}"
                )
        variable = getter(
            name=name,
            shape=() if shape is None else shape,
            dtype=dtype,
            initializer=initializer,
            constraint=named.get_constraint(constraint),
            trainable=trainable,
            partitioner=partitioner,
            use_resource=use_resource,
            collections=kwargs.get("collections"),
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if regularizer is not None:
            self._handle_weight_regularization(variable.name.partition(":")[0], variable, regularizer)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with.

        Raises:
            NotImplementedError: if the class takes arguments that only it knows.
        """
        accepted = inspect.getfullargspec(self.__init__).args  # type: ignore[misc]  # that of the subclass is meant
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        config["dtype"] = self.dtype
        own = [arg for arg in accepted if arg not in config and arg != "dynamic"]
        if len(own) > 1 and type(self).get_config is Layer.get_config:
            raise NotImplementedError("Layers with arguments in `__init__` must override `get_config`.")
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The layer that `get_config` describes."""
        return cls(**config)

    # ---- calling ----

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer, building it at the first call; further arguments go to `call`.

        Raises:
            ValueError: if the inputs are not what `input_spec` asks for, or `call` returns None.
        """
        inputs = nest.map_structure(_as_input, inputs)
        masks = self._input_masks(inputs, args, kwargs)
        given_mask = self._expects_mask_arg and masks is not None and not self._was_passed("mask", args, kwargs)
        if given_mask:
            kwargs["mask"] = masks
        training, given_training = self._training_argument(args, kwargs)
        if not call_context.in_call:
            make_history(inputs)
            if executing_eagerly():
                # What the last call added; regularizers stay, and are computed when they are asked for.
                self._clear_losses()
        with call_context.enter(self, inputs, training):
            if not self.built or not executing_eagerly():
                # Once it is built it is the op itself that complains eagerly, as in 1.15.
                check_inputs(self.input_spec, inputs, self.name)
            with name_scope(self._name_scope()):
                self._maybe_build(inputs)
                outputs = self.call(self._maybe_cast_inputs(inputs), *args, **kwargs)
                if outputs is None:
                    raise ValueError(
                        "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                        f"(layer: {self.name})."
                    )
                if has_history(inputs):
                    if given_training:
                        del kwargs["training"]
                    if given_mask:
                        del kwargs["mask"]
                    outputs = self._connect(inputs, outputs, args, kwargs)
                self._handle_activity_regularization(inputs, outputs)
                self._set_masks(inputs, outputs, masks)
        return outputs

    def apply(self, inputs: Tensor | Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self.__call__(inputs, *args, **kwargs)

    def _name_scope(self) -> str:
        return self.name

    def _init_set_name(self, name: Any, zero_based: bool = True) -> None:
        self._name = name or unique_object_name(to_snake_case(type(self).__name__), zero_based=zero_based)

    def _read_call_signature(self) -> None:
        spec = inspect.getfullargspec(self.call)
        self._call_fn_args = spec.args[1:] if spec.args[:1] == ["self"] else spec.args
        self._call_accepts_kwargs = spec.varkw is not None
        self._expects_training_arg = "training" in self._call_fn_args or self._call_accepts_kwargs
        self._expects_mask_arg = "mask" in self._call_fn_args or self._call_accepts_kwargs

    def _was_passed(
        self, argument: str, args: Sequence[Any], kwargs: Mapping[str, bool | Tensor | Sequence[int] | None]
    ) -> bool:
        return argument in kwargs or argument in self._call_fn_args[1 : len(args) + 1]

    def _passed(self, argument: str, args: Sequence[bool], kwargs: Any) -> bool | Tensor | Variable | None:
        return kwargs[argument] if argument in kwargs else args[self._call_fn_args.index(argument) - 1]

    def _input_masks(
        self, inputs: TensorLike, args: Sequence[Any], kwargs: Mapping[str, bool | Tensor | Sequence[int] | None]
    ) -> Any:
        if self._was_passed("mask", args, kwargs):
            return self._passed("mask", args, kwargs)
        masks = nest.map_structure(lambda t: getattr(t, "_keras_mask", None), inputs)
        return None if all(mask is None for mask in nest.flatten(masks)) else masks

    def _training_argument(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, bool]:
        """What the call knows of training, and whether it was put into `kwargs` because nobody said."""
        if self._was_passed("training", args, kwargs):
            value = self._passed("training", args, kwargs)
            if not self._expects_training_arg:
                kwargs.pop("training")
            return value, False
        value = call_context.training
        if value is None and default_training:
            value = default_training[-1]()
        if not self._expects_training_arg or value is None:
            return value, False
        kwargs["training"] = cast(value, bool_type) if isinstance(value, Tensor) else bool(value)
        return value, True

    def _maybe_build(self, inputs: TensorLike) -> None:
        if not self.built:
            flat = nest.flatten(inputs)
            if flat and self._dtype_policy.compute_dtype is None and hasattr(flat[0], "dtype"):
                self._dtype_policy = self._dtype_policy.inferred(flat[0].dtype.base_dtype.name)
            if not hasattr(self.build, "_is_default"):
                known = all(hasattr(tensor, "shape") for tensor in flat)
                self.build(nest.map_structure(lambda tensor: tensor.shape, inputs) if known else None)
            self.built = True
            restoring.changed()
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _maybe_cast_inputs(self, inputs: TensorLike) -> Any:
        if not (self._autocast and self._compute_dtype and as_dtype(self._compute_dtype).is_floating):
            return inputs
        compute_dtype = as_dtype(self._compute_dtype)

        def in_type(value: TensorLike) -> Any:
            if isinstance(value, Tensor) and value.dtype.is_floating and value.dtype.base_dtype != compute_dtype:
                return cast(value, compute_dtype)
            return value

        return nest.map_structure(in_type, inputs)

    def _connect(self, inputs: TensorLike, outputs: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Notes the call as a node; an input that is returned as it came gets a tensor of its own."""
        taken = {id(tensor) for tensor in nest.flatten(inputs)}

        def own(tensor: TensorLike) -> Any:
            if id(tensor) not in taken:
                return tensor
            with name_scope(self.name):
                return raw.Identity(tensor)

        outputs = nest.map_structure(own, outputs)
        self._add_inbound_node(inputs, outputs, {**dict(zip(self._call_fn_args[1:], args)), **kwargs})
        return outputs

    def _handle_weight_regularization(self, name: str, variable: Variable, regularizer: Callable[[Any], Any]) -> None:
        def loss_of(part: Variable) -> Tensor:
            with name_scope(f"{name}/Regularizer"):
                return regularizer(part)

        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            self.add_loss(functools.partial(loss_of, part))

    def _handle_activity_regularization(self, inputs: TensorLike, outputs: Tensor | Sequence[Any]) -> None:
        if self._activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                batch = cast(shape(output)[0], loss.dtype)
                self.add_loss(loss / batch, inputs=inputs)

    def _set_masks(self, inputs: TensorLike, outputs: Tensor | Sequence[Any], masks: Any) -> None:
        flat = nest.flatten(outputs)
        if getattr(self, "_compute_output_and_mask_jointly", False) or all(
            getattr(tensor, "_keras_mask", None) is not None for tensor in flat
        ):
            return
        found = None
        if self.supports_masking or not getattr(self.compute_mask, "_is_default", False):
            found = self.compute_mask(inputs, masks)
        for tensor, mask in zip(flat, [None] * len(flat) if found is None else nest.flatten(found)):
            if isinstance(tensor, Tensor):
                tensor._keras_mask = mask

    # ---- its settings ----

    @property
    def dtype(self) -> Any:
        """The name of the type of its variables; None until the first call tells."""
        return self._dtype_policy.variable_dtype

    @property
    def _dtype(self) -> Any:
        return self._dtype_policy.variable_dtype

    @_dtype.setter
    def _dtype(self, value: Any) -> None:
        self._dtype_policy = as_policy(value)

    @property
    def _compute_dtype(self) -> Any:
        return self._dtype_policy.compute_dtype

    @property
    def dynamic(self) -> bool:
        """Whether it can run eagerly only."""
        return self._dynamic

    @property
    def activity_regularizer(self) -> Any:
        """The function of its outputs that gives a loss."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        self._activity_regularizer = regularizer

    @property
    def input_spec(self) -> InputSpec | None:
        """What it asks of its inputs: an `InputSpec`, or a list of them."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: InputSpec) -> None:
        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self._input_spec = value


def _as_input(value: TensorLike) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value
