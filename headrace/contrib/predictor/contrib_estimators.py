"""Predictors made of the estimators of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.learn.base_estimator import BaseEstimator
from headrace.contrib.learn.signatures import (
    DEFAULT_INPUT_ALTERNATIVE_KEY,
    get_input_alternatives,
    get_output_alternatives,
)
from headrace.contrib.predictor.predictors import Predictor
from headrace.core.graph import Graph
from headrace.estimator.estimator import Estimator
from headrace.sessions.monitored_session import MonitoredSession
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.state.global_step import get_or_create_global_step

if TYPE_CHECKING:
    from headrace.messages import protos


class ContribEstimatorPredictor(Predictor):
    """An output of an estimator of `tf.contrib.learn`; arguments as of `from_contrib_estimator`."""

    def __init__(
        self,
        estimator: BaseEstimator,
        prediction_input_fn: Callable[[], Any],
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
    ) -> None:
        graph = graph or Graph()
        with graph.as_default():
            get_or_create_global_step(graph)
            inputs = prediction_input_fn()
            ops = estimator._get_predict_ops(inputs.features)
            input_alternatives, _ = get_input_alternatives(inputs)
            output_alternatives, key = get_output_alternatives(ops, output_alternative_key)
            creator = ChiefSessionCreator(
                scaffold=ops.scaffold or Scaffold(),
                config=config,
                checkpoint_filename_with_path=latest_checkpoint(estimator.model_dir),
            )
            session = MonitoredSession(session_creator=creator)
        feeds = input_alternatives[input_alternative_key or DEFAULT_INPUT_ALTERNATIVE_KEY]
        super().__init__(graph, session, feeds, output_alternatives[key][1])


def from_contrib_estimator(
    estimator: BaseEstimator,
    prediction_input_fn: Callable[[], Any],
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Graph | None = None,
    config: protos.ConfigProto | None = None,
) -> Predictor:
    """An estimator of `tf.contrib.learn`, with the values of its newest checkpoint, as a function.

    Args:
        estimator: the model.
        prediction_input_fn: returns an `InputFnOps`, whose default inputs are fed.
        input_alternative_key: which of the inputs is fed; the default one by default.
        output_alternative_key: which head is fetched, where there are several.
        graph: the graph to build the model in; a new one by default.
        config: a `ConfigProto` for the session.

    Raises:
        TypeError: for an estimator of `tf.estimator`; ValueError: if there is no such head; KeyError: no such input.

    Example:
        >>> def serving_input_fn():
        ...     fed = tf.placeholder(tf.float32, [None, 1])
        ...     return tf.contrib.learn.InputFnOps({"x": fed}, None, {"x": fed})
        >>> model = tf.contrib.learn.LinearRegressor([tf.contrib.layers.real_valued_column("x")])
        >>> batch = lambda: ({"x": tf.constant([[1.0]])}, tf.constant([[2.0]]))
        >>> model = model.fit(input_fn=batch, steps=1)
        >>> predict = tf.contrib.predictor.from_contrib_estimator(model, serving_input_fn)
        >>> sorted(predict.feed_tensors)
        ['x']
    """
    if isinstance(estimator, Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type tf.python.estimator.Estimator. You "
            "likely want to call from_estimator."
        )
    return ContribEstimatorPredictor(
        estimator, prediction_input_fn, input_alternative_key, output_alternative_key, graph, config
    )
