"""Checks of the arrays that models are given: their number, names, shapes and lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.composite_tensors import CompositeTensor
from headrace.core.tensor import Tensor
from headrace.keras.optimizers.update_lists import Optimizer
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike, Nested, TensorLike

Shape = Sequence[int | None]


def is_composite(value: object) -> bool:
    """Whether a value is made of several tensors."""
    return isinstance(value, CompositeTensor)


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor, dense or put together from several."""
    return isinstance(value, Tensor) or is_composite(value)


def is_symbolic(value: object) -> bool:
    """Whether a value is a tensor of a graph, which has no value yet."""
    if is_composite(value):
        return any(is_symbolic(part) for part in nest.flatten(value, expand_composites=True))
    return isinstance(value, Tensor) and not hasattr(value, "numpy")


def has_symbolic_tensors(values: Nested[TensorLike]) -> bool:
    """Whether there are tensors of a graph among values."""
    return any(is_symbolic(value) for value in nest.flatten(values))


def has_tensors(values: Nested[TensorLike]) -> bool:
    """Whether there are tensors among values, eager ones included."""
    return any(is_tensor(value) for value in nest.flatten(values))


def standardize_single_array(x: Any, expected_shape: Shape | None = None) -> Any:
    """An array with at least one axis beside that of the batch: vectors become columns where that is expected.

    Args:
        x: an array, a tensor, or a value that an array can be made of.
        expected_shape: the shape that it should have, with the axis of the batch.
    """
    if x is None or is_composite(x):
        return x
    if isinstance(x, int):
        raise ValueError(f"Expected an array data type but received an integer: {x}")
    shape = getattr(x, "shape", None)
    if shape is None or len(shape) != 1 or (expected_shape is not None and len(expected_shape) == 1):
        return x
    if isinstance(x, Tensor):
        return composing.expand_dims(x, -1)
    return np.expand_dims(x, 1)


def _of_frame(value: Any) -> Any:
    """The values of a pandas frame or series; everything else as it is."""
    return value.values if type(value).__name__ in ("DataFrame", "Series") else value


def _by_name(data: Mapping[str, TensorLike], names: Sequence[str]) -> list[Any]:
    try:
        return [data[name] for name in names]
    except KeyError as missing:
        raise ValueError(
            f'No data provided for "{missing.args[0]}". Need data for each key in: {list(names)}'
        ) from None


def _listed(data: Any, names: Sequence[str]) -> list[Any]:
    """Data as a list in the order of `names`."""
    if isinstance(data, Mapping):
        return _by_name(data, names)
    if isinstance(data, (list, tuple)):
        if not data:
            # 1.15 looks at the first part to tell what the others are.
            kind = type(data).__name__
            raise IndexError(f"{kind} index out of range: data for {list(names)} is an empty {kind}")
        if isinstance(data[0], (list, tuple)):
            # A list of rows is a list of arrays, one an input: rows go into one input as an array.
            return [np.asarray(part) for part in data]
        if len(names) == 1 and isinstance(data[0], (float, int)):
            return [np.asarray(data)]
        return list(data)
    return [data]


def _wrong_number(data: Any, listed: Sequence[Any], names: Sequence[str], prefix: str) -> ValueError:
    if listed and hasattr(listed[0], "shape"):
        return ValueError(
            f"Error when checking model {prefix}: the list of Numpy arrays that you are passing to your model is not the "
            f"size the model expected. Expected to see {len(names)} array(s), but instead got the following list of "
            f"{len(listed)} arrays: {str(data)[:200]}..."
        )
    if len(names) > 1:
        return ValueError(
            f"Error when checking model {prefix}: you are passing a list as input to your model, but the model expects a "
            f"list of {len(names)} Numpy arrays instead. The list you passed was: {str(data)[:200]}"
        )
    if len(listed) == 1 and not hasattr(listed[0], "shape"):
        # Data that no array can be made of is no matter of its number.
        raise TypeError(
            f"Error when checking model {prefix}: data should be a Numpy array, or list/dict of Numpy arrays. "
            f"Found: {str(data)[:200]}..."
        )
    return ValueError(
        f"Error when checking model {prefix}: data should be a Numpy array, or list/dict of Numpy arrays; expected "
        f"{len(names)} array(s), found: {str(data)[:200]}..."
    )


def _check_shape(
    x: Any, name: str, expected: Shape, check_batch_axis: bool, prefix: str, refusal: Callable[[str], Exception]
) -> None:
    shape = x.shape
    if isinstance(x, Tensor):
        if shape.ndims is None:
            return
        shape = tuple(shape.as_list())
    elif is_composite(x):
        return
    head = f"Error when checking {prefix}: expected {name} to have"
    if len(shape) != len(expected):
        raise refusal(f"{head} {len(expected)} dimensions, but got array with shape {tuple(shape)}")
    if not check_batch_axis:
        shape, expected = shape[1:], expected[1:]
    if any(wanted is not None and size is not None and size != wanted for size, wanted in zip(shape, expected)):
        raise refusal(f"{head} shape {tuple(expected)} but got array with shape {tuple(shape)}")


