"""Cases on which no TensorFlow has an answer give what their declarations say, and there is no such case that says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_programs import recorded
from case_records import of_tensorflow
from cases import ACCEPTED, Applied, assert_close

import headrace as tf
from headrace.core.registry import REGISTRY

TESTS = Path(__file__).resolve().parents[1]
_OF_CANONICAL = ("ParamsToCanonical", "CanonicalToParams", "ParamsToCanonicalV2", "CanonicalToParamsV2")
_PARTS_OF_CUDNN_RNN = ("", "V2", "V3", "Backprop", "BackpropV2", "BackpropV3", "ParamsSize", *_OF_CANONICAL)
# Tests that compare values of ops on which no TensorFlow on a CPU answers with what something else gives.
VALUES_ELSEWHERE = {f"CudnnRNN{part}": "recurrent/test_cudnn_rnn.py" for part in _PARTS_OF_CUDNN_RNN}

# 1.15.5 draws it from memory that is gone where the variable has not moved before, as in a case.
VALUES_ELSEWHERE["StatefulRandomBinomial"] = "state/test_binomial_numbers.py"

UNANSWERED = [param for param in ACCEPTED if not param.values[0].of_the_planner and not of_tensorflow(param)]


def answered_kernels() -> set[Any]:
    """The kernel rules of ops whose cases TensorFlow answers: legacy ops share them."""
    return {param.values[0].kernel_rule for param in ACCEPTED if of_tensorflow(param)}


ANSWERED_KERNELS = answered_kernels()


@pytest.mark.parametrize(("decl", "case"), UNANSWERED)
def test_something_says_what_a_case_gives(decl, case):
    says = case.gives is not None or case.varies is not None
    if not says and decl.type in VALUES_ELSEWHERE:
        assert (TESTS / VALUES_ELSEWHERE[decl.type]).exists()
        return
    assert says or decl.kernel_rule in ANSWERED_KERNELS, (
        f"a case of {decl.type} does not say what it gives: add gives=..."
    )


def values_of_inputs(applied: Applied) -> list[Any]:
    """The values of the placeholders and constants among the inputs, in their order."""
    plain = applied.program.plain
    refs = [
        ref
        for refs in plain["nodes"][plain["op"]]["inputs"]
        for ref in (refs if refs and isinstance(refs[0], list) else [refs])
    ]
    nodes = [plain["nodes"][ref[0]] for ref in refs if ref]
    return [
        recorded.from_plain(node["feed"] if "feed" in node else node["constant"])
        for node in nodes
        if "feed" in node or "constant" in node
    ]


def observed(applied: Applied) -> list[tuple[Any, str]]:
    """What a case gives, and the types: the outputs that have values, and those of the steps after it that give some."""
    plain = applied.program.plain
    with applied.session() as session:
        found = session.run(applied.targets or [applied.op], applied.feeds)
        given = [(value, tensor.dtype.base_dtype.name) for tensor, value in zip(applied.targets, found)]
        for index in plain["after"]:
            try:
                values = applied.run_step(session, index)
            except tf.errors.OutOfRangeError:
                # The dataset of the case has ended.
                break
            kinds = [tensor.dtype.base_dtype.name for tensor in applied.tensors[index]]
            given += list(zip(values, kinds))
    return given


@pytest.mark.parametrize(("decl", "case"), [param for param in ACCEPTED if param.values[1].gives is not None])
def test_cases_give_what_they_say(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        wanted = case.gives(*values_of_inputs(applied)) if callable(case.gives) else case.gives
        found = observed(applied)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(found) == len(wanted)
    for (value, dtype), expected in zip(found, wanted, strict=True):
        assert_close(value, expected, dtype)


def test_own_ops_have_cases():
    assert all(decl.cases or decl.why_no_case for decl in REGISTRY.values() if decl.why_own is not None)
