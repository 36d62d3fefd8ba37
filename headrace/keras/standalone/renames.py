"""Arguments as Keras 1 spelled them: tables of old names and values to those of Keras 2, and calls converted by them."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headrace.state.variables import Variable

Arguments = tuple[list[Any], dict[str, Any]]
Prepare = Callable[[list[Any], dict[str, Any]], Arguments]


@dataclass(frozen=True)
class Renames:
    """How the arguments of one class or function were called before.

    Args:
        names: old name to new name; several new names, separated by blanks, all get the value.
        values: old name to what its values became.
        dropped: old names that mean nothing any more, each to what to do instead.
        prepare: what rearranges arguments before they are renamed.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)
    prepare: Prepare | None = None

    def convert(self, owner: str, args: Sequence[Any], kwargs: Mapping[str, Any], depth: int) -> Arguments:
        """The arguments as Keras 2 calls them, with one warning if any had to change.

        Args:
            owner: the class or function, for the warning.
            args, kwargs: what was passed.
            depth: how many frames above this one the program is.

        Raises:
            TypeError: if an argument was passed under both names.
        """
        given, named = list(args), dict(kwargs)
        if self.prepare is not None:
            given, named = self.prepare(given, named)
        for old in [name for name in named if name in self.dropped]:
            named.pop(old)
            warnings.warn(f"{owner}: `{old}` is ignored; {self.dropped[old]}", stacklevel=depth + 1)
        for old in [name for name in named if name in self.names]:
            value = named.pop(old)
            choices = self.values.get(old)
            if choices is not None and isinstance(value, str | int | bool) and value in choices:
                value = choices[value]
            if old in _INITIALIZERS and callable(value):
                value = _of_shape_alone(value)
            for new in self.names[old].split():
                if new in named:
                    raise TypeError(
                        f"{owner} received the argument `{new}` twice: as `{new}` and as `{old}`, which is what Keras 1 "
                        f"called it. Pass `{new}` alone."
                    )
                named[new] = value
        if len(given) != len(args) or named.keys() != kwargs.keys():
            warnings.warn(
                f"Update your `{owner}` call to the Keras 2 API: `{owner}({_spelled(given, named)})`",
                stacklevel=depth + 1,
            )
        return given, named