def standardize_input_data(
    data: Any,
    names: Sequence[str],
    shapes: Sequence[Shape | None] | None = None,
    check_batch_axis: bool = True,
    exception_prefix: str = "",
    refusal: Callable[[str], Exception] = ValueError,
) -> list[Any]:
    """Data for the inputs or the outputs of a model, as a list of arrays in their order.

    Args:
        data: an array, a list of arrays or a dict of them by name.
        names: the names of the inputs or outputs.
        shapes: the shapes expected of them, with the axis of the batch.
        check_batch_axis: whether that axis is looked at too.
        exception_prefix: what the data is for: "input" or "target".
        refusal: the error for data of another shape, from its text.

    Raises:
        ValueError: if their number, names or shapes are others.
        AttributeError: if something is no array.
    """
    if not names:
        if data is not None and (not hasattr(data, "__len__") or len(data)):
            raise ValueError(f"Error when checking model {exception_prefix}: expected no data, but got: {data}")
        return []
    if data is None:
        return [None] * len(names)
    listed = [_of_frame(part) for part in _listed(data, names)]
    listed = [standardize_single_array(part, shapes[i] if shapes and i < len(shapes) else None)
              for i, part in enumerate(listed)]  # fmt: skip
    if len(listed) != len(names):
        raise _wrong_number(data, listed, names, exception_prefix)
    for name, part in zip(names, listed):
        if part is not None and not hasattr(part, "shape"):
            raise AttributeError(
                f"Error when checking model {exception_prefix}: data for {name} should be a Numpy array, or list/dict of "
                f"Numpy arrays. Found: {str(part)[:200]}..."
            )
    for name, part, expected in zip(names, listed, shapes or ()):
        if part is not None and expected is not None:
            _check_shape(part, name, expected, check_batch_axis, exception_prefix, refusal)
    return listed


def standardize_sample_or_class_weights(x_weight: Any, output_names: Sequence[str], weight_type: str) -> list[Any]:
    """Weights of samples or classes as a list with an entry for each output.

    Args:
        x_weight: an entry, a list of them or a dict of them by output.
        output_names: the names of the outputs.
        weight_type: "sample_weight" or "class_weight".

    Raises:
        ValueError: if a list has another length; TypeError: if entries cannot be told apart.
    """
    if x_weight is None or (isinstance(x_weight, (list, tuple)) and len(x_weight) == 0):
        return [None for _ in output_names]
    if len(output_names) == 1:
        if isinstance(x_weight, (list, tuple)) and len(x_weight) == 1:
            return list(x_weight)
        if isinstance(x_weight, Mapping) and output_names[0] in x_weight:
            return [x_weight[output_names[0]]]
        return [x_weight]
    if isinstance(x_weight, (list, tuple)):
        if len(x_weight) != len(output_names):
            raise ValueError(
                f"Provided `{weight_type}` was a list of {len(x_weight)} elements, but the model has "
                f"{len(output_names)} outputs. You should provide one `{weight_type}` array per model output."
            )
        return list(x_weight)
    if isinstance(x_weight, Mapping):
        check_keys(x_weight, output_names, weight_type)
        return [x_weight.get(name) for name in output_names]
    raise TypeError(
        f"The model has multiple outputs, so `{weight_type}` should be either a list or a dict. Provided `{weight_type}` "
        f"type not understood: {x_weight}"
    )


def standardize_class_weights(class_weight: Any, output_names: Sequence[str]) -> list[Any]:
    """Weights of classes as a list with an entry for each output."""
    return standardize_sample_or_class_weights(class_weight, output_names, "class_weight")


def standardize_sample_weights(sample_weight: Any, output_names: Sequence[str]) -> list[Any]:
    """Weights of samples as a list with an entry for each output."""
    return standardize_sample_or_class_weights(sample_weight, output_names, "sample_weight")


def check_keys(user_dict: Mapping[str, object], known_keys: Iterable[str], name: str) -> None:
    """Checks that a dict by outputs names outputs only.

    Raises:
        ValueError: if it has other keys.
    """
    unknown = set(user_dict) - set(known_keys)
    if unknown:
        raise ValueError(
            f"Unknown entries in {name} dictionary: {sorted(unknown)}. Only expected following keys: {list(known_keys)}"
        )


def _lengths(arrays: Any) -> set[int]:
    """The numbers of samples of arrays; nothing asks tensors for theirs."""
    found = set()
    for array in arrays or ():
        if array is not None and not is_tensor(array) and len(array.shape):
            found.add(int(array.shape[0]))
    return found


