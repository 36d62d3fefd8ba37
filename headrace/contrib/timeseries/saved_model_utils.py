"""Asking exported models of time series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.feature_keys import (
    FilteringFeatures,
    FilteringResults,
    PredictionFeatures,
    PredictionResults,
    SavedModelLabels,
    State,
)
from headrace.contrib.timeseries.head import _check_feature_shapes_compatible_with
from headrace.contrib.timeseries.model_utils import canonicalize_times_or_steps_from_output
from headrace.core.convert import convert_to_tensor
from headrace.core.graph import Graph

if TYPE_CHECKING:
    from headrace.runtime.session import SessionInterface


def _ask(
    signature: Any,
    features: Mapping[str, Any],
    session: SessionInterface,
    continue_from: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The outputs of a signature; the state among its inputs is that of earlier results."""
    feeds: dict[Any, Any] = {}
    for name, info in signature.inputs.items():
        if name in features:
            value = features[name]
        elif continue_from is not None and name in continue_from and name.startswith(State.STATE_PREFIX):
            value = continue_from[name]
        else:
            # Predictions do not look at values.
            continue
        feeds[session.graph.as_graph_element(info.name)] = value
    fetches = {name: session.graph.as_graph_element(info.name) for name, info in signature.outputs.items()}
    return dict(session.run(fetches, feed_dict=feeds))


def _checked(features: Mapping[str, Any]) -> dict[str, np.ndarray]:
    arrays = {key: np.asarray(value) for key, value in features.items()}
    with Graph().as_default():
        tensors = {key: convert_to_tensor(value) for key, value in arrays.items()}
        _check_feature_shapes_compatible_with(tensors, FilteringFeatures.TIMES, tensors[FilteringFeatures.TIMES])
    return arrays


def _with_state(results: Mapping[str, Any]) -> dict[str, Any]:
    """Results whose state, if it is a tuple as of `Estimator.evaluate`, has its parts by name."""
    found = dict(results)
    if FilteringResults.STATE_TUPLE in found:
        from_tuple = found.pop(FilteringResults.STATE_TUPLE)
        found.update({f"{State.STATE_PREFIX}_{i:02d}": part for i, part in enumerate(from_tuple)})
    return found


def predict_continuation(
    continue_from: Mapping[str, Any],
    signatures: Any,
    session: SessionInterface,
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Predictions that follow earlier results, by an exported model.

    Args:
        continue_from: what `Estimator.evaluate`, `filter_continuation` or `cold_start_filter` returned.
        signatures: the `MetaGraphDef` that loading the model returned.
        session: the session it was loaded in.
        steps: how many times follow, each a unit after the one before; or None.
        times: the times; or None.
        exogenous_features: at those times.

    Returns:
        predictions by name, and "times".
    """
    following = canonicalize_times_or_steps_from_output(times, steps, continue_from)
    features = {PredictionFeatures.TIMES: following, **(exogenous_features or {})}
    signature = signatures.signature_def[SavedModelLabels.PREDICT]
    found = _ask(signature, features, session, _with_state(continue_from))
    found[PredictionResults.TIMES] = following
    return found


def cold_start_filter(signatures: Any, session: SessionInterface, features: Mapping[str, Any]) -> dict[str, Any]:
    """The state after observations, from the start of a series, by an exported model.

    Args:
        signatures: the `MetaGraphDef` that loading the model returned.
        session: the session it was loaded in.
        features: "times" [series, window], "values" [series, window, features] and exogenous features.

    Returns:
        the parts of the state, and "times".
    """
    arrays = _checked(features)
    signature = signatures.signature_def[SavedModelLabels.COLD_START_FILTER]
    found = _ask(signature, arrays, session)
    found[FilteringResults.TIMES] = arrays[FilteringFeatures.TIMES]
    return found


def filter_continuation(
    continue_from: Mapping[str, Any], signatures: Any, session: SessionInterface, features: Mapping[str, Any]
) -> dict[str, Any]:
    """The state after observations that follow earlier results, by an exported model.

    Args:
        continue_from: see `predict_continuation`.
        signatures, session, features: see `cold_start_filter`.
    """
    arrays = _checked(features)
    signature = signatures.signature_def[SavedModelLabels.FILTER]
    found = _ask(signature, arrays, session, _with_state(continue_from))
    found[FilteringResults.TIMES] = arrays[FilteringFeatures.TIMES]
    return found
