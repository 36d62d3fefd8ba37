"""`BaseEstimator` of `tf.contrib.learn`: training, evaluating and asking a model."""

from __future__ import annotations

import abc
import copy
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.checkpoint_utils import list_variables, load_variable
from headrace.checkpoints.saver import Saver
from headrace.contrib.learn.bundle_exports import _default_input_fn, export_bundle
from headrace.contrib.learn.estimator_inputs import input_and_feed_functions, verify_input_args
from headrace.contrib.learn.estimator_parts import (
    batches,
    examples,
    inputs,
    label_placeholders,
    length,
    tensor_signatures,
    updates_and_values,
)
from headrace.contrib.learn.metric_key import MetricKey
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from headrace.contrib.learn.parameters import Parameterized
from headrace.contrib.learn.run_config import RunConfig
from headrace.contrib.learn.sk_compat import SKCompat
from headrace.contrib.learn.trainable import Evaluable, NotFittedError, Trainable
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, device, get_collection
from headrace.core.errors import NotFoundError
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.estimator.arguments import device_setter_of
from headrace.estimator.evaluating import write_results
from headrace.estimator.predicting import chosen
from headrace.estimator.run_config import RunConfig as CoreRunConfig
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.metrics.means import mean
from headrace.sessions.evaluating import StopAfterNEvalsHook, evaluate_once
from headrace.sessions.hooks import FeedFnHook, LoggingTensorHook, NanTensorHook, StopAtStepHook
from headrace.sessions.monitored_session import MonitoredTrainingSession
from headrace.sessions.saving_hooks import CheckpointSaverHook
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.state.global_step import _get_or_create_global_step_read, create_global_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.sessions.session_run_hook import SessionRunHook


def _session_config(config: CoreRunConfig) -> protos.ConfigProto:
    """The settings of sessions where a program gives none of its own: devices are a wish, not a demand."""
    settings = protos.ConfigProto()
    if isinstance(config, RunConfig):
        settings.CopyFrom(config.tf_config)
    settings.allow_soft_placement = True
    return settings


