"""What happens when a layer is called: masks, the training phase, building, casting, and what is noted of the call."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autograph.conversion import converted_for_function
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.dtypes import bool as bool_type
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.errors import OperatorNotAllowedInGraphError
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import shape
from headrace.layers.additions import Additions, check_not_in_branch
from headrace.layers.connections import Connections
from headrace.layers.context import (
    call_context,
    default_training,
    get_graph,
    in_symbolic_graph,
    in_traced_function,
    learning_phase,
    to_snake_case,
    unique_object_name,
)
from headrace.layers.input_spec import check_inputs
from headrace.layers.nodes import has_history, history_makers, make_history
from headrace.ops.math.cast import cast
from headrace.state import restoring
from headrace.state.scoping import init_scope, makes_eager_variables
from headrace.util import tf_logging
from headrace.util.inspection import getfullargspec

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable

_PACKAGE = __name__.partition(".")[0]
# The arguments of `call`, by function: classes have many layers.
_signatures: weakref.WeakKeyDictionary[Any, tuple[tuple[str, ...], bool]] = weakref.WeakKeyDictionary()


class Calls(Additions, Connections):
    """A layer as something that is called."""

    call: Callable[..., Any]
    build: Callable[..., Any]
    compute_mask: Callable[..., Any]
    compute_output_shape: Callable[..., Any]
    supports_masking: bool
    input_spec: Any
    dtype: Any
    dynamic: Any
    _dtype_policy: Any
    _compute_dtype: Any
    _autocast: bool
    _dtype_defaulted_to_floatx: bool
    _activity_regularizer: Any
    _initial_weights: Any
    _call_fn_args: list[str]

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer, building it at the first call; further arguments go to `call`.

        Raises:
            ValueError: if the inputs are not what `input_spec` asks for, or `call` returns None.
        """
        eager = executing_eagerly()
        # A tensor with a value, the usual case while executing eagerly: no structure, no history.
        single = inputs.__class__ is EagerTensor
        if eager and not single and _symbolic(inputs):
            # Symbolic tensors belong to a graph even while everything else runs eagerly.
            with get_graph().as_default():
                return Calls.__call__(self, inputs, *args, **kwargs)
        given = inputs
        if not single:
            inputs = nest.map_structure(_as_input, inputs)
        masks = self._input_masks(inputs, args, kwargs)
        given_mask = self._expects_mask_arg and masks is not None and not self._was_passed("mask", args, kwargs)
        if given_mask:
            kwargs["mask"] = masks
        training, given_training = self._training_argument(args, kwargs)
        if not call_context.in_call:
            if history_makers and not single:
                make_history(inputs)
            if eager or in_traced_function():
                # What the last call added; regularizers stay, and are computed when they are asked for.
                self._clear_losses()
        with call_context.enter(self, inputs, not eager, training):
            if not self.built or not eager:
                # Once it is built it is the op itself that complains eagerly, as in 1.15.
                check_inputs(self.input_spec, inputs, self.name)
            with name_scope(self._name_scope()):
                self._maybe_build(inputs)
                outputs = self._compute(inputs, args, kwargs, eager)
                if outputs is None and not eager and not any(_is_number(value) for value in nest.flatten(given)):
                    raise ValueError(
                        "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                        f"(layer: {self.name})."
                    )
                if not eager and has_history(inputs):
                    if given_training:
                        del kwargs["training"]
                    if given_mask:
                        del kwargs["mask"]
                    outputs = self._connect(inputs, outputs, args, kwargs)
                if self._activity_regularizer is not None:
                    self._handle_activity_regularization(inputs, outputs)
                self._set_masks(inputs, outputs, masks)
                if not eager and not getattr(self, "inputs", True) and hasattr(self, "_set_inputs"):
                    # A model that a program wrote learns from its first call what its inputs are.
                    self._set_inputs(inputs, outputs, as_given=True)
        return outputs

    def _compute(self, inputs: Any, args: Sequence[Any], kwargs: dict[str, Any], eager: bool) -> Any:
        """What `call` gives.

        Raises:
            TypeError: if its control flow depends on tensors in a way that cannot be followed.
        """
        outer = call_context.read_dtype
        call_context.read_dtype = self._dtype_policy.compute_dtype if self._dtype_policy.should_cast_variables else None
        try:
            if eager:
                outputs = self.call(self._maybe_cast_inputs(inputs), *args, **kwargs)
            elif self.dynamic:
                outputs = self._symbolic_call(inputs)
            else:
                outputs = self._call_in_graph(self._maybe_cast_inputs(inputs), args, kwargs)
        except OperatorNotAllowedInGraphError as error:
            raise TypeError(
                "You are attempting to use Python control flow in a layer that was not declared to be dynamic. Pass "
                f'`dynamic=True` to the class constructor.\nEncountered error:\n"""\n{error}\n"""'
            ) from error
        finally:
            call_context.read_dtype = outer
        return outputs

    def _warn_about_input_casting(self, input_dtype: DType) -> None:
        """Says once that an input is cast to a type that nobody asked for."""
        if self.__dict__.get("_warned_of_casting"):
            return
        object.__setattr__(self, "_warned_of_casting", True)
        tf_logging.warn(
            f"Layer {self.name} is casting an input tensor from dtype {input_dtype.name} to the layer's dtype of "
            f"{self._compute_dtype}, as TensorFlow 2 does.  The layer has dtype {self._compute_dtype} because its dtype "
            "defaults to floatx. If that is meant, nothing has to be done. To change all layers call "
            f"`tf.keras.backend.set_floatx('{input_dtype.name}')`; to change this one pass dtype='{input_dtype.name}' to it, or "
            "autocast=False to the constructor of `Layer` if it is your own."
        )

    def _call_in_graph(self, inputs: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        graph = get_default_graph()
        convert = not self._is_library_class and getattr(graph, "autograph", True)
        call = converted_for_function(self.call) if convert else self.call
        if not in_symbolic_graph():
            return call(inputs, *args, **kwargs)
        before = len(graph._operations)
        outputs = call(inputs, *args, **kwargs)
        # What leaves a layer waits for the layer's effects, since nothing else of the graph is run.
        loop = _loop_of(graph._get_control_flow_context())
        effects = [
            op
            for op in graph._operations[before:]
            # What a loop does is done when the loop's results are there.
            if (op.decl.writes_state or op.decl.must_run) and _loop_of(op._control_flow_context) is loop
        ]
        with control_dependencies(effects):
            return nest.map_structure(_identity, outputs)

    @functools.cached_property
    def _is_library_class(self) -> bool:
        """Whether `call` is the library's own, so that nothing in it has to be converted."""
        # What `exec` defines may be of no module.
        module = getattr(type(self).call, "__module__", None) or ""
        return module.partition(".")[0] == _PACKAGE

    def _symbolic_call(self, inputs: Any) -> Any:
        """What stands for the outputs of a layer that only runs eagerly."""

        def stand_in(shape: Any) -> Any:
            made = raw.Placeholder(dtype=as_dtype(self.dtype or "float32"), shape=TensorShape(shape))
            made._keras_mask = None
            return made

        return map_shapes(stand_in, self.compute_output_shape(nest.map_structure(lambda t: t.shape, inputs)))

    def apply(self, inputs: Tensor | Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self.__call__(inputs, *args, **kwargs)

    def _name_scope(self) -> str:
        if not isinstance(self.name, str):
            raise ValueError(
                f"name for name_scope must be a string, got {self.name!r} as name of {type(self).__name__}."
            )
        return self.name

    def _is_layer(self) -> bool:
        return True

    def _init_set_name(self, name: Any, zero_based: bool = True) -> None:
        self._name = name or unique_object_name(to_snake_case(type(self).__name__), zero_based=zero_based)

    def _read_call_signature(self) -> None:
        function = inspect.getattr_static(type(self), "call") if "call" not in self.__dict__ else self.call
        found = _signatures.get(function)
        if found is None:
            spec = getfullargspec(getattr(self.call, "python_function", self.call))
            arguments = spec.args[1:] if spec.args[:1] == ["self"] else spec.args
            found = _signatures[function] = (tuple(arguments), spec.varkw is not None)
        self._call_fn_args, self._call_accepts_kwargs = list(found[0]), found[1]
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
        if inputs.__class__ in (EagerTensor, Tensor):
            return getattr(inputs, "_keras_mask", None)
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
        if value is None and in_symbolic_graph():
            value = learning_phase()
        if not self._expects_training_arg or value is None:
            return value, False
        kwargs["training"] = cast(value, bool_type) if isinstance(value, Tensor) else bool(value)
        return value, True

    def _maybe_build(self, inputs: TensorLike) -> None:
        if not self.built:
            flat = nest.flatten(inputs)
            if flat and self._dtype_policy.compute_dtype is None and hasattr(flat[0], "dtype"):
                self._dtype_policy = self._dtype_policy.inferred(as_dtype(flat[0].dtype).base_dtype.name)
            if not hasattr(self.build, "_is_default"):
                known = all(hasattr(tensor, "shape") for tensor in flat)
                shapes = nest.map_structure(lambda tensor: tensor.shape, inputs) if known else None
                if not executing_eagerly() and makes_eager_variables() and not getattr(self, "_is_legacy_layer", False):
                    # What is made once has a value, rather than being part of the graph in which the layer is called.
                    with init_scope():
                        self.build(shapes)
                else:
                    self.build(shapes)
            self.built = True
            restoring.changed()
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _maybe_cast_inputs(self, inputs: TensorLike) -> Any:
        if not (self._autocast and self._compute_dtype and as_dtype(self._compute_dtype).is_floating):
            return inputs
        compute_dtype = as_dtype(self._compute_dtype)

        def in_type(value: Any) -> Any:
            dtype = getattr(value, "dtype", None)
            if not isinstance(dtype, DType) or not dtype.is_floating or dtype.base_dtype == compute_dtype:
                return value
            if self._dtype_defaulted_to_floatx:
                self._warn_about_input_casting(dtype.base_dtype)
            if hasattr(value, "with_flat_values"):
                return value.with_flat_values(cast(value.flat_values, compute_dtype))
            return cast(value, compute_dtype)

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

    def _handle_activity_regularization(self, inputs: TensorLike, outputs: Tensor | Sequence[Any]) -> None:
        if self._activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                check_not_in_branch(loss, "activity_regularizer")
                batch = cast(shape(output)[0], loss.dtype)
                self.add_loss(loss / batch, inputs=inputs)

    def _set_masks(self, inputs: TensorLike, outputs: Tensor | Sequence[Any], masks: Any) -> None:
        if outputs.__class__ is EagerTensor and masks is None and hasattr(self.compute_mask, "_is_default"):
            # Nothing to pass on, and the default makes no mask where there was none.
            if getattr(outputs, "_keras_mask", None) is None:
                outputs._keras_mask = None
            return
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
                if isinstance(mask, Tensor):
                    # Masks come with what they mask; no layers are made for how they are computed.
                    mask._keras_history_checked = True


def map_shapes(function: Callable[[TensorShape], Any], shapes: Any) -> Any:
    """What `function` makes of each shape in a structure whose leaves are shapes, also such that are lists or tuples."""
    if isinstance(shapes, TensorShape):
        return function(shapes)
    if isinstance(shapes, dict):
        return {key: map_shapes(function, shape) for key, shape in shapes.items()}
    if shapes is None or not any(isinstance(size, (list, tuple, dict, TensorShape)) for size in shapes):
        return function(TensorShape(shapes))
    return [map_shapes(function, shape) for shape in shapes]


def _symbolic(inputs: Any) -> bool:
    """Whether all inputs are tensors of graphs."""
    flat = [inputs] if isinstance(inputs, Tensor) else nest.flatten(inputs, expand_composites=True)
    return bool(flat) and all(isinstance(tensor, Tensor) and tensor._is_graph_tensor for tensor in flat)


def _loop_of(context: Any) -> Any:
    """The loop that a control flow context lies in, None for none."""
    return None if context is None else context.GetWhileContext()


def _identity(value: Any) -> Any:
    if not (isinstance(value, Tensor) and value._is_graph_tensor):
        return value
    made = raw.Identity(value)
    made._keras_mask = getattr(value, "_keras_mask", None)
    return made


def _as_input(value: TensorLike) -> Any:
    return convert_to_tensor(value) if _is_number(value) else value


def _is_number(value: object) -> bool:
    """Whether something is a number or an array of such; the layer is then called as while executing eagerly in 1.15."""
    return isinstance(value, (np.ndarray, float, int))
