"""Every declared op has the signature TensorFlow's has: inputs, outputs, attributes, types, defaults, references."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from facts import facts

from headrace.api.op_index import declare_all
from headrace.core.registry import REGISTRY

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from signature_of import differences, signature_from_def

declare_all()
OP_DEFS = facts("op_defs")
LATER_OP_DEFS = facts("op_defs_later")

# Graphs keep these, so their names are public ones, but no TensorFlow has them.
OWN_TYPES = {
    "ForGradient": "the gradient of a For is one op, where TensorFlow writes a While of its own",
    "IteratorPosition": "where an iterator stands, for checkpoints: TensorFlow's op gives a variant that only it can read",
    "IteratorSeek": "it goes to such a position",
    "MultiDeviceShardDataset": "the elements of one of several devices",
    "WhileGradient": "the gradient of a While is one op",
}

_AS_LATER = "graphs that TensorFlow 2 has written are read as well"
DIFFERENT = {
    "FusedBatchNormV3": f"data_format NDHWC and NCDHW: {_AS_LATER}",
    "FusedBatchNormGradV3": f"data_format NDHWC and NCDHW: {_AS_LATER}",
    "RaggedTensorFromVariant": f"Tsplits has a default: {_AS_LATER}, and those leave defaults out",
    "RaggedTensorToVariant": f"Tsplits has a default: {_AS_LATER}, and those leave defaults out",
}

DECLARED = sorted(op_type for op_type in REGISTRY if not op_type.startswith("_"))


@pytest.mark.parametrize("op_type", [t for t in DECLARED if t not in OWN_TYPES and t not in DIFFERENT])
def test_a_declared_op_has_the_signature_of_tensorflow(op_type):
    definition = OP_DEFS.get(op_type) or LATER_OP_DEFS[op_type]
    assert differences(REGISTRY[op_type].signature, signature_from_def(op_type, definition)) == []


@pytest.mark.parametrize("op_type", sorted(DIFFERENT))
def test_an_exception_is_one(op_type):
    assert differences(REGISTRY[op_type].signature, signature_from_def(op_type, OP_DEFS[op_type])) != []


def test_own_types_are_no_ones_else():
    assert [t for t in OWN_TYPES if t not in REGISTRY or t in OP_DEFS or t in LATER_OP_DEFS] == []
