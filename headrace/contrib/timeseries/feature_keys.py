"""The names of features and results of models of time series."""

from __future__ import annotations


class State:
    """Keys of a model's state."""

    STATE_TUPLE = "start_tuple"
    STATE_PREFIX = "model_state"


class Times:
    """The key of times."""

    TIMES = "times"


class Values:
    """The key of values."""

    VALUES = "values"


class TrainEvalFeatures(Times, Values):
    """Features for training and evaluation: int64 times [batch, window] and values [batch, window, features].

    Other keys are exogenous features, [batch, window, ...].
    """


class PredictionFeatures(Times, State):
    """Features for predictions: the times to predict at, and the state to start from."""


class FilteringFeatures(Times, Values, State):
    """Features for filtering: observations, and the state before them."""


class PredictionResults(Times):
    """Results of predictions."""


class FilteringResults(Times, State):
    """Results of filtering and evaluation: the state after the observations."""


class SavedModelLabels:
    """The keys of the signatures of exported models."""

    PREDICT = "serving_default"
    FILTER = "filter"
    COLD_START_FILTER = "cold_start_filter"
