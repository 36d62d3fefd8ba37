"""Monitors that write: summaries, checkpoints, the rate of steps, and what all operations gave."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.learn.monitors import BaseMonitor, EveryN, NanLoss
from headrace.core.defaults import get_default_graph
from headrace.messages.protos import SessionLog, Summary
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.checkpoints.saver import Saver
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.sessions.scaffold import Scaffold


class SummarySaver(EveryN):
    """Writes summaries.

    Args:
        summary_op: the summary; None for that of `scaffold`.
        save_steps: after how many steps.
        output_dir: the folder, by default the estimator's.
        summary_writer: or the writer.
        scaffold: gives the summary in the place of `summary_op`.
    """

    def __init__(
        self,
        summary_op: TensorLike | None,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Scaffold | None = None,
    ) -> None:
        super().__init__(every_n_steps=save_steps)
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer = _writer(summary_writer, output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Writes into the estimator's folder if there is no other."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        super().every_n_step_end(step, outputs)
        if self._summary_op is not None and self._summary_writer is not None:
            self._summary_writer.add_summary(outputs[self._summary_op], step)
        return False

    def end(self, session: SessionLike | None = None) -> None:
        """Writes what is left."""
        super().end(session=session)
        if self._summary_writer is not None:
            self._summary_writer.flush()


def _writer(summary_writer: Any, output_dir: str | None) -> Any:
    if summary_writer is not None or output_dir is None:
        return summary_writer
    return FileWriterCache.get(output_dir)


class StepCounter(EveryN):
    """Writes how many steps a second are done.

    Args:
        every_n_steps: after how many steps.
        output_dir: the folder, by default the estimator's.
        summary_writer: or the writer.
    """

    def __init__(self, every_n_steps: int = 100, output_dir: str | None = None, summary_writer: Any = None) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._summary_tag = "global_step/sec"
        self._last_reported_step: int | None = None
        self._last_reported_time: float | None = None
        self._summary_writer = _writer(summary_writer, output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Writes into the estimator's folder if there is no other."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, current_step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        now = time.time()
        if self._last_reported_time is not None and self._last_reported_step is not None:
            seconds = now - self._last_reported_time
            if seconds > 0 and self._summary_writer is not None:
                rate = (current_step - self._last_reported_step) / seconds
                value = Summary.Value(tag=self._summary_tag, simple_value=rate)
                self._summary_writer.add_summary(Summary(value=[value]), current_step)
        self._last_reported_step, self._last_reported_time = current_step, now
        return False


class CheckpointSaver(BaseMonitor):
    """Saves checkpoints.

    Args:
        checkpoint_dir: the folder.
        save_secs: after how many seconds.
        save_steps: or after how many steps.
        saver: the saver.
        checkpoint_basename: what files are called.
        scaffold: gives the saver in the place of `saver`.

    Raises:
        ValueError: unless exactly one of `save_secs` and `save_steps` is given.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: int | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
    ) -> None:
        tf_logging.info("Create CheckpointSaver.")
        super().__init__()
        if save_secs is None and save_steps is None:
            raise ValueError("Either save_steps or save_secs should be provided")
        if save_secs is not None and save_steps is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")
        self._saver, self._scaffold = saver, scaffold
        self._summary_writer = FileWriterCache.get(checkpoint_dir)
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._last_saved_time: float | None = None
        self._last_begin_step: int | None = None
        self._last_saved_step: int | None = None

    def begin(self, max_steps: int | None = None) -> None:
        """See `BaseMonitor`."""
        super().begin(max_steps)
        self._last_saved_time = self._last_begin_step = self._last_saved_step = None

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        super().step_begin(step)
        self._last_begin_step = step
        return []

    def post_step(self, step: int, session: SessionLike) -> None:
        """See `BaseMonitor`."""
        super().post_step(step, session)
        if self._is_due(step):
            self._save(step, session)

    def _is_due(self, step: int) -> bool:
        if self._last_saved_step is None or self._last_saved_time is None:
            return True
        if self._save_steps is not None:
            return step >= self._last_saved_step + self._save_steps
        return self._save_secs is not None and time.time() >= self._last_saved_time + self._save_secs

    def end(self, session: SessionLike | None = None) -> None:
        """See `BaseMonitor`."""
        super().end(session)
        if session is not None and self._last_begin_step is not None:
            self._save(self._last_begin_step, session)

    def _save(self, step: int, session: SessionLike) -> None:
        if step == self._last_saved_step:
            return
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._last_saved_time, self._last_saved_step = time.time(), step
        saver = self._saver if self._scaffold is None else self._scaffold.saver
        if saver is None:
            raise ValueError("CheckpointSaver needs a saver, or a scaffold with one.")
        saver.save(session, self._save_path, global_step=step)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)


