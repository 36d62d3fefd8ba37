"""Running experiments: by a schedule, and many of them to tune a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.contrib.learn.experiment import Experiment
from headrace.contrib.learn.run_config import RunConfig, TaskType
from headrace.contrib.training.tuner import Tuner
from headrace.estimator.run_config import RunConfig as CoreRunConfig
from headrace.util import tf_logging


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: CoreRunConfig | None = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and runs it.

    Args:
        experiment_fn: of `run_config` and `hparams`, or of `output_dir`; returns an `Experiment`.
        output_dir: the model's folder; not together with `run_config`.
        schedule: the method of `Experiment` to call. By default it follows from the task of this process:
            `train_and_evaluate`, or `train` on workers.
        run_config: a `RunConfig` with a `model_dir`.
        hparams: handed on to `experiment_fn`.

    Returns:
        what the method returns.

    Raises:
        ValueError: for arguments that do not go together, or a schedule that there is not.
        TypeError: if `experiment_fn` is no function, or returns something else.
        RuntimeError: if the experiment has another configuration than it was given.

    Example:
        >>> def experiment_fn(run_config, hparams):
        ...     estimator = tf.estimator.Estimator(model_fn, config=run_config, params=hparams)
        ...     return tf.contrib.learn.Experiment(
        ...         estimator, train_input_fn=train_input_fn, eval_input_fn=eval_input_fn)
        >>> tf.contrib.learn.learn_runner.run(
        ...     experiment_fn, run_config=tf.contrib.learn.RunConfig(model_dir="model"), schedule="train_and_evaluate")
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if not output_dir and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if hparams is not None and run_config is None:
        raise ValueError("Must set `run_config` to use `hparams`")
    if run_config is not None:
        experiment = _with_config(experiment_fn, run_config, hparams)
        config: CoreRunConfig = run_config
    else:
        experiment = _checked(experiment_fn(output_dir=output_dir))
        config = RunConfig()
    return _execute(experiment, schedule or _default_schedule(config))


def _with_config(experiment_fn: Callable[..., Experiment], config: CoreRunConfig, hparams: Any) -> Experiment:
    if not isinstance(config, CoreRunConfig):
        raise ValueError(f"`run_config` must be `tf.contrib.learn.RunConfig` instance, got {type(config).__name__}.")
    if not config.model_dir:
        raise ValueError("Must specify `model_dir` in `run_config`.")
    before = config.uid() if isinstance(config, RunConfig) else None
    experiment = _checked(experiment_fn(run_config=config, hparams=hparams))
    used = experiment.estimator.config
    if before is not None and isinstance(used, RunConfig) and used.uid() != before:
        raise RuntimeError(
            "`RunConfig` instance is expected to be used by the `Estimator` inside the `Experiment`. expected "
            f"{before}, but got {used.uid()}"
        )
    return experiment


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"Experiment builder did not return an Experiment instance, got {type(experiment).__name__} instead."
        )
    return experiment


def _default_schedule(config: CoreRunConfig) -> str:
    """The schedule of a task of a cluster; of a single process it is `train_and_evaluate`."""
    if not config.cluster_spec or not config.cluster_spec.jobs:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type == TaskType.MASTER:
        return "train_and_evaluate"
    if config.task_type == TaskType.PS:
        return "run_std_server"
    if config.task_type == TaskType.WORKER:
        return "train"
    raise ValueError(f"No default schedule for task type: {config.task_type}")


def _execute(experiment: Experiment, schedule: str) -> Any:
    if not hasattr(experiment, schedule):
        tf_logging.error("Schedule references non-existent task %s", schedule)
        tasks = sorted(
            name for name in dir(experiment) if not name.startswith("_") and callable(getattr(experiment, name))
        )
        raise ValueError(
            f"Schedule references non-existent task {schedule}; allowed values for this experiment are: {tasks}"
        )
    task = getattr(experiment, schedule)
    if not callable(task):
        raise TypeError(f"Schedule references non-callable member {schedule}")
    return task()


def tune(experiment_fn: Callable[..., Experiment], tuner: Tuner) -> None:
    """Runs experiments as long as a tuner wants more.

    Args:
        experiment_fn: makes an `Experiment`.
        tuner: with the methods `next_trial`, whether there is one more, and `run_experiment`, of `experiment_fn`.
    """
    while tuner.next_trial():
        tuner.run_experiment(experiment_fn)
