"""Each case of each op with native instructions, in a region of its own: what TensorFlow gave, and the same errors."""

from __future__ import annotations

import numpy as np
import pytest
from case_records import of_tensorflow
from cases import ACCEPTED, REJECTED, Applied, deterministic
from ops.test_oracle_values import test_cases_give_what_tensorflow_gives as gives_what_tensorflow_gives
from ops.test_oracle_values import test_refusals_are_those_of_tensorflow as fails_as_in_tensorflow

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("on_device"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]

NATIVE = [param for param in ACCEPTED if param.values[0].native_rule is not None]
REFUSED = [param for param in REJECTED if param.values[0].native_rule is not None]


@pytest.mark.parametrize(("decl", "case"), [p for p in NATIVE if of_tensorflow(p)])
def test_cases_give_what_tensorflow_gives(decl, case):
    with regions_from(1):
        gives_what_tensorflow_gives(decl, case)


@pytest.mark.parametrize(("decl", "case"), [p for p in REFUSED if of_tensorflow(p)])
def test_rejected_cases_fail_as_in_tensorflow(decl, case):
    with regions_from(1):
        fails_as_in_tensorflow(decl, case)


@pytest.mark.parametrize(("decl", "case"), [p for p in NATIVE if deterministic(p.values[0])])
def test_unknown_shapes_give_what_plain_calls_give(decl, case):
    results = []
    for switch in (regions_from(1), without("native regions")):
        with switch, tf.Graph().as_default():
            applied = Applied(decl, case, known=False)
            results.append(applied.run(applied.targets or applied.op) or ())
    for one, other in zip(*results, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        if np.asarray(other).dtype.kind in "fc":
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(one, other)
