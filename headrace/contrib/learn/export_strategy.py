"""How trained models are exported: strategies, and what keeps the folder of exports small."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.layers.feature_column_inputs import create_feature_spec_for_parsing
from headrace.contrib.learn.columns_models import are_for_core
from headrace.contrib.learn.serving_inputs import build_parsing_serving_input_fn
from headrace.core.errors import NotFoundError
from headrace.estimator.estimator import Estimator as CoreEstimator
from headrace.estimator.export.export import build_parsing_serving_input_receiver_fn
from headrace.estimator.gc import Path, get_paths, largest_export_versions, negation
from headrace.estimator.util import ATTEMPTS, get_timestamped_dir
from headrace.feature_column.parsing import make_parse_example_spec
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

__all__ = [
    "BestModelSelector",
    "ExportStrategy",
    "extend_export_strategy",
    "garbage_collect_exports",
    "get_most_recent_export",
    "get_temp_export_dir",
    "make_best_model_export_strategy",
    "make_export_strategy",
    "make_parsing_export_strategy",
]

MAX_DIRECTORY_CREATION_ATTEMPTS = ATTEMPTS

_OPTIONAL = ("checkpoint_path", "eval_result", "strip_default_attrs")


class _Fields(NamedTuple):
    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None


class ExportStrategy(_Fields):
    """A name, and a function that exports an estimator.

    Args:
        name: of the folder below `export` in the model's folder.
        export_fn: of `estimator` and `export_path` and, as it likes, `checkpoint_path`, `eval_result` and
            `strip_default_attrs`; returns the path of what it wrote.
        strip_default_attrs: whether to leave out attributes with their default values.

    Example:
        >>> strategy = tf.contrib.learn.ExportStrategy("copy", lambda estimator, export_path: export_path)
    """

    __slots__ = ()

    def __new__(
        cls, name: str, export_fn: Callable[..., Any], strip_default_attrs: bool | None = None
    ) -> ExportStrategy:
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self,
        estimator: Any,
        export_path: str | bytes,
        checkpoint_path: str | None = None,
        eval_result: Mapping[str, Any] | None = None,
    ) -> Any:
        """Exports.

        Args:
            estimator: the estimator.
            export_path: the folder.
            checkpoint_path: the checkpoint; the newest by default.
            eval_result: the metrics of that checkpoint.

        Returns:
            what the function returns.

        Raises:
            ValueError: if the function takes other arguments than it may.
        """
        known = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        taken = fn_args(self.export_fn)
        given = {name: value for name, value in known.items() if value is not None}
        if eval_result is not None and "eval_result" in taken and "checkpoint_path" not in taken:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        for name in list(given):
            if name in taken:
                continue
            if name == "checkpoint_path":
                raise ValueError(
                    "An export_fn that is called with a checkpoint_path or eval_result must take them: its arguments are "
                    f"{taken}."
                )
            del given[name]
        return self.export_fn(estimator, export_path, **given)


def get_timestamped_export_dir(export_dir_base: str | bytes) -> bytes:
    """A folder below a base, named by the seconds since 1970, that is not there yet.

    Args:
        export_dir_base: the base.

    Returns:
        its path.

    Raises:
        RuntimeError: if all of the next names are taken.
    """
    return get_timestamped_dir(export_dir_base)


def get_temp_export_dir(timestamped_export_dir: str | bytes) -> bytes:
    """The folder in which an export is written before it is whole.

    Args:
        timestamped_export_dir: the folder it will have.
    """
    parent, name = os.path.split(os.fsencode(timestamped_export_dir))
    return os.path.join(parent, b"temp-" + name)


def _numbered(path: Path) -> Path | None:
    """A folder named by a number, with it as its version."""
    name = os.path.basename(os.fsdecode(path.path))
    return path._replace(export_version=int(name)) if name.isdigit() and len(name) == 10 else None


def garbage_collect_exports(export_dir_base: str | bytes, exports_to_keep: int | None) -> None:
    """Removes all exports but the newest.

    Args:
        export_dir_base: the folder of the exports.
        exports_to_keep: how many are kept; None for all.
    """
    if exports_to_keep is None:
        return
    old = negation(largest_export_versions(exports_to_keep))
    for path in old(get_paths(export_dir_base, _numbered)):
        try:
            file_io.delete_recursively(path.path)
        except NotFoundError as error:
            tf_logging.warn("Can not delete %s recursively: %s", path.path, error)


def get_most_recent_export(export_dir_base: str | bytes) -> Path | None:
    """The newest export of a folder, or None.

    Args:
        export_dir_base: the folder.
    """
    newest = largest_export_versions(1)(get_paths(export_dir_base, _numbered))
    return newest[0] if newest else None


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy that writes SavedModels for serving.

    Args:
        serving_input_fn: returns an `InputFnOps`, or a `ServingInputReceiver` for an estimator of `tf.estimator`.
        default_output_alternative_key: the name of the head that serves by default; not for those.
        assets_extra: from path below `assets.extra` to the path of a file to copy there.
        as_text: whether to write the graph as text.
        exports_to_keep: how many are kept; None for all.
        strip_default_attrs: whether to leave out attributes with their default values.

    Returns:
        an `ExportStrategy`.

    Example:
        >>> serving = tf.contrib.learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})
        >>> strategy = tf.contrib.learn.make_export_strategy(serving)
    """

    def export_fn(
        estimator: Any, export_dir_base: str, checkpoint_path: str | None = None, strip_default_attrs: bool = False
    ) -> Any:
        settings: dict[str, Any] = {
            "assets_extra": assets_extra,
            "as_text": as_text,
            "checkpoint_path": checkpoint_path,
            "strip_default_attrs": strip_default_attrs,
        }
        if isinstance(estimator, CoreEstimator):
            if default_output_alternative_key is not None:
                raise ValueError(
                    "default_output_alternative_key is not supported in core Estimator. Given: "
                    f"{default_output_alternative_key}"
                )
        else:
            settings["default_output_alternative_key"] = default_output_alternative_key
        result = estimator.export_savedmodel(export_dir_base, serving_input_fn, **settings)
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return result

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Sequence[Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy that writes SavedModels which parse Examples; other arguments as in `make_export_strategy`.

    Args:
        feature_columns: the columns of the model, which say how Examples are parsed.
        target_core: whether for an estimator of `tf.estimator`.
    """
    if are_for_core(feature_columns):
        spec = make_parse_example_spec(feature_columns)
    else:
        spec = create_feature_spec_for_parsing(feature_columns)
    serving: Callable[[], Any] = (
        build_parsing_serving_input_receiver_fn(spec) if target_core else build_parsing_serving_input_fn(spec)
    )
    return make_export_strategy(
        serving, default_output_alternative_key, assets_extra, as_text, exports_to_keep, strip_default_attrs
    )


def _less_loss(best: Mapping[str, Any] | None, current: Mapping[str, Any]) -> bool:
    """Whether the loss has become less."""
    if not current or "loss" not in current:
        raise ValueError("current_eval_result cannot be empty or no loss is found in it.")
    if best is None:
        return True
    if "loss" not in best:
        raise ValueError("best_eval_result cannot be empty or no loss is found in it.")
    return bool(best["loss"] > current["loss"])


class BestModelSelector:
    """Remembers the best of a model's checkpoints.

    Args:
        event_file_pattern: not supported: the best of earlier trainings is not read from event files.
        compare_fn: of `best_eval_result` and `current_eval_result`: whether the latter is better; by default whether its
            loss is less.

    Raises:
        NotImplementedError: for an `event_file_pattern`.
    """

    def __init__(self, event_file_pattern: str | None = None, compare_fn: Callable[..., bool] | None = None) -> None:
        if event_file_pattern:
            raise NotImplementedError(
                "BestModelSelector(event_file_pattern=...): use tf.estimator.BestExporter, which reads event files."
            )
        self._compare_fn = compare_fn or _less_loss
        self._best: Mapping[str, Any] | None = None

    def update(self, checkpoint_path: str, eval_result: Mapping[str, Any]) -> tuple[str | None, Any]:
        """Takes notice of a checkpoint.

        Args:
            checkpoint_path: the checkpoint.
            eval_result: its metrics.

        Returns:
            (path, metrics) of it if it is the best so far, else (None, None).
        """
        if self._best is not None and not self._compare_fn(self._best, eval_result):
            return None, None
        self._best = eval_result
        return checkpoint_path, eval_result


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[..., bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy that exports a checkpoint when it is the best so far.

    Args:
        serving_input_fn, default_output_alternative_key, strip_default_attrs: see `make_export_strategy`.
        exports_to_keep: how many are kept.
        model_dir, event_file_pattern: not supported, see `BestModelSelector`.
        compare_fn: see `BestModelSelector`.
    """
    every = make_export_strategy(
        serving_input_fn,
        default_output_alternative_key,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )
    pattern = event_file_pattern and os.path.join(model_dir or "", event_file_pattern)
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any, export_dir_base: str, checkpoint_path: str | None = None, eval_result: Any = None
    ) -> Any:
        path = checkpoint_path or latest_checkpoint(estimator.model_dir)
        best, _ = selector.update(str(path), eval_result)
        if best is None:
            return ""
        return every.export(estimator, export_dir_base, best, eval_result)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[str, str], str],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """A strategy that does something with what another has written.

    Args:
        base_export_strategy: the other.
        post_export_fn: of the path that it wrote and one to write to; returns the latter.
        post_export_name: the name of this one.

    Raises:
        ValueError: if the function writes elsewhere.
    """

    def export_fn(estimator: Any, export_dir_base: str, checkpoint_path: str | None = None) -> Any:
        parent = os.path.join(as_path(export_dir_base), "temp-" + base_export_strategy.name)
        written = os.fsdecode(base_export_strategy.export(estimator, parent, checkpoint_path))
        target = os.path.join(as_path(export_dir_base), os.path.basename(written))
        try:
            done = post_export_fn(written, target)
            if os.fsdecode(done) != target:
                raise ValueError(f"post_export_fn must return the path it was given: {target}, but got {done}.")
        finally:
            file_io.delete_recursively(parent)
        return done

    name = post_export_name or base_export_strategy.name
    return ExportStrategy(name, export_fn)
