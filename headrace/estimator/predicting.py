"""The predictions of an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.data.iterator import GLOBAL_ITERATORS
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.util import parse_input_fn_result
from headrace.sessions.monitored_session import MonitoredSession
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.sessions.session_run_hook import SessionRunHook


def predict(
    estimator: Estimator,
    input_fn: Callable[..., Any],
    predict_keys: str | Sequence[str] | None,
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
    yield_single_examples: bool,
) -> Iterator[Any]:
    """`Estimator.predict`; arguments as there."""
    path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    if not path:
        tf_logging.info(
            "Could not find trained model in model_dir: %s, running initialization to predict.", estimator.model_dir
        )
    with Graph().as_default() as graph:
        set_random_seed(estimator._config.tf_random_seed)
        estimator._create_and_assert_global_step(graph)
        features, input_hooks = _features(estimator, input_fn)
        spec = estimator._call_model_fn(features, None, ModeKeys.PREDICT, estimator.config)
        estimator._maybe_warm_start(path)
        predictions = chosen(spec.predictions, predict_keys)
        creator = ChiefSessionCreator(
            checkpoint_filename_with_path=path,
            master=estimator._config.master,
            scaffold=spec.scaffold,
            config=estimator._session_config,
        )
        with MonitoredSession(creator, [*input_hooks, *hooks, *spec.prediction_hooks]) as session:
            while not session.should_stop():
                values = session.run(predictions)
                if not yield_single_examples:
                    yield values
                elif not isinstance(predictions, Mapping):
                    yield from values
                else:
                    for i in range(batch_length(values)):
                        yield {key: value[i] for key, value in values.items()}


def _features(estimator: Estimator, input_fn: Callable[..., Any]) -> tuple[Any, list[SessionRunHook]]:
    """The features of an input function, and hooks; labels are passed over."""
    features, _, hooks = parse_input_fn_result(estimator._call_input_fn(input_fn, ModeKeys.PREDICT))
    if not hooks and not get_collection(GraphKeys.QUEUE_RUNNERS) and not get_collection(GLOBAL_ITERATORS):
        tf_logging.warning(
            "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields forever. This is "
            "probably a mistake."
        )
    return features, hooks


def chosen(predictions: Any, predict_keys: str | Sequence[str] | None) -> Any:
    """Of predictions by name those that are wanted.

    Raises:
        ValueError: if there are no names to choose by, or none of those that are wanted.
    """
    if not predict_keys:
        return predictions
    if not isinstance(predictions, Mapping):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in predict_keys}
    if not found:
        raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {predict_keys}.")
    return found


def batch_length(values: Mapping[str, Any]) -> int:
    """The length of all predictions.

    Raises:
        ValueError: if they differ.
    """
    length = None
    for key, value in values.items():
        length = length or value.shape[0]
        if value.shape[0] != length:
            raise ValueError(
                f"Batch length of predictions should be same. {key} has different batch length than others."
            )
    return length or 0
