"""Of each op type 1.15 knows a gradient, that there is none, or neither: a LookupError where a gradient reaches it."""

import json
from pathlib import Path

import pytest

import headrace as tf
from headrace.core.gradient_registry import _gradient_registry as registry
from headrace.core.registry import _registered_gradients, find

KINDS = json.loads((Path(__file__).parents[1] / "golden" / "gradient_kinds.json").read_text())["results"]

# There is a gradient here where 1.15 has none.
MORE = {
    "BatchCholesky",
    "BatchFFT",
    "BatchFFT2D",
    "BatchFFT3D",
    "BatchIFFT",
    "BatchIFFT2D",
    "BatchIFFT3D",
    "BatchMatrixBandPart",
    "BatchMatrixDeterminant",
    "BatchMatrixDiag",
    "BatchMatrixDiagPart",
    "BatchMatrixInverse",
    "BatchMatrixSetDiag",
    "BatchMatrixSolve",
    "BatchMatrixSolveLs",
    "BatchMatrixTriangularSolve",
    "BatchSelfAdjointEigV2",
    "BatchSvd",
    "Einsum",
    "For",
    "GuaranteeConst",
    "MatrixExponential",
    "PartitionedCall",
    "RemoteCall",
    "StatefulPartitionedCall",
    "StatelessWhile",
    "SymbolicGradient",
    "While",
}
# 1.15's gradient functions of these return None for every input, which is to have none.
NONE = {"ArgMax", "ArgMin", "LoopCond"}


def kind(op_type):
    if op_type in _registered_gradients:
        # A program in this process has registered another since.
        decl = find(op_type)
        return "nothing" if decl.differentiable is None else "function" if decl.differentiable else "none"
    try:
        return "none" if registry.lookup(op_type) is None else "function"
    except LookupError:
        return "nothing"


@pytest.mark.parametrize("expected", sorted(KINDS))
def test_op_types_are_of_the_kind_that_they_are_in_1_15(expected):
    declared = [op_type for op_type in KINDS[expected].split() if find(op_type) is not None]
    assert len(declared) > 100
    others = {op_type: kind(op_type) for op_type in declared if kind(op_type) != expected}
    assert others == {op_type: found for op_type, found in others.items() if op_type in MORE | NONE}


def test_a_gradient_that_reaches_an_op_of_which_nothing_is_known_names_it():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(LookupError, match=r"No gradient defined for operation 'mixed' \(op type: RandomShuffle\)"):
        tf.gradients(tf.random_shuffle(x, name="mixed"), x)