class BaseEstimator(Parameterized, Evaluable, Trainable):
    """What trains, evaluates and asks models; subclasses say how the operations of a model are built.

    Args:
        model_dir: the folder of checkpoints and summaries; that of `config` by default, else a new temporary one.
        config: a `RunConfig`.

    Raises:
        ValueError: if `model_dir` and that of `config` differ.
    """

    def __init__(self, model_dir: str | None = None, config: CoreRunConfig | None = None) -> None:
        given = None if model_dir is None else as_path(model_dir)
        found: CoreRunConfig = RunConfig() if config is None else copy.deepcopy(config)
        if config is None:
            tf_logging.info("Using default config.")
        if given is not None and found.model_dir is not None and given != found.model_dir:
            raise ValueError(
                "model_dir are set both in constructor and RunConfig, but with different values. In constructor: "
                f"'{given}', in RunConfig: '{found.model_dir}' "
            )
        given = given or found.model_dir
        if given is None:
            given = tempfile.mkdtemp()
            tf_logging.warning("Using temporary folder as model directory: %s", given)
        self._model_dir: str = given
        self._config: CoreRunConfig = found if found.model_dir else found.replace(model_dir=given)
        tf_logging.info("Using config: %s", str(vars(self._config)))
        self._session_config = found.session_config or _session_config(found)
        self._device_fn = found.device_fn or device_setter_of(found)
        self._graph: Graph | None = None
        self._features: Any = None
        self._labels: Any = None

    @property
    def config(self) -> CoreRunConfig:
        """A copy of its configuration."""
        return copy.deepcopy(self._config)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def model_fn(self) -> Callable[..., ModelFnOps]:
        """The model function as one of `features`, `labels` and `mode`."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any = None) -> ModelFnOps:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

    @abc.abstractmethod
    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        """Builds the model in the default graph."""

    def _get_train_ops(self, features: Any, labels: Any) -> ModelFnOps:
        self._features, self._labels = tensor_signatures(features), tensor_signatures(labels)
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> ModelFnOps:
        self._features, self._labels = tensor_signatures(features), tensor_signatures(labels)
        ops = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
        if MetricKey.LOSS not in ops.eval_metric_ops:
            ops.eval_metric_ops[MetricKey.LOSS] = mean(ops.loss)
        return ops

    def _get_predict_ops(self, features: Any) -> ModelFnOps:
        # Model functions of before 1.0 make something of the labels in every mode.
        return self._call_model_fn(features, label_placeholders(self._labels), ModeKeys.INFER)

    # ---- the public calls ----

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains the model, going on from the newest checkpoint; arguments as in `Trainable.fit`.

        Returns:
            the estimator itself.

        Raises:
            ValueError: for data from both arrays and a function, or from neither, or both ways to count steps.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        verify_input_args(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size or length(x), steps, max_steps, monitors)
            return self
        assert input_fn is not None  # verified above
        if max_steps is not None and self._trained_steps() >= max_steps:
            tf_logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = replace_monitors_with_hooks(monitors, self)
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        loss = self._train_model(input_fn, hooks)
        tf_logging.info("Loss for final step: %s.", loss)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> Any:
        """Trains the model by a part of the data; arguments as in `fit`."""
        tf_logging.warning("The current implementation of partial_fit is not optimized for use in a loop.")
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        feed_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint; arguments as in `Evaluable.evaluate`.

        Args:
            log_progress: whether the number of batches done is logged.

        Returns:
            the metrics by name, and `global_step`.

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: for data from both arrays and a function, or from neither.
        """
        if x is not None:
            return SKCompat(self).score(x, y, batch_size or length(x), steps, metrics, name)
        verify_input_args(x, y, input_fn, feed_fn, batch_size)
        assert input_fn is not None  # verified above
        results = self._evaluate_model(input_fn, steps, feed_fn, metrics, name, checkpoint_path, hooks, log_progress)
        return results

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """The predictions for data.

        Args:
            x: features as arrays, in the place of `input_fn`.
            input_fn: returns features, or (features, labels).
            batch_size: how many examples of `x` a batch has.
            outputs: of predictions by name those that are wanted; all by default.
            as_iterable: whether predictions are made as they are asked for.
            iterate_batches: whether to give batches, rather than one example at a time.

        Returns:
            an iterator over predictions, or with `as_iterable=False` those of all of the data as arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: for data from both arrays and a function, or from neither.
        """
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size or length(x), outputs)
        input_fn, feed_fn = input_and_feed_functions(x, None, input_fn, None, batch_size)
        return self._infer_model(input_fn, feed_fn, outputs, as_iterable, iterate_batches)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the newest checkpoint."""
        return [name for name, _ in list_variables(self._model_dir)]

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable in the newest checkpoint.

        Args:
            name: the name of the variable.
        """
        return load_variable(self._model_dir, name)

    def export(
        self,
        export_dir: str,
        input_fn: Callable[..., Any] = _default_input_fn,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        prediction_key: str | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes the model as a session bundle, the format before SavedModels.

        Args:
            export_dir: the folder of exports.
            input_fn: of (estimator, serialized examples); returns features. By default what the model was trained on is
                looked for in the examples.
            input_feature_key: with `use_deprecated_input_fn=False`, the key of the serialized examples among features.
            use_deprecated_input_fn: whether `input_fn` is such a function; else it takes nothing, and returns (features,
                labels).
            signature_fn: of (examples, features, predictions); returns (the default signature, others by name).
            prediction_key: which of the predictions signatures are about; all by default.
            default_batch_size: how many examples there are in a request; None for any number.
            exports_to_keep: how many exports to keep; None for all.
            checkpoint_path: the checkpoint; the newest by default.

        Returns:
            the export's folder, named by the global step.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        return export_bundle(
            self,
            export_dir,
            signature_fn,
            input_fn,
            default_batch_size,
            exports_to_keep,
            input_feature_key,
            use_deprecated_input_fn,
            prediction_key,
            checkpoint_path,
        )

    # ---- the modes ----

    def _trained_steps(self) -> int:
        """The global step of the newest checkpoint; 0 if there is none, or it has no step."""
        if latest_checkpoint(self._model_dir) is None:
            return 0
        try:
            return int(load_variable(self._model_dir, GraphKeys.GLOBAL_STEP))
        except NotFoundError:
            return 0

    def _train_model(self, input_fn: Callable[[], Any], hooks: list[SessionRunHook]) -> Any:
        config = self._config
        self._graph = Graph()
        with self._graph.as_default() as graph, device(self._device_fn):
            set_random_seed(config.tf_random_seed)
            step = create_global_step(graph)
            features, labels, input_hooks = inputs(input_fn)
            # Hooks that begin before the model exists read the step from here.
            _get_or_create_global_step_read(graph)
            ops = self._get_train_ops(features, labels)
            add_to_collection(GraphKeys.LOSSES, ops.loss)
            logged: dict[str, Any] = {"loss": ops.loss, "step": step}
            all_hooks = [
                *input_hooks, *hooks, NanTensorHook(ops.loss), LoggingTensorHook(logged, every_n_iter=100),
            ]  # fmt: skip
            scaffold = ops.scaffold or Scaffold()
            if not (scaffold.saver or get_collection(GraphKeys.SAVERS)):
                saver = Saver(
                    sharded=True,
                    max_to_keep=config.keep_checkpoint_max,
                    keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                    defer_build=True,
                    save_relative_paths=True,
                )
                add_to_collection(GraphKeys.SAVERS, saver)
            chief_hooks = self._chief_hooks(all_hooks, scaffold)
            with MonitoredTrainingSession(
                master=config.master,
                is_chief=config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=scaffold,
                hooks=[*all_hooks, *ops.training_hooks],
                chief_only_hooks=[*chief_hooks, *ops.training_chief_hooks],
                save_checkpoint_secs=0,  # there is a hook for it
                save_summaries_steps=config.save_summary_steps,
                config=self._session_config,
                max_wait_secs=config.session_creation_timeout_secs,
            ) as session:
                loss = None
                while not session.should_stop():
                    _, loss = session.run([ops.train_op, ops.loss])
            return loss

    def _chief_hooks(self, hooks: Sequence[SessionRunHook], scaffold: Scaffold) -> list[SessionRunHook]:
        """The hook that saves, unless the program has one of its own."""
        seconds, steps = self._config.save_checkpoints_secs, self._config.save_checkpoints_steps
        if not (seconds or steps) or any(isinstance(hook, CheckpointSaverHook) for hook in hooks):
            return []
        return [CheckpointSaverHook(self._model_dir, save_secs=seconds, save_steps=steps, scaffold=scaffold)]

    def _checkpoint(self, checkpoint_path: str | None = None) -> str:
        path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not path:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return path

    def _evaluate_model(
        self,
        input_fn: Callable[[], Any],
        steps: int | None,
        feed_fn: Callable[[], Any] | None,
        metrics: Any,
        name: str | None,
        checkpoint_path: str | None,
        hooks: Sequence[SessionRunHook] | None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        path = self._checkpoint(checkpoint_path)
        folder = os.path.join(self._model_dir, f"eval_{name}" if name else "eval")
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            step = create_global_step(graph)
            features, labels, input_hooks = inputs(input_fn)
            ops = self._get_eval_ops(features, labels, metrics)
            update, values = updates_and_values(ops.eval_metric_ops)
            all_hooks = [*input_hooks, *(hooks or ())]
            if feed_fn is not None:
                all_hooks.append(FeedFnHook(feed_fn))
            if steps == 0:
                tf_logging.warning(
                    "evaluation steps are 0. If `input_fn` does not raise `OutOfRangeError`, the evaluation will never stop."
                )
            if steps:
                all_hooks.append(StopAfterNEvalsHook(steps, log_progress=log_progress))
            key = GraphKeys.GLOBAL_STEP
            while key in values:
                key = f"_{key}"
            values[key] = step
            results = evaluate_once(
                checkpoint_path=path,
                master=self._config.evaluation_master,
                scaffold=ops.scaffold,
                eval_ops=update,
                final_ops=values,
                hooks=all_hooks,
                config=self._session_config,
            )
            write_results(folder, results, int(results[key]))
            return results

    def _infer_model(
        self,
        input_fn: Callable[[], Any],
        feed_fn: Callable[[], Any] | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        path = self._checkpoint()
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            features, _, hooks = inputs(input_fn)
            ops = self._get_predict_ops(features)
            predictions = chosen(ops.predictions, outputs)
            # Without queues and feeds each step would give the same, for ever. Iterators are taken for constants in 1.15.
            constant = feed_fn is None and not get_collection(GraphKeys.QUEUE_RUNNERS)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=path,
                scaffold=ops.scaffold or Scaffold(),
                config=self._session_config,
            )
            if feed_fn is not None:
                hooks = [*hooks, FeedFnHook(feed_fn)]
        found = batches(graph, creator, hooks, predictions, constant)
        if not as_iterable:
            first = next(found)
            found.close()
            return first
        return found if iterate_batches else examples(found)
