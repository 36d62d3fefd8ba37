"""Every declared op has the signature TensorFlow's has: inputs, outputs, attributes, types, defaults, references."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from facts import facts

from headrace.api.op_index import declare_all, op_types
from headrace.core.registry import REGISTRY

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from signature_of import differences, signature_from_def

declare_all()
OP_DEFS = facts("op_defs")
LATER_OP_DEFS = facts("op_defs_later")

_AS_LATER = "graphs that TensorFlow 2 has written are read as well"
DIFFERENT = {
    "FusedBatchNormV3": f"data_format NDHWC and NCDHW: {_AS_LATER}",
    "FusedBatchNormGradV3": f"data_format NDHWC and NCDHW: {_AS_LATER}",
    "RaggedTensorFromVariant": f"Tsplits has a default: {_AS_LATER}, and those leave defaults out",
    "RaggedTensorToVariant": f"Tsplits has a default: {_AS_LATER}, and those leave defaults out",
}

# Graphs keep ops that no TensorFlow has too, so their names are public ones.
# Of the index: other tests declare ops of their own.
PUBLIC = {op_type: REGISTRY[op_type] for op_type in op_types() if not REGISTRY[op_type].of_the_planner}
OWN_TYPES = sorted(op_type for op_type, decl in PUBLIC.items() if decl.why_own is not None)
DECLARED = sorted(PUBLIC.keys() - {*OWN_TYPES, *DIFFERENT})


@pytest.mark.parametrize("op_type", DECLARED)
def test_a_declared_op_has_the_signature_of_tensorflow(op_type):
    definition = OP_DEFS.get(op_type) or LATER_OP_DEFS.get(op_type)
    assert definition is not None, f"no TensorFlow has {op_type}: if that is so, its declaration says why, with .own()"
    assert differences(REGISTRY[op_type].signature, signature_from_def(op_type, definition)) == []


@pytest.mark.parametrize("op_type", sorted(DIFFERENT))
def test_an_exception_is_one(op_type):
    assert differences(REGISTRY[op_type].signature, signature_from_def(op_type, OP_DEFS[op_type])) != []


@pytest.mark.parametrize("op_type", OWN_TYPES)
def test_own_types_are_no_ones_else(op_type):
    assert op_type not in OP_DEFS
    assert op_type not in LATER_OP_DEFS
