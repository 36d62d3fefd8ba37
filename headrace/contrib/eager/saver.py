"""Saving in eager execution: `tfe.Saver` and what goes with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from headrace.checkpoints.checkpoint_utils import load_checkpoint
from headrace.checkpoints.saver import Saver as GraphSaver
from headrace.core.convert import convert_to_tensor
from headrace.core.eager import executing_eagerly
from headrace.core.errors import NotFoundError
from headrace.files.paths import as_path
from headrace.state.resource_variables import ResourceVariable, called_when_made


class Saver:
    """Saves and restores variables, in eager execution only.

    Args:
        var_list: a list of variables, or a dict from names in the checkpoint to them.

    Raises:
        RuntimeError: while graphs are built.

    Example:
        >>> v = tfe.Variable(3.0)
        >>> saver = tfe.Saver([v])
        >>> path = saver.save("ckpt")
        >>> v.assign(0.0)
        >>> saver.restore(path)
        >>> v.numpy()
        3.0
    """

    def __init__(self, var_list: Any) -> None:
        if not executing_eagerly():
            raise RuntimeError(
                "tfe.Saver can only be used when eager execution is enabled. Use tf.train.Saver when building graphs."
            )
        self._saver = GraphSaver(var_list=var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> str:
        """Saves the variables.

        Args:
            file_prefix: the path of the checkpoint.
            global_step: a number that is added to it.

        Returns:
            the path of the checkpoint.
        """
        path = self._saver.save(None, file_prefix, global_step=global_step, write_meta_graph=False)
        return path or as_path(file_prefix)

    def restore(self, file_prefix: Any) -> None:
        """Gives the variables the values they have in a checkpoint.

        Args:
            file_prefix: what `save` or `tf.train.latest_checkpoint` returned.
        """
        self._saver.restore(None, file_prefix)


@contextlib.contextmanager
def restore_variables_on_create(save_path: str, map_func: Callable[[str], str] | None = None) -> Iterator[None]:
    """Variables made inside begin with the values that a checkpoint has under their names.

    Args:
        save_path: a checkpoint, or a folder, whose newest one it is; None restores nothing.
        map_func: from names of variables to names in it.

    Raises:
        ValueError: while graphs are built (see `tf.train.init_from_checkpoint`), or if `map_func` is not callable.
        NotFoundError: inside, when a variable is made that the checkpoint lacks.
    """
    if not executing_eagerly():
        raise ValueError("Currently, restore_variables_on_create can only be used with eager execution enabled.")
    if map_func is not None and not callable(map_func):
        raise ValueError(f"map_func must be callable, got {map_func!r}.")
    if save_path is None:
        yield
        return
    reader = load_checkpoint(save_path)
    done: set[str] = set()

    def restore(variable: ResourceVariable) -> None:
        name = variable._shared_name if map_func is None else map_func(variable._shared_name)
        if not reader.has_tensor(name):
            raise NotFoundError(None, None, f"{name} not found in checkpoint")
        if name not in done:
            # Of variables of one name the first is restored.
            done.add(name)
            variable.assign(convert_to_tensor(reader.get_tensor(name)))

    called_when_made.append(restore)
    try:
        yield
    finally:
        called_when_made.remove(restore)


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """The variables that an optimizer has made.

    Args:
        optimizer: an optimizer.
    """
    made: list[Any] = optimizer.variables()
    return made
