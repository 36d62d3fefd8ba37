"""Starting the training of a model from the variables of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.checkpoints.checkpoint_utils import checkpoint_of, init_from_checkpoint
from headrace.checkpoints.object_graph import object_graph_key_mapping
from headrace.checkpoints.saveables import op_list_to_dict
from headrace.checkpoints.vocabularies import load_and_remap_matrix_initializer
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection
from headrace.core.errors import NotFoundError
from headrace.state.partitioned import PartitionedVariable, PartitionInfo
from headrace.state.updates import assign
from headrace.state.variables import Variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import InitializerLike, TensorLike


class _VocabInfo(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int
    backup_initializer: Any
    axis: int


class VocabInfo(_VocabInfo):
    """The vocabulary of a variable now and when its checkpoint was written.

    Args:
        new_vocab, new_vocab_size: the file of the vocabulary now, a word a line, and how many words it has.
        num_oov_buckets: the number of rows for unknown words.
        old_vocab, old_vocab_size: the vocabulary then, and how many of its words count; -1 for all.
        backup_initializer: what gives new words their values; zeros by default.
        axis: 0 if a word is a row, 1 if it is a column.

    Raises:
        ValueError: for another axis.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: InitializerLike | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        )


def infer_var_name(var: TensorLike) -> str:
    """The name a variable, or the list of the parts of one, has in checkpoints."""
    (name,) = op_list_to_dict(var)
    return name


def get_var_info(var: Any, prev_tensor_name: str | None = None) -> tuple[str, Any]:
    """The name of a variable in the checkpoint to start from, and what takes its value.

    Args:
        var: a variable or a list of the parts of one.
        prev_tensor_name: its name there if that is another.
    """
    parts = list(var) if isinstance(var, (list, PartitionedVariable)) else [var]
    whole = parts if len(parts) > 1 else parts[0]
    return prev_tensor_name or infer_var_name(parts), whole


def _grouped(vars_to_warm_start: TensorLike) -> dict[str, list[Any]]:
    """The variables to start warm, the parts of one together, by name."""
    if isinstance(vars_to_warm_start, str) or vars_to_warm_start is None:
        tf_logging.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        found: list[Any] = get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=vars_to_warm_start)
    elif isinstance(vars_to_warm_start, list):
        if all(isinstance(item, str) for item in vars_to_warm_start):
            found = [v for scope in vars_to_warm_start for v in get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)]
        elif all(isinstance(item, (Variable, PartitionedVariable)) for item in vars_to_warm_start):
            found = vars_to_warm_start
        else:
            raise ValueError(
                "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
                f"{[type(item) for item in vars_to_warm_start]}"
            )
    else:
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(vars_to_warm_start)}")
    grouped: dict[str, list[Any]] = {}
    for item in found:
        parts = list(item) if isinstance(item, PartitionedVariable) else [item]
        grouped.setdefault(infer_var_name(parts), []).extend(parts)
    return grouped


_get_grouped_variables = _grouped


def _renamed_in(path: str, names: Mapping[str, Sequence[Variable]]) -> dict[str, str]:
    """The keys of variables in a checkpoint of objects; nothing for one of names."""
    try:
        keys = object_graph_key_mapping(checkpoint_of(path) or path)
    except NotFoundError:
        return {}
    missing = set(names) - set(keys)
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the checkpoint did not contain "
            f"values for all variables. The following variables were missing: {missing}"
        )
    return {name: keys[name] for name in names}


