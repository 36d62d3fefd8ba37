"""What every declared op earns from the cases declared beside it, whatever it computes.

`headrace/core/cases.py` says what a case is. From it follow: the
static shape agrees with the run shape, unknown shapes change nothing, an output shares memory with an input only where
that is declared, a GraphDef round trip gives the same, and the gradient agrees with finite differences.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
import torch
from case_programs import dtype_of
from cases import ACCEPTED, REJECTED, Applied, deterministic, files_of, is_shape

import headrace as tf
from headrace.core.dims import compatible_dims

pytestmark = pytest.mark.usefixtures("on_device", "legal_graphs")


@pytest.mark.parametrize(("decl", "case"), ACCEPTED)
def test_runs_as_its_static_shape_says(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        if not applied.targets:
            applied.run(applied.op)
            return
        for tensor, value in zip(applied.targets, applied.run(applied.targets), strict=True):
            assert compatible_dims(tensor.dims, np.shape(value)), f"{tensor} gave {np.shape(value)}"
            if tensor.dtype.base_dtype.name != "string":
                dtype = np.dtype(tensor.dtype.as_numpy_dtype)
                # Quantized integers come as plain ones.
                assert np.asarray(value).dtype == (dtype[0] if dtype.names else dtype)


@pytest.mark.parametrize(("decl", "case"), [p for p in ACCEPTED if deterministic(p.values[0])])
def test_unknown_shapes_change_nothing(decl, case):
    with tf.Graph().as_default():
        known = Applied(decl, case)
        expected = known.run(known.targets or known.op)
    with tf.Graph().as_default():
        unknown = Applied(decl, case, known=False)
        got = unknown.run(unknown.targets or unknown.op)
    for a, b in zip(expected or (), got or (), strict=True):
        if decl.type.startswith("Conv"):
            # Where sizes are known the sums may be taken in another order.
            np.testing.assert_allclose(a, b, rtol=1e-6)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("decl", "case"), [p for p in ACCEPTED if deterministic(p.values[0])])
def test_a_graph_def_round_trip_gives_the_same(decl, case):
    with tf.Graph().as_default() as graph:
        applied = Applied(decl, case)
        expected = applied.run(applied.targets or applied.op)
        names = [item.name for item in applied.targets or [applied.op]]
        before = [applied.ops[i].name for i in applied.program.plain["before"]]
        feeds = {tensor.name: value for tensor, value in applied.feeds.items()}
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), files_of(case):
        outputs = tf.import_graph_def(graph_def, return_elements=[*before, *names], name="")
        with tf.Session() as session:
            for step in outputs[: len(before)]:
                session.run(step, feeds)
            got = session.run(outputs[len(before) :], feeds)
    for a, b in zip(expected or (), got if expected else (), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("decl", "case"), [p for p in ACCEPTED if deterministic(p.values[0]) and not p.values[0].may_alias]
)
def test_outputs_are_fresh_memory(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        if not applied.targets or not all(t.dtype.is_numpy_compatible for t in applied.feeds):
            pytest.skip("nothing that shares memory")
        with applied.session() as session, torch.inference_mode():
            plan = session.plan_for(applied.targets, list(applied.feeds))
            values = [torch.from_numpy(np.array(value)) for value in applied.feeds.values()]
            results = plan.function(*values)
    memory = {value.untyped_storage().data_ptr() for value in values if value.numel()}
    for result in results:
        if isinstance(result, torch.Tensor) and result.numel():
            assert result.untyped_storage().data_ptr() not in memory


def differentiable(param: Any) -> bool:
    decl, case = param.values
    if not decl.differentiable or not deterministic(decl):
        return False
    args = decl.signature.inputs
    floats = [arg for arg, item in zip(args, case.args, strict=True) if is_shape(item) and not arg.is_ref]
    return bool(floats) and all(dtype_of(decl, arg, case.attrs, wide=True).name == "float64" for arg in floats)


# Why finite differences say nothing of these gradients.
NOT_THE_DERIVATIVE = {
    "StopGradient": "it is there to differ",
    "PreventGradient": "asking for its gradient is an error",
    "FakeQuantWithMinMaxArgs": "straight-through by definition",
    "FakeQuantWithMinMaxVars": "straight-through by definition",
    "FakeQuantWithMinMaxVarsPerChannel": "straight-through by definition",
    "QuantizeAndDequantize": "straight-through by definition",
    "QuantizeAndDequantizeV2": "straight-through by definition",
    "QuantizeAndDequantizeV3": "straight-through by definition",
    "BlockLSTMV2": "1.15 differentiates it as if its gates lay as in the first version",
    "Atan2": "1.15's gradient does not undo broadcasting",
    "SoftmaxCrossEntropyWithLogits": "it takes the labels for a distribution, which the harness's are not",
    "Zeta": "it is infinite where the harness takes its values",
}
# The second output is a gradient: its own leaves out the labels, or does not exist.
FIRST_OUTPUT_ONLY = frozenset({"CTCLoss", "SparseSoftmaxCrossEntropyWithLogits"})
# Cases whose gradient 1.15 cannot build either: int64 axes meet an int32 rank, indices are a vector, labels are
# broadcast, k is 0, a loop has no context.
NOT_BUILT = frozenset({"Enter-0", "Prod-1", "Prod-2", "SoftmaxCrossEntropyWithLogits-2", "SparseToDense-0", "TopKV2-2"})


@pytest.mark.parametrize(("decl", "case"), [p for p in ACCEPTED if differentiable(p) and p.id not in NOT_BUILT])
def test_gradients_agree_with_finite_differences(decl, case):
    if decl.type in NOT_THE_DERIVATIVE:
        pytest.skip(NOT_THE_DERIVATIVE[decl.type])
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        applied = Applied(decl, case, wide=True)
        session = stack.enter_context(applied.session())
        outputs = [tensor for tensor in applied.fetched if tensor.dtype.name == "float64"]
        if decl.type in FIRST_OUTPUT_ONLY:
            outputs = outputs[:1]
        if not outputs:
            pytest.skip("no output has derivatives")
        rng = np.random.RandomState(4)
        values = session.run(outputs, applied.feeds)
        if not all(np.all(np.abs(value) < 1e30) for value in values):
            pytest.skip("an empty segment has no finite value")
        weights = [rng.uniform(-1, 1, np.shape(value)) for value in values]
        total = tf.add_n([tf.reduce_sum(tensor * weight) for tensor, weight in zip(outputs, weights, strict=True)])
        inputs = list(applied.feeds)
        found = [(x, g) for x, g in zip(inputs, tf.gradients(total, inputs), strict=True) if g is not None]
        directions = {x: rng.uniform(-1, 1, applied.feeds[x].shape) for x, _ in found}
        gradients = session.run([tf.convert_to_tensor(g) for _, g in found], applied.feeds)
        slope = sum(np.sum(g * directions[x]) for (x, _), g in zip(found, gradients, strict=True))
        step = 1e-5

        def moved(sign: int) -> float:
            feeds = {x: v + sign * step * directions[x] if x in directions else v for x, v in applied.feeds.items()}
            return session.run(total, feeds)

        np.testing.assert_allclose(slope, (moved(1) - moved(-1)) / (2 * step), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("decl", "case"), REJECTED)
def test_bad_input_is_refused(decl, case):
    def apply_and_run() -> None:
        applied = Applied(decl, case)
        applied.run(applied.targets or applied.op)

    with tf.Graph().as_default(), pytest.raises(case.error, match=case.match):
        apply_and_run()
