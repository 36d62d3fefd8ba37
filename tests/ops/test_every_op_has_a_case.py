"""Each op declares an example of its use, or why it cannot; what has a gradient always does."""

from __future__ import annotations

import pytest
from case_records import read_records
from cases import ACCEPTED, REJECTED

from headrace.api.op_index import home_of, op_types
from headrace.core.registry import REGISTRY


def has_case(op_type: str) -> bool:
    return any(case.error is None for case in REGISTRY[op_type].cases)


@pytest.mark.parametrize("op_type", op_types())
def test_an_op_has_a_case_or_says_why_not(op_type):
    decl = REGISTRY[op_type]
    assert has_case(op_type) or decl.why_no_case, f"{op_type} ({home_of(op_type)}) declares no case"
    assert not (has_case(op_type) and decl.why_no_case), f"{op_type} has a case, and says why it has none"
    if op_type != "_NotRunnable":
        # Its gradient raises what the op does.
        assert not (decl.differentiable and decl.why_no_case), f"{op_type} has a gradient, which no case tries"


def test_records_are_of_cases_that_exist():
    names = {param.id for param in [*ACCEPTED, *REJECTED]}
    assert not sorted(set(read_records()) - names)
