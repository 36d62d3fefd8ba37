"""One batch while executing eagerly: a call of a function that is made of the step."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors, nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import as_dtype
from headrace.core.eager import eager_mode
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.keras import backend_config
from headrace.keras.backend.learning import eager_learning_phase_scope
from headrace.keras.engine import training_eager, training_replicas
from headrace.keras.engine.training_input_checks import is_composite
from headrace.keras.engine.training_loop import PREDICT, TRAIN
from headrace.state.polymorphic_function import function

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def _as_value(value: Any, dtype: str | None = None, only_floating: bool = True) -> Any:
    """An array as a tensor, in a type; what has parts stays as it is.

    Args:
        value: the array or tensor.
        dtype: the type; None for that of Keras.
        only_floating: whether integers and booleans stay.
    """
    if value is None or is_composite(value):
        return value
    if not isinstance(value, Tensor):
        value = np.asarray(value)
        is_floating, is_numeric = value.dtype.kind == "f", value.dtype.kind in "biufc"
    else:
        is_floating, is_numeric = value.dtype.is_floating, value.dtype.name not in ("string", "resource", "variant")
    dtype = dtype or backend_config.floatx()
    if not (is_floating if only_floating else is_numeric) or dtype == "string" or value.dtype.name == dtype:
        return value if isinstance(value, Tensor) else convert_to_tensor(value)
    if isinstance(value, Tensor) or dtype == "bfloat16":
        return training_eager.cast(value, as_dtype(dtype))
    return convert_to_tensor(value.astype(dtype))


def _input_types(model: Model, mode: str) -> list[str | None]:
    """The types that inputs take before a step; None for those that stay unless they are floating.

    Training and testing go by the model's inputs. To predict, 1.15's newer loops know the type of Keras only, and the
    older ones go by floating inputs.
    """
    if not model._is_graph_network or (mode == PREDICT and model._experimental_run_tf_function):
        return []
    types = [tensor.dtype for tensor in model.inputs]
    return [dtype.name if mode != PREDICT or dtype.is_floating else None for dtype in types]


# What 1.15's functions of a step make before the model: two placeholders for an iterator, what takes the next element of
# it and a constant; and, but to predict, the size of the batch, by a shape, three constants and a slice.
_IN_FRONT = {PREDICT: 4}
_IN_FRONT_WITH_SIZE = 9


def _count_as_tensorflow(mode: str, casts: int) -> None:
    """Has operations without a seed of their own, in the step that is being traced, draw what 1.15's draw."""
    graph = get_default_graph()
    graph._uncounted = _IN_FRONT.get(mode, _IN_FRONT_WITH_SIZE) + casts - graph._next_op_id


def _casts_of(model: Model, mode: str, x: list[Any]) -> int:
    """How many inputs 1.15's step converts to other types before the model, or on its threshold.

    Training and testing take the inputs to the types of the model's; without those, and to predict, floating ones are
    taken to the type of Keras.
    """
    given = [as_dtype(value.dtype) for value in x if hasattr(value, "dtype")]
    if mode != PREDICT and model._is_graph_network:
        return sum(dtype != tensor.dtype for dtype, tensor in zip(given, model.inputs))
    return sum(dtype.is_floating and dtype.name != backend_config.floatx() for dtype in given)


def _step_of(model: Model, mode: str, x: list[Any]) -> Any:
    """What runs a batch in a mode: a function that is traced once a kind of batch, or the step itself.

    Args:
        model: the model.
        mode: what the batch is for.
        x: the inputs as they came.
    """
    run = training_eager.run if model._distribution_strategy is None else training_replicas.run
    if model.run_eagerly:
        return run
    made = model._v2_functions.get(mode) if model._is_compiled else None
    if made is None:

        def step(inputs: Any, targets: Any, weights: Any, casts: int) -> Any:
            _count_as_tensorflow(mode, casts)
            return run(model, mode, inputs, targets, weights)

        made = function(step, autograph=False, experimental_relax_shapes=True)
        if model._is_compiled:
            model._v2_functions[mode] = made
    casts = _casts_of(model, mode, x)
    return lambda _model, _mode, inputs, targets, weights: made(inputs, targets, weights, casts)


