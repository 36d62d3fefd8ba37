"""The checkpoints that are there: how many are kept, and which are deleted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from headrace.checkpoints import checkpoint_state
from headrace.core.errors import OpError
from headrace.util import tf_logging


class KeptCheckpoints:
    """What a saver knows of the checkpoints it has written."""

    saver_def: Any
    # The next checkpoint written after this is kept for good.
    _next_checkpoint_time: float

    def __init__(self) -> None:
        self._last_checkpoints: list[tuple[str, float]] = []
        self._checkpoints_to_be_deleted: list[tuple[str, float]] = []
        # Those that a `checkpoint` file may have named; files elsewhere are not this training's to delete.
        self._recovered: set[str] = set()

    def _record(self, path: str) -> None:
        self._recovered.discard(path)
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [item for item in self._last_checkpoints if item[0] != path]
        self._last_checkpoints.append((path, time.time()))
        if len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _delete_old(self, meta_graph_suffix: str, folder: str) -> None:
        if not self._checkpoints_to_be_deleted:
            return
        path, written = self._checkpoints_to_be_deleted.pop(0)
        if written > self._next_checkpoint_time:
            # One in so many hours is kept for good.
            self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        if path in self._recovered and not checkpoint_state.lies_in(path, folder):
            return
        try:
            checkpoint_state.remove_checkpoint(path, self.saver_def.version, meta_graph_suffix)
        except OpError as error:
            tf_logging.warning("Ignoring: %s", error)

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Says which checkpoints there are; these are never deleted. See `set_last_checkpoints_with_time`."""
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Says which checkpoints there are.

        Args:
            last_checkpoints_with_time: pairs of a path and when it was written, oldest first.
        """
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Says which checkpoints there are, as far as they exist: those of an earlier process.

        Args:
            checkpoint_paths: their paths, oldest first. Those outside of the folder that is saved to are never deleted.

        Example:
            >>> path = saver.save(sess, "./model.ckpt", global_step=10)
            >>> state = tf.train.get_checkpoint_state(".")
            >>> later = tf.train.Saver()
            >>> later.recover_last_checkpoints(state.all_model_checkpoint_paths)
            >>> later.last_checkpoints
            ['./model.ckpt-10']
        """
        found = []
        for path in checkpoint_paths:
            times = checkpoint_state.get_checkpoint_mtimes([path])
            if times:
                found.append((path, times[0]))
        self.set_last_checkpoints_with_time(found)
        self._recovered = {path for path, _ in found}
