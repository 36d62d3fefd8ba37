"""What all layers share: their settings, what subclasses define, building and calling them."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.layers import named
from headrace.layers.calls import Calls, map_shapes
from headrace.layers.creation import make_variable, trainable_mode
from headrace.layers.input_spec import InputSpec
from headrace.layers.nodes import Node
from headrace.layers.policy import Policy, as_policy, defaults_to_floatx, v2_dtype_behavior_enabled
from headrace.layers.values import track_variable
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


_PACKAGE = __name__.partition(".")[0]
_ALLOWED = {
    "activity_regularizer",
    "autocast",
    "batch_input_shape",
    "batch_size",
    "experimental_autocast",
    "input_shape",
    "weights",
}


def default(method: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a method that subclasses may override, so that it shows whether one did."""
    method._is_default = True  # type: ignore[attr-defined]  # functions take any attribute
    return method


class Layer(Calls):
    """A function of tensors that owns variables: subclasses make these in `build` and use them in `call`.

    Args:
        trainable: whether optimizers train its variables.
        name: its name; one made from that of the class by default.
        dtype: the type of its variables; that of the first input by default.
        dynamic: whether it can run eagerly only: then models see of it what `compute_output_shape` says.

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
        # `tf.layers` stays as it was, whatever a program asks of Keras.
        legacy = bool(getattr(self, "_is_legacy_layer", False))
        self._dtype_policy = Policy("infer") if legacy and dtype is None else as_policy(dtype)
        self._dtype_defaulted_to_floatx = dtype is None and not legacy and defaults_to_floatx()
        self._autocast = kwargs.get("autocast", not legacy and v2_dtype_behavior_enabled())
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
        """The shape of the outputs for inputs of `input_shape`; layers that can tell override it.

        Raises:
            NotImplementedError: where it can only be found by calling the layer: in graphs, and for calls that take more
                than inputs.
        """
        if not executing_eagerly():
            raise NotImplementedError
        return self._shape_of_outputs(input_shape)

    def _shape_of_outputs(self, input_shape: ShapeLike) -> Any:
        """The shape of the outputs, found by calling the layer in a graph of its own.

        Raises:
            NotImplementedError: if a call takes more than inputs.
        """
        with FuncGraph("graph").as_default():
            inputs = map_shapes(lambda shape: raw.Placeholder(dtype=as_dtype("float32"), shape=shape), input_shape)
            try:
                outputs = self(inputs, training=False) if self._expects_training_arg else self(inputs)
            except TypeError as error:
                raise NotImplementedError(
                    "We could not automatically infer the static shape of the layer's output. Please implement the "
                    f"`compute_output_shape` method on your layer ({type(self).__name__})."
                ) from error
        return nest.map_structure(lambda tensor: tensor.shape, outputs)

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
        dtype = as_dtype(self.dtype or slots.floatx() if dtype is None else dtype)
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
        shape = () if shape is None else shape
        restored = None if name is None else restoring.value_of_new(self, name, shape)
        variable = getter(
            name=name,
            shape=shape if restored is None else None,
            dtype=dtype,
            initializer=initializer if restored is None else restored,
            constraint=named.get_constraint(constraint),
            trainable=trainable,
            partitioner=partitioner,
            use_resource=use_resource,
            collections=kwargs.get("collections"),
            synchronization=synchronization,
            aggregation=aggregation,
        )
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            track_variable(part)
        if self._dtype_policy.should_cast_variables and dtype.is_floating and kwargs.get("experimental_autocast", True):
            variable = slots.autocast_variable(variable)
        if regularizer is not None:
            self._handle_weight_regularization(variable.name.partition(":")[0], variable, regularizer)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        if name:
            # Checkpoints of objects know it by this name, whatever attribute it becomes.
            self.__dict__.setdefault("_named_weights", {})[name] = variable
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

    def _handle_weight_regularization(self, name: str, variable: Variable, regularizer: Callable[[Any], Any]) -> None:
        def loss_of(part: Variable) -> Tensor:
            with name_scope(f"{name}/Regularizer"):
                return regularizer(part)

        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            self.add_loss(functools.partial(loss_of, part))

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
