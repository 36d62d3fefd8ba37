"""What programs of TensorFlow before 1.0 meant by calls that mean something else since: a table by version.

Spellings that only went out of use need no row: the tables of public names have them for all programs. A row here is a
function or class that kept its name while its arguments changed their order or their defaults, so that the program's
version has to be known.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from headrace.api.lazy import finder

Version = tuple[int, int]

_OLDEST, _NEWEST = (0, 5), (1, 15)
_CELLS = "nn.rnn_cell"


class Change(NamedTuple):
    """A public name that meant something else before a version.

    Attributes:
        since: the version that brought today's meaning.
        place: the public module, "" for the root.
        name: the name in it.
        former: makes what it was of what it is.
    """

    since: Version
    place: str
    name: str
    former: Callable[[Any], Any]


def parse_version(text: str) -> Version:
    """The version that "0.8" or "0.12.1" names.

    Raises:
        ValueError: if it names none of 0.5 to 1.15.
    """
    found = re.fullmatch(r"(\d+)\.(\d+)(\.\w+)?", text)
    version = (int(found[1]), int(found[2])) if found else (-1, 0)
    if not (_OLDEST <= version <= (0, 12) or (1, 0) <= version <= _NEWEST):
        raise ValueError(f"{text!r} is no version of TensorFlow between 0.5 and 1.15.")
    return version


def restore_version(text: str) -> None:
    """Gives the program the meanings that public names had in a version of TensorFlow, and its version number.

    Args:
        text: the version, such as "0.8".

    Raises:
        ValueError: if it names none of 0.5 to 1.15.
    """
    version = parse_version(text)
    served = finder()
    for change in CHANGES:
        if version < change.since:
            today = served.resolve(change.place, change.name)
            served.stand_for(today, change.former(today))
    if version < (1, 0):
        _restore_default_initializer()
    number = text if text.count(".") > 1 else f"{text}.0"
    root = importlib.import_module("tensorflow")
    root.__dict__.update(__version__=number, VERSION=number)
    if (1, 2) <= version < (1, 13):
        # The public module first, which else takes the room's for its own.
        served.resolve("data", "Dataset")
        importlib.import_module("headrace.data.dataset_base").DatasetBase._is_portable = True


def _restore_default_initializer() -> None:
    """Before 1.0 variables without an initializer were uniform, scaled by the number of their inputs."""
    init_ops: Any = importlib.import_module("tensorflow.python.ops.init_ops")
    init_ops.default_initializer = init_ops.uniform_unit_scaling_initializer


def _formerly(parameters: str, **today: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What makes a function that takes its arguments in another order.

    Args:
        parameters: the names of its arguments then, in their order.
        **today: of those that have another name today, the name.
    """
    order = parameters.split()

    def former(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            if len(args) > len(order):
                raise TypeError(f"{function.__name__}() takes {len(order)} arguments by position, got {len(args)}.")
            given = dict(zip(order, args, strict=False))
            if twice := given.keys() & keywords.keys():
                raise TypeError(f"{function.__name__}() got multiple values for argument {sorted(twice)[0]!r}")
            return function(**{today.get(key, key): value for key, value in (given | keywords).items()})

        return called

    return former


def _cell(parameters: str, **defaults: Any) -> Callable[[type], type]:
    """What makes a cell whose constructor takes its arguments in another order, with other defaults.

    Args:
        parameters: the names of the arguments then, in their order; the size of the input, which cells find out by
            themselves since, has no effect.
        **defaults: what arguments are that are not given.
    """
    order = parameters.split()

    def former(cell: Any) -> type:
        def __init__(self: Any, *args: Any, **keywords: Any) -> None:
            given: dict[str, Any] = {**defaults, **dict(zip(order, args, strict=False)), **keywords}
            given.pop("input_size", None)
            cell.__init__(self, **given)

        # Its name is that of the scope of its variables.
        return type(cell.__name__, (cell,), {"__init__": __init__, "__doc__": cell.__doc__})

    return former


def _resize_images(resize: Callable[..., Any]) -> Callable[..., Any]:
    """Height and width were two arguments."""

    @functools.wraps(resize)
    def resize_images(
        images: Any, new_height: Any, new_width: Any, method: Any = 0, align_corners: bool = False
    ) -> Any:
        return resize(images, [new_height, new_width], method=method, align_corners=align_corners)

    return resize_images


def _reverse(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """The dimensions to reverse were told by a truth value for each."""

    @functools.wraps(reverse)
    def reversed_where(tensor: Any, dims: Any, name: str | None = None) -> Any:
        constant_value = importlib.import_module("tensorflow.contrib.util").constant_value
        convert = importlib.import_module("tensorflow").convert_to_tensor
        wanted = constant_value(convert(dims))
        if wanted is None:
            raise NotImplementedError("tf.reverse: which dimensions to reverse must be known when the graph is built.")
        return reverse(tensor, [axis for axis, is_wanted in enumerate(wanted) if is_wanted], name=name)

    return reversed_where


def _initializer_of_all(initialize_all: Callable[..., Any]) -> Callable[..., Any]:
    """Counters of epochs were variables as others."""

    @functools.wraps(initialize_all)
    def initialize_all_variables() -> Any:
        tf = importlib.import_module("tensorflow")
        return tf.group(initialize_all(), tf.local_variables_initializer(), name="init_all")

    return initialize_all_variables


def _saver(saver: Any) -> type:
    """Checkpoints were single files."""

    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        keywords.setdefault("write_version", importlib.import_module("tensorflow").train.SaverDef.V1)
        saver.__init__(self, *args, **keywords)

    return type(saver.__name__, (saver,), {"__init__": __init__, "__doc__": saver.__doc__})


def _decoded_without_lengths(dynamic_decode: Callable[..., Any]) -> Callable[..., Any]:
    """The lengths of the sequences were not returned."""

    @functools.wraps(dynamic_decode)
    def outputs_and_state(*args: Any, **keywords: Any) -> Any:
        outputs, state, _ = dynamic_decode(*args, **keywords)
        return outputs, state

    return outputs_and_state


_CANDIDATES = "weights biases inputs labels num_sampled num_classes num_true sampled_values remove_accidental_hits "
_CANDIDATES += "partition_strategy name"
_LSTM = "num_units input_size use_peepholes cell_clip initializer num_proj"
_SHARDS = "num_unit_shards num_proj_shards forget_bias state_is_tuple activation"

# Of two rows of one name the one of the earlier version comes first: the later one finds the name taken.
CHANGES = (
    Change((0, 8), "", "initialize_all_variables", _initializer_of_all),
    Change((0, 11), "image", "resize_images", _resize_images),
    Change((0, 11), _CELLS, "BasicLSTMCell", _cell("num_units forget_bias input_size state_is_tuple activation",
                                                   state_is_tuple=False)),
    Change((0, 11), _CELLS, "LSTMCell", _cell(f"{_LSTM} {_SHARDS}", state_is_tuple=False)),
    Change((0, 11), _CELLS, "MultiRNNCell", _cell("cells state_is_tuple", state_is_tuple=False)),
    Change((0, 12), "train", "Saver", _saver),
    Change((1, 0), "", "concat", _formerly("concat_dim values name", concat_dim="axis")),
    Change((1, 0), "", "split", _formerly("split_dim num_split value name", split_dim="axis",
                                          num_split="num_or_size_splits")),
    Change((1, 0), "", "reverse", _reverse),
    Change((1, 0), "nn", "softmax_cross_entropy_with_logits", _formerly("logits labels dim name")),
    Change((1, 0), "nn", "sparse_softmax_cross_entropy_with_logits", _formerly("logits labels name")),
    Change((1, 0), "nn", "sigmoid_cross_entropy_with_logits", _formerly("logits targets name", targets="labels")),
    Change((1, 0), "nn", "weighted_cross_entropy_with_logits", _formerly("logits targets pos_weight name",
                                                                         targets="labels")),
    Change((1, 0), "nn", "sampled_softmax_loss", _formerly(_CANDIDATES)),
    Change((1, 0), "nn", "nce_loss", _formerly(_CANDIDATES)),
    Change((1, 0), "nn", "ctc_loss", _formerly("inputs labels sequence_length preprocess_collapse_repeated "
                                               "ctc_merge_repeated")),
    Change((1, 0), _CELLS, "BasicRNNCell", _cell("num_units input_size activation")),
    Change((1, 0), _CELLS, "GRUCell", _cell("num_units input_size activation")),
    Change((1, 0), _CELLS, "BasicLSTMCell", _cell("num_units forget_bias input_size state_is_tuple activation")),
    Change((1, 0), _CELLS, "LSTMCell", _cell(f"{_LSTM} proj_clip {_SHARDS}")),
    Change((1, 2), "contrib.seq2seq", "dynamic_decode", _decoded_without_lengths),
)  # fmt: skip