def check_array_lengths(inputs: Any, targets: Any, weights: Any = None) -> None:
    """Checks that inputs, targets and weights of samples have equally many samples.

    Raises:
        ValueError: if they have not.
    """
    set_x, set_y, set_w = _lengths(inputs), _lengths(targets), _lengths(weights)
    if len(set_x) > 1:
        raise ValueError(
            "All input arrays (x) should have the same number of samples. Got array shapes: "
            f"{[x.shape for x in inputs]}"
        )
    if len(set_y) > 1:
        raise ValueError(
            "All target arrays (y) should have the same number of samples. Got array shapes: "
            f"{[None if y is None else y.shape for y in targets]}"
        )
    if set_x and set_y and set_x != set_y:
        raise ValueError(
            "Input arrays should have the same number of samples as target arrays. Found "
            f"{set_x.pop()} input samples and {set_y.pop()} target samples."
        )
    if len(set_w) > 1:
        raise ValueError(
            "All sample_weight arrays should have the same number of samples. Got array shapes: "
            f"{[None if w is None else w.shape for w in weights]}"
        )
    if set_y and set_w and set_y != set_w:
        raise ValueError(
            "Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{set_w.pop()} input samples and {set_y.pop()} target samples."
        )


def _what_loss(loss_fn: Any) -> str:
    """The name of the function behind a loss: that of the wrapped function, or of the class in its form."""
    inner = getattr(loss_fn, "fn", loss_fn)
    return str(getattr(inner, "__name__", type(inner).__name__))


# Losses that compare an output with a target element by element.
_ELEMENTWISE = ("mean_squared_error", "binary_crossentropy", "categorical_crossentropy")
_ELEMENTWISE_CLASSES = ("MeanSquaredError", "BinaryCrossentropy", "CategoricalCrossentropy")


def check_loss_and_target_compatibility(
    targets: Sequence[Any], loss_fns: Sequence[Any], output_shapes: Sequence[Any]
) -> None:
    """Checks that targets have the shapes that losses compare outputs with.

    Args:
        targets: arrays or tensors.
        loss_fns: the losses, one a target.
        output_shapes: the shapes of the outputs, with the axis of the batch.

    Raises:
        ValueError: if one cannot be compared.
    """
    for target, loss, shape in zip(targets, loss_fns, output_shapes):
        if target is None or loss is None or is_tensor(target):
            continue
        name, class_name = _what_loss(loss), type(loss).__name__
        if name == "categorical_crossentropy" and target.shape[-1] == 1:
            raise ValueError(
                f"You are passing a target array of shape {target.shape} while using as loss `categorical_crossentropy`. "
                "`categorical_crossentropy` expects targets to be binary matrices (1s and 0s) of shape (samples, classes). "
                "If your targets are integer classes, you can convert them with `to_categorical` of `keras.utils`, or use "
                "the loss function `sparse_categorical_crossentropy` instead, which does expect integer targets."
            )
        if shape is None or not (name in _ELEMENTWISE or class_name in _ELEMENTWISE_CLASSES):
            continue
        for size, wanted in zip(target.shape[1:], shape[1:]):
            if wanted is not None and size != wanted:
                told = name if name in _ELEMENTWISE else class_name
                raise ValueError(
                    f"A target array with shape {target.shape} was passed for an output of shape {tuple(shape)} while using "
                    f"as loss `{told}`. This loss expects targets to have the same shape as the output."
                )


def check_num_samples(
    ins: Sequence[ArrayLike], batch_size: int | None = None, steps: int | None = None, steps_name: str = "steps"
) -> int | None:
    """The number of samples of arrays; None where steps are counted.

    Raises:
        ValueError: if both are given, or neither can be told.
    """
    if steps is not None and batch_size is not None:
        raise ValueError(f"If {steps_name} is set, the `batch_size` must be None.")
    if check_steps_argument(ins, steps, steps_name):
        return None
    if hasattr(ins[0], "shape"):
        return int(ins[0].shape[0])
    return None


def check_steps_argument(input_data: Any, steps: int | None, steps_name: str) -> bool:
    """Whether steps are counted rather than samples.

    Raises:
        ValueError: if data whose length is not known comes without the number of steps.
    """
    if input_data is None or has_symbolic_tensors(input_data) or (isinstance(input_data, list) and not input_data):
        if steps is None:
            raise ValueError(
                f"When using data tensors as input to a model, you should specify the `{steps_name}` argument."
            )
        return True
    if isinstance(steps, (list, tuple)):
        raise ValueError(f"The `{steps_name}` argument should be a number of steps; got: {steps}")
    return steps is not None


def refuse_several_optimizers(optimizer: Any) -> None:
    """Checks that what trains a model is one optimizer.

    Raises:
        ValueError: for a list of them, which is for models that train their parts with one each.
    """
    if isinstance(optimizer, list):
        raise ValueError("The `optimizer` in `compile` should be a single optimizer.")


def can_take_newer_loops(optimizer: Any, sample_weight_mode: Any, target_tensors: Any) -> bool:
    """Whether the newer loops of 1.15 train a model of these settings of `compile`.

    What they cannot do is left to the older ones, which split and weigh arrays differently: optimizers of `tf.train`, and
    those that make lists of updates; weights of steps; targets that are tensors.
    """
    all_optimizers = optimizer if isinstance(optimizer, list) else [optimizer]
    return (
        sample_weight_mode is None
        and target_tensors is None
        and not any(isinstance(each, Optimizer) for each in all_optimizers)
    )
