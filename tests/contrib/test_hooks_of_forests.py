"""The hooks that train forests."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.tensor_forest.random_forest import TensorForestLossHook
from headrace.sessions.session_run_hook import SessionRunContext, SessionRunValues


@pytest.mark.parametrize(
    ("steps", "losses", "stops"),
    [
        # The first step counts for nothing; three without less loss are one too many.
        ([1, 2, 3, 4, 5], [9.0, 1.0, 1.0, 1.0, 1.0], [False, False, False, False, True]),
        # A session that goes on from an earlier step begins anew, with losses that count again.
        ([1, 2, 3, 1, 2, 3, 4, 5], [9.0, 1.0, 1.0, 5.0, 4.0, 3.0, 2.0, 1.5], [False] * 8),
    ],
)
def test_a_forest_stops_when_its_loss_does_not_fall(steps, losses, stops):
    hook = TensorForestLossHook(2, early_stopping_loss_threshold=0.0)
    found = []
    for step, loss in zip(steps, losses):
        context = SessionRunContext(original_args=None, session=None)
        values = {"global_step": np.int64(step), "current_loss": np.float32(loss)}
        hook.after_run(context, SessionRunValues(results=values, options=None, run_metadata=None))
        found.append(context.stop_requested)
    assert found == stops


def test_what_runs_at_the_end_is_told_in_the_order_of_names(monkeypatch):
    told = []
    monkeypatch.setattr("headrace.util.tf_logging.info", lambda text, *values: told.append(text % values))
    hooks = tf.contrib.tensor_forest.client.random_forest
    with tf.Graph().as_default(), tf.Session() as session:
        hooks.TensorForestRunOpAtEndHook({"2: b": tf.constant(4), "1: a": tf.constant(3)}).end(session)
    assert told == ["1: a: 3", "2: b: 4"]
