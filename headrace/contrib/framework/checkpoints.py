"""Variables from checkpoints, in the ways of `tf.contrib.framework`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints import checkpoint_utils
from headrace.checkpoints.checkpoint_state import V1
from headrace.checkpoints.saver import Saver
from headrace.contrib.framework.variables import get_variable_full_name
from headrace.core.operation import Operation
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.util import tf_logging

if TYPE_CHECKING:
    import numpy as np

    from headrace.runtime.session import Session
    from headrace.state.variables import Variable


def assign_from_checkpoint(
    model_path: str, var_list: Mapping[str, Variable | Sequence[Variable]], ignore_missing_vars: bool = False
) -> tuple[Operation, dict[Any, Any]]:
    """An operation that gives variables the values they have in a checkpoint, and the feeds to run it with.

    Args:
        model_path: the checkpoint.
        var_list: a list of variables, or a dict from names in the checkpoint to variables or lists of parts of one.
        ignore_missing_vars: whether to leave those that are not in it, rather than raise.

    Raises:
        ValueError: if one is not in it, or has another shape there.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> init_op, feeds = tf.contrib.framework.assign_from_checkpoint(path, [w])
        >>> sess.run(init_op, feeds)
    """
    named: dict[str, list[Any]] = {}
    if isinstance(var_list, (tuple, list)):
        for var in var_list:
            named.setdefault(get_variable_full_name(var), []).append(var)
    else:
        named = {name: list(item) if isinstance(item, (tuple, list)) else [item] for name, item in var_list.items()}
    reader = CheckpointReader(model_path)
    feeds: dict[Any, Any] = {}
    assignments = []
    for name, variables in named.items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint is missing variable [{name}]")
            tf_logging.warning("Checkpoint is missing variable [%s]", name)
            continue
        value = reader.get_tensor(name)
        for var in variables:
            fed = placeholder(var.dtype.base_dtype, shape=var.get_shape(), name=f"placeholder/{var.op.name}")
            assignments.append(var.assign(fed))
            info = var._get_save_slice_info()
            if info is None:
                if var.get_shape() != value.shape:
                    raise ValueError(
                        f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: "
                        f"[{var.get_shape()}]"
                    )
                feeds[fed] = value
            else:
                part = tuple(slice(at, at + size) for at, size in zip(info.var_offset, info.var_shape))
                feeds[fed] = value[part]
    return group(*assignments), feeds


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], None] | None:
    """A function of a session that restores variables from a checkpoint.

    Args:
        model_path: the checkpoint.
        var_list: a list of variables, or a dict from names in the checkpoint to variables.
        ignore_missing_vars: whether to leave those that are not in it, rather than raise when called.
        reshape_variables: whether to give values the shapes of the variables, where the number of elements agrees.

    Returns:
        None if no variable is in it and that is to be ignored.

    Raises:
        ValueError: if `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = CheckpointReader(model_path)
        named = var_list if isinstance(var_list, dict) else {var.op.name: var for var in var_list}
        var_list = {name: var for name, var in named.items() if reader.has_tensor(name)}
        for name in named:
            if name not in var_list:
                tf_logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not var_list:
        tf_logging.warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables, write_version=V1)

    def callback(session: Session) -> None:
        saver.restore(session, model_path)

    return callback


# The functions of `tf.train` under the names that their arguments had before.


def load_checkpoint(filepattern: str) -> CheckpointReader:
    """As `tf.train.load_checkpoint`."""
    return checkpoint_utils.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> np.ndarray:
    """As `tf.train.load_variable`."""
    return checkpoint_utils.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """As `tf.train.list_variables`."""
    return checkpoint_utils.list_variables(checkpoint_dir)


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Mapping[str, Any]) -> None:
    """As `tf.train.init_from_checkpoint`."""
    checkpoint_utils.init_from_checkpoint(checkpoint_dir, assignment_map)