def _inputs_of(model: Model, x: list[Any]) -> Any:
    """Standardized inputs in the structure that the model is called with."""
    if not model._is_graph_network:
        names = model.input_names
        if getattr(model, "_called_with_dict", False):
            return dict(zip(names, x))
    return x[0] if len(x) == 1 else x


def _refuse_by_trace(model: Model, mode: str, *batch: Any) -> None:
    """Raises what a function of just this kind of batch would be refused with, where one for several kinds went on."""
    specs = nest.map_structure(
        lambda part: TensorSpec(part.dims, part.dtype) if isinstance(part, Tensor) else part, batch
    )
    function(lambda *parts: training_eager.run(model, mode, *parts), autograph=False).get_concrete_function(*specs)


def _run_with_any_size(model: Model, mode: str, *batch: Any) -> Any:
    """Runs a batch by a function that knows nothing of its size, so that operations tell what does not fit."""
    parts = nest.flatten(batch)
    tensors = [part for part in parts if isinstance(part, Tensor)]

    def step(*traced: Tensor) -> Any:
        left = iter(traced)
        filled = [next(left) if isinstance(part, Tensor) else part for part in parts]
        return training_eager.run(model, mode, *nest.pack_sequence_as(batch, filled))

    specs = [TensorSpec(tensor.dims and (None, *tensor.dims[1:]), tensor.dtype) for tensor in tensors]
    return function(step, input_signature=specs, autograph=False)(*tensors)


def run_standardized(
    model: Model,
    mode: str,
    x: list[Any],
    y: list[Any],
    weights: list[Any],
    as_tensors: bool = False,
    any_size: bool = False,
) -> Any:
    """Runs a batch that has been standardized; numbers, or outputs, as arrays, or outputs as they come.

    Args:
        model: the model.
        mode: what the batch is for.
        x, y, weights: inputs, targets and sample weights.
        as_tensors: whether outputs stay tensors: the batch is run by itself.
        any_size: whether TensorFlow would not know how many samples there are.
    """
    types = _input_types(model, mode)
    inputs = _inputs_of(
        model, [_as_value(value, dtype, mode == PREDICT or dtype is None) for value, dtype in zip_longest(x, types)]
    )
    targets = [_as_value(value) for value in y or ()]
    given = [_as_value(value) for value in weights or ()]
    phase = 1 if mode == TRAIN else 0
    with eager_mode(), eager_learning_phase_scope(phase):
        try:
            outs = _step_of(model, mode, x)(model, mode, inputs, targets, given)
        except errors.InvalidArgumentError:
            if not (model.run_eagerly or model._distribution_strategy is not None or as_tensors):
                _refuse_by_trace(model, mode, inputs, targets, given)
            raise
        except ValueError:
            if model.run_eagerly or model._distribution_strategy is not None or not (as_tensors or any_size):
                raise
            # A batch by itself is run operation after operation in 1.15: what the trace refuses, its operations tell.
            again = training_eager.run if as_tensors else _run_with_any_size
            outs = again(model, mode, inputs, targets, given)
    if mode == PREDICT:
        # Those of the older loops are arrays, unless operations were run one by one.
        return (
            outs
            if as_tensors and (model._experimental_run_tf_function or model.run_eagerly)
            else nest.map_structure(_numpy, outs)
        )
    return [_numpy(value) for value in outs]


def _numpy(value: Any) -> Any:
    return value.numpy() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]  # an eager tensor


def on_batch(model: Model, mode: str, x: Any, y: Any, sample_weight: Any, class_weight: Any) -> Any:
    """Runs one batch; a list of numbers, or the outputs."""
    # Of a dataset the next element is the batch.
    x, y, weights = model._standardize_user_data(
        x, y, sample_weight=sample_weight, class_weight=class_weight, extract_tensors_from_dataset=True
    )
    return run_standardized(model, mode, x, y, weights, as_tensors=True)