class GraphDump(BaseMonitor):
    """Keeps what all operations gave in each step; very slow.

    Args:
        ignore_ops: types of operations to leave out.
    """

    IGNORE_OPS = ["Const", "Assign", "Identity", "Placeholder", "RandomUniform", "Cast", "RestoreSlice"]  # noqa: RUF012 # a list, as programs extend it

    def __init__(self, ignore_ops: Sequence[str] | None = None) -> None:
        super().__init__()
        self._ignore_ops = ignore_ops or GraphDump.IGNORE_OPS
        self._data: dict[int, dict[str, Any]] = {}

    @property
    def data(self) -> dict[int, dict[str, Any]]:
        """From step to a dict from name to value."""
        return self._data

    def begin(self, max_steps: int | None = None) -> None:
        """See `BaseMonitor`."""
        super().begin(max_steps)
        self._tensors: list[Any] = []
        graph = get_default_graph()
        for operation in graph.get_operations():
            if operation.type in self._ignore_ops:
                continue
            tf_logging.info("op=%s.", operation.name)
            # What lies in branches and loops has no value of its own.
            self._tensors += [output.name for output in operation.outputs if graph.is_fetchable(output)]

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        super().step_begin(step)
        return list(self._tensors)

    def step_end(self, step: int, output: Any) -> bool:
        """See `BaseMonitor`."""
        super().step_end(step, output)
        self._data[step] = output
        return False

    def compare(self, other_dump: GraphDump, step: int, atol: float = 1e-06) -> tuple[list[str], list[str]]:
        """What two dumps have in common at a step.

        Args:
            other_dump: the other.
            step: the step.
            atol: how far values may be apart.

        Returns:
            (the names of equal values, those of others).

        Raises:
            ValueError: if one of them has no such step.
        """
        equal: list[str] = []
        others: list[str] = []
        mine, theirs = self._step_of(step), other_dump._step_of(step)
        for name, value in mine.items():
            if name not in theirs:
                tf_logging.warn("%s missing from other.", name)
                continue
            same = (
                np.allclose(value, theirs[name], atol=atol)
                if _is_number(value)
                else np.array_equal(value, theirs[name])
            )
            (equal if same else others).append(name)
        return equal, others

    def _step_of(self, step: int) -> dict[str, Any]:
        if step not in self._data:
            raise ValueError(f"There is no data of step {step}; there is of {sorted(self._data)}.")
        return self._data[step]


def _is_number(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "biufc"


class ExportMonitor(EveryN):
    """Writes session bundles, as `BaseEstimator.export` does, while a model is trained and at the end.

    Args:
        every_n_steps: after how many steps.
        export_dir: the folder of exports.
        input_fn: returns (features, labels) where there is an `input_feature_key`; else a function of (estimator,
            serialized examples) that returns features, by default the estimator's.
        input_feature_key: the key of the serialized examples among features.
        exports_to_keep: how many exports to keep.
        signature_fn: of (examples, features, predictions); returns (the default signature, others by name).
        default_batch_size: how many examples there are in a request; None for any number.

    Raises:
        ValueError: for an `input_feature_key` without an `input_fn`.
    """

    def __init__(
        self,
        every_n_steps: int,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        exports_to_keep: int | None = 5,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int | None = 1,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        if input_feature_key is not None and input_fn is None:
            raise ValueError("input_feature_key names a feature of input_fn, and there is no input_fn")
        self._export_dir, self._exports_to_keep, self._signature_fn = export_dir, exports_to_keep, signature_fn
        self._settings: dict[str, Any] = {
            "use_deprecated_input_fn": input_feature_key is None,
            "input_feature_key": input_feature_key,
            "default_batch_size": default_batch_size,
        }
        if input_fn is not None:
            self._settings["input_fn"] = input_fn
        self._last_export_dir: bytes | None = None

    @property
    def export_dir(self) -> str:
        """The folder of exports."""
        return self._export_dir

    @property
    def exports_to_keep(self) -> int | None:
        """How many exports are kept."""
        return self._exports_to_keep

    @property
    def signature_fn(self) -> Callable[..., Any] | None:
        """What makes signatures."""
        return self._signature_fn

    @property
    def last_export_dir(self) -> bytes | None:
        """The newest export; None before the first."""
        return self._last_export_dir

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        super().every_n_step_end(step, outputs)
        self._export(
            "Skipping exporting because the existing checkpoint has already been exported. "
            "Consider exporting less frequently."
        )
        return False

    def end(self, session: SessionLike | None = None) -> None:
        """See `BaseMonitor`."""
        super().end(session)
        if latest_checkpoint(self._estimator.model_dir) is None:
            tf_logging.info("Skipping export at the end since model has not been saved yet.")
            return
        self._export("Skipping exporting for the same step.")

    def _export(self, told_if_exported: str) -> None:
        try:
            self._last_export_dir = self._estimator.export(
                self._export_dir,
                exports_to_keep=self._exports_to_keep,
                signature_fn=self._signature_fn,
                **self._settings,
            )
        except RuntimeError:
            # No checkpoint has been written since the last export.
            tf_logging.info(told_if_exported)


def get_default_monitors(
    loss_op: TensorLike | None = None,
    summary_op: TensorLike | None = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """The monitors of a usual training.

    Args:
        loss_op: the loss, watched for values that are no numbers.
        summary_op: the summary to write.
        save_summary_steps: after how many steps it is.
        output_dir: the folder.
        summary_writer: or the writer.
    """
    monitors: list[BaseMonitor] = []
    if loss_op is not None:
        monitors.append(NanLoss(loss_op))
    if summary_op is not None:
        monitors.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return monitors
