"""When and where `train_and_evaluate` exports a model: last, best, or after each evaluation."""

from __future__ import annotations

import abc
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.errors import OpError
from headrace.estimator.model_fn import LOSS_METRIC_KEY
from headrace.files import file_io
from headrace.files.events import summary_iterator
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator

_TIMESTAMP = re.compile(r"\d{10}")


class Exporter(abc.ABC):
    """What `train_and_evaluate` calls to export a model."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the folder its exports lie in, below `export`."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint, or does not.

        Args:
            estimator: the model.
            export_path: the folder of its exports.
            checkpoint_path: the checkpoint.
            eval_result: what its evaluation gave.
            is_the_final_export: whether training has ended.

        Returns:
            the path of what was written, or None.
        """


class _SavedModelExporter(Exporter):
    """Writes SavedModels.

    Args:
        name: the name of the folder.
        serving_input_receiver_fn: returns a `ServingInputReceiver`.
        assets_extra: from path below `assets.extra` to the path of a file to copy there.
        as_text: whether to write graphs as text.

    Raises:
        ValueError: for an empty name.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self._name

    def _write(self, estimator: Estimator, export_path: str, checkpoint_path: str) -> bytes:
        return estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports a model when its training has ended; arguments: name, serving_input_receiver_fn, assets_extra, as_text.

    Example:
        >>> tf.estimator.FinalExporter("final", serving_input_receiver_fn)
    """

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports the checkpoint, if it is the last."""
        if not is_the_final_export:
            return None
        tf_logging.info("Performing the final export in the end of training.")
        return self._write(estimator, export_path, checkpoint_path)


class LatestExporter(_SavedModelExporter):
    """Exports a model after each evaluation.

    Args:
        name, serving_input_receiver_fn, assets_extra, as_text: as of `FinalExporter`.
        exports_to_keep: how many exports stay; None for all.

    Raises:
        ValueError: if that number is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = _checked_number(exports_to_keep)

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports the checkpoint, and removes the oldest exports."""
        written = self._write(estimator, export_path, checkpoint_path)
        remove_old_exports(export_path, self._exports_to_keep)
        return written


def _loss_smaller(best_eval_result: Mapping[str, Any], current_eval_result: Mapping[str, Any]) -> bool:
    """Whether an evaluation has a smaller loss than the best so far.

    Raises:
        ValueError: if one of them is empty or has no loss.
    """
    for result, which in ((best_eval_result, "best_eval_result"), (current_eval_result, "current_eval_result")):
        if not result or LOSS_METRIC_KEY not in result:
            raise ValueError(f"{which} cannot be empty or no loss is found in it.")
    return best_eval_result[LOSS_METRIC_KEY] > current_eval_result[LOSS_METRIC_KEY]


class BestExporter(_SavedModelExporter):
    """Exports a model when it is better than it was.

    Args:
        name, serving_input_receiver_fn, assets_extra, as_text: as of `FinalExporter`.
        event_file_pattern: of the event files with the evaluations of an earlier run, relative to the model's folder, to
            go on from the best of them.
        compare_fn: of the best result and the current one: whether that is better; by default if its loss is smaller.
        exports_to_keep: how many exports stay; None for all.

    Raises:
        ValueError: if there is nothing to compare by, or that number is not positive.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        _check_comparison(compare_fn)
        if serving_input_receiver_fn is None:
            raise ValueError("`serving_input_receiver_fn` must not be None.")
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._compare_fn = compare_fn
        self._event_file_pattern = event_file_pattern
        self._model_dir: str | None = None
        self._best_eval_result: Any = None
        self._exports_to_keep = _checked_number(exports_to_keep, f"a positive number. Got {exports_to_keep}")

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports the checkpoint if it is better than all before, and removes the oldest exports."""
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            self._model_dir = estimator.model_dir
            tf_logging.info("Loading best metric from event files.")
            self._best_eval_result = self._best_of(os.path.join(self._model_dir, self._event_file_pattern))
        if self._best_eval_result is not None and not self._compare_fn(
            best_eval_result=self._best_eval_result, current_eval_result=eval_result
        ):
            return None
        tf_logging.info("Performing best model export.")
        self._best_eval_result = eval_result
        written = self._write(estimator, export_path, checkpoint_path)
        remove_old_exports(export_path, self._exports_to_keep)
        return written

    def _best_of(self, pattern: str) -> dict[str, Any] | None:
        """The best evaluation in event files."""
        best: dict[str, Any] | None = None
        for path in file_io.get_matching_files(pattern):
            for event in summary_iterator(path):
                if not event.HasField("summary"):
                    continue
                found = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}
                if found and (best is None or self._compare_fn(best_eval_result=best, current_eval_result=found)):
                    best = found
        return best


def _check_comparison(compare_fn: Callable[..., bool]) -> None:
    """Raises ValueError for a function of other arguments than the two results."""
    results, taken = ("best_eval_result", "current_eval_result"), fn_args(compare_fn)
    for name in results:
        if name not in taken:
            raise ValueError(f"compare_fn ({compare_fn}) must include {name} argument.")
    others = [name for name in taken if name not in results]
    if others:
        raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {others}")


def _checked_number(exports_to_keep: int | None, what: str = "positive number") -> int | None:
    if exports_to_keep is not None and exports_to_keep <= 0:
        raise ValueError(f"`exports_to_keep`, if provided, must be {what}")
    return exports_to_keep


def remove_old_exports(folder: str, keep: int | None) -> None:
    """Removes all but the newest exports in a folder; what cannot be removed stays, with a warning."""
    if keep is None:
        return
    found = sorted(
        name.rstrip("/") for name in file_io.list_directory(folder) if _TIMESTAMP.fullmatch(name.rstrip("/"))
    )
    for name in found[:-keep]:
        try:
            file_io.delete_recursively(os.path.join(folder, name))
        except OpError as error:
            tf_logging.warn("Can not delete %s recursively: %s", os.path.join(folder, name), error)
