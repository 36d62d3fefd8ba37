"""What estimators and their input functions have in common."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from headrace.core.errors import OpError
from headrace.data.dataset import DatasetV2, make_initializable_iterator
from headrace.data.iterator import Iterator
from headrace.files import file_io
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.sessions.coordinator import Coordinator

ATTEMPTS = 10


class DatasetInitializerHook(SessionRunHook):
    """Initializes the iterator of a dataset in each new session.

    Args:
        iterator: the iterator.
    """

    def __init__(self, iterator: Iterator) -> None:
        self._iterator = iterator

    def begin(self) -> None:
        """Finds the operation before the graph is finalized."""
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Runs it."""
        session.run(self._initializer)


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Features, labels and hooks of what an input function returned.

    Args:
        result: a dataset, an iterator, tensors, or a pair (features, labels) of structures of tensors.

    Raises:
        ValueError: for a list or tuple of another length than 2.
    """
    hooks: list[SessionRunHook] = []
    if isinstance(result, DatasetV2):
        iterator = make_initializable_iterator(result)
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    elif isinstance(result, Iterator):
        result = result.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(f"input_fn should return (features, labels) as a len 2 tuple, got {len(result)} elements.")
        return result[0], result[1], hooks
    return result, None, hooks


def get_timestamped_dir(dir_base: str | bytes) -> bytes:
    """A folder of `dir_base` that does not exist yet, named by the time in seconds.

    Raises:
        RuntimeError: if there is one for each second that was tried.
    """
    base = os.fsdecode(dir_base)
    for _ in range(ATTEMPTS):
        folder = os.path.join(base, str(int(time.time())))
        if not file_io.file_exists(folder):
            return os.fsencode(folder)
        time.sleep(1)
        tf_logging.warn("Directory %s already exists; retrying.", folder)
    raise RuntimeError(f"Failed to obtain a unique export directory name after {ATTEMPTS} attempts.")


def removed(folder: str) -> None:
    """Removes what was written of an export that failed; what cannot be removed stays."""
    try:
        file_io.delete_recursively(folder)
    except OpError as error:
        tf_logging.warn("Could not remove %s: %s", folder, error)
