"""Printing what checkpoints hold."""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError
from typing import Any

import numpy as np

from headrace.core.errors import DataLossError, OpError
from headrace.files.checkpoint.reader import CheckpointReader


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str = "",
    all_tensors: bool = False,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the names, types and shapes of the tensors in a checkpoint, or their values.

    Args:
        file_name: the checkpoint.
        tensor_name: the name of one whose value to print.
        all_tensors: whether to print the values of all.
        all_tensor_names: whether to print the names alone.
        count_exclude_pattern: a regular expression for names to leave out when parameters are counted.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> print_tensors_in_checkpoint_file(path, tensor_name="global_step", all_tensors=False)
        tensor_name:  global_step
        0
        # Total number of params: 7
    """
    try:
        _print(file_name, tensor_name, all_tensors, all_tensor_names, count_exclude_pattern)
    except OpError as error:
        print(error.message)
        if isinstance(error, DataLossError) and re.search(r"\.(index|meta|data-\d+-of-\d+)$", file_name):
            prefix = file_name.rpartition(".")[0]
            print(f"This is one of the files of a checkpoint; its name is without the ending: {prefix}")


def _print(file_name: str, tensor_name: str, all_tensors: bool, all_tensor_names: bool, exclude: str) -> None:
    reader = CheckpointReader(file_name)
    shapes = reader.get_variable_to_shape_map()
    if all_tensors or all_tensor_names:
        for name in sorted(shapes):
            print("tensor_name: ", name)
            if all_tensors:
                print(reader.get_tensor(name))
    elif tensor_name:
        print("tensor_name: ", tensor_name)
        print(reader.get_tensor(tensor_name))
    else:
        print(reader.debug_string().decode("utf-8", "replace"))
    excluded = {name for name in shapes if exclude and re.search(exclude, name)}
    if exclude:
        count = sum(math.prod(shapes[name]) for name in excluded)
        print(f"# Excluding {len(excluded)} tensors ({count} params) that match {exclude} when counting.")
    print(f"# Total number of params: {sum(math.prod(shapes[name]) for name in shapes if name not in excluded)}")


def parse_numpy_printoption(kv_str: str) -> None:
    """Sets an option of NumPy's printing from text like "threshold=100".

    Raises:
        argparse.ArgumentTypeError: if it is no such option, or of a kind that text cannot give.
    """
    key, sign, text = kv_str.partition("=")
    if not sign or not key:
        raise ArgumentTypeError(f"'{kv_str}' is not in the form k=v.")
    options: dict[str, Any] = dict(np.get_printoptions())
    if key not in options:
        raise ArgumentTypeError(f"'{key}' is not a valid printoption.")
    kind = type(options[key])
    if kind is type(None):
        raise ArgumentTypeError(f"Setting '{key}' from the command line is not supported.")
    value: int = text.lower() in ("1", "true", "t", "yes") if kind is bool else kind(text)
    chosen: Any = {key: value}
    np.set_printoptions(**chosen)
