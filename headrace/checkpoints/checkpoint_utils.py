"""Looking into checkpoints, waiting for them, and initializing variables from them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints import checkpoint_state
from headrace.checkpoints.saveables import op_list_to_dict, saveable_objects_for_op
from headrace.core.attributes import check_attribute
from headrace.core.defaults import device
from headrace.core.registry import raw
from headrace.files import file_io
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_store import get_default_variable_store
from headrace.state.variables import Variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def checkpoint_of(ckpt_dir_or_file: str) -> str | None:
    """A checkpoint's path; of a folder, that of the newest one in it."""
    path = os.fspath(ckpt_dir_or_file)
    return checkpoint_state.latest_checkpoint(path) if file_io.is_directory(path) else path


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """Opens a checkpoint, the newest one of a folder.

    Args:
        ckpt_dir_or_file: the path of a checkpoint or of a folder of them.

    Raises:
        ValueError: if the folder has none.
        NotFoundError: if there is no such checkpoint.
    """
    path = checkpoint_of(ckpt_dir_or_file)
    if path is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(path)


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """The value of one variable in a checkpoint.

    Args:
        ckpt_dir_or_file: as in `load_checkpoint`.
        name: its name, with or without ":0".

    Raises:
        AttributeError: if the name is no string.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> tf.train.load_variable(path, "w").shape
        (3, 2)
    """
    check_attribute("load_variable: name", name, "endswith", "a string")
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """The names and shapes of the variables in a checkpoint, by name.

    Args:
        ckpt_dir_or_file: as in `load_checkpoint`.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def wait_for_new_checkpoint(
    checkpoint_dir: str, last_checkpoint: str | None = None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """Waits until a folder has a newest checkpoint other than `last_checkpoint`; None when `timeout` seconds are over."""
    tf_logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    end = None if timeout is None else time.time() + timeout
    while True:
        path = checkpoint_state.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            tf_logging.info("Found new checkpoint at %s", path)
            return path
        if end is not None and time.time() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The newest checkpoints of a folder, as another process writes them; some may be passed over.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least number of seconds between two of them.
        timeout: how many seconds to wait for the next one; None waits for ever.
        timeout_fn: asked when the time is over, whether to stop; by default it stops.

    Example:
        >>> path = saver.save(sess, "./model.ckpt", global_step=10)
        >>> for path in tf.train.checkpoints_iterator(".", timeout=0):
        ...     print(path)
        ./model.ckpt-10
    """
    path = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if found is None:
            if timeout_fn is None:
                tf_logging.info("Timed-out waiting for a checkpoint.")
                return
            if timeout_fn():
                return
            continue
        start = time.time()
        path = found
        yield path
        left = start + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


# ---- variables that begin with what a checkpoint holds ----


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[str, Any]) -> None:
    """Makes variables begin with values of a checkpoint: their initializers are replaced, to be run as always.

    Args:
        ckpt_dir_or_file: as in `load_checkpoint`.
        assignment_map: from names in the checkpoint to variables, lists of parts of one, or names of variables; or from
            a scope in it to a scope here, both ending in "/".

    Raises:
        ValueError: if a variable is not in the checkpoint, or has another shape there.

    Example:
        >>> with tf.variable_scope("encoder"):
        ...     trained = tf.get_variable("w", initializer=2.0)
        >>> sess.run(trained.initializer)
        >>> path = tf.train.Saver([trained]).save(sess, "./pretrained.ckpt")
        >>> with tf.variable_scope("model/encoder"):
        ...     fresh = tf.get_variable("w", [])
        >>> tf.train.init_from_checkpoint(path, {"encoder/": "model/encoder/"})
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(fresh)
        2.0
    """
    path = checkpoint_of(ckpt_dir_or_file)
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    stored = get_default_variable_store()._vars
    for name, target in sorted(assignment_map.items()):
        variable = target if _is_variables(target) else _stored(target, stored)
        if variable is None:
            _init_scope(path, ckpt_dir_or_file, name, target, shapes, stored)
            continue
        if name not in shapes:
            raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
        if isinstance(variable, Variable) and not variable.get_shape().is_compatible_with(shapes[name]):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.get_shape()}) doesn't match with shape of tensor {name} "
                f"({shapes[name]}) from checkpoint reader."
            )
        _set_initializers(variable, path, name)


def _is_variables(item: TensorLike) -> bool:
    if isinstance(item, list):
        return all(isinstance(part, Variable) for part in item)
    return isinstance(item, (Variable, PartitionedVariable))


def _stored(name: str, stored: Mapping[str, Any]) -> Any:
    """The variable that `get_variable` made under a name, or the list of its parts; None if there is none."""
    if name in stored:
        return stored[name]
    parts: list[Any] = []
    while f"{name}/part_{len(parts)}" in stored:
        parts.append(stored[f"{name}/part_{len(parts)}"])
    return parts or None


def _init_scope(
    path: str | None, given: str, source: str, target: str, shapes: Mapping[str, Any], stored: Mapping[str, Any]
) -> None:
    if not isinstance(target, str):
        raise TypeError(f"The assignment map has {target!r} for {source!r}: neither a variable nor the name of one.")
    scope = target.rpartition("/")[0]
    if not source.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {source}. Should be 'scope/': "
            "'other_scope/'."
        )
    inside = {name.partition("/part_")[0] for name in stored if not scope or name.startswith(scope + "/")}
    for name in sorted(inside):
        rest = name[len(scope) :]
        if target != "/":
            rest = rest[1:]
        full = rest if source == "/" else source + rest
        full = full.removesuffix("/")
        if full not in shapes:
            own = name[len(scope) + 1 :]
            raise ValueError(f"Tensor {full} ({own} in {source}) is not found in {given} checkpoint")
        _set_initializers(_stored(name, stored), path, full)


def _set_initializers(variable: Any, path: str | None, name: str) -> None:
    if isinstance(variable, Variable):
        _set_initializer(variable, path, name, "")
        return
    whole = None
    for part in variable:
        info = part._save_slice_info
        if whole is None:
            whole = info.full_name
        elif whole != info.full_name:
            raise ValueError(f"Slices must all be from the same tensor: {whole} != {info.full_name}")
        _set_initializer(part, path, name, info.spec)


def _set_initializer(variable: Any, path: str | None, name: str, part: str) -> None:
    with device(variable.device), device("/cpu:0"):
        value = raw.RestoreV2(path, [name], [part], dtypes=[variable.dtype.base_dtype], name="checkpoint_initializer")[
            0
        ]
        (saveable,) = [
            made for key, item in op_list_to_dict([variable]).items() for made in saveable_objects_for_op(item, key)
        ]
    variable._initializer_op = saveable.restore([value], None)
    value.set_shape(variable.shape)
    variable._initial_value = value
