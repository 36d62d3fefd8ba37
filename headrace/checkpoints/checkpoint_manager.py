"""`tf.train.CheckpointManager`: how many checkpoints of objects are kept."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from headrace.checkpoints import checkpoint_state
from headrace.checkpoints.load_status import needed_session
from headrace.core.eager import executing_eagerly
from headrace.core.errors import OpError
from headrace.state.global_step import global_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.checkpoints.checkpoint import Checkpoint


class CheckpointManager:
    """Saves a `Checkpoint` again and again, and deletes what is too old.

    Args:
        checkpoint: a `tf.train.Checkpoint`.
        directory: the folder; what an earlier manager kept there is kept track of.
        max_to_keep: how many checkpoints to keep; None keeps all.
        keep_checkpoint_every_n_hours: keeps one for good every so many hours besides.
        checkpoint_name: what their names begin with.

    Raises:
        ValueError: if `max_to_keep` is no positive number.

    Example:
        >>> checkpoint = tf.train.Checkpoint(weights=w)
        >>> manager = tf.train.CheckpointManager(checkpoint, "train", max_to_keep=5)
        >>> checkpoint.restore(manager.latest_checkpoint).initialize_or_restore(sess)
        >>> manager.save()
        'train/ckpt-1'
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_max_to_keep`, got {max_to_keep:d}.")
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = os.fspath(directory)
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        # The checkpoints that may be deleted some time, oldest first, and when each was written.
        self._maybe_delete: dict[str, float] = {}
        self._saved: set[str] = set()
        now = time.time()
        state = checkpoint_state.get_checkpoint_state(self._directory)
        if state is None:
            self._latest_checkpoint: str | None = None
            # A little back, so that what is saved at once counts as later.
            self._last_preserved_timestamp = now - 1.0
            return
        self._latest_checkpoint = state.model_checkpoint_path
        preserved = state.last_preserved_timestamp
        if now < preserved:
            tf_logging.warning(
                "The clock is %f seconds behind the last preserved checkpoint timestamp.", preserved - now
            )
        self._last_preserved_timestamp = min(preserved, now)
        times = state.all_model_checkpoint_timestamps or [preserved] * len(state.all_model_checkpoint_paths)
        for path, written in zip(state.all_model_checkpoint_paths, times):
            if min(written, now) > self._last_preserved_timestamp:
                self._maybe_delete[path] = min(written, now)

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints it keeps track of, oldest first."""
        return list(self._maybe_delete)

    def _sweep(self) -> None:
        while self._max_to_keep and len(self._maybe_delete) > self._max_to_keep:
            path, written = next(iter(self._maybe_delete.items()))
            del self._maybe_delete[path]
            hours = self._keep_checkpoint_every_n_hours
            if hours and written - hours * 3600.0 >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = written
                continue
            # The `checkpoint` file may name what is not this training's.
            if path in self._saved or checkpoint_state.lies_in(path, self._directory):
                self._saved.discard(path)
                with contextlib.suppress(OpError):
                    checkpoint_state.remove_checkpoint(path)

    def _record_state(self) -> None:
        checkpoint_state.update_checkpoint_state_internal(
            self._directory,
            model_checkpoint_path=self._latest_checkpoint or "",
            all_model_checkpoint_paths=list(self._maybe_delete),
            all_model_checkpoint_timestamps=list(self._maybe_delete.values()),
            last_preserved_timestamp=self._last_preserved_timestamp,
            save_relative_paths=True,
        )

    def save(self, checkpoint_number: int | None = None) -> str:
        """Writes a checkpoint and deletes what is too old.

        Args:
            checkpoint_number: a number, tensor or variable to name it by; the checkpoint's `save_counter` by default, which
                is counted up in any case.

        Returns:
            its path.
        """
        session = None if executing_eagerly() else needed_session(None)
        counted = self._checkpoint._count(session)
        if checkpoint_number is None:
            number = counted
        else:
            is_number = isinstance(checkpoint_number, int)
            number = checkpoint_number if is_number else global_step(session, checkpoint_number)
        path = self._checkpoint.write(f"{self._checkpoint_prefix}-{number:d}")
        self._saved.add(path)
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        self._latest_checkpoint = path
        # Twice: before anything is deleted, the state names the new checkpoint; afterwards, nothing that is gone.
        self._record_state()
        self._sweep()
        self._record_state()
        return path
