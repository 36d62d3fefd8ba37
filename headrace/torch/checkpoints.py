"""Checkpoints of TensorFlow as state dicts of PyTorch, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dtypes import as_dtype
from headrace.files.checkpoint.bundle_writer import BundleWriter
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.kernels.host_values import to_array, to_tensor

if TYPE_CHECKING:
    from pathlib import Path


def from_checkpoint(path: str | Path) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint by name, strings left out.

    Args:
        path: what `tf.train.Saver.save` or `tf.train.latest_checkpoint` returned.

    Raises:
        NotFoundError: if there is no checkpoint; DataLossError: if it is damaged.

    Example:
        >>> module = headrace.torch.to_module(logits, [x], sess)
        >>> path = saver.save(sess, "./model.ckpt")
        >>> module.load_state_dict(headrace.torch.from_checkpoint(path), strict=False)
        _IncompatibleKeys(missing_keys=[], unexpected_keys=['global_step'])
    """
    reader = CheckpointReader(path)
    found = {}
    for name in sorted(reader.get_variable_to_shape_map()):
        array = np.asarray(reader.get_tensor(name))
        if array.dtype.kind not in "OSU":
            found[name] = to_tensor(array).clone()
    return found


def to_checkpoint(state_dict: Mapping[str, torch.Tensor], path: str | Path) -> str:
    """Writes tensors as a checkpoint that `tf.train.Saver` restores, here and in TensorFlow.

    Args:
        state_dict: names to tensors, such as `module.named_variables()`, or a state dict of any module.
        path: the path of the checkpoint.

    Returns:
        the path.

    Raises:
        TypeError: for what is no tensor.
    """
    prefix = as_path(path)
    for name, tensor in state_dict.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name}: a checkpoint holds tensors, got {type(tensor).__name__}")
    with BundleWriter(prefix) as writer:
        # The index is sorted by name, and the data follow it.
        for name in sorted(state_dict, key=str.encode):
            array = to_array(state_dict[name].detach().cpu().contiguous())
            writer.add(name, as_dtype(array.dtype), array)
        writer.finish()
    return prefix
