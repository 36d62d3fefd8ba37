"""What estimators are given: model functions, configurations, hooks and listeners, checked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.estimator.run_config import RunConfig, default_session_config, folder_named
from headrace.sessions.cluster import STANDARD_PS_OPS, replica_device_setter
from headrace.sessions.saving_hooks import CheckpointSaverListener
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.operation import Operation

# Members that are called as in 1.15, where they may not be overridden either; others are this library's own.
_CALLED_AS_IN_1_15 = {"_call_input_fn", "_call_model_fn", "_train_model", "_train_with_estimator_spec"}
_MODEL_FN_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def check_model_fn(model_fn: Callable[..., Any], params: Any) -> None:
    """Raises ValueError unless a model function takes the arguments that it may take, and `params` if there are some."""
    taken = set(fn_args(model_fn))
    if "features" not in taken:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in taken:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator."
        )
    if params is None and "params" in taken:
        tf_logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn
        )
    others = taken - _MODEL_FN_ARGUMENTS
    if others:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {sorted(others)}")


def with_model_dir_and_session_config(config: RunConfig | None, model_dir: str | None) -> RunConfig:
    """A configuration that says where the model lies and how its sessions run.

    Args:
        config: that of the program, or None.
        model_dir: the folder that the program named, or None.

    Raises:
        ValueError: if `config` is of another type, or names another folder.
    """
    if config is None:
        config = RunConfig()
        tf_logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if config.session_config is None:
        config = config.replace(session_config=default_session_config())
    model_dir = folder_named(model_dir)
    if model_dir is not None and config.model_dir is not None and config.model_dir != model_dir:
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with different values. In constructor: "
            f"'{model_dir}', in `RunConfig`: '{config.model_dir}' "
        )
    if not model_dir and not config.model_dir:
        model_dir = tempfile.mkdtemp()
        tf_logging.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir) if model_dir else config


def strategy_of(config: RunConfig, name: str, session_config: Any) -> Any:
    """The strategy that a configuration names, told of the sessions it will be used in; None if there is none.

    Args:
        config: the configuration.
        name: "train_distribute" or "eval_distribute".
        session_config: the `ConfigProto` of sessions, which the strategy may change.
    """
    strategy = getattr(config, name)
    if strategy is not None and config.cluster_spec.as_dict() == {}:
        strategy.configure(session_config)
    return strategy


def device_setter_of(config: RunConfig) -> Callable[[Operation], str] | None:
    """Where the operations of a model lie: variables on parameter servers, if there are any."""
    if not config.num_ps_replicas:
        return None
    worker = f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker"
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=worker,
        merge_devices=True,
        ps_ops=list(STANDARD_PS_OPS),
        cluster=config.cluster_spec,
    )


def checked_hooks(hooks: Sequence[SessionRunHook] | None) -> list[SessionRunHook]:
    """The hooks as a list.

    Raises:
        TypeError: if one is of another type.
    """
    found = list(hooks or [])
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return found


def checked_listeners(listeners: Sequence[CheckpointSaverListener] | None) -> list[CheckpointSaverListener]:
    found = list(listeners or [])
    for listener in found:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}")
    return found


def check_members(base: type, kind: type) -> None:
    """Raises ValueError where an estimator's class has members in the place of those of `Estimator`.

    It should give another model function instead.

    Args:
        base: `Estimator`.
        kind: the class; `_OVERRIDABLE` in it names what it may have all the same.
    """
    may_be = {"_tf_api_names", "model_fn", *getattr(kind, "_OVERRIDABLE", ())}
    for name, value in vars(base).items():
        if (name.startswith("_") and name not in _CALLED_AS_IN_1_15) or name in may_be:
            continue
        if not callable(value) and not isinstance(value, property):
            continue
        if getattr(kind, name) is not value and not _is_ours(kind, name):
            raise ValueError(
                f"Subclasses of Estimator cannot override members of Estimator. {kind.__name__} does override {[name]}"
            )


def _is_ours(kind: type, name: str) -> bool:
    """Whether the class that defines a member is one of the library's own kinds of estimators."""
    owner = next(cls for cls in kind.__mro__ if name in vars(cls))
    return owner.__module__.partition(".")[0] == __name__.partition(".")[0]