def accepting(renames: Renames, owner: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function takes the arguments of Keras 1 as well.

    Args:
        renames: what they were called.
        owner: the name in warnings; the function's by default.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            args_now, kwargs_now = renames.convert(owner or function.__name__, args, kwargs, 2)
            return function(*args_now, **kwargs_now)

        return wrapper

    return decorate


def _spelled(given: Sequence[Any], named: Mapping[str, Any]) -> str:
    def short(value: object) -> str:
        text = "array" if hasattr(value, "__array__") else " ".join(repr(value).split())
        return text if len(text) <= 24 else f"{text[:21]}..."

    return ", ".join([*map(short, given), *(f"{name}={short(value)}" for name, value in named.items())])


# Arguments that took functions of a shape and a name.
_INITIALIZERS = frozenset({"init", "inner_init"})


def _of_shape_alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """An initializer of Keras 1, which gave a variable, as one of Keras 2, which is asked for a type too."""
    if hasattr(function, "get_config"):
        return function

    def initializer(shape: Sequence[int], dtype: Any = None, partition_info: Any = None) -> Any:
        made = function(shape)
        return made.initialized_value() if isinstance(made, Variable) else made

    return functools.update_wrapper(initializer, function)


# ---- what many layers share

_DATA_FORMAT: dict[str, dict[Any, Any]] = {
    "dim_ordering": {"tf": "channels_last", "th": "channels_first", "default": None}
}
_WEIGHTS = {
    "init": "kernel_initializer",
    "W_regularizer": "kernel_regularizer",
    "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint",
    "b_constraint": "bias_constraint",
    "bias": "use_bias",
}
_FILTERS = {"nb_filter": "filters", "subsample": "strides", "border_mode": "padding", "dim_ordering": "data_format"}
_RECURRENT = {
    **{old: new for old, new in _WEIGHTS.items() if old not in ("bias", "W_constraint", "b_constraint")},
    "output_dim": "units",
    "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation",
    "U_regularizer": "recurrent_regularizer",
    "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout",
    "consume_less": "implementation",
}
# In 2.3 there is no implementation 0, which unrolled products over time.
_CONSUME_LESS: dict[str, dict[Any, Any]] = {"consume_less": {"cpu": 1, "mem": 1, "gpu": 2}}


def _sequence_input(given: list[Any], named: dict[str, Any]) -> Arguments:
    """`input_dim` and `input_length` of layers over sequences as a shape."""
    if "input_dim" in named:
        shape = (named.pop("input_length", None), named.pop("input_dim"))
        if shape[1] is not None and not {"input_shape", "batch_input_shape"} & named.keys():
            named["input_shape"] = shape
    return given, named


def _forget_bias(given: list[Any], named: dict[str, Any]) -> Arguments:
    if "forget_bias_init" in named:
        named["unit_forget_bias"] = named.pop("forget_bias_init") in ("one", "ones")
    return given, named


def _recurrent_input(given: list[Any], named: dict[str, Any]) -> Arguments:
    return _sequence_input(*_forget_bias(given, named))


def _sizes(*names: str) -> Prepare:
    """Sizes of a kernel that were arguments of their own, positional ones among them, as `kernel_size`."""

    def prepare(given: list[Any], named: dict[str, Any]) -> Arguments:
        positional = 0
        while positional < len(names) and len(given) > 1 + positional and isinstance(given[1 + positional], int):
            positional += 1
        rest = names[positional:]
        if positional + len([name for name in rest if name in named]) == len(names):
            size = (*given[1 : 1 + positional], *(named.pop(name) for name in rest))
            if positional > 1 and len(given) == 1 + len(names) and {"padding", "strides", "data_format"} & named.keys():
                raise ValueError(
                    "Two integers behind the number of filters are rows and columns of the kernel in Keras 1, and kernel "
                    "size and stride in Keras 2, which the other arguments are of: pass `strides` by its name."
                )
            if positional:
                given = [given[0], size, *given[1 + positional :]]
            else:
                named["kernel_size"] = size
        return given, named

    return prepare


def _without_output_shape(given: list[Any], named: dict[str, Any]) -> Arguments:
    named.pop("output_shape", None)
    if len(given) == 4 and isinstance(given[3], tuple | list):
        given = given[:3]
    return _sizes("nb_row", "nb_col")(given, named)


def _batch_normalization(given: list[Any], named: dict[str, Any]) -> Arguments:
    mode = named.pop("mode", 0)
    if mode == 1:
        raise TypeError(
            "BatchNormalization: mode=1 (each sample by itself) ended with Keras 1; layer normalization does it."
        )
    # mode=2 normalized by the batch in inference too; its training is that of mode 0.
    if mode == 2:
        raise TypeError("BatchNormalization: mode=2 ended with Keras 1; call the layer with training=True instead.")
    return given, named


def _side_padding(given: list[Any], named: dict[str, Any]) -> Arguments:
    """Paddings that were a dictionary of sides."""

    def pairs(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        sides = (value.get(f"{side}_pad", 0) for side in ("top", "bottom", "left", "right"))
        top, bottom, left, right = sides
        return ((top, bottom), (left, right))

    if "padding" in named:
        named["padding"] = pairs(named["padding"])
    return [pairs(value) for value in given], named


_POOL = Renames({"border_mode": "padding", "dim_ordering": "data_format"}, _DATA_FORMAT)
_POOL_1D = Renames({"pool_length": "pool_size", "stride": "strides", "border_mode": "padding"})
_FORMAT = Renames({"dim_ordering": "data_format"}, _DATA_FORMAT)
_RATE = Renames({"p": "rate"})
_RATE_FORMAT = Renames({"p": "rate", "dim_ordering": "data_format"}, _DATA_FORMAT)
_CONV_1D = Renames(
    {
        **_WEIGHTS,
        "nb_filter": "filters",
        "filter_length": "kernel_size",
        "subsample_length": "strides",
        "border_mode": "padding",
    },
    prepare=_sequence_input,
)
_CONV_2D = Renames({**_WEIGHTS, **_FILTERS}, _DATA_FORMAT, prepare=_sizes("nb_row", "nb_col"))
_DECONV_2D = Renames({**_WEIGHTS, **_FILTERS}, _DATA_FORMAT, prepare=_without_output_shape)
_RNN = Renames(_RECURRENT, _CONSUME_LESS, prepare=_recurrent_input)

_LAYERS: dict[str, Renames] = {
    "AveragePooling1D": _POOL_1D,
    "AveragePooling2D": _POOL,
    "AveragePooling3D": _POOL,
    "BatchNormalization": Renames(
        {"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"}, prepare=_batch_normalization
    ),
    "Conv1D": _CONV_1D,
    "Conv2D": _CONV_2D,
    "Conv2DTranspose": _DECONV_2D,
    "Conv3D": Renames(
        {**_WEIGHTS, **_FILTERS}, _DATA_FORMAT, prepare=_sizes("kernel_dim1", "kernel_dim2", "kernel_dim3")
    ),
    "ConvLSTM2D": Renames(
        {**_FILTERS, **_RECURRENT, "bias": "use_bias"},
        _DATA_FORMAT | _CONSUME_LESS,
        prepare=lambda given, named: _sizes("nb_row", "nb_col")(*_forget_bias(given, named)),
    ),
    "Cropping2D": _FORMAT,
    "Cropping3D": _FORMAT,
    "Dense": Renames({**_WEIGHTS, "output_dim": "units"}),
    "Dropout": _RATE,
    "Embedding": Renames(
        {
            "init": "embeddings_initializer",
            "W_regularizer": "embeddings_regularizer",
            "W_constraint": "embeddings_constraint",
        },
        dropped={"dropout": "a SpatialDropout1D layer behind the Embedding does the same."},
    ),
    "GRU": _RNN,
    "GaussianDropout": _RATE,
    "GaussianNoise": Renames({"sigma": "stddev"}),
    "GlobalAveragePooling2D": _FORMAT,
    "GlobalAveragePooling3D": _FORMAT,
    "GlobalMaxPooling2D": _FORMAT,
    "GlobalMaxPooling3D": _FORMAT,
    "LSTM": _RNN,
    "LocallyConnected1D": _CONV_1D,
    "LocallyConnected2D": _CONV_2D,
    "MaxPooling1D": _POOL_1D,
    "MaxPooling2D": _POOL,
    "MaxPooling3D": _POOL,
    "PReLU": Renames({"init": "alpha_initializer"}),
    "SeparableConv2D": Renames(
        {
            **{old: new for old, new in _WEIGHTS.items() if not old.startswith("W_")},
            **_FILTERS,
            "init": "depthwise_initializer pointwise_initializer",
        },
        _DATA_FORMAT,
        prepare=_sizes("nb_row", "nb_col"),
    ),
    "SimpleRNN": _RNN,
    "SpatialDropout1D": _RATE,
    "SpatialDropout2D": _RATE_FORMAT,
    "SpatialDropout3D": _RATE_FORMAT,
    "UpSampling1D": Renames({"length": "size"}),
    "UpSampling2D": _FORMAT,
    "UpSampling3D": _FORMAT,
    "ZeroPadding2D": Renames({"dim_ordering": "data_format"}, _DATA_FORMAT, prepare=_side_padding),
    "ZeroPadding3D": _FORMAT,
}

# What all layers took.
_ALL = {"input_dtype": "dtype"}
_WITHOUT_MORE = [
    "Activation",
    "ActivityRegularization",
    "Bidirectional",
    "ELU",
    "Flatten",
    "InputLayer",
    "Lambda",
    "LeakyReLU",
    "Masking",
    "Permute",
    "RepeatVector",
    "Reshape",
    "ThresholdedReLU",
    "TimeDistributed",
]

LAYERS: dict[str, Renames] = {
    **{name: replace(renames, names={**_ALL, **renames.names}) for name, renames in _LAYERS.items()},
    **dict.fromkeys(_WITHOUT_MORE, Renames(_ALL)),
}

MODEL = Renames({"input": "inputs", "output": "outputs"})
FIT = Renames({"nb_epoch": "epochs"})
GENERATOR = Renames(
    {
        "nb_epoch": "epochs",
        "max_q_size": "max_queue_size",
        "nb_worker": "workers",
        "pickle_safe": "use_multiprocessing",
        "val_samples": "steps",
        "nb_val_samples": "validation_steps",
        "samples_per_epoch": "steps_per_epoch",
    }
)
