"""The switches of 1.15 between its own ways and those of TensorFlow 2."""

from __future__ import annotations

import errno
import logging
import os
from typing import Any, NoReturn

from headrace.config import eager_executors, tensor_equality
from headrace.config.eager_executors import ASYNC, SYNC
from headrace.core import eager, v2_switches
from headrace.core.defaults import global_graph
from headrace.core.eager import executing_eagerly
from headrace.core.errors import NotFoundError
from headrace.functions.flow import modes
from headrace.state.variable_scope import disable_resource_variables, enable_resource_variables
from headrace.util import tf_logging

# What to do with tensors of another device than an operation's, and how operations run: `tfe.DEVICE_PLACEMENT_…`, `tfe.SYNC`.
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT = 0, 1, 2

__all__ = ["executing_eagerly"]


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Lets operations run as they are made, outside of all graphs; to be called before anything else.

    Args:
        config: a `ConfigProto`, followed as by a session.
        device_policy: what to do with tensors of another device than an operation's: they are always copied, silently,
            which is `tfe.DEVICE_PLACEMENT_SILENT`, the default.
        execution_mode: `tfe.SYNC`, the default, or `tfe.ASYNC`, which lets operations return before they have run; they
            have run all the same.

    Raises:
        TypeError: if `config` is not a `ConfigProto`.
        ValueError: if an argument has another value, or operations have been added to the default graph.
        NotImplementedError: for a policy or mode that is not followed.

    Example:
        >>> tf.enable_eager_execution()
        >>> tf.constant(2.0) * 3.0
        <tf.Tensor: id=..., shape=(), dtype=float32, numpy=6.0>
    """
    if global_graph().is_eager:
        return
    if config is not None and not hasattr(config, "DESCRIPTOR"):
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
    if device_policy not in (None, DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT, 3):
        raise ValueError(
            "device_policy must be one of None, tf.contrib.eager.DEVICE_PLACEMENT_EXPLICIT, "
            "tf.contrib.eager.DEVICE_PLACEMENT_WARN, tf.contrib.eager.DEVICE_PLACEMENT_SILENT, "
            "tf.contrib.eager.DEVICE_PLACEMENT_SILENT_FOR_INT32"
        )
    if execution_mode not in (None, SYNC, ASYNC):
        raise ValueError("execution_mode must be one of None, tf.contrib.eager.SYNC, tf.contrib.eager.ASYNC")
    if device_policy == DEVICE_PLACEMENT_EXPLICIT:
        raise NotImplementedError(
            "enable_eager_execution(device_policy=tfe.DEVICE_PLACEMENT_EXPLICIT): tensors are copied between devices as "
            "needed; use tfe.DEVICE_PLACEMENT_SILENT."
        )
    eager.enable(config)
    eager_executors.set_default_mode(execution_mode)


def enable_v2_behavior() -> None:
    """Switches to those ways of TensorFlow 2 that 1.15 has; to be called before anything else.

    These are eager execution, resource variables, control flow as operations that call functions, numbers as the items
    of a `TensorShape`, and `==` of tensors element by element. The names stay those of 1.x.

    Raises:
        ValueError: if operations have been added to the default graph.

    Example:
        >>> tf.enable_v2_behavior()
        >>> tf.constant([1, 2]) + 1
        <tf.Tensor: id=..., shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """
    v2_switches.all_of_them = True
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()
    enable_tensor_equality()
    enable_control_flow_v2()


def enable_v2_tensorshape() -> None:
    """Makes the items of a `TensorShape` numbers, or None where unknown, instead of `Dimension` objects."""
    v2_switches.tensor_shapes = True


def enable_tensor_equality() -> None:
    """Makes `==` compare the elements of tensors and variables where operations run eagerly, or are a function's.

    Such tensors are no keys of dictionaries then; `tensor.experimental_ref()` is one.
    """
    tensor_equality.use(True)


def enable_control_flow_v2() -> None:
    """Has `tf.cond` and `tf.while_loop` build one If or While operation each, which calls functions, from now on.

    Otherwise they build Switch, Merge and what else 1.x has for control flow, which runs faster here.
    """
    modes.set_control_flow_v2(True)


def control_flow_v2_enabled() -> bool:
    """Whether a `tf.cond` or `tf.while_loop` at this place builds an operation that calls functions."""
    return modes.builds_functions()


def disable_eager_execution() -> None:
    """Lets operations be added to a graph, outside of all graphs an empty one."""
    eager.disable()


def disable_v2_tensorshape() -> None:
    """Takes `enable_v2_tensorshape` back."""
    v2_switches.tensor_shapes = False


def disable_tensor_equality() -> None:
    """`==` of tensors is identity, as it is at first."""
    tensor_equality.use(False)


def disable_control_flow_v2() -> None:
    """Takes `enable_control_flow_v2` back."""
    modes.set_control_flow_v2(False)


def disable_v2_behavior() -> None:
    """The ways of 1.x: takes `enable_v2_behavior` back."""
    v2_switches.all_of_them = False
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_resource_variables()
    disable_tensor_equality()
    disable_control_flow_v2()


def get_logger() -> logging.Logger:
    """The logger "tensorflow"."""
    return tf_logging.get_logger()


def _no_library(function: str, path: str, instead: str) -> NoReturn:
    if not os.path.exists(path):
        raise NotFoundError(None, None, f"{path}: {function} cannot open this file: no such file or directory")
    raise NotImplementedError(f"{function}({path!r}): kernels compiled for TensorFlow cannot be loaded; {instead}.")


def load_op_library(library_filename: str) -> NoReturn:
    """Would load compiled ops.

    Raises:
        NotFoundError: if there is no such file.
        NotImplementedError: if there is one.
    """
    _no_library("tf.load_op_library", library_filename, "declare the op in Python, or use tf.py_func")


def load_library(library_location: str) -> NoReturn:
    """Would load compiled ops, from a file or from each file of a folder.

    Raises:
        OSError: if there is neither.
        NotImplementedError: if there is one.
    """
    if not os.path.exists(library_location):
        raise OSError(
            errno.ENOENT, "tf.load_library: the file or folder to load operations from does not exist", library_location
        )
    _no_library("tf.load_library", library_location, "declare the op in Python, or use tf.py_func")


def load_file_system_library(library_filename: str) -> NoReturn:
    """Would load a compiled file system.

    Raises:
        NotFoundError: if there is no such file.
        NotImplementedError: if there is one.
    """
    _no_library("tf.load_file_system_library", library_filename, "copy the files to a local folder")
