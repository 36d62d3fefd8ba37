"""Predictors made of estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.predictor.predictors import Predictor
from headrace.core.defaults import device
from headrace.core.graph import Graph
from headrace.estimator.estimator import Estimator
from headrace.estimator.exporting import export_outputs_of
from headrace.estimator.mode_keys import ModeKeys
from headrace.saved_model import names
from headrace.saved_model.signatures import get_tensor_from_tensor_info
from headrace.sessions.monitored_session import MonitoredSession
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.state.global_step import get_or_create_global_step

if TYPE_CHECKING:
    from headrace.messages import protos


class CoreEstimatorPredictor(Predictor):
    """An output of an estimator; arguments as of `from_estimator`."""

    def __init__(
        self,
        estimator: Estimator,
        serving_input_receiver_fn: Callable[[], Any],
        output_key: str | None = None,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
    ) -> None:
        key = output_key or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        graph = graph or Graph()
        with graph.as_default(), device(None):
            get_or_create_global_step(graph)
            receiver = serving_input_receiver_fn()
            spec = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
            outputs = export_outputs_of(spec)
            if key not in outputs:
                raise KeyError(f"output_key must be one of {list(outputs)}; got {key}")
            signature = outputs[key].as_signature_def(receiver.receiver_tensors)
            creator = ChiefSessionCreator(
                scaffold=spec.scaffold,
                config=config,
                checkpoint_filename_with_path=latest_checkpoint(estimator.model_dir),
            )
            session = MonitoredSession(session_creator=creator)
        fetches = {name: get_tensor_from_tensor_info(info, graph) for name, info in signature.outputs.items()}
        super().__init__(graph, session, receiver.receiver_tensors, fetches)


def from_estimator(
    estimator: Estimator,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: Graph | None = None,
    config: protos.ConfigProto | None = None,
) -> Predictor:
    """An estimator, with the values of its newest checkpoint, as a function.

    Args:
        estimator: the model.
        serving_input_receiver_fn: returns a `ServingInputReceiver`, whose tensors are fed.
        output_key: which of the export outputs is fetched; "serving_default" by default.
        graph: the graph to build the model in; a new one by default.
        config: a `ConfigProto` for the session.

    Raises:
        KeyError: if there is no such output; TypeError: for an estimator of `tf.contrib.learn`.

    Example:
        >>> predict = tf.contrib.predictor.from_estimator(estimator, serving_input_receiver_fn)
        >>> predict({"x": np.ones([4, 1])})["y"].shape
        (4, 1)
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.python.estimator.Estimator, but got type tf.contrib.learn.Estimator. You "
            "likely want to call from_contrib_estimator."
        )
    return CoreEstimatorPredictor(estimator, serving_input_receiver_fn, output_key, graph, config)
