"""What tests of heads check of specs: hooks, summaries, and that variables are initialized."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.messages.protos import Summary

if TYPE_CHECKING:
    from unittest import TestCase

    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.sessions.scaffold import Scaffold


def initialize_variables(test_case: TestCase, scaffold: Scaffold) -> None:
    """Initializes what a scaffold names, in the session in force.

    Args:
        test_case: fails if the scaffold initializes in another way too, or saves nothing.
        scaffold: that of a spec.
    """
    scaffold.finalize()
    if scaffold.init_feed_dict is not None or scaffold.init_fn is not None:
        test_case.fail("The scaffold initializes with feeds or a function too.")
    scaffold.init_op.run()
    scaffold.ready_for_local_init_op.eval()
    scaffold.local_init_op.run()
    scaffold.ready_op.eval()
    if scaffold.saver is None:
        test_case.fail("The scaffold has no saver.")


def assert_simple_summaries(
    test_case: Any, expected_summaries: dict[str, float], summary_str: bytes, tol: float = 1e-6
) -> None:
    """Fails unless a summary holds these numbers and no others.

    Args:
        test_case: what fails.
        expected_summaries: from tag to number.
        summary_str: the serialized summary.
        tol: how far numbers may be off.
    """
    summary = Summary()
    summary.ParseFromString(summary_str)
    test_case.assertAllClose(
        expected_summaries, {value.tag: value.simple_value for value in summary.value}, rtol=tol, atol=tol
    )


def assert_no_hooks(test_case: TestCase, spec: EstimatorSpec) -> None:
    """Fails if a spec has hooks for training."""
    if spec.training_chief_hooks or spec.training_hooks:
        test_case.fail(f"Expected no hooks, got {spec.training_chief_hooks} and {spec.training_hooks}.")
