"""`Estimator`: a model function with its folder, trained, evaluated, asked and exported by calls."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.checkpoint_utils import list_variables, load_variable
from headrace.checkpoints.saver import Saver
from headrace.checkpoints.warm_starting import warm_start
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, device, get_collection
from headrace.core.errors import NotFoundError
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.estimator import checkpointing, coordinated, distributed, evaluating, exporting, predicting, summarizing
from headrace.estimator.arguments import (
    check_members,
    check_model_fn,
    checked_hooks,
    checked_listeners,
    device_setter_of,
    strategy_of,
    with_model_dir_and_session_config,
)
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.estimator.run_config import RunConfig, TaskType
from headrace.estimator.util import parse_input_fn_result
from headrace.estimator.warm_start import WarmStartSettings, as_warm_start_settings
from headrace.sessions.hooks import LoggingTensorHook, NanTensorHook, StopAtStepHook
from headrace.sessions.monitored_session import MonitoredTrainingSession
from headrace.sessions.saving_hooks import CheckpointSaverListener
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.global_step import _get_or_create_global_step_read, assert_global_step, get_or_create_global_step
from headrace.summary.operations import scalar
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.state.variables import Variable


class Estimator:
    """A model, given by a function that builds it, with a folder that holds its checkpoints and summaries.

    Args:
        model_fn: of `features` and, as it likes, `labels`, `mode`, `params` and `config`; it returns an
            `EstimatorSpec`. `features` and `labels` are what the input function gave, `mode` is a `ModeKeys`.
        model_dir: the folder; that of `config` by default, else a new temporary one.
        config: a `RunConfig`.
        params: a dict, or `HParams`, that is handed on to `model_fn`.
        warm_start_from: the folder or path of a checkpoint, or a `WarmStartSettings`, from which variables take their
            first values.

    Raises:
        ValueError: if a function takes other arguments, or `model_dir` and that of `config` differ.

    Example:
        >>> estimator = tf.estimator.Estimator(model_fn, "model", params={"units": 10})
        >>> estimator.train(input_fn, steps=100)
        >>> estimator.evaluate(input_fn)["loss"]
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: str | WarmStartSettings | None = None,
    ) -> None:
        self._assert_members_are_not_overridden()
        self._config = with_model_dir_and_session_config(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        tf_logging.info("Using config: %s", str(vars(self._config)))
        self._train_strategy = strategy_of(self._config, "train_distribute", self._session_config)
        self.eval_strategy = strategy_of(self._config, "eval_distribute", self._session_config)
        self._device_fn = self._config.device_fn or device_setter_of(self._config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = as_warm_start_settings(warm_start_from)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of its configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters of the model function."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function as one of `features`, `labels`, `mode` and `config`."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def _assert_members_are_not_overridden(self) -> None:
        """Raises ValueError where a subclass has methods in the place of public ones: it should give a model function."""
        check_members(Estimator, type(self))

    # ---- the checkpoints ----

    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or None."""
        return latest_checkpoint(self._model_dir)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the newest checkpoint.

        Raises:
            ValueError: if the model was not trained yet.
        """
        self._check_trained()
        return [name for name, _ in list_variables(self._model_dir)]

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the newest checkpoint, as a NumPy array.

        Args:
            name: the name of the variable.

        Raises:
            ValueError: if the model was not trained yet; NotFoundError: if there is no such variable.
        """
        self._check_trained()
        return load_variable(self._model_dir, name)

    def _check_trained(self) -> None:
        if latest_checkpoint(self._model_dir) is None:
            raise ValueError(f"Could not find trained model in model_dir: {self._model_dir}.")

    # ---- training ----

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Estimator:
        """Trains the model, going on from the newest checkpoint.

        Args:
            input_fn: returns a dataset, or a pair (features, labels) of tensors; may take `mode`, `params` and `config`.
            hooks: SessionRunHooks.
            steps: how many steps to take; by default until the input ends.
            max_steps: up to which global step to train. Not together with `steps`.
            saving_listeners: CheckpointSaverListeners, called when checkpoints are saved.

        Returns:
            the estimator itself.

        Raises:
            ValueError: if both `steps` and `max_steps` are given, or one is not positive; TypeError: for other hooks.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for what, count in (("steps", steps), ("max_steps", max_steps)):
            if count is not None and count <= 0:
                raise ValueError(f"Must specify {what} > 0, given: {count}")
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                "Train has been called wrong configuration. Please use tf.estimator.train_and_evaluate, which calls what fits "
                f"the task of the process; it is: {self._config.task_type}."
            )
        if max_steps is not None and _step_of_checkpoint(self._model_dir) >= max_steps:
            tf_logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = checked_hooks(hooks)
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        loss = self._train_model(input_fn, all_hooks, checked_listeners(saving_listeners))
        tf_logging.info("Loss for final step: %s.", loss)
        return self

    def _train_model(
        self, input_fn: Callable[..., Any], hooks: list[SessionRunHook], saving_listeners: list[CheckpointSaverListener]
    ) -> Any:
        if coordinated.should_run_distribute_coordinator(self._config):

            def train(worker: Estimator, strategy: Any, worker_hooks: list[SessionRunHook]) -> Any:
                return distributed.train(worker, strategy, input_fn, worker_hooks, saving_listeners)

            return coordinated.estimator_train(self, train, hooks)
        if self._train_strategy is not None:
            return distributed.train(self, self._train_strategy, input_fn, hooks, saving_listeners)
        with Graph().as_default() as graph, device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            step = self._create_and_assert_global_step(graph)
            # Hooks that begin before the model exists read the step from here.
            _get_or_create_global_step_read(graph)
            features, labels, input_hooks = self._get_features_and_labels_from_input_fn(input_fn, ModeKeys.TRAIN)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            return self._train_with_estimator_spec(spec, [*input_hooks], hooks, step, saving_listeners)

    def _first_checkpoint(self) -> str | None:
        """The checkpoint from which a model starts that was not trained yet; None where there is none."""
        if not self._warm_start_settings:
            return None
        given = self._warm_start_settings.ckpt_to_initialize_from
        return latest_checkpoint(given) or given

    def _train_with_estimator_spec(
        self,
        spec: EstimatorSpec,
        worker_hooks: list[SessionRunHook],
        hooks: list[SessionRunHook],
        global_step: Variable,
        saving_listeners: list[CheckpointSaverListener],
    ) -> Any:
        config = self._config
        if self._warm_start_settings:
            tf_logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
            warm_start(*self._warm_start_settings)
        assert spec.loss is not None  # that of a spec for training is not
        if not any(summary.op.name == "loss" for summary in get_collection(GraphKeys.SUMMARIES)):
            scalar("loss", spec.loss)
        add_to_collection(GraphKeys.LOSSES, spec.loss)
        worker_hooks.extend(hooks)
        worker_hooks.append(NanTensorHook(spec.loss))
        if config.log_step_count_steps is not None:
            logged: dict[str, Any] = {"loss": spec.loss, "step": global_step}
            worker_hooks.append(LoggingTensorHook(logged, every_n_iter=config.log_step_count_steps))
        worker_hooks.extend(spec.training_hooks)
        if not (spec.scaffold.saver or get_collection(GraphKeys.SAVERS)):
            saver = Saver(
                sharded=True,
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                defer_build=True,
                save_relative_paths=True,
            )
            add_to_collection(GraphKeys.SAVERS, saver)
        how = checkpointing.of_training(self, spec, worker_hooks, saving_listeners)
        summaries = summarizing.of_training(self, spec, worker_hooks)
        with MonitoredTrainingSession(
            master=config.master,
            is_chief=config.is_chief,
            checkpoint_dir=self._model_dir,
            scaffold=spec.scaffold,
            hooks=worker_hooks,
            chief_only_hooks=(*how.chief_hooks, *spec.training_chief_hooks),
            save_checkpoint_secs=how.every_secs,
            save_checkpoint_steps=how.every_steps,
            save_summaries_steps=summaries.every_steps,
            config=self._session_config,
            max_wait_secs=config.session_creation_timeout_secs,
            log_step_count_steps=summaries.rate_every_steps,
        ) as session:
            loss, any_step_done = None, False
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
                any_step_done = True
        if not any_step_done:
            tf_logging.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
        return loss

    # ---- the other modes ----

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
            input_fn: as for `train`.
            steps: over how many batches; by default until the input ends.
            hooks: SessionRunHooks.
            checkpoint_path: the checkpoint; the newest by default, and freshly initialized variables if there is none.
            name: of this evaluation, where there are several: its summaries lie in the folder `eval_` + name.

        Returns:
            the metrics of the model function by name, `loss` (its mean over the batches), and `global_step`; None where this
            process lets the servers of a cluster evaluate.

        Raises:
            ValueError: if `steps` is not positive; TypeError: for other hooks.
        """
        found = evaluating.evaluate(self, input_fn, steps, checked_hooks(hooks), checkpoint_path, name)
        return found  # type: ignore[return-value]  # None only where the servers of a cluster evaluate

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the summaries of evaluations.

        Args:
            name: of the evaluations, as in `evaluate`.
        """
        return evaluating.eval_dir(self._model_dir, name)

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: str | Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """The predictions for an input, made as they are asked for.

        Args:
            input_fn: as for `train`; labels are passed over.
            predict_keys: of predictions by name those that are wanted; all by default.
            hooks: SessionRunHooks.
            checkpoint_path: the checkpoint; the newest by default, and freshly initialized variables if there is none.
            yield_single_examples: whether to give one example at a time rather than a batch.

        Yields:
            the predictions of an example (or of a batch), by name where the model function gives them so.

        Raises:
            ValueError: if none of `predict_keys` is there, or batches of predictions are of different lengths.
        """
        yield from predicting.predict(
            self, input_fn, predict_keys, checked_hooks(hooks), checkpoint_path, yield_single_examples
        )

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Writes the model as a SavedModel, into a folder named by the time.

        Args:
            export_dir_base: where that folder is made.
            serving_input_receiver_fn: returns a `ServingInputReceiver`: what requests fill, and the features made of it.
            assets_extra: from path below `assets.extra` to the path of a file to copy there.
            as_text: whether to write the graph as text.
            checkpoint_path: the checkpoint; the newest by default.
            experimental_mode: the mode to export for.

        Returns:
            the path of the folder.

        Raises:
            ValueError: if there is no checkpoint, or it is one of another model.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {experimental_mode: serving_input_receiver_fn}
        return exporting.export_all(self, export_dir_base, receivers, assets_extra, as_text, checkpoint_path, True)

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """The older name of `export_saved_model`; arguments as there.

        Args:
            strip_default_attrs: whether to leave out attributes with their default values.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {ModeKeys.PREDICT: serving_input_receiver_fn}
        return exporting.export_all(
            self, export_dir_base, receivers, assets_extra, as_text, checkpoint_path, strip_default_attrs
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes the model for several modes as one SavedModel; arguments as in `export_saved_model`.

        Args:
            input_receiver_fn_map: from mode to a function that returns a `ServingInputReceiver`, or a
                `SupervisedInputReceiver` for training and evaluation.

        Raises:
            ValueError: if there is no checkpoint or no mode, or the checkpoint is one of another model.
        """
        return exporting.export_all(
            self, export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path, True
        )

    # ---- what the modes share; subclasses may do it otherwise ----

    def _create_global_step(self, graph: Graph) -> Variable:
        return get_or_create_global_step(graph)

    def _create_and_assert_global_step(self, graph: Graph) -> Variable:
        step = self._create_global_step(graph)
        assert_global_step(step)
        return step

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, input_context: Any = None) -> Any:
        """Calls an input function with those arguments that it takes."""
        known = {"mode": mode, "params": self.params, "config": self.config}
        taken = fn_args(input_fn)
        if "input_context" in taken and input_context is not None:
            known["input_context"] = input_context
        with device("/cpu:0"):
            return input_fn(**{name: known[name] for name in taken if name in known})

    def _get_features_and_labels_from_input_fn(self, input_fn: Callable[..., Any], mode: str) -> tuple[Any, Any, Any]:
        return parse_input_fn_result(self._call_input_fn(input_fn, mode))

    _get_iterator_from_input_fn = distributed.iterator_from_input_fn

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        taken = fn_args(self._model_fn)
        given: dict[str, Any] = {}
        if "labels" in taken:
            given["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        known = {"mode": mode, "params": self.params, "config": config}
        given.update({name: known[name] for name in taken if name in known})
        tf_logging.info("Calling model_fn.")
        results = self._results_of_model_fn(mode, {"features": features, **given})
        tf_logging.info("Done calling model_fn.")
        return self._checked_spec(results)

    def _results_of_model_fn(self, mode: str, given: dict[str, Any]) -> Any:
        return self._model_fn(**given)

    def _checked_spec(self, results: Any) -> EstimatorSpec:
        if not isinstance(results, EstimatorSpec):
            raise ValueError(f"model_fn should return an EstimatorSpec, got {type(results).__name__}.")
        return results

    def _maybe_warm_start(self, checkpoint_path: str | None) -> None:
        """Where there is no checkpoint to restore, takes the first values from another model's."""
        if not checkpoint_path and self._warm_start_settings:
            tf_logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
            warm_start(*self._warm_start_settings)


class EstimatorV2(Estimator):
    """`Estimator` without the names that 2.x's interface has not; arguments as there."""

    @property
    def export_savedmodel(self) -> Any:  # type: ignore[override]  # a name that is refused
        """The name that 2.x's interface no longer has: raises AttributeError."""
        raise AttributeError(
            "`Estimator.export_savedmodel` has been deprecated. Please use `export_saved_model` instead."
        )


def _step_of_checkpoint(model_dir: str) -> int:
    """The global step of the newest checkpoint; 0 if there is none, or it has no step."""
    if latest_checkpoint(model_dir) is None:
        return 0
    try:
        return int(load_variable(model_dir, GraphKeys.GLOBAL_STEP))
    except NotFoundError:
        return 0