def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: TensorLike = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Makes variables begin with values of a checkpoint; their initializers are replaced, to be run as always.

    Args:
        ckpt_to_initialize_from: the checkpoint, or a folder whose newest is taken.
        vars_to_warm_start: a regular expression for the names of trainable variables; a list of such for all global
            variables; a list of variables; or None for those in `var_name_to_vocab_info` alone.
        var_name_to_vocab_info: the vocabularies of variables whose words may have moved.
        var_name_to_prev_var_name: the names in the checkpoint, of variables that had others.

    Raises:
        ValueError: if a name given is that of no variable, or a variable is not in the checkpoint.
        AttributeError: if the vocabularies or the names in the checkpoint are no dict.
    """
    tf_logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    grouped = _grouped(vars_to_warm_start)
    for given in (var_name_to_vocab_info, var_name_to_prev_var_name):
        if given is not None and not hasattr(given, "get"):
            raise AttributeError(f"warm_start: what is told of variables by their names must be a dict, got {given!r}.")
    vocabularies = dict(var_name_to_vocab_info or {})
    renamed = dict(var_name_to_prev_var_name or _renamed_in(ckpt_to_initialize_from, grouped))
    unused_names, unused_vocabularies = set(renamed), set(vocabularies)
    plain: dict[str, Any] = {}
    started = 0
    for name, parts in grouped.items():
        previous = renamed.get(name)
        if previous:
            unused_names.discard(name)
        vocabulary = vocabularies.get(name)
        if vocabulary is not None:
            unused_vocabularies.discard(name)
            started += 1
            _start_with_vocabulary(parts, ckpt_to_initialize_from, vocabulary, previous or name)
        elif vars_to_warm_start:
            started += 1
            key, whole = get_var_info(parts, previous)
            plain[key] = whole
    init_from_checkpoint(ckpt_to_initialize_from, plain)
    tf_logging.info("Warm-started %d variables.", started)
    for unused, what in ((unused_names, "prev_var_name"), (unused_vocabularies, "vocab_info")):
        if unused:
            raise ValueError(
                f"You provided the following variables in var_name_to_{what} that were not used: {unused}.  Perhaps you "
                f"misspelled them?  Here is the list of viable variable names: {grouped.keys()}"
            )


def warm_start_var_with_vocab(
    var: Any,
    current_vocab_path: str,
    current_vocab_size: int,
    prev_ckpt: str,
    prev_vocab_path: str,
    previous_vocab_size: int = -1,
    current_oov_buckets: int = 0,
    prev_tensor_name: str | None = None,
    initializer: InitializerLike | None = None,
    axis: int = 0,
) -> None:
    """Makes a variable begin with the values of a checkpoint whose words were in other places.

    Args:
        var: a variable, or the list of the parts of one.
        current_vocab_path, current_vocab_size, current_oov_buckets: the vocabulary now; see `VocabInfo`.
        prev_ckpt: the checkpoint, or a folder whose newest is taken.
        prev_vocab_path, previous_vocab_size: the vocabulary then.
        prev_tensor_name: the variable's name in the checkpoint if that is another.
        initializer: what gives new words their values.
        axis: 0 if a word is a row, 1 if it is a column.

    Raises:
        ValueError: if a vocabulary or the checkpoint is not given.
    """
    parts = list(var) if isinstance(var, (list, PartitionedVariable)) else [var]
    for part in parts:
        if not isinstance(part, Variable):
            raise TypeError(f"Expected a variable, a PartitionedVariable or a list of variables; got {part} in a list.")
    info = VocabInfo(
        current_vocab_path,
        current_vocab_size,
        current_oov_buckets,
        prev_vocab_path,
        previous_vocab_size,
        initializer,
        axis,
    )
    _start_with_vocabulary(parts, prev_ckpt, info, prev_tensor_name or infer_var_name(parts))


def _start_with_vocabulary(parts: list[Any], checkpoint: str, info: VocabInfo, name: str) -> None:
    if not (info.new_vocab and info.new_vocab_size and checkpoint and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    rows = sum(part.get_shape().as_list()[0] for part in parts)
    for part in parts:
        shape = part.get_shape().as_list()
        slice_info = part._get_save_slice_info()
        partition = PartitionInfo(slice_info.full_shape, slice_info.var_offset) if slice_info else None
        if info.axis == 0:
            sizes: dict[str, Any] = {
                "new_row_vocab_size": info.new_vocab_size,
                "new_col_vocab_size": shape[1],
                "old_row_vocab_size": info.old_vocab_size,
                "old_row_vocab_file": info.old_vocab,
                "new_row_vocab_file": info.new_vocab,
                "num_row_oov_buckets": info.num_oov_buckets,
            }
        else:
            sizes = {
                "new_row_vocab_size": rows,
                "new_col_vocab_size": info.new_vocab_size,
                "old_col_vocab_file": info.old_vocab,
                "new_col_vocab_file": info.new_vocab,
                "num_col_oov_buckets": info.num_oov_buckets,
            }
        initialize = load_and_remap_matrix_initializer(
            checkpoint_of(checkpoint) or checkpoint, name, initializer=info.backup_initializer, **sizes
        )
        value = convert_to_tensor(initialize(shape=shape, partition_info=partition))
        part._initializer_op = assign(part, value)
